#include "grapple/constraint/assemble.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "grapple/constraint/constraint_solver.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"

namespace grapple::constraint {

namespace {

using spatial::MatX;
using spatial::VecX;

constexpr double kAssembled = 1e-12;  // m or rad
constexpr double kNoRank = 1e-9;      // of the largest singular value
constexpr double kNearSingular = 0.02;
constexpr int kMostSteps = 2000, kMostCorrections = 8;
constexpr double kFirstStep = 0.05, kLargestStep = 0.3, kSmallestStep = 1e-7;

// The rows that hold positions, as functions of the coordinates that may move.
class Closure {
 public:
  Closure(const model::Model& model, const std::vector<Constraint>& constraints,
          const model::State& state)
      : model_(model),
        constraints_(constraints),
        workspace_(model),
        scratch_(model, constraints, dynamics::Method::kComposite) {
    for (int i = 1; i < model.link_count(); ++i) {
      const model::Link& link = model.link(i);
      if (state.driven[static_cast<std::size_t>(i)] != 0 && link.motors == 0) continue;
      for (int k = 0; k < link.nv; ++k) columns_.push_back(link.v_index + k);
    }
    int row = 0;
    for (const Constraint& constraint : constraints) {
      for (const Row& one : rows_of(constraint)) {
        if (constraint.active && holds_position(one)) rows_.push_back(row);
        ++row;
      }
    }
  }

  void evaluate(const model::State& state) {
    dynamics::forward_kinematics(model_, state, workspace_);
    constraint_values(model_, constraints_, state, workspace_, scratch_);
  }
  VecX values() const { return scratch_.value(rows_); }
  const VecX& all_values() const { return scratch_.value; }
  MatX rows() const { return scratch_.A(rows_, columns_); }
  const model::Workspace& workspace() const { return workspace_; }

  // Factor of the mass matrix of these columns, scaled so that a typical coordinate counts as one.
  MatX metric(const model::State& state) {
    MatX M(model_.nv(), model_.nv());
    dynamics::crba(model_, state, workspace_, M);
    MatX own = M(columns_, columns_);
    own /= own.trace() / static_cast<double>(own.rows());
    return own.llt().matrixL();
  }
  void move(const VecX& delta, model::State& state) const {
    VecX all = VecX::Zero(model_.nv());
    all(columns_) = delta;
    dynamics::move_positions(model_, all, state.q);
    dynamics::normalize_quaternions(model_, state.q.data());
  }
  bool movable() const { return !columns_.empty() && !rows_.empty(); }

 private:
  const model::Model& model_;
  const std::vector<Constraint>& constraints_;
  model::Workspace workspace_;
  ConstraintScratch<double> scratch_;
  std::vector<int> columns_, rows_;
};

// Position on the way: coordinates and share.
struct Place {
  model::State state;
  double share = 0.0;
};

// The rows' derivative by (coordinates in the metric, share) at a place, in singular values.
struct Linear {
  MatX to_coordinates;  // L^-T
  Eigen::JacobiSVD<MatX> svd;
  Eigen::Index rank = 0;
  VecX residual;
  bool finite = true;

  Linear(Closure& closure, const Place& at, const VecX& start) {
    const MatX L = closure.metric(at.state);
    closure.evaluate(at.state);
    to_coordinates =
        L.transpose().triangularView<Eigen::Upper>().solve(MatX::Identity(L.rows(), L.cols()));
    MatX J(start.size(), L.cols() + 1);
    J << closure.rows() * to_coordinates, start;
    residual = closure.values() - (1.0 - at.share) * start;
    finite = J.allFinite() && residual.allFinite();
    if (!finite) J.setZero();  // the decomposition takes numbers only
    svd.setThreshold(kNoRank);
    svd.compute(J, Eigen::ComputeThinU | Eigen::ComputeFullV);
    rank = svd.rank();
  }

  // The part of a direction that leaves all rows alone.
  VecX along(const VecX& direction) const {
    const auto held = svd.matrixV().leftCols(rank);
    return direction - held * (held.transpose() * direction);
  }
  double smallest() const {
    return rank == 0 ? 1.0 : svd.singularValues()[rank - 1] / svd.singularValues()[0];
  }
};

void take(Closure& closure, const Linear& linear, const VecX& step, Place& at) {
  closure.move(linear.to_coordinates * step.head(step.size() - 1), at.state);
  at.share += step[step.size() - 1];
}

// Newton's way back to H = 0; how many steps it took, or -1.
int correct(Closure& closure, const VecX& start, Place& at) {
  for (int k = 0; k < kMostCorrections; ++k) {
    const Linear linear(closure, at, start);
    if (!linear.finite) return -1;
    if (linear.residual.lpNorm<Eigen::Infinity>() <= kAssembled) return k;
    const VecX step = linear.svd.solve(-linear.residual);
    if (!(step.norm() < 1.0)) return -1;
    take(closure, linear, step, at);
  }
  return -1;
}

// At s = 1 the loops alone.
bool finish(Closure& closure, model::State& state) {
  for (int k = 0; k < kMostCorrections; ++k) {
    const MatX L = closure.metric(state);
    closure.evaluate(state);
    const VecX values = closure.values();
    if (!values.allFinite() || !closure.rows().allFinite()) return false;
    if (values.lpNorm<Eigen::Infinity>() <= kAssembled) return true;
    const MatX to_coordinates =
        L.transpose().triangularView<Eigen::Upper>().solve(MatX::Identity(L.rows(), L.cols()));
    Eigen::JacobiSVD<MatX> svd(closure.rows() * to_coordinates,
                               Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(kNoRank);
    closure.move(to_coordinates * svd.solve(-values), state);
  }
  return false;
}

class Walk {
 public:
  Walk(Closure& closure, model::State state, VecX start)
      : closure_(closure), start_(std::move(start)), at_{std::move(state), 0.0} {}

  // True: arrived at s = 1, up to a last closing.
  bool go(AssemblyResult& result) {
    double step = kFirstStep;
    for (; result.steps < kMostSteps; ++result.steps) {
      const Linear linear(closure_, at_, start_);
      if (!linear.finite) return false;
      const VecX tangent = direction(linear);
      note_singular(linear, tangent, result);
      if (tangent.size() == 0 || at_.share < -1.0) return false;
      if (linear.svd.cols() - linear.rank > 1 && stands_still(result)) return false;
      Place next = at_;
      take(closure_, linear, step * tangent, next);
      const bool passes = next.share >= 1.0;
      if (passes) {  // land on s = 1
        next = at_;
        take(closure_, linear, (1.0 - at_.share) / tangent[tangent.size() - 1] * tangent, next);
      }
      const int corrections = correct(closure_, start_, next);
      if (corrections < 0) {
        step *= 0.5;
        if (step < kSmallestStep) return false;
        continue;
      }
      last_ = tangent;
      at_ = next;
      result.share = std::max(result.share, at_.share);
      if (std::abs(at_.share - 1.0) < 1e-9) return true;
      if (corrections <= 3) step = std::min(kLargestStep, 1.6 * step);
    }
    return false;
  }
  const Place& place() const { return at_; }

 private:
  // Where s grows fastest; on a curve without choice, on in the sense of the last step. Empty: s
  // cannot grow.
  VecX direction(const Linear& linear) {
    const Eigen::Index n = linear.svd.cols();
    VecX up = VecX::Zero(n);
    up[n - 1] = 1.0;
    const bool curve = n - linear.rank == 1;
    if (curve && last_.size() > 0) {
      const VecX on = linear.along(last_);
      return on.norm() > 1e-3 ? VecX(on.normalized()) : VecX();
    }
    const VecX best = linear.along(up);
    return best.norm() > 1e-4 ? VecX(best.normalized()) : VecX();
  }

  // With a choice of directions the way ends at a lock-up in ever smaller gains.
  bool stands_still(AssemblyResult& result) {
    constexpr int kPatience = 40;
    if (at_.share > best_ + 1e-4) {
      best_ = at_.share;
      since_ = 0;
    }
    if (++since_ < kPatience) return false;
    result.singular.push_back({SingularPlace::Kind::kLockUp, at_.share});
    return true;
  }

  void note_singular(const Linear& linear, const VecX& tangent, AssemblyResult& result) {
    using Kind = SingularPlace::Kind;
    if (tangent.size() == 0) {
      result.singular.push_back({Kind::kLockUp, at_.share});
      return;
    }
    const double grows = tangent[tangent.size() - 1];
    if (grows * growth_ < 0.0) result.singular.push_back({Kind::kLockUp, at_.share});
    growth_ = grows;
    // A dip of the smallest singular value while s goes on growing: branches meet near.
    const double now = linear.smallest();
    const bool dip = before_ < kNearSingular && before_ < earlier_ && before_ < now;
    if (dip && std::abs(grows) > 0.05) result.singular.push_back({Kind::kBifurcation, at_.share});
    earlier_ = before_;
    before_ = now;
  }

  Closure& closure_;
  VecX start_;
  Place at_;
  VecX last_;
  double growth_ = 0.0, before_ = 1.0, earlier_ = 1.0, best_ = 0.0;
  int since_ = 0;
};

bool is_flipped(const TreeMotion<double>& tree, const Constraint& constraint) {
  return std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (requires { kind.across(); }) {
          const FramePairMotion<double> at(kind.frames, tree);
          return is_flipped(at.R_FM(), kind.across());
        } else {
          return false;
        }
      },
      constraint.kind);
}

}  // namespace

AssemblyResult assemble(const model::Model& model, const std::vector<Constraint>& constraints,
                        model::State& state) {
  AssemblyResult result;
  Closure closure(model, constraints, state);
  closure.evaluate(state);
  result.before = result.after = closure.all_values();
  const VecX start = closure.values();
  if (!start.allFinite()) return result;  // there is no way from nowhere
  if (!closure.movable() || start.lpNorm<Eigen::Infinity>() <= kAssembled) {
    result.closed = start.size() == 0 || start.lpNorm<Eigen::Infinity>() <= kAssembled;
    result.share = result.closed ? 1.0 : 0.0;
    return result;
  }
  Walk walk(closure, state, start);
  const bool arrived = walk.go(result);
  state.q = walk.place().state.q;
  result.closed = arrived && finish(closure, state);
  closure.evaluate(state);
  result.after = closure.all_values();
  for (std::size_t l = 0; l < constraints.size(); ++l) {
    if (constraints[l].active &&
        is_flipped({model, 0.0, state, closure.workspace()}, constraints[l])) {
      result.flipped.push_back(static_cast<int>(l));
    }
  }
  return result;
}

}  // namespace grapple::constraint
