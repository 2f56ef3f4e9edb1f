#include "grapple/integrate/internal/embedded_pair.h"

#include <fmt/format.h>

#include "grapple/base/assert.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/internal/step_control.h"

namespace grapple::integrate {

namespace {

// PI control: h' = 0.9 h err^-(1/order - 0.75 b) err_previous^b.
constexpr double kBeta = 0.04;
constexpr double kLargestGrowth = 10.0;
constexpr double kErrorFloor = 1e-4;  ///< a lucky small error must not inflate the next step
// An isolated place that cannot be evaluated (a singular position of a loop) is stepped over first.
constexpr double kSidestep = 0.8;
constexpr int kSidesteps = 5;

}  // namespace

EmbeddedPair::EmbeddedPair(Problem& problem, const IntegratorOptions& options,
                           const PairNumbers& numbers)
    : Stepper(problem, options),
      controlled_(static_cast<std::size_t>(problem.controlled_size())),
      k_(numbers.stages + numbers.more_stages, std::vector<double>(size(), 0.0)),
      numbers_(numbers),
      exponent_(1.0 / numbers.order - 0.75 * kBeta),
      absolute_tolerance_(absolute_tolerance(options)),
      previous_error_(kErrorFloor) {
  GRAPPLE_ASSERT(controlled_ <= size());
  for (auto* v : {&x_start_, &x_end_, &f_end_, &stage_}) v->resize(size(), 0.0);
  error_.resize(controlled_, 0.0);
}

bool EmbeddedPair::step(double t_limit) {
  if (!has_derivative_ && !read_derivative()) return fail_evaluation(t_);
  if (next_step_ <= 0.0) next_step_ = first_step(t_limit);
  k_[0].swap(f_end_);
  x_start_ = x_;
  if (take_step(t_limit)) return true;
  k_[0].swap(f_end_);
  return false;
}

bool EmbeddedPair::truncate(double time) {
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
    h *= std::clamp(kSafety * std::pow(error, -exponent_), kSmallestGrowth, kSidestep);
    if (h < smallest_step(t_previous_)) break;
  }
  x_end_ = x_;
  return false;
}

void EmbeddedPair::reset() {
  has_derivative_ = false;
  previous_error_ = kErrorFloor;
  reset_extension();
}

void EmbeddedPair::save_method(std::vector<double>& memory) {
  memory.push_back(has_derivative_ ? 1.0 : 0.0);
  memory.push_back(previous_error_);
  memory.insert(memory.end(), f_end_.begin(), f_end_.end());
}

void EmbeddedPair::restore_method(std::span<const double> memory) {
  SavedNumbers saved(memory, kSaved);
  const double next = next_step_;
  reset();
  next_step_ = next;
  has_derivative_ = saved.flag();
  previous_error_ = saved.number();
  saved.copy_to(f_end_);
  saved.expect_end();
}

bool EmbeddedPair::read_derivative() {
  has_derivative_ = evaluate(t_, x_, f_end_);
  return has_derivative_;
}

bool EmbeddedPair::take_step(double t_limit) {
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
                              ? std::max(kSmallestGrowth, kSafety * std::pow(error, -exponent_))
                              : (++refusals <= kSidesteps ? kSidestep : kCut);
    h = taken * factor;
    if (h < smallest_step(t_)) return evaluable ? fail_tolerance() : fail_evaluation(t_);
  }
}

void EmbeddedPair::choose_next_step(double wanted, double taken, double error,
                                    double largest_growth) {
  const double bounded = std::max(error, 1e-10);
  const double growth = kSafety * std::pow(bounded, -exponent_) * std::pow(previous_error_, kBeta);
  next_step_ = taken * std::clamp(growth, kSmallestGrowth, largest_growth);
  if (taken < wanted) {
    // Cut to land: the short step says nothing against the wanted one.
    next_step_ = std::max(next_step_, wanted);
  } else {
    previous_error_ = std::max(error, kErrorFloor);
  }
}

// All stages, x_end_ and its rate from x_start_ and k_[0]; nothing else changes.
bool EmbeddedPair::attempt(double t, double t_end) {
  const double h = t_end - t;
  const std::size_t stages = numbers_.stages;
  for (std::size_t s = 1; s < stages; ++s) {
    std::vector<double>& x = s + 1 < stages ? stage_ : x_end_;
    const std::span<const double> row = numbers_.weights.subspan((s - 1) * (stages - 1));
    for (std::size_t i = 0; i < size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < s; ++j) sum += row[j] * k_[j][i];
      x[i] = x_start_[i] + h * sum;
    }
    const double node = numbers_.nodes[s];
    const double t_stage = node == 1.0 ? t_end : t + node * h;
    if (!evaluate(t_stage, x, k_[s])) return false;
  }
  blamed_ = first_non_finite(x_end_);
  return blamed_ < 0;
}

// Of error_, in units of the tolerance.
EmbeddedPair::Largest EmbeddedPair::largest_judged() {
  problem_.judge_error(error_);
  Largest largest;
  for (std::size_t i = 0; i < controlled_; ++i) {
    const double error = std::abs(error_[i]) / weight(x_start_[i], x_end_[i]);
    if (error > largest.error) largest = {error, static_cast<int>(i)};
  }
  return largest;
}

void EmbeddedPair::accept_end(double t, double t_end, Landing landing) {
  extend(t, t_end);
  x_ = x_end_;
  // Kept although accept() projects x_: the projection moves x by less than the tolerance.
  f_end_ = k_[numbers_.stages - 1];
  accept(t, t_end, landing);
}

// Hairer, Norsett and Wanner, II.4: a step at which an explicit Euler step, and then the guessed
// second derivative, change x by about 1 % of what its order would allow.
double EmbeddedPair::first_step(double t_limit) {
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
      largest <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / largest, 1.0 / numbers_.order);
  return std::min({100.0 * h, from_order, span});
}

bool EmbeddedPair::probe(double h) {
  for (std::size_t i = 0; i < size(); ++i) stage_[i] = x_[i] + h * f_end_[i];
  return evaluate(t_ + h, stage_, k_[1]);
}

double EmbeddedPair::scaled_norm(const std::vector<double>& v) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < controlled_; ++i) {
    largest = std::max(largest, std::abs(v[i]) / weight(x_[i], x_[i]));
  }
  return largest;
}

double EmbeddedPair::scaled_difference() const {
  double largest = 0.0;
  for (std::size_t i = 0; i < controlled_; ++i) {
    largest = std::max(largest, std::abs(k_[1][i] - f_end_[i]) / weight(x_[i], x_[i]));
  }
  return largest;
}

bool EmbeddedPair::fail_tolerance() {
  return fail(fmt::format("the error tolerance cannot be met at t = {:.9g} s with any step above "
                          "{:.3g} s: component {} changes too fast",
                          t_, smallest_step(t_), worst_),
              worst_);
}

}  // namespace grapple::integrate
