#include "grapple/integrate/internal/alpha_solver.h"

#include <limits>

#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

namespace {

using spatial::VecX;

constexpr int kMostIterations = 12;
constexpr double kNewtonShare = 0.01;  // of the error allowed, left by the iteration
constexpr double kRoundOff = 50.0 * std::numeric_limits<double>::epsilon();
constexpr double kWornContraction = 0.2;  // slower: new factors for the next step
constexpr double kDivergence = 0.9;
constexpr double kStepChange = 0.3;  // relative, that the factors outlive

MotionPoint point_of(const AlphaState& s) {
  return {s.t, view(s.x), view(s.u_rate), view(s.lambda)};
}

}  // namespace

AlphaState::AlphaState(const SecondOrderSizes& n)
    : x(VecX::Zero(n.positions + n.unknowns() + n.quadratures)),
      u_rate(VecX::Zero(n.unknowns())),
      lambda(VecX::Zero(n.rows)),
      slope(VecX::Zero(n.unknowns())) {}

AlphaSolver::AlphaSolver(SecondOrderProblem& problem, const IntegratorOptions& options,
                         Statistics& statistics)
    : problem_(problem),
      c_(alpha_coefficients(options.alpha)),
      n_(problem.sizes()),
      relative_(options.relative_tolerance),
      absolute_(absolute_tolerance(options)),
      statistics_(statistics),
      matrix_(problem) {
  const int n = n_.unknowns(), m = n_.rows;
  residual_ = {VecX::Zero(n), VecX::Zero(m), VecX::Zero(m)};
  b0_ = b1_ = step_b_ = weights_u_ = difference_ = VecX::Zero(n);
  shift_ = displacement_ = step_w_ = weights_q_ = scales_ = VecX::Zero(n_.rates);
  rhs_ = solution_ = VecX::Zero(n + m);
}

AlphaSolver::Outcome AlphaSolver::solve(const AlphaState& begin, AlphaState& end) {
  weigh(begin, end.t - begin.t);
  is_fresh_ = false;
  if (!has_factor_ || is_worn(end.t - begin.t)) has_factor_ = false;
  const Outcome first = iterate(begin, end);
  if (first == Outcome::kConverged || is_fresh_) return first;
  has_factor_ = false;  // the old factors may be to blame
  return iterate(begin, end);
}

bool AlphaSolver::is_worn(double h) const {
  return std::abs(h - made_h_) > kStepChange * made_h_ || contraction_ > kWornContraction;
}

AlphaSolver::Outcome AlphaSolver::iterate(const AlphaState& begin, AlphaState& end) {
  const double h = end.t - begin.t;
  predict(begin, end);
  double last = std::numeric_limits<double>::infinity();
  contraction_ = 0.0;
  for (int k = 0; k < kMostIterations; ++k) {
    place(begin, end);
    if (!evaluate(end)) return Outcome::kNotEvaluable;
    if (!has_factor_ && !factor(end, h)) return Outcome::kDiverged;
    const double size = correct(h, end);
    if (!std::isfinite(size)) return Outcome::kDiverged;
    if (k > 0) contraction_ = size / last;
    const double rate = k > 0 ? contraction_ : 0.5;
    if (k > 0 && rate > kDivergence && size > 1.0) return Outcome::kDiverged;
    // What is left is at most the geometric rest of the corrections; the first is trusted only if
    // it is far below what is allowed.
    const double left = size * rate / std::max(1.0 - rate, 1e-3);
    if (left <= (k > 0 ? 1.0 : 1e-2)) {
      place(begin, end);
      end.slope = (b1_ - end.u_rate) / h;
      return Outcome::kConverged;
    }
    last = size;
  }
  return Outcome::kDiverged;
}

// The accelerations go on as they went: b is ahead of u' by the shift.
void AlphaSolver::predict(const AlphaState& begin, AlphaState& end) {
  const double h = end.t - begin.t;
  b0_ = begin.u_rate + h * begin.slope;
  end.lambda = begin.lambda;
  end.u_rate = begin.u_rate;
  if (c_.shift() != 0.0) end.u_rate += (h / c_.shift()) * begin.slope;
  problem_.impose(SecondOrderProblem::Impose::kAccelerations, end.t, view(end.x), view(end.u_rate));
  b1_ = ((1.0 - c_.af) * end.u_rate + c_.af * begin.u_rate - c_.am * b0_) / (1.0 - c_.am);
  shift_.setZero();
}

// q, u and u' at the end from b1 and the shift.
void AlphaSolver::place(const AlphaState& begin, AlphaState& end) {
  const double h = end.t - begin.t;
  const int nq = n_.positions, nv = n_.rates, n = n_.unknowns();
  end.x = begin.x;
  end.x.segment(nq, n) += h * ((1.0 - c_.gamma) * b0_ + c_.gamma * b1_);
  displacement_ = h * begin.x.segment(nq, nv) +
                  h * h * ((0.5 - c_.beta) * b0_.head(nv) + c_.beta * b1_.head(nv)) + shift_;
  problem_.move(view(displacement_), view(end.x).first(static_cast<std::size_t>(nq)));
  end.u_rate = ((1.0 - c_.am) * b1_ + c_.am * b0_ - c_.af * begin.u_rate) / (1.0 - c_.af);
  problem_.impose(SecondOrderProblem::Impose::kMotion, end.t, view(end.x), view(end.u_rate));
}

bool AlphaSolver::evaluate(const AlphaState& at) {
  ++statistics_.evaluations;
  return problem_.residual(point_of(at), residual_);
}

bool AlphaSolver::factor(const AlphaState& at, double h) {
  ++statistics_.jacobians;
  ++statistics_.linear_setups;
  if (!matrix_.factor(point_of(at), {c_.beta * h * h, c_.gamma * h, c_.acceleration_weight()},
                      c_.gamma * h)) {
    return false;
  }
  made_h_ = h;
  has_factor_ = is_fresh_ = true;
  return true;
}

// One Newton correction of b1, lambda and the shift; its size relative to what is allowed.
double AlphaSolver::correct(double h, AlphaState& end) {
  const int n = n_.unknowns(), m = n_.rows, nv = n_.rates;
  const double position = c_.beta * h * h;
  rhs_.head(n) = -residual_.r;
  for (int i = 0; i < m; ++i) {
    rhs_[n + i] = matrix_.holds(i) ? -residual_.row_rates[i] / (c_.gamma * h) : -end.lambda[i];
  }
  matrix_.solve(rhs_, solution_);
  step_b_ = solution_.head(n);
  b1_ += step_b_;
  end.lambda += solution_.tail(m);
  step_w_.setZero();
  if (m > 0) {
    rhs_.head(n).setZero();
    for (int i = 0; i < m; ++i) {
      rhs_[n + i] =
          matrix_.holds(i) ? -residual_.rows[i] / position - matrix_.row_times(i, step_b_) : 0.0;
    }
    matrix_.solve(rhs_, solution_);
    step_w_ = position * solution_.head(nv);
    shift_ += step_w_;
  }
  return correction_size(h);
}

double AlphaSolver::correction_size(double h) const {
  double largest = 0.0;
  for (int k = 0; k < n_.unknowns(); ++k) {
    largest = std::max(largest, std::abs(c_.gamma * h * step_b_[k]) / weights_u_[k]);
    if (!std::isfinite(step_b_[k])) return std::numeric_limits<double>::infinity();
  }
  for (int k = 0; k < n_.rates; ++k) {
    const double moved = c_.beta * h * h * step_b_[k] + step_w_[k];
    largest = std::max(largest, std::abs(moved) / weights_q_[k]);
  }
  return largest;
}

// What the iteration may leave: a share of the error allowed, but not less than round-off of the
// largest rate or position, which reaches all unknowns through the matrix.
void AlphaSolver::weigh(const AlphaState& begin, double h) {
  const auto u = begin.x.segment(n_.positions, n_.unknowns()).array().abs();
  problem_.position_scales(view(begin.x), view(scales_));
  const double largest_u = u.size() > 0 ? u.maxCoeff() : 0.0;
  const double largest_q = n_.rates > 0 ? std::max(scales_.maxCoeff(), h * largest_u) : 0.0;
  weights_q_ = (kNewtonShare * (absolute_ + relative_ * scales_.array()))
                   .max(kRoundOff * largest_q)
                   .matrix();
  weights_u_ = (kNewtonShare * (absolute_ + relative_ * u)).max(kRoundOff * largest_u).matrix();
}

void AlphaSolver::filter(const AlphaState& at, double h, VecX& y) {
  if (!has_factor_ && !factor(at, h)) return;
  const int n = n_.unknowns(), m = n_.rows;
  if (!evaluate(at)) return;
  difference_ = residual_.r;
  step_b_ = at.u_rate + y;
  const MotionPoint there{at.t, view(at.x), view(step_b_), view(at.lambda)};
  ++statistics_.evaluations;
  if (!problem_.residual(there, residual_)) return;
  rhs_.head(n) = c_.acceleration_weight() * (residual_.r - difference_);
  for (int i = 0; i < m; ++i) {
    rhs_[n + i] = matrix_.holds(i) ? matrix_.row_times(i, y) : 0.0;
  }
  matrix_.solve(rhs_, solution_);
  if (solution_.head(n).allFinite()) y = solution_.head(n);
}

void AlphaSolver::save(std::vector<double>& memory) const {
  memory.push_back(has_factor_ ? 1.0 : 0.0);
  memory.push_back(contraction_);
  memory.push_back(made_h_);
  matrix_.save(memory);
}

void AlphaSolver::restore(std::span<const double> memory) {
  SavedNumbers saved(memory, kSaved);
  const bool had_factor = saved.flag();
  contraction_ = saved.number();
  made_h_ = saved.number();
  has_factor_ = matrix_.restore(
      saved, had_factor ? AlphaMatrix::Factors::kAgain : AlphaMatrix::Factors::kNone,
      c_.gamma * made_h_);
}

}  // namespace grapple::integrate
