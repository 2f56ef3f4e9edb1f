// Few point masses that move like a mesh. The kinetic energy of a mesh is a sum of products
// a^T m b of nodal fields a, b out of 1, x, Phi, H (m: mass matrix, one entry per pair of nodes).
// With an orthonormal basis Q of their span (Q^T m Q = 1) the products are those of the
// coefficients Q^T m a: as many point masses as the basis has vectors have the same energy at every
// state, exactly, however fine the mesh is. An orthogonal turn of the basis gives them equal
// masses.
#pragma once

#include "grapple/fem/element/assembly.h"
#include "grapple/flexible/flexible_body.h"

namespace grapple::fem {

/// Nodal fields of a body: displacement per coordinate and, for each pair k <= l of coordinates
/// (pair k, l at l (l + 1) / 2 + k), of second order; without columns: none.
struct NodalFields {
  spatial::MatX Phi;  ///< components by node, as u
  spatial::MatX H;
};

std::vector<flexible::Station> equivalent_stations(const Structure& structure,
                                                   const SparseMatrix& m,
                                                   const NodalFields& fields);

inline Eigen::Index pair_index(Eigen::Index k, Eigen::Index l) {
  return k <= l ? l * (l + 1) / 2 + k : k * (k + 1) / 2 + l;
}

}  // namespace grapple::fem
