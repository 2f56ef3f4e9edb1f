// Generalized-alpha for systems of second order with constraints, fixed steps or steps by an error
// estimate. Derived values beside the state that a test may want are public here; users call
// make_stepper.
#pragma once

#include "grapple/integrate/internal/alpha_path.h"
#include "grapple/integrate/internal/alpha_solver.h"
#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

class GeneralizedAlpha final : public Stepper {
 public:
  GeneralizedAlpha(Problem& problem, const IntegratorOptions& options);

  bool step(double t_limit) override;
  int worst_component() override { return worst_; }
  void interpolate(double time, std::span<double> x_out) override;
  bool truncate(double time) override;

  /// Of the rows, at the end of the last step.
  const spatial::VecX& multipliers() const { return end_.lambda; }
  /// v' and z' there.
  const spatial::VecX& accelerations() const { return end_.u_rate; }

 private:
  void reset() override;
  void reset_derivative() override;
  void save_method(std::vector<double>& memory) override;
  void restore_method(std::span<const double> memory) override;

  bool begin_run(double t_limit);
  bool probe_slope(double h);
  double first_step(double t_limit);
  bool step_on_grid(double t_limit);
  bool step_by_error(double t_limit);
  AlphaSolver::Outcome attempt(double t_end);
  double error_of(double h);
  double error_norm(const spatial::VecX& error_q, const spatial::VecX& error_u);
  void accept_end(double t_end, Landing landing);
  bool fail_attempt(AlphaSolver::Outcome outcome);

  SecondOrderProblem& second_;
  SecondOrderSizes n_;
  AlphaCoefficients c_;
  AlphaSolver solver_;
  AlphaPath path_;
  AlphaState begin_, end_, kept_;  ///< of the last step; between steps end_ is where the run is
  spatial::VecX previous_rate_, probed_rate_, error_q_, error_u_, scales_, third_;
  double previous_h_ = 0.0;  ///< of the step before; 0: none
  bool has_rate_ = false;    ///< end_.u_rate, lambda and slope belong to (t_, x_)
  bool has_path_ = false;
  int worst_ = -1;
};

}  // namespace grapple::integrate
