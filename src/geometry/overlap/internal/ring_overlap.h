// The common volume of two solids swept by rings: the surface integrals over what each has inside
// the other (ring_arcs.h), along the surfaces by global adaptive Gauss-Kronrod quadrature between
// breaks (ring_scan.h). The two shares make a closed surface, for which int dA = 0 and int r dA' =
// V 1: a part that was missed shows there, counts as error, and a finer grid is tried.
#pragma once

#include "grapple/geometry/overlap/internal/ring_arcs.h"

namespace grapple::geometry {

template <class T>
struct RingOverlap {
  VolumeMoments<T> moments;                              ///< about `origin`
  spatial::Vec3T<T> origin = spatial::Vec3T<T>::Zero();  ///< all in A's frame
  spatial::Vec3T<T> area = spatial::Vec3T<T>::Zero();    ///< of A's surface inside B, less inner
  double size = 0.0;   ///< of both shares of the surface, not as vectors
  double error = 0.0;  ///< bound of that of the volume
};

/// x_B = R x_A + p. Volume 0 if nothing is common.
template <class T>
RingOverlap<T> ring_overlap(const RingSolid& a, const RingSolid& b, const spatial::Mat3T<T>& R,
                            const spatial::Vec3T<T>& p);

}  // namespace grapple::geometry
