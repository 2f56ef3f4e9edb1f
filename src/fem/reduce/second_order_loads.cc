#include "grapple/fem/reduce/internal/second_order_loads.h"

#include "grapple/fem/reduce/internal/equivalent_stations.h"

namespace grapple::fem {

namespace {

using spatial::MatX;
using Strain = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using Gradient = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;

// sym(A) as strains in the order of element_matrices.h, A = grad phi_k^T grad phi_l.
Strain strains_of(const Gradient& A) {
  if (A.rows() == 2) {
    Strain e(3);
    e << A(0, 0), A(1, 1), A(0, 1) + A(1, 0);
    return e;
  }
  Strain e(6);
  e << A(0, 0), A(1, 1), A(2, 2), A(0, 1) + A(1, 0), A(1, 2) + A(2, 1), A(2, 0) + A(0, 2);
  return e;
}

// grad u(c, j) = du_c/dx_j of each coordinate at a point.
std::vector<Gradient> gradients_of(const ElementPoint& point, const MatX& local) {
  const Eigen::Index dim = point.gradients.cols(), nodes = point.gradients.rows();
  std::vector<Gradient> all(static_cast<std::size_t>(local.cols()), Gradient::Zero(dim, dim));
  for (Eigen::Index k = 0; k < local.cols(); ++k) {
    Gradient& g = all[static_cast<std::size_t>(k)];
    for (Eigen::Index a = 0; a < nodes; ++a) {
      g += local.col(k).segment(a * dim, dim) * point.gradients.row(a);
    }
  }
  return all;
}

}  // namespace

MatX second_order_loads(const Structure& structure, const MatX& Phi) {
  const Eigen::Index modes = Phi.cols(), pairs = modes * (modes + 1) / 2;
  const int width = components(structure.type.continuum);
  MatX loads = MatX::Zero(Phi.rows(), pairs);
  for (const Element& element : structure.mesh.elements) {
    const NodeGradients X = positions(structure.mesh, element);
    const Medium& medium = structure.media[static_cast<std::size_t>(element.region)];
    const Elasticities D = elasticity_matrix(medium, structure.type.continuum);
    std::vector<int> rows;
    for (const int node : element.nodes()) {
      for (int c = 0; c < width; ++c) rows.push_back(node * width + c);
    }
    const MatX local = Phi(rows, Eigen::all);
    MatX strains(strain_count(structure.type.continuum), pairs);
    MatX sum = MatX::Zero(local.rows(), pairs);
    for (const IntegrationPoint& at : stiffness_points(element.cell, X, structure.type)) {
      const ElementPoint point = element_point(element.cell, X, at, structure.type);
      const std::vector<Gradient> g = gradients_of(point, local);
      for (Eigen::Index l = 0; l < modes; ++l) {
        for (Eigen::Index k = 0; k <= l; ++k) {
          strains.col(pair_index(k, l)) = strains_of(g[static_cast<std::size_t>(k)].transpose() *
                                                     g[static_cast<std::size_t>(l)]);
        }
      }
      const StrainMatrix B = strain_matrix(point, structure.type);
      sum.noalias() += point.volume * B.transpose() * (D * strains);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      loads.row(rows[r]) += sum.row(static_cast<Eigen::Index>(r));
    }
  }
  return loads;
}

}  // namespace grapple::fem
