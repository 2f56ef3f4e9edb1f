#include "grapple/scenario/text/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "grapple/base/error.h"
#include "grapple/scenario/text/internal/node_faults.h"

namespace grapple::scenario {

namespace {

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
