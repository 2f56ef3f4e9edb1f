// Stiffness of a smooth non-conformal contact from materials and curvatures (Hertz; notation of
// Johnson, Contact Mechanics, ch. 4):  force = k depth^(3/2).
//   circular patch:    k = 4/3 E* sqrt(R),  1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
//   elliptical patch:  k = (2 pi/3) E* sqrt(E(e)) / (sqrt((A + B)(1 - e^2)) K(e)^(3/2)),
// where A, B are half the principal curvatures of the gap, and the eccentricity e solves
//   B/A = (E(e)/(1 - e^2) - K(e)) / (K(e) - E(e)).
// Valid while the patch is small against the radii and nothing yields.
#pragma once

#include "grapple/geometry/touch/touch_query.h"
#include "grapple/model/material.h"

namespace grapple::contact {

using model::Elasticity;

/// (1 - nu^2)/E, 1/Pa.
double compliance(const Elasticity& material);
/// E*, Pa.
double effective_modulus(const Elasticity& a, const Elasticity& b);

/// k, N/m^1.5. Both curvatures of the gap must be positive and finite.
double hertz_stiffness(double effective_modulus_Pa, const geometry::GapCurvature& gap);

}  // namespace grapple::contact
