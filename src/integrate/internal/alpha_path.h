// The motion within one step: q0 o exp(delta(t)) with the cubic delta that has the displacement and
// the velocities of both ends, z the cubic through values and rates. Quadratures ride along it by
// Gauss's rule of three points, exact for the energies of linear systems.
#pragma once

#include <array>

#include "grapple/integrate/internal/alpha_solver.h"

namespace grapple::integrate {

class AlphaPath {
 public:
  explicit AlphaPath(SecondOrderProblem& problem);

  /// The end as it was accepted: on the manifold, driven coordinates in their place.
  void set(const AlphaState& begin, const AlphaState& end);
  /// q, v and z at 0 <= s <= 1; quadratures by the parabola through the powers at Gauss's places,
  /// as integrate_quadratures() found them.
  void state(double s, std::span<double> x);
  /// The quadratures at the end of x_end, advanced from those of the beginning.
  void integrate_quadratures(std::span<double> x_end);

 private:
  void place(double s);

  SecondOrderProblem& problem_;
  SecondOrderSizes n_;
  double t_ = 0.0, h_ = 0.0;
  spatial::VecX x0_, displacement_, rate0_, rate1_;  ///< of delta
  spatial::VecX z1_, z_rate0_, z_rate1_, work1_, lambda0_, lambda1_;
  spatial::VecX delta_, delta_rate_, delta_acceleration_;  ///< at the place looked at
  spatial::VecX x_, u_rate_, lambda_, power_;
  std::array<spatial::VecX, 3> powers_;
};

}  // namespace grapple::integrate
