#include "grapple/scenario/language/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace grapple::scenario {

namespace {

bool takes_frequency(const std::vector<Dimension>& dimensions) {
  return std::find(dimensions.begin(), dimensions.end(), dimension::kFrequency) != dimensions.end();
}

std::string dimension_text(const std::vector<Dimension>& dimensions) {
  if (dimensions.empty()) return "";
  std::vector<std::string> units;
  for (const Dimension& dimension : dimensions) {
    const bool none = dimension == dimension::kNone;
    const bool turning = dimension == dimension::kAngularRate && takes_frequency(dimensions);
    units.push_back(none ? "no unit or an angle" : turning ? "rad/s" : unit_text(dimension));
  }
  return fmt::format(" [{}]", fmt::join(units, " or "));
}

std::string count_text(std::size_t least, std::size_t most) {
  if (least == most) return fmt::format("{} ", least);
  if (most == std::numeric_limits<std::size_t>::max()) {
    return least == 0 ? "" : fmt::format("at least {} ", least);
  }
  return fmt::format("{} to {} ", least, most);
}

std::string alternatives(const std::vector<Shape>& shapes) {
  std::vector<std::string> texts;
  texts.reserve(shapes.size());
  for (const Shape& shape : shapes) texts.push_back(shape.text());
  return fmt::format("{}", fmt::join(texts, ", or "));
}

std::string quoted_list(const std::vector<std::string>& keys) {
  return fmt::format("'{}'", fmt::join(keys, "', '"));
}

}  // namespace

bool Field::takes_frequency() const {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) {
    return scenario::takes_frequency(shape.dimensions);
  });
}

bool Range::contains(double value) const {
  const bool above = low_end == End::kIncluded ? value >= low : value > low;
  const bool below = high_end == End::kIncluded ? value <= high : value < high;
  return above && below;
}

std::string Range::text() const {
  if (low == high) return fmt::format("exactly {}", low);
  std::vector<std::string> parts;
  if (std::isfinite(low)) {
    parts.push_back(fmt::format("{} {}", low_end == End::kIncluded ? "at least" : "above", low));
  }
  if (std::isfinite(high)) {
    parts.push_back(fmt::format("{} {}", high_end == End::kIncluded ? "at most" : "below", high));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string Shape::text() const {
  const std::string limits = range.text().empty() ? "" : ", " + range.text();
  switch (kind) {
    case Kind::kNumber:
      return fmt::format("a number{}{}", dimension_text(dimensions), limits);
    case Kind::kInteger:
      return "a whole number" + limits;
    case Kind::kBoolean:
      return "true or false";
    case Kind::kString:
      return "a text";
    case Kind::kName:
      return "a name (letters, digits, _ - .)";
    case Kind::kChoice:
      return choices.size() == 1 ? fmt::format("'{}'", choices.front())
                                 : fmt::format("one of {}", quoted_list(choices));
    case Kind::kNumbers:
      return fmt::format("{}numbers{}{}", count_text(least, most), dimension_text(dimensions),
                         limits);
    case Kind::kFunction:
      return fmt::format("a function of time{}", dimension_text(dimensions));
    case Kind::kReference:
      return fmt::format("the name of an item of {}", fmt::join(targets, " or "));
    case Kind::kPlace:
      return "a place ('body', 'body/frame', 'world', or one of these followed by "
             "'at [x, y, z] m')";
    case Kind::kList:
      return fmt::format("a list of {}items: {}", count_text(least, most), alternatives(elements));
    case Kind::kObject:
      if (object) return fmt::format("a mapping ({})", object->name);
      return "a mapping of names to " + (elements.empty() ? "values" : alternatives(elements));
  }
  return "";
}

Field&& Field::required() && {
  presence = Presence::kRequired;
  return std::move(*this);
}

Field&& Field::defaults(std::string text) && {
  default_text = std::move(text);
  return std::move(*this);
}

Field&& Field::only(std::vector<std::string> values) && {
  only_for = std::move(values);
  return std::move(*this);
}

bool Field::exists_for(std::string_view selected) const {
  return only_for.empty() ||
         std::find(only_for.begin(), only_for.end(), selected) != only_for.end();
}

std::string Rule::text() const {
  switch (kind) {
    case Kind::kExactlyOne:
      return fmt::format("exactly one of {} is needed", quoted_list(keys));
    case Kind::kAtMostOne:
      return fmt::format("at most one of {} is allowed", quoted_list(keys));
    case Kind::kTogether:
      return fmt::format("{} go together", quoted_list(keys));
    case Kind::kNeedsOneOf:
      return fmt::format("'{}' needs {}{}", keys.front(), keys.size() > 2 ? "one of " : "",
                         quoted_list({keys.begin() + 1, keys.end()}));
  }
  return "";
}

const Field* Object::find(std::string_view key, std::string_view selected) const {
  for (const Field& field : fields) {
    if (field.key == key && field.exists_for(selected)) return &field;
  }
  return nullptr;
}

}  // namespace grapple::scenario
