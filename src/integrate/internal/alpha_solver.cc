#include "grapple/integrate/internal/alpha_solver.h"

#include <limits>

#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

namespace {

using spatial::MatX;
using spatial::VecX;

constexpr int kMostIterations = 12;
constexpr double kNewtonShare = 0.01;  // of the error allowed, left by the iteration
constexpr double kRoundOff = 50.0 * std::numeric_limits<double>::epsilon();
constexpr double kWornContraction = 0.2;  // slower: new factors for the next step
constexpr double kDivergence = 0.9;
constexpr double kStepChange = 0.3;   // relative, that the factors outlive
constexpr double kDependent = 1e-10;  // square of a sine between a row and the others

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
      statistics_(statistics) {
  const int n = n_.unknowns(), m = n_.rows;
  residual_ = {VecX::Zero(n), VecX::Zero(m), VecX::Zero(m)};
  tangent_ = {MatX::Zero(n, n), MatX::Zero(m, n), MatX::Zero(m, n)};
  matrix_ = MatX::Identity(n + m, n + m);
  row_basis_ = MatX::Zero(n, m);
  lu_ = Eigen::PartialPivLU<MatX>(matrix_);
  independent_.assign(static_cast<std::size_t>(m), 1);
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
    if (!has_factor_) factor(end, h);
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

void AlphaSolver::factor(const AlphaState& at, double h) {
  const int n = n_.unknowns(), m = n_.rows;
  ++statistics_.jacobians;
  ++statistics_.linear_setups;
  problem_.tangent(point_of(at), {c_.beta * h * h, c_.gamma * h, c_.acceleration_weight()},
                   tangent_);
  choose_rows();
  matrix_.topLeftCorner(n, n) = tangent_.J;
  for (int i = 0; i < m; ++i) {
    if (independent_[static_cast<std::size_t>(i)] != 0) {
      matrix_.col(n + i).head(n) = -tangent_.A.row(i).transpose();
      matrix_.row(n + i).head(n) = tangent_.row_rates.row(i) / (c_.gamma * h);
      matrix_(n + i, n + i) = 0.0;
    } else {
      matrix_.col(n + i).setZero();
      matrix_.row(n + i).setZero();
      matrix_(n + i, n + i) = 1.0;
    }
  }
  lu_.compute(matrix_);
  made_h_ = h;
  has_factor_ = is_fresh_ = true;
}

// Gram-Schmidt over the rows scaled to length one, the farthest from the others first; no more than
// are independent on the manifold, beside which the rest only seem to be.
void AlphaSolver::choose_rows() {
  const int m = n_.rows;
  const int most = problem_.row_rank() < 0 ? m : problem_.row_rank();
  row_basis_ = tangent_.A.transpose();
  double longest = 0.0;
  for (int i = 0; i < m; ++i) longest = std::max(longest, row_basis_.col(i).norm());
  for (int i = 0; i < m; ++i) {
    const double length = row_basis_.col(i).norm();
    if (length > 1e-12 * longest) row_basis_.col(i) /= length;
    independent_[static_cast<std::size_t>(i)] = 0;
  }
  for (int done = 0; done < most; ++done) {
    int best = -1;
    double square = kDependent;
    for (int i = 0; i < m; ++i) {
      if (independent_[static_cast<std::size_t>(i)] != 0) continue;
      if (row_basis_.col(i).squaredNorm() > square) {
        square = row_basis_.col(i).squaredNorm();
        best = i;
      }
    }
    if (best < 0) return;
    independent_[static_cast<std::size_t>(best)] = 1;
    row_basis_.col(best) /= std::sqrt(square);
    for (int i = 0; i < m; ++i) {
      if (independent_[static_cast<std::size_t>(i)] != 0) continue;
      const double along = row_basis_.col(best).dot(row_basis_.col(i));
      row_basis_.col(i) -= along * row_basis_.col(best);
    }
  }
}

// One Newton correction of b1, lambda and the shift; its size relative to what is allowed.
double AlphaSolver::correct(double h, AlphaState& end) {
  const int n = n_.unknowns(), m = n_.rows, nv = n_.rates;
  const double position = c_.beta * h * h;
  rhs_.head(n) = -residual_.r;
  for (int i = 0; i < m; ++i) {
    const bool held = independent_[static_cast<std::size_t>(i)] != 0;
    rhs_[n + i] = held ? -residual_.row_rates[i] / (c_.gamma * h) : -end.lambda[i];
  }
  solution_ = lu_.solve(rhs_);
  step_b_ = solution_.head(n);
  b1_ += step_b_;
  end.lambda += solution_.tail(m);
  step_w_.setZero();
  if (m > 0) {
    rhs_.head(n).setZero();
    for (int i = 0; i < m; ++i) {
      const bool held = independent_[static_cast<std::size_t>(i)] != 0;
      rhs_[n + i] = held ? -residual_.rows[i] / position - tangent_.A.row(i).dot(step_b_) : 0.0;
    }
    solution_ = lu_.solve(rhs_);
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
  if (!has_factor_) factor(at, h);
  const int n = n_.unknowns(), m = n_.rows;
  if (!evaluate(at)) return;
  difference_ = residual_.r;
  step_b_ = at.u_rate + y;
  const MotionPoint there{at.t, view(at.x), view(step_b_), view(at.lambda)};
  ++statistics_.evaluations;
  if (!problem_.residual(there, residual_)) return;
  rhs_.head(n) = c_.acceleration_weight() * (residual_.r - difference_);
  for (int i = 0; i < m; ++i) {
    const bool held = independent_[static_cast<std::size_t>(i)] != 0;
    rhs_[n + i] = held ? tangent_.A.row(i).dot(y) : 0.0;
  }
  solution_ = lu_.solve(rhs_);
  if (solution_.head(n).allFinite()) y = solution_.head(n);
}

// Of the matrix, which rows it holds, and A: what the problem would give at the old place again may
// differ, since what elements remember has moved on.
std::size_t AlphaSolver::memory_size() const {
  return 3 + static_cast<std::size_t>(matrix_.size() + tangent_.A.size()) + independent_.size();
}

void AlphaSolver::save(std::vector<double>& memory) const {
  memory.push_back(has_factor_ ? 1.0 : 0.0);
  memory.push_back(contraction_);
  memory.push_back(made_h_);
  for (const MatX* matrix : {&matrix_, &tangent_.A}) {
    memory.insert(memory.end(), matrix->data(), matrix->data() + matrix->size());
  }
  memory.insert(memory.end(), independent_.begin(), independent_.end());
}

void AlphaSolver::restore(std::span<const double> memory) {
  SavedNumbers saved(memory, kSaved);
  has_factor_ = saved.flag();
  contraction_ = saved.number();
  made_h_ = saved.number();
  for (MatX* matrix : {&matrix_, &tangent_.A}) {
    saved.copy_to({matrix->data(), static_cast<std::size_t>(matrix->size())});
  }
  for (unsigned char& row : independent_) row = saved.flag() ? 1 : 0;
  saved.expect_end();
  if (has_factor_) lu_.compute(matrix_);
}

}  // namespace grapple::integrate
