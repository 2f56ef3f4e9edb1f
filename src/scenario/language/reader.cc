#include "grapple/scenario/language/reader.h"

#include <algorithm>
#include <charconv>

#include "grapple/base/assert.h"
#include "grapple/scenario/text/internal/yaml.h"

namespace grapple::scenario {

namespace {

const Object* object_among(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) {
    if (shape.kind == Kind::kObject && shape.object) return shape.object.get();
    const bool holds_others = shape.kind == Kind::kList || shape.kind == Kind::kObject;
    if (holds_others) return object_among(shape.elements);
  }
  return nullptr;
}

}  // namespace

std::string selected_in(const Node& node, const Object& object) {
  if (object.selector.empty()) return "";
  const std::string given = node.text_of(object.selector);
  return given.empty() ? object.find(object.selector, "")->default_text : given;
}

Reader::Reader(const Node& node, const Object& object)
    : node_(&node), object_(&object), selected_(selected_in(node, object)) {
  GRAPPLE_ASSERT(node.is_mapping());
}

const Field& Reader::field(std::string_view key) const {
  const Field* found = object_->find(key, selected_);
  GRAPPLE_ASSERT(found != nullptr);
  return *found;
}

bool Reader::has(std::string_view key) const { return node_->find_entry(key) != nullptr; }

bool Reader::available(std::string_view key) const {
  const Field* found = object_->find(key, selected_);
  return has(key) || (found && !found->default_text.empty());
}

Node Reader::value(std::string_view key) const {
  if (const Node* found = node_->find(key)) return *found;
  const std::string& text = field(key).default_text;
  GRAPPLE_ASSERT(!text.empty());
  return parse_yaml(text, node_->mark);
}

double Reader::number(std::string_view key) const { return quantity(key).value; }

Quantity Reader::quantity(std::string_view key) const {
  const Quantity found = read_quantity(value(key));
  return field(key).takes_frequency() ? in_radians(found) : found;
}

long long Reader::integer(std::string_view key) const {
  const std::string digits = value(key).scalar;
  long long result = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), result);
  return result;
}

bool Reader::boolean(std::string_view key) const { return value(key).scalar == "true"; }

std::string Reader::text(std::string_view key) const { return value(key).scalar; }

std::vector<Quantity> Reader::numbers(std::string_view key) const {
  const Node node = value(key);
  if (node.is_scalar() && !is_bracketed(node)) return {quantity(key)};
  std::vector<Quantity> found = read_numbers(node);
  if (field(key).takes_frequency())
    std::transform(found.begin(), found.end(), found.begin(), in_radians);
  return found;
}

std::vector<std::vector<Quantity>> Reader::number_lists(std::string_view key) const {
  std::vector<std::vector<Quantity>> lists;
  for (const Node& item : value(key).items) lists.push_back(read_numbers(item));
  return lists;
}

Eigen::Vector3d Reader::vector3(std::string_view key) const {
  const std::vector<Quantity> components = numbers(key);
  GRAPPLE_ASSERT(components.size() == 3);
  return {components[0].value, components[1].value, components[2].value};
}

TimeFunction Reader::function(std::string_view key) const { return read_function(value(key)); }

std::vector<TimeFunction> Reader::functions(std::string_view key) const {
  const Node node = value(key);
  if (!node.is_sequence()) return {read_function(node)};
  std::vector<TimeFunction> result;
  for (const Node& item : node.items) result.push_back(read_function(item));
  return result;
}

Place Reader::place(std::string_view key) const { return read_place(value(key)); }

std::vector<Place> Reader::places(std::string_view key) const {
  std::vector<Place> result;
  for (const Node& item : value(key).items) result.push_back(read_place(item));
  return result;
}

std::vector<std::string> Reader::texts(std::string_view key) const {
  std::vector<std::string> result;
  for (const Node& item : value(key).items) result.push_back(item.scalar);
  return result;
}

Reader Reader::object(std::string_view key) const {
  const Node* found = node_->find(key);
  const Object* content = object_among(field(key).shapes);
  GRAPPLE_ASSERT(found != nullptr && content != nullptr);
  return Reader(*found, *content);
}

std::vector<Reader> Reader::objects(std::string_view key) const {
  const Object* content = object_among(field(key).shapes);
  GRAPPLE_ASSERT(content != nullptr);
  std::vector<Reader> result;
  if (const Node* found = node_->find(key)) {
    for (const Node& item : found->items) result.emplace_back(item, *content);
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> Reader::named_texts(std::string_view key) const {
  std::vector<std::pair<std::string, std::string>> result;
  if (const Node* found = node_->find(key)) {
    for (const Entry& entry : found->entries) result.emplace_back(entry.key, entry.value.scalar);
  }
  return result;
}

std::vector<std::pair<std::string, Quantity>> Reader::named_quantities(std::string_view key) const {
  std::vector<std::pair<std::string, Quantity>> result;
  if (const Node* found = node_->find(key)) {
    for (const Entry& entry : found->entries) {
      result.emplace_back(entry.key, read_quantity(entry.value));
    }
  }
  return result;
}

std::vector<std::pair<std::string, Reader>> Reader::named_objects(std::string_view key) const {
  const Object* content = object_among(field(key).shapes);
  GRAPPLE_ASSERT(content != nullptr);
  std::vector<std::pair<std::string, Reader>> result;
  if (const Node* found = node_->find(key)) {
    for (const Entry& entry : found->entries) {
      result.emplace_back(entry.key, Reader(entry.value, *content));
    }
  }
  return result;
}

bool Reader::is_mapping(std::string_view key) const {
  const Node* found = node_->find(key);
  return found && found->is_mapping();
}

bool Reader::is_list(std::string_view key) const {
  const Node* found = node_->find(key);
  return found && (found->is_sequence() || is_bracketed(*found));
}

std::string Reader::where(std::string_view key) const {
  const Node* found = node_->find(key);
  return found ? found->mark.text() : where();
}

std::string Reader::where() const { return node_->mark.text(); }

}  // namespace grapple::scenario
