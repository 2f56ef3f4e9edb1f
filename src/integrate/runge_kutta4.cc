// The classical Runge-Kutta method of order 4 on a fixed grid, with cubic Hermite dense output
// (also of order 4) from the derivatives at both ends.
#include <algorithm>
#include <array>

#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/internal/fixed_grid.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace {

class RungeKutta4 final : public Stepper {
 public:
  RungeKutta4(Problem& problem, const IntegratorOptions& options) : Stepper(problem, options) {
    for (auto* v : {&x_start_, &x_end_, &f_start_, &f_end_, &stage_, &k_}) v->resize(size(), 0.0);
    next_step_ = options_.step;
  }

  bool step(double t_limit) override {
    if (!read_end_derivative()) return fail_evaluation(t_);
    const GridStep grid = next_grid_step(t_grid_, options_.step, t_, t_limit);
    std::swap(f_start_, f_end_);
    x_start_ = x_;
    if (!advance(t_, grid.end)) {
      std::swap(f_start_, f_end_);
      return fail_evaluation(t_);
    }
    accept_end(t_, grid.end, grid.off_the_grid ? Landing::kCut : Landing::kFree);
    return true;
  }

  bool truncate(double time) override {
    if (!advance(t_previous_, time)) {
      x_end_ = x_;
      return false;
    }
    --statistics_.steps;  // the same step again
    accept_end(t_previous_, time, Landing::kCut);
    return true;
  }

  void interpolate(double time, std::span<double> x_out) override {
    const double h = t_ - t_previous_;
    const double s = h > 0.0 ? (time - t_previous_) / h : 1.0;
    // Without a derivative at the end the chord is all there is; the next step will fail there.
    const double bend = read_end_derivative() ? s * (1.0 - s) : 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
      const double chord = x_end_[i] - x_start_[i];
      const double bow = (1.0 - s) * (h * f_start_[i] - chord) + s * (chord - h * f_end_[i]);
      x_out[i] = x_start_[i] + s * chord + (bend > 0.0 ? bend * bow : 0.0);
    }
    problem_.project(time, x_out);
  }

 private:
  void reset() override {
    x_start_ = x_;
    x_end_ = x_;
    has_end_derivative_ = false;
    next_step_ = options_.step;
  }
  void reset_derivative() override { has_end_derivative_ = false; }
  // The derivative at the end is there already if the last step was interpolated.
  void save_method(std::vector<double>& memory) override {
    memory.push_back(has_end_derivative_ ? 1.0 : 0.0);
    memory.insert(memory.end(), f_end_.begin(), f_end_.end());
  }
  void restore_method(std::span<const double> memory) override {
    SavedNumbers saved(memory, kSaved);
    reset();
    has_end_derivative_ = saved.flag();
    saved.copy_to(f_end_);
    saved.expect_end();
  }

  bool read_end_derivative() {
    if (!has_end_derivative_) has_end_derivative_ = evaluate(t_, x_, f_end_);
    return has_end_derivative_;
  }

  // x_end_ from x_start_, f_start_; x_ is untouched.
  bool advance(double t, double t_end) {
    static constexpr std::array kStageTime{0.5, 0.5, 1.0};
    static constexpr std::array kStageWeight{1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    const double h = t_end - t;
    const auto n = size();
    for (std::size_t i = 0; i < n; ++i) {
      x_end_[i] = x_start_[i] + h / 6.0 * f_start_[i];
      stage_[i] = x_start_[i] + 0.5 * h * f_start_[i];
    }
    for (std::size_t s = 0; s < 3; ++s) {
      if (!evaluate(t + kStageTime[s] * h, stage_, k_)) return false;
      const double next = s < 2 ? kStageTime[s + 1] * h : 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        x_end_[i] += kStageWeight[s] * h * k_[i];
        stage_[i] = x_start_[i] + next * k_[i];
      }
    }
    blamed_ = first_non_finite(x_end_);
    return blamed_ < 0;
  }

  void accept_end(double t, double t_end, Landing landing) {
    x_ = x_end_;
    has_end_derivative_ = false;
    accept(t, t_end, landing);
  }

  std::vector<double> x_start_, x_end_, f_start_, f_end_, stage_, k_;
  bool has_end_derivative_ = false;
};

}  // namespace

std::unique_ptr<Stepper> make_runge_kutta4(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta4>(problem, options);
}

}  // namespace grapple::integrate
