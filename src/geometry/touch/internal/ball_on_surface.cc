#include "grapple/geometry/touch/internal/ball_on_surface.h"

#include <cmath>
#include <limits>

#include "grapple/geometry/solid/internal/round_solid.h"
#include "grapple/geometry/touch/internal/convex_core.h"
#include "grapple/geometry/touch/internal/ellipsoid_gap.h"
#include "grapple/geometry/touch/internal/surface_distance.h"
#include "grapple/geometry/touch/internal/torus_gap.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3T;
using spatial::Pose;
using spatial::Vec3;
using spatial::Vec3T;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// What a surface adds to the curvature of a ball on it: a cylinder its side's, a torus its outer
// rim's; faces, and the straight lines of cones, nothing.
GapCurvature curvature_of(const Cylinder& cylinder) { return {1.0 / cylinder.radius, 0.0}; }
GapCurvature curvature_of(const Torus& torus) {
  return {1.0 / torus.tube_radius, 1.0 / (torus.ring_radius + torus.tube_radius)};
}
template <class Surface>
GapCurvature curvature_of(const Surface& /*other*/) {
  return {};
}

// The force acts at the deepest point of the ball, so that it rolls with its full radius as lever.
template <class Surface>
class BallOnSurface final : public TouchQueryOf<BallOnSurface<Surface>> {
 public:
  BallOnSurface(double radius, Surface surface) : radius_(radius), surface_(surface) {
    if constexpr (std::is_same_v<Surface, Torus>) {
      const bool passes = radius < surface.ring_radius - surface.tube_radius;
      if (passes) shape_ = std::make_unique<BallOnTorusGap>(radius, surface);
    }
  }

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> p = b.R_WS.transpose() * Vec3T<T>(a.p_WS - b.p_WS);
    const SurfaceDistance<T> d = surface_distance<T>(surface_, p);
    const Vec3T<T> n = b.R_WS * d.normal;
    return {d.distance - T(radius_), n, a.p_WS - T(radius_) * n};
  }
  GapCurvature curvature() const override {
    const GapCurvature other = curvature_of(surface_);
    return {1.0 / radius_ + other.larger, 1.0 / radius_ + other.smaller};
  }
  const GapShape* shape() const override { return shape_.get(); }
  double size() const override { return radius_; }

 private:
  double radius_;
  Surface surface_;
  std::unique_ptr<const GapShape> shape_;
};

// The lowest point of a body that is round in every direction.
class LowestPoint final : public TouchQueryOf<LowestPoint> {
 public:
  LowestPoint(RoundSolid solid, GapCurvature curvature, std::unique_ptr<const GapShape> shape)
      : solid_(std::move(solid)), curvature_(curvature), shape_(std::move(shape)) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> n = b.R_WS.col(2), down = -(a.R_WS.transpose() * n);
    const Vec3T<T> at = a.p_WS + a.R_WS * solid_.farthest<T>(down);
    return {n.dot(Vec3T<T>(at - b.p_WS)), n, at};
  }
  GapCurvature curvature() const override { return curvature_; }
  const GapShape* shape() const override { return shape_.get(); }
  double size() const override { return solid_.size(); }

 private:
  RoundSolid solid_;
  GapCurvature curvature_;
  std::unique_ptr<const GapShape> shape_;
};

// The lowest point of a circle across z, or a corner where the radius is 0. A level rim has no
// lowest point; its middle is taken.
class LowestOfRim final : public TouchQueryOf<LowestOfRim> {
 public:
  LowestOfRim(Vec3 center, double radius, double size)
      : center_(std::move(center)), radius_(radius), size_(size) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> n = b.R_WS.col(2), down = -(a.R_WS.transpose() * n);
    const T across = root_of(T(down.x() * down.x() + down.y() * down.y()));
    Vec3T<T> p = center_.cast<T>();
    if (across > T(0)) {
      p.x() += T(radius_) * down.x() / across;
      p.y() += T(radius_) * down.y() / across;
    }
    const Vec3T<T> at = a.p_WS + a.R_WS * p;
    return {n.dot(Vec3T<T>(at - b.p_WS)), n, at};
  }
  GapCurvature curvature() const override { return {kInfinite, kInfinite}; }
  double size() const override { return size_; }

 private:
  Vec3 center_;
  double radius_, size_;
};

class PlacedTouch final : public TouchQueryOf<PlacedTouch> {
 public:
  PlacedTouch(std::shared_ptr<const TouchQuery> query, PairOrder order, Pose X_a, Pose X_b)
      : query_(std::move(query)), order_(order), X_a_(std::move(X_a)), X_b_(std::move(X_b)) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Mat3T<T> R_a = a.R_WS * X_a_.R.cast<T>(), R_b = b.R_WS * X_b_.R.cast<T>();
    const Vec3T<T> p_a = a.p_WS + a.R_WS * X_a_.p.cast<T>();
    const Vec3T<T> p_b = b.p_WS + b.R_WS * X_b_.p.cast<T>();
    const Placement<T> part_a{R_a, p_a}, part_b{R_b, p_b};
    if (order_ == PairOrder::kAsGiven) return (*query_)(part_a, part_b);
    Witness<T> w = (*query_)(part_b, part_a);
    w.normal_W = -w.normal_W;
    return w;
  }
  GapCurvature curvature() const override { return query_->curvature(); }
  double size() const override { return query_->size(); }

 private:
  std::shared_ptr<const TouchQuery> query_;
  PairOrder order_;
  Pose X_a_, X_b_;
};

}  // namespace

std::shared_ptr<const TouchQuery> make_ball_on_surface(const Sphere& ball, const Shape& surface) {
  return std::visit(
      [&](const auto& s) -> std::shared_ptr<const TouchQuery> {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Edge> || std::is_same_v<S, Spike> ||
                      std::is_same_v<S, Funnel> || std::is_same_v<S, Torus> ||
                      std::is_same_v<S, Cylinder> || std::is_same_v<S, Cone>) {
          return std::make_shared<BallOnSurface<S>>(ball.radius, s);
        } else {
          return nullptr;
        }
      },
      surface);
}

std::vector<std::shared_ptr<const TouchQuery>> make_lowest_points(const Shape& shape) {
  if (const auto* torus = std::get_if<Torus>(&shape)) {
    return {std::make_shared<LowestPoint>(RoundSolid(shape), curvature_of(*torus), nullptr)};
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    return {
        std::make_shared<LowestPoint>(RoundSolid(shape), convex_core(shape)->curvature,
                                      std::make_unique<EllipsoidOnPlaneGap>(ellipsoid->half_axes))};
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    const double r = cylinder->radius, h = cylinder->half_length, size = std::min(r, h);
    return {std::make_shared<LowestOfRim>(Vec3(0, 0, h), r, size),
            std::make_shared<LowestOfRim>(Vec3(0, 0, -h), r, size)};
  }
  if (const auto* cone = std::get_if<Cone>(&shape)) {
    const double size = 0.5 * std::min(cone->radius, cone->length);
    return {std::make_shared<LowestOfRim>(Vec3(0, 0, 0), cone->radius, size),
            std::make_shared<LowestOfRim>(Vec3(0, 0, cone->length), 0.0, size)};
  }
  std::vector<std::shared_ptr<const TouchQuery>> corners;
  if (const auto* convex = std::get_if<Convex>(&shape)) {
    for (const Vec3& corner : convex->solid->corners) {
      corners.push_back(std::make_shared<LowestOfRim>(corner, 0.0, half_width(*convex->solid)));
    }
  }
  return corners;
}

std::shared_ptr<const TouchQuery> make_placed_touch(std::shared_ptr<const TouchQuery> query,
                                                    PairOrder order, const Pose& X_a,
                                                    const Pose& X_b) {
  return std::make_shared<PlacedTouch>(std::move(query), order, X_a, X_b);
}

}  // namespace grapple::geometry
