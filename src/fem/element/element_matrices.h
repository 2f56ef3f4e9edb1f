// Stiffness and mass of one element of linear elasticity, small strain.
//   K = int B^T D B dV,   m_ab = int rho N_a N_b dV       (mass matrix: m_ab times the identity)
// dV = thickness dA in the plane, 2 pi r dA for a body of revolution. Strains in the order
//   solid xx yy zz xy yz zx,  plane xx yy xy,  of revolution rr zz rz tt;  shear as gamma.
// QUAD4 and HEX8 are too stiff in bending (shear locking). Incompatible modes add the strains of
// internal displacements 1 - xi_k^2 along each direction k, condensed inside the element; their
// gradients are taken with the Jacobian J0 of the middle and scaled by det J0 / det J, so that
// their integral vanishes and the patch test holds on any shape (Taylor, Beresford and Wilson 1976;
// the same as the enhanced strains of Simo and Rifai 1990). For bodies of revolution the integral
// would not vanish (factor r), so there QUAD4 is the standard one.
// The source's contacting bodies are standard QUAD4 (Kim 1999, appendix A).
#pragma once

#include "grapple/fem/mesh/cell.h"

namespace grapple::fem {

enum class Continuum { kSolid, kPlaneStress, kPlaneStrain, kRevolution };
enum class Formulation { kStandard, kIncompatibleModes };

/// Coordinates of a node: 3, or 2 in the plane.
int components(Continuum continuum);
int strain_count(Continuum continuum);

/// What a region is made of: linear elastic, isotropic.
struct Medium {
  double young = 0.0;    ///< Pa
  double poisson = 0.0;  ///< above -1; below 0.5, at most 0.5 in plane stress
  double density = 0.0;  ///< kg/m^3
};

/// How elements are made.
struct ElementType {
  Continuum continuum = Continuum::kSolid;
  Formulation formulation = Formulation::kIncompatibleModes;
  double thickness = 1.0;  ///< m, in the plane
};

using Elasticities = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
/// sigma = D epsilon.
Elasticities elasticity_matrix(const Medium& medium, Continuum continuum);

using ElementStiffness =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3 * kMostNodes, 3 * kMostNodes>;
using ElementMass =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostNodes, kMostNodes>;

/// The strains of nodal displacements at one point, and the volume that the point stands for.
using StrainMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 3 * kMostNodes>;
struct ElementPoint {
  NodeValues N;
  NodeGradients gradients;  ///< dN_a/dx
  double radius = 0.0;      ///< of a body of revolution
  double volume = 0.0;
};
ElementPoint element_point(Cell cell, const NodeGradients& X, const IntegrationPoint& at,
                           const ElementType& type);
StrainMatrix strain_matrix(const ElementPoint& point, const ElementType& type);

/// Where the stiffness is integrated: the rule of the cell, or a finer one for curved TET10 and for
/// TRI3 of revolution.
const std::vector<IntegrationPoint>& stiffness_points(Cell cell, const NodeGradients& X,
                                                      const ElementType& type);

/// X: a row per node. Coordinates by node: x, y(, z) of node 0, of node 1, ...
ElementStiffness element_stiffness(Cell cell, const NodeGradients& X, const Medium& medium,
                                   const ElementType& type);
/// One entry per pair of nodes.
ElementMass element_mass(Cell cell, const NodeGradients& X, const Medium& medium,
                         const ElementType& type);
/// Its diagonal, scaled to the element's mass (Hinton, Rock and Zienkiewicz 1976): positive for
/// every cell, and the sum of rows for parallelograms and parallelepipeds.
NodeValues lumped_mass(const ElementMass& consistent);

}  // namespace grapple::fem
