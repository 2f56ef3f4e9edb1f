#include "grapple/constraint/loop_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "grapple/dynamics/cholesky.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

namespace {

using model::Link;
using spatial::Dual;
using spatial::MatXT;
using spatial::SpatialT;
using spatial::Vec3T;
using spatial::VecX;
using spatial::VecXT;

// A pivot below this square of a sine means that a row follows from others.
constexpr double kDependent = 1e-10;
// Coefficients below this, of coordinates a metre or a radian in size, are rounding: the row ties
// two frames that cannot move against each other.
constexpr double kNoRow = 1e-12;
constexpr double kClosed = 1e-13;  // m or rad, of loops a metre in size
constexpr int kMostIterations = 25;
constexpr double kSlow = 0.05;  // progress of an iteration that asks for a new factor
// Shares of what is asked that may be left: forces go into the motion as they are, positions and
// rates are small corrections, the tangent measures errors.
constexpr double kForcesMet = 1e-12, kValuesMet = 1e-4, kRatesMet = 1e-6, kTangentMet = 1e-10;
constexpr double kHardlyMoved = 1e-7;  // m or rad
constexpr double kValueNoise = 1e-15;  // m or rad

bool turns(const Row& row) { return row.kind == Row::Kind::kAcross; }

int rows_in(const std::vector<Loop>& loops) {
  std::size_t sum = 0;
  for (const Loop& loop : loops) sum += loop.rows.size();
  return static_cast<int>(sum);
}

// Adds what a wrench on a link (about its origin) does to every coordinate between it and the
// world.
template <class T>
void add_generalized(const model::Model& model, const model::WorkspaceT<T>& w, int link,
                     SpatialT<T> wrench, int row, MatXT<T>& A) {
  for (int i = link; i != 0; i = model.link(i).parent) {
    const Link& own = model.link(i);
    for (int k = 0; k < own.nv; ++k) {
      A(row, own.v_index + k) +=
          spatial::dot(w.S[static_cast<std::size_t>(own.v_index + k)], wrench);
    }
    const auto& axes = w.elastic_axes[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < axes.size(); ++k) {
      A(row, own.v_modal + static_cast<int>(k)) += spatial::dot(axes[k], wrench);
    }
    wrench.ang += w.motion[static_cast<std::size_t>(i)].r.cross(wrench.lin);
  }
}

// Wrenches of a row about the origins of its two links.
template <class T>
struct Pull {
  SpatialT<T> on_M, on_F;
};
template <class T>
Pull<T> pull_of(const TreeMotion<T>& tree, const Loop& loop, const Vec3T<T>& p_M,
                const RowMotion<T>& at) {
  const auto torque = [&](int link) -> Vec3T<T> {
    const Vec3T<T>& origin = tree.workspace.motion[static_cast<std::size_t>(link)].p_WL;
    return at.torque_M + (p_M - origin).cross(at.force);
  };
  return {{torque(loop.M.link), at.force}, {-torque(loop.F.link), -at.force}};
}

// What one row does to the coordinates.
template <class T>
void add_direction(const TreeMotion<T>& tree, const Loop& loop, const Vec3T<T>& p_M,
                   const RowMotion<T>& at, int row, LoopScratch<T>& s) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.articulated) {
      const Pull<T> pull = pull_of(tree, loop, p_M, at);
      s.wrenches[static_cast<std::size_t>(row)] = {loop.M.link, loop.F.link, pull.on_M, pull.on_F};
      return;
    }
  }
  for (std::size_t k = 0; k < loop.terms.size(); ++k) {
    s.A(row, loop.terms[k].v) += at.coefficient[k];
  }
  if (!between_frames(loop)) return;
  const Pull<T> pull = pull_of(tree, loop, p_M, at);
  add_generalized<T>(tree.model, tree.workspace, loop.M.link, pull.on_M, row, s.A);
  add_generalized<T>(tree.model, tree.workspace, loop.F.link, pull.on_F, row, s.A);
}

}  // namespace

template <class T>
void evaluate_rows(const TreeMotion<T>& tree, const std::vector<Loop>& loops, Rows which,
                   LoopScratch<T>& s) {
  s.A.setZero();
  std::fill(s.wrenches.begin(), s.wrenches.end(), RowWrench{});
  s.value.setZero();
  s.rate.setZero();
  s.acceleration.setZero();
  s.drift.setZero();
  int row = 0;
  for (const Loop& loop : loops) {
    if (!loop.active) {
      row += static_cast<int>(loop.rows.size());
      continue;
    }
    const LoopMotion<T> motion(tree, loop);
    for (const Row& one : loop.rows) {
      const int own = row++;
      if (which == Rows::kPositions && !holds_position(one)) continue;
      const RowMotion<T> at = motion.row(one);
      s.value[own] = at.value;
      s.rate[own] = at.rate;
      s.acceleration[own] = at.acceleration;
      s.drift[own] = at.drift;
      add_direction<T>(tree, loop, motion.p_M(), at, own, s);
    }
  }
}

namespace {

bool has_rate_rows(const std::vector<Loop>& loops) {
  for (const Loop& loop : loops) {
    if (loop.active && !std::all_of(loop.rows.begin(), loop.rows.end(), holds_position)) {
      return true;
    }
  }
  return false;
}

// W = L^-1 A' over the free coordinates, and S = W'W, each row scaled with its peers.
template <class T>
void form_schur(const dynamics::ForwardScratch<T>& f, LoopScratch<T>& s) {
  using std::sqrt;
  const auto n = static_cast<int>(f.free_rows.size()), m = static_cast<int>(s.A.rows());
  for (int row = 0; row < m; ++row) {
    T sum(0);
    double largest = 0.0;
    for (int k = 0; k < n; ++k) {
      T x = s.A(row, f.free_rows[static_cast<std::size_t>(k)]);
      largest = std::max(largest, std::abs(spatial::value_of(x)));
      for (int l = 0; l < k; ++l) x -= f.L(k, l) * s.W(l, row);
      s.W(k, row) = x / f.L(k, k);
      sum += s.W(k, row) * s.W(k, row);
    }
    s.length[row] = largest > kNoRow ? sum : T(0);
  }
  for (int row = 0; row < m; ++row) {
    T longest(0);
    for (const int other : s.peers[static_cast<std::size_t>(row)]) {
      if (s.length[other] > longest) longest = s.length[other];
    }
    s.scale[row] = s.length[row] > T(0) ? T(1) / sqrt(longest) : T(0);
  }
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) sum += s.W(k, i) * s.W(k, j);
      s.S(i, j) = s.S(j, i) = sum * s.scale[i] * s.scale[j];
    }
  }
}

// Pivoted Cholesky factor of S, by rows of `order`; stops where the rest depends on what is done.
template <class T>
void factor_schur(LoopScratch<T>& s) {
  using std::sqrt;
  const auto m = static_cast<int>(s.order.size());
  std::iota(s.order.begin(), s.order.end(), 0);
  const auto at = [&s](int i, int j) -> T& {
    return s.S(s.order[static_cast<std::size_t>(i)], s.order[static_cast<std::size_t>(j)]);
  };
  s.smallest_pivot = 1.0;
  for (s.rank = 0; s.rank < m; ++s.rank) {
    const int k = s.rank;
    int best = k;
    for (int i = k + 1; i < m; ++i) {
      if (spatial::value_of(at(i, i)) > spatial::value_of(at(best, best))) best = i;
    }
    std::swap(s.order[static_cast<std::size_t>(k)], s.order[static_cast<std::size_t>(best)]);
    if (!(spatial::value_of(at(k, k)) > kDependent)) return;
    s.smallest_pivot = std::min(s.smallest_pivot, spatial::value_of(at(k, k)));
    at(k, k) = sqrt(at(k, k));
    for (int i = k + 1; i < m; ++i) at(i, k) /= at(k, k);
    for (int i = k + 1; i < m; ++i) {
      for (int j = k + 1; j <= i; ++j) {
        at(i, j) -= at(i, k) * at(j, k);
        at(j, i) = at(i, j);
      }
    }
  }
}

// lambda of S lambda = rhs with the dependent rows at zero.
template <class T>
void solve_schur(LoopScratch<T>& s) {
  const auto row = [&s](int i) { return s.order[static_cast<std::size_t>(i)]; };
  s.lambda.setZero();
  for (int i = 0; i < s.rank; ++i) {
    T x = s.rhs[row(i)] * s.scale[row(i)];
    for (int j = 0; j < i; ++j) x -= s.S(row(i), row(j)) * s.lambda[row(j)];
    s.lambda[row(i)] = x / s.S(row(i), row(i));
  }
  for (int i = s.rank - 1; i >= 0; --i) {
    T x = s.lambda[row(i)];
    for (int j = i + 1; j < s.rank; ++j) x -= s.S(row(j), row(i)) * s.lambda[row(j)];
    s.lambda[row(i)] = x / s.S(row(i), row(i));
  }
  for (int i = 0; i < s.rank; ++i) s.lambda[row(i)] *= s.scale[row(i)];
}

// Where rows depend on others, the multipliers of least norm among those that give the same motion,
// each row counted as it is scaled. With the dependent rows W_i = sum of c_ij W_j the null space of
// W is spanned by e_i - sum of c_ij e_j.
template <class T>
void spread_over_dependent_rows(LoopScratch<T>& s) {
  const auto k = static_cast<int>(s.order.size()) - s.rank;
  if (k == 0) return;
  const auto row = [&s](int i) { return s.order[static_cast<std::size_t>(i)]; };
  auto c = s.shares.topLeftCorner(k, s.rank);
  for (int i = 0; i < k; ++i) {
    for (int j = s.rank - 1; j >= 0; --j) {
      T x = s.S(row(s.rank + i), row(j));
      for (int l = j + 1; l < s.rank; ++l) x -= s.S(row(l), row(j)) * c(i, l);
      c(i, j) = x / s.S(row(j), row(j));
    }
  }
  for (int i = 0; i < k; ++i) {
    s.spread[i] = T(0);
    for (int j = 0; j < s.rank; ++j) s.spread[i] -= c(i, j) * s.lambda[row(j)] / s.scale[row(j)];
    for (int l = 0; l <= i; ++l) s.gram(i, l) = c.row(i).dot(c.row(l)) + T(i == l ? 1 : 0);
  }
  dynamics::factor_in_place(s.gram, k);
  dynamics::solve_in_place(s.gram, k, s.spread);
  for (int i = 0; i < k; ++i) {
    s.lambda[row(s.rank + i)] = -s.spread[i] * s.scale[row(s.rank + i)];
    for (int j = 0; j < s.rank; ++j) {
      s.lambda[row(j)] += c(i, j) * s.spread[i] * s.scale[row(j)];
    }
  }
}

// delta = M^-1 A' lambda over all coordinates; zero where a joint is driven.
template <class T>
void respond(const dynamics::ForwardScratch<T>& f, LoopScratch<T>& s) {
  const auto n = static_cast<int>(f.free_rows.size());
  const auto free = [&f](int k) { return f.free_rows[static_cast<std::size_t>(k)]; };
  s.delta.setZero();
  for (int k = 0; k < n; ++k) {
    T sum(0);
    for (int i = 0; i < s.rank; ++i) {
      const int row = s.order[static_cast<std::size_t>(i)];
      sum += s.W(k, row) * s.lambda[row];
    }
    s.delta[free(k)] = sum;
  }
  for (int k = n - 1; k >= 0; --k) {
    T x = s.delta[free(k)];
    for (int l = k + 1; l < n; ++l) x -= f.L(l, k) * s.delta[free(l)];
    s.delta[free(k)] = x / f.L(k, k);
  }
}

// Mass matrix and its factor at the last kinematics, over the coordinates that follow forces.
void factor_mass(const model::Model& model, const model::State& state,
                 dynamics::ForwardScratch<double>& f, model::Workspace& w) {
  dynamics::find_free_rows(model, state, f.free_rows);
  dynamics::crba_after_kinematics(model, w, f.M);
  const auto n = static_cast<int>(f.free_rows.size());
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      f.L(i, j) =
          f.M(f.free_rows[static_cast<std::size_t>(i)], f.free_rows[static_cast<std::size_t>(j)]);
    }
  }
  dynamics::factor_in_place(f.L, n);
}

// What the rows need to be solved, after evaluate_rows; the mass matrix must be factored already.
template <class T>
void factor_rows(const model::Model& model, const model::StateT<T>& state,
                 const dynamics::ForwardScratch<T>& forward, LoopScratch<T>& s,
                 const model::WorkspaceT<T>& w) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.articulated) {
      s.articulated->factor(model, state, w, s.wrenches);
      return;
    }
  }
  form_schur(forward, s);
  factor_schur(s);
}

// lambda and delta for s.rhs.
template <class T>
void solve_rows(const dynamics::ForwardScratch<T>& forward, Asked asked, LoopScratch<T>& s) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.articulated) {
      const bool met = s.articulated->solve(s.rhs, asked, s.lambda, s.delta);
      s.rank = met ? static_cast<int>(s.rhs.size()) : 0;
      s.smallest_pivot = s.articulated->weakest();
      return;
    }
  }
  solve_schur(s);
  respond(forward, s);
}

// What the loops ask of driven joints on top of the tree's own efforts.
template <class T>
void add_driven_efforts(const model::Model& model, const model::StateT<T>& state,
                        const dynamics::ForwardScratch<T>& forward, LoopScratch<T>& s,
                        model::WorkspaceT<T>& w) {
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    const Link& link = model.link(i);
    if constexpr (std::is_same_v<T, double>) {
      if (s.articulated) {
        for (int k = 0; k < link.nv && link.motors == 0; ++k) {
          w.tau[link.v_index + k] += s.articulated->driven_effort(i, k);
        }
        continue;
      }
    }
    for (int row = link.v_actuated(); row < link.v_actuated() + link.nv; ++row) {
      for (const int column : forward.free_rows) {
        w.tau[row] += forward.M(row, column) * s.delta[column];
      }
      for (Eigen::Index k = 0; k < s.lambda.size(); ++k) w.tau[row] -= s.A(k, row) * s.lambda[k];
    }
  }
}

// Accelerations are rounded at this share of the largest.
template <class T>
double acceleration_noise(const model::WorkspaceT<T>& w) {
  double largest = 0.1;
  for (const auto& link : w.motion) {
    for (int k = 0; k < 3; ++k) {
      largest = std::max({largest, std::abs(spatial::value_of(link.alpha[k])),
                          std::abs(spatial::value_of(link.a[k]))});
    }
  }
  return 1e-13 * largest;
}

// Needs the factor of the rows whose rates are to vanish.
void take_opening_rates(const dynamics::ForwardScratch<double>& f, LoopScratch<double>& s,
                        model::State& state) {
  s.rhs = -s.rate;
  solve_rows(f, {kRatesMet, kValueNoise * (1.0 + state.v.lpNorm<Eigen::Infinity>())}, s);
  state.v += s.delta;
}

}  // namespace

template <class T>
LoopScratch<T>::LoopScratch(const std::vector<Loop>& loops, int nv) {
  const int m = rows_in(loops);
  A = MatXT<T>::Zero(m, nv);
  W = MatXT<T>::Zero(nv, m);
  S = shares = gram = MatXT<T>::Zero(m, m);
  value = rate = acceleration = drift = lambda = rhs = scale = length = spread = VecXT<T>::Zero(m);
  delta = VecXT<T>::Zero(nv);
  order.resize(static_cast<std::size_t>(m));
  int first = 0;
  for (const Loop& loop : loops) {
    for (const Row& row : loop.rows) {
      std::vector<int>& own = peers.emplace_back();
      for (std::size_t k = 0; k < loop.rows.size(); ++k) {
        if (turns(loop.rows[k]) == turns(row)) own.push_back(first + static_cast<int>(k));
      }
    }
    first += static_cast<int>(loop.rows.size());
  }
}

template <class T>
void LoopScratch<T>::use_articulated(const model::Model& model, const std::vector<Loop>& loops) {
  articulated.emplace(model, loops);
  wrenches.resize(order.size());
  A.resize(0, 0);
  W.resize(0, 0);
  S.resize(0, 0);
  shares.resize(0, 0);
  gram.resize(0, 0);
}

template <class T>
void add_loop_forces(const model::Model& model, const std::vector<Loop>& loops,
                     const model::StateT<T>& state, dynamics::ForwardScratch<T>& forward,
                     LoopScratch<T>& s, model::WorkspaceT<T>& w) {
  evaluate_rows<T>({model, s.t, state, w}, loops, Rows::kAll, s);
  factor_rows(model, state, forward, s, w);
  s.rhs = -s.acceleration;
  solve_rows(forward, {kForcesMet, acceleration_noise(w)}, s);
  if (!s.articulated) spread_over_dependent_rows(s);
  w.vdot += s.delta;
  dynamics::link_accelerations(model, w.vdot, w);
  add_driven_efforts(model, state, forward, s, w);
}

template <class T>
SpatialT<T> loop_wrench(const TreeMotion<T>& tree, const std::vector<Loop>& loops, std::size_t loop,
                        const LoopScratch<T>& scratch) {
  if (!loops[loop].active || !between_frames(loops[loop])) return {};
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < loop; ++k) row += static_cast<Eigen::Index>(loops[k].rows.size());
  Vec3T<T> force = Vec3T<T>::Zero(), torque = Vec3T<T>::Zero();
  const LoopMotion<T> motion(tree, loops[loop]);
  for (const Row& one : loops[loop].rows) {
    const RowMotion<T> at = motion.row(one);
    force += scratch.lambda[row] * at.force;
    torque += scratch.lambda[row] * at.torque_M;
    ++row;
  }
  return {torque, force};
}

void loop_values(const model::Model& model, const std::vector<Loop>& loops,
                 const model::State& state, const model::Workspace& workspace,
                 LoopScratch<double>& scratch) {
  evaluate_rows<double>({model, scratch.t, state, workspace}, loops, Rows::kAll, scratch);
}

void project_rates(const model::Model& model, const std::vector<Loop>& loops, model::State& state,
                   dynamics::ForwardScratch<double>& forward, LoopScratch<double>& s,
                   model::Workspace& w) {
  dynamics::forward_kinematics(model, state, w);
  evaluate_rows<double>({model, s.t, state, w}, loops, Rows::kAll, s);
  if (!s.articulated) factor_mass(model, state, forward, w);
  factor_rows(model, state, forward, s, w);
  take_opening_rates(forward, s, state);
}

ClosureResult close_loops(const model::Model& model, const std::vector<Loop>& loops,
                          model::State& state, dynamics::ForwardScratch<double>& forward,
                          LoopScratch<double>& s, model::Workspace& w) {
  ClosureResult result;
  // A factor serves as long as it closes well, and for the rates if the positions hardly moved.
  double before = 0.0, moved = std::numeric_limits<double>::infinity();
  const auto factor = [&] {
    if (!s.articulated) factor_mass(model, state, forward, w);
    factor_rows(model, state, forward, s, w);
    moved = 0.0;
  };
  for (; result.iterations < kMostIterations; ++result.iterations) {
    dynamics::forward_kinematics(model, state, w);
    evaluate_rows<double>({model, s.t, state, w}, loops, Rows::kPositions, s);
    result.largest_value = s.value.lpNorm<Eigen::Infinity>();
    if (!(result.largest_value > kClosed)) break;
    if (result.iterations == 0 || result.largest_value > kSlow * before) factor();
    before = result.largest_value;
    s.rhs = -s.value;
    solve_rows(forward, {kValuesMet, kValueNoise}, s);
    // Far from closed, half a radian or half a metre at a time.
    const double largest = s.delta.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(largest)) return result;
    if (largest > 0.5) s.delta *= 0.5 / largest;
    dynamics::move_positions(model, s.delta, state.q);
    moved += std::min(largest, 0.5);
  }
  if (has_rate_rows(loops)) {
    evaluate_rows<double>({model, s.t, state, w}, loops, Rows::kAll, s);
    factor();
  } else if (moved > kHardlyMoved) {
    factor();
  }
  take_opening_rates(forward, s, state);
  dynamics::normalize_quaternions(model, state.q.data());
  result.closed = result.largest_value <= 1e3 * kClosed;
  return result;
}

void apply_rows(LoopScratch<double>& s, const VecX& direction, VecX& rates) {
  if (s.articulated) {
    s.articulated->apply(direction, rates);
  } else {
    rates.noalias() = s.A * direction;
  }
}

void keep_tangent(const dynamics::ForwardScratch<double>& forward, LoopScratch<double>& s,
                  VecX& direction) {
  apply_rows(s, direction, s.rhs);
  s.rhs = -s.rhs;
  solve_rows(forward, {kTangentMet, 0.0}, s);
  direction += s.delta;
}

template SpatialT<double> loop_wrench(const TreeMotion<double>&, const std::vector<Loop>&,
                                      std::size_t, const LoopScratch<double>&);
template SpatialT<Dual> loop_wrench(const TreeMotion<Dual>&, const std::vector<Loop>&, std::size_t,
                                    const LoopScratch<Dual>&);
template void evaluate_rows(const TreeMotion<double>&, const std::vector<Loop>&, Rows,
                            LoopScratch<double>&);
template void evaluate_rows(const TreeMotion<Dual>&, const std::vector<Loop>&, Rows,
                            LoopScratch<Dual>&);
template struct LoopScratch<double>;
template struct LoopScratch<Dual>;
template void add_loop_forces(const model::Model&, const std::vector<Loop>&, const model::State&,
                              dynamics::ForwardScratch<double>&, LoopScratch<double>&,
                              model::Workspace&);
template void add_loop_forces(const model::Model&, const std::vector<Loop>&,
                              const model::StateT<Dual>&, dynamics::ForwardScratch<Dual>&,
                              LoopScratch<Dual>&, model::WorkspaceT<Dual>&);

}  // namespace grapple::constraint
