// Symplectic methods on a fixed grid; the problem knows which numbers are positions and which are
// rates. Semi-implicit Euler (Problem::semi_implicit_step): rates first, then positions with the
// new rates; one evaluation, order 1. Velocity Verlet (Problem::verlet_step): two evaluations,
// order 2. The chord between the ends is off by h^2 / 8 of the second derivative, so that linear
// dense output has the order of either.
#include <algorithm>

#include "grapple/integrate/internal/fixed_grid.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace {

class Symplectic final : public Stepper {
 public:
  using Step = bool (Problem::*)(double t, double h, std::span<double> x);

  Symplectic(Problem& problem, const IntegratorOptions& options, Step one_step, int evaluations)
      : Stepper(problem, options),
        one_step_(one_step),
        evaluations_(evaluations),
        x_start_(size(), 0.0),
        x_end_(size(), 0.0) {
    next_step_ = options_.step;
  }

  bool step(double t_limit) override {
    const GridStep grid = next_grid_step(t_grid_, options_.step, t_, t_limit);
    x_start_ = x_;
    if (!advance(t_, grid.end)) {
      blame_derivative();
      return fail_evaluation(t_);
    }
    accept(t_, grid.end, grid.off_the_grid ? Landing::kCut : Landing::kFree);
    return true;
  }

  bool truncate(double time) override {
    if (!advance(t_previous_, time)) return false;
    --statistics_.steps;  // the same step again
    accept(t_previous_, time, Landing::kCut);
    return true;
  }

  void interpolate(double time, std::span<double> x_out) override {
    const double h = t_ - t_previous_;
    const double s = h > 0.0 ? (time - t_previous_) / h : 1.0;
    for (std::size_t i = 0; i < size(); ++i) x_out[i] = std::lerp(x_start_[i], x_end_[i], s);
    problem_.project(time, x_out);
  }

 private:
  void reset() override {
    x_start_ = x_;
    x_end_ = x_;
    next_step_ = options_.step;
  }
  void reset_derivative() override {}
  void restore_method(std::span<const double> /*memory*/) override { reset(); }

  bool advance(double t, double t_end) {
    x_end_ = x_start_;
    statistics_.evaluations += evaluations_;
    const bool evaluable = (problem_.*one_step_)(t, t_end - t, x_end_);
    blamed_ = first_non_finite(x_end_);
    if (!evaluable || blamed_ >= 0) {
      x_end_ = x_;
      return false;
    }
    x_ = x_end_;
    return true;
  }

  // The step has spread a bad derivative to every component; the derivative itself knows better.
  void blame_derivative() {
    const int spread = blamed_;
    evaluate(t_, x_, x_end_);
    if (blamed_ < 0) blamed_ = spread;
    x_end_ = x_;
  }

  Step one_step_;
  int evaluations_;
  std::vector<double> x_start_, x_end_;
};

}  // namespace

std::unique_ptr<Stepper> make_semi_implicit_euler(Problem& problem,
                                                  const IntegratorOptions& options) {
  return std::make_unique<Symplectic>(problem, options, &Problem::semi_implicit_step, 1);
}

std::unique_ptr<Stepper> make_velocity_verlet(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<Symplectic>(problem, options, &Problem::verlet_step, 2);
}

}  // namespace grapple::integrate
