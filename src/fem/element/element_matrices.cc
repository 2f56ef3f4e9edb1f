#include "grapple/fem/element/element_matrices.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"

namespace grapple::fem {

namespace {

using spatial::Vec3;

// Internal displacements: one per direction, each with all components.
using InternalStrain = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 9>;
using Coupling = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3 * kMostNodes, 9>;
using Internal = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 9, 9>;

// The strains that a displacement field N(x) e_c has, c = 0, 1(, 2), in three or two columns.
template <class Gradient, class Out>
void put_strains(const Gradient& g, double value_by_radius, Continuum continuum, Eigen::Index first,
                 Out& B) {
  if (continuum == Continuum::kSolid) {
    B(0, first) = B(3, first + 1) = B(5, first + 2) = g[0];
    B(1, first + 1) = B(3, first) = B(4, first + 2) = g[1];
    B(2, first + 2) = B(4, first + 1) = B(5, first) = g[2];
    return;
  }
  B(0, first) = B(2, first + 1) = g[0];
  B(1, first + 1) = B(2, first) = g[1];
  if (continuum == Continuum::kRevolution) B(3, first) = value_by_radius;
}

bool has_incompatible_modes(Cell cell, const ElementType& type) {
  return (cell == Cell::kQuad4 || cell == Cell::kHex8) &&
         type.formulation == Formulation::kIncompatibleModes &&
         type.continuum != Continuum::kRevolution;
}

// Strains of the internal displacements at xi, whose integral over the element vanishes.
class IncompatibleModes {
 public:
  IncompatibleModes(Cell cell, const NodeGradients& X, const ElementType& type)
      : cell_(cell), X_(X), type_(type) {
    const Jacobian J0 = X.transpose() * shape_gradients(cell, reference_centre(cell));
    determinant_ = J0.determinant();
    inverse_ = J0.inverse();
  }

  int count() const { return static_cast<int>(X_.cols()) * components(type_.continuum); }

  InternalStrain strains(const Vec3& xi) const {
    const Jacobian J = X_.transpose() * shape_gradients(cell_, xi);
    InternalStrain B = InternalStrain::Zero(strain_count(type_.continuum), count());
    for (int k = 0; k < X_.cols(); ++k) {
      const double slope = -2.0 * xi[k] * determinant_ / J.determinant();
      const Vec3 row = [&] {  // d(1 - xi_k^2)/dx
        Vec3 g = Vec3::Zero();
        g.head(X_.cols()) = slope * inverse_.row(k).transpose();
        return g;
      }();
      put_strains(row, 0.0, type_.continuum, k * components(type_.continuum), B);
    }
    return B;
  }

 private:
  Cell cell_;
  const NodeGradients& X_;
  const ElementType& type_;
  double determinant_ = 0.0;
  Jacobian inverse_;
};

// Whether the middles of the edges lie in the middle of straight edges.
bool straight(const NodeGradients& X) {
  const auto edges = tetrahedron_edges();
  double off = 0.0, longest = 0.0;
  for (int e = 0; e < 6; ++e) {
    const auto& [a, b] = edges[static_cast<std::size_t>(e)];
    off = std::max(off, (X.row(4 + e) - 0.5 * (X.row(a) + X.row(b))).norm());
    longest = std::max(longest, (X.row(a) - X.row(b)).norm());
  }
  return off <= 1e-9 * longest;
}

}  // namespace

int components(Continuum continuum) { return continuum == Continuum::kSolid ? 3 : 2; }

int strain_count(Continuum continuum) {
  if (continuum == Continuum::kSolid) return 6;
  return continuum == Continuum::kRevolution ? 4 : 3;
}

Elasticities elasticity_matrix(const Medium& medium, Continuum continuum) {
  const double E = medium.young, nu = medium.poisson;
  const double shear = E / (2.0 * (1.0 + nu));
  const int size = strain_count(continuum);
  Elasticities D = Elasticities::Zero(size, size);
  if (continuum == Continuum::kPlaneStress) {
    const double c = E / (1.0 - nu * nu);
    D(0, 0) = D(1, 1) = c;
    D(0, 1) = D(1, 0) = c * nu;
    D(2, 2) = shear;
    return D;
  }
  const double lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  const auto normal = [&](int a) { return continuum == Continuum::kRevolution && a == 2 ? 3 : a; };
  const int normals = continuum == Continuum::kPlaneStrain ? 2 : 3;
  for (int a = 0; a < normals; ++a) {
    for (int b = 0; b < normals; ++b)
      D(normal(a), normal(b)) = lambda + (a == b ? 2.0 * shear : 0.0);
  }
  if (continuum == Continuum::kSolid) {
    D(3, 3) = D(4, 4) = D(5, 5) = shear;
  } else {
    D(2, 2) = shear;
  }
  return D;
}

ElementPoint element_point(Cell cell, const NodeGradients& X, const IntegrationPoint& at,
                           const ElementType& type) {
  GRAPPLE_ASSERT(X.cols() == components(type.continuum));
  ElementPoint point;
  point.N = shape_functions(cell, at.xi);
  const NodeGradients dN = shape_gradients(cell, at.xi);
  const Jacobian J = X.transpose() * dN;
  point.gradients = dN * J.inverse();
  point.volume = at.weight * J.determinant();
  if (type.continuum == Continuum::kRevolution) {
    point.radius = point.N.dot(X.col(0));
    point.volume *= 2.0 * std::numbers::pi * point.radius;
  } else if (type.continuum != Continuum::kSolid) {
    point.volume *= type.thickness;
  }
  return point;
}

StrainMatrix strain_matrix(const ElementPoint& point, const ElementType& type) {
  const int c = components(type.continuum);
  StrainMatrix B = StrainMatrix::Zero(strain_count(type.continuum), c * point.N.size());
  for (Eigen::Index a = 0; a < point.N.size(); ++a) {
    const double by_radius = point.radius > 0.0 ? point.N[a] / point.radius : 0.0;
    put_strains(point.gradients.row(a), by_radius, type.continuum, c * a, B);
  }
  return B;
}

const std::vector<IntegrationPoint>& stiffness_points(Cell cell, const NodeGradients& X,
                                                      const ElementType& type) {
  const bool fine = (cell == Cell::kTet10 && !straight(X)) ||
                    (cell == Cell::kTri3 && type.continuum == Continuum::kRevolution);
  return fine ? fine_stiffness_rule(cell) : stiffness_rule(cell);
}

ElementStiffness element_stiffness(Cell cell, const NodeGradients& X, const Medium& medium,
                                   const ElementType& type) {
  const Eigen::Index size = X.rows() * components(type.continuum);
  const Elasticities D = elasticity_matrix(medium, type.continuum);
  ElementStiffness K = ElementStiffness::Zero(size, size);
  const bool internal = has_incompatible_modes(cell, type);
  const IncompatibleModes modes(cell, X, type);
  Coupling K_ui = Coupling::Zero(size, modes.count());
  Internal K_ii = Internal::Zero(modes.count(), modes.count());
  for (const IntegrationPoint& at : stiffness_points(cell, X, type)) {
    const ElementPoint point = element_point(cell, X, at, type);
    const StrainMatrix B = strain_matrix(point, type);
    const StrainMatrix DB = point.volume * D * B;
    K.noalias() += B.transpose() * DB;
    if (!internal) continue;
    const InternalStrain G = modes.strains(at.xi);
    K_ui.noalias() += DB.transpose() * G;
    K_ii.noalias() += point.volume * G.transpose() * D * G;
  }
  if (internal) K -= K_ui * K_ii.ldlt().solve(K_ui.transpose());
  return 0.5 * (K + K.transpose());
}

ElementMass element_mass(Cell cell, const NodeGradients& X, const Medium& medium,
                         const ElementType& type) {
  ElementMass m = ElementMass::Zero(X.rows(), X.rows());
  for (const IntegrationPoint& at : mass_rule(cell)) {
    const ElementPoint point = element_point(cell, X, at, type);
    m.noalias() += medium.density * point.volume * point.N * point.N.transpose();
  }
  return m;
}

NodeValues lumped_mass(const ElementMass& consistent) {
  const NodeValues diagonal = consistent.diagonal();
  return diagonal * (consistent.sum() / diagonal.sum());
}

}  // namespace grapple::fem
