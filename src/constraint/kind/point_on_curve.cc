#include "grapple/constraint/kind/point_on_curve.h"

#include "grapple/spatial/dual.h"

namespace grapple::constraint {

using spatial::Vec3T;

std::string PointOnCurve::row_name(std::size_t row) const {
  return row == 0 ? "first normal of the curve" : "second normal of the curve";
}

// In F's axes: s' = c'.r' / h, h = |c'|^2 - e.c''.
template <class T>
void PointOnCurve::evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const {
  const spatial::Mat3T<T> R_FW = at.F.at.R_WF.transpose();
  const Vec3T<T> omega = at.F.at.omega, drift = at.r_rate - omega.cross(at.r);
  const Vec3T<T> r = R_FW * at.r, r1 = R_FW * drift;
  const Vec3T<T> r2 = R_FW * (at.r_acceleration - at.F.alpha.cross(at.r) - omega.cross(at.r_rate) -
                              omega.cross(drift));
  const Curve::Point<T> p = curve.at(curve.nearest(r));
  const Vec3T<T> e = r - p.c;
  const T h = p.c1.squaredNorm() - e.dot(p.c2);
  const T s1 = p.c1.dot(r1) / h;
  const Vec3T<T> e1 = r1 - p.c1 * s1;
  const T h1 = T(2) * p.c1.dot(p.c2) * s1 - e1.dot(p.c2) - e.dot(p.c3) * s1;
  const T s2 = (p.c2.dot(r1) * s1 + p.c1.dot(r2) - s1 * h1) / h;
  const auto row = [&](const Vec3T<T>& n, const Vec3T<T>& n1, const Vec3T<T>& n2) {
    RowMotion<T> one;
    one.value = n.dot(e);
    one.rate = n.dot(r1) + s1 * n1.dot(e);
    one.acceleration =
        n.dot(r2) + s1 * n1.dot(r1) + s2 * n1.dot(e) + s1 * s1 * n2.dot(e) + s1 * n1.dot(e1);
    one.force = at.F.at.R_WF * (n + p.c1 * (n1.dot(e) / h));
    return one;
  };
  const Vec3T<T> k = curve.side().template cast<T>();
  out[0] = row(k.cross(p.c1), k.cross(p.c2), k.cross(p.c3));
  const T k1 = k.dot(p.c1), k2 = k.dot(p.c2), k3 = k.dot(p.c3);
  out[1] =
      row(k * p.c1.squaredNorm() - p.c1 * k1, k * (T(2) * p.c1.dot(p.c2)) - p.c2 * k1 - p.c1 * k2,
          k * (T(2) * (p.c2.squaredNorm() + p.c1.dot(p.c3))) - p.c3 * k1 - p.c2 * (T(2) * k2) -
              p.c1 * k3);
}

template void PointOnCurve::evaluate(const FramePairMotion<double>&, RowMotions<double>&) const;
template void PointOnCurve::evaluate(const FramePairMotion<spatial::Dual>&,
                                     RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
