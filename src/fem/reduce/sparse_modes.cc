#include "grapple/fem/reduce/sparse_modes.h"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>
#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"

namespace grapple::fem {

namespace {

using flexible::LowestModes;
using spatial::MatX;
using spatial::VecX;
using Cholesky = Eigen::SimplicialLDLT<SparseMatrix>;

// Below this many coordinates a dense solver is as fast, and finds every mode.
constexpr Eigen::Index kDense = 150;
// A rigid motion leaves a pivot of round-off beside its diagonal entry. A bar leaves the stiffness
// of its tip by that of an element across: 1e-10 if it is 500 times as long as thick, and below
// this bound where no digit of its deflection would be right.
constexpr double kSingularPivot = 1e-13;

// The operator of Spectra: y = (K - sigma M)^-1 x.
class ShiftInvert {
 public:
  using Scalar = double;
  ShiftInvert(const SparseMatrix& M, const SparseMatrix& K, const Factor* factor_of_K)
      : M_(M), K_(K), factor_of_K_(factor_of_K) {}
  Eigen::Index rows() const { return K_.rows(); }
  Eigen::Index cols() const { return K_.cols(); }
  void set_shift(double sigma) {
    if (factor_of_K_ != nullptr) return;
    factor_.compute(K_ - sigma * M_);
    GRAPPLE_ASSERT(factor_.info() == Eigen::Success);
  }
  void perform_op(const double* x, double* y) const {
    const VecX right = Eigen::Map<const VecX>(x, rows());
    Eigen::Map<VecX>(y, rows()) =
        factor_of_K_ != nullptr ? factor_of_K_->solve(right) : VecX(factor_.solve(right));
  }

 private:
  const SparseMatrix& M_;
  const SparseMatrix& K_;
  const Factor* factor_of_K_;  ///< with sigma = 0; none: an own one is made
  Cholesky factor_;
};

void make_largest_entry_positive(MatX& shapes) {
  for (Eigen::Index k = 0; k < shapes.cols(); ++k) {
    Eigen::Index largest = 0;
    shapes.col(k).cwiseAbs().maxCoeff(&largest);
    if (shapes(largest, k) < 0.0) shapes.col(k) *= -1.0;
  }
}

// Whether so many eigenvalues lie below sigma; a zero pivot leaves that open, and counts as yes.
bool has_below(const SparseMatrix& M, const SparseMatrix& K, double sigma, Eigen::Index count) {
  const Cholesky factor(K - sigma * M);
  return factor.info() != Eigen::Success || (factor.vectorD().array() < 0.0).count() == count;
}

// Between which of the values at least `count` - 1 ... the gap is widest: there the count of
// pivots is safe.
Eigen::Index widest_gap(const VecX& values, Eigen::Index count) {
  Eigen::Index best = count - 1;
  for (Eigen::Index k = count - 1; k + 1 < values.size(); ++k) {
    if (values[k + 1] - values[k] > values[best + 1] - values[best]) best = k;
  }
  return best;
}

struct Attempt {
  LowestModes modes;
  bool complete = false;
};

Attempt lanczos(const SparseMatrix& M, const SparseMatrix& K, Eigen::Index count, double shift,
                const Factor* factor_of_K, Eigen::Index space) {
  constexpr Eigen::Index kMore = 4;  // values beyond those asked for, to look for a gap
  const Eigen::Index wanted = std::min(count + kMore, K.rows() - 1);
  ShiftInvert inverse(M, K, factor_of_K);
  Spectra::SparseSymMatProd<double> mass(M);
  Spectra::SymGEigsShiftSolver<ShiftInvert, Spectra::SparseSymMatProd<double>,
                               Spectra::GEigsMode::ShiftInvert>
      solver(inverse, mass, wanted, std::min(space, K.rows()), -shift);
  solver.init();
  constexpr int kIterations = 1000;
  constexpr double kTolerance = 1e-12;
  solver.compute(Spectra::SortRule::LargestMagn, kIterations, kTolerance,
                 Spectra::SortRule::SmallestAlge);
  Attempt attempt;
  if (solver.info() != Spectra::CompInfo::Successful) return attempt;
  const VecX values = solver.eigenvalues();
  const Eigen::Index last = widest_gap(values, count);
  const double sigma = 0.5 * (values[last] + values[std::min(last + 1, values.size() - 1)]);
  attempt.complete = last + 1 >= values.size() || has_below(M, K, sigma, last + 1);
  attempt.modes = {values.head(count), solver.eigenvectors().leftCols(count)};
  make_largest_entry_positive(attempt.modes.shapes);
  return attempt;
}

}  // namespace

struct Factor::Inside {
  Cholesky cholesky;
};

Factor::~Factor() = default;

Factor::Factor(const SparseMatrix& K, const std::string& where, const std::string& message)
    : inside_(std::make_unique<Inside>()) {
  Cholesky& cholesky = inside_->cholesky;
  cholesky.compute(K);
  bool regular = cholesky.info() == Eigen::Success;
  if (regular) {
    const VecX diagonal = cholesky.permutationP() * VecX(K.diagonal());
    regular = (cholesky.vectorD().array() > kSingularPivot * diagonal.array()).all();
  }
  if (!regular) throw Error("GR-390", where, message);
}

MatX Factor::solve(const MatX& right) const { return inside_->cholesky.solve(right); }
VecX Factor::solve(const VecX& right) const { return inside_->cholesky.solve(right); }

namespace {

LowestModes modes_by(const SparseMatrix& M, const SparseMatrix& K, int count, double shift,
                     const Factor* factor_of_K) {
  const Eigen::Index size = K.rows();
  if (count < 1 || count > size) {
    throw Error(
        "GR-331", "modes",
        fmt::format("{} modes asked of {} coordinates; allowed are 1 to {}", count, size, size));
  }
  if (size <= kDense || 3 * static_cast<Eigen::Index>(count) > size) {
    return flexible::lowest_modes(MatX(M), MatX(K), count);
  }
  // Twice as many vectors as values is what ARPACK and Spectra advise.
  Eigen::Index space = 2 * static_cast<Eigen::Index>(count) + 20;
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt, space *= 2) {
    const Attempt made = lanczos(M, K, count, shift, factor_of_K, space);
    if (made.complete) return made.modes;
  }
  throw Error("GR-391", "modes",
              fmt::format("the iteration did not find the lowest {} modes of {} coordinates; ask "
                          "for some more, or fewer",
                          count, size));
}

}  // namespace

LowestModes lowest_modes(const SparseMatrix& M, const SparseMatrix& K, int count, double shift) {
  return modes_by(M, K, count, shift, nullptr);
}

LowestModes lowest_modes(const SparseMatrix& M, const SparseMatrix& K, int count,
                         const Factor& factor_of_K) {
  return modes_by(M, K, count, 0.0, &factor_of_K);
}

}  // namespace grapple::fem
