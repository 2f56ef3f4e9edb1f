// The volume a ball shares with a solid of revolution (bar, cylinder, capsule, cone, spike, torus),
// or with what lies round a conical hole (funnel). In slices across the axis of the other body two
// circles meet: what they have in common, or the ball's has alone, is known in closed form; along
// the axis adaptive Gauss-Kronrod quadrature between the heights at which circles touch. A ball
// seated in a funnel shares a ring with it.
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

/// Null for other shapes.
std::shared_ptr<const VolumeQuery> make_ball_round_volume(const Sphere& ball, const Shape& round);

}  // namespace grapple::geometry
