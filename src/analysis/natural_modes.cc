#include "grapple/analysis/natural_modes.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/analysis/internal/free_states.h"
#include "grapple/analysis/internal/independent.h"
#include "grapple/analysis/linearize.h"
#include "grapple/dynamics/crba.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;
using spatial::VecX;

constexpr double kTwoPi = 2.0 * std::numbers::pi;
// Stiffnesses per mass below this share of the largest are zeros with rounding: rigid motions.
constexpr double kRigidShare = 1e-13;

void normalise(Eigen::VectorXcd& shape) {
  Eigen::Index largest = 0;
  shape.cwiseAbs().maxCoeff(&largest);
  shape /= shape[largest];
}

// `to_all` gives all coordinates from those of M and K.
std::vector<Mode> conservative_modes(const MatX& M, const MatX& K, const MatX& to_all) {
  const spatial::SymmetricEigen eigen = spatial::symmetric_eigen(0.5 * (K + K.transpose()), M);
  const double largest = eigen.values.cwiseAbs().maxCoeff();
  std::vector<Mode> modes;
  for (Eigen::Index m = 0; m < eigen.values.size(); ++m) {
    const double square = eigen.values[m];
    Mode mode;
    mode.resolution_hz = std::sqrt(kRigidShare * largest) / kTwoPi;
    mode.shape = (to_all * eigen.vectors.col(m)).cast<std::complex<double>>();
    normalise(mode.shape);
    const double root = std::sqrt(std::abs(square));
    if (std::abs(square) <= kRigidShare * largest || largest == 0.0) {
      mode.kind = Mode::Kind::kRigid;
    } else if (square < 0.0) {
      mode.kind = Mode::Kind::kUnstable;
      mode.eigenvalue = root;
      mode.frequency_hz = root / kTwoPi;
      mode.damping_ratio = -1.0;
    } else {
      mode.eigenvalue = {0.0, root};
      mode.frequency_hz = root / kTwoPi;
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

// The motions A maps to nothing, and a basis of the rest; both orthonormal columns, from A = Q [T
// 0; 0 0] Z with pivots.
struct Split {
  MatX kernel, rest;
  explicit Split(const MatX& A) {
    Eigen::CompleteOrthogonalDecomposition<MatX> split;
    split.setThreshold(kRigidShare);
    split.compute(A);
    const MatX columns = split.colsPermutation() * MatX(split.matrixZ().transpose());
    rest = columns.leftCols(split.rank());
    kernel = columns.rightCols(A.cols() - split.rank());
  }
};

Mode mode_of(std::complex<double> lambda) {
  Mode mode;
  mode.eigenvalue = lambda;
  const double size = std::abs(lambda);
  mode.frequency_hz = size / kTwoPi;
  mode.damping_ratio = -lambda.real() / size;
  mode.kind = mode.damping_ratio < -1e-9 ? Mode::Kind::kUnstable
              : lambda.imag() > 0.0      ? Mode::Kind::kOscillating
                                         : Mode::Kind::kDecaying;
  return mode;
}

// Modes of xi' = A xi, positions = to_positions xi.head. A rigid motion is a zero eigenvalue
// that usually comes twice with one eigenvector (position and drift), which a plain eigenvalue
// solver smears by the square root of its rounding. So kernels are split off first: with A (N a + Q
// y) = A Q y the other eigenvalues are those of Q'A Q.
std::vector<Mode> general_modes(const MatX& A, const MatX& to_positions) {
  const auto shape_of = [&](const Eigen::VectorXcd& xi) {
    Eigen::VectorXcd shape = to_positions * xi.head(to_positions.cols());
    if (shape.cwiseAbs().maxCoeff() > 0.0) normalise(shape);
    return shape;
  };
  std::vector<Mode> modes;
  MatX basis = MatX::Identity(A.rows(), A.cols()), reduced = A;
  MatX drifts(A.rows(), 0);  // everything split off
  while (reduced.size() > 0) {
    const Split split(reduced);
    if (split.kernel.cols() == 0) break;
    const MatX found = basis * split.kernel;
    if (drifts.cols() == 0) {
      for (Eigen::Index k = 0; k < found.cols(); ++k) {
        Mode& mode = modes.emplace_back();
        mode.kind = Mode::Kind::kRigid;
        mode.shape = shape_of(found.col(k).cast<std::complex<double>>());
      }
    }
    drifts.conservativeResize(Eigen::NoChange, drifts.cols() + found.cols());
    drifts.rightCols(found.cols()) = found;
    basis = MatX(basis * split.rest);
    reduced = basis.transpose() * A * basis;
  }
  if (reduced.size() == 0) return modes;
  const Eigen::EigenSolver<MatX> solver(reduced);
  const MatX drift_of_rest = drifts.transpose() * A * basis,
             among = drifts.transpose() * A * drifts;
  for (Eigen::Index m = 0; m < solver.eigenvalues().size(); ++m) {
    const std::complex<double> lambda = solver.eigenvalues()[m];
    if (lambda.imag() < 0.0) continue;
    Mode mode = mode_of(lambda);
    const Eigen::VectorXcd y = solver.eigenvectors().col(m);
    Eigen::VectorXcd xi = basis * y;
    if (drifts.cols() > 0) {
      const Eigen::MatrixXcd shifted =
          lambda * Eigen::MatrixXcd::Identity(among.rows(), among.cols()) - among;
      xi += drifts * shifted.partialPivLu().solve(drift_of_rest * y);
    }
    mode.shape = shape_of(xi);
    modes.push_back(std::move(mode));
  }
  return modes;
}

// A with positions and rates in like units, so that rounding of the fast does not drown the slow:
// position = L^-T eta / w, rate = L^-T eta' with M = L L' and the largest rate w.
MatX balanced(const MatX& A, const MatX& M, MatX& to_positions) {
  const Eigen::Index n = M.rows();
  const MatX L = M.llt().matrixL();
  const MatX to_rates = L.transpose().inverse();
  const auto size = [&](const MatX& block) {
    return (L.transpose() * block * to_rates).cwiseAbs().maxCoeff();
  };
  double fastest = std::max(std::sqrt(size(A.block(n, 0, n, n))), size(A.block(n, n, n, n)));
  if (fastest == 0.0) fastest = 1.0;
  MatX scale = MatX::Identity(A.rows(), A.cols());
  scale.topLeftCorner(n, n) = to_positions = to_rates / fastest;
  scale.block(n, n, n, n) = to_rates;
  return scale.partialPivLu().solve(A * scale);
}

}  // namespace

std::vector<Mode> natural_modes(const system::System& system, double t, std::span<const double> x) {
  const int nv = system.model().nv(), nz = system.z_count();
  system::Snapshot<double> snapshot(system);
  system.evaluate<double>(t, x, snapshot);
  const LinearModel linear = linearize(system, t, x, {}, {});
  const FreeStates free(linear, free_coordinates(system, snapshot.state));
  if (free.positions.empty()) return {};
  const MatX to_all = linear.expand(Eigen::seqN(0, nv), free.positions);
  std::vector<Mode> modes;
  if (free.positions.size() != free.rates.size()) {  // some rates are held, their positions not
    modes = general_modes(linear.A(free.all, free.all), to_all);
  } else {
    MatX M(nv, nv);
    dynamics::crba(system.model(), snapshot.state, snapshot.workspace, M);
    const MatX M_free = to_all.transpose() * M * to_all;
    const MatX K = -M_free * linear.A(free.rates, free.positions);
    const MatX C = -M_free * linear.A(free.rates, free.rates);
    const bool symmetric =
        (K - K.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * K.cwiseAbs().maxCoeff();
    // Without dampers, at rest, every product of rates has an exactly zero derivative.
    const bool undamped = C.isZero(0.0);
    if (symmetric && undamped && nz == 0) {
      modes = conservative_modes(M_free, K, to_all);
    } else {
      MatX to_positions;
      const MatX like_units = balanced(linear.A(free.all, free.all), M_free, to_positions);
      modes = general_modes(like_units, to_all * to_positions);
    }
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return a.frequency_hz < b.frequency_hz; });
  return modes;
}

const char* mode_kind_name(Mode::Kind kind) {
  switch (kind) {
    case Mode::Kind::kRigid:
      return "rigid";
    case Mode::Kind::kOscillating:
      return "oscillating";
    case Mode::Kind::kDecaying:
      return "decaying";
    case Mode::Kind::kUnstable:
      return "unstable";
  }
  return "";
}

}  // namespace grapple::analysis
