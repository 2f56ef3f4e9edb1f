#include "grapple/scenario/language/internal/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "grapple/base/nearest_name.h"
#include "grapple/scenario/build/internal/copies.h"
#include "grapple/scenario/language/internal/names.h"
#include "grapple/scenario/language/reader.h"
#include "grapple/scenario/text/values.h"

namespace grapple::scenario {

namespace {

bool fits_node(const Shape& shape, const Node& node) {
  switch (shape.kind) {
    case Kind::kObject:
      return node.is_mapping();
    case Kind::kList:
      return node.is_sequence();
    case Kind::kNumbers:
      return node.is_sequence() || is_bracketed(node);
    case Kind::kFunction:
      return node.is_scalar() || node.is_mapping();
    default:
      return node.is_scalar();
  }
}

std::string expected(const std::vector<Shape>& shapes) {
  std::vector<std::string> texts;
  texts.reserve(shapes.size());
  for (const Shape& shape : shapes) texts.push_back(shape.text());
  return fmt::format("{}", fmt::join(texts, ", or "));
}

class Checker {
 public:
  Checker(const Names& names, Diagnostics& faults) : names_(names), faults_(faults) {}

  void check_object(const Node& node, const Object& object) {
    const std::string selected = selected_in(node, object);
    for (const Entry& entry : node.entries) {
      if (full()) return;
      if (const Field* field = object.find(entry.key, selected)) {
        check_value(entry.value, field->shapes);
      } else {
        unknown_key(entry, object, selected);
      }
    }
    check_required(node, object, selected);
    for (const Rule& rule : object.rules) check_rule(node, rule, selected);
  }

 private:
  static const char* article(const std::string& name) {
    return name.find_first_of("aeiou") == 0 ? "an" : "a";
  }
  bool full() const { return faults_.found().size() >= kMostFaults; }

  void unknown_key(const Entry& entry, const Object& object, const std::string& selected) {
    std::vector<std::string> keys;
    for (const Field& field : object.fields) {
      if (field.key == entry.key) {
        // With a wrong selector that finding is enough.
        const Field* selector = object.find(object.selector, "");
        const auto& choices = selector->shapes.front().choices;
        if (std::find(choices.begin(), choices.end(), selected) == choices.end()) return;
        faults_.add("GR-202", entry.key_mark.text(),
                    fmt::format("'{}' does not belong to {} {} with {} '{}' (it does to: {})",
                                entry.key, article(object.name), object.name, object.selector,
                                selected, fmt::join(field.only_for, ", ")));
        return;
      }
      if (field.exists_for(selected)) keys.push_back(field.key);
    }
    faults_.add("GR-201", entry.key_mark.text(),
                fmt::format("unknown key '{}' in {}{}", entry.key, object.name,
                            suggestion(entry.key, keys)));
  }

  void check_required(const Node& node, const Object& object, const std::string& selected) {
    for (const Field& field : object.fields) {
      const bool missing = field.presence == Presence::kRequired && field.exists_for(selected) &&
                           !node.find_entry(field.key);
      if (!missing) continue;
      faults_.add("GR-200", node.mark.text(),
                  fmt::format("{} needs '{}': {} Example: {}: {}", object.name, field.key,
                              field.doc, field.key, field.example));
    }
  }

  void check_rule(const Node& node, const Rule& rule, const std::string& selected) {
    const auto& only = rule.only_for;
    if (!only.empty() && std::find(only.begin(), only.end(), selected) == only.end()) return;
    const auto present = [&](const std::string& key) { return node.find_entry(key) != nullptr; };
    const auto count =
        static_cast<std::size_t>(std::count_if(rule.keys.begin(), rule.keys.end(), present));
    bool kept = true;
    switch (rule.kind) {
      case Rule::Kind::kExactlyOne:
        kept = count == 1;
        break;
      case Rule::Kind::kAtMostOne:
        kept = count <= 1;
        break;
      case Rule::Kind::kTogether:
        kept = count == 0 || count == rule.keys.size();
        break;
      case Rule::Kind::kNeedsOneOf:
        kept = !present(rule.keys.front()) || count > 1;
        break;
    }
    if (!kept) faults_.add("GR-209", node.mark.text(), rule.text());
  }

  void check_value(const Node& node, const std::vector<Shape>& shapes) {
    // Still there: the parameter is at fault and has been reported.
    if (node.is_scalar() && node.scalar.find("${") != std::string::npos) return;
    std::vector<const Shape*> fitting;
    for (const Shape& shape : shapes) {
      if (fits_node(shape, node)) fitting.push_back(&shape);
    }
    if (fitting.empty()) return wrong_shape(node, shapes);
    if (fitting.size() == 1) return check_shape(node, *fitting.front());
    std::vector<Diagnostics> attempts(fitting.size());
    for (std::size_t i = 0; i < fitting.size(); ++i) {
      Checker(names_, attempts[i]).check_shape(node, *fitting[i]);
      if (attempts[i].empty()) return;
    }
    // One alternative that reads and only has a wrong unit or size says more than the list of all.
    for (const Diagnostics& attempt : attempts) {
      const Diagnostic& first = attempt.found().front();
      const bool near = first.id == "GR-204" || first.id == "GR-205" || first.id == "GR-121";
      if (near) return faults_.add(first.id, first.where, first.message);
    }
    wrong_shape(node, shapes);
  }

  void wrong_shape(const Node& node, const std::vector<Shape>& shapes) {
    faults_.add("GR-203", node.mark.text(),
                fmt::format("expected {}, found {}", expected(shapes), described(node)));
  }

  void check_shape(const Node& node, const Shape& shape) {
    if (full()) return;
    if (!fits_node(shape, node)) return wrong_shape(node, {shape});
    try {
      check_fitting(node, shape);
    } catch (const Error& fault) {
      faults_.add(fault);
    }
  }

  void check_fitting(const Node& node, const Shape& shape) {
    switch (shape.kind) {
      case Kind::kNumber:
        return check_quantity(node, read_quantity(node), shape);
      case Kind::kInteger:
        return check_integer(node, shape);
      case Kind::kBoolean:
        if (node.scalar != "true" && node.scalar != "false") wrong_shape(node, {shape});
        return;
      case Kind::kString:
        return;
      case Kind::kName:
        return check_name(node);
      case Kind::kChoice:
        return check_choice(node, shape);
      case Kind::kNumbers:
        return check_numbers(node, shape);
      case Kind::kFunction:
        return check_function(node, shape);
      case Kind::kReference:
        return names_.check_reference(node, shape.targets, faults_);
      case Kind::kPlace:
        return names_.check_place(node, faults_);
      case Kind::kList:
        return check_list(node, shape);
      case Kind::kObject:
        if (shape.object) return check_object(node, *shape.object);
        return check_named(node, shape);
    }
  }

  void check_named(const Node& node, const Shape& shape) {
    for (const Entry& entry : node.entries) {
      if (full()) return;
      if (!shape.elements.empty()) check_value(entry.value, shape.elements);
    }
  }

  void check_dimension(const Node& node, const Dimension& found, const Shape& shape) {
    const auto& allowed = shape.dimensions;
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), found) != allowed.end()) {
      return;
    }
    faults_.add("GR-204", node.mark.text(),
                fmt::format("expected {}, found {} with the unit {}{}", shape.text(),
                            described(node), unit_text(found),
                            found.cycles == 0 ? "" : "; Hz counts cycles and has no place here"));
  }

  void check_quantity(const Node& node, const Quantity& quantity, const Shape& shape) {
    if (quantity.has_unit) check_dimension(node, quantity.dimension, shape);
    if (shape.range.contains(quantity.value)) return;
    faults_.add("GR-205", node.mark.text(),
                fmt::format("expected {}, found {}", shape.text(), described(node)));
  }

  void check_integer(const Node& node, const Shape& shape) {
    long long value = 0;
    const char* end = node.scalar.data() + node.scalar.size();
    const auto [stop, fault] = std::from_chars(node.scalar.data(), end, value);
    if (fault != std::errc{} || stop != end) return wrong_shape(node, {shape});
    if (shape.range.contains(static_cast<double>(value))) return;
    faults_.add("GR-205", node.mark.text(),
                fmt::format("expected {}, found {}", shape.text(), described(node)));
  }

  void check_name(const Node& node) {
    if (is_valid_name(node.scalar)) return;
    faults_.add("GR-208", node.mark.text(),
                fmt::format("{} cannot be a name: use letters, digits, _ - . (and not 'world')",
                            described(node)));
  }

  void check_choice(const Node& node, const Shape& shape) {
    const auto& choices = shape.choices;
    if (std::find(choices.begin(), choices.end(), node.scalar) != choices.end()) return;
    faults_.add(
        "GR-206", node.mark.text(),
        fmt::format("expected {}, found {}{}", shape.text(), described(node),
                    nearest_name(node.scalar, choices) ? suggestion(node.scalar, choices) : ""));
  }

  bool check_count(const Node& node, std::size_t count, const Shape& shape) {
    if (count >= shape.least && count <= shape.most) return true;
    faults_.add("GR-207", node.mark.text(),
                fmt::format("expected {}, found {} of them", shape.text(), count));
    return false;
  }

  void check_numbers(const Node& node, const Shape& shape) {
    const std::vector<Quantity> numbers = read_numbers(node);
    if (!check_count(node, numbers.size(), shape)) return;
    const std::size_t before = faults_.found().size();
    for (std::size_t i = 0; i < numbers.size() && !full(); ++i) {
      check_quantity(node.is_sequence() ? node.items[i] : node, numbers[i], shape);
      // Numbers in one text have one place: one finding is enough.
      if (!node.is_sequence() && faults_.found().size() > before) return;
    }
  }

  void check_function(const Node& node, const Shape& shape) {
    if (node.is_mapping()) {
      const std::size_t before = faults_.found().size();
      check_object(node, function_object());
      if (faults_.found().size() > before) return;
    }
    const TimeFunction function = read_function(node);
    if (!function.signal.empty() && !shape.takes_signal) {
      faults_.add(
          "GR-954", node.mark.text(),
          "a signal jumps when it is set; it cannot stand for a position, whose rates must be "
          "finite (let it be a rate, an acceleration or an effort)");
    }
    if (function.dimension) check_dimension(node, *function.dimension, shape);
  }

  void check_list(const Node& node, const Shape& shape) {
    if (!check_count(node, node.items.size(), shape)) return;
    for (const Node& item : node.items) {
      if (full()) return;
      check_value(item, shape.elements);
    }
  }

  const Names& names_;
  Diagnostics& faults_;
};

}  // namespace

bool is_valid_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= 200 && text != "world" && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), allowed);
}

void check_scenario(const Node& root, Diagnostics& faults) {
  const Names names = has_copies(root) ? Names(with_copies(root), faults) : Names(root, faults);
  const std::size_t before = faults.found().size();
  Checker(names, faults).check_object(root, scenario_object());
  if (faults.found().size() == before) check_copies(root, faults);
}

}  // namespace grapple::scenario
