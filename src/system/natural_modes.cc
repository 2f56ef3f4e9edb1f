#include "grapple/system/natural_modes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/dynamics/crba.h"
#include "grapple/system/linearize.h"

namespace grapple::system {

namespace {

using spatial::MatX;
using spatial::VecX;

constexpr double kTwoPi = 2.0 * std::numbers::pi;
// Eigenvalues below this share of the largest are rigid motions: rounding of a zero of order n eps.
constexpr double kRigidShare = 1e-10;

std::vector<int> free_coordinates(const model::Model& model, const model::State& state) {
  std::vector<int> free;
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] != 0) continue;
    const model::Link& link = model.link(i);
    for (int k = 0; k < link.nv; ++k) free.push_back(link.v_index + k);
  }
  return free;
}

void normalise(Eigen::VectorXcd& shape) {
  Eigen::Index largest = 0;
  shape.cwiseAbs().maxCoeff(&largest);
  shape /= shape[largest];
}

std::vector<Mode> conservative_modes(const MatX& M, const MatX& K, const std::vector<int>& free,
                                     int nv) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(0.5 * (K + K.transpose()), M);
  const double largest = solver.eigenvalues().cwiseAbs().maxCoeff();
  std::vector<Mode> modes;
  for (Eigen::Index m = 0; m < solver.eigenvalues().size(); ++m) {
    const double square = solver.eigenvalues()[m];
    Mode mode;
    mode.shape = Eigen::VectorXcd::Zero(nv);
    for (std::size_t k = 0; k < free.size(); ++k) {
      mode.shape[free[k]] = solver.eigenvectors()(static_cast<Eigen::Index>(k), m);
    }
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

// Eigenvectors of a defective zero (rigid drift) carry errors of the square root of the rounding.
std::vector<Mode> general_modes(const MatX& A, const std::vector<int>& free, int nv) {
  const Eigen::EigenSolver<MatX> solver(A);
  const double largest = solver.eigenvalues().cwiseAbs().maxCoeff();
  std::vector<Mode> modes;
  for (Eigen::Index m = 0; m < solver.eigenvalues().size(); ++m) {
    const std::complex<double> lambda = solver.eigenvalues()[m];
    if (lambda.imag() < 0.0) continue;
    Mode mode;
    mode.eigenvalue = lambda;
    mode.shape = Eigen::VectorXcd::Zero(nv);
    for (std::size_t k = 0; k < free.size(); ++k) {
      mode.shape[free[k]] = solver.eigenvectors()(static_cast<Eigen::Index>(k), m);
    }
    if (mode.shape.cwiseAbs().maxCoeff() > 0.0) normalise(mode.shape);
    const double size = std::abs(lambda);
    if (size <= std::sqrt(kRigidShare) * 1e-1 * largest || largest == 0.0) {
      mode.kind = Mode::Kind::kRigid;
      mode.eigenvalue = 0.0;
    } else {
      mode.frequency_hz = size / kTwoPi;
      mode.damping_ratio = -lambda.real() / size;
      const bool turns = lambda.imag() > 0.0;
      mode.kind = mode.damping_ratio < -1e-9 ? Mode::Kind::kUnstable
                  : turns                    ? Mode::Kind::kOscillating
                                             : Mode::Kind::kDecaying;
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

MatX rows_and_columns(const MatX& full, const std::vector<int>& keep) { return full(keep, keep); }

}  // namespace

std::vector<Mode> natural_modes(const System& system, double t, std::span<const double> x) {
  const int nv = system.model().nv(), nz = system.z_count();
  Snapshot<double> snapshot(system);
  system.evaluate<double>(t, x, snapshot);
  const std::vector<int> free = free_coordinates(system.model(), snapshot.state);
  if (free.empty()) return {};
  const MatX A = linearize(system, t, x, {}, {}).A;
  MatX M(nv, nv);
  dynamics::crba(system.model(), snapshot.state, snapshot.workspace, M);
  const MatX M_free = rows_and_columns(M, free);
  const MatX K = -M_free * rows_and_columns(A.block(nv, 0, nv, nv), free);
  const MatX C = -M_free * rows_and_columns(A.block(nv, nv, nv, nv), free);

  const double stiffness = K.cwiseAbs().maxCoeff();
  const bool symmetric = (K - K.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * stiffness;
  const bool undamped = C.cwiseAbs().maxCoeff() <= 1e-12 * (1.0 + stiffness);
  std::vector<Mode> modes;
  if (symmetric && undamped && nz == 0) {
    modes = conservative_modes(M_free, K, free, nv);
  } else {
    std::vector<int> keep = free;
    for (const int k : free) keep.push_back(nv + k);
    for (int k = 0; k < nz; ++k) keep.push_back(2 * nv + k);
    modes = general_modes(rows_and_columns(A, keep), free, nv);
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

}  // namespace grapple::system
