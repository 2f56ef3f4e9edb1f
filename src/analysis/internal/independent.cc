#include "grapple/analysis/internal/independent.h"

#include <Eigen/QR>
#include <algorithm>

#include "grapple/dynamics/forward_dynamics.h"

namespace grapple::analysis {

using spatial::MatX;

std::vector<int> free_coordinates(const system::System& system, const model::State& state) {
  std::vector<int> free;
  dynamics::find_free_rows(system.model(), state, free);
  return free;
}

Independent independent_motions(const system::System& system, const system::Snapshot<double>& at,
                                Level level) {
  constexpr double kDependent = 1e-9;  // of rows scaled to unit length
  const int nv = system.model().nv();
  const std::vector<int> free = free_coordinates(system, at.state);
  constraint::ConstraintScratch<double> rows(system.model(), system.constraints(),
                                             dynamics::Method::kComposite);
  rows.t = at.t;
  constraint::constraint_values(system.model(), system.constraints(), at.state, at.workspace, rows);
  const Eigen::Index m = rows.A.rows();
  MatX A = MatX::Zero(m, static_cast<Eigen::Index>(free.size()));
  MatX scale = MatX::Zero(m, m);
  Eigen::Index row = 0;
  for (const constraint::Constraint& constraint : system.constraints()) {
    // Rows that move nothing are rounding against the others of their loop.
    const auto count = static_cast<Eigen::Index>(constraint::rows_of(constraint).size());
    const double longest = rows.A(Eigen::seqN(row, count), free).rowwise().norm().maxCoeff();
    for (const constraint::Row& one : constraint::rows_of(constraint)) {
      const Eigen::Index own = row++;
      const bool counts = level == Level::kRates || constraint::holds_position(one);
      const double length = rows.A(own, free).norm();
      if (!constraint.active || !counts || !(length > kDependent * longest)) continue;
      A.row(own) = rows.A(own, free) / length;
      scale(own, own) = 1.0 / length;
    }
  }
  Eigen::ColPivHouseholderQR<MatX> qr(A.rows(), A.cols());
  qr.setThreshold(kDependent);
  Eigen::Index rank = 0;
  if (A.size() > 0) {
    qr.compute(A);
    rank = qr.rank();
  }
  Independent result;
  for (Eigen::Index k = 0; k < rank; ++k) {
    result.dependent.push_back(free[static_cast<std::size_t>(qr.colsPermutation().indices()[k])]);
  }
  for (int k = 0; k < nv; ++k) {
    const auto& held = result.dependent;
    if (std::find(held.begin(), held.end(), k) == held.end()) result.chosen.push_back(k);
  }
  const auto n = static_cast<Eigen::Index>(result.chosen.size());
  result.all = MatX::Zero(nv, n);
  for (Eigen::Index k = 0; k < n; ++k)
    result.all(result.chosen[static_cast<std::size_t>(k)], k) = 1;
  result.from_rows = MatX::Zero(rank, m);
  if (rank == 0) return result;
  // [R1 R2] = Q'A: dependent = -R1^-1 (R2 independent + Q' rows).
  const MatX Qt = MatX(qr.householderQ()).transpose().topRows(rank);
  const auto R1 = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  result.from_rows = -R1.solve(MatX(Qt * scale));
  const MatX others = R1.solve(MatX(qr.matrixR().topRows(rank).rightCols(A.cols() - rank)));
  for (Eigen::Index c = 0; c < others.cols(); ++c) {
    const int coordinate = free[static_cast<std::size_t>(qr.colsPermutation().indices()[rank + c])];
    const auto column =
        std::find(result.chosen.begin(), result.chosen.end(), coordinate) - result.chosen.begin();
    for (Eigen::Index k = 0; k < rank; ++k) {
      result.all(result.dependent[static_cast<std::size_t>(k)], column) = -others(k, c);
    }
  }
  return result;
}

}  // namespace grapple::analysis
