// Fewer coordinates for the same body: eta = T eta_new with constant T, so every integral of the
// body transforms exactly and what is lost is only motion outside the span of T.
//   Guyan:          T = [1; -K_ii^-1 K_ib]                       (interior follows statically)
//   Craig-Bampton:  T = [1, 0; -K_ii^-1 K_ib, modes of (M_ii, K_ii)]
// b: boundary (kept) coordinates, i: the others. Frequencies converge from above (Rayleigh-Ritz);
// with all interior modes Craig-Bampton spans the full space. Craig and Bampton, AIAA J. 6 (1968).
#pragma once

#include <string>
#include <vector>

#include "grapple/flexible/flexible_body.h"

namespace grapple::flexible {

/// The body in the coordinates eta_new of eta_old = T eta_new (T: body.modes x new modes, full
/// column rank).
FlexibleBody transform(const FlexibleBody& body, const spatial::MatX& T,
                       std::vector<std::string> mode_names);

/// T' A T of a symmetric A without the last bit of asymmetry.
spatial::MatX congruent(const spatial::MatX& A, const spatial::MatX& T);

struct LowestModes {
  spatial::VecX eigenvalues;  ///< omega^2, rad^2/s^2, ascending; 0 for rigid motion
  spatial::MatX shapes;       ///< columns, shapes' M shapes = 1, largest entry positive
};

/// The lowest solutions of K v = omega^2 M v. Coordinates that neither M nor K couples are solved
/// apart, so equal frequencies of two planes do not mix. M positive definite, K semidefinite.
/// GR-331 unless 1 <= count <= size.
LowestModes lowest_modes(const spatial::MatX& M, const spatial::MatX& K, int count);

/// T of Guyan's reduction: column j moves coordinate kept[j] by one, the other kept ones by zero.
/// GR-333 if none is kept or K cannot carry the others.
spatial::MatX guyan(const spatial::MatX& K, const std::vector<int>& kept);

/// T of Craig and Bampton: the boundary columns of guyan, then `modes` modes with the boundary
/// held. GR-331 if there are fewer interior coordinates, GR-333 as guyan.
spatial::MatX craig_bampton(const spatial::MatX& M, const spatial::MatX& K,
                            const std::vector<int>& boundary, int modes);

/// The body in its lowest natural modes (its frame held), named mode_1 ...; GR-331.
FlexibleBody keep_lowest_modes(const FlexibleBody& body, int count);

}  // namespace grapple::flexible
