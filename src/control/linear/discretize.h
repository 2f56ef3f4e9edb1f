// Systems x' = A x + B u as a computer sees them that samples every T seconds and holds u between:
//   x+ = Phi x + Gamma u,  Phi = exp(A T),  Gamma = integral of exp(A s) B ds over 0 ... T,
// both from one exponential of [A B; 0 0] T. With an input that acts tau = (d - f) T late, d whole,
// 0 <= f < 1:  x+ = Phi x + Gamma_late u(k-d) + Gamma_early u(k-d+1), the new value acting during
// the last f T of the period.
// The cost of the continuous motion between samples, with cross term, is a sum over the samples
// (Van Loan 1978); it is found for T / 2^j and doubled, which stays accurate where A T is large.
#pragma once

#include "grapple/control/linear/riccati.h"
#include "grapple/spatial/types.h"

namespace grapple::control {

struct DiscreteModel {
  spatial::MatX A;  ///< Phi, n x n
  spatial::MatX B;  ///< Gamma, n x m
};

/// period: s, >= 0. Throws Error GR-980 if sizes do not fit or the period is not finite.
DiscreteModel zero_order_hold(const spatial::MatX& A, const spatial::MatX& B, double period);

struct DelayedModel {
  spatial::MatX A;      ///< Phi
  spatial::MatX late;   ///< of u(k-d)
  spatial::MatX early;  ///< of u(k-d+1); zero where the delay is a whole number of periods
  int samples = 0;      ///< d
};
/// delay: s, >= 0.
DelayedModel zero_order_hold(const spatial::MatX& A, const spatial::MatX& B, double period,
                             double delay);
/// The same as a system without delay, with the states [x; u(k-1); ...; u(k-d)].
DiscreteModel with_inputs_on_their_way(const DelayedModel& delayed);

struct SampledCost {
  DiscreteModel model;
  Weights weights;  ///< with cross term N
};
/// The sum of x^T Q x + 2 x^T N u + u^T R u over samples, equal to the integral of the cost.
SampledCost sampled_cost(const spatial::MatX& A, const spatial::MatX& B, const Weights& weights,
                         double period);

/// The regulator of the sampled system that is optimal for the continuous cost.
RiccatiSolution sampled_lqr(const spatial::MatX& A, const spatial::MatX& B, const Weights& weights,
                            double period);

}  // namespace grapple::control
