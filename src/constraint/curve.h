// A smooth curve in space: a circle, or a cubic spline through points (twice continuously
// differentiable; natural at open ends, periodic if closed), its parameter the sum of the chords.
#pragma once

#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::constraint {

class Curve {
 public:
  enum class Ends { kOpen, kClosed };
  /// At least two points (three if closed), neighbours apart. A closed curve returns to the first.
  static Curve through(const std::vector<spatial::Vec3>& points, Ends ends);
  /// About z through the origin.
  static Curve circle(double radius);

  /// Place and derivatives by the parameter.
  template <class T>
  struct Point {
    spatial::Vec3T<T> c, c1, c2, c3;
  };
  template <class T>
  Point<T> at(const T& s) const;
  /// The parameter nearest to a point; on an open curve not beyond its ends by more than the spline
  /// goes on.
  template <class T>
  T nearest(const spatial::Vec3T<T>& r) const;

  /// A direction the curve never runs along, from which normals are made.
  const spatial::Vec3& side() const { return side_; }
  /// How far the curve stays from running along side(): the least sine.
  double clearance() const { return clearance_; }

 private:
  double length() const;
  std::size_t piece(double s) const;
  void choose_side();

  double radius_ = 0.0;  ///< of a circle; 0: a spline
  Ends ends_ = Ends::kOpen;
  std::vector<double> knots_;
  std::vector<spatial::Vec3> points_, curvature_;  ///< second derivatives at the knots
  spatial::Vec3 side_ = spatial::Vec3::UnitZ();
  double clearance_ = 1.0;
};

}  // namespace grapple::constraint
