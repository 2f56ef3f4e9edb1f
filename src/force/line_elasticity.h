// Elastic forces of a line in absolute nodal coordinates (flexible/absolute_nodal.h), for any
// deflection, with Kelvin-Voigt damping: with N = EA (e + tau e'), M = EI (k + tau k'),
//   Q = - int N de/deta + M . dk/deta dx,   e = |r'| - 1,   k = r' x r'' / |r'|^2.
#pragma once

#include <memory>
#include <vector>

#include "grapple/element/element.h"
#include "grapple/flexible/absolute_nodal.h"

namespace grapple::force {

/// For the flexible body that is `link`, made with these strains; time_constant is tau, s.
std::unique_ptr<element::Element> make_line_elasticity(const model::Model& model, int link,
                                                       std::vector<flexible::LinePoint> strains,
                                                       double time_constant);

}  // namespace grapple::force
