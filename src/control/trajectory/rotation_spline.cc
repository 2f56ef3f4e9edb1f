#include "grapple/control/trajectory/rotation_spline.h"

#include <algorithm>
#include <cmath>

#include "grapple/spatial/rotation.h"

namespace grapple::control {

namespace {

using spatial::Mat3;
using spatial::Vec3;

// R = R0 exp(phi(x)^) with angular velocity and acceleration in parent axes.
Turning turned(const Mat3& R0, const Vec3& phi, const Vec3& rate, const Vec3& acceleration) {
  const spatial::RotationCoefficients<double> k(phi.squaredNorm());
  const Mat3 B = spatial::turning_matrix(k, phi);
  return {R0 * spatial::rotation_matrix(k, phi), R0 * (B * rate),
          R0 * (B * acceleration + spatial::turning_rate(k, phi, rate))};
}

}  // namespace

Turning turn_between(const Mat3& R_A, const Vec3& rotation_vector, const Jet& s) {
  const spatial::RotationCoefficients<double> k((s.value * rotation_vector).squaredNorm());
  const Vec3 axis = R_A * rotation_vector;  // fixed: in the axes of A and of B alike
  const Vec3 phi = s.value * rotation_vector;
  return {R_A * spatial::rotation_matrix(k, phi), s.rate * axis, s.acceleration * axis};
}

Vec3 RotationSpline::acceleration_at_begin(std::size_t piece,
                                           const std::vector<Vec3>& omega) const {
  const double h = knots_[piece + 1] - knots_[piece];
  const Vec3& turn = pieces_[piece].turn;
  const Vec3 end = spatial::rotation_vector_rate(turn, omega[piece + 1]);
  return (6.0 / h * turn - 4.0 * omega[piece] - 2.0 * end) / h;
}

Vec3 RotationSpline::acceleration_at_end(std::size_t piece, const std::vector<Vec3>& omega) const {
  const double h = knots_[piece + 1] - knots_[piece];
  const Vec3& turn = pieces_[piece].turn;
  const Vec3 end = spatial::rotation_vector_rate(turn, omega[piece + 1]);
  const Vec3 second = (-6.0 / h * turn + 2.0 * omega[piece] + 4.0 * end) / h;
  return spatial::body_acceleration(turn, end, second);
}

// What a knot's angular velocity (in its own axes) must make zero: the jump of the angular
// acceleration, at a natural end the acceleration itself.
Vec3 RotationSpline::residual(std::size_t knot, const std::vector<Vec3>& omega) const {
  Vec3 jump = Vec3::Zero();
  if (knot > 0) jump += acceleration_at_end(knot - 1, omega);
  if (knot < pieces_.size()) jump -= acceleration_at_begin(knot, omega);
  return jump;
}

RotationSpline::RotationSpline(std::span<const double> knots, std::span<const Mat3> rotations,
                               SplineEnds ends)
    : knots_(knots.begin(), knots.end()) {
  for (std::size_t i = 0; i + 1 < rotations.size(); ++i) {
    const Mat3 step = rotations[i].transpose() * rotations[i + 1];
    pieces_.push_back(
        {rotations[i], spatial::rotation_vector(spatial::quaternion_of(step)), {}, {}});
  }
  const std::size_t n = knots_.size();
  std::vector<Vec3> omega(n, Vec3::Zero());
  // Each sweep halves what is left where turns are small: the diagonal 4/h outweighs the 2/h of the
  // neighbours.
  constexpr int kMostSweeps = 2000;
  const std::size_t first = ends == SplineEnds::kClamped ? 1 : 0;
  converged_ = first >= n - first;
  for (int sweep = 0; sweep < kMostSweeps && !converged_; ++sweep) {
    double change = 0.0, size = 0.0;
    for (std::size_t i = first; i < n - first; ++i) {
      double diagonal = 0.0;
      if (i > 0) diagonal += 4.0 / (knots_[i] - knots_[i - 1]);
      if (i + 1 < n) diagonal += 4.0 / (knots_[i + 1] - knots_[i]);
      const Vec3 step = residual(i, omega) / diagonal;
      omega[i] -= step;
      change = std::max(change, step.norm());
      size = std::max(size, omega[i].norm());
    }
    if (!std::isfinite(size)) break;
    converged_ = change <= 1e-15 * size || change == 0.0;
    if (!converged_ && sweep > 200) converged_ = change <= 1e-12 * size;  // the rounding's end
  }
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].rate_begin = omega[i];
    pieces_[i].rate_end = spatial::rotation_vector_rate(pieces_[i].turn, omega[i + 1]);
  }
}

Turning RotationSpline::at(double x) const {
  if (x < knots_.front()) return {pieces_.front().R0, Vec3::Zero(), Vec3::Zero()};
  const auto next = std::upper_bound(knots_.begin(), knots_.end(), x);
  const auto after = static_cast<std::size_t>(next - knots_.begin());
  const std::size_t i = std::clamp<std::size_t>(after, 1, pieces_.size()) - 1;
  const Piece& piece = pieces_[i];
  const double h = knots_[i + 1] - knots_[i];
  if (x > knots_.back()) return turned(piece.R0, piece.turn, Vec3::Zero(), Vec3::Zero());
  // The cubic with values 0, turn and these slopes at its ends.
  const double y = x - knots_[i];
  const Vec3 c = (3.0 * piece.turn / h - 2.0 * piece.rate_begin - piece.rate_end) / h;
  const Vec3 d = (-2.0 * piece.turn / h + piece.rate_begin + piece.rate_end) / (h * h);
  return turned(piece.R0, y * (piece.rate_begin + y * (c + y * d)),
                piece.rate_begin + y * (2.0 * c + 3.0 * y * d), 2.0 * c + 6.0 * y * d);
}

}  // namespace grapple::control
