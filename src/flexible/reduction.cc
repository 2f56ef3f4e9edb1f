#include "grapple/flexible/reduction.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::VecX;

// With a pivot below this (K scaled to a unit diagonal) K is taken as singular: a rigid motion
// leaves 1e-16, a clamped beam of 100 elements 1e-9.
constexpr double kSingularPivot = 1e-13;
// Rigid eigenvalues come out as round-off of the shift; elastic ones are larger than the shift.
constexpr double kRigidShare = 1e-6;

std::vector<int> complement(const std::vector<int>& kept, Eigen::Index size) {
  std::vector<int> others;
  for (int i = 0; i < size; ++i) {
    if (std::find(kept.begin(), kept.end(), i) == kept.end()) others.push_back(i);
  }
  return others;
}

// Groups of coordinates that M and K couple, each ascending.
std::vector<std::vector<int>> coupled_groups(const MatX& M, const MatX& K) {
  const auto n = static_cast<int>(M.rows());
  std::vector<int> group(static_cast<std::size_t>(n), -1);
  std::vector<std::vector<int>> groups;
  for (int seed = 0; seed < n; ++seed) {
    if (group[static_cast<std::size_t>(seed)] >= 0) continue;
    std::vector<int> members{seed};
    group[static_cast<std::size_t>(seed)] = static_cast<int>(groups.size());
    for (std::size_t at = 0; at < members.size(); ++at) {
      for (int j = 0; j < n; ++j) {
        if (group[static_cast<std::size_t>(j)] >= 0) continue;
        if (M(members[at], j) == 0.0 && K(members[at], j) == 0.0) continue;
        group[static_cast<std::size_t>(j)] = static_cast<int>(groups.size());
        members.push_back(j);
      }
    }
    std::sort(members.begin(), members.end());
    groups.push_back(std::move(members));
  }
  return groups;
}

bool singular(const MatX& K) {
  const VecX scale = K.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::LDLT<MatX> ldlt(scale.asDiagonal() * K * scale.asDiagonal());
  return ldlt.vectorD().minCoeff() < kSingularPivot;
}

// A shift near the lowest elastic eigenvalue, 0 if K needs none.
double shift_of(const MatX& M, const MatX& K) {
  if (!singular(K)) return 0.0;
  const VecX values = spatial::symmetric_eigenvalues(K, M);
  const double least = 1e-12 * values[values.size() - 1];
  for (const double value : values) {
    if (value > least) return value;
  }
  return 1.0;
}

// All modes of one group. Solved as M v = mu (K + s M) v: the lowest frequencies have the largest
// mu, which a dense solver gets to full relative accuracy however fine the mesh.
LowestModes modes_of_group(const MatX& M, const MatX& K) {
  const double shift = shift_of(M, K);
  const spatial::SymmetricEigen eigen = spatial::symmetric_eigen(M, K + shift * M);
  GRAPPLE_ASSERT(eigen.converged);
  const Eigen::Index n = M.rows();
  LowestModes modes{VecX(n), MatX(n, n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    const double mu = eigen.values[n - 1 - k];
    const double value = 1.0 / mu - shift;
    modes.eigenvalues[k] = value < kRigidShare * shift ? 0.0 : value;
    VecX v = eigen.vectors.col(n - 1 - k) / std::sqrt(mu);
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    modes.shapes.col(k) = v[largest] < 0.0 ? VecX(-v) : v;
  }
  return modes;
}

}  // namespace

LowestModes lowest_modes(const MatX& M, const MatX& K, int count) {
  const Eigen::Index n = M.rows();
  if (count < 1 || count > n) {
    throw Error("GR-331", "modes",
                fmt::format("{} modes asked of {} coordinates; allowed are 1 to {}", count, n, n));
  }
  VecX values(n);
  MatX shapes = MatX::Zero(n, n);
  Eigen::Index next = 0;
  for (const std::vector<int>& group : coupled_groups(M, K)) {
    const LowestModes part = modes_of_group(M(group, group), K(group, group));
    const auto size = static_cast<Eigen::Index>(group.size());
    values.segment(next, size) = part.eigenvalues;
    for (Eigen::Index k = 0; k < size; ++k) shapes(group, next + k) = part.shapes.col(k);
    next += size;
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return values[a] < values[b]; });
  order.resize(static_cast<std::size_t>(count));
  return {values(order), shapes(Eigen::all, order)};
}

MatX guyan(const MatX& K, const std::vector<int>& kept) {
  if (kept.empty()) {
    throw Error("GR-333", "reduction", "no coordinate is kept; name at least one frame or node");
  }
  const std::vector<int> interior = complement(kept, K.rows());
  MatX T = MatX::Zero(K.rows(), static_cast<Eigen::Index>(kept.size()));
  for (std::size_t j = 0; j < kept.size(); ++j) T(kept[j], static_cast<Eigen::Index>(j)) = 1.0;
  if (interior.empty()) return T;
  const MatX K_ii = K(interior, interior);
  if (singular(K_ii)) {
    throw Error("GR-333", "reduction",
                "with the kept coordinates held, the rest can still move without strain; keep "
                "more frames or nodes");
  }
  T(interior, Eigen::all) = -K_ii.ldlt().solve(MatX(K(interior, kept)));
  return T;
}

MatX craig_bampton(const MatX& M, const MatX& K, const std::vector<int>& boundary, int modes) {
  MatX constraint_modes = guyan(K, boundary);
  if (modes == 0) return constraint_modes;
  const std::vector<int> interior = complement(boundary, K.rows());
  if (modes < 0 || static_cast<std::size_t>(modes) > interior.size()) {
    throw Error("GR-331", "reduction",
                fmt::format("{} fixed-boundary modes asked of {} interior coordinates", modes,
                            interior.size()));
  }
  const LowestModes held = lowest_modes(M(interior, interior), K(interior, interior), modes);
  MatX T = MatX::Zero(K.rows(), constraint_modes.cols() + modes);
  T.leftCols(constraint_modes.cols()) = constraint_modes;
  T(interior, Eigen::seqN(constraint_modes.cols(), modes)) = held.shapes;
  return T;
}

}  // namespace grapple::flexible
