// Natural modes about a state (usually an equilibrium at rest): eigenvalues of the linearised
// motion of the joints that are neither locked nor driven. A conservative system goes through the
// symmetric problem K phi = w^2 M phi.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "grapple/system/system.h"

namespace grapple::analysis {

struct Mode {
  enum class Kind { kRigid, kOscillating, kDecaying, kUnstable };
  Kind kind = Kind::kOscillating;
  double frequency_hz = 0.0;  ///< undamped: |lambda| / 2 pi
  double damping_ratio = 0.0;
  /// Below this frequency rounding of the fastest mode hides whether there is stiffness at all, of
  /// either sign: such modes count as rigid.
  double resolution_hz = 0.0;
  std::complex<double> eigenvalue;
  Eigen::VectorXcd shape;  ///< size nv, largest component 1
};

/// Sorted by frequency; a conjugate pair counts once.
std::vector<Mode> natural_modes(const system::System& system, double t, std::span<const double> x);

const char* mode_kind_name(Mode::Kind kind);

}  // namespace grapple::analysis
