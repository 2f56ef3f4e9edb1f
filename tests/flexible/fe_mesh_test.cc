#include "grapple/flexible/fe_mesh.h"

#include "flexible/fe_support.h"

namespace grapple::flexible {
namespace {

using spatial::MatX;
using spatial::VecX;

constexpr double kLength = 0.8;

MatX hermite_mass(double m, double l) {
  MatX M(4, 4);
  M << 156, 22 * l, 54, -13 * l, 22 * l, 4 * l * l, 13 * l, -3 * l * l, 54, 13 * l, 156, -22 * l,
      -13 * l, -3 * l * l, -22 * l, 4 * l * l;
  return m / 420.0 * M;
}

MatX hermite_stiffness(double EI, double l) {
  MatX K(4, 4);
  K << 12, 6 * l, -12, 6 * l, 6 * l, 4 * l * l, -6 * l, 2 * l * l, -12, -6 * l, 12, -6 * l, 6 * l,
      2 * l * l, -6 * l, 4 * l * l;
  return EI / (l * l * l) * K;
}

MatX linear_mass(double total) { return total * MatX{{1.0 / 3, 1.0 / 6}, {1.0 / 6, 1.0 / 3}}; }
MatX linear_stiffness(double k) { return k * MatX{{1, -1}, {-1, 1}}; }

double relative_error(const MatX& found, const MatX& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

struct Element {
  MatX M, K;
};

Element element_of(FiniteElementMotion motion) {
  const Beam beam = uniform_beam(kLength, plain_section());
  const BeamMesh mesh({0.0, kLength}, {motion}, FiniteElementRoot::kFree);
  return {mass_matrix(mesh, slices(mesh, beam, Theory::kRayleigh)), stiffness_matrix(mesh, beam)};
}

// Gauss quadrature of polynomials is exact: only round-off is left.
constexpr double kRoundOff = 1e-14;

TEST(FiniteElement, BendingMatricesAreTheClosedForms) {
  const BeamSection s = plain_section();
  const double m = s.mass_per_length * kLength;
  for (const auto& [motion, EI] :
       {std::pair{FiniteElementMotion::kBendingY, s.bending_stiffness_y},
        std::pair{FiniteElementMotion::kBendingZ, s.bending_stiffness_z}}) {
    const Element e = element_of(motion);
    EXPECT_LT(relative_error(e.M, hermite_mass(m, kLength)), kRoundOff);
    EXPECT_LT(relative_error(e.K, hermite_stiffness(EI, kLength)), kRoundOff);
  }
}

TEST(FiniteElement, TorsionAndAxialMatricesAreTheClosedForms) {
  const BeamSection s = plain_section();
  const Element torsion = element_of(FiniteElementMotion::kTorsion);
  EXPECT_LT(relative_error(torsion.M, linear_mass(s.rotary_inertia_x * kLength)), kRoundOff);
  EXPECT_LT(relative_error(torsion.K, linear_stiffness(s.torsion_stiffness / kLength)), kRoundOff);
  const Element axial = element_of(FiniteElementMotion::kAxial);
  EXPECT_LT(relative_error(axial.M, linear_mass(s.mass_per_length * kLength)), kRoundOff);
  EXPECT_LT(relative_error(axial.K, linear_stiffness(s.axial_stiffness / kLength)), kRoundOff);
}

TEST(FiniteElement, RotaryInertiaIsTheClosedForm) {
  BeamSection section = plain_section();
  section.rotary_inertia_z = 0.03;
  const Beam beam = uniform_beam(kLength, section);
  const BeamMesh mesh({0.0, kLength}, {FiniteElementMotion::kBendingY}, FiniteElementRoot::kFree);
  const double l = kLength;
  MatX rotary(4, 4);  // int of products of slopes
  rotary << 36, 3 * l, -36, 3 * l, 3 * l, 4 * l * l, -3 * l, -l * l, -36, -3 * l, 36, -3 * l, 3 * l,
      -l * l, -3 * l, 4 * l * l;
  const MatX expected =
      hermite_mass(section.mass_per_length * l, l) + section.rotary_inertia_z / (30.0 * l) * rotary;
  EXPECT_LT(relative_error(mass_matrix(mesh, slices(mesh, beam, Theory::kRayleigh)), expected),
            kRoundOff);
}

TEST(FiniteElement, FirstMomentsOfTheShapesAreTheClosedForms) {
  const Beam beam = uniform_beam(kLength, plain_section());
  const BeamMesh mesh({0.0, kLength}, {FiniteElementMotion::kBendingY}, FiniteElementRoot::kFree);
  const double m = plain_section().mass_per_length * kLength, l = kLength;
  VecX p = VecX::Zero(4), J = VecX::Zero(4);
  for (const BeamPiece& piece : slices(mesh, beam, Theory::kRayleigh)) {
    p += piece.body.mass * piece.field.phi.row(1).transpose();
    J += piece.body.mass * (piece.x - l / 2) * piece.field.phi.row(1).transpose();
  }
  const VecX p_exact = m * VecX{{0.5, l / 12, 0.5, -l / 12}};
  const VecX J_exact = m * l / 10 * VecX{{-1, -l / 12, 1, -l / 12}};
  EXPECT_LT(relative_error(p, p_exact), kRoundOff);
  EXPECT_LT(relative_error(J, J_exact), kRoundOff);
}

TEST(FiniteElement, NodesAreNumberedInKingsOrderFromTheFirstFreeNode) {
  const std::vector<FiniteElementMotion> motions = {FiniteElementMotion::kBendingY,
                                                    FiniteElementMotion::kBendingZ,
                                                    FiniteElementMotion::kTorsion};
  const BeamMesh clamped({0.0, 1.0, 2.0}, motions, FiniteElementRoot::kClamped);
  EXPECT_EQ(clamped.names(),
            (std::vector<std::string>{"node1_uy", "node1_uz", "node1_slope_y", "node1_slope_z",
                                      "node1_twist", "node2_uy", "node2_uz", "node2_slope_y",
                                      "node2_slope_z", "node2_twist"}));
  const BeamMesh pinned({0.0, 1.0}, motions, FiniteElementRoot::kPinned);
  EXPECT_EQ(pinned.names().front(), "node0_slope_y");
  EXPECT_EQ(pinned.coordinates_of_node(0).size(), 2U);
}

// A circle of curvature c shortens the projection by c^2 x^3 / 6.
TEST(FiniteElement, ShorteningOfConstantCurvatureIsExact) {
  const BeamMesh mesh({0.0, 0.3, 1.0, 1.4}, {FiniteElementMotion::kBendingY},
                      FiniteElementRoot::kClamped);
  MatX parabola(mesh.coordinates(), 1);
  for (int node = 1; node <= mesh.elements(); ++node) {
    const double x = mesh.points()[static_cast<std::size_t>(node)];
    parabola(2 * (node - 1), 0) = x * x / 2;
    parabola(2 * (node - 1) + 1, 0) = x;
  }
  const Beam beam = uniform_beam(1.4, BeamSection{});
  const SecondOrderShapes shapes(mesh, beam, parabola);
  for (const double x : {0.1, 0.3, 0.77, 1.4}) {
    EXPECT_NEAR(shapes.at(x).position[0](0, 0) / 2, -x * x * x / 6, 1e-15);
  }
}

}  // namespace
}  // namespace grapple::flexible
