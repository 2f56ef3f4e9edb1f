#include "grapple/control/kinematics/resolved_rates.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/control/kinematics/generalized_jacobian.h"
#include "grapple/dynamics/cholesky.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using Mat6 = Eigen::Matrix<double, 6, 6>;

struct RateCall {
  const model::Model& model;
  const model::State& state;
  const model::Workspace& workspace;
  std::span<const JointCoordinate> joints;
  const RateOptions& options;
  RateScratch& scratch;
  int n, base;

  bool failed(int j) const {
    return !options.failed.empty() && options.failed[static_cast<std::size_t>(j)] != 0;
  }
  int rate(int j) const { return joints[static_cast<std::size_t>(j)].v; }
  double position(int j) const { return state.q[joints[static_cast<std::size_t>(j)].q]; }
};

// M_bb^-1 M_bm of the chosen joints, 6 x n: how the floating base answers their rates.
void find_carried(const RateCall& call) {
  const MatX& M = call.scratch.M_all;
  const Mat6 M_bb = M.block<6, 6>(call.base, call.base);
  const Eigen::LLT<Mat6> factor(M_bb);
  for (int j = 0; j < call.n; ++j) {
    const Eigen::Matrix<double, 6, 1> column = M.block<6, 1>(call.base, call.rate(j));
    call.scratch.carried.col(j) = factor.solve(column);
  }
}

// Columns of the chosen joints; those of failed ones are zero.
void choose_columns(const RateCall& call, const MatX& all, MatX& chosen) {
  for (int j = 0; j < call.n; ++j) {
    if (call.failed(j)) {
      chosen.col(j).setZero();
      continue;
    }
    chosen.col(j) = all.col(call.rate(j));
    if (call.options.base == BaseKind::kFloating) {
      for (int k = 0; k < 6; ++k) {
        chosen.col(j) -= call.scratch.carried(k, j) * all.col(call.base + k);
      }
    }
  }
}

// L of the metric W = L L^T.
void find_metric(const RateCall& call) {
  MatX& L = call.scratch.L;
  L.setIdentity();
  if (call.options.inverse == InverseKind::kWeighted) {
    for (int j = 0; j < call.n; ++j) {
      L(j, j) = std::sqrt(call.options.weights[static_cast<std::size_t>(j)]);
    }
  }
  if (call.options.inverse != InverseKind::kInertiaWeighted) return;
  const MatX& M = call.scratch.M_all;
  for (int j = 0; j < call.n; ++j) {
    for (int i = j; i < call.n; ++i) {
      // A failed joint stands still, whatever energy its motion would save.
      if (call.failed(i) || call.failed(j)) continue;
      L(i, j) = M(call.rate(i), call.rate(j));
      if (call.options.base == BaseKind::kHeld) continue;
      for (int k = 0; k < 6; ++k) {  // M_mm - M_mb M_bb^-1 M_bm
        L(i, j) -= M(call.rate(i), call.base + k) * call.scratch.carried(k, j);
      }
    }
  }
  dynamics::factor_in_place(L, call.n);
  for (int j = 1; j < call.n; ++j) L.col(j).head(j).setZero();
}

// x <- L^-1 x: a row of a Jacobian, transposed, in coordinates y.
template <class Column>
void to_metric(const MatX& L, int n, Column&& x) {
  for (int k = 0; k < n; ++k) {
    x[k] /= L(k, k);
    for (int i = k + 1; i < n; ++i) x[i] -= L(i, k) * x[k];
  }
}
// v = L^-T y.
void from_metric(const MatX& L, int n, VecX& y) {
  for (int k = n - 1; k >= 0; --k) {
    for (int i = k + 1; i < n; ++i) y[k] -= L(i, k) * y[i];
    y[k] /= L(k, k);
  }
}

// The rows that count, transposed and in coordinates y: n x rows. Returns how many.
int set_task(const RateCall& call, const spatial::Spatial& twist) {
  RateScratch& s = call.scratch;
  int rows = 0;
  for (int k = 0; k < 6; ++k) {
    if (!call.options.rows[static_cast<std::size_t>(k)]) continue;
    s.task.col(rows) = s.J.row(k).transpose();
    to_metric(s.L, call.n, s.task.col(rows));
    s.twist[rows] = k < 3 ? twist.ang[k] : twist.lin[k - 3];
    ++rows;
  }
  return rows;
}

double damping_at(const RateOptions& options, double manipulability) {
  if (!(manipulability < options.threshold)) return 0.0;
  return options.damping * (1.0 - manipulability / options.threshold);
}

// y += (rows of the svd)^+ b, damped.
void add_solution(const ThinSvd& svd, const VecX& b, double lambda, VecX& y) {
  for (int k = 0; k < svd.rank(); ++k) {
    const double sigma = svd.value(k);
    const double along = svd.right(k).dot(b.head(svd.columns()));
    y.head(svd.rows()) += (sigma / (sigma * sigma + lambda * lambda)) * along * svd.left(k);
  }
}

// x <- P x: takes out what moves the task. Twice, so that rounding leaves nothing.
template <class Column>
void project_out(const ThinSvd& svd, Column&& x) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < svd.rank(); ++k) x -= svd.left(k).dot(x) * svd.left(k);
  }
}

// Momentum the joints exchange with the base, made as small as the null space allows.
void add_reaction(const RateCall& call) {
  RateScratch& s = call.scratch;
  const ReactionTask task = call.options.reaction;
  s.lower_svd.compute(s.lower, call.n, 0);
  if (task == ReactionTask::kNone || call.base < 0) return;
  // Rates of a free joint: linear first.
  const int first = task == ReactionTask::kMoment ? 3 : 0;
  const int rows = task == ReactionTask::kBoth ? 6 : 3;
  double size = 0.0;
  for (int k = 0; k < rows; ++k) {
    for (int j = 0; j < call.n; ++j) {
      s.lower(j, k) = call.failed(j) ? 0.0 : s.M_all(call.base + first + k, call.rate(j));
    }
    to_metric(s.L, call.n, s.lower.col(k));
    s.twist[k] = -s.lower.col(k).dot(s.y);
    size = std::max(size, s.lower.col(k).norm());
    project_out(s.svd, s.lower.col(k));
    // Rounding left of rows that the task uses up is no freedom.
    if (s.lower.col(k).norm() < 1e-11 * size) s.lower.col(k).setZero();
  }
  s.lower_svd.compute(s.lower, call.n, rows);
  add_solution(s.lower_svd, s.twist, 0.0, s.y);
}

void add_obstacle_wish(const RateCall& call) {
  const ObstacleTask& task = call.options.obstacle;
  if (!(task.influence > 0.0)) return;
  const Vec3 away = dynamics::frame_motion(task.frame, call.workspace).p_WF - task.centre_W;
  const double from_centre = away.norm(), missing = task.influence - (from_centre - task.radius);
  if (!(missing > 0.0) || !(from_centre > 0.0)) return;
  RateScratch& s = call.scratch;
  dynamics::frame_jacobian(call.model, task.frame, call.workspace, s.J_all);
  choose_columns(call, s.J_all, s.J_other);
  for (int j = 0; j < call.n; ++j) {
    const Vec3 column = s.J_other.block<3, 1>(3, j);
    s.wish[j] += task.gain * missing * away.dot(column) / from_centre;
  }
}

// The sum of the gradients, as rates.
void set_wish(const RateCall& call) {
  VecX& wish = call.scratch.wish;
  wish.setZero();
  const PostureTask& posture = call.options.posture;
  const LimitTask& limits = call.options.limits;
  for (int j = 0; j < call.n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (!posture.wanted.empty()) {
      wish[j] += posture.gain * (posture.wanted[at] - call.position(j));
    }
    if (limits.lower.empty()) continue;
    const double range = limits.upper[at] - limits.lower[at];
    if (!std::isfinite(range)) continue;
    const double middle = 0.5 * (limits.upper[at] + limits.lower[at]);
    wish[j] -= limits.gain * (call.position(j) - middle) / (range * range);
  }
  add_obstacle_wish(call);
  for (int j = 0; j < call.n; ++j) {
    if (call.failed(j)) wish[j] = 0.0;
  }
}

// y += P wish in coordinates y.
void add_wish(const RateCall& call) {
  RateScratch& s = call.scratch;
  set_wish(call);
  for (int j = 0; j < call.n; ++j) {  // y = L^T v
    s.wish[j] *= s.L(j, j);
    for (int i = j + 1; i < call.n; ++i) s.wish[j] += s.L(i, j) * s.wish[i];
  }
  project_out(s.svd, s.wish);
  project_out(s.lower_svd, s.wish);
  s.y += s.wish;
}

}  // namespace

RateScratch::RateScratch(const model::Model& model, std::size_t joints)
    : rates(VecX::Zero(static_cast<Eigen::Index>(joints))),
      J_all(MatX::Zero(6, model.nv())),
      J_other(MatX::Zero(6, rates.size())),
      M_all(MatX::Zero(model.nv(), model.nv())),
      J(MatX::Zero(6, rates.size())),
      carried(MatX::Zero(6, rates.size())),
      L(MatX::Zero(rates.size(), rates.size())),
      task(MatX::Zero(rates.size(), 6)),
      lower(MatX::Zero(rates.size(), 6)),
      y(VecX::Zero(rates.size())),
      wish(VecX::Zero(rates.size())),
      twist(VecX::Zero(6)),
      svd(static_cast<int>(joints)),
      lower_svd(static_cast<int>(joints)) {}

RateResult resolved_rates(const model::Model& model, const model::State& state,
                          model::Workspace& workspace, const model::Frame& frame,
                          std::span<const JointCoordinate> joints, const spatial::Spatial& twist,
                          const RateOptions& options, RateScratch& scratch) {
  const int base = options.base == BaseKind::kFloating || options.reaction != ReactionTask::kNone
                       ? floating_base(model)
                       : -1;
  GRAPPLE_ASSERT(options.base == BaseKind::kHeld || base >= 0);
  GRAPPLE_ASSERT(static_cast<std::size_t>(scratch.rates.size()) == joints.size());
  const RateCall call{
      model, state, workspace, joints, options, scratch, static_cast<int>(joints.size()), base};
  if (base >= 0 || options.inverse == InverseKind::kInertiaWeighted) {
    dynamics::crba_after_kinematics(model, workspace, scratch.M_all);
  }
  if (base >= 0) find_carried(call);
  dynamics::frame_jacobian(model, frame, workspace, scratch.J_all);
  choose_columns(call, scratch.J_all, scratch.J);
  find_metric(call);
  const int rows = set_task(call, twist);
  scratch.svd.compute(scratch.task, call.n, rows);
  RateResult result;
  result.manipulability = scratch.svd.product();
  result.rank = scratch.svd.rank();
  result.smallest = rows > 0 ? scratch.svd.value(std::min(rows, call.n) - 1) : 0.0;
  result.damping = damping_at(options, result.manipulability);
  scratch.y.setZero();
  add_solution(scratch.svd, scratch.twist, result.damping, scratch.y);
  add_reaction(call);
  add_wish(call);
  scratch.rates = scratch.y;
  from_metric(scratch.L, call.n, scratch.rates);
  return result;
}

}  // namespace grapple::control
