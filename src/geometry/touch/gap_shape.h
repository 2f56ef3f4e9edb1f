// How the gap between two smooth bodies opens around their point of contact, as it is now: by
// r.C r/2 at r across the normal, C the sum of the curvatures of both bodies there. For pairs whose
// curvature changes as they roll.
#pragma once

#include "grapple/geometry/touch/touch_query.h"

namespace grapple::geometry {

/// A rate that is linear in the motion of A over B:  force . v + torque . w, v the velocity of A's
/// material over B's at the point of contact, w A's angular rate over B's.
template <class T>
struct RateForm {
  spatial::Vec3T<T> force_W = spatial::Vec3T<T>::Zero();
  spatial::Vec3T<T> torque_W = spatial::Vec3T<T>::Zero();
};

class GapShape {
 public:
  virtual ~GapShape() = default;
  /// C, 1/m, at the witness w of the placements; C n = 0.
  virtual spatial::Mat3 curvature(const Placement<double>& a, const Placement<double>& b,
                                  const Witness<double>& w) const = 0;
  virtual spatial::Mat3T<spatial::Dual> curvature(const Placement<spatial::Dual>& a,
                                                  const Placement<spatial::Dual>& b,
                                                  const Witness<spatial::Dual>& w) const = 0;
  /// tr(weight dC/dt), for a symmetric weight in the tangent plane that has the axes of C.
  virtual RateForm<double> rate(const Placement<double>& a, const Placement<double>& b,
                                const Witness<double>& w, const spatial::Mat3& weight) const = 0;
  virtual RateForm<spatial::Dual> rate(const Placement<spatial::Dual>& a,
                                       const Placement<spatial::Dual>& b,
                                       const Witness<spatial::Dual>& w,
                                       const spatial::Mat3T<spatial::Dual>& weight) const = 0;
};

/// Routes the calls to  curvature_at<T>(a, b, w)  and  rate_at<T>(a, b, w, weight).
template <class Derived>
class GapShapeOf : public GapShape {
 public:
  using Dual = spatial::Dual;
  spatial::Mat3 curvature(const Placement<double>& a, const Placement<double>& b,
                          const Witness<double>& w) const final {
    return self().template curvature_at<double>(a, b, w);
  }
  spatial::Mat3T<Dual> curvature(const Placement<Dual>& a, const Placement<Dual>& b,
                                 const Witness<Dual>& w) const final {
    return self().template curvature_at<Dual>(a, b, w);
  }
  RateForm<double> rate(const Placement<double>& a, const Placement<double>& b,
                        const Witness<double>& w, const spatial::Mat3& weight) const final {
    return self().template rate_at<double>(a, b, w, weight);
  }
  RateForm<Dual> rate(const Placement<Dual>& a, const Placement<Dual>& b, const Witness<Dual>& w,
                      const spatial::Mat3T<Dual>& weight) const final {
    return self().template rate_at<Dual>(a, b, w, weight);
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace grapple::geometry
