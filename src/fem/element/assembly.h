// A mesh as matrices: K u + M u'' = f with the components of a node side by side,
//   u = (u_x, u_y(, u_z) of node 0, of node 1, ...).
// The mass matrix is m (x) 1 with one entry per pair of nodes, so m is kept alone: all inertia
// integrals of a floating body follow from it (Kim 1999, 3.2.3 of its digest):
//   mass 1^T m 1, first moment 1^T m X, second moment X^T m X.
#pragma once

#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "grapple/fem/element/element_matrices.h"
#include "grapple/fem/mesh/mesh.h"
#include "grapple/flexible/damping.h"
#include "grapple/model/material.h"
#include "grapple/spatial/mass_properties.h"

namespace grapple::fem {

using SparseMatrix = Eigen::SparseMatrix<double>;

enum class MassMatrix { kConsistent, kLumped };

/// A mesh, what its regions are made of, and how its elements act.
struct Structure {
  Mesh mesh;
  std::vector<Medium> media;  ///< of each region
  ElementType type;
  MassMatrix mass = MassMatrix::kConsistent;
  std::string where = "mesh";  ///< names it in messages
};

/// What a region takes of a material: density, Young's modulus, Poisson's ratio. GR-383 if one is
/// missing, or not below 0.5 where elements need it. `where` names region and mesh.
Medium medium_of(const model::Material& material, Continuum continuum, const std::string& where);

/// check_mesh, and: one medium for each region, elements that suit the continuum (GR-387), a radius
/// above 0 inside bodies of revolution (GR-380).
void check_structure(const Structure& structure);

SparseMatrix assemble_stiffness(const Structure& structure);
/// One row and column per node.
SparseMatrix assemble_mass(const Structure& structure);
/// m (x) 1 with `components` rows per node.
SparseMatrix spread_over_components(const SparseMatrix& m, int components);
/// a M + b K with the ratios at two frequencies; GR-328 as flexible::apply_damping.
SparseMatrix rayleigh_damping(const SparseMatrix& M, const SparseMatrix& K,
                              const flexible::RayleighDamping& damping);

/// Mass, centre and inertia of m; of a plane mesh with its thickness.
spatial::MassProperties mass_properties(const Structure& structure, const SparseMatrix& m);

}  // namespace grapple::fem
