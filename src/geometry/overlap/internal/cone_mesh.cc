#include "grapple/geometry/overlap/internal/cone_mesh.h"

#include <algorithm>
#include <map>

#include "grapple/geometry/solid/polyhedron.h"

namespace grapple::geometry {

namespace {

using spatial::Vec3;

Vec3 centroid_of_volume(const TriangleMesh& mesh) {
  VolumeMoments<double> moments;
  const Vec3 from = mesh.corners.front();
  const auto at = [&](int k) -> Vec3 { return mesh.corners[static_cast<std::size_t>(k)] - from; };
  for (const auto& [a, b, c] : mesh.triangles) moments.add(at(a), at(b), at(c));
  return from + moments.centroid();
}

}  // namespace

ConeMesh::ConeMesh(std::shared_ptr<const TriangleMesh> mesh)
    : mesh_(std::move(mesh)), apex_(centroid_of_volume(*mesh_)) {
  for (const Vec3& c : mesh_->corners) reach_ = std::max(reach_, (c - apex_).norm());
  // Off every plane of symmetry: faces of the other solid that lie in a side plane to rounding
  // would be cut at random.
  apex_ += 0.01 * reach_ * Vec3(0.7316, 0.4127, 0.5431);
  reach_ *= 1.01;
  std::map<std::array<int, 2>, std::size_t> numbers;
  const auto side_of = [&](int a, int b) {
    const auto [place, added] =
        numbers.try_emplace({std::min(a, b), std::max(a, b)}, sides_.size());
    if (added) {
      const auto& [low, high] = place->first;
      const Vec3 one = mesh_->corners[static_cast<std::size_t>(low)] - apex_;
      sides_.push_back(one.cross(mesh_->corners[static_cast<std::size_t>(high)] - apex_));
    }
    return place->second;
  };
  std::vector<AxisBox> boxes, cone_boxes;
  for (std::size_t k = 0; k < mesh_->triangles.size(); ++k) {
    const Vec3 &a = corner(k, 0), &b = corner(k, 1), &c = corner(k, 2);
    Cone cone;
    cone.normal = (b - a).cross(c - a).normalized();
    cone.level = cone.normal.dot(a - apex_);
    cone.sign = cone.level < 0.0 ? -1.0 : 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const int from = mesh_->triangles[k][i], to = mesh_->triangles[k][(i + 1) % 3];
      cone.sides[i] = side_of(from, to);
      cone.keeps[i] = (from < to) == (cone.sign > 0.0) ? Keep::kAboveOrOn : Keep::kBelow;
    }
    cones_.push_back(cone);
    AxisBox box;
    for (const Vec3* p : {&a, &b, &c}) box.hold(*p);
    boxes.push_back(box);
    box.hold(apex_);
    cone_boxes.push_back(box);
  }
  cone_tree_ = BoxTree(cone_boxes);
  triangle_tree_ = BoxTree(boxes);
}

}  // namespace grapple::geometry
