#include "grapple/fem/element/assembly.h"

#include <fmt/format.h>

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"

namespace grapple::fem {

namespace {

using spatial::Mat3;
using spatial::Vec3;
using Triplets = std::vector<Eigen::Triplet<double>>;

// Adds the block of each pair of nodes; `width` rows per node.
template <class Matrix>
void scatter(const Element& element, const Matrix& local, int width, Triplets& triplets) {
  const std::span<const int> nodes = element.nodes();
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      for (int c = 0; c < width; ++c) {
        for (int d = 0; d < width; ++d) {
          const double value = local(static_cast<Eigen::Index>(a) * width + c,
                                     static_cast<Eigen::Index>(b) * width + d);
          if (value != 0.0) {
            triplets.emplace_back(nodes[a] * width + c, nodes[b] * width + d, value);
          }
        }
      }
    }
  }
}

SparseMatrix matrix_of(const Triplets& triplets, Eigen::Index size) {
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  matrix.makeCompressed();
  return matrix;
}

const Medium& medium_of_element(const Structure& structure, const Element& element) {
  return structure.media[static_cast<std::size_t>(element.region)];
}

void check_radii(const Structure& structure) {
  for (const Element& element : structure.mesh.elements) {
    const NodeGradients X = positions(structure.mesh, element);
    if (X.col(0).minCoeff() >= 0.0) continue;
    throw Error("GR-380", structure.where,
                fmt::format("element {} of a body of revolution reaches x = {:g} m; x is the "
                            "radius and must not be negative",
                            element.number, X.col(0).minCoeff()));
  }
}

}  // namespace

Medium medium_of(const model::Material& material, Continuum continuum, const std::string& where) {
  if (!material.density || !material.elasticity) {
    throw Error("GR-383", where,
                fmt::format("its material lacks {}; elements need density, Young's modulus and "
                            "Poisson's ratio",
                            material.density      ? "young and poisson"
                            : material.elasticity ? "density"
                                                  : "density, young and poisson"));
  }
  const model::Elasticity& elastic = *material.elasticity;
  if (continuum != Continuum::kPlaneStress && !(elastic.poisson < 0.5)) {
    throw Error("GR-383", where,
                fmt::format("its material has the Poisson's ratio {:g}; elements that change their "
                            "volume need one below 0.5",
                            elastic.poisson));
  }
  return {elastic.young, elastic.poisson, *material.density};
}

void check_structure(const Structure& structure) {
  check_mesh(structure.mesh, structure.where);
  const bool solid = structure.type.continuum == Continuum::kSolid;
  if (structure.mesh.dimension() != (solid ? 3 : 2)) {
    throw Error("GR-387", structure.where,
                solid ? "a solid needs elements in space (tet4, tet10, hex8); this mesh is plane"
                      : "a plane body or one of revolution needs plane elements (tri3, quad4); "
                        "this mesh is in space");
  }
  if (structure.type.continuum == Continuum::kRevolution) check_radii(structure);
  GRAPPLE_ASSERT(structure.media.size() == structure.mesh.regions.size());
}

SparseMatrix assemble_stiffness(const Structure& structure) {
  const int width = components(structure.type.continuum);
  Triplets triplets;
  for (const Element& element : structure.mesh.elements) {
    const NodeGradients X = positions(structure.mesh, element);
    scatter(
        element,
        element_stiffness(element.cell, X, medium_of_element(structure, element), structure.type),
        width, triplets);
  }
  return matrix_of(triplets, static_cast<Eigen::Index>(structure.mesh.nodes.size()) * width);
}

SparseMatrix assemble_mass(const Structure& structure) {
  Triplets triplets;
  for (const Element& element : structure.mesh.elements) {
    const NodeGradients X = positions(structure.mesh, element);
    ElementMass m =
        element_mass(element.cell, X, medium_of_element(structure, element), structure.type);
    if (structure.mass == MassMatrix::kLumped) m = lumped_mass(m).asDiagonal();
    scatter(element, m, 1, triplets);
  }
  return matrix_of(triplets, static_cast<Eigen::Index>(structure.mesh.nodes.size()));
}

SparseMatrix spread_over_components(const SparseMatrix& m, int components) {
  Triplets triplets;
  triplets.reserve(static_cast<std::size_t>(m.nonZeros() * components));
  for (Eigen::Index col = 0; col < m.outerSize(); ++col) {
    for (SparseMatrix::InnerIterator it(m, col); it; ++it) {
      for (int c = 0; c < components; ++c) {
        triplets.emplace_back(static_cast<int>(it.row()) * components + c,
                              static_cast<int>(it.col()) * components + c, it.value());
      }
    }
  }
  return matrix_of(triplets, m.rows() * components);
}

SparseMatrix rayleigh_damping(const SparseMatrix& M, const SparseMatrix& K,
                              const flexible::RayleighDamping& damping) {
  // The factors of M and K are those of a body with one coordinate of mass alone and one of
  // stiffness alone.
  flexible::FlexibleBody unit;
  unit.modes = 2;
  unit.E = Eigen::Vector2d(1.0, 0.0).asDiagonal();
  unit.stiffness = Eigen::Vector2d(0.0, 1.0).asDiagonal();
  flexible::apply_damping(unit, damping);
  return unit.damping(0, 0) * M + unit.damping(1, 1) * K;
}

spatial::MassProperties mass_properties(const Structure& structure, const SparseMatrix& m) {
  const auto count = static_cast<Eigen::Index>(structure.mesh.nodes.size());
  Eigen::Matrix<double, Eigen::Dynamic, 3> X(count, 3);
  for (Eigen::Index n = 0; n < count; ++n) {
    X.row(n) = structure.mesh.nodes[static_cast<std::size_t>(n)].transpose();
  }
  const Eigen::Matrix<double, Eigen::Dynamic, 3> mX = m * X;
  const double mass = m.sum();
  Vec3 com = mX.colwise().sum().transpose() / mass;
  Mat3 S = X.transpose() * mX;
  const double t = structure.type.thickness;
  switch (structure.type.continuum) {
    case Continuum::kPlaneStress:
    case Continuum::kPlaneStrain:
      S(2, 2) += mass * t * t / 12.0;
      break;
    case Continuum::kRevolution: {  // about y: x^2 and z^2 share r^2, their means vanish
      const double r2 = S(0, 0), y2 = S(1, 1);
      S = Vec3(0.5 * r2, y2, 0.5 * r2).asDiagonal();
      com.x() = 0.0;
      break;
    }
    case Continuum::kSolid:
      break;
  }
  S -= mass * com * com.transpose();
  return {mass, com, S.trace() * Mat3::Identity() - 0.5 * (S + S.transpose())};
}

}  // namespace grapple::fem
