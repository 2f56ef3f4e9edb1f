// Values of the scenario language out of nodes. Each reader throws Error with the node's mark:
// GR-12x and GR-13x from base, GR-137 (a table in a file), GR-203 (another shape is needed), GR-204
// (units that do not agree), GR-212 (not a place). Ranges and dimensions are the schema's affair
// (check.h).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "grapple/base/function.h"
#include "grapple/base/units.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// A function of time in SI; without a dimension it was written in bare SI numbers.
struct TimeFunction {
  Function function;
  std::optional<Dimension> dimension;
  std::string signal = {};  ///< that stands in its place; empty: none
};

/// "link1/tip at [1, 0, 0] m".
struct Place {
  std::string body;                ///< or the name of a top-level frame, or "world"
  std::string frame;               ///< after the slash; may be empty
  std::array<double, 3> offset{};  ///< [m], in the axes of the body or frame
};

Quantity read_quantity(const Node& node);
/// A list of scalars, or the text "[1, 0, 0] m" (the unit holds for the bare numbers in it).
std::vector<Quantity> read_numbers(const Node& node);
/// A number, an expression in t, or a mapping as in function_object(). Hz becomes rad/s: the only
/// functions of dimension 1/s are rates of turning.
TimeFunction read_function(const Node& node);
Place read_place(const Node& node);

/// Whether a scalar looks like "[...] unit".
bool is_bracketed(const Node& node);

}  // namespace grapple::scenario
