// Loads of second-order strain: f_kl = int B^T D e_kl dV, e_kl = sym(grad phi_k^T grad phi_l), for
// every pair of coordinates (solid_body.h). Gradients are those of the nodal displacements;
// incompatible modes are left out of them, which vanishes as the mesh is refined.
#pragma once

#include "grapple/fem/element/assembly.h"

namespace grapple::fem {

/// A column for each pair, as pair_index counts.
spatial::MatX second_order_loads(const Structure& structure, const spatial::MatX& Phi);

}  // namespace grapple::fem
