// One accepted step at a time: the common face of all integration methods.
//
// A Stepper owns its copy of the state. Every state it hands out (x(), interpolate()) lies on the
// problem's manifold: Problem::project has been applied. After construction the one-step methods
// allocate nothing except text when they fail.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "grapple/integrate/options.h"
#include "grapple/integrate/problem.h"

namespace grapple::integrate {

/// How a checkpoint's numbers are called where they do not fit (saved_numbers.h).
inline constexpr const char* kSaved = "numbers of the integrator";

/// Why a step could not be taken. The state of before that step stays valid.
struct Failure {
  std::string cause;   ///< a sentence with the time; empty if nothing failed
  int component = -1;  ///< the component of x to blame, or -1
};

class Stepper {
 public:
  /// The problem must outlive the stepper. Throws Error GR-701 if an option is out of range.
  Stepper(Problem& problem, const IntegratorOptions& options);
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Begins a run; fixed-step methods put their grid at t + k * step.
  void start(double t, std::span<const double> x);
  /// Goes on from a state or a mode that jumped: nothing of the past is used, but the fixed grid
  /// stays where it was.
  void restart(double t, std::span<const double> x);
  /// The right-hand side has a kink here, the state has none: derivatives are read anew, the step
  /// size is kept where the method allows it.
  void pass_kink();

  /// One accepted step, not beyond t_limit > t() and exactly onto it if reached. False: failure().
  virtual bool step(double t_limit) = 0;
  /// Dense output for previous_t() <= time <= t() of the last step.
  virtual void interpolate(double time, std::span<double> x_out) = 0;
  /// Redoes the last step so that it ends at previous_t() < time <= its first end, or earlier where
  /// the redone step does not meet the tolerance: the state there then has the order of the method,
  /// not of the interpolant. False, with the step as it was, if the method cannot (multistep
  /// methods).
  virtual bool truncate(double /*time*/) { return false; }

  double t() const { return t_; }
  double previous_t() const { return t_previous_; }
  std::span<const double> x() const { return x_; }
  double last_step() const { return t_ - t_previous_; }
  /// The step the method would like to take next; 0 if it has not been estimated yet.
  double next_step() const { return next_step_; }
  /// The last step times an estimate of the fastest rate in it; 0 if the method makes none.
  virtual double stiffness() const { return 0.0; }
  /// The component of x whose error is largest in the last estimate, or -1.
  virtual int worst_component() { return -1; }
  const Failure& failure() const { return failure_; }
  const Statistics& statistics() const { return statistics_; }
  const IntegratorOptions& options() const { return options_; }
  Problem& problem() { return problem_; }

  /// Everything the next step depends on. A stepper of the same problem and options that restores
  /// it continues with the same bits. CVODE hides its history, so there save() also reinitialises
  /// the running solver: a run that saved here and a run resumed here agree to the bit (but differ,
  /// within tolerance, from a run that never saved).
  std::vector<double> save();
  /// The same, and the running solver goes on as if nothing had happened. A run of CVODE resumed
  /// from here agrees with it within the tolerance only.
  std::vector<double> copy_memory();
  void restore(std::span<const double> memory);

 protected:
  /// Forget all history: t_ and x_ are new.
  virtual void reset() = 0;
  virtual void reset_derivative() { reset(); }
  /// The method's own part of save() and restore().
  virtual void save_method(std::vector<double>& /*memory*/) {}
  /// Forgets what save_method() cannot save; the second half of save().
  virtual void forget_unsaved() {}
  virtual void restore_method(std::span<const double> /*memory*/) {}

  /// f(t, x), counted and checked; false if it cannot be evaluated or is not finite.
  bool evaluate(double t, std::span<const double> x, std::span<double> xdot);
  /// Sets failure() from what evaluate() found last.
  bool fail_evaluation(double t);
  bool fail(std::string cause, int component);
  double smallest_step(double t) const;
  /// Ends an accepted step: x_ is projected, the counters move on.
  enum class Landing { kFree, kCut };
  void accept(double t_previous, double t, Landing landing);
  /// Index of the first value that is not finite, or -1.
  int first_non_finite(std::span<const double> values) const;

  std::size_t size() const { return x_.size(); }

  Problem& problem_;
  IntegratorOptions options_;
  double t_ = 0.0;
  double t_previous_ = 0.0;
  double t_grid_ = 0.0;  ///< origin of the fixed grid
  double next_step_ = 0.0;
  std::vector<double> x_;
  Statistics statistics_;
  Failure failure_;
  int blamed_ = -1;  ///< component that made the last evaluation or step not finite, or -1
};

/// The stepper of options.method.
std::unique_ptr<Stepper> make_stepper(Problem& problem, const IntegratorOptions& options);

}  // namespace grapple::integrate
