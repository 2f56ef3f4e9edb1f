// The Jacobian of an arm on a base that floats freely (Umetani and Yoshida, IEEE Trans. Robotics
// and Automation 5, 1989): with the momentum of the whole zero, the base's rates follow from the
// others', v_b = -M_bb^-1 M_bm v_m, and
//   V_WF = (J_m - J_b M_bb^-1 M_bm) v_m.
#pragma once

#include "grapple/model/model.h"
#include "grapple/spatial/types.h"

namespace grapple::control {

/// Where the six rates of the one body begin that floats freely and carries all others; -1: none.
int floating_base(const model::Model& model);

/// J (6 x nv) and M (nv x nv) of the whole model; columns of the base come out as zeros.
spatial::MatX generalized_jacobian(const spatial::MatX& J, const spatial::MatX& M, int base);

/// v_b of the momentum zero: sets the base's six entries of v from the others.
void balance_momentum(const spatial::MatX& M, int base, spatial::VecX& v);

}  // namespace grapple::control
