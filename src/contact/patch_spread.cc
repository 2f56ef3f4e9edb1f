#include "grapple/contact/patch_spread.h"

#include <variant>

namespace grapple::contact {

namespace {

using Kind = PatchOutline::Kind;

template <class Solid>
bool is(const geometry::Shape& shape) {
  return std::holds_alternative<Solid>(shape);
}

bool is_flat(const geometry::Shape& shape) {
  return is<geometry::HalfSpace>(shape) || is<geometry::Box>(shape) ||
         is<geometry::Convex>(shape) || is<geometry::Mesh>(shape);
}

double eighth_of_volume(const geometry::Box& box) { return box.half_edges.prod(); }

}  // namespace

PatchOutline outline_of(const geometry::Shape& a, const geometry::Shape& b) {
  const auto* box_a = std::get_if<geometry::Box>(&a);
  const auto* box_b = std::get_if<geometry::Box>(&b);
  if (box_a != nullptr && box_b != nullptr) {
    return {Kind::kBox, eighth_of_volume(*box_a) <= eighth_of_volume(*box_b)
                            ? PatchOutline::Side::kA
                            : PatchOutline::Side::kB};
  }
  const auto rolls = [](const geometry::Shape& shape) {
    return is<geometry::Cylinder>(shape) || is<geometry::Capsule>(shape);
  };
  if (rolls(a) && is_flat(b)) return {Kind::kCylinder, PatchOutline::Side::kA};
  if (rolls(b) && is_flat(a)) return {Kind::kCylinder, PatchOutline::Side::kB};
  if (box_a != nullptr && is_flat(b)) return {Kind::kBox, PatchOutline::Side::kA};
  if (box_b != nullptr && is_flat(a)) return {Kind::kBox, PatchOutline::Side::kB};
  return {};
}

}  // namespace grapple::contact
