// Orientation of a frame whose first axis follows the tangent t = e + G eta of a line, and no other
// material direction (flexible::Turning::kTangent). With u = t / |t|:
//   in a plane with normal n: the turn about n that takes e to u;
//   in space: the least turn that takes e to u; it fails where u = -e.
// The turning rate is linear in t': omega = axis(t'), so that axis(G_k) is the frame's axis of
// coordinate k.
#pragma once

#include <cmath>

#include "grapple/flexible/flexible_body.h"

namespace grapple::dynamics {

template <class T>
class TangentFrame {
 public:
  using Vec = spatial::Vec3T<T>;
  struct Axis {
    Vec value;
    Vec rate;  ///< its time derivative
  };

  TangentFrame(const flexible::FrameShape& shape, const T* eta, const T* eta_rate)
      : e_(shape.rest_tangent.cast<T>()),
        n_(shape.plane_normal.cast<T>()),
        planar_(!shape.plane_normal.isZero()) {
    using std::sqrt;
    Vec t = e_;
    t_rate_ = Vec::Zero();
    for (int k = 0; k < shape.tangent.cols(); ++k) {
      const Vec g = shape.tangent.col(k).template cast<T>();
      t += eta[k] * g;
      t_rate_ += eta_rate[k] * g;
    }
    length_ = sqrt(t.squaredNorm());
    u_ = t / length_;
    length_rate_ = u_.dot(t_rate_);
    u_rate_ = (t_rate_ - u_ * length_rate_) / length_;
    w_ = e_.cross(u_);
    closing_ = T(1) + e_.dot(u_);
  }

  /// Parent axes <- frame axes, without the frame's own orientation at rest.
  spatial::Mat3T<T> rotation() const {
    spatial::Mat3T<T> R;
    if (planar_) {  // columns are where e, n x e and n go
      const Vec side = n_.cross(e_), turned = n_.cross(u_);
      R = u_ * e_.transpose() + turned * side.transpose() + n_ * n_.transpose();
      return R;
    }
    R << T(0), -w_[2], w_[1], w_[2], T(0), -w_[0], -w_[1], w_[0], T(0);
    const spatial::Mat3T<T> W = R;
    R += W * W / closing_;
    R.diagonal().array() += T(1);
    return R;
  }

  Axis axis(const Vec& g) const {
    const T along = u_.dot(g), along_rate = u_rate_.dot(g);
    const Vec d = (g - u_ * along) / length_;  // u' per unit of the coordinate's rate
    const Vec d_rate =
        -(u_rate_ * along + u_ * along_rate) / length_ - d * (length_rate_ / length_);
    const Vec turn = u_.cross(d), turn_rate = u_rate_.cross(d) + u_.cross(d_rate);
    if (planar_) return {n_ * n_.dot(turn), n_ * n_.dot(turn_rate)};
    const T spin = -w_.dot(d) / closing_;
    const T spin_rate =
        -(e_.cross(u_rate_).dot(d) + w_.dot(d_rate)) / closing_ - spin * e_.dot(u_rate_) / closing_;
    return {turn + spin * u_, turn_rate + spin_rate * u_ + spin * u_rate_};
  }

  /// Turning rate, and its derivative while the coordinates' rates are constant.
  Axis turning() const { return axis(t_rate_); }

 private:
  Vec e_, n_, t_rate_, u_, u_rate_, w_;
  T length_, length_rate_, closing_;
  bool planar_;
};

}  // namespace grapple::dynamics
