#include "grapple/geometry/solid/shape.h"

#include <array>

namespace grapple::geometry {

std::string_view shape_name(const Shape& shape) {
  constexpr std::array<std::string_view, std::variant_size_v<Shape>> kNames = {
      "sphere", "half-space", "box",   "capsule",       "cylinder", "bar",
      "bore",   "cone",       "spike", "funnel",        "torus",    "ellipsoid",
      "edge",   "polyhedron", "mesh",  "solid of cells"};
  return kNames[shape.index()];
}

std::shared_ptr<const Polyhedron> polyhedron_of(const Shape& shape) {
  if (const auto* convex = std::get_if<Convex>(&shape)) return convex->solid;
  const auto* box = std::get_if<Box>(&shape);
  if (box == nullptr) return nullptr;
  return std::make_shared<const Polyhedron>(box_polyhedron(box->half_edges));
}

std::vector<Cell> parts_of(const Shape& shape) {
  if (const auto* cells = std::get_if<Cells>(&shape)) return *cells->parts;
  return {{shape, {}}};
}

}  // namespace grapple::geometry
