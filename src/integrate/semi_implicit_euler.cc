// Semi-implicit (symplectic) Euler on a fixed grid: rates first, then positions with the new rates;
// the problem knows which is which (Problem::semi_implicit_step). Order 1, so linear dense output
// loses nothing.
#include <algorithm>

#include "grapple/integrate/internal/fixed_grid.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace {

class SemiImplicitEuler final : public Stepper {
 public:
  SemiImplicitEuler(Problem& problem, const IntegratorOptions& options)
      : Stepper(problem, options), x_start_(size(), 0.0), x_end_(size(), 0.0) {
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
    ++statistics_.evaluations;
    const bool evaluable = problem_.semi_implicit_step(t, t_end - t, x_end_);
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

  std::vector<double> x_start_, x_end_;
};

}  // namespace

std::unique_ptr<Stepper> make_semi_implicit_euler(Problem& problem,
                                                  const IntegratorOptions& options) {
  return std::make_unique<SemiImplicitEuler>(problem, options);
}

}  // namespace grapple::integrate
