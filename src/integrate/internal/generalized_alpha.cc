#include "grapple/integrate/internal/generalized_alpha.h"

#include <fmt/format.h>

#include "grapple/base/assert.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/internal/fixed_grid.h"
#include "grapple/integrate/internal/methods.h"
#include "grapple/integrate/internal/step_control.h"

namespace grapple::integrate {

namespace {

using spatial::VecX;

constexpr double kLargestAlphaGrowth = 2.0;
constexpr double kWorthGrowing = 1.2;  // less is not worth new factors
constexpr double kProbe = 1e-3;        // of the step, to see the third derivative at the start
// In a step: a steady rotation has no error however long the step, but its path is a rotation
// vector, which knows no more than half a turn.
constexpr double kMostTurn = 1.0;  // rad

SecondOrderProblem& second_order_of(Problem& problem) {
  SecondOrderProblem* const found = problem.second_order();
  GRAPPLE_ASSERT(found != nullptr);
  return *found;
}

}  // namespace

GeneralizedAlpha::GeneralizedAlpha(Problem& problem, const IntegratorOptions& options)
    : Stepper(problem, options),
      second_(second_order_of(problem)),
      n_(second_.sizes()),
      c_(alpha_coefficients(options.alpha)),
      solver_(second_, options, statistics_),
      path_(second_),
      begin_(n_),
      end_(n_),
      kept_(n_) {
  GRAPPLE_ASSERT(static_cast<std::size_t>(end_.x.size()) == size());
  previous_rate_ = probed_rate_ = error_u_ = third_ = VecX::Zero(n_.unknowns());
  error_q_ = scales_ = VecX::Zero(n_.rates);
}

bool GeneralizedAlpha::step(double t_limit) {
  if (!has_rate_ && !begin_run(t_limit)) return false;
  return has_fixed_step(options_) ? step_on_grid(t_limit) : step_by_error(t_limit);
}

// Accelerations and multipliers at the start; the slope of b waits for the step.
bool GeneralizedAlpha::begin_run(double t_limit) {
  end_.t = t_;
  std::copy(x_.begin(), x_.end(), end_.x.data());
  ++statistics_.evaluations;
  if (!second_.start(t_, x_, view(end_.u_rate), view(end_.lambda))) {
    blamed_ = first_non_finite(x_);
    return fail_evaluation(t_);
  }
  previous_h_ = 0.0;
  end_.slope.setZero();
  solver_.forget();
  const bool fixed = has_fixed_step(options_);
  if (fixed) next_step_ = options_.step;
  double h = next_step_;
  if (h <= 0.0) {
    h = std::min({options_.max_step, t_limit - t_, 1e-3});
    if (probe_slope(h)) h = first_step(t_limit);
    next_step_ = h;
  }
  if (probe_slope(std::min(h, t_limit - t_)) && c_.shift() != 0.0) {
    // b belongs to t + shift h. What stiff forces would answer at once is left out: the method
    // would carry it on for many steps.
    third_ *= c_.shift() * h;
    solver_.filter(end_, h, third_);
    end_.slope = third_ / h;
  }
  has_rate_ = true;
  return true;
}

// third_: derivative of u' at the start, by a look ahead. False: it cannot be seen.
bool GeneralizedAlpha::probe_slope(double h) {
  const double ahead = kProbe * h;
  const int nq = n_.positions, nv = n_.rates, n = n_.unknowns();
  begin_.x = end_.x;
  error_q_ = ahead * (end_.x.segment(nq, nv) + 0.5 * ahead * end_.u_rate.head(nv));
  second_.move(view(error_q_), view(begin_.x).first(static_cast<std::size_t>(nq)));
  begin_.x.segment(nq, n) += ahead * end_.u_rate;
  problem_.project(t_ + ahead, view(begin_.x));
  ++statistics_.evaluations;
  third_.setZero();
  if (!second_.start(t_ + ahead, view(begin_.x), view(probed_rate_), view(begin_.lambda))) {
    return false;
  }
  third_ = (probed_rate_ - end_.u_rate) / ahead;
  return third_.allFinite();
}

// A step whose third-order terms, as far as they are seen, are within the tolerance.
double GeneralizedAlpha::first_step(double t_limit) {
  if (options_.initial_step > 0.0) return options_.initial_step;
  const double span = std::min(options_.max_step, t_limit - t_);
  error_q_ = third_.head(n_.rates);
  error_u_ = third_;
  // h^3 v'' for positions; for rates h^2 v'' stands in for the h^3 v''' not seen yet.
  error_u_.setZero();
  const double by_position = error_norm(error_q_, error_u_);
  error_u_ = third_;
  error_q_.setZero();
  const double by_rate = error_norm(error_q_, error_u_);
  double h = span;
  if (by_position > 0.0) h = std::min(h, std::cbrt(1.0 / by_position));
  if (by_rate > 0.0) h = std::min(h, 10.0 * std::sqrt(1.0 / by_rate));
  return std::max(h, 1e3 * smallest_step(t_));
}

AlphaSolver::Outcome GeneralizedAlpha::attempt(double t_end) {
  end_.t = t_end;
  return solver_.solve(begin_, end_);
}

bool GeneralizedAlpha::step_on_grid(double t_limit) {
  const GridStep grid = next_grid_step(t_grid_, options_.step, t_, t_limit);
  std::swap(begin_, end_);
  const AlphaSolver::Outcome outcome = attempt(grid.end);
  if (outcome != AlphaSolver::Outcome::kConverged) {
    std::swap(begin_, end_);
    return fail_attempt(outcome);
  }
  accept_end(grid.end, grid.off_the_grid ? Landing::kCut : Landing::kFree);
  return true;
}

bool GeneralizedAlpha::step_by_error(double t_limit) {
  double h = std::min(next_step_, options_.max_step);
  double largest_growth = kLargestAlphaGrowth;
  std::swap(begin_, end_);
  for (;;) {
    const bool lands = t_ + kStretch * h >= t_limit;
    const double t_end = lands ? t_limit : t_ + h;
    const double taken = t_end - t_;
    const AlphaSolver::Outcome outcome = attempt(t_end);
    const bool solved = outcome == AlphaSolver::Outcome::kConverged;
    const double error = solved ? error_of(taken) : 0.0;
    const double factor = solved ? kSafety * std::pow(std::max(error, 1e-6), -1.0 / 3.0) : kCut;
    if (solved && error <= 1.0) {
      const double growth = std::clamp(factor, kSmallestGrowth, largest_growth);
      const double wanted = growth > 1.0 && growth < kWorthGrowing ? taken : taken * growth;
      next_step_ = taken < h ? std::max(wanted, h) : wanted;
      accept_end(t_end, taken < h ? Landing::kCut : Landing::kFree);
      return true;
    }
    ++statistics_.rejected;
    largest_growth = 1.0;
    h = taken * std::max(kSmallestGrowth, std::min(factor, 0.9));
    if (h < smallest_step(t_)) {
      std::swap(begin_, end_);
      if (!solved) return fail_attempt(outcome);
      return fail(fmt::format("the error tolerance cannot be met at t = {:.9g} s with any step "
                              "above {:.3g} s: component {} changes too fast",
                              t_, smallest_step(t_), worst_),
                  worst_);
    }
  }
}

// Against formulas one order higher: positions from accelerations linear in time, rates from
// accelerations quadratic through the step before (Adams-Moulton).
double GeneralizedAlpha::error_of(double h) {
  const int nq = n_.positions, nv = n_.rates, n = n_.unknowns();
  error_q_ = solver_.displacement() - h * begin_.x.segment(nq, nv) -
             h * h * (begin_.u_rate.head(nv) / 3.0 + end_.u_rate.head(nv) / 6.0);
  error_u_.setZero();
  if (previous_h_ > 0.0) {
    const double r = h / previous_h_;
    const double c1 = (2.0 * r + 3.0) / (6.0 * (1.0 + r)), c2 = -r * r / (6.0 * (1.0 + r));
    error_u_ = end_.x.segment(nq, n) - begin_.x.segment(nq, n) -
               h * (c1 * end_.u_rate + (1.0 - c1 - c2) * begin_.u_rate + c2 * previous_rate_);
  }
  const double turn = second_.largest_turn(view(solver_.displacement())) / kMostTurn;
  const double by_turn = turn * turn * turn;
  double error = error_norm(error_q_, error_u_);
  if (error <= 1.0 || by_turn > 1.0) return std::max(error, by_turn);
  // Stiff forces make the accelerations, not the motion, vary: their part of the estimate is not
  // an error.
  solver_.filter(end_, h, error_u_);
  third_.setZero();
  third_.head(nv) = error_q_;
  solver_.filter(end_, h, third_);
  error_q_ = third_.head(nv);
  return std::max(error_norm(error_q_, error_u_), by_turn);
}

double GeneralizedAlpha::error_norm(const VecX& error_q, const VecX& error_u) {
  const double atol = absolute_tolerance(options_), rtol = options_.relative_tolerance;
  second_.position_scales(view(end_.x), view(scales_));
  double largest = 0.0;
  worst_ = -1;
  for (int k = 0; k < n_.rates; ++k) {
    const double e = std::abs(error_q[k]) / (atol + rtol * scales_[k]);
    if (e > largest) {
      largest = e;
      worst_ = n_.positions + k;
    }
  }
  for (int k = 0; k < n_.unknowns(); ++k) {
    const double e = std::abs(error_u[k]) / (atol + rtol * std::abs(end_.x[n_.positions + k]));
    if (e > largest) {
      largest = e;
      worst_ = n_.positions + k;
    }
  }
  return largest;
}

void GeneralizedAlpha::accept_end(double t_end, Landing landing) {
  previous_rate_ = begin_.u_rate;
  previous_h_ = t_end - begin_.t;
  std::copy(end_.x.data(), end_.x.data() + end_.x.size(), x_.begin());
  accept(begin_.t, t_end, landing);
  std::copy(x_.begin(), x_.end(), end_.x.data());
  path_.set(begin_, end_);
  path_.integrate_quadratures(x_);
  std::copy(x_.begin(), x_.end(), end_.x.data());
  has_path_ = true;
}

bool GeneralizedAlpha::truncate(double time) {
  kept_ = end_;
  if (attempt(time) != AlphaSolver::Outcome::kConverged) {
    end_ = kept_;
    return false;
  }
  --statistics_.steps;  // the same step again
  accept_end(time, Landing::kCut);
  return true;
}

void GeneralizedAlpha::interpolate(double time, std::span<double> x_out) {
  const double h = t_ - t_previous_;
  if (!has_path_ || !(h > 0.0)) {
    std::copy(x_.begin(), x_.end(), x_out.begin());
    return;
  }
  path_.state((time - t_previous_) / h, x_out);
  problem_.project(time, x_out);
}

bool GeneralizedAlpha::fail_attempt(AlphaSolver::Outcome outcome) {
  if (outcome == AlphaSolver::Outcome::kNotEvaluable) {
    blamed_ = -1;
    return fail_evaluation(t_);
  }
  return fail(fmt::format("the equations of a step from t = {:.9g} s have no solution that "
                          "Newton's method finds{}",
                          t_, has_fixed_step(options_) ? "; take a smaller step" : ""),
              -1);
}

void GeneralizedAlpha::reset() {
  has_rate_ = has_path_ = false;
  if (has_fixed_step(options_)) next_step_ = options_.step;
}

void GeneralizedAlpha::reset_derivative() { has_rate_ = false; }

void GeneralizedAlpha::save_method(std::vector<double>& memory) {
  memory.push_back(has_rate_ ? 1.0 : 0.0);
  memory.push_back(previous_h_);
  for (const VecX* v : {&end_.u_rate, &end_.lambda, &end_.slope, &previous_rate_}) {
    memory.insert(memory.end(), v->data(), v->data() + v->size());
  }
  solver_.save(memory);
}

void GeneralizedAlpha::restore_method(std::span<const double> memory) {
  SavedNumbers saved(memory, kSaved);
  has_path_ = false;
  has_rate_ = saved.flag();
  previous_h_ = saved.number();
  end_.t = t_;
  std::copy(x_.begin(), x_.end(), end_.x.data());
  for (VecX* v : {&end_.u_rate, &end_.lambda, &end_.slope, &previous_rate_}) {
    saved.copy_to({v->data(), static_cast<std::size_t>(v->size())});
  }
  solver_.restore(saved.rest());
}

std::unique_ptr<Stepper> make_generalized_alpha(Problem& problem,
                                                const IntegratorOptions& options) {
  return std::make_unique<GeneralizedAlpha>(problem, options);
}

}  // namespace grapple::integrate
