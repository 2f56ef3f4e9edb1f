// Shape of the gap of a ball on a torus.
//
// Along the tube's profile t the torus has the curvature 1/tube, around its axis (direction e) by
// Meusnier n_r/(ring + tube n_r), n_r the part of the normal away from the axis: negative on the
// inner side. Only the second changes, as the ball goes round the tube.
#pragma once

#include "grapple/geometry/touch/gap_shape.h"
#include "grapple/geometry/touch/internal/surface_distance.h"

namespace grapple::geometry {

/// The ball passes through the hole.
class BallOnTorusGap final : public GapShapeOf<BallOnTorusGap> {
 public:
  BallOnTorusGap(double ball_radius, const Torus& torus) : radius_(ball_radius), torus_(torus) {}

  template <class T>
  spatial::Mat3T<T> curvature_at(const Placement<T>& a, const Placement<T>& b,
                                 const Witness<T>& w) const {
    const Axes<T> at(a, b, w);
    const spatial::Mat3T<T> across =
        spatial::Mat3T<T>::Identity() - w.normal_W * w.normal_W.transpose();
    const T round = at.n_r / (T(torus_.ring_radius) + T(torus_.tube_radius) * at.n_r);
    return across * T(1.0 / radius_) + at.t * at.t.transpose() * T(1.0 / torus_.tube_radius) +
           at.e * at.e.transpose() * round;
  }
  template <class T>
  RateForm<T> rate_at(const Placement<T>& a, const Placement<T>& b, const Witness<T>& w,
                      const spatial::Mat3T<T>& weight) const {
    using Vec = spatial::Vec3T<T>;
    const Axes<T> at(a, b, w);
    const T reach = T(torus_.ring_radius) + T(torus_.tube_radius) * at.n_r;
    const T from_ring = w.gap + T(radius_ + torus_.tube_radius);
    const T per_speed = -at.n_z / from_ring * T(torus_.ring_radius) / (reach * reach);
    const Vec at_center = at.e.dot(weight * at.e) * per_speed * at.t;
    return {at_center, T(radius_) * w.normal_W.cross(at_center)};
  }

 private:
  template <class T>
  struct Axes {
    T n_r, n_z;              // of the normal: away from the axis, along it
    spatial::Vec3T<T> e, t;  // around the axis, along the profile

    Axes(const Placement<T>& a, const Placement<T>& b, const Witness<T>& w) {
      using Vec = spatial::Vec3T<T>;
      const AxialPoint<T> p(b.R_WS.transpose() * Vec(a.p_WS - b.p_WS));
      const Vec out = b.R_WS * p.out, axis = b.R_WS.col(2);
      n_r = out.dot(w.normal_W);
      n_z = axis.dot(w.normal_W);
      e = axis.cross(out);
      t = n_r * axis - n_z * out;
    }
  };

  double radius_;
  Torus torus_;
};

}  // namespace grapple::geometry
