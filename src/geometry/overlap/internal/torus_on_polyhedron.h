// The volume a torus shares with a convex polyhedron. Where all of the torus is on the inner side
// of every face but one, the polyhedron is a half-space to it: the slices of round_volume.h give a
// smooth answer there, also for a torus that lies flat but for a millionth of a degree, at which
// the arcs of ring_volume.h are long and thin and their breaks hard to find. Everywhere else that
// one serves.
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

/// Null if `a` is no box or polyhedron or `b` no torus.
std::shared_ptr<const VolumeQuery> make_torus_on_polyhedron(const Shape& a, const Shape& b);

}  // namespace grapple::geometry
