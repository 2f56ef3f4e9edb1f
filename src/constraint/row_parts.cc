#include "grapple/constraint/row_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grapple/constraint/constraint_solver.h"
#include "grapple/constraint/internal/dense_rows.h"
#include "grapple/dynamics/forward_dynamics.h"

namespace grapple::constraint {

namespace {

using spatial::MatX;

// Which set each of a number of things belongs to; sets are joined.
class Sets {
 public:
  explicit Sets(int count) : parent_(static_cast<std::size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int one) {
    int& parent = parent_[static_cast<std::size_t>(one)];
    if (parent != one) parent = find(parent);
    return parent;
  }
  void join(int a, int b) { parent_[static_cast<std::size_t>(find(a))] = find(b); }

 private:
  std::vector<int> parent_;
};

// Coordinates that move one end of a loop and not the other, or that it couples.
std::vector<int> coordinates_of(const model::Model& model, const Constraint& constraint) {
  std::vector<int> links, found;
  const Links ends = links_of(constraint);
  for (const int end : {ends.F, ends.M}) {
    for (int i = end; i != 0; i = model.link(i).parent) {
      const auto seen = std::find(links.begin(), links.end(), i);
      if (seen == links.end()) {
        links.push_back(i);
      } else {
        links.erase(seen);
      }
    }
  }
  for (const int i : links) {
    for (const model::CoordinateBlock& block : model.coordinates().of_link(i)) {
      for (int k = 0; k < block.count; ++k) found.push_back(block.v + k);
    }
  }
  for (const Term& term : terms_of(constraint)) found.push_back(term.v);
  return found;
}

// Rows scaled by the longest of their loop with the same unit, so that a fading row is seen.
MatX scaled_rows(const MatX& A, const std::vector<std::vector<int>>& peers) {
  MatX scaled = A;
  for (Eigen::Index row = 0; row < A.rows(); ++row) {
    double longest = 0.0;
    for (const int peer : peers[static_cast<std::size_t>(row)]) {
      longest = std::max(longest, A.row(peer).norm());
    }
    const bool holds = A.row(row).lpNorm<Eigen::Infinity>() > kNoRow;
    scaled.row(row) *= holds ? 1.0 / longest : 0.0;
  }
  return scaled;
}

// Gram-Schmidt, the row farthest from those taken first.
std::vector<int> independent_rows(MatX rows) {
  std::vector<int> taken;
  for (;;) {
    Eigen::Index best = 0;
    const double square = rows.rowwise().squaredNorm().maxCoeff(&best);
    if (!(square > kDependent)) return taken;
    taken.push_back(static_cast<int>(best));
    const spatial::VecX unit = rows.row(best).transpose() / std::sqrt(square);
    rows -= (rows * unit) * unit.transpose();
    rows.row(best).setZero();
  }
}

}  // namespace

std::vector<std::uint8_t> choose_rows_by_parts(const TreeMotion<double>& tree,
                                               const std::vector<Constraint>& constraints,
                                               std::size_t most) {
  std::vector<int> free;
  dynamics::find_free_rows(tree.model, tree.state, free);
  Sets sets(tree.model.nv());
  std::vector<std::vector<int>> coordinates;
  std::vector<int> first_rows;
  int count = 0;
  for (const Constraint& constraint : constraints) {
    coordinates.push_back(coordinates_of(tree.model, constraint));
    first_rows.push_back(count);
    count += static_cast<int>(rows_of(constraint).size());
    for (const int v : coordinates.back()) sets.join(v, coordinates.back().front());
  }
  std::vector<std::vector<std::size_t>> parts(static_cast<std::size_t>(tree.model.nv()));
  for (std::size_t l = 0; l < constraints.size(); ++l) {
    if (!constraints[l].active || coordinates[l].empty()) continue;
    parts[static_cast<std::size_t>(sets.find(coordinates[l].front()))].push_back(l);
  }
  std::vector<std::uint8_t> chosen(static_cast<std::size_t>(count), 0);
  for (const std::vector<std::size_t>& part : parts) {
    if (part.empty()) continue;
    std::vector<Constraint> own;
    std::vector<int> rows, columns;  // among all
    for (const std::size_t l : part) {
      own.push_back(constraints[l]);
      for (std::size_t k = 0; k < rows_of(constraints[l]).size(); ++k) {
        rows.push_back(first_rows[l] + static_cast<int>(k));
      }
    }
    if (rows.size() > most) return {};
    for (const int v : free) {
      if (sets.find(v) == sets.find(coordinates[part.front()].front())) columns.push_back(v);
    }
    ConstraintScratch<double> scratch(tree.model, own, dynamics::Method::kComposite);
    scratch.t = tree.t;
    evaluate_rows<double>(tree, own, Rows::kAll, scratch);
    const MatX A = scratch.A(Eigen::all, columns);
    for (const int row : independent_rows(scaled_rows(A, scratch.peers))) {
      chosen[static_cast<std::size_t>(rows[static_cast<std::size_t>(row)])] = 1;
    }
  }
  return chosen;
}

}  // namespace grapple::constraint
