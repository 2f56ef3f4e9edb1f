#include "grapple/control/trajectory/polynomial_path.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/spline.h"

namespace grapple::control {

namespace {

using Polynomial = std::array<double, 6>;

double value_of(const Polynomial& c, double x) {
  double sum = 0.0;
  for (int k = 5; k >= 0; --k) sum = sum * x + c[static_cast<std::size_t>(k)];
  return sum;
}

Polynomial derivative_of(const Polynomial& c) {
  Polynomial d{};
  for (std::size_t k = 1; k < 6; ++k) d[k - 1] = static_cast<double>(k) * c[k];
  return d;
}

// Where p changes its sign between two places; it must not turn back between them.
double sign_change(const Polynomial& p, double low, double high) {
  const double sign = value_of(p, low) < 0.0 ? 1.0 : -1.0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (sign * value_of(p, middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// All places from 0 to h where p of this degree vanishes, found between those of its derivative.
std::vector<double> zeros_of(const Polynomial& p, int degree, double h) {
  if (degree == 0) return {};
  std::vector<double> bounds{0.0};
  for (const double x : zeros_of(derivative_of(p), degree - 1, h)) bounds.push_back(x);
  bounds.push_back(h);
  std::vector<double> zeros;
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    const double a = value_of(p, bounds[k]), b = value_of(p, bounds[k + 1]);
    if ((a < 0.0) == (b < 0.0)) continue;
    zeros.push_back(sign_change(p, bounds[k], bounds[k + 1]));
  }
  return zeros;
}

double largest_of(const Polynomial& p, double h) {
  double largest = std::max(std::abs(value_of(p, 0.0)), std::abs(value_of(p, h)));
  for (const double x : zeros_of(derivative_of(p), 4, h)) {
    largest = std::max(largest, std::abs(value_of(p, x)));
  }
  return largest;
}

// Values, rates and accelerations at both ends of a piece of length h.
Polynomial quintic_piece(double h, double p0, const Eigen::Vector2d& u0, double p1,
                         const Eigen::Vector2d& u1) {
  const double d = p1 - p0 - u0[0] * h - 0.5 * u0[1] * h * h;
  const double e = (u1[0] - u0[0] - u0[1] * h) * h, f = (u1[1] - u0[1]) * h * h;
  const double h3 = h * h * h;
  return {p0,
          u0[0],
          0.5 * u0[1],
          (10.0 * d - 4.0 * e + 0.5 * f) / h3,
          (-15.0 * d + 7.0 * e - f) / (h3 * h),
          (6.0 * d - 3.0 * e + 0.5 * f) / (h3 * h * h)};
}

// Third and fourth derivative at x.
Eigen::Vector2d higher(const Polynomial& c, double x) {
  const Polynomial third = derivative_of(derivative_of(derivative_of(c)));
  return {value_of(third, x), value_of(derivative_of(third), x)};
}

// The part of `higher` that a rate or acceleration at one end gives, by columns.
Eigen::Matrix2d influence(double h, int end, double x) {
  Eigen::Matrix2d columns;
  for (int k = 0; k < 2; ++k) {
    const Eigen::Vector2d unit = Eigen::Vector2d::Unit(k), zero = Eigen::Vector2d::Zero();
    columns.col(k) = higher(
        end == 0 ? quintic_piece(h, 0.0, unit, 0.0, zero) : quintic_piece(h, 0.0, zero, 0.0, unit),
        x);
  }
  return columns;
}

Eigen::Vector2d influence_of_values(double h, double p0, double p1, double x) {
  return higher(quintic_piece(h, p0, Eigen::Vector2d::Zero(), p1, Eigen::Vector2d::Zero()), x);
}

// Rates and accelerations at the knots of a quintic spline: third and fourth derivatives agree from
// piece to piece. A block tridiagonal system of 2 x 2 blocks, eliminated from the first knot on.
std::vector<Eigen::Vector2d> quintic_knots(std::span<const double> t, std::span<const double> p,
                                           SplineEnds ends) {
  const std::size_t n = t.size();
  std::vector<Eigen::Matrix2d> upper(n);
  std::vector<Eigen::Vector2d> u(n);
  for (std::size_t i = 0; i < n; ++i) {
    Eigen::Matrix2d before = Eigen::Matrix2d::Zero(), here = Eigen::Matrix2d::Zero(),
                    after = Eigen::Matrix2d::Zero();
    Eigen::Vector2d right = Eigen::Vector2d::Zero();
    const bool is_end = i == 0 || i + 1 == n;
    if (is_end && ends == SplineEnds::kClamped) {
      here.setIdentity();
    } else {
      if (i > 0) {
        const double h = t[i] - t[i - 1];
        before += influence(h, 0, h);
        here += influence(h, 1, h);
        right -= influence_of_values(h, p[i - 1], p[i], h);
      }
      if (i + 1 < n) {
        const double h = t[i + 1] - t[i];
        here -= influence(h, 0, 0.0);
        after -= influence(h, 1, 0.0);
        right += influence_of_values(h, p[i], p[i + 1], 0.0);
      }
    }
    if (i > 0) {
      here -= before * upper[i - 1];
      right -= before * u[i - 1];
    }
    const Eigen::Matrix2d inverse = here.inverse();
    upper[i] = inverse * after;
    u[i] = inverse * right;
  }
  for (std::size_t i = n - 1; i-- > 0;) u[i] -= upper[i] * u[i + 1];
  return u;
}

}  // namespace

std::vector<double> clamped_spline(std::span<const double> knots, std::span<const double> values) {
  const std::size_t n = knots.size();
  std::vector<double> upper(n), m(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double before = i > 0 ? knots[i] - knots[i - 1] : 0.0;
    const double after = i + 1 < n ? knots[i + 1] - knots[i] : 0.0;
    const double slope_before = i > 0 ? (values[i] - values[i - 1]) / before : 0.0;
    const double slope_after = i + 1 < n ? (values[i + 1] - values[i]) / after : 0.0;
    double diagonal = 2.0 * (before + after), right = 6.0 * (slope_after - slope_before);
    if (i > 0) {
      diagonal -= before * upper[i - 1];
      right -= before * m[i - 1];
    }
    upper[i] = after / diagonal;
    m[i] = right / diagonal;
  }
  for (std::size_t i = n - 1; i-- > 0;) m[i] -= upper[i] * m[i + 1];
  return m;
}

PolynomialPath PolynomialPath::cubic(std::span<const double> knots, std::span<const double> values,
                                     SplineEnds ends) {
  GRAPPLE_ASSERT(knots.size() >= 2 && knots.size() == values.size());
  const std::vector<double> m =
      ends == SplineEnds::kClamped ? clamped_spline(knots, values) : natural_spline(knots, values);
  PolynomialPath path;
  path.knots_.assign(knots.begin(), knots.end());
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const double h = knots[i + 1] - knots[i];
    const SplinePoint<double> at = spline_point(values[i], values[i + 1], m[i], m[i + 1], h, 0.0);
    path.pieces_.push_back({at.value, at.first, 0.5 * at.second, at.third / 6.0, 0.0, 0.0});
  }
  return path;
}

PolynomialPath PolynomialPath::quintic(std::span<const double> knots,
                                       std::span<const double> values, SplineEnds ends) {
  GRAPPLE_ASSERT(knots.size() >= 2 && knots.size() == values.size());
  PolynomialPath path;
  path.knots_.assign(knots.begin(), knots.end());
  if (knots.size() == 2 && ends == SplineEnds::kNatural) {  // a straight line: u is not unique
    path.pieces_.push_back(
        {values[0], (values[1] - values[0]) / (knots[1] - knots[0]), 0.0, 0.0, 0.0, 0.0});
    return path;
  }
  const std::vector<Eigen::Vector2d> u = quintic_knots(knots, values, ends);
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    path.pieces_.push_back(
        quintic_piece(knots[i + 1] - knots[i], values[i], u[i], values[i + 1], u[i + 1]));
  }
  return path;
}

std::size_t PolynomialPath::piece_of(double x) const {
  const auto next = std::upper_bound(knots_.begin(), knots_.end(), x);
  const auto after = static_cast<std::size_t>(next - knots_.begin());
  return std::clamp<std::size_t>(after, 1, pieces_.size()) - 1;
}

Jet PolynomialPath::on_piece(std::size_t piece, double x) const {
  const Polynomial& c = pieces_[piece];
  const Polynomial rate = derivative_of(c);
  const double y = x - knots_[piece];
  return {value_of(c, y), value_of(rate, y), value_of(derivative_of(rate), y)};
}

Jet PolynomialPath::at(double x) const {
  if (x < knots_.front()) return {on_piece(0, knots_.front()).value, 0.0, 0.0};
  if (x > knots_.back()) return {on_piece(pieces_.size() - 1, knots_.back()).value, 0.0, 0.0};
  return on_piece(piece_of(x), x);
}

Limits PolynomialPath::peaks() const {
  Limits largest{0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const double h = knots_[i + 1] - knots_[i];
    const Polynomial rate = derivative_of(pieces_[i]), acceleration = derivative_of(rate);
    largest.rate = std::max(largest.rate, largest_of(rate, h));
    largest.acceleration = std::max(largest.acceleration, largest_of(acceleration, h));
    largest.jerk = std::max(largest.jerk, largest_of(derivative_of(acceleration), h));
  }
  return largest;
}

}  // namespace grapple::control
