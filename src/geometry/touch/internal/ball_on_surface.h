// A ball on round solids, tips, holes and edges by their signed distance (surface_distance.h), and
// round or pointed solids on a half-space by their lowest points.
#pragma once

#include <memory>
#include <vector>

#include "grapple/geometry/solid/shape.h"
#include "grapple/geometry/touch/touch_sites.h"

namespace grapple::geometry {

/// On an edge, spike, funnel, torus, cylinder or cone; null for others.
std::shared_ptr<const TouchQuery> make_ball_on_surface(const Sphere& ball, const Shape& surface);

/// An ellipsoid or torus has one lowest point; a cylinder one on each rim; a cone one on its rim
/// and its apex; a polyhedron its corners. None for others.
std::vector<std::shared_ptr<const TouchQuery>> make_lowest_points(const Shape& shape);

/// The same query for shapes that sit on others, with the roles exchanged if `order` says so.
std::shared_ptr<const TouchQuery> make_placed_touch(std::shared_ptr<const TouchQuery> query,
                                                    PairOrder order, const spatial::Pose& X_a,
                                                    const spatial::Pose& X_b);

}  // namespace grapple::geometry
