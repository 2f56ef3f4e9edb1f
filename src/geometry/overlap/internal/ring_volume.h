// The volume any two solids swept by rings share (ring_solid.h): round bodies with each other, pegs
// in bores and funnels, boxes and polyhedra with bars, bores, spikes, funnels and rings. By surface
// integrals with a bound of their error (ring_overlap.h). The normal is the direction in which the
// volume falls fastest. Of convex bodies the gap is the distance or, overlapping, minus the depth
// along the normal; of others minus the mean depth, volume over patch.
#pragma once

#include <memory>
#include <vector>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

/// Null if one of the shapes is none of these, if a has no end, or if the distance of the pair is
/// known with the roles exchanged only.
std::shared_ptr<const VolumeQuery> make_ring_volume(const Shape& a, const Shape& b);

/// A cylinder, capsule or cone in a bore may touch it on opposite sides, one with each end: a query
/// for each half of it, or none if the pair is another.
std::vector<std::shared_ptr<const VolumeQuery>> make_halves_in_bore(const Shape& a, const Shape& b);

}  // namespace grapple::geometry
