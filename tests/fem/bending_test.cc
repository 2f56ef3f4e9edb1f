// Meshes against closed forms: convergence of bending, frequencies of rods and cantilevers.
#include <gtest/gtest.h>

#include <array>

#include "fem/fem_support.h"
#include "grapple/base/error.h"
#include "grapple/fem/reduce/sparse_modes.h"
#include "grapple/flexible/beam.h"
#include "grapple/flexible/damping.h"
#include "grapple/flexible/fe_beam.h"

namespace grapple::fem::test {
namespace {

// Timoshenko and Goodier's cantilever in plane stress with a parabolic shear P at its end; its
// displacements are prescribed on both ends, the sides are free.
double bending_error(int along, Formulation formulation) {
  const double L = 1.0, D = 0.25, P = 1e5, nu = kSteel.poisson;
  const double EI = kSteel.young * D * D * D / 12.0;
  const auto exact_field = [&](const Vec3& p) {
    const double x = p.x(), y = p.y();
    return Vec3(
        -P * y / (6.0 * EI) * ((6.0 * L - 3.0 * x) * x + (2.0 + nu) * (y * y - D * D / 4.0)),
        P / (6.0 * EI) *
            (3.0 * nu * y * y * (L - x) + (4.0 + 5.0 * nu) * D * D * x / 4.0 +
             (3.0 * L - x) * x * x),
        0.0);
  };
  const Structure structure = structure_of(rectangle(L, D, {along, along / 4}, Cell::kQuad4),
                                           {Continuum::kPlaneStress, formulation, 1.0});
  const VecX exact = nodal(structure.mesh, 2, exact_field);
  std::vector<int> held = coordinates_of(structure.mesh.groups.at("x-min"), 2);
  const std::vector<int> end = coordinates_of(structure.mesh.groups.at("x-max"), 2);
  held.insert(held.end(), end.begin(), end.end());
  const VecX u = solve_inside(structure, exact, held);
  return (u - exact).norm() / exact.norm();
}

TEST(Bending, ErrorOfDisplacementFallsWithTheSquareOfTheElementSize) {
  for (const Formulation formulation : {Formulation::kStandard, Formulation::kIncompatibleModes}) {
    const double coarse = bending_error(8, formulation), middle = bending_error(16, formulation),
                 fine = bending_error(32, formulation);
    std::printf("relative error 8, 16, 32 elements: %.3e %.3e %.3e, orders %.3f %.3f\n", coarse,
                middle, fine, std::log2(coarse / middle), std::log2(middle / fine));
    EXPECT_NEAR(std::log2(middle / fine), 2.0, 0.15);
  }
}

// Tip of a slender cantilever under a force across, as a part of Timoshenko's deflection
// P L^3 / (3 EI) + P L / (5/6 G A); elements as long as 1.25 heights, one across the height.
double deflection_share(Formulation formulation) {
  const double L = 1.0, D = 0.1, P = 1e3;
  const Structure structure = structure_of(rectangle(L, D, {8, 1}, Cell::kQuad4),
                                           {Continuum::kPlaneStress, formulation, 1.0});
  const MatX K = MatX(assemble_stiffness(structure));
  const std::vector<int> held = coordinates_of(structure.mesh.groups.at("x-min"), 2);
  const std::vector<int> free = others(held, K.rows());
  VecX f = VecX::Zero(K.rows());
  const std::vector<int>& end = structure.mesh.groups.at("x-max");
  for (const int node : end) f[2 * node + 1] = P / static_cast<double>(end.size());
  VecX u = VecX::Zero(K.rows());
  u(free) = VecX(MatX(K(free, free)).ldlt().solve(VecX(f(free))));
  const double EI = kSteel.young * D * D * D / 12.0;
  const double shear = kSteel.young / (2.0 * (1.0 + kSteel.poisson));
  const double exact = P * L * L * L / (3.0 * EI) + P * L / (5.0 / 6.0 * shear * D);
  return u[2 * end.front() + 1] / exact;
}

TEST(Bending, IncompatibleModesDoNotLock) {
  const double with = deflection_share(Formulation::kIncompatibleModes);
  const double without = deflection_share(Formulation::kStandard);
  std::printf("tip deflection by Timoshenko's: %.4f with incompatible modes, %.4f without\n", with,
              without);
  EXPECT_NEAR(with, 1.0, 0.01);
  EXPECT_LT(without, 0.75);  // the error that the remedy is for
}

// A rod without contraction across: its longitudinal waves are those of a chain of linear elements.
//   consistent: omega^2 = 6 c^2/h^2 (1 - cos kh) / (2 + cos kh), lumped: 2 c^2/h^2 (1 - cos kh)
TEST(Rod, LongitudinalModesAreThoseOfTheDiscreteRodAndApproachTheWaveSpeed) {
  const Medium medium{210e9, 0.0, 7850.0};
  const double L = 2.0, c = std::sqrt(medium.young / medium.density);
  double error_before = 0.0;
  for (const int elements : {10, 20, 40}) {
    const double h = L / elements;
    for (const MassMatrix kind : {MassMatrix::kConsistent, MassMatrix::kLumped}) {
      Structure structure = structure_of(block({L, 0.1, 0.1}, {elements, 1, 1}), {}, medium);
      structure.mass = kind;
      const SparseMatrix K = assemble_stiffness(structure);
      const SparseMatrix M = spread_over_components(assemble_mass(structure), 3);
      for (const int mode : {1, 2, 3}) {
        const double k = (2 * mode - 1) * kPi / (2.0 * L), cosine = std::cos(k * h);
        const double square = kind == MassMatrix::kConsistent
                                  ? 6.0 * (1.0 - cosine) / (2.0 + cosine)
                                  : 2.0 * (1.0 - cosine);
        const double omega2 = c * c / (h * h) * square;
        const VecX v = nodal(structure.mesh, 3,
                             [&](const Vec3& x) { return Vec3(std::sin(k * x.x()), 0.0, 0.0); });
        VecX residual = K * v - omega2 * (M * v);
        for (const int i : coordinates_of(structure.mesh.groups.at("x-min"), 3)) residual[i] = 0.0;
        EXPECT_LT(residual.norm(), 1e-10 * (K * v).norm());
        if (mode != 1 || kind == MassMatrix::kLumped) continue;
        const double error = std::sqrt(omega2) / (k * c) - 1.0;
        EXPECT_NEAR(error, k * k * h * h / 24.0, 1e-3 * error);  // too fast by (kh)^2/24
        if (error_before > 0.0) {
          EXPECT_NEAR(error_before / error, 4.0, 0.01);
        }
        error_before = error;
      }
    }
  }
}

// The lowest frequencies with one face held, rad/s.
VecX cantilever_frequencies(Structure structure, int count) {
  const SparseMatrix K = assemble_stiffness(structure);
  const SparseMatrix M = spread_over_components(assemble_mass(structure), 3);
  const std::vector<int> held = coordinates_of(structure.mesh.groups.at("x-min"), 3);
  const std::vector<int> free = others(held, K.rows());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < free.size(); ++j) {
    entries.emplace_back(free[j], static_cast<int>(j), 1.0);
  }
  SparseMatrix P(K.rows(), static_cast<Eigen::Index>(free.size()));
  P.setFromTriplets(entries.begin(), entries.end());
  const flexible::LowestModes modes =
      lowest_modes(P.transpose() * M * P, P.transpose() * K * P, count);
  return modes.eigenvalues.cwiseSqrt();
}

flexible::FiniteElementBeam timoshenko_beam(double length, double width, double height,
                                            const Medium& medium) {
  flexible::FiniteElementBeam spec;
  spec.beam = flexible::uniform_beam(
      length, flexible::isotropic(medium.young, medium.poisson, medium.density),
      flexible::Rectangle{width, height});
  spec.elements = 20;
  spec.theory = flexible::Theory::kTimoshenko;
  spec.motions = {flexible::FiniteElementMotion::kBendingY,
                  flexible::FiniteElementMotion::kBendingZ};
  spec.reduction = flexible::ModalReduction{6};
  return spec;
}

// Ratios of the first four frequencies to those of the beam.
VecX by_timoshenko(Cell cell, const std::array<int, 3>& counts, const Medium& medium) {
  const double L = 1.0, b = 0.04, h = 0.06;
  const VecX beam = flexible::clamped_frequencies(
      flexible::finite_element_body(timoshenko_beam(L, b, h, medium)));
  const VecX solid =
      cantilever_frequencies(structure_of(block({L, b, h}, counts, cell), {}, medium), 4);
  const VecX ratio = solid.cwiseQuotient(beam.head(4));
  std::printf("%s, nu = %.1f: %.3f rad/s, by Timoshenko %.5f %.5f %.5f %.5f\n",
              std::string(name(cell)).c_str(), medium.poisson, solid[0], ratio[0], ratio[1],
              ratio[2], ratio[3]);
  return ratio;
}

// Without contraction across, the clamped face of a solid is that of the beam.
TEST(Cantilever, FrequenciesAreThoseOfTimoshenkosBeam) {
  const Medium medium{210e9, 0.0, 7850.0};
  const VecX coarse = by_timoshenko(Cell::kHex8, {20, 1, 1}, medium);
  const VecX fine = by_timoshenko(Cell::kHex8, {40, 2, 2}, medium);
  const VecX tets = by_timoshenko(Cell::kTet10, {16, 1, 1}, medium);
  for (int k = 0; k < 4; ++k) {
    // The first two bend along width and height; the next two have a third of their wave length,
    // and the error of the mesh grows as the square of that.
    const double most = k < 2 ? 0.001 : 0.005;
    EXPECT_NEAR(fine[k], 1.0, most) << k;
    EXPECT_NEAR(tets[k], 1.0, most) << k;
    if (k >= 2) {
      EXPECT_GT((coarse[k] - 1.0) / (fine[k] - 1.0), 2.0) << k;
    }
  }
  // 1.8751^2 sqrt(EI/(rho A)) / L^2 of Euler and Bernoulli, bending along the width; shear and
  // rotary inertia take 0.2 %.
  const double euler = 3.516015269 * std::sqrt(210e9 / 7850.0 / 12.0) * 0.04;
  const VecX beam = flexible::clamped_frequencies(
      flexible::finite_element_body(timoshenko_beam(1.0, 0.04, 0.06, medium)));
  EXPECT_NEAR(fine[0] * beam[0] / euler, 1.0, 0.004);
}

// With contraction the clamped face hinders it, and the solid is stiffer than any beam.
TEST(Cantilever, HinderedContractionAtTheRootStiffens) {
  const VecX fine = by_timoshenko(Cell::kHex8, {40, 2, 2}, kSteel);
  EXPECT_GT(fine[0], 1.001);
  EXPECT_LT(fine[0], 1.008);
}

// A square section has every bending mode twice; Lanczos must not lose one.
TEST(SparseModes, FindsEqualFrequenciesAndAgreesWithTheDenseSolver) {
  const Structure structure = structure_of(block({1.0, 0.05, 0.05}, {12, 2, 2}));
  const VecX omega = cantilever_frequencies(structure, 9);
  EXPECT_NEAR(omega[1] / omega[0], 1.0, 1e-9);
  EXPECT_NEAR(omega[3] / omega[2], 1.0, 1e-9);
  const SparseMatrix K = assemble_stiffness(structure);
  const SparseMatrix M = spread_over_components(assemble_mass(structure), 3);
  const flexible::LowestModes sparse = lowest_modes(M, K, 10, 1e6);
  const flexible::LowestModes dense = flexible::lowest_modes(MatX(M), MatX(K), 10);
  for (int k = 0; k < 6; ++k) EXPECT_LT(std::abs(sparse.eigenvalues[k]), 1e-3) << "rigid";
  for (int k = 6; k < 10; ++k) {
    EXPECT_NEAR(sparse.eigenvalues[k] / dense.eigenvalues[k], 1.0, 1e-8);
  }
}

// The stiffness of free nodes, those of a group being held.
SparseMatrix held_stiffness(const Structure& structure, const std::string& held_group) {
  const MatX K = MatX(assemble_stiffness(structure));
  const std::vector<int> free =
      others(coordinates_of(structure.mesh.groups.at(held_group), 3), K.rows());
  return MatX(K(free, free)).sparseView();
}

TEST(Factor, RefusesMotionWithoutStrainAndTakesSlenderBars) {
  Structure wire = structure_of(block({10.0, 0.02, 0.02}, {60, 1, 1}));
  EXPECT_NO_THROW(Factor(held_stiffness(wire, "x-min"), "wire", "loose"));
  wire.mesh.groups["edge"] = {0, 61};  // two nodes: it turns about them
  EXPECT_THROW(Factor(held_stiffness(wire, "edge"), "wire", "loose"), Error);
  wire.mesh.groups["none"] = {};
  EXPECT_THROW(Factor(held_stiffness(wire, "none"), "wire", "loose"), Error);
  Structure body = structure_of(block({1.0, 0.3, 0.2}, {5, 2, 2}));
  body.mesh.groups["line"] = {0, 1, 2, 3, 4, 5};
  EXPECT_THROW(Factor(held_stiffness(body, "line"), "body", "loose"), Error);
  EXPECT_NO_THROW(Factor(held_stiffness(body, "x-min"), "body", "loose"));
}

}  // namespace
}  // namespace grapple::fem::test
