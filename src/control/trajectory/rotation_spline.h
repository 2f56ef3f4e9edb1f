// A spline of orientations, twice continuously differentiable: on each piece
//   R(x) = R_i exp(phi(x)^),   phi a cubic with phi(0) = 0, phi(h) = log(R_i^T R_i+1),
// so that it does not depend on the choice of axes. The angular velocities at the knots follow
// from equal angular accelerations on both sides (the condition of Park and Ravani, ACM Trans.
// Graphics 16, 1997, posed at both ends instead of as a march). Neighbouring orientations must be
// less than half a turn apart.
#pragma once

#include <span>
#include <vector>

#include "grapple/control/trajectory/polynomial_path.h"
#include "grapple/spatial/types.h"

namespace grapple::control {

/// Orientation, angular velocity and acceleration by the parameter, all in parent axes.
struct Turning {
  spatial::Mat3 R = spatial::Mat3::Identity();
  spatial::Vec3 omega = spatial::Vec3::Zero(), alpha = spatial::Vec3::Zero();
};

class RotationSpline {
 public:
  /// knots: increasing, at least two, one per rotation. converged() is false where no such spline
  /// was found.
  RotationSpline(std::span<const double> knots, std::span<const spatial::Mat3> rotations,
                 SplineEnds ends);

  bool converged() const { return converged_; }
  /// Outside the knots the end orientations hold.
  Turning at(double x) const;

 private:
  struct Piece {
    spatial::Mat3 R0;
    spatial::Vec3 turn;                  ///< rotation vector to the next
    spatial::Vec3 rate_begin, rate_end;  ///< of the rotation vector
  };
  spatial::Vec3 residual(std::size_t knot, const std::vector<spatial::Vec3>& omega) const;
  spatial::Vec3 acceleration_at_begin(std::size_t piece,
                                      const std::vector<spatial::Vec3>& omega) const;
  spatial::Vec3 acceleration_at_end(std::size_t piece,
                                    const std::vector<spatial::Vec3>& omega) const;

  std::vector<double> knots_;
  std::vector<Piece> pieces_;
  bool converged_ = true;
};

/// The turn from A to B about a fixed axis: slerp. s from 0 to 1 with its rate and acceleration.
Turning turn_between(const spatial::Mat3& R_A, const spatial::Vec3& rotation_vector, const Jet& s);

}  // namespace grapple::control
