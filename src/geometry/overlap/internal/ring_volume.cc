#include "grapple/geometry/overlap/internal/ring_volume.h"

#include <algorithm>
#include <cmath>

#include "grapple/geometry/overlap/internal/ring_distance.h"
#include "grapple/geometry/overlap/internal/ring_overlap.h"
#include "grapple/geometry/overlap/internal/ring_scan.h"
#include "grapple/geometry/touch/internal/convex_distance.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

class RingVolume final : public VolumeQueryOf<RingVolume> {
 public:
  RingVolume(RingSolid a, RingSolid b) : a_(std::move(a)), b_(std::move(b)) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const RingView<T> view{a_, b_, b.R_WS.transpose() * a.R_WS,
                           b.R_WS.transpose() * Vec3T<T>(a.p_WS - b.p_WS), Flush::kCounts};
    Overlap<T> o;
    if (both_convex() && convex_distance(view, a, b, o)) return o;
    if (fill_volume(view, a, o)) return o;
    if (!both_convex()) distance(view, a, b, o);
    return o;
  }
  double size() const override { return std::min(a_.size(), b_.size()); }
  bool has_potential() const override { return false; }
  // Where some points of A are clearly inside, their depth: events ask for its sign alone there.
  double gap(const Placement<double>& a, const Placement<double>& b) const override {
    const RingView<double> view{a_, b_, b.R_WS.transpose() * a.R_WS,
                                b.R_WS.transpose() * (a.p_WS - b.p_WS), Flush::kCounts};
    const double depth = deepest_of_some(view);
    return depth < -1e-4 * size() ? depth : find<double>(a, b).gap;
  }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const auto in_B = [&](const Vec3& p) -> Vec3 {
      return b.R_WS.transpose() * (a.p_WS + a.R_WS * p - b.p_WS);
    };
    if (b_.is_void()) {  // whose level bends downwards: least at the ends of a segment
      return std::min(b_.level(in_B(a_.spine()[0])), b_.level(in_B(a_.spine()[1]))) -
             a_.thickness();
    }
    const double beside = b_.level(in_B(a_.center())) - a_.reach();
    if (!b_.is_finite()) return beside;
    const Vec3 center = a.R_WS.transpose() * (b.p_WS + b.R_WS * b_.center() - a.p_WS);
    return std::max(beside, a_.level(center) - b_.reach());
  }

 private:
  bool both_convex() const { return a_.is_convex() && b_.is_convex(); }

  // Apart: the derivative of the distance is that of n . (a - b) between the nearest points as
  // they are fixed in their bodies.
  template <class T>
  bool convex_distance(const RingView<T>& view, const Placement<T>& a, const Placement<T>& b,
                       Overlap<T>& o) const {
    const RingView<double> still = view.still();
    const Vec3 between = still.p + still.R * a_.center() - b_.center();
    const auto far_a = [&](const Vec3& d) -> Vec3 {
      return still.p + still.R * a_.farthest<double>((still.R.transpose() * d).normalized());
    };
    const auto far_b = [&](const Vec3& d) -> Vec3 { return b_.farthest<double>(d.normalized()); };
    const ConvexClosest near =
        closest_points(far_a, far_b, between, std::max(a_.reach(), b_.reach()));
    if (!near.apart) return false;
    const Vec3 on_A = still.R.transpose() * (near.a - still.p);
    o.nearest_W = a.p_WS + a.R_WS * on_A.cast<T>();
    o.normal_W = b.R_WS * near.normal.cast<T>();
    o.gap = o.normal_W.dot(Vec3T<T>(o.nearest_W - b.p_WS - b.R_WS * near.b.cast<T>()));
    return true;
  }

  double deepest_of_some(const RingView<double>& view) const {
    constexpr int kRings = 8;
    double least = std::numeric_limits<double>::infinity();
    for (const RingSurface& surface : a_.surfaces()) {
      const RingRange range = range_within_reach(view, surface);
      if (surface.is_inner || !(range.low < range.high)) continue;
      for (int k = 0; k <= kRings; ++k) {
        const double s = range.low + (range.high - range.low) * k / kRings;
        least = std::min(least, nearest_on_ring(view, surface, s, FaceRule::kBound, 0).level);
      }
    }
    return least;
  }

  template <class T>
  void distance(const RingView<T>& view, const Placement<T>& a, const Placement<T>& b,
                Overlap<T>& o) const {
    const Vec3 on_A = nearest_point(view.still());
    const SurfaceDistance<T> near =
        b_.distance<T>(Vec3T<T>(view.p + view.R * on_A.template cast<T>()));
    // Less than nothing only by rounding, or where a body lies wholly in another.
    o.gap = near.distance > T(0) ? near.distance : T(0);
    o.nearest_W = a.p_WS + a.R_WS * on_A.cast<T>();
    o.normal_W = b.R_WS * near.normal;
  }

  template <class T>
  bool fill_volume(const RingView<T>& view, const Placement<T>& a, Overlap<T>& o) const {
    const RingOverlap<T> found = ring_overlap<T>(a_, b_, view.R, view.p);
    const T square = found.area.squaredNorm();
    // Pushed to no side: wholly inside, or as much from one side as from the other.
    const double least = kLeastShare * found.size;
    if (!(found.moments.volume > T(0)) || !(square > T(least * least))) return false;
    using std::sqrt;
    const T size = sqrt(square);
    const Vec3T<T> normal = found.area / (-size);
    o.volume = found.moments.volume;
    o.centroid_W = a.p_WS + a.R_WS * Vec3T<T>(found.origin + found.moments.centroid());
    o.inertia_W = a.R_WS * found.moments.inertia() * a.R_WS.transpose();
    o.normal_W = a.R_WS * normal;
    o.error = found.error;
    o.nearest_W = o.centroid_W;
    o.gap = -o.volume / size;
    if (both_convex()) depth_along(view, normal, a, o);
    return true;
  }

  template <class T>
  void depth_along(const RingView<T>& view, const Vec3T<T>& normal, const Placement<T>& a,
                   Overlap<T>& o) const {
    const Vec3T<T> n = view.R * normal, lowest = a_.farthest<T>(Vec3T<T>(-normal));
    o.nearest_W = a.p_WS + a.R_WS * lowest;
    o.gap = n.dot(Vec3T<T>(view.p + view.R * lowest)) - n.dot(b_.farthest<T>(n));
  }

  static constexpr double kLeastShare = 1e-9;  // of the surface: a vector area lost in rounding

  RingSolid a_, b_;
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_ring_volume(const Shape& a, const Shape& b) {
  std::optional<RingSolid> solid_a = RingSolid::of(a), solid_b = RingSolid::of(b);
  if (!solid_a || !solid_b || !solid_a->is_finite()) return nullptr;
  const bool both_convex = solid_a->is_convex() && solid_b->is_convex();
  if (!both_convex && !solid_b->has_distance()) return nullptr;
  return std::make_shared<RingVolume>(std::move(*solid_a), std::move(*solid_b));
}

std::vector<std::shared_ptr<const VolumeQuery>> make_halves_in_bore(const Shape& a,
                                                                    const Shape& b) {
  const bool long_one = std::holds_alternative<Cylinder>(a) || std::holds_alternative<Capsule>(a) ||
                        std::holds_alternative<Cone>(a);
  if (!long_one || !std::holds_alternative<Bore>(b)) return {};
  const RingSolid whole = *RingSolid::of(a), bore = *RingSolid::of(b);
  return {std::make_shared<RingVolume>(whole.half(RingSolid::Half::kLower), bore),
          std::make_shared<RingVolume>(whole.half(RingSolid::Half::kUpper), bore)};
}

}  // namespace grapple::geometry
