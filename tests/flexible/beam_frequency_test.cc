// Natural frequencies of modal beams, sqrt(eig(E^-1 K)), against closed forms.
#include <gtest/gtest.h>

#include <numbers>

#include "flexible/beam_support.h"

namespace grapple::flexible::test {
namespace {

using spatial::MatX;
using spatial::VecX;
constexpr double kPi = std::numbers::pi;

VecX bending_roots(Boundary boundary, int modes, const TipBody& tip = {}) {
  ModalBeamSpec spec = plain_spec(boundary);
  spec.bending_y = modes;
  spec.tip_body = tip;
  const BeamSection s = plain_section();
  return beta_L(clamped_frequencies(make_modal_beam(spec)), s.bending_stiffness_y,
                s.mass_per_length, kLength);
}

void expect_roots(const VecX& found, const std::vector<double>& published) {
  for (std::size_t k = 0; k < published.size(); ++k) {
    // Half a unit of the eighth printed decimal, doubled.
    EXPECT_NEAR(found[static_cast<Eigen::Index>(k)], published[k], 1e-8) << "mode " << k + 1;
  }
}

TEST(BeamFrequency, ClampedFreeRoots) {
  expect_roots(bending_roots(Boundary::kClampedFree, 4),
               {1.87510407, 4.69409113, 7.85475744, 10.99554073});
}

TEST(BeamFrequency, FreeFreeRoots) {
  expect_roots(bending_roots(Boundary::kFreeFree, 3), {4.73004074, 7.85320462, 10.99560784});
}

TEST(BeamFrequency, PinnedFreeRoots) {
  expect_roots(bending_roots(Boundary::kPinnedFree, 3), {3.92660231, 7.06858275, 10.21017612});
}

TEST(BeamFrequency, ClampedClampedRoots) {
  expect_roots(bending_roots(Boundary::kClampedClamped, 2), {4.73004074, 7.85320462});
}

TEST(BeamFrequency, TwentyModesOfEveryBoundaryReachTheirLimit) {
  // The hyperbolic terms are exp(-60) there: roots are odd multiples of a quarter or half wave.
  const std::vector<std::pair<Boundary, double>> cases{{Boundary::kClampedFree, 19.5},
                                                       {Boundary::kPinnedFree, 20.25},
                                                       {Boundary::kFreeFree, 20.5},
                                                       {Boundary::kClampedClamped, 20.5}};
  for (const auto& [boundary, half_waves] : cases) {
    const VecX roots = bending_roots(boundary, 20);
    EXPECT_NEAR(roots[19] / (half_waves * kPi), 1.0, 1e-11);  // eigenvalue solver, cond(K) 1e6
    EXPECT_EQ(roots.size(), 20);
  }
}

TEST(BeamFrequency, EveryPlaneUsesItsOwnStiffness) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.bending_y = spec.bending_z = 1;
  const FlexibleBody body = make_modal_beam(spec);
  const double mass = 3.0 * kLength, l4 = std::pow(1.8751040687119611, 4);
  const double cube = std::pow(kLength, 3);
  EXPECT_NEAR(body.E(0, 0), mass, 1e-12 * mass);
  EXPECT_NEAR(body.stiffness(0, 0), 700.0 * l4 / cube, 1e-12 * body.stiffness(0, 0));
  EXPECT_NEAR(body.stiffness(1, 1), 1900.0 * l4 / cube, 1e-12 * body.stiffness(1, 1));
  EXPECT_EQ(body.mode_names, (std::vector<std::string>{"bending_y_1", "bending_z_1"}));
}

TEST(BeamFrequency, TipMassEqualToTheBeams) {
  TipBody tip;
  tip.mass = 3.0 * kLength;
  const VecX roots = bending_roots(Boundary::kClampedWithTipBody, 4, tip);
  EXPECT_NEAR(roots[0], 1.24792, 5e-6);  // printed digits
  EXPECT_NEAR(roots[1], 4.03114, 5e-6);
  EXPECT_NEAR(roots[2], 7.13413, 5e-6);
  for (double x : roots) {  // 1 + cos cosh + x (cos sinh - sin cosh) = 0, divided by cosh
    EXPECT_NEAR(1.0 / std::cosh(x) + std::cos(x) + x * (std::cos(x) * std::tanh(x) - std::sin(x)),
                0.0, 1e-10 * (1.0 + x));
  }
}

// A body with offset and inertia in one plane: the classical determinant, written independently
// with cosh and sinh. w = a (cosh - cos) + b (sinh - sin).
double tip_determinant(double x, double m, double s, double j) {
  const double C = std::cosh(x) - std::cos(x), S = std::sinh(x) - std::sin(x);
  const double C1 = std::sinh(x) + std::sin(x), S1 = C;
  const double C2 = std::cosh(x) + std::cos(x), S2 = C1;
  const double C3 = std::sinh(x) - std::sin(x), S3 = C2;
  const auto moment = [&](double w, double w1, double w2) {
    return w2 - x * x * s * w - x * x * x * j * w1;
  };
  const auto force = [&](double w, double w1, double w3) {
    return w3 + x * m * w + x * x * s * w1;
  };
  return (moment(C, C1, C2) * force(S, S1, S3) - moment(S, S1, S2) * force(C, C1, C3)) /
         (std::cosh(x) * std::cosh(x));
}

TEST(BeamFrequency, TipBodyWithOffsetAndInertiaFulfilsTheDeterminant) {
  TipBody tip;
  tip.mass = 4.0;
  tip.com_B.x() = 0.6;
  tip.inertia_com_B = spatial::Vec3(0.5, 0.9, 0.7).asDiagonal();
  const VecX roots = bending_roots(Boundary::kClampedWithTipBody, 6, tip);
  const double beam = 3.0 * kLength;
  const double m = tip.mass / beam, s = tip.mass * 0.6 / (beam * kLength);
  const double j = (0.7 + tip.mass * 0.36) / (beam * kLength * kLength);
  for (double x : roots) {
    const double h = 1e-7 * x;  // the sign changes within 1e-7 of the root
    EXPECT_LT(tip_determinant(x - h, m, s, j) * tip_determinant(x + h, m, s, j), 0.0) << x;
  }
  // No root is missed: as many sign changes up to the sixth root as modes.
  int changes = 0;
  for (double x = 1e-2; x < roots[5] + 0.05; x += 1e-3) {
    changes += tip_determinant(x, m, s, j) * tip_determinant(x + 1e-3, m, s, j) < 0.0 ? 1 : 0;
  }
  EXPECT_EQ(changes, 6);
}

TEST(BeamFrequency, HeavyTipBodyOnAMasslessSpring) {
  TipBody tip;
  tip.mass = 1e5;
  const BeamSection s = plain_section();
  ModalBeamSpec spec = plain_spec(Boundary::kClampedWithTipBody);
  spec.bending_y = 2;
  spec.tip_body = tip;
  const double beam = s.mass_per_length * kLength;
  const double spring = 3.0 * s.bending_stiffness_y / std::pow(kLength, 3);
  const double expected = std::sqrt(spring / (tip.mass + 33.0 / 140.0 * beam));
  // Rayleigh's 33/140 is first order in the mass ratio 7.5e-5.
  EXPECT_NEAR(clamped_frequencies(make_modal_beam(spec))[0] / expected, 1.0, 1e-8);
}

TEST(BeamFrequency, TorsionAndAxialClosedForms) {
  const BeamSection s = plain_section();
  const double twist = std::sqrt(s.torsion_stiffness / s.rotary_inertia_x) / kLength;
  const double stretch = std::sqrt(s.axial_stiffness / s.mass_per_length) / kLength;
  const std::vector<std::pair<Boundary, double>> cases{{Boundary::kClampedFree, 0.5},
                                                       {Boundary::kPinnedFree, 0.5},
                                                       {Boundary::kFreeFree, 0.0},
                                                       {Boundary::kClampedClamped, 0.0}};
  for (const auto& [boundary, less] : cases) {
    ModalBeamSpec spec = plain_spec(boundary);
    spec.torsion = 20;
    const VecX torsion = clamped_frequencies(make_modal_beam(spec));
    spec.torsion = 0;
    spec.axial = 20;
    const VecX axial = clamped_frequencies(make_modal_beam(spec));
    for (int k = 0; k < 20; ++k) {
      const double root = (k + 1 - less) * kPi;
      EXPECT_NEAR(torsion[k] / (root * twist), 1.0, 1e-12);
      EXPECT_NEAR(axial[k] / (root * stretch), 1.0, 1e-12);
    }
  }
}

TEST(BeamFrequency, TorsionWithTipDiscFulfilsCotangentEquation) {
  const BeamSection s = plain_section();
  ModalBeamSpec spec = plain_spec(Boundary::kClampedWithTipBody);
  spec.torsion = 5;
  spec.tip_body.mass = 1.0;
  spec.tip_body.inertia_com_B = spatial::Vec3(0.02, 0.015, 0.015).asDiagonal();
  const double ratio = 0.02 / (s.rotary_inertia_x * kLength);
  const double unit = std::sqrt(s.torsion_stiffness / s.rotary_inertia_x) / kLength;
  const FlexibleBody body = make_modal_beam(spec);
  for (double omega : clamped_frequencies(body)) {
    const double x = omega / unit;
    EXPECT_NEAR(std::cos(x), ratio * x * std::sin(x), 1e-11);
  }
  EXPECT_LT(coupling(body.E), 1e-12);
}

TEST(BeamFrequency, MassAndStiffnessAreDiagonal) {
  for (Boundary boundary : {Boundary::kClampedFree, Boundary::kPinnedFree, Boundary::kFreeFree,
                            Boundary::kClampedClamped, Boundary::kClampedWithTipBody}) {
    ModalBeamSpec spec = plain_spec(boundary);
    spec.bending_y = spec.bending_z = spec.torsion = spec.axial = 8;
    if (boundary == Boundary::kClampedWithTipBody) {
      spec.tip_body = {2.0, {0.3, 0.0, 0.0}, spatial::Vec3(0.2, 0.3, 0.25).asDiagonal()};
    }
    const FlexibleBody body = make_modal_beam(spec);
    EXPECT_LT(coupling(body.E), 1e-12);
    EXPECT_LT(coupling(body.stiffness), 1e-12);
    EXPECT_EQ(unusable(body), "");
  }
}

TEST(BeamFrequency, AHundredModesStayFiniteAndDiagonal) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.stiffening = Stiffening::kOff;
  spec.bending_y = 100;
  const FlexibleBody body = make_modal_beam(spec);
  EXPECT_LT(coupling(body.E), 1e-12);
  EXPECT_LT(coupling(body.stiffness), 1e-12);
  EXPECT_NEAR(std::abs(frame(body, "tip").phi(1, 99)), 2.0, 1e-11);
}

TEST(BeamFrequency, FreeFreeModesCarryNoMomentum) {
  for (Theory theory : {Theory::kEulerBernoulli, Theory::kRayleigh}) {
    ModalBeamSpec spec = plain_spec(Boundary::kFreeFree);
    BeamSection s = plain_section();
    s.rotary_inertia_y = 0.03;
    s.rotary_inertia_z = 0.02;
    spec.beam = uniform_beam(kLength, s);
    spec.theory = theory;
    spec.bending_y = spec.bending_z = 5;
    spec.torsion = spec.axial = 2;
    const FlexibleBody body = make_modal_beam(spec);
    EXPECT_LT(body.C1.cwiseAbs().maxCoeff(), 1e-11 * body.mass);
    EXPECT_LT(body.N0.cwiseAbs().maxCoeff(), 1e-11 * body.mass * kLength);
  }
}

TEST(BeamFrequency, PinnedFreeModesCarryNoAngularMomentumAboutThePin) {
  ModalBeamSpec spec = plain_spec(Boundary::kPinnedFree);
  spec.bending_y = 5;
  const FlexibleBody body = make_modal_beam(spec);
  EXPECT_LT(body.N0.cwiseAbs().maxCoeff(), 1e-11 * body.mass * kLength);
  EXPECT_LT(frame(body, "root").phi.cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_GT(frame(body, "root").psi.row(2).minCoeff(), 1.0 / kLength);
}

}  // namespace
}  // namespace grapple::flexible::test
