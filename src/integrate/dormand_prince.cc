// Dormand-Prince 5(4), first same as last (FSAL), with its continuous extension of order 4.
// Sources: Dormand and Prince, J. Comp. Appl. Math. 6 (1980) 19-26 (the pair); Hairer, Norsett and
// Wanner, Solving Ordinary Differential Equations I, II.4-II.6 (first step, PI step control, dense
// output).
//
// The error norm is the largest |e_i| / (atol + rtol max(|x_i|, |x_i'|)) over the controlled
// components, not a mean: users read the tolerance as a promise about every coordinate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/internal/methods.h"
#include "grapple/integrate/internal/step_control.h"

namespace grapple::integrate {

namespace {

constexpr std::size_t kStages = 7;
constexpr std::array<double, kStages> kNode{0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
// Row s: weights of the stages before stage s + 1; the last row is the solution of order 5.
constexpr std::array<std::array<double, 6>, 6> kWeight{
    {{1.0 / 5.0},
     {3.0 / 40.0, 9.0 / 40.0},
     {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
     {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
     {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
     {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}}};
// Order 5 minus order 4.
constexpr std::array<double, kStages> kError{
    71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
// The quartic term of the continuous extension.
constexpr std::array<double, kStages> kDense{
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0};

// PI control: h' = 0.9 h err^-(1/5 - 0.75 b) err_previous^b.
constexpr double kBeta = 0.04;
constexpr double kExponent = 0.2 - 0.75 * kBeta;
constexpr double kLargestGrowth = 10.0;
constexpr double kErrorFloor = 1e-4;  ///< a lucky small error must not inflate the next step
// An isolated place that cannot be evaluated (a singular position of a loop) is stepped over first.
constexpr double kSidestep = 0.8;
constexpr int kSidesteps = 5;
// Stage 2 has no part in the solution nor in the error: what it alone meets, as a stiff contact
// that throws the stages after it clear of it, would go unseen. Its rate may differ from the line
// through those of stages 1 and 3 as far as third-order terms go at this tolerance (tolerance^0.6
// of the size, times a margin), and by half the size at most.
constexpr double kStageMargin = 30.0;
constexpr double kStageShare = 0.5;

class DormandPrince final : public Stepper {
 public:
  DormandPrince(Problem& problem, const IntegratorOptions& options)
      : Stepper(problem, options),
        absolute_tolerance_(absolute_tolerance(options)),
        controlled_(static_cast<std::size_t>(problem.controlled_size())) {
    GRAPPLE_ASSERT(controlled_ <= size());
    for (auto& k : k_) k.resize(size(), 0.0);
    for (auto& c : dense_) c.resize(size(), 0.0);
    for (auto* v : {&x_start_, &x_end_, &f_end_, &stage_}) v->resize(size(), 0.0);
    error_.resize(controlled_, 0.0);
  }

  bool step(double t_limit) override {
    if (!has_derivative_ && !read_derivative()) return fail_evaluation(t_);
    if (next_step_ <= 0.0) next_step_ = first_step(t_limit);
    k_[0].swap(f_end_);
    x_start_ = x_;
    if (take_step(t_limit)) return true;
    k_[0].swap(f_end_);
    return false;
  }

  bool truncate(double time) override {
    // The first attempt may have stepped over what this one meets.
    double h = time - t_previous_;
    for (;;) {
      const double t_end = t_previous_ + h < time ? t_previous_ + h : time;
      if (!attempt(t_previous_, t_end)) break;
      const double error = error_norm(t_end - t_previous_);
      if (error <= 1.0) {
        --statistics_.steps;  // the same step again
        accept_end(t_previous_, t_end, Landing::kCut);
        return true;
      }
      ++statistics_.rejected;
      h *= std::clamp(kSafety * std::pow(error, -kExponent), kSmallestGrowth, kSidestep);
      if (h < smallest_step(t_previous_)) break;
    }
    x_end_ = x_;
    return false;
  }

  // |f(x_7) - f(x_6)| / |x_7 - x_6|: both stages lie at the end of the step.
  double stiffness() const override {
    double rates = 0.0, states = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const double w = weight(x_start_[i], x_end_[i]);
      const double rate = (k_[6][i] - k_[5][i]) / w, state = (x_end_[i] - stage_[i]) / w;
      rates += rate * rate;
      states += state * state;
    }
    return states > 0.0 ? last_step() * std::sqrt(rates / states) : 0.0;
  }

  int worst_component() override { return worst_; }

  void interpolate(double time, std::span<double> x_out) override {
    const double h = t_ - t_previous_;
    const double s = h > 0.0 ? (time - t_previous_) / h : 1.0;
    const double r = 1.0 - s;
    for (std::size_t i = 0; i < size(); ++i) {
      x_out[i] = dense_[0][i] +
                 s * (dense_[1][i] + r * (dense_[2][i] + s * (dense_[3][i] + r * dense_[4][i])));
    }
    problem_.project(time, x_out);
  }

 private:
  void reset() override {
    has_derivative_ = false;
    previous_error_ = kErrorFloor;
    dense_[0] = x_;
    for (std::size_t j = 1; j < dense_.size(); ++j)
      std::fill(dense_[j].begin(), dense_[j].end(), 0.0);
  }
  void reset_derivative() override { has_derivative_ = false; }

  void save_method(std::vector<double>& memory) override {
    memory.push_back(has_derivative_ ? 1.0 : 0.0);
    memory.push_back(previous_error_);
    memory.insert(memory.end(), f_end_.begin(), f_end_.end());
  }
  void restore_method(std::span<const double> memory) override {
    SavedNumbers saved(memory, kSaved);
    const double next = next_step_;
    reset();
    next_step_ = next;
    has_derivative_ = saved.flag();
    previous_error_ = saved.number();
    saved.copy_to(f_end_);
    saved.expect_end();
  }

  bool read_derivative() {
    has_derivative_ = evaluate(t_, x_, f_end_);
    return has_derivative_;
  }

  bool take_step(double t_limit) {
    double h = std::min(next_step_, options_.max_step);
    double largest_growth = kLargestGrowth;
    for (int refusals = 0;;) {
      const bool lands = t_ + kStretch * h >= t_limit;
      const double t_end = lands ? t_limit : t_ + h;
      const double taken = t_end - t_;
      const bool evaluable = attempt(t_, t_end);
      const double error = evaluable ? error_norm(taken) : 0.0;
      if (evaluable && error <= 1.0) {
        choose_next_step(h, taken, error, largest_growth);
        accept_end(t_, t_end, taken < h ? Landing::kCut : Landing::kFree);
        return true;
      }
      ++statistics_.rejected;
      largest_growth = 1.0;
      const double factor = evaluable
                                ? std::max(kSmallestGrowth, kSafety * std::pow(error, -kExponent))
                                : (++refusals <= kSidesteps ? kSidestep : kCut);
      h = taken * factor;
      if (h < smallest_step(t_)) return evaluable ? fail_tolerance() : fail_evaluation(t_);
    }
  }

  void choose_next_step(double wanted, double taken, double error, double largest_growth) {
    const double bounded = std::max(error, 1e-10);
    const double growth =
        kSafety * std::pow(bounded, -kExponent) * std::pow(previous_error_, kBeta);
    next_step_ = taken * std::clamp(growth, kSmallestGrowth, largest_growth);
    if (taken < wanted) {
      // Cut to land: the short step says nothing against the wanted one.
      next_step_ = std::max(next_step_, wanted);
    } else {
      previous_error_ = std::max(error, kErrorFloor);
    }
  }

  // Stages 2 to 7, x_end_ and k_[6] from x_start_ and k_[0]; nothing else changes.
  bool attempt(double t, double t_end) {
    const double h = t_end - t;
    for (std::size_t s = 1; s < kStages; ++s) {
      std::vector<double>& x = s + 1 < kStages ? stage_ : x_end_;
      for (std::size_t i = 0; i < size(); ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < s; ++j) sum += kWeight[s - 1][j] * k_[j][i];
        x[i] = x_start_[i] + h * sum;
      }
      const double t_stage = kNode[s] == 1.0 ? t_end : t + kNode[s] * h;
      if (!evaluate(t_stage, x, k_[s])) return false;
    }
    blamed_ = first_non_finite(x_end_);
    return blamed_ < 0;
  }

  double weight(double a, double b) const {
    return absolute_tolerance_ + options_.relative_tolerance * std::max(std::abs(a), std::abs(b));
  }

  double error_norm(double h) {
    for (std::size_t i = 0; i < controlled_; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) sum += kError[j] * k_[j][i];
      error_[i] = h * sum;
    }
    const auto [error, worst] = largest_judged();
    worst_ = worst;
    return std::max(error, unseen_stage(h));
  }

  struct Largest {
    double error = 0.0;
    int component = -1;
  };
  // Of error_, in units of the tolerance.
  Largest largest_judged() {
    problem_.judge_error(error_);
    Largest largest;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const double error = std::abs(error_[i]) / weight(x_start_[i], x_end_[i]);
      if (error > largest.error) largest = {error, static_cast<int>(i)};
    }
    return largest;
  }

  // As an error of order five; 0 where stage 2 fits the others.
  double unseen_stage(double h) {
    constexpr double kAlong = kNode[1] / kNode[2];
    for (std::size_t i = 0; i < controlled_; ++i) {
      error_[i] = h * (k_[1][i] - k_[0][i] - kAlong * (k_[2][i] - k_[0][i]));
    }
    const auto [apart, component] = largest_judged();
    const double rtol = options_.relative_tolerance;
    const double ratio = apart / std::min(kStageMargin * std::pow(rtol, -0.4), kStageShare / rtol);
    if (!(ratio > 1.0)) return 0.0;
    worst_ = component;
    return std::pow(ratio, 5.0 / 3.0);
  }

  void accept_end(double t, double t_end, Landing landing) {
    const double h = t_end - t;
    for (std::size_t i = 0; i < size(); ++i) {
      const double chord = x_end_[i] - x_start_[i];
      const double bow = h * k_[0][i] - chord;
      double sum = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) sum += kDense[j] * k_[j][i];
      dense_[0][i] = x_start_[i];
      dense_[1][i] = chord;
      dense_[2][i] = bow;
      dense_[3][i] = chord - h * k_[6][i] - bow;
      dense_[4][i] = h * sum;
    }
    x_ = x_end_;
    // Kept although accept() projects x_: the projection moves x by less than the tolerance.
    f_end_ = k_[6];
    accept(t, t_end, landing);
  }

  // Hairer, Norsett and Wanner, II.4: a step at which an explicit Euler step, and then the guessed
  // second derivative, change x by about 1 % of what order 5 would allow.
  double first_step(double t_limit) {
    if (options_.initial_step > 0.0) return options_.initial_step;
    const double span = std::min(options_.max_step, t_limit - t_);
    const double size_x = scaled_norm(x_);
    const double size_f = scaled_norm(f_end_);
    double h = size_x < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * size_x / size_f;
    h = std::min(h, span);
    while (!probe(h)) {
      h *= kCut;
      if (h < smallest_step(t_)) return h;  // the step itself will report it
    }
    const double curvature = scaled_difference() / h;
    const double largest = std::max(size_f, curvature);
    const double from_order =
        largest <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / largest, 0.2);
    return std::min({100.0 * h, from_order, span});
  }

  bool probe(double h) {
    for (std::size_t i = 0; i < size(); ++i) stage_[i] = x_[i] + h * f_end_[i];
    return evaluate(t_ + h, stage_, k_[1]);
  }

  double scaled_norm(const std::vector<double>& v) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      largest = std::max(largest, std::abs(v[i]) / weight(x_[i], x_[i]));
    }
    return largest;
  }
  double scaled_difference() const {
    double largest = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      largest = std::max(largest, std::abs(k_[1][i] - f_end_[i]) / weight(x_[i], x_[i]));
    }
    return largest;
  }

  bool fail_tolerance() {
    return fail(fmt::format("the error tolerance cannot be met at t = {:.9g} s with any step above "
                            "{:.3g} s: component {} changes too fast",
                            t_, smallest_step(t_), worst_),
                worst_);
  }

  double absolute_tolerance_;
  std::size_t controlled_;
  std::array<std::vector<double>, kStages> k_;  ///< k_[0] at the start of the last step
  std::array<std::vector<double>, 5> dense_;
  std::vector<double> x_start_, x_end_, f_end_, stage_, error_;
  bool has_derivative_ = false;  ///< f_end_ belongs to (t_, x_)
  double previous_error_ = kErrorFloor;
  int worst_ = -1;
};

}  // namespace

std::unique_ptr<Stepper> make_dormand_prince(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<DormandPrince>(problem, options);
}

}  // namespace grapple::integrate
