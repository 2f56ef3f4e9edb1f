// Elements reproduce constant strain on any shape, have the rigid motions as their only zero-energy
// modes, and the volume, centre and inertia of what they fill.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "fem/fem_support.h"

namespace grapple::fem::test {
namespace {

// Three elements along each edge, the nodes inside moved by up to 15 % of an element.
Mesh distorted(Cell cell) {
  Mesh mesh = dimension(cell) == 3 ? block({0.9, 0.6, 0.6}, {3, 3, 3}, cell)
                                   : rectangle(0.9, 0.6, {3, 3}, cell);
  if (cell != Cell::kTet10) {
    distort(mesh, 0.2, 0.15);
    return mesh;
  }
  // Move the corners and keep the edges straight: only then does TET10 hold quadratic fields.
  Mesh corners = block({0.9, 0.6, 0.6}, {3, 3, 3}, Cell::kTet4);
  distort(corners, 0.2, 0.15);
  mesh = with_midside_nodes(corners);
  add_surface_group(mesh);
  mesh.groups["surface"].clear();
  const Vec3 low(0.0, -0.3, -0.3), high(0.9, 0.3, 0.3);
  add_group(mesh, "surface", [&](const Vec3& x) {
    return ((x - low).cwiseAbs().minCoeff() < 1e-12) || ((x - high).cwiseAbs().minCoeff() < 1e-12);
  });
  return mesh;
}

Vec3 linear_field(const Vec3& x) {
  spatial::Mat3 A;
  A << 1.0, -2.0, 0.5, 0.7, 3.0, -1.1, 0.2, 0.9, -1.6;
  return 1e-4 * (A * x + Vec3(0.3, -0.1, 0.2));
}

double patch_error(const Structure& structure, const Field& field) {
  const int width = components(structure.type.continuum);
  const VecX exact = nodal(structure.mesh, width, field);
  const std::vector<int> held = coordinates_of(structure.mesh.groups.at("surface"), width);
  EXPECT_LT(held.size(), static_cast<std::size_t>(exact.size()));
  const VecX u = solve_inside(structure, exact, held);
  return (u - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff();
}

constexpr double kRoundOff = 1e-12;  // of a factorisation with condition 1e3

TEST(PatchTest, SolidElementsOnDistortedAndTurnedMeshes) {
  for (const Cell cell : {Cell::kHex8, Cell::kTet4, Cell::kTet10}) {
    for (const Formulation formulation :
         {Formulation::kStandard, Formulation::kIncompatibleModes}) {
      SCOPED_TRACE(name(cell));
      const ElementType type{Continuum::kSolid, formulation, 1.0};
      EXPECT_LT(patch_error(structure_of(distorted(cell), type), linear_field), kRoundOff);
      EXPECT_LT(patch_error(structure_of(turned(distorted(cell)), type), linear_field), kRoundOff);
    }
  }
}

TEST(PatchTest, PlaneElementsInStressAndStrain) {
  for (const Cell cell : {Cell::kQuad4, Cell::kTri3}) {
    for (const Continuum continuum : {Continuum::kPlaneStress, Continuum::kPlaneStrain}) {
      for (const Formulation formulation :
           {Formulation::kStandard, Formulation::kIncompatibleModes}) {
        SCOPED_TRACE(name(cell));
        const ElementType type{continuum, formulation, 0.02};
        EXPECT_LT(patch_error(structure_of(distorted(cell), type), linear_field), kRoundOff);
      }
    }
  }
}

// Constant strain of a body of revolution: u_r = a r, u_z = b z.
TEST(PatchTest, ElementsOfRevolution) {
  const auto field = [](const Vec3& x) { return Vec3(2e-4 * x.x(), -3e-4 * x.y() + 1e-5, 0.0); };
  for (const Cell cell : {Cell::kQuad4, Cell::kTri3}) {
    SCOPED_TRACE(name(cell));
    const ElementType type{Continuum::kRevolution, Formulation::kStandard, 1.0};
    EXPECT_LT(patch_error(structure_of(distorted(cell), type), field), kRoundOff);
    const Mesh away = placed(distorted(cell), {spatial::Mat3::Identity(), Vec3(0.4, 0.1, 0.0)});
    EXPECT_LT(patch_error(structure_of(away, type), field), kRoundOff);
  }
}

TEST(PatchTest, CurvedTet10HoldsConstantStrain) {
  Mesh mesh = block({0.9, 0.6, 0.6}, {2, 2, 2}, Cell::kTet10);
  distort(mesh, 0.2, 0.1);  // also the middles of edges
  EXPECT_LT(patch_error(structure_of(mesh), linear_field), kRoundOff);
}

// The energy of constant strain is that of the volume, whatever the elements' shapes.
TEST(PatchTest, EnergyOfConstantStrainIsThatOfTheVolume) {
  const double strain = 1e-3;
  const auto stretched = [&](const Vec3& x) { return Vec3(strain * x.x(), 0.0, 0.0); };
  for (const Cell cell : kAllCells) {
    SCOPED_TRACE(name(cell));
    const bool solid = dimension(cell) == 3;
    const ElementType type{solid ? Continuum::kSolid : Continuum::kPlaneStrain,
                           Formulation::kIncompatibleModes, 0.6};
    const Structure structure = structure_of(distorted(cell), type);
    const VecX u = nodal(structure.mesh, components(type.continuum), stretched);
    const double energy = 0.5 * u.dot(assemble_stiffness(structure) * u);
    const double E = kSteel.young, nu = kSteel.poisson;
    const double modulus = E * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
    const double volume = 0.9 * 0.6 * 0.6;
    EXPECT_NEAR(energy, 0.5 * modulus * strain * strain * volume, 1e-12 * energy);
  }
}

// TET10 with straight edges holds every quadratic field: pure bending is exact on any such mesh.
TEST(Tet10, HoldsPureBendingExactly) {
  const double nu = kSteel.poisson;
  const auto bending = [&](const Vec3& x) {
    return Vec3(1e-3 * x.x() * x.y(),
                -0.5e-3 * (x.x() * x.x() + nu * (x.y() * x.y() - x.z() * x.z())),
                -nu * 1e-3 * x.y() * x.z());
  };
  EXPECT_LT(patch_error(structure_of(distorted(Cell::kTet10)), bending), kRoundOff);
  EXPECT_GT(patch_error(structure_of(distorted(Cell::kTet4)), bending), 1e-4);
}

struct Modes {
  int zero = 0;
  double gap = 0.0;  ///< smallest other eigenvalue by the largest
};

Modes zero_energy_modes(const MatX& K) {
  const VecX values = Eigen::SelfAdjointEigenSolver<MatX>(K).eigenvalues();
  Modes modes;
  for (const double value : values) {
    if (std::abs(value) < 1e-11 * values[values.size() - 1]) {
      ++modes.zero;
    } else if (modes.gap == 0.0) {
      modes.gap = value / values[values.size() - 1];
    }
  }
  return modes;
}

TEST(ZeroEnergyModes, AreTheRigidMotionsOfASingleDistortedElement) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> shift(-0.12, 0.12);
  for (const Cell cell : kAllCells) {
    for (const Formulation formulation :
         {Formulation::kStandard, Formulation::kIncompatibleModes}) {
      SCOPED_TRACE(name(cell));
      const auto nodes = reference_nodes(cell);
      NodeGradients X(node_count(cell), dimension(cell));
      for (Eigen::Index a = 0; a < X.rows(); ++a) {
        for (Eigen::Index c = 0; c < X.cols(); ++c) {
          X(a, c) = nodes[static_cast<std::size_t>(a)][c] + shift(generator);
        }
      }
      const bool solid = dimension(cell) == 3;
      const ElementType type{solid ? Continuum::kSolid : Continuum::kPlaneStress, formulation, 1.0};
      const Modes modes = zero_energy_modes(element_stiffness(cell, X, kSteel, type));
      EXPECT_EQ(modes.zero, solid ? 6 : 3);
      EXPECT_GT(modes.gap, 1e-4);
      if (solid) continue;
      NodeGradients away = X;
      away.col(0).array() += 3.0;
      const ElementType revolution{Continuum::kRevolution, formulation, 1.0};
      const Modes axial = zero_energy_modes(element_stiffness(cell, away, kSteel, revolution));
      EXPECT_EQ(axial.zero, 1) << "a body of revolution moves along its axis only";
    }
  }
}

TEST(RigidMotion, AnyMeshTurnsWithoutStrain) {
  for (const Cell cell : {Cell::kHex8, Cell::kTet10}) {
    const Structure structure = structure_of(distorted(cell));
    const SparseMatrix K = assemble_stiffness(structure);
    const Vec3 axis(0.3, -0.5, 0.8);
    const VecX u = nodal(structure.mesh, 3, [&](const Vec3& x) { return Vec3(axis.cross(x)); });
    EXPECT_LT((K * u).cwiseAbs().maxCoeff(), 1e-12 * K.diagonal().maxCoeff());
  }
}

// Bars of length L, bent by couples on their end faces: the exact displacements need forces there
// only. With incompatible modes that holds for rectangular elements, one across the height being
// enough; the standard element locks.
TEST(IncompatibleModes, PureBendingIsExactOnRectangularElements) {
  const double nu = kSteel.poisson, L = 1.0;
  const auto bending = [&](const Vec3& x) {
    return Vec3(1e-3 * x.x() * x.y(),
                -0.5e-3 * (x.x() * x.x() + nu * (x.y() * x.y() - x.z() * x.z())),
                -nu * 1e-3 * x.y() * x.z());
  };
  const auto force_inside = [&](Formulation formulation) {
    const Structure structure =
        structure_of(block({L, 0.1, 0.1}, {4, 1, 1}), {Continuum::kSolid, formulation, 1.0});
    const VecX f = assemble_stiffness(structure) * nodal(structure.mesh, 3, bending);
    double inside = 0.0, ends = 0.0;
    for (std::size_t n = 0; n < structure.mesh.nodes.size(); ++n) {
      const double x = structure.mesh.nodes[n].x();
      double& most = x > 0.0 && x < L ? inside : ends;
      most = std::max(most, f.segment<3>(3 * static_cast<Eigen::Index>(n)).cwiseAbs().maxCoeff());
    }
    return inside / ends;
  };
  EXPECT_LT(force_inside(Formulation::kIncompatibleModes), 1e-11);
  EXPECT_GT(force_inside(Formulation::kStandard), 1e-2);
}

TEST(Mass, ConsistentMatrixHasVolumeCentreAndInertiaOfAnyShape) {
  for (const Cell cell : {Cell::kHex8, Cell::kTet4, Cell::kTet10}) {
    SCOPED_TRACE(name(cell));
    const Structure structure = structure_of(distorted(cell));
    const spatial::MassProperties mass = mass_properties(structure, assemble_mass(structure));
    const spatial::MassProperties box =
        spatial::solid_box(kSteel.density * 0.9 * 0.6 * 0.6, Vec3(0.9, 0.6, 0.6));
    EXPECT_NEAR(mass.mass, box.mass, 1e-12 * box.mass);
    EXPECT_LT((mass.com_B - Vec3(0.45, 0.0, 0.0)).norm(), 1e-12);
    EXPECT_LT((mass.inertia_com_B - box.inertia_com_B).norm(), 1e-12 * box.inertia_com_B.norm());
  }
}

// Acceptance A1 of Kim (1999), planar: with y the stacked positions of the nodes, y^T M_uu y is the
// moment of inertia about the origin, and the rows of m sum up to the mass.
TEST(KimA1, RigidBodyLimitOfAPlaneBody) {
  const double w = 0.9, h = 0.6, t = 0.02;
  for (const Cell cell : {Cell::kQuad4, Cell::kTri3}) {
    SCOPED_TRACE(name(cell));
    const Structure structure =
        structure_of(distorted(cell), {Continuum::kPlaneStrain, Formulation::kStandard, t});
    const SparseMatrix m = assemble_mass(structure), M = spread_over_components(m, 2);
    const VecX y = nodal(structure.mesh, 2, [](const Vec3& x) { return x; });
    const double mass = kSteel.density * w * h * t;
    const double J = mass * ((w * w + h * h) / 12.0 + 0.25 * w * w);
    EXPECT_NEAR(m.sum(), mass, 1e-12 * mass);
    EXPECT_NEAR(y.dot(M * y), J, 1e-12 * J);
  }
}

TEST(Mass, LumpedIsPositiveAndHasTheMass) {
  for (const Cell cell : kAllCells) {
    SCOPED_TRACE(name(cell));
    const bool solid = dimension(cell) == 3;
    Structure structure = structure_of(
        distorted(cell), {solid ? Continuum::kSolid : Continuum::kPlaneStress, {}, 0.6});
    structure.mass = MassMatrix::kLumped;
    const SparseMatrix m = assemble_mass(structure);
    EXPECT_EQ(m.nonZeros(), m.rows());
    EXPECT_GT(VecX(m.diagonal()).minCoeff(), 0.0);
    EXPECT_NEAR(m.sum(), kSteel.density * 0.9 * 0.6 * 0.6, 1e-9);
  }
}

TEST(Damping, RayleighHasTheRatiosAtItsFrequencies) {
  const Structure structure = structure_of(block({1.0, 0.1, 0.1}, {2, 1, 1}));
  const SparseMatrix K = assemble_stiffness(structure);
  const SparseMatrix M = spread_over_components(assemble_mass(structure), 3);
  const SparseMatrix C = rayleigh_damping(M, K, {100.0, 0.02, 900.0, 0.05});
  // 2 zeta omega = a + b omega^2 at both frequencies (Kim 1999, 2.54).
  const double wa = 100.0, wb = 900.0, za = 0.02, zb = 0.05;
  const double b = 2.0 * (zb * wb - za * wa) / (wb * wb - wa * wa), a = 2.0 * za * wa - b * wa * wa;
  EXPECT_LT((C - SparseMatrix(a * M + b * K)).norm(), 1e-12 * C.norm());
}

}  // namespace
}  // namespace grapple::fem::test
