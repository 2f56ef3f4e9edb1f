// Shape of the gap of ellipsoids (balls among them) on a half-space and on each other.
//
// The farthest point of an ellipsoid in direction u moves by S du, S the Hessian of its support
// function |D u|, D its half axes:
//   S = (D^2 - w w'/L^2)/L,   w = D^2 u,   L = |D u|,
// and S^-1 in the tangent plane is its curvature. With the normal n (from B to A), N = C_A W C_A
// and g = grad_u tr(N S) of either body, a motion v, w of A over B changes
//   tr(W C)  by  2 x.w - g_A.(w x n - dn) - g_B.dn,   [x] = W C_A - C_A W,
//   (S_A + S_B + gap) dn = v(a) + S_A (w x n)         a: A's nearest point
// On a half-space dn = 0 and only A counts.
#pragma once

#include <cmath>

#include "grapple/geometry/touch/gap_shape.h"

namespace grapple::geometry {

/// S and what follows from it, of one body, in world axes.
template <class T>
struct EllipsoidCap {
  using Mat = spatial::Mat3T<T>;
  using Vec = spatial::Vec3T<T>;

  Vec stretch2, outward;  ///< D^2 and w, in the body's axes
  Mat R_WS;
  T length;       ///< L
  Mat bend;       ///< S
  Mat curvature;  ///< S^-1 in the tangent plane

  /// n_W: unit, out of the body.
  EllipsoidCap(const spatial::Vec3& half_axes, const Mat& R, const Vec& n_W) : R_WS(R) {
    using std::sqrt;
    const Vec D = half_axes.cast<T>(), u = R.transpose() * n_W;
    stretch2 = D.cwiseProduct(D);
    outward = stretch2.cwiseProduct(u);
    length = sqrt(T(u.dot(outward)));
    Mat S = -(outward * outward.transpose()) / (length * length);
    for (int k = 0; k < 3; ++k) S(k, k) += stretch2[k];
    S /= length;
    bend = R * S * R.transpose();
    curvature = inverse_in_plane(bend, n_W);
  }

  /// Of a symmetric tensor X with X n = 0, in the plane across n.
  static Mat inverse_in_plane(const Mat& X, const Vec& n_W) {
    const T sum = X.trace(), det = T(0.5) * (sum * sum - T((X * X).trace()));
    return (sum * (Mat::Identity() - n_W * n_W.transpose()) - X) / det;
  }

  /// grad_u tr(N S), N = curvature weight curvature.
  Vec bend_slope(const Mat& weight) const {
    const Mat N = R_WS.transpose() * (curvature * weight * curvature) * R_WS;
    const T across = N.diagonal().dot(stretch2), along = outward.dot(N * outward);
    const T l2 = length * length, l3 = l2 * length;
    const Vec turned = stretch2.cwiseProduct(Vec(N * outward));
    const Vec slope = (T(3) * along / l2 - across) / l3 * outward - T(2) / l3 * turned;
    return R_WS * slope;
  }
};

class EllipsoidOnPlaneGap final : public GapShapeOf<EllipsoidOnPlaneGap> {
 public:
  explicit EllipsoidOnPlaneGap(const spatial::Vec3& half_axes) : half_axes_(half_axes) {}

  template <class T>
  spatial::Mat3T<T> curvature_at(const Placement<T>& a, const Placement<T>& /*b*/,
                                 const Witness<T>& w) const {
    return EllipsoidCap<T>(half_axes_, a.R_WS, -w.normal_W).curvature;
  }
  template <class T>
  RateForm<T> rate_at(const Placement<T>& a, const Placement<T>& /*b*/, const Witness<T>& w,
                      const spatial::Mat3T<T>& weight) const {
    const EllipsoidCap<T> cap(half_axes_, a.R_WS, -w.normal_W);
    return {spatial::Vec3T<T>::Zero(), cap.bend_slope(weight).cross(w.normal_W)};
  }

 private:
  spatial::Vec3 half_axes_;
};

/// The force acts in the middle of the overlap.
class EllipsoidsGap final : public GapShapeOf<EllipsoidsGap> {
 public:
  EllipsoidsGap(const spatial::Vec3& half_axes_a, const spatial::Vec3& half_axes_b)
      : half_axes_a_(half_axes_a), half_axes_b_(half_axes_b) {}

  template <class T>
  spatial::Mat3T<T> curvature_at(const Placement<T>& a, const Placement<T>& b,
                                 const Witness<T>& w) const {
    return EllipsoidCap<T>(half_axes_a_, a.R_WS, -w.normal_W).curvature +
           EllipsoidCap<T>(half_axes_b_, b.R_WS, w.normal_W).curvature;
  }
  template <class T>
  RateForm<T> rate_at(const Placement<T>& a, const Placement<T>& b, const Witness<T>& w,
                      const spatial::Mat3T<T>& weight) const {
    using Mat = spatial::Mat3T<T>;
    using Vec = spatial::Vec3T<T>;
    const Vec& n = w.normal_W;
    const EllipsoidCap<T> cap_a(half_axes_a_, a.R_WS, -n), cap_b(half_axes_b_, b.R_WS, n);
    const Vec slope_a = cap_a.bend_slope(weight), slope_b = cap_b.bend_slope(weight);
    const Mat twist = weight * cap_a.curvature - cap_a.curvature * weight;
    const Vec x(twist(2, 1), twist(0, 2), twist(1, 0));
    const Mat across = Mat::Identity() - n * n.transpose();
    const Mat turning =
        EllipsoidCap<T>::inverse_in_plane(cap_a.bend + cap_b.bend + w.gap * across, n);
    const Vec y = turning * Vec(slope_a - slope_b);
    const Vec arm = T(0.5) * w.gap * y + cap_a.bend * y - slope_a;
    return {y, T(2) * x + n.cross(arm)};
  }

 private:
  spatial::Vec3 half_axes_a_, half_axes_b_;
};

}  // namespace grapple::geometry
