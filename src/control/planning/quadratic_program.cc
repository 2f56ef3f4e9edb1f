#include "grapple/control/planning/quadratic_program.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace grapple::control {

namespace {

using spatial::MatX;
using spatial::VecX;

class DualActiveSet {
 public:
  explicit DualActiveSet(const QuadraticProgram& program)
      : program_(program), factor_(program.H), x_(factor_.solve(-program.g)) {}

  ProgramSolution run() {
    const auto equations = static_cast<int>(program_.E.rows());
    for (int k = 0; k < equations; ++k) {
      if (!add(-1 - k)) return {};
    }
    constexpr int kMost = 2000;
    for (int round = 0; round < kMost; ++round) {
      const int worst = most_violated();
      if (worst < 0) return {true, x_, inequalities()};
      if (!add(worst)) return {};
    }
    return {};
  }

 private:
  // Rows of N from 0, of E from -1 downwards.
  VecX normal(int row) const {
    return row >= 0 ? VecX(program_.N.row(row)) : VecX(program_.E.row(-1 - row));
  }
  double bound(int row) const { return row >= 0 ? program_.b[row] : program_.e[-1 - row]; }

  int most_violated() const {
    int worst = -1;
    double most = 0.0;
    for (int k = 0; k < static_cast<int>(program_.N.rows()); ++k) {
      const double size = program_.N.row(k).norm();
      const double missing =
          (program_.b[k] - program_.N.row(k).dot(x_)) / (size > 0.0 ? size : 1.0);
      const double rounding = 1e-12 * (1.0 + std::abs(program_.b[k]));
      if (missing > most + rounding && !is_active(k)) {
        most = missing;
        worst = k;
      }
    }
    return worst;
  }
  bool is_active(int row) const {
    for (const int own : active_) {
      if (own == row) return true;
    }
    return false;
  }

  // Steps until the row holds; false if nothing can make it.
  bool add(int row) {
    VecX n = normal(row);
    double missing = bound(row) - n.dot(x_), sign = 1.0;
    if (row < 0 && missing < 0.0) sign = -1.0;  // an equation may be passed from either side
    n *= sign;
    double multiplier = 0.0;
    const VecX Hn = factor_.solve(n);
    for (;;) {
      missing = sign * bound(row) - n.dot(x_);
      const auto m = static_cast<Eigen::Index>(active_.size());
      VecX r(m);
      VecX z = Hn;
      if (m > 0) {
        r = products_.topLeftCorner(m, m).ldlt().solve(normals_.leftCols(m).transpose() * Hn);
        z -= solved_.leftCols(m) * r;
      }
      const double slope = z.dot(n);
      const bool depends = slope <= 1e-12 * std::abs(n.dot(Hn));
      // A row that depends on the active ones and holds needs nothing.
      if (depends && std::abs(missing) <= 1e-10 * (1.0 + std::abs(bound(row)))) return true;
      double most = std::numeric_limits<double>::infinity();
      Eigen::Index dropped = -1;
      for (Eigen::Index k = 0; k < m; ++k) {
        if (active_[static_cast<std::size_t>(k)] < 0 || !(r[k] > 0.0)) continue;
        if (multipliers_[static_cast<std::size_t>(k)] / r[k] < most) {
          most = multipliers_[static_cast<std::size_t>(k)] / r[k];
          dropped = k;
        }
      }
      const double whole = depends ? std::numeric_limits<double>::infinity() : missing / slope;
      const double step = std::min(most, whole);
      if (!std::isfinite(step)) return false;
      if (!depends) x_ += step * z;
      for (Eigen::Index k = 0; k < m; ++k) multipliers_[static_cast<std::size_t>(k)] -= step * r[k];
      multiplier += step;
      if (step == whole) {
        activate(row, n, Hn, multiplier);
        return true;
      }
      drop(dropped);
    }
  }

  void activate(int row, const VecX& n, const VecX& Hn, double multiplier) {
    const auto m = static_cast<Eigen::Index>(active_.size());
    active_.push_back(row);
    multipliers_.push_back(multiplier);
    if (m >= normals_.cols()) {
      const Eigen::Index more = 2 * m + 8;
      normals_.conservativeResize(n.size(), more);
      solved_.conservativeResize(n.size(), more);
      products_.conservativeResize(more, more);
    }
    normals_.col(m) = n;
    solved_.col(m) = Hn;
    products_.col(m).head(m + 1) = normals_.leftCols(m + 1).transpose() * Hn;
    products_.row(m).head(m) = products_.col(m).head(m).transpose();
  }
  void drop(Eigen::Index dropped) {
    const auto rest = static_cast<Eigen::Index>(active_.size()) - dropped - 1;
    active_.erase(active_.begin() + dropped);
    multipliers_.erase(multipliers_.begin() + dropped);
    for (MatX* kept : {&normals_, &solved_, &products_}) {
      kept->middleCols(dropped, rest) = kept->middleCols(dropped + 1, rest).eval();
    }
    products_.middleRows(dropped, rest) = products_.middleRows(dropped + 1, rest).eval();
  }

  std::vector<int> inequalities() const {
    std::vector<int> rows;
    for (const int row : active_) {
      if (row >= 0) rows.push_back(row);
    }
    return rows;
  }

  const QuadraticProgram& program_;
  Eigen::LLT<MatX> factor_;
  VecX x_;
  std::vector<int> active_;
  std::vector<double> multipliers_;
  // Of the active rows, in their order, the first columns: normals A (of an equation, with the
  // sign it was passed with), H^-1 A, and A^T H^-1 A.
  MatX normals_, solved_, products_;
};

}  // namespace

ProgramSolution solve(const QuadraticProgram& program) { return DualActiveSet(program).run(); }

}  // namespace grapple::control
