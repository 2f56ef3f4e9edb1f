#include "grapple/control/linear/place.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "grapple/base/error.h"
#include "grapple/control/linear/internal/given.h"
#include "grapple/control/linear/pbh.h"

namespace grapple::control {

namespace {

constexpr const char* kPlacement = "pole placement";
constexpr double kLargestMiss = 1e-6;
using Complex = std::complex<double>;
using MatXz = Eigen::MatrixXcd;

bool close(Complex a, Complex b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a)); }

// Real ones first, then each complex one directly before its conjugate.
std::vector<Complex> in_pairs(const std::vector<Complex>& poles) {
  std::vector<Complex> real, upper, lower;
  for (const Complex& z : poles) {
    if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) {
      throw Error("GR-980", kPlacement, "a wanted pole is not finite");
    }
    (z.imag() == 0.0 ? real : z.imag() > 0.0 ? upper : lower).push_back(z);
  }
  std::vector<Complex> sorted = real;
  for (const Complex& z : upper) {
    const auto partner = std::find_if(lower.begin(), lower.end(),
                                      [&](Complex other) { return close(std::conj(other), z); });
    if (partner == lower.end()) {
      throw Error("GR-984", kPlacement,
                  fmt::format("the wanted pole {} lacks its conjugate", number_text(z)));
    }
    lower.erase(partner);
    sorted.push_back(z);
    sorted.push_back(std::conj(z));
  }
  if (!lower.empty()) {
    throw Error("GR-984", kPlacement,
                fmt::format("the wanted pole {} lacks its conjugate", number_text(lower.front())));
  }
  return sorted;
}

void require_reach(const MatX& A, const MatX& B, const std::vector<Complex>& wanted) {
  for (const EigenvalueReach& mode : controllability(A, B)) {
    if (mode.margin >= kReachMargin) continue;
    throw Error(
        "GR-982", kPlacement,
        fmt::format(
            "the inputs cannot move the eigenvalue {}{}", number_text(mode.eigenvalue),
            std::ranges::any_of(wanted, [&](Complex z) { return close(z, mode.eigenvalue); })
                ? "; take its states out of the model, it may stay where it is"
                : ""));
  }
}

void require_multiplicity(const std::vector<Complex>& wanted, Eigen::Index rank) {
  for (const Complex& z : wanted) {
    const auto times =
        std::ranges::count_if(wanted, [&](Complex other) { return close(z, other); });
    if (times > rank) {
      throw Error("GR-984", kPlacement,
                  fmt::format("the pole {} is wanted {} times, but {} independent input{} allow{} "
                              "at most {}; move some a little apart",
                              number_text(z), times, rank, rank == 1 ? "" : "s",
                              rank == 1 ? "s" : "", rank));
    }
  }
}

// The eigenvectors of the closed loop, improved in turn.
class Eigenvectors {
 public:
  Eigenvectors(const MatX& A, const MatX& U1, const std::vector<Complex>& wanted)
      : wanted_(wanted), X_(A.rows(), A.rows()) {
    const Eigen::Index n = A.rows();
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const MatXz rows = U1.transpose() * (A.cast<Complex>() - wanted[j] * MatXz::Identity(n, n));
      MatXz space = MatXz::Identity(n, n);
      if (rows.rows() > 0) {
        const Eigen::JacobiSVD<MatXz> svd(rows, Eigen::ComputeFullV);
        space = svd.matrixV().rightCols(n - rows.rows());
      }
      // Any start that gives equal poles different vectors.
      Eigen::VectorXcd mix(space.cols());
      for (Eigen::Index k = 0; k < mix.size(); ++k) {
        const double angle = 1.0 + static_cast<double>(k) * (1.0 + static_cast<double>(j));
        // A vector of a pair must not be real: it would be its own conjugate.
        mix[k] = wanted[j].imag() == 0.0 ? Complex(std::cos(angle)) : std::polar(1.0, angle);
      }
      spaces_.push_back(space);
      if (wanted[j].imag() >= 0.0) set(j, space * mix);  // sets its conjugate, too
    }
  }

  void improve() {
    constexpr int kSweeps = 50;
    MatXz best = X_;
    double smallest = condition();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t j = 0; j < wanted_.size(); ++j) {
        if (wanted_[j].imag() >= 0.0) improve(j);
      }
      const double now = condition();
      const bool settled = now > 0.999 * smallest;
      if (now < smallest) {
        smallest = now;
        best = X_;
      }
      if (settled && sweep > 4) break;
    }
    X_ = best;
  }

  const MatXz& X() const { return X_; }
  double condition() const {
    const VecX singular = Eigen::JacobiSVD<MatXz>(X_).singularValues();
    const double least = singular[singular.size() - 1];
    return least > 0.0 ? singular[0] / least : std::numeric_limits<double>::infinity();
  }

 private:
  void set(std::size_t j, const Eigen::VectorXcd& x) {
    const double length = x.norm();
    if (!(length > 1e-12)) return;
    const auto column = static_cast<Eigen::Index>(j);
    X_.col(column) = x / length;
    if (wanted_[j].imag() > 0.0) X_.col(column + 1) = X_.col(column).conjugate();
  }

  void improve(std::size_t j) {
    const Eigen::Index n = X_.rows(), column = static_cast<Eigen::Index>(j);
    MatXz others(n, n);  // the last column is arbitrary: Q's last is orthogonal to the others
    others << X_.leftCols(column), X_.rightCols(n - 1 - column), X_.col(column);
    const MatXz Q = others.householderQr().householderQ();
    set(j, spaces_[j] * (spaces_[j].adjoint() * Q.col(n - 1)));
  }

  std::vector<Complex> wanted_;
  std::vector<MatXz> spaces_;
  MatXz X_;
};

double largest_miss(std::vector<Complex> wanted, const std::vector<Complex>& found) {
  double miss = 0.0;
  for (const Complex& z : found) {
    const auto nearest =
        std::ranges::min_element(wanted, {}, [&](Complex other) { return std::abs(other - z); });
    miss = std::max(miss, std::abs(*nearest - z));
    wanted.erase(nearest);
  }
  return miss;
}

}  // namespace

Placement place(const MatX& A, const MatX& B, const std::vector<Complex>& poles) {
  require_square(kPlacement, "A", A);
  require_size(kPlacement, "B", B, A.rows(), B.cols());
  const Eigen::Index n = A.rows();
  if (static_cast<Eigen::Index>(poles.size()) != n) {
    throw Error("GR-980", kPlacement,
                fmt::format("{} poles are wanted, but there are {} states", poles.size(), n));
  }
  if (B.cols() == 0) throw Error("GR-980", kPlacement, "B has no columns");
  const std::vector<Complex> wanted = in_pairs(poles);
  require_reach(A, B, wanted);
  const Eigen::JacobiSVD<MatX> svd(B, Eigen::ComputeFullU | Eigen::ComputeThinV);
  const Eigen::Index rank = svd.rank();
  require_multiplicity(wanted, rank);
  const MatX U0 = svd.matrixU().leftCols(rank), U1 = svd.matrixU().rightCols(n - rank);
  Eigenvectors vectors(A, U1, wanted);
  vectors.improve();
  Eigen::VectorXcd diagonal(n);
  std::copy(wanted.begin(), wanted.end(), diagonal.begin());
  const MatX closed = (vectors.X() * diagonal.asDiagonal() * vectors.X().inverse()).real();
  Placement placement;
  placement.condition = vectors.condition();
  placement.K = svd.matrixV().leftCols(rank) *
                svd.singularValues().head(rank).cwiseInverse().asDiagonal() * U0.transpose() *
                (A - closed);
  const MatX reached = A - B * placement.K;
  const Eigen::VectorXcd found = Eigen::EigenSolver<MatX>(reached, false).eigenvalues();
  placement.poles.assign(found.begin(), found.end());
  placement.miss = largest_miss(wanted, placement.poles) / std::max(reached.norm(), 1e-300);
  if (!(placement.miss <= kLargestMiss)) {
    throw Error("GR-984", kPlacement,
                fmt::format("rounding misses the wanted poles by {:.1e} of the size of A - B K, at "
                            "most {:.0e} is allowed; the eigenvectors have the condition {:.1e}: "
                            "move equal poles apart, or keep closer to the poles of A",
                            placement.miss, kLargestMiss, placement.condition));
  }
  return placement;
}

}  // namespace grapple::control
