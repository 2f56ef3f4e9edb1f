#include "grapple/geometry/solid/internal/mesh_crossing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "grapple/geometry/solid/internal/box_tree.h"

namespace grapple::geometry {

namespace {

using spatial::Vec3;

class Crossings {
 public:
  explicit Crossings(const TriangleMesh& mesh) : mesh_(mesh) {
    AxisBox whole;
    for (const Vec3& c : mesh.corners) whole.hold(c);
    near_ = 1e-9 * (whole.high - whole.low).norm();
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
      for (std::size_t side = 0; side < 3; ++side) faces_at_[edge_of(k, side)].push_back(k);
    }
  }

  AxisBox box(std::size_t k) const {
    AxisBox box;
    for (const int c : mesh_.triangles[k]) box.hold(at(c));
    return box;
  }

  std::optional<Vec3> between(std::size_t one, std::size_t two) const {
    if (auto point = overlap_in_plane(one, two)) return point;
    if (auto point = edge_through(one, two)) return point;
    return edge_through(two, one);
  }

 private:
  using Edge = std::pair<int, int>;  // the smaller corner first
  Edge edge_of(std::size_t triangle, std::size_t side) const {
    const auto& corners = mesh_.triangles[triangle];
    return std::minmax({corners[side], corners[(side + 1) % 3]});
  }
  const Vec3& at(int corner) const { return mesh_.corners[static_cast<std::size_t>(corner)]; }
  Vec3 normal(std::size_t k) const {
    const auto& [a, b, c] = mesh_.triangles[k];
    return (at(b) - at(a)).cross(at(c) - at(a)).normalized();
  }
  Vec3 middle(std::size_t k) const {
    const auto& [a, b, c] = mesh_.triangles[k];
    return (at(a) + at(b) + at(c)) / 3.0;
  }

  // Where an edge of `edges` passes through the inside of `face`.
  std::optional<Vec3> edge_through(std::size_t edges, std::size_t face) const {
    const auto& corners = mesh_.triangles[face];
    const Vec3 n = normal(face);
    const auto is_in_face = [&](int k) {
      return std::find(corners.begin(), corners.end(), k) != corners.end();
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = mesh_.triangles[edges][k], to = mesh_.triangles[edges][(k + 1) % 3];
      if (is_in_face(from) || is_in_face(to)) continue;
      const double below = n.dot(at(from) - at(corners[0])), above = n.dot(at(to) - at(corners[0]));
      if (!(std::min(below, above) < -near_ && std::max(below, above) > near_)) continue;
      const Vec3 point = at(from) + below / (below - above) * (at(to) - at(from));
      if (depth_inside(point, corners, n) > near_) return point;
      if (goes_in_at_edge(point, at(to) - at(from), face)) return point;
    }
    return std::nullopt;
  }

  // Whether a line through a point of an edge of `face` is outside on one side and inside on the
  // other: what only grazes the edge does not cross.
  bool goes_in_at_edge(const Vec3& point, const Vec3& along, std::size_t face) const {
    for (std::size_t side = 0; side < 3; ++side) {
      const Edge edge = edge_of(face, side);
      const Vec3 &from = at(edge.first), &to = at(edge.second);
      const Vec3 direction = (to - from).normalized(), beside = point - from;
      const double way = direction.dot(beside), length = (to - from).norm();
      const bool on_it = (beside - way * direction).norm() <= near_;
      const std::vector<std::size_t>& faces = faces_at_.at(edge);
      if (!on_it || way < near_ || way > length - near_ || faces.size() != 2) continue;
      const bool one = is_inside_wedge(along, faces, edge);
      const bool other = is_inside_wedge(-along, faces, edge);
      if (one != other) return true;
    }
    return false;
  }

  // A direction from an edge: behind both faces where the solid bulges, behind one where it does
  // not.
  bool is_inside_wedge(const Vec3& direction, const std::vector<std::size_t>& faces,
                       const Edge& edge) const {
    const Vec3 n1 = normal(faces[0]), n2 = normal(faces[1]);
    const bool bulges = n1.dot(middle(faces[1]) - at(edge.first)) <= near_;
    const bool behind1 = n1.dot(direction) < 0.0, behind2 = n2.dot(direction) < 0.0;
    return bulges ? behind1 && behind2 : behind1 || behind2;
  }

  // Distance of a point in the plane of a triangle from its nearest edge, positive inside.
  double depth_inside(const Vec3& point, const std::array<int, 3>& corners, const Vec3& n) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 &from = at(corners[k]), &to = at(corners[(k + 1) % 3]);
      least = std::min(least, n.cross(to - from).normalized().dot(point - from));
    }
    return least;
  }

  // Two triangles in one plane overlap unless an edge of one has all of the other beyond it.
  std::optional<Vec3> overlap_in_plane(std::size_t one, std::size_t two) const {
    const Vec3 n = normal(one);
    if (!(n.dot(normal(two)) > 0.5)) return std::nullopt;
    const Vec3& origin = at(mesh_.triangles[one][0]);
    for (const int c : mesh_.triangles[two]) {
      if (std::abs(n.dot(at(c) - origin)) > near_) return std::nullopt;
    }
    if (edge_parts(one, two, n) || edge_parts(two, one, n)) return std::nullopt;
    return Vec3(0.5 * (middle(one) + middle(two)));
  }

  bool edge_parts(std::size_t one, std::size_t two, const Vec3& n) const {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 &from = at(mesh_.triangles[one][k]), &to = at(mesh_.triangles[one][(k + 1) % 3]);
      const Vec3 inward = n.cross(to - from).normalized();
      const auto beyond = [&](int c) { return inward.dot(at(c) - from) < near_; };
      if (std::all_of(mesh_.triangles[two].begin(), mesh_.triangles[two].end(), beyond))
        return true;
    }
    return false;
  }

  const TriangleMesh& mesh_;
  double near_ = 0.0;
  std::map<Edge, std::vector<std::size_t>> faces_at_;
};

}  // namespace

std::optional<MeshCrossing> find_crossing(const TriangleMesh& mesh) {
  const Crossings crossings(mesh);
  std::vector<AxisBox> boxes;
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) boxes.push_back(crossings.box(k));
  const BoxTree tree(boxes);
  std::optional<MeshCrossing> found;
  for (std::size_t k = 0; k < boxes.size() && !found; ++k) {
    tree.for_each_meeting(boxes[k], [&](std::uint32_t other) {
      if (found || other <= k) return;
      if (const auto point = crossings.between(k, other)) found = MeshCrossing{k, other, *point};
    });
  }
  return found;
}

}  // namespace grapple::geometry
