// Frames that follow the mean motion of nodes without tying them (RBE3): of all rigid motions the
// one next to the nodes' displacements in the sense of least squares,
//   d = mean(u_a),   theta = (sum [a]^T [a])^-1 sum a x (u_a - d),   a: from the mean of the nodes.
// A force there spreads over the nodes by the same matrix.
#pragma once

#include "grapple/fem/reduce/internal/equivalent_stations.h"
#include "grapple/fem/reduce/solid_body.h"

namespace grapple::fem {

/// GR-382, GR-388 (nodes on a line).
flexible::FrameShape mean_frame(const Structure& structure, const Interface& mean,
                                const NodalFields& fields);

}  // namespace grapple::fem
