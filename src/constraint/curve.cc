#include "grapple/constraint/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"
#include "grapple/base/spline.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

constexpr int kSamplesPerPiece = 8;

std::vector<Vec3> spline_curvature(const std::vector<double>& knots,
                                   const std::vector<Vec3>& points, Curve::Ends ends) {
  std::vector<Vec3> curvature(points.size());
  std::vector<double> values(points.size());
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t k = 0; k < points.size(); ++k) values[k] = points[k][axis];
    const std::vector<double> m = ends == Curve::Ends::kClosed ? periodic_spline(knots, values)
                                                               : natural_spline(knots, values);
    for (std::size_t k = 0; k < points.size(); ++k) curvature[k][axis] = m[k];
  }
  return curvature;
}

}  // namespace

Curve Curve::through(const std::vector<Vec3>& points, Ends ends) {
  Curve curve;
  curve.ends_ = ends;
  curve.points_ = points;
  if (ends == Ends::kClosed) curve.points_.push_back(points.front());
  GRAPPLE_ASSERT(curve.points_.size() >= 2);
  curve.knots_.push_back(0.0);
  for (std::size_t k = 1; k < curve.points_.size(); ++k) {
    const double chord = (curve.points_[k] - curve.points_[k - 1]).norm();
    GRAPPLE_ASSERT(chord > 0.0);
    curve.knots_.push_back(curve.knots_.back() + chord);
  }
  curve.curvature_ = spline_curvature(curve.knots_, curve.points_, ends);
  curve.choose_side();
  return curve;
}

Curve Curve::circle(double radius) {
  Curve curve;
  curve.radius_ = radius;
  curve.ends_ = Ends::kClosed;
  return curve;
}

double Curve::length() const {
  return radius_ > 0.0 ? 2.0 * std::numbers::pi * radius_ : knots_.back();
}

std::size_t Curve::piece(double s) const {
  const auto after = std::upper_bound(knots_.begin(), knots_.end(), s) - knots_.begin();
  return static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(knots_.size()) - 2));
}

template <class T>
Curve::Point<T> Curve::at(const T& s) const {
  using std::cos;
  using std::sin;
  if (radius_ > 0.0) {
    const T R(radius_), c = cos(s / R), w = sin(s / R), zero(0);
    return {{R * c, R * w, zero},
            {-w, c, zero},
            {-c / R, -w / R, zero},
            {w / (R * R), -c / (R * R), zero}};
  }
  const double here = spatial::value_of(s), all = length();
  const double turns = ends_ == Ends::kClosed ? std::floor(here / all) * all : 0.0;
  const std::size_t k = piece(here - turns);
  const T h(knots_[k + 1] - knots_[k]), u = s - T(turns + knots_[k]);
  const Vec3T<T> p0 = points_[k].cast<T>(), p1 = points_[k + 1].cast<T>();
  const Vec3T<T> m0 = curvature_[k].cast<T>(), m1 = curvature_[k + 1].cast<T>();
  const SplinePoint<Vec3T<T>> point = spline_point<Vec3T<T>, T>(p0, p1, m0, m1, h, u);
  return {point.value, point.first, point.second, point.third};
}

template <class T>
T Curve::nearest(const Vec3T<T>& r) const {
  Vec3 r0;
  for (int k = 0; k < 3; ++k) r0[k] = spatial::value_of(r[k]);
  double s = 0.0, least = 1e300;
  const auto samples = kSamplesPerPiece * static_cast<int>(std::max<std::size_t>(knots_.size(), 4));
  for (int k = 0; k <= samples; ++k) {
    const double tried = length() * k / samples;
    const double distance = (r0 - at(tried).c).squaredNorm();
    if (distance < least) {
      least = distance;
      s = tried;
    }
  }
  // Newton for (r - c).c' = 0; the last step on T carries its derivatives.
  for (int k = 0; k < 8; ++k) {
    const Point<double> here = at(s);
    const Vec3 e = r0 - here.c;
    const double bend = here.c1.squaredNorm() - e.dot(here.c2);
    s += e.dot(here.c1) / (bend > 0.1 * here.c1.squaredNorm() ? bend : here.c1.squaredNorm());
  }
  const Point<T> here = at(T(s));
  const Vec3T<T> e = r - here.c;
  return T(s) + e.dot(here.c1) / (here.c1.squaredNorm() - e.dot(here.c2));
}

void Curve::choose_side() {
  const double a = std::sqrt(0.5), b = std::sqrt(1.0 / 3.0);
  const std::array<Vec3, 9> candidates = {Vec3(0, 0, 1), Vec3(0, 1, 0),  Vec3(1, 0, 0),
                                          Vec3(a, a, 0), Vec3(a, -a, 0), Vec3(a, 0, a),
                                          Vec3(0, a, a), Vec3(b, b, b),  Vec3(b, -b, b)};
  clearance_ = -1.0;
  const auto samples = kSamplesPerPiece * static_cast<int>(knots_.size());
  for (const Vec3& candidate : candidates) {
    double least = 1.0;
    for (int k = 0; k <= samples; ++k) {
      const Vec3 along = at(length() * k / samples).c1.normalized();
      least = std::min(least, candidate.cross(along).norm());
    }
    if (least <= clearance_ + 1e-12) continue;
    clearance_ = least;
    side_ = candidate;
  }
}

template Curve::Point<double> Curve::at(const double&) const;
template Curve::Point<spatial::Dual> Curve::at(const spatial::Dual&) const;
template double Curve::nearest(const Vec3&) const;
template spatial::Dual Curve::nearest(const Vec3T<spatial::Dual>&) const;

}  // namespace grapple::constraint
