#include "grapple/record/internal/scene_geometry.h"

#include <fmt/format.h>

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/geometry/solid/thinned_mesh.h"

namespace grapple::record {

namespace {

using nlohmann::ordered_json;
using spatial::Vec3;

// Six digits of the largest coordinate: enough to draw, and short as text.
class Rounding {
 public:
  explicit Rounding(const std::vector<Vec3>& corners) {
    double largest = 0.0;
    for (const Vec3& corner : corners) largest = std::max(largest, corner.cwiseAbs().maxCoeff());
    digits_ = largest > 0.0 ? std::pow(10.0, 6.0 - std::ceil(std::log10(largest))) : 1.0;
  }
  double operator()(double x) const { return std::round(x * digits_) / digits_; }

 private:
  double digits_ = 1.0;
};

ordered_json corners_json(const std::vector<Vec3>& corners) {
  const Rounding rounded(corners);
  ordered_json numbers = ordered_json::array();
  for (const Vec3& corner : corners) {
    for (int k = 0; k < 3; ++k) numbers.push_back(rounded(corner[k]));
  }
  return numbers;
}

ordered_json polyhedron_json(const geometry::Polyhedron& solid) {
  ordered_json triangles = ordered_json::array();
  for (const std::vector<int>& face : solid.faces) {
    for (std::size_t k = 2; k < face.size(); ++k) {
      for (const int corner : {face[0], face[k - 1], face[k]}) triangles.push_back(corner);
    }
  }
  return {{"kind", "polyhedron"},
          {"corners", corners_json(solid.corners)},
          {"triangles", std::move(triangles)}};
}

ordered_json mesh_json(const geometry::TriangleMesh& mesh) {
  const geometry::TriangleMesh drawn = geometry::thinned(mesh, kMostDrawnTriangles);
  ordered_json triangles = ordered_json::array();
  for (const auto& triangle : drawn.triangles) {
    for (const int corner : triangle) triangles.push_back(corner);
  }
  ordered_json json{{"kind", "mesh"},
                    {"corners", corners_json(drawn.corners)},
                    {"triangles", std::move(triangles)}};
  if (drawn.triangles.size() < mesh.triangles.size()) {
    json["note"] =
        fmt::format("drawn with {} of {} triangles", drawn.triangles.size(), mesh.triangles.size());
  }
  return json;
}

struct GeometryWriter {
  ordered_json operator()(const geometry::Sphere& s) const {
    return {{"kind", "sphere"}, {"radius", s.radius}};
  }
  ordered_json operator()(const geometry::HalfSpace&) const { return {{"kind", "half-space"}}; }
  ordered_json operator()(const geometry::Box& s) const {
    return {{"kind", "box"},
            {"size", array_of(2.0 * s.half_edges)},
            {"corner_radius", s.corner_radius}};
  }
  ordered_json operator()(const geometry::Capsule& s) const {
    return {{"kind", "capsule"}, {"radius", s.radius}, {"length", 2.0 * s.half_length}};
  }
  ordered_json operator()(const geometry::Cylinder& s) const {
    return {{"kind", "cylinder"}, {"radius", s.radius}, {"length", 2.0 * s.half_length}};
  }
  ordered_json operator()(const geometry::Bar& s) const {
    return {{"kind", "bar"}, {"radius", s.radius}};
  }
  ordered_json operator()(const geometry::Bore& s) const {
    return {{"kind", "bore"}, {"radius", s.radius}};
  }
  ordered_json operator()(const geometry::Cone& s) const {
    return {{"kind", "cone"}, {"radius", s.radius}, {"length", s.length}};
  }
  ordered_json operator()(const geometry::Spike& s) const {
    return {{"kind", "spike"}, {"half_angle", s.half_angle}};
  }
  ordered_json operator()(const geometry::Funnel& s) const {
    return {{"kind", "funnel"}, {"half_angle", s.half_angle}};
  }
  ordered_json operator()(const geometry::Torus& s) const {
    return {{"kind", "torus"}, {"radius", s.ring_radius}, {"tube", s.tube_radius}};
  }
  ordered_json operator()(const geometry::Ellipsoid& s) const {
    return {{"kind", "ellipsoid"}, {"half_axes", array_of(s.half_axes)}};
  }
  ordered_json operator()(const geometry::Edge& s) const {
    return {{"kind", "edge"}, {"half_angle", s.half_angle}};
  }
  ordered_json operator()(const geometry::Convex& s) const { return polyhedron_json(*s.solid); }
  ordered_json operator()(const geometry::Mesh& s) const { return mesh_json(*s.surface); }
  ordered_json operator()(const geometry::Cells&) const {
    GRAPPLE_ASSERT(false);  // its parts are shapes of their own here
    return {};
  }
};

}  // namespace

ordered_json geometry_json(const geometry::Shape& shape) {
  return std::visit(GeometryWriter{}, shape);
}

}  // namespace grapple::record
