// A rigid body fixed to a frame of a flexible one, as mass stations.
#pragma once

#include <vector>

#include "grapple/flexible/flexible_body.h"
#include "grapple/spatial/mass_properties.h"

namespace grapple::flexible {

/// Whether displacements of second order in the coordinates (H) are kept.
enum class Order { kFirst, kSecond };

/// Adds seven points with the body's mass, centre and inertia (given in body axes about the frame's
/// origin): one at the centre and pairs on its principal axes, each moving as
///   p + theta x arm + 1/2 theta x (theta x arm),  theta = psi eta,
/// so that its inertia turns with the frame to that order.
void add_rigid_body(const FrameShape& frame, const spatial::MassProperties& body, Order order,
                    std::vector<Station>& stations);

}  // namespace grapple::flexible
