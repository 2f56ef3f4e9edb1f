// Uniform Euler-Bernoulli beams. With s = x/L every shape is
//   w = A exp(-lambda s) + B exp(-lambda (1 - s)) + C cos(lambda s) + D sin(lambda s),
// which stays bounded for every mode, unlike cosh and sinh. Four boundary rows on (A, B, C, D) have
// a null vector at the roots of the characteristic equation.
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "grapple/base/bracketed_root.h"
#include "grapple/flexible/beam_shapes.h"

namespace grapple::flexible {

namespace {

using spatial::VecX;
using Row4 = Eigen::RowVector4d;
using Mat4 = Eigen::Matrix4d;

using std::numbers::pi;

// Down to neighbouring doubles.
double root_of(const std::function<double(double)>& f, double low, double high) {
  return bracket_root(f, low, high, 0.25 * std::numeric_limits<double>::epsilon() * high).b;
}

double sech(double x) { return 1.0 / std::cosh(x); }

/// End body relative to the beam's mass and length.
struct EndRatios {
  double mass, first_moment, rotary;
};

EndRatios end_ratios(const Line& line) {
  const double L = line.length, mass = line.section(0.0).mass * L;
  return {line.end.mass / mass, line.end.first_moment / (mass * L),
          line.end.rotary / (mass * L * L)};
}

// Roots of cos(x) cosh(x) = 1 up to lambda: one in each (k pi, (k + 1) pi), k >= 1.
int clamped_clamped_roots_up_to(double lambda) {
  const int half_waves = static_cast<int>(lambda / pi);
  if (half_waves == 0) return 0;
  const double sign_at_start = half_waves % 2 == 0 ? 1.0 : -1.0;
  const bool passed = (std::cos(lambda) - sech(lambda)) * sign_at_start < 0.0;
  return passed ? half_waves : half_waves - 1;
}

// Wittrick and Williams (1971): eigenvalues below lambda = those with the end clamped + negative
// eigenvalues of the dynamic stiffness of the end (w, L w'), here in units of EI / L^3.
int roots_with_end_body_below(double lambda, const EndRatios& end) {
  const double s = std::sin(lambda), c = std::cos(lambda), t = std::tanh(lambda);
  const double d = sech(lambda) - c;
  const double l2 = lambda * lambda, l4 = l2 * l2;
  const double a = lambda * l2 * (s + c * t) / d - l4 * end.mass;
  const double b = -l2 * s * t / d - l4 * end.first_moment;
  const double g = lambda * (s - c * t) / d - l4 * end.rotary;
  const double determinant = a * g - b * b;
  const int negative = determinant < 0.0 ? 1 : (a + g < 0.0 ? 2 : 0);
  return clamped_clamped_roots_up_to(lambda) + negative;
}

double bending_root(const Line& line, const EndRatios& end, int k) {
  switch (line.boundary) {
    case Boundary::kClampedFree:
      return root_of([](double x) { return std::cos(x) + sech(x); }, (k - 1) * pi, k * pi);
    case Boundary::kPinnedFree:
      return root_of([](double x) { return std::sin(x) - std::cos(x) * std::tanh(x); }, k * pi,
                     (k + 1) * pi);
    case Boundary::kFreeFree:
    case Boundary::kClampedClamped:
      return root_of([](double x) { return std::cos(x) - sech(x); }, k * pi, (k + 1) * pi);
    case Boundary::kClampedWithTipBody:
      break;
  }
  const auto below = [&](double x) { return roots_with_end_body_below(x, end) < k; };
  return bracket_change(below, 0.0, (k + 1) * pi).b;
}

// Derivatives 0 ... 3 of the four functions with respect to lambda s.
Mat4 derivatives(double lambda, double s) {
  const double a = std::exp(-lambda * s), b = std::exp(-lambda * (1.0 - s));
  const double c = std::cos(lambda * s), d = std::sin(lambda * s);
  Mat4 rows;
  rows << a, b, c, d,  //
      -a, b, -d, c,    //
      a, b, -c, -d,    //
      -a, b, d, -c;
  return rows;
}

Eigen::Vector4d coefficients(const Line& line, const EndRatios& end, double lambda) {
  const Mat4 root = derivatives(lambda, 0.0), tip = derivatives(lambda, 1.0);
  Mat4 rows;
  switch (line.boundary) {
    case Boundary::kPinnedFree:
      rows << root.row(0), root.row(2), tip.row(2), tip.row(3);
      break;
    case Boundary::kFreeFree:
      rows << root.row(2), root.row(3), tip.row(2), tip.row(3);
      break;
    case Boundary::kClampedClamped:
      rows << root.row(0), root.row(1), tip.row(0), tip.row(1);
      break;
    case Boundary::kClampedFree:
    case Boundary::kClampedWithTipBody: {
      // EI w'' = omega^2 (S w + J w'),  EI w''' = -omega^2 (m w + S w').
      const double l2 = lambda * lambda;
      const Row4 moment =
          tip.row(2) - l2 * end.first_moment * tip.row(0) - lambda * l2 * end.rotary * tip.row(1);
      const Row4 force =
          tip.row(3) + lambda * end.mass * tip.row(0) + l2 * end.first_moment * tip.row(1);
      rows << root.row(0), root.row(1), moment.normalized(), force.normalized();
      break;
    }
  }
  const Eigen::JacobiSVD<Mat4> svd(rows, Eigen::ComputeFullV);
  return svd.matrixV().col(3);
}

double rod_root(const Line& line, const EndRatios& end, int k) {
  switch (line.boundary) {
    case Boundary::kFreeFree:
    case Boundary::kClampedClamped:
      return k * pi;
    case Boundary::kClampedFree:
    case Boundary::kPinnedFree:  // a pin holds the axis and the twist
      return (k - 0.5) * pi;
    case Boundary::kClampedWithTipBody:
      break;
  }
  return root_of([&](double x) { return std::cos(x) - end.mass * x * std::sin(x); }, (k - 1) * pi,
                 (k - 0.5) * pi);
}

}  // namespace

VecX exact_bending_roots(const Line& line, int count) {
  const EndRatios end = end_ratios(line);
  VecX roots(count);
  for (int k = 0; k < count; ++k) roots[k] = bending_root(line, end, k + 1);
  return roots;
}

VecX exact_rod_roots(const Line& line, int count) {
  const EndRatios end = end_ratios(line);
  VecX roots(count);
  for (int k = 0; k < count; ++k) roots[k] = rod_root(line, end, k + 1);
  return roots;
}

ShapeFamily exact_bending_shapes(const Line& line, int count) {
  const VecX roots = exact_bending_roots(line, count);
  const EndRatios end = end_ratios(line);
  Eigen::Matrix4Xd c(4, count);
  for (int k = 0; k < count; ++k) c.col(k) = coefficients(line, end, roots[k]);
  const double L = line.length;
  ShapeFamily family;
  family.count = count;
  family.panels = count + 2;
  family.at = [roots, c, L, count](double x) {
    ShapeValues v{VecX(count), VecX(count), VecX(count), VecX(count)};
    for (int k = 0; k < count; ++k) {
      const Eigen::Vector4d w = derivatives(roots[k], x / L) * c.col(k);
      const double rate = roots[k] / L;
      v.value[k] = w[0];
      v.slope[k] = v.rotation[k] = rate * w[1];
      v.curvature[k] = rate * rate * w[2];
    }
    return v;
  };
  return normalised(line, family);
}

ShapeFamily exact_rod_shapes(const Line& line, int count) {
  const VecX rates = exact_rod_roots(line, count) / line.length;
  const Boundary boundary = line.boundary;
  ShapeFamily family;
  family.count = count;
  family.panels = count + 2;
  family.at = [rates, boundary](double x) {
    const Eigen::ArrayXd phase = rates.array() * x, rate = rates.array();
    ShapeValues v;
    if (boundary == Boundary::kFreeFree) {
      v.value = phase.cos();
      v.slope = -rate * phase.sin();
    } else {
      v.value = phase.sin();
      v.slope = rate * phase.cos();
    }
    return v;
  };
  return normalised(line, family);
}

}  // namespace grapple::flexible
