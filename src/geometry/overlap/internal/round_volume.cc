#include "grapple/geometry/overlap/internal/round_volume.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/geometry/overlap/internal/round_share.h"
#include "grapple/geometry/solid/internal/face_planes.h"
#include "grapple/geometry/solid/internal/round_solid.h"
#include "grapple/geometry/touch/internal/convex_distance.h"
#include "grapple/geometry/touch/internal/edge_distance.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

class RoundVolume final : public VolumeQueryOf<RoundVolume> {
 public:
  RoundVolume(RoundSolid solid, FacePlanes planes, double edge_half_angle)
      : solid_(std::move(solid)), planes_(std::move(planes)), edge_(edge_half_angle) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o;
    const Mat3T<T> R_AB = a.R_WS.transpose() * b.R_WS;
    const Vec3T<T> p_AB = a.R_WS.transpose() * Vec3T<T>(b.p_WS - a.p_WS);
    const SeenPlanes<T> seen(planes_, R_AB, p_AB);
    if (!(farthest_gap(seen) > 0.0)) fill_volume(seen, a, o);
    if (planes_.is_half_space()) {
      half_space_gap(seen, a, o);
    } else if (planes_.endless_edge) {
      edge_gap(a, b, o);
    } else if (o.volume > T(0)) {
      depth_along_normal(seen, a, o);
    } else {
      distance(a, b, o);
    }
    return o;
  }
  double size() const override { return std::min(solid_.size(), planes_.size); }
  bool has_potential() const override { return planes_.is_half_space(); }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const Mat3 R_AB = a.R_WS.transpose() * b.R_WS;
    const Vec3 p_AB = a.R_WS.transpose() * (b.p_WS - a.p_WS);
    return farthest_gap(SeenPlanes<double>(planes_, R_AB, p_AB));
  }

 private:
  // The largest distance of the round solid from a plane that has all of it in front.
  template <class T>
  double farthest_gap(const SeenPlanes<T>& seen) const {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < seen.count; ++k) {
      const Vec3 n = seen.normals[k].unaryExpr([](const T& x) { return value_of(x); });
      most = std::max(most, n.dot(solid_.farthest<double>(-n)) - value_of(seen.levels[k]));
    }
    return most;
  }

  template <class T>
  void fill_volume(const SeenPlanes<T>& seen, const Placement<T>& a, Overlap<T>& o) const {
    const RoundShare<T> share = round_share(solid_, seen);
    const T volume = share.moments.volume;
    const bool sunken = !share.has_area;  // no face inside it
    if (!(volume > T(0)) || (sunken && !planes_.is_half_space())) return;
    o.volume = volume;
    o.centroid_W = a.p_WS + a.R_WS * share.moments.centroid();
    o.inertia_W = a.R_WS * share.moments.inertia() * a.R_WS.transpose();
    if (!sunken) o.normal_W = a.R_WS * Vec3T<T>(-share.area / root_of(T(share.area.squaredNorm())));
    o.error = share.error;
  }

  template <class T>
  void half_space_gap(const SeenPlanes<T>& seen, const Placement<T>& a, Overlap<T>& o) const {
    const Vec3T<T>& n = seen.normals[0];
    const Vec3T<T> lowest = solid_.farthest<T>(-n);
    o.gap = n.dot(lowest) - seen.levels[0];
    o.normal_W = a.R_WS * n;
    o.nearest_W = a.p_WS + a.R_WS * lowest;
    if (!(o.volume > T(0))) return;
    const T center = n.dot(Vec3T<T>(a.R_WS.transpose() * (o.centroid_W - a.p_WS)));
    o.potential = o.volume * (seen.levels[0] - center);
  }

  // Of a ball; the normal of the volume stays as it is.
  template <class T>
  void edge_gap(const Placement<T>& a, const Placement<T>& b, Overlap<T>& o) const {
    const auto near =
        edge_distance<T>(edge_, Vec3T<T>(b.R_WS.transpose() * Vec3T<T>(a.p_WS - b.p_WS)));
    const Vec3T<T> n = b.R_WS * near.normal;
    o.gap = near.distance - T(solid_.reach());
    o.nearest_W = a.p_WS - T(solid_.reach()) * n;
    if (!(o.volume > T(0))) o.normal_W = n;
  }

  template <class T>
  void depth_along_normal(const SeenPlanes<T>& seen, const Placement<T>& a, Overlap<T>& o) const {
    const Vec3T<T> n = a.R_WS.transpose() * o.normal_W, lowest = solid_.farthest<T>(-n);
    o.nearest_W = a.p_WS + a.R_WS * lowest;
    o.gap = n.dot(lowest) - seen.farthest_along(n);
  }

  // Apart: the derivative of the distance is that of n . (a - b) between the nearest points as
  // they are fixed in their bodies.
  template <class T>
  void distance(const Placement<T>& a, const Placement<T>& b, Overlap<T>& o) const {
    const auto value = [](const T& x) { return value_of(x); };
    const Mat3 R_a = a.R_WS.unaryExpr(value), R_b = b.R_WS.unaryExpr(value);
    const Vec3 p_a = a.p_WS.unaryExpr(value), p_b = b.p_WS.unaryExpr(value);
    const Vec3 between = p_a - p_b - R_b * planes_.center;
    const auto far_a = [&](const Vec3& d) -> Vec3 {
      return between + R_a * solid_.farthest<double>((R_a.transpose() * d).normalized());
    };
    const auto far_b = [&](const Vec3& d) -> Vec3 {
      return R_b * (planes_.farthest(R_b.transpose() * d) - planes_.center);
    };
    const ConvexClosest near = closest_points(far_a, far_b, between, solid_.reach());
    if (!near.apart) return;  // touching to rounding: gap 0
    const Vec3 p_A = R_a.transpose() * (near.a - between);
    const Vec3 p_B = R_b.transpose() * near.b + planes_.center;
    o.nearest_W = a.p_WS + a.R_WS * p_A.cast<T>();
    o.normal_W = near.normal.cast<T>();
    o.gap = o.normal_W.dot(Vec3T<T>(o.nearest_W - b.p_WS - b.R_WS * p_B.cast<T>()));
  }

  RoundSolid solid_;
  FacePlanes planes_;
  double edge_;  // half its angle, if the planes are those of an edge
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_round_volume(const Shape& a, const Shape& b) {
  RoundSolid solid(a);
  std::optional<FacePlanes> planes = face_planes(b);
  if (!solid.known() || !planes) return nullptr;
  if (!solid.hole().empty() && !planes->is_half_space()) return nullptr;
  const auto* edge = std::get_if<Edge>(&b);
  if (edge != nullptr && !std::holds_alternative<Sphere>(a)) return nullptr;
  return std::make_shared<RoundVolume>(std::move(solid), std::move(*planes),
                                       edge != nullptr ? edge->half_angle : 0.0);
}

}  // namespace grapple::geometry
