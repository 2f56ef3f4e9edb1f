// The point of one solid swept by rings (ring_solid.h) nearest to another that knows its own
// distance: for pairs that are not convex.
#pragma once

#include "grapple/geometry/overlap/internal/ring_arcs.h"

namespace grapple::geometry {

/// In the frame of the view's own solid.
spatial::Vec3 nearest_point(const RingView<double>& view);

}  // namespace grapple::geometry
