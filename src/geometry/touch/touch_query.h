// Where two shapes A and B are nearest or deepest in each other, at one site. All in world axes:
//   gap > 0 apart, < 0 overlapping;   the unit normal points from B towards A;
//   d gap / dt = normal . (velocity of A's material at the point - velocity of B's).
// The last line is what makes a force along the normal conservative; every query keeps it.
//
// To write one, derive from TouchQueryOf<YourQuery> and give it
//   template <class T> Witness<T> find(const Placement<T>& a, const Placement<T>& b) const;
#pragma once

#include "grapple/spatial/dual.h"
#include "grapple/spatial/types.h"

namespace grapple::geometry {

/// Frame S of a shape in the world.
template <class T>
struct Placement {
  const spatial::Mat3T<T>& R_WS;
  const spatial::Vec3T<T>& p_WS;
};

/// One frame seen from another: x_there = R x_here + p.
template <class T>
struct Seen {
  spatial::Mat3T<T> R;
  spatial::Vec3T<T> p;
  spatial::Vec3T<T> at(const spatial::Vec3& x) const { return p + R * x.cast<T>(); }
  Seen reversed() const { return {R.transpose(), R.transpose() * spatial::Vec3T<T>(-p)}; }
};

/// A in the frame of B.
template <class T>
Seen<T> seen_from(const Placement<T>& b, const Placement<T>& a) {
  return {b.R_WS.transpose() * a.R_WS, b.R_WS.transpose() * spatial::Vec3T<T>(a.p_WS - b.p_WS)};
}

template <class T>
struct Witness {
  T gap;                       ///< m
  spatial::Vec3T<T> normal_W;  ///< unit, from B towards A
  spatial::Vec3T<T> point_W;   ///< where the force acts
};

/// Principal curvatures of the gap between the undeformed surfaces at the site, 1/m: sums of both
/// bodies' own, larger one first. Infinite for a sharp corner.
struct GapCurvature {
  double larger = 0.0;
  double smaller = 0.0;
};

class GapShape;  // gap_shape.h

class TouchQuery {
 public:
  virtual ~TouchQuery() = default;
  virtual Witness<double> operator()(const Placement<double>& a,
                                     const Placement<double>& b) const = 0;
  virtual Witness<spatial::Dual> operator()(const Placement<spatial::Dual>& a,
                                            const Placement<spatial::Dual>& b) const = 0;
  /// Where the bodies rest on each other most stably; the same everywhere for most pairs.
  virtual GapCurvature curvature() const = 0;
  /// The curvature at the present point, where it changes as the bodies roll; else null.
  virtual const GapShape* shape() const { return nullptr; }
  /// Length against which an overlap at the start is deep, m.
  virtual double size() const = 0;
};

template <class Derived>
class TouchQueryOf : public TouchQuery {
 public:
  Witness<double> operator()(const Placement<double>& a, const Placement<double>& b) const final {
    return static_cast<const Derived&>(*this).find(a, b);
  }
  Witness<spatial::Dual> operator()(const Placement<spatial::Dual>& a,
                                    const Placement<spatial::Dual>& b) const final {
    return static_cast<const Derived&>(*this).find(a, b);
  }
};

}  // namespace grapple::geometry
