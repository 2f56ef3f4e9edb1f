#include "grapple/geometry/overlap/internal/torus_on_polyhedron.h"

#include <algorithm>
#include <optional>

#include "grapple/geometry/overlap/internal/ring_volume.h"
#include "grapple/geometry/overlap/internal/round_volume.h"
#include "grapple/geometry/solid/internal/face_planes.h"
#include "grapple/geometry/solid/internal/round_solid.h"
#include "grapple/spatial/rotation.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;
using QueryPointer = std::shared_ptr<const VolumeQuery>;

class TorusOnPolyhedron final : public VolumeQueryOf<TorusOnPolyhedron> {
 public:
  TorusOnPolyhedron(const Shape& torus, FacePlanes planes, QueryPointer any_pose)
      : torus_(torus),
        planes_(std::move(planes)),
        any_pose_(std::move(any_pose)),
        on_plane_(make_round_volume(torus, HalfSpace{})) {
    for (const Vec3& normal : planes_.normals) face_axes_.push_back(spatial::frame_with_z(normal));
  }

  // a: the polyhedron, b: the torus.
  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const std::optional<std::size_t> face = only_face(a, b);
    if (!face) return (*any_pose_)(a, b);
    const Mat3T<T> R = a.R_WS * face_axes_[*face].cast<T>();
    const Vec3 on_face = planes_.levels[*face] * planes_.normals[*face];
    const Vec3T<T> p = a.p_WS + a.R_WS * on_face.cast<T>();
    Overlap<T> o = (*on_plane_)(b, {R, p});
    o.normal_W = -o.normal_W;
    o.nearest_W += o.gap * o.normal_W;
    return o;
  }
  double size() const override { return any_pose_->size(); }
  bool has_potential() const override { return false; }
  double gap(const Placement<double>& a, const Placement<double>& b) const override {
    return only_face(a, b) ? find<double>(a, b).gap : any_pose_->gap(a, b);
  }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    return any_pose_->gap_at_least(a, b);
  }

 private:
  // The face that alone has a part of the torus outside; if all of it is outside, the foot of its
  // nearest point on that face must lie on the polyhedron, too.
  template <class T>
  std::optional<std::size_t> only_face(const Placement<T>& a, const Placement<T>& b) const {
    const auto value = [](const T& x) { return value_of(x); };
    const Mat3 R_BA = b.R_WS.unaryExpr(value).transpose() * a.R_WS.unaryExpr(value);
    const Vec3 p_BA = b.R_WS.unaryExpr(value).transpose() *
                      (a.p_WS.unaryExpr(value) - b.p_WS.unaryExpr(value)).eval();
    const SeenPlanes<double> seen(planes_, R_BA, p_BA);
    const auto height = [&](std::size_t k, double side) {  // of the torus over a face
      const Vec3& n = seen.normals[k];
      return n.dot(torus_.farthest<double>(side * n)) - seen.levels[k];
    };
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < seen.count; ++k) {
      if (height(k, 1.0) <= 0.0) continue;
      if (found) return std::nullopt;
      found = k;
    }
    if (!found) return std::nullopt;
    const double gap = std::max(0.0, height(*found, -1.0));
    for (std::size_t k = 0; k < seen.count; ++k) {
      const double outward = -seen.normals[k].dot(seen.normals[*found]) * gap;
      if (k != *found && height(k, 1.0) + outward > 0.0) return std::nullopt;
    }
    return found;
  }

  RoundSolid torus_;
  FacePlanes planes_;
  std::vector<Mat3> face_axes_;
  QueryPointer any_pose_, on_plane_;
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_torus_on_polyhedron(const Shape& a, const Shape& b) {
  if (!std::holds_alternative<Torus>(b)) return nullptr;
  std::optional<FacePlanes> planes = face_planes(a);
  if (!planes || planes->corners.empty()) return nullptr;
  QueryPointer any_pose = make_ring_volume(a, b);
  if (any_pose == nullptr) return nullptr;
  return std::make_shared<TorusOnPolyhedron>(b, std::move(*planes), std::move(any_pose));
}

}  // namespace grapple::geometry
