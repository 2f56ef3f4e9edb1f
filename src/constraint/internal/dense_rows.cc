#include "grapple/constraint/internal/dense_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grapple/dynamics/cholesky.h"
#include "grapple/spatial/dual.h"

namespace grapple::constraint {

namespace {

using spatial::Dual;
using spatial::MatXT;
using spatial::VecXT;

// Each row is scaled with its peers.
template <class T>
void scale_rows(ConstraintScratch<T>& s) {
  using std::sqrt;
  for (Eigen::Index row = 0; row < s.length.size(); ++row) {
    T longest(0);
    for (const int other : s.peers[static_cast<std::size_t>(row)]) {
      if (s.length[other] > longest) longest = s.length[other];
    }
    s.scale[row] = s.length[row] > T(0) ? T(1) / sqrt(longest) : T(0);
  }
}

// W = L^-1 A' over the free coordinates, and S = W'W, each row scaled with its peers.
template <class T>
void form_schur(const dynamics::ForwardScratch<T>& f, ConstraintScratch<T>& s) {
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
  scale_rows(s);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) sum += s.W(k, i) * s.W(k, j);
      s.S(i, j) = s.S(j, i) = sum * s.scale[i] * s.scale[j];
    }
  }
}

// Driven coordinates do not give way to a row.
void forget_driven(const model::Model& model, const model::State& state, spatial::VecX& efforts) {
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    efforts.segment(model.link(i).v_actuated(), model.link(i).nv).setZero();
  }
}

// V = M^-1 A' and S = A V; rows that are not active are zero and need no solution.
void form_schur_by_solves(const model::Model& model, const model::State& state,
                          const model::Workspace& w, ConstraintScratch<double>& s) {
  const auto m = s.A.rows();
  for (Eigen::Index row = 0; row < m; ++row) {
    s.delta = s.A.row(row).transpose();
    forget_driven(model, state, s.delta);
    s.length[row] = 0.0;
    if (!(s.delta.cwiseAbs().maxCoeff() > kNoRow)) {
      s.W.col(row).setZero();
      continue;
    }
    s.mass_solve->solve(model, state, w, s.delta, s.W.col(row));
    s.length[row] = s.delta.dot(s.W.col(row));
  }
  scale_rows(s);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      const double product =
          s.length[i] > 0.0 && s.length[j] > 0.0 ? s.A.row(i).dot(s.W.col(j)) : 0.0;
      s.S(i, j) = s.S(j, i) = product * s.scale[i] * s.scale[j];
    }
  }
}

// Rows that may be independent come first in `order`; how many those are.
template <class T>
int order_rows(ConstraintScratch<T>& s) {
  std::iota(s.order.begin(), s.order.end(), 0);
  if (s.held.empty()) return static_cast<int>(s.order.size());
  int candidates = 0, others = static_cast<int>(s.order.size());
  for (int row = 0; row < static_cast<int>(s.held.size()); ++row) {
    const int at = s.held[static_cast<std::size_t>(row)] != 0 ? candidates++ : --others;
    s.order[static_cast<std::size_t>(at)] = row;
  }
  return candidates;
}

// Pivoted Cholesky factor of S, by rows of `order`; stops where the rest depends on what is done.
template <class T>
void factor_schur(ConstraintScratch<T>& s) {
  using std::sqrt;
  const auto m = static_cast<int>(s.order.size());
  const int candidates = order_rows(s);
  const auto at = [&s](int i, int j) -> T& {
    return s.S(s.order[static_cast<std::size_t>(i)], s.order[static_cast<std::size_t>(j)]);
  };
  s.smallest_pivot = 1.0;
  for (s.rank = 0; s.rank < candidates; ++s.rank) {
    const int k = s.rank;
    int best = k;
    for (int i = k + 1; i < candidates; ++i) {
      if (spatial::value_of(at(i, i)) > spatial::value_of(at(best, best))) best = i;
    }
    std::swap(s.order[static_cast<std::size_t>(k)], s.order[static_cast<std::size_t>(best)]);
    if (!(spatial::value_of(at(k, k)) > kDependent)) return;
    s.smallest_pivot = std::min(s.smallest_pivot, spatial::value_of(at(k, k)));
    at(k, k) = sqrt(at(k, k));
    for (int i = k + 1; i < m; ++i) at(i, k) /= at(k, k);
    for (int i = k + 1; i < m; ++i) {
      for (int j = k + 1; j <= std::min(i, candidates - 1); ++j) {
        at(i, j) -= at(i, k) * at(j, k);
        at(j, i) = at(i, j);
      }
    }
  }
}

// lambda of S lambda = rhs with the dependent rows at zero.
template <class T>
void solve_schur(ConstraintScratch<T>& s) {
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
void respond(const dynamics::ForwardScratch<T>& f, ConstraintScratch<T>& s) {
  const auto n = static_cast<int>(f.free_rows.size());
  const auto free = [&f](int k) { return f.free_rows[static_cast<std::size_t>(k)]; };
  s.delta.setZero();
  if (s.mass_solve) {
    for (int i = 0; i < s.rank; ++i) {
      const int row = s.order[static_cast<std::size_t>(i)];
      s.delta += s.lambda[row] * s.W.col(row);
    }
    return;
  }
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

}  // namespace

template <class T>
void make_dense_room(const std::vector<Constraint>& constraints, int nv, ConstraintScratch<T>& s) {
  const int m = row_count(constraints);
  s.A = MatXT<T>::Zero(m, nv);
  s.W = MatXT<T>::Zero(nv, m);
  s.S = s.shares = s.gram = MatXT<T>::Zero(m, m);
  s.scale = s.length = s.spread = VecXT<T>::Zero(m);
  s.order.resize(static_cast<std::size_t>(m));
  int first = 0;
  for (const Constraint& constraint : constraints) {
    const std::span<const Row> rows = rows_of(constraint);
    for (const Row& row : rows) {
      std::vector<int>& own = s.peers.emplace_back();
      for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].measure == row.measure) own.push_back(first + static_cast<int>(k));
      }
    }
    first += static_cast<int>(rows.size());
  }
}

template <class T>
void factor_dense_rows(const dynamics::ForwardScratch<T>& forward, ConstraintScratch<T>& s) {
  form_schur(forward, s);
  factor_schur(s);
}

void factor_solved_rows(const model::Model& model, const model::State& state,
                        const model::Workspace& workspace, ConstraintScratch<double>& s) {
  form_schur_by_solves(model, state, workspace, s);
  factor_schur(s);
}

template <class T>
void solve_dense_rows(const dynamics::ForwardScratch<T>& forward, ConstraintScratch<T>& s) {
  solve_schur(s);
  respond(forward, s);
}

// Each row counts as it is scaled. With the dependent rows W_i = sum of c_ij W_j the null space of
// W is spanned by e_i - sum of c_ij e_j.
template <class T>
void spread_over_dependent_rows(ConstraintScratch<T>& s) {
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

template void make_dense_room(const std::vector<Constraint>&, int, ConstraintScratch<double>&);
template void factor_dense_rows(const dynamics::ForwardScratch<double>&,
                                ConstraintScratch<double>&);
template void solve_dense_rows(const dynamics::ForwardScratch<double>&, ConstraintScratch<double>&);
template void spread_over_dependent_rows(ConstraintScratch<double>&);
template void make_dense_room(const std::vector<Constraint>&, int, ConstraintScratch<Dual>&);
template void factor_dense_rows(const dynamics::ForwardScratch<Dual>&, ConstraintScratch<Dual>&);
template void solve_dense_rows(const dynamics::ForwardScratch<Dual>&, ConstraintScratch<Dual>&);
template void spread_over_dependent_rows(ConstraintScratch<Dual>&);

}  // namespace grapple::constraint
