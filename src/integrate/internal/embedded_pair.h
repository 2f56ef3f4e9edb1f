// Explicit Runge-Kutta pairs whose last stage is the solution and the first of the next step
// (FSAL), with error control: what Dormand-Prince 5(4) and 8(5,3) have in common. Source: Hairer,
// Norsett and Wanner, Solving Ordinary Differential Equations I, II.4 (first step, PI step
// control).
//
// The error norm is the largest |e_i| / (atol + rtol max(|x_i|, |x_i'|)) over the controlled
// components, not a mean: users read the tolerance as a promise about every coordinate.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

/// The numbers of a pair. Row s of the weights: of the stages before stage s + 1; the last row is
/// the solution.
struct PairNumbers {
  std::size_t stages = 0;
  std::span<const double> nodes;
  std::span<const double> weights;  ///< by rows of `stages` - 1
  std::size_t more_stages = 0;      ///< that its continuous extension has besides
  double order = 5.0;
};

class EmbeddedPair : public Stepper {
 public:
  EmbeddedPair(Problem& problem, const IntegratorOptions& options, const PairNumbers& numbers);

  bool step(double t_limit) override;
  bool truncate(double time) override;
  int worst_component() override { return worst_; }

 protected:
  /// Of the step from x_start_ to x_end_, whose rates are in k_, in units of the tolerance; sets
  /// worst_.
  virtual double error_norm(double h) = 0;
  /// The continuous extension of that step, which ends at t.
  virtual void extend(double t, double t_end) = 0;
  /// It stands still.
  virtual void reset_extension() = 0;

  double weight(double a, double b) const {
    return absolute_tolerance_ + options_.relative_tolerance * std::max(std::abs(a), std::abs(b));
  }
  struct Largest {
    double error = 0.0;
    int component = -1;
  };
  /// Of error_, in units of the tolerance.
  Largest largest_judged();

  std::size_t controlled_;
  std::vector<std::vector<double>> k_;  ///< k_[0] at the start of the last step
  std::vector<double> x_start_, x_end_, stage_, error_;
  int worst_ = -1;

 private:
  void reset() override;
  void reset_derivative() override { has_derivative_ = false; }
  void save_method(std::vector<double>& memory) override;
  void restore_method(std::span<const double> memory) override;

  bool read_derivative();
  bool take_step(double t_limit);
  void choose_next_step(double wanted, double taken, double error, double largest_growth);
  bool attempt(double t, double t_end);
  void accept_end(double t, double t_end, Landing landing);
  double first_step(double t_limit);
  bool probe(double h);
  double scaled_norm(const std::vector<double>& v) const;
  double scaled_difference() const;
  bool fail_tolerance();

  PairNumbers numbers_;
  double exponent_;
  double absolute_tolerance_;
  std::vector<double> f_end_;
  bool has_derivative_ = false;  ///< f_end_ belongs to (t_, x_)
  double previous_error_;
};

}  // namespace grapple::integrate
