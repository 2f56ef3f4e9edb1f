// Many bodies: copies of one, and groups of shapes that may touch.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

std::shared_ptr<const Object> copies() {
  return make(
      {"copies",
       "A grid of equal bodies. Copy 1 is where the body is; x runs fastest.",
       {field("grid", {numbers(3, 3, {dimension::kNone}, {.low = 1.0})},
              "How many along the world's x, y and z.", "[10, 10, 10]")
            .required(),
        field("spacing", {numbers(3, 3, {dimension::kLength}, kNonNegative)},
              "Distance of neighbours along x, y and z.", "[22, 22, 22] mm")
            .required(),
        field("jitter", {number(dimension::kLength, kNonNegative)},
              "Each copy is displaced at random by up to this much along each axis.", "0.5 mm"),
        field("speed", {number(dimension::kSpeed, kNonNegative)},
              "Each copy gets a random velocity of up to this much along each axis.", "0.1 m/s"),
        field("seed", {integer({.low = 0.0, .high = 1e15})},
              "Start of the random numbers: the same seed gives the same bodies.", "7")
            .defaults("1")},
       {},
       ""});
}

std::shared_ptr<const Object> contact_group() {
  Object group{
      "contact group",
      "Shapes that may all touch each other and given walls, by point contact. Only near pairs are "
      "evaluated, so that the cost grows with the number of bodies, not of pairs.",
      {field("name", {of(Kind::kName)}, "Name of the group.", "grains").required(),
       field("members", {list(1, 1'000'000, {of(Kind::kString)})},
             "The shapes, by name or pattern: * stands for any characters but '/'.",
             "[\"grain.*/skin\"]")
           .required(),
       field("walls", {list(1, 1000, {reference({"shapes"})})},
             "Shapes the members may touch, but that do not touch each other.", "[floor, west]"),
       field("most_near", {integer({.low = 1.0, .high = 1e8})},
             "How many pairs may be near each other at once; left out: eight for each member, and "
             "every member on every moving wall.",
             "20000")},
      {},
      ""};
  // The laws are those of a contact between two.
  const std::shared_ptr<const Object> pair = contact();
  for (const char* key : {"stiffness", "exponent", "restitution", "restitution_slope", "damping",
                          "slow_impact", "relaxation", "switch", "friction"}) {
    group.fields.push_back(*pair->find(key, ""));
  }
  group.rules = {{Rule::Kind::kNeedsOneOf, {"restitution_slope", "restitution"}, {}}};
  return make(std::move(group));
}

}  // namespace grapple::scenario::language
