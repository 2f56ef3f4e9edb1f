#include "grapple/scenario/text/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "grapple/base/error.h"

namespace grapple::scenario {

namespace {

// Gives errors of module base the place in the file they lack.
template <typename F>
auto located(const Node& node, const F& read) {
  try {
    return read();
  } catch (const Error& fault) {
    if (!fault.diagnostics().front().where.empty()) throw;
    throw Error(fault.id(), node.mark.text(), fault.diagnostics().front().message);
  }
}

[[noreturn]] void wrong_shape(const Node& node, const std::string& expected) {
  throw Error("GR-203", node.mark.text(),
              fmt::format("expected {}, found {}", expected, described(node)));
}

// "[1, 0, 0] m": the numbers and what follows the bracket.
std::vector<Quantity> bracketed_numbers(const Node& node) {
  const std::string text = trimmed(node.scalar);
  const std::size_t close = text.find(']');
  if (close == std::string::npos) wrong_shape(node, "numbers like [1, 0, 0] m");
  std::vector<Quantity> numbers;
  const std::string inside = trimmed(std::string_view(text).substr(1, close - 1));
  for (std::size_t at = 0; !inside.empty() && at <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', at), inside.size());
    numbers.push_back(parse_quantity(std::string_view(inside).substr(at, comma - at)));
    at = comma + 1;
  }
  const std::string unit_name = trimmed(std::string_view(text).substr(close + 1));
  if (unit_name.empty()) return numbers;
  const Quantity unit = parse_unit(unit_name);
  for (Quantity& number : numbers) {
    if (!number.has_unit) number = {number.value * unit.value, unit.dimension, true};
  }
  return numbers;
}

TimeFunction scalar_function(const Node& node) {
  std::optional<Error> not_a_quantity;
  try {
    const Quantity quantity = in_radians(parse_quantity(node.scalar));
    TimeFunction result{Function::constant(quantity.value), std::nullopt};
    if (quantity.has_unit) result.dimension = quantity.dimension;
    return result;
  } catch (const Error& fault) {
    not_a_quantity = fault;
  }
  try {
    return {Function::expression(node.scalar), std::nullopt};
  } catch (const Error& fault) {
    // "5 Nmm" is a number with a misspelt unit, "5*sinn(t)" a misspelt formula.
    const std::size_t end = node.scalar.find_first_not_of("0123456789.eE+- ");
    const bool only_numbers = end == std::string::npos;
    const bool formula =
        node.scalar.find_first_of("*(^?") != std::string::npos || end == 0 || only_numbers;
    if (formula || not_a_quantity->id() != "GR-121") throw;
    throw *not_a_quantity;
  }
}

TimeFunction expression_function(const Node& node) {
  TimeFunction result;
  std::string scale;
  if (node.find("unit")) {
    const Quantity unit = in_radians(parse_unit(node.text_of("unit")));
    result.dimension = unit.dimension;
    scale = fmt::format("*{}", unit.value);
  }
  const auto scaled = [&](const char* key) {
    const std::string text = node.text_of(key);
    return text.empty() || scale.empty() ? text : fmt::format("({}){}", text, scale);
  };
  // Read alone first: in parentheses a fault such as "1) + (2" would pass.
  Function::expression(node.text_of("expression"));
  result.function = Function::expression_with_derivatives(scaled("expression"), scaled("rate"),
                                                          scaled("acceleration"));
  return result;
}

// Bare values take the key `unit`; all values must agree in dimension.
std::vector<double> in_si(const Node& node, const std::vector<Quantity>& values,
                          std::optional<Dimension>& dimension) {
  Quantity unit{1.0, {}, false};
  if (node.find("unit")) unit = in_radians(parse_unit(node.text_of("unit")));
  std::vector<double> numbers;
  for (const Quantity& written : values) {
    const Quantity value = in_radians(written);
    const bool bare = !value.has_unit;
    numbers.push_back(bare ? value.value * unit.value : value.value);
    if (bare && !unit.has_unit) continue;
    const Dimension own = bare ? unit.dimension : value.dimension;
    if (dimension && *dimension != own) {
      throw Error(
          "GR-204", node.mark.text(),
          fmt::format("the values mix the units {} and {}", unit_text(*dimension), unit_text(own)));
    }
    dimension = own;
  }
  return numbers;
}

double time_in_si(const Quantity& time, const Node& node) {
  if (!time.has_unit || time.dimension == dimension::kTime) return time.value;
  throw Error("GR-204", node.mark.text(),
              fmt::format("a time is needed, found the unit {}", unit_text(time.dimension)));
}

TimeFunction table_function(const Node& node) {
  std::vector<double> times;
  std::vector<Quantity> values;
  if (const Node* rows = node.find("table")) {
    if (!rows->is_sequence()) wrong_shape(*rows, "rows [time, value]");
    for (const Node& row : rows->items) {
      const std::vector<Quantity> pair = read_numbers(row);
      if (pair.size() != 2) wrong_shape(row, "a row [time, value]");
      times.push_back(time_in_si(pair[0], row));
      values.push_back(pair[1]);
    }
  } else {
    const Node *time_node = node.find("times"), *value_node = node.find("values");
    if (!time_node || !value_node) wrong_shape(node, "an expression, times and values, or a table");
    for (const Quantity& time : read_numbers(*time_node)) {
      times.push_back(time_in_si(time, *time_node));
    }
    values = read_numbers(*value_node);
  }
  TimeFunction result;
  std::vector<double> numbers = in_si(node, values, result.dimension);
  const std::string kind = node.text_of("interpolation");
  const Interpolation interpolation = kind == "spline" ? Interpolation::kSpline
                                      : kind == "hold" ? Interpolation::kHold
                                                       : Interpolation::kLinear;
  result.function = Function::table(std::move(times), std::move(numbers), interpolation);
  return result;
}

}  // namespace

bool is_bracketed(const Node& node) {
  return node.is_scalar() && trimmed(node.scalar).starts_with('[');
}

Quantity read_quantity(const Node& node) {
  if (!node.is_scalar()) wrong_shape(node, "a number");
  return located(node, [&] { return parse_quantity(node.scalar); });
}

std::vector<Quantity> read_numbers(const Node& node) {
  if (is_bracketed(node)) return located(node, [&] { return bracketed_numbers(node); });
  if (!node.is_sequence()) wrong_shape(node, "numbers like [1, 0, 0] m");
  std::vector<Quantity> numbers;
  for (const Node& item : node.items) numbers.push_back(read_quantity(item));
  return numbers;
}

TimeFunction read_function(const Node& node) {
  return located(node, [&]() -> TimeFunction {
    if (node.is_scalar()) return scalar_function(node);
    if (!node.is_mapping()) wrong_shape(node, "a function of time");
    if (node.find("signal") != nullptr) return {{}, {}, node.text_of("signal")};
    return node.find("expression") ? expression_function(node) : table_function(node);
  });
}

Place read_place(const Node& node) {
  if (!node.is_scalar()) wrong_shape(node, "a place such as 'link1' or 'link1 at [1, 0, 0] m'");
  Place place;
  std::string name = trimmed(node.scalar);
  if (const std::size_t at = name.find(" at "); at != std::string::npos) {
    const Node offset = Node::make_scalar(name.substr(at + 4), node.mark);
    const std::vector<Quantity> numbers = read_numbers(offset);
    const bool lengths = std::all_of(numbers.begin(), numbers.end(), [](const Quantity& q) {
      return !q.has_unit || q.dimension == dimension::kLength;
    });
    if (numbers.size() != 3 || !lengths) {
      throw Error("GR-212", node.mark.text(),
                  fmt::format("after 'at' three lengths are needed, as in [1, 0, 0] m, found '{}'",
                              offset.scalar));
    }
    for (std::size_t i = 0; i < 3; ++i) place.offset[i] = numbers[i].value;
    name = trimmed(std::string_view(name).substr(0, at));
  }
  const std::size_t slash = name.find('/');
  place.body = name.substr(0, slash);
  if (slash != std::string::npos) place.frame = name.substr(slash + 1);
  const bool odd = place.body.empty() || name.find_first_of(" \t[],") != std::string::npos ||
                   (slash != std::string::npos && place.frame.empty());
  if (odd) {
    throw Error("GR-212", node.mark.text(),
                fmt::format("expected a place such as 'link1', 'link1/tip' or "
                            "'link1 at [1, 0, 0] m', found {}",
                            described(node)));
  }
  return place;
}

}  // namespace grapple::scenario
