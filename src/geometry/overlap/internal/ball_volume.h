// Overlaps of a ball with round surfaces that have no planes: another ball (two caps, in closed
// form), and a bore (slices across its axis are lunes between two circles, in closed form; along
// the axis Gauss-Kronrod quadrature). By symmetry the normal is exact.
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

std::shared_ptr<const VolumeQuery> make_ball_on_ball(const Sphere& a, const Sphere& b);

/// Null if the ball is not smaller than the bore.
std::shared_ptr<const VolumeQuery> make_ball_in_bore(const Sphere& a, const Bore& b);

}  // namespace grapple::geometry
