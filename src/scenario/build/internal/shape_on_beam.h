// A contact shape on a body that bends is fixed to the material at one place and moves with it
// rigidly. One that reaches along the beam beyond that place would not follow the beam where it
// touches.
#pragma once

#include <string>

#include "grapple/geometry/solid/shape.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// How far along a beam, as a share of its length, a shape may reach from the place it is fixed to.
inline constexpr double kReachOnBeam = 0.15;

/// GR-418 if the shape reaches farther along the beam than that, or sits on a body from a file but
/// on none of its frames. `R_FS`: axes of the shape in the frame it sits on.
void check_shape_on_beam(const Reader& reader, std::string_view key, const Place& place,
                         const geometry::Shape& shape, const spatial::Mat3& R_FS,
                         Assembly& assembly);

/// How far the shape reaches from its origin in a direction of its own axes, m.
double reach_of(const geometry::Shape& shape, const spatial::Vec3& direction_S);

}  // namespace grapple::scenario
