#include "grapple/geometry/solid/triangle_mesh.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "grapple/base/error.h"
#include "grapple/geometry/solid/internal/mesh_crossing.h"

namespace grapple::geometry {

namespace {

using spatial::Vec3;

using Directed = std::pair<int, int>;

std::map<Directed, int> edges_of(const TriangleMesh& mesh) {
  std::map<Directed, int> uses;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) ++uses[{t[k], t[(k + 1) % 3]}];
  }
  return uses;
}

/// A corner written twice with digits that differ leaves a gap nobody sees: says so if the corner
/// has such a neighbour.
std::string hint_at_gap(const TriangleMesh& mesh, const Vec3& corner) {
  constexpr double kSameToTheEye = 1e-4;  // of the mesh
  double size = 0.0, nearest = std::numeric_limits<double>::infinity();
  for (const Vec3& other : mesh.corners) {
    const double distance = (other - corner).norm();
    size = std::max(size, distance);
    if (distance > 0.0) nearest = std::min(nearest, distance);
  }
  if (nearest > kSameToTheEye * size) return "";
  return fmt::format(
      "; another corner is only {:.2g} m away: corners that should coincide must be written with "
      "the same digits (export with more of them, or merge corners by distance)",
      nearest);
}

}  // namespace

double volume_of(const TriangleMesh& mesh) {
  double six_volumes = 0.0;
  const auto at = [&](int k) -> const Vec3& { return mesh.corners[static_cast<std::size_t>(k)]; };
  const Vec3& origin = mesh.corners.front();
  for (const auto& [a, b, c] : mesh.triangles) {
    six_volumes += (at(a) - origin).dot((at(b) - origin).cross(at(c) - origin));
  }
  return six_volumes / 6.0;
}

bool is_convex(const TriangleMesh& mesh) {
  const auto at = [&](int k) -> const Vec3& { return mesh.corners[static_cast<std::size_t>(k)]; };
  double size = 0.0;
  for (const Vec3& c : mesh.corners) size = std::max(size, (c - mesh.corners.front()).norm());
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 normal = (at(b) - at(a)).cross(at(c) - at(a)).normalized();
    for (const Vec3& corner : mesh.corners) {
      if (normal.dot(corner - at(a)) > 1e-9 * size) return false;
    }
  }
  return true;
}

void check_closed(const TriangleMesh& mesh, const std::string& where) {
  const std::map<Directed, int> uses = edges_of(mesh);
  std::size_t open = 0, turned = 0;
  Vec3 at = Vec3::Zero();
  for (const auto& [edge, count] : uses) {
    const auto back = uses.find({edge.second, edge.first});
    const int opposite = back == uses.end() ? 0 : back->second;
    if (count == 1 && opposite == 1) continue;
    (count == 2 && opposite == 0 ? turned : open) += 1;
    at = mesh.corners[static_cast<std::size_t>(edge.first)];
  }
  const std::string place = fmt::format("[{:g}, {:g}, {:g}] m", at.x(), at.y(), at.z());
  if (open > 0) {
    throw Error(
        "GR-422", where,
        fmt::format("the mesh is open: {} of its edges have no second triangle, or too many, "
                    "one at {}; close the holes in the program it comes from{}",
                    open, place, hint_at_gap(mesh, at)));
  }
  if (turned > 0) {
    throw Error(
        "GR-423", where,
        fmt::format("{} edges of the mesh lie between triangles that look to opposite sides, "
                    "one at {}; make the normals consistent",
                    turned, place));
  }
  double size = 0.0;
  for (const Vec3& c : mesh.corners) size = std::max(size, (c - mesh.corners.front()).norm());
  const double volume = volume_of(mesh);
  if (!std::isfinite(volume) || !std::isfinite(size * size * size)) {
    throw Error("GR-424", where, "the mesh is so large that its volume is no number");
  }
  if (std::abs(volume) < 1e-12 * size * size * size) {
    throw Error("GR-424", where, "the mesh encloses no volume");
  }
  if (volume < 0.0) {
    throw Error("GR-423", where, "the triangles of the mesh look inwards; turn their order round");
  }
  if (const std::optional<MeshCrossing> crossing = find_crossing(mesh)) {
    const Vec3& c = crossing->at;
    throw Error(
        "GR-425", where,
        fmt::format("the mesh crosses itself at [{:g}, {:g}, {:g}] m, where its triangles {} "
                    "and {} meet: volumes there would count twice; unite its parts in the "
                    "program it comes from, or give them as cells",
                    c.x(), c.y(), c.z(), crossing->one + 1, crossing->two + 1));
  }
}

}  // namespace grapple::geometry
