#include "grapple/geometry/overlap/internal/round_mesh_volume.h"

#include <algorithm>
#include <cmath>

#include "grapple/geometry/overlap/internal/mesh_volume.h"
#include "grapple/geometry/overlap/internal/round_share.h"
#include "grapple/geometry/solid/convex_hull.h"
#include "grapple/geometry/solid/internal/box_tree.h"
#include "grapple/geometry/touch/internal/convex_distance.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

// From the point `apex` to a triangle.
struct SignedTetrahedron {
  FacePlanes planes;
  double sign = 1.0;

  SignedTetrahedron(const Vec3& apex, const std::array<Vec3, 3>& t) {
    const double volume = (t[0] - apex).dot((t[1] - apex).cross(t[2] - apex));
    sign = volume < 0.0 ? -1.0 : 1.0;
    planes.corners = {apex, t[0], t[1], t[2]};
    planes.edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (const auto& [a, b, c] :
         {std::array<std::size_t, 3>{1, 2, 3}, {0, 2, 1}, {0, 3, 2}, {0, 1, 3}}) {
      const Vec3 n =
          sign *
          (planes.corners[b] - planes.corners[a]).cross(planes.corners[c] - planes.corners[a]);
      planes.normals.push_back(n.normalized());
      planes.levels.push_back(planes.normals.back().dot(planes.corners[a]));
    }
  }
};

class RoundMeshVolume final : public VolumeQueryOf<RoundMeshVolume> {
 public:
  RoundMeshVolume(RoundSolid solid, const TriangleMesh& mesh) : solid_(std::move(solid)) {
    center_ = centroid_of(faces_of(mesh));
    std::vector<AxisBox> cones, flat;
    double size = 0.0;
    for (const Vec3& c : mesh.corners) size = std::max(size, (c - center_).norm());
    reach_ = size;
    for (const auto& triangle : mesh.triangles) {
      std::array<Vec3, 3> t;
      AxisBox box;
      for (std::size_t k = 0; k < 3; ++k) {
        t[k] = mesh.corners[static_cast<std::size_t>(triangle[k])];
        box.hold(t[k]);
      }
      triangles_.push_back(t);
      flat.push_back(box);
      // Flat ones, whose plane goes through the centre, share nothing.
      const double height =
          std::abs((t[1] - t[0]).cross(t[2] - t[0]).normalized().dot(t[0] - center_));
      if (!(height > 1e-12 * reach_)) continue;
      box.hold(center_);
      cones.push_back(box);
      parts_.emplace_back(center_, t);
    }
    part_tree_ = BoxTree(cones);
    triangle_tree_ = BoxTree(flat);
  }

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Mat3T<T> R = a.R_WS.transpose() * b.R_WS;  // from the mesh to the round solid
    const Vec3T<T> p = a.R_WS.transpose() * Vec3T<T>(b.p_WS - a.p_WS);
    Overlap<T> o;
    if (!fill_volume(R, p, a, o)) distance(R, p, a, b, o);
    return o;
  }
  double size() const override { return std::min(solid_.size(), 0.5 * reach_); }
  bool has_potential() const override { return false; }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    return (b.p_WS + b.R_WS * center_ - a.p_WS).norm() - reach_ - solid_.reach();
  }

 private:
  template <class T>
  bool fill_volume(const Mat3T<T>& R, const Vec3T<T>& p, const Placement<T>& a,
                   Overlap<T>& o) const {
    VolumeMoments<T> sum;
    Vec3T<T> area = Vec3T<T>::Zero();
    part_tree_.for_each_meeting(box_of_solid(R, p), [&](std::uint32_t k) {
      const SeenPlanes<T> seen(parts_[k].planes, R, p);
      if (misses(seen)) return;
      const RoundShare<T> share = round_share(solid_, seen);
      const T sign(parts_[k].sign);
      sum.volume += sign * share.moments.volume;
      sum.first += sign * share.moments.first;
      sum.second += sign * share.moments.second;
      area += sign * share.area;
      o.error += share.error;
    });
    const T square = area.squaredNorm();
    // Whatever is left of nothing is less than the bound.
    if (!(value_of(sum.volume) > o.error)) return false;
    const T size = root_of(square);
    // Pushed to no side: on the mean deeper than the mesh is large.
    if (!(size * T(reach_) > sum.volume)) return false;
    o.volume = sum.volume;
    o.gap = -o.volume / size;
    o.normal_W = a.R_WS * Vec3T<T>(-area / size);
    o.centroid_W = a.p_WS + a.R_WS * sum.centroid();
    o.inertia_W = a.R_WS * sum.inertia() * a.R_WS.transpose();
    o.nearest_W = o.centroid_W;
    return true;
  }

  // Of the round solid, in the axes of the mesh.
  template <class T>
  AxisBox box_of_solid(const Mat3T<T>& R, const Vec3T<T>& p) const {
    const auto value = [](const T& x) { return value_of(x); };
    const Mat3 turn = R.unaryExpr(value);
    const Vec3 shift = p.unaryExpr(value);
    AxisBox box;
    for (int k = 0; k < 3; ++k) {
      const Vec3 along = turn.col(k);  // an axis of the mesh, seen from the solid
      box.low[k] = along.dot(solid_.farthest<double>(-along) - shift);
      box.high[k] = along.dot(solid_.farthest<double>(along) - shift);
    }
    return box;
  }

  // Whether a plane of the tetrahedron has all of the solid in front.
  template <class T>
  bool misses(const SeenPlanes<T>& seen) const {
    for (std::size_t k = 0; k < seen.count; ++k) {
      const Vec3 n = seen.normals[k].unaryExpr([](const T& x) { return value_of(x); });
      if (n.dot(solid_.farthest<double>(-n)) > value_of(seen.levels[k])) return true;
    }
    return false;
  }

  // Its derivative is that of the nearest points as they are fixed in their bodies.
  template <class T>
  void distance(const Mat3T<T>& R, const Vec3T<T>& p, const Placement<T>& a, const Placement<T>& b,
                Overlap<T>& o) const {
    const auto value = [](const T& x) { return value_of(x); };
    const Mat3 turn = R.unaryExpr(value);
    const Vec3 shift = p.unaryExpr(value);
    double least = std::numeric_limits<double>::infinity();
    ConvexClosest best;
    const auto far_a = [&](const Vec3& d) -> Vec3 {  // in the axes of the mesh
      return turn.transpose() * (solid_.farthest<double>((turn * d).normalized()) - shift);
    };
    const Vec3 middle = turn.transpose() * -shift;
    triangle_tree_.for_each_nearer(
        box_of_solid(R, p), [&] { return least; },
        [&](std::uint32_t k) {
          const auto far_b = [&](const Vec3& d) -> Vec3 {
            const std::array<Vec3, 3>& t = triangles_[k];
            const std::array<double, 3> up = {d.dot(t[0]), d.dot(t[1]), d.dot(t[2])};
            return t[static_cast<std::size_t>(std::max_element(up.begin(), up.end()) - up.begin())];
          };
          const ConvexClosest near =
              closest_points(far_a, far_b, middle - triangles_[k][0], solid_.reach() + reach_);
          const double gap = near.apart ? near.distance : 0.0;
          if (gap < least) least = gap, best = near;
        });
    if (!(least > 0.0)) return;  // touching to rounding: gap 0
    const Vec3 on_A = turn * best.a + shift;
    o.nearest_W = a.p_WS + a.R_WS * on_A.cast<T>();
    o.normal_W = b.R_WS * best.normal.cast<T>();
    o.gap = o.normal_W.dot(Vec3T<T>(o.nearest_W - b.p_WS - b.R_WS * best.b.cast<T>()));
  }

  RoundSolid solid_;
  std::vector<SignedTetrahedron> parts_;
  std::vector<std::array<Vec3, 3>> triangles_;
  BoxTree part_tree_, triangle_tree_;
  Vec3 center_ = Vec3::Zero();
  double reach_ = 0.0;
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_round_mesh_volume(const Shape& a, const Mesh& b) {
  RoundSolid solid(a);
  if (!solid.known() || !solid.hole().empty()) return nullptr;
  return std::make_shared<RoundMeshVolume>(std::move(solid), *b.surface);
}

}  // namespace grapple::geometry
