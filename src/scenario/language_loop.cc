// Closed kinematic loops.
#include "grapple/scenario/language.h"
#include "grapple/scenario/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

std::shared_ptr<const Object> loop() {
  Object result{
      "loop",
      "Closes a kinematic loop: the two places move against each other only as a joint of this "
      "type "
      "would let them. The axes on the second body are those of the first at the start.",
      {field("name", {of(Kind::kName)}, "Name of the loop.", "rocker").required(),
       field("type",
             {choice({"fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical",
                      "planar", "point-on-line", "point-on-plane", "distance"})},
             "What is held: as a joint; the second place on the axis, or in the plane across it, "
             "through the first; or the distance of the two.",
             "revolute")
           .required(),
       field("between", {list(2, 2, {place()})}, "The two places.",
             "[coupler at [1, 0, 0] m, world at [2, 0, 0] m]")
           .required(),
       field("axis", {choice({"x", "y", "z"}), numbers(3, 3, {dimension::kNone}, kAny)},
             "Axis in the axes of the first place: of turning or sliding; for planes their normal; "
             "for universal the first axis.",
             "z")
           .defaults("z"),
       field("axis2", {choice({"x", "y", "z"}), numbers(3, 3, {dimension::kNone}, kAny)},
             "Second axis of a universal loop, in the axes of the first place.", "y")
           .defaults("y"),
       field("length", {number(dimension::kLength, kPositive)},
             "Of a distance; left out: as at the start.", "1.2 m")},
      {},
      ""};
  return make(std::move(result));
}

}  // namespace grapple::scenario::language
