#include "grapple/constraint/loop_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

// Rows shorter than this share of the longest do not move; a pivot below this square of a sine
// means that a row follows from others.
constexpr double kNoRow = 1e-16, kDependent = 1e-10;
constexpr double kClosed = 1e-13;  // m or rad, of loops a metre in size
constexpr int kMostIterations = 25;

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

}  // namespace

template <class T>
void evaluate_rows(const model::Model& model, const std::vector<Loop>& loops,
                   const model::WorkspaceT<T>& w, LoopScratch<T>& s) {
  s.A.setZero();
  int row = 0;
  for (const Loop& loop : loops) {
    const Vec3T<T> p_M = dynamics::frame_motion(loop.M, w).p_WF;
    for (const Row& one : loop.rows) {
      const RowMotion<T> at = row_motion(model, loop, one, w);
      s.value[row] = at.value;
      s.rate[row] = at.rate;
      s.acceleration[row] = at.acceleration;
      const auto about = [&](int link) -> Vec3T<T> {
        return p_M - w.motion[static_cast<std::size_t>(link)].p_WL;
      };
      const Vec3T<T> no = Vec3T<T>::Zero();
      const SpatialT<T> on_M{at.torque_M + about(loop.M.link).cross(at.force), at.force};
      const SpatialT<T> on_F{no - at.torque_M - about(loop.F.link).cross(at.force), no - at.force};
      add_generalized<T>(model, w, loop.M.link, on_M, row, s.A);
      add_generalized<T>(model, w, loop.F.link, on_F, row, s.A);
      ++row;
    }
  }
}

namespace {

// W = L^-1 A' over the free coordinates, and S = W'W scaled to a unit diagonal.
template <class T>
void form_schur(const dynamics::ForwardScratch<T>& f, LoopScratch<T>& s) {
  using std::sqrt;
  const auto n = static_cast<int>(f.free_rows.size()), m = static_cast<int>(s.A.rows());
  double longest = 0.0;
  for (int row = 0; row < m; ++row) {
    T sum(0);
    for (int k = 0; k < n; ++k) {
      T x = s.A(row, f.free_rows[static_cast<std::size_t>(k)]);
      for (int l = 0; l < k; ++l) x -= f.L(k, l) * s.W(l, row);
      s.W(k, row) = x / f.L(k, k);
      sum += s.W(k, row) * s.W(k, row);
    }
    s.scale[row] = sum;
    longest = std::max(longest, spatial::value_of(sum));
  }
  for (int row = 0; row < m; ++row) {
    const bool moves = spatial::value_of(s.scale[row]) > kNoRow * longest && longest > 0.0;
    s.scale[row] = moves ? T(1) / sqrt(s.scale[row]) : T(0);
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

// Mass matrix and its factor at the state, over the coordinates that follow forces.
void factor_mass(const model::Model& model, const model::State& state,
                 dynamics::ForwardScratch<double>& f, model::Workspace& w) {
  dynamics::forward_kinematics(model, state, w);
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

}  // namespace

template <class T>
LoopScratch<T>::LoopScratch(const std::vector<Loop>& loops, int nv) {
  const int m = rows_in(loops);
  A = MatXT<T>::Zero(m, nv);
  W = MatXT<T>::Zero(nv, m);
  S = MatXT<T>::Zero(m, m);
  value = rate = acceleration = lambda = rhs = scale = VecXT<T>::Zero(m);
  delta = VecXT<T>::Zero(nv);
  order.resize(static_cast<std::size_t>(m));
}

template <class T>
void add_loop_forces(const model::Model& model, const std::vector<Loop>& loops,
                     const model::StateT<T>& state, dynamics::ForwardScratch<T>& forward,
                     LoopScratch<T>& s, model::WorkspaceT<T>& w) {
  evaluate_rows(model, loops, w, s);
  form_schur(forward, s);
  factor_schur(s);
  s.rhs = -s.acceleration;
  solve_schur(s);
  respond(forward, s);
  w.vdot += s.delta;
  dynamics::link_accelerations(model, w.vdot, w);
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    const Link& link = model.link(i);
    for (int row = link.v_actuated(); row < link.v_actuated() + link.nv; ++row) {
      for (const int column : forward.free_rows) {
        w.tau[row] += forward.M(row, column) * s.delta[column];
      }
      for (Eigen::Index k = 0; k < s.lambda.size(); ++k) w.tau[row] -= s.A(k, row) * s.lambda[k];
    }
  }
}

template <class T>
SpatialT<T> loop_wrench(const model::Model& model, const std::vector<Loop>& loops, std::size_t loop,
                        const LoopScratch<T>& scratch, const model::WorkspaceT<T>& workspace) {
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < loop; ++k) row += static_cast<Eigen::Index>(loops[k].rows.size());
  Vec3T<T> force = Vec3T<T>::Zero(), torque = Vec3T<T>::Zero();
  for (const Row& one : loops[loop].rows) {
    const RowMotion<T> at = row_motion(model, loops[loop], one, workspace);
    force += scratch.lambda[row] * at.force;
    torque += scratch.lambda[row] * at.torque_M;
    ++row;
  }
  const spatial::Mat3T<T> R_FW = dynamics::frame_motion(loops[loop].F, workspace).R_WF.transpose();
  return {R_FW * torque, R_FW * force};
}

void loop_values(const model::Model& model, const std::vector<Loop>& loops,
                 const model::Workspace& workspace, VecX& value) {
  int row = 0;
  for (const Loop& loop : loops) {
    for (const Row& one : loop.rows) {
      value[row++] = row_motion(model, loop, one, workspace).value;
    }
  }
}

ClosureResult close_loops(const model::Model& model, const std::vector<Loop>& loops,
                          model::State& state, dynamics::ForwardScratch<double>& forward,
                          LoopScratch<double>& s, model::Workspace& w) {
  ClosureResult result;
  for (; result.iterations < kMostIterations; ++result.iterations) {
    factor_mass(model, state, forward, w);
    evaluate_rows(model, loops, w, s);
    result.largest_value = s.value.lpNorm<Eigen::Infinity>();
    form_schur(forward, s);
    factor_schur(s);
    if (!(result.largest_value > kClosed)) break;
    s.rhs = -s.value;
    solve_schur(s);
    respond(forward, s);
    // Far from closed, half a radian or half a metre at a time.
    const double largest = s.delta.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(largest)) return result;
    if (largest > 0.5) s.delta *= 0.5 / largest;
    dynamics::move_positions(model, s.delta, state.q);
  }
  s.rhs = -s.rate;
  solve_schur(s);
  respond(forward, s);
  state.v += s.delta;
  dynamics::normalize_quaternions(model, state.q.data());
  result.closed = result.largest_value <= 1e3 * kClosed;
  return result;
}

template SpatialT<double> loop_wrench(const model::Model&, const std::vector<Loop>&, std::size_t,
                                      const LoopScratch<double>&, const model::Workspace&);
template SpatialT<Dual> loop_wrench(const model::Model&, const std::vector<Loop>&, std::size_t,
                                    const LoopScratch<Dual>&, const model::WorkspaceT<Dual>&);
template void evaluate_rows(const model::Model&, const std::vector<Loop>&, const model::Workspace&,
                            LoopScratch<double>&);
template void evaluate_rows(const model::Model&, const std::vector<Loop>&,
                            const model::WorkspaceT<Dual>&, LoopScratch<Dual>&);
template struct LoopScratch<double>;
template struct LoopScratch<Dual>;
template void add_loop_forces(const model::Model&, const std::vector<Loop>&, const model::State&,
                              dynamics::ForwardScratch<double>&, LoopScratch<double>&,
                              model::Workspace&);
template void add_loop_forces(const model::Model&, const std::vector<Loop>&,
                              const model::StateT<Dual>&, dynamics::ForwardScratch<Dual>&,
                              LoopScratch<Dual>&, model::WorkspaceT<Dual>&);

}  // namespace grapple::constraint
