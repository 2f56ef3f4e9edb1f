#include "grapple/geometry/solid/internal/face_planes.h"

#include <algorithm>
#include <cmath>

namespace grapple::geometry {

namespace {

using spatial::Vec3;

FacePlanes planes_of(const Polyhedron& solid) {
  FacePlanes planes;
  planes.corners = solid.corners;
  planes.size = half_width(solid);
  for (const Vec3& c : solid.corners)
    planes.center += c / static_cast<double>(solid.corners.size());
  for (const std::vector<int>& face : solid.faces) {
    const auto number = [&](std::size_t k) {
      return static_cast<std::size_t>(face[k % face.size()]);
    };
    const Vec3 &a = solid.corners[number(0)], &b = solid.corners[number(1)],
               &c = solid.corners[number(2)];
    planes.normals.push_back((b - a).cross(c - a).normalized());
    planes.levels.push_back(planes.normals.back().dot(a));
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::pair edge(std::min(number(k), number(k + 1)), std::max(number(k), number(k + 1)));
      if (std::find(planes.edges.begin(), planes.edges.end(), edge) == planes.edges.end()) {
        planes.edges.push_back(edge);
      }
    }
  }
  return planes;
}

}  // namespace

std::optional<FacePlanes> face_planes(const Shape& shape) {
  FacePlanes planes;
  planes.size = std::numeric_limits<double>::infinity();
  if (std::holds_alternative<HalfSpace>(shape)) {
    planes.normals = {Vec3::UnitZ()};
    planes.levels = {0.0};
    return planes;
  }
  if (const auto* edge = std::get_if<Edge>(&shape)) {
    const double c = std::cos(edge->half_angle), s = std::sin(edge->half_angle);
    planes.normals = {Vec3(0.0, c, s), Vec3(0.0, -c, s)};
    planes.levels = {0.0, 0.0};
    planes.endless_edge = true;
    return planes;
  }
  const auto solid = polyhedron_of(shape);
  if (solid == nullptr) return std::nullopt;
  return planes_of(*solid);
}

}  // namespace grapple::geometry
