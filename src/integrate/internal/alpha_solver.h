// The nonlinear equations of one step of generalized-alpha on a manifold with constraints, by a
// simplified Newton method. The step holds the rows and their rates both (the stabilised index-2
// form): the rates by lambda, the positions by a small shift w of the step's displacement,
//   q1 = q0 o exp(delta + w),  r = 0,  A v + g_t = 0,  g = 0
// With b1 as unknown and the rows divided by gamma h and beta h^2 the matrix
//   [ J   -A' ]    J = c M + gamma h C + beta h^2 K
//   [ V    0  ]    V = A + (beta h / gamma) d(A v)/dq
// keeps its condition as h -> 0. It serves for (b1, lambda) and for w = J^-1 A' mu, the shift that
// stiff forces resist least. Its factors are kept while they converge. Rows that follow from others
// are left out with lambda = 0.
// Sources: Bruls, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121-137; Arnold, Bruls and
// Cardona, Numer. Math. 129 (2015) 149-179 (stabilised index-2 form: no order lost in lambda).
#pragma once

#include <vector>

#include "grapple/integrate/internal/alpha_matrix.h"
#include "grapple/integrate/internal/alpha_scheme.h"
#include "grapple/integrate/second_order.h"

namespace grapple::integrate {

/// One end of a step.
struct AlphaState {
  explicit AlphaState(const SecondOrderSizes& n);

  double t = 0.0;
  spatial::VecX x;       ///< q | v | z | quadratures
  spatial::VecX u_rate;  ///< v' | z'
  spatial::VecX lambda;
  /// (b - u') / h: b of a step of another length is u' + h slope.
  spatial::VecX slope;
};

class AlphaSolver {
 public:
  enum class Outcome { kConverged, kDiverged, kNotEvaluable };

  AlphaSolver(SecondOrderProblem& problem, const IntegratorOptions& options,
              Statistics& statistics);

  /// Fills `end` from `begin`; end.t is given.
  Outcome solve(const AlphaState& begin, AlphaState& end);
  /// Displacement of the last solution from begin, size rates.
  const spatial::VecX& displacement() const { return displacement_; }

  /// y <- the part of y that the stiff forces of this step leave: J^-1 c M y, with A y kept.
  void filter(const AlphaState& at, double h, spatial::VecX& y);

  /// The equations have changed: no factor and no guess is worth anything.
  void forget() { has_factor_ = false; }

  /// With the numbers of the matrix: from them the factors are made again with the same bits.
  void save(std::vector<double>& memory) const;
  void restore(std::span<const double> memory);

 private:
  Outcome iterate(const AlphaState& begin, AlphaState& end);
  void predict(const AlphaState& begin, AlphaState& end);
  void place(const AlphaState& begin, AlphaState& end);
  bool evaluate(const AlphaState& at);
  bool factor(const AlphaState& at, double h);
  double correct(double h, AlphaState& end);
  double correction_size(double h) const;
  void weigh(const AlphaState& begin, double h);
  bool is_worn(double h) const;

  SecondOrderProblem& problem_;
  AlphaCoefficients c_;
  SecondOrderSizes n_;
  double relative_, absolute_;
  Statistics& statistics_;

  SecondOrderResidual residual_;
  AlphaMatrix matrix_;
  spatial::VecX b0_, b1_, shift_, displacement_;
  spatial::VecX rhs_, solution_, weights_q_, weights_u_, scales_, difference_;
  spatial::VecX step_b_, step_w_;

  double made_h_ = 0.0;  ///< step of the factors
  bool has_factor_ = false, is_fresh_ = false;
  double contraction_ = 0.0;
};

}  // namespace grapple::integrate
