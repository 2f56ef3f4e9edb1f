// Linear matrix equations of stability, solved directly in the complex Schur form of F:
//   continuous (Lyapunov)   F^T P + P F + W = 0,
//   discrete (Stein)        F^T P F - P + W = 0.
// P is the integral, or sum, of exp(F t)^T W exp(F t) if F is stable; it is unique as long as no
// two eigenvalues of F add to zero, or multiply to one, which the caller sees to.
#pragma once

#include "grapple/spatial/types.h"

namespace grapple::control {

/// W symmetric; so is P.
spatial::MatX solve_lyapunov(const spatial::MatX& F, const spatial::MatX& W);
spatial::MatX solve_stein(const spatial::MatX& F, const spatial::MatX& W);

}  // namespace grapple::control
