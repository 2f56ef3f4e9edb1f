// Functions of time out of nodes: numbers, formulas, tables in the text or in a file, manoeuvres.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "grapple/base/manoeuvre.h"
#include "grapple/scenario/text/internal/csv_table.h"
#include "grapple/scenario/text/internal/node_faults.h"
#include "grapple/scenario/text/values.h"

namespace grapple::scenario {

namespace {

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

Interpolation interpolation_of(const Node& node) {
  const std::string kind = node.text_of("interpolation");
  if (kind == "spline") return Interpolation::kSpline;
  return kind == "hold" ? Interpolation::kHold : Interpolation::kLinear;
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
    if (!time_node || !value_node)
      wrong_shape(node, "an expression, a profile, times and values, a table or a csv file");
    for (const Quantity& time : read_numbers(*time_node)) {
      times.push_back(time_in_si(time, *time_node));
    }
    values = read_numbers(*value_node);
  }
  TimeFunction result;
  std::vector<double> numbers = in_si(node, values, result.dimension);
  result.function = Function::table(std::move(times), std::move(numbers), interpolation_of(node));
  return result;
}

// A column's own unit, "angle [deg]", unless the scenario gives one.
TimeFunction csv_function(const Node& node) {
  CsvTable table = located(*node.find("csv"), [&] {
    return read_csv_table(named_file(*node.find("csv")), node.text_of("column"),
                          node.text_of("time_column"));
  });
  TimeFunction result;
  const std::string unit = node.find("unit") ? node.text_of("unit") : table.unit;
  if (!unit.empty()) {
    const Quantity factor = in_radians(parse_unit(unit));
    result.dimension = factor.dimension;
    for (double& value : table.values) value *= factor.value;
  }
  result.function =
      Function::table(std::move(table.times), std::move(table.values), interpolation_of(node));
  return result;
}

Profile profile_of(const std::string& name) {
  if (name == "bang-bang") return Profile::kBangBang;
  if (name == "trapezoid") return Profile::kTrapezoid;
  if (name == "cubic") return Profile::kCubic;
  if (name == "quintic") return Profile::kQuintic;
  return Profile::kSineOnRamp;  // or cycloidal, which is the same
}

// The part of a trapezoid's duration in which its rate rises.
double ramp_of(const Node& part, const Node& whole, const Manoeuvre& m,
               const std::optional<Dimension>& dimension) {
  const Node *ramp = part.find("ramp"), *limit = part.find("acceleration_limit");
  if (ramp == nullptr && limit == nullptr) return Manoeuvre{}.ramp;
  if (m.profile != Profile::kTrapezoid) {
    throw Error("GR-136", (ramp ? ramp : limit)->mark.text(),
                "profile: 'ramp' and 'acceleration_limit' are for the trapezoid");
  }
  if (ramp != nullptr) return read_quantity(*ramp).value;
  const Quantity given = read_quantity(*limit);
  double scale = 1.0;
  if (given.has_unit && dimension) {
    Dimension expected = *dimension;
    expected.time -= 2;
    if (given.dimension != expected) {
      throw Error(
          "GR-204", limit->mark.text(),
          fmt::format("the acceleration of a value in {} is needed in {}, found {}",
                      unit_text(*dimension), unit_text(expected), unit_text(given.dimension)));
    }
  } else if (!given.has_unit && whole.find("unit")) {
    scale = in_radians(parse_unit(whole.text_of("unit"))).value;
  }
  return located(*limit, [&] {
    return ramp_for_acceleration(m.to - m.from, m.duration, scale * given.value);
  });
}

// One manoeuvre, or the list `segments` of them.
TimeFunction profile_function(const Node& node) {
  std::vector<const Node*> parts;
  if (const Node* segments = node.find("segments")) {
    for (const Node& segment : segments->items) parts.push_back(&segment);
  } else {
    parts.push_back(&node);
  }
  std::vector<Quantity> given(1);
  if (const Node* from = node.find("from")) given[0] = read_quantity(*from);
  for (const Node* part : parts) {
    const Node* goal = part->find(part->find("to") ? "to" : "by");
    if (goal == nullptr || part->find("duration") == nullptr) {
      wrong_shape(*part, "a manoeuvre with to or by, and duration");
    }
    given.push_back(read_quantity(*goal));
  }
  TimeFunction result;
  const std::vector<double> numbers = in_si(node, given, result.dimension);
  std::vector<Manoeuvre> sequence;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Node& part = *parts[k];
    Manoeuvre m;
    m.profile = profile_of((part.find("profile") ? part : node).text_of("profile"));
    m.from = k == 0 ? numbers[0] : sequence.back().to;
    m.to = part.find("to") ? numbers[k + 1] : m.from + numbers[k + 1];
    m.start = k == 0 ? 0.0 : sequence.back().end();
    if (const Node* start = part.find("start")) {
      m.start = time_in_si(read_quantity(*start), *start);
    }
    const Node& duration = *part.find("duration");
    m.duration = time_in_si(read_quantity(duration), duration);
    m.ramp = ramp_of(part, node, m, result.dimension);
    sequence.push_back(m);
  }
  result.function = manoeuvres(std::move(sequence));
  return result;
}

}  // namespace

TimeFunction read_function(const Node& node) {
  return located(node, [&]() -> TimeFunction {
    if (node.is_scalar()) return scalar_function(node);
    if (!node.is_mapping()) wrong_shape(node, "a function of time");
    if (node.find("signal") != nullptr) return {{}, {}, node.text_of("signal")};
    if (node.find("expression") != nullptr) return expression_function(node);
    if (node.find("profile") != nullptr) return profile_function(node);
    return node.find("csv") != nullptr ? csv_function(node) : table_function(node);
  });
}

}  // namespace grapple::scenario
