// Tapered, Rayleigh and Timoshenko beams, and the user's own polynomials.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "flexible/beam_support.h"

namespace grapple::flexible::test {
namespace {

using spatial::VecX;

constexpr std::array kBoundaries{Boundary::kClampedFree, Boundary::kPinnedFree, Boundary::kFreeFree,
                                 Boundary::kClampedClamped, Boundary::kClampedWithTipBody};

ModalBeamSpec everything(Boundary boundary, int modes) {
  ModalBeamSpec spec = plain_spec(boundary);
  spec.bending_y = spec.bending_z = spec.torsion = spec.axial = modes;
  if (boundary == Boundary::kClampedWithTipBody) {
    spec.tip_body = {2.0, {0.3, 0.0, 0.0}, spatial::Vec3(0.2, 0.3, 0.25).asDiagonal()};
  }
  return spec;
}

TEST(BeamTheory, RitzModesOfAUniformBeamAreTheExactOnes) {
  for (Boundary boundary : kBoundaries) {
    ModalBeamSpec spec = everything(boundary, 10);
    const FlexibleBody exact = make_modal_beam(spec);
    spec.beam.uniformity = Uniformity::kVarying;  // the section is the same, the method is not
    const FlexibleBody ritz = make_modal_beam(spec);
    // The tenth eigenvalue is 1e5 times the first: 1e5 round-offs.
    EXPECT_LT((ritz.stiffness - exact.stiffness).norm(), 1e-9 * exact.stiffness.norm());
    EXPECT_LT((ritz.E - exact.E).norm(), 1e-10 * exact.E.norm());
    const FrameShape &a = frame(exact, "tip"), &b = frame(ritz, "tip");
    EXPECT_LT((a.phi - b.phi).norm() + (a.psi - b.psi).norm(),
              1e-8 * (1.0 + a.phi.norm() + a.psi.norm()));
  }
}

// omega sqrt(mu_0 L^4 / EI_0) of a beam that tapers to a point.
VecX pointed(const CrossSection& root, const CrossSection& tip) {
  const BeamMaterial steel = isotropic(2.1e11, 0.3, 7800.0);
  ModalBeamSpec spec;
  spec.beam = linear_taper(1.7, steel, root, tip);
  spec.bending_y = 3;
  const BeamSection s = section_of(steel, root);
  return clamped_frequencies(make_modal_beam(spec)) /
         std::sqrt(s.bending_stiffness_y / (s.mass_per_length * std::pow(1.7, 4)));
}

TEST(BeamTheory, WedgeAndConeOfKirchhoff) {
  const VecX wedge = pointed(Rectangle{0.02, 0.05}, Rectangle{0.0, 0.05});
  EXPECT_NEAR(wedge[0], 5.315, 5e-4);  // printed digits
  EXPECT_NEAR(wedge[1], 15.207, 5e-4);
  EXPECT_NEAR(wedge[2], 30.020, 5e-4);
  const VecX cone = pointed(RoundBar{0.02}, RoundBar{0.0});
  EXPECT_NEAR(cone[0], 8.719, 5e-4);
  EXPECT_NEAR(cone[1], 21.146, 5e-4);
  EXPECT_NEAR(cone[2], 38.453, 1.5e-3);
}

TEST(BeamTheory, ConicalShaftInTorsion) {
  // GJ and inertia as (1 - a x)^4: u = (1 - a x)^2 phi obeys u'' + (k^2 - 2 a^2 / (1 - a x)^2) u =
  // 0. Checked by shooting with a small step instead of Bessel functions.
  const double a = 0.3, L = 2.0;
  ModalBeamSpec spec;
  spec.beam = varying_beam(L, [a](double x) {
    BeamSection s = plain_section();
    const double t = std::pow(1.0 - a * x, 4);
    s.torsion_stiffness *= t;
    s.rotary_inertia_x *= t;
    return s;
  });
  spec.torsion = 3;
  const VecX omega = clamped_frequencies(make_modal_beam(spec));
  const double speed2 = 450.0 / 0.004;
  const auto end_torque = [&](double w) {  // phi' = q / t, q' = -w^2 / c^2 t phi; RK4
    double phi = 0.0, q = 1.0;
    const int steps = 4000;
    const double h = L / steps;
    const auto rate = [&](double x, double p, double torque) {
      const double t = std::pow(1.0 - a * x, 4);
      return std::pair(torque / t, -w * w / speed2 * t * p);
    };
    for (int i = 0; i < steps; ++i) {
      const double x = i * h;
      const auto [a1, b1] = rate(x, phi, q);
      const auto [a2, b2] = rate(x + h / 2, phi + h / 2 * a1, q + h / 2 * b1);
      const auto [a3, b3] = rate(x + h / 2, phi + h / 2 * a2, q + h / 2 * b2);
      const auto [a4, b4] = rate(x + h, phi + h * a3, q + h * b3);
      phi += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      q += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    return q;
  };
  for (double w : omega) {
    EXPECT_LT(end_torque(w * (1 - 1e-9)) * end_torque(w * (1 + 1e-9)), 0.0);
  }
}

// Transfer of (w, w', M, V) along a uniform piece.
Eigen::Matrix4d transfer(double length, double EI, double mu, double omega) {
  const double b = std::sqrt(omega * std::sqrt(mu / EI)), x = b * length;
  const double c0 = (std::cosh(x) + std::cos(x)) / 2, c1 = (std::sinh(x) + std::sin(x)) / 2;
  const double c2 = (std::cosh(x) - std::cos(x)) / 2, c3 = (std::sinh(x) - std::sin(x)) / 2;
  Eigen::Matrix4d T;
  T << c0, c1 / b, c2 / (EI * b * b), c3 / (EI * b * b * b),  //
      b * c3, c0, c1 / (EI * b), c2 / (EI * b * b),           //
      EI * b * b * c2, EI * b * c3, c0, c1 / b,               //
      EI * b * b * b * c1, EI * b * b * c2, b * c3, c0;
  return T;
}

TEST(BeamTheory, SteppedBeamsMeetTheTransferMatrix) {
  const double step = 0.37, EI2 = 0.08, mu2 = 0.3;
  ModalBeamSpec spec;
  spec.beam = varying_beam(1.0,
                           [=](double x) {
                             BeamSection s;
                             s.mass_per_length = x < step ? 1.0 : mu2;
                             s.bending_stiffness_y = x < step ? 1.0 : EI2;
                             return s;
                           },
                           {step});
  spec.bending_y = 5;
  const auto condition = [=](double omega, Boundary boundary) {
    const Eigen::Matrix4d T = transfer(1.0 - step, EI2, mu2, omega) * transfer(step, 1, 1, omega);
    return boundary == Boundary::kClampedFree ? T.bottomRightCorner<2, 2>().determinant()
                                              : T.topRightCorner<2, 2>().determinant();
  };
  for (Boundary boundary : {Boundary::kClampedFree, Boundary::kClampedClamped}) {
    spec.boundary = boundary;
    const VecX omega = clamped_frequencies(make_modal_beam(spec));
    for (double w : omega) {
      EXPECT_LT(condition(w * (1 - 1e-9), boundary) * condition(w * (1 + 1e-9), boundary), 0.0);
    }
    int changes = 0;  // and no root is missed
    for (double w = 0.01; w < omega[4] + 0.05; w += 0.01) {
      changes += condition(w, boundary) * condition(w + 0.01, boundary) < 0.0 ? 1 : 0;
    }
    EXPECT_EQ(changes, 5);
  }
}

// Timoshenko's clamped-free determinant below the cut-off frequency; EI = mu = L = 1.
double timoshenko_determinant(double omega, double rotary, double shear) {
  const double w2 = omega * omega, a = w2 / shear;
  const double p = a + rotary * w2, q = w2 - rotary * w2 * a;
  const double root = std::sqrt(p * p / 4 + q);
  const double alpha = std::sqrt(root - p / 2), b = std::sqrt(root + p / 2);
  const double h = (alpha * alpha + a) / alpha, g = (a - b * b) / b;
  const double ch = std::cosh(alpha), sh = std::sinh(alpha), c = std::cos(b), s = std::sin(b);
  Eigen::Matrix4d rows;                                               // on cosh, sinh, cos, sin
  rows << 1, 0, 1, 0,                                                 // w(0)
      0, h, 0, -g,                                                    // theta(0)
      h * alpha * ch, h * alpha * sh, g * b * c, g * b * s,           // theta'(1)
      (alpha - h) * sh, (alpha - h) * ch, -(b + g) * s, (b + g) * c;  // w'(1) - theta(1)
  return rows.determinant() / (ch * ch);
}

ModalBeamSpec timoshenko_spec(double rotary, double shear, Boundary boundary) {
  ModalBeamSpec spec;
  BeamSection s;
  s.mass_per_length = s.bending_stiffness_y = s.bending_stiffness_z = 1.0;
  s.rotary_inertia_y = s.rotary_inertia_z = rotary;
  s.shear_stiffness_y = s.shear_stiffness_z = shear;
  spec.beam = uniform_beam(1.0, s);
  spec.theory = Theory::kTimoshenko;
  spec.boundary = boundary;
  return spec;
}

TEST(BeamTheory, TimoshenkoCantileverFulfilsItsFrequencyEquation) {
  for (double thickness : {0.2, 0.05, 0.01}) {  // radius of gyration / length
    const double rotary = thickness * thickness, shear = 1.0 / (3.12 * rotary);
    ModalBeamSpec spec = timoshenko_spec(rotary, shear, Boundary::kClampedFree);
    spec.bending_y = 4;
    const double cut_off = std::sqrt(shear / rotary);
    int checked = 0;
    for (double w : clamped_frequencies(make_modal_beam(spec))) {
      if (w > 0.95 * cut_off) continue;
      EXPECT_LT(timoshenko_determinant(w * (1 - 1e-9), rotary, shear) *
                    timoshenko_determinant(w * (1 + 1e-9), rotary, shear),
                0.0)
          << thickness << " " << w;
      ++checked;
    }
    EXPECT_GE(checked, thickness > 0.1 ? 2 : 4);
  }
}

TEST(BeamTheory, TimoshenkoFallsBelowEulerBernoulliAndMeetsItWhenSlender) {
  for (Boundary boundary : kBoundaries) {
    double previous = 1.0;
    for (double thickness : {0.012, 0.006, 0.003}) {
      const double rotary = thickness * thickness;
      ModalBeamSpec spec = timoshenko_spec(rotary, 1.0 / (3.0 * rotary), boundary);
      spec.bending_y = 3;
      if (boundary == Boundary::kClampedWithTipBody) {
        spec.tip_body = {0.5, {0.1, 0, 0}, spatial::Vec3(0.02, 0.02, 0.02).asDiagonal()};
      }
      const double shear_flexible = clamped_frequencies(make_modal_beam(spec))[1];
      spec.theory = Theory::kRayleigh;
      const double rayleigh = clamped_frequencies(make_modal_beam(spec))[1];
      spec.theory = Theory::kEulerBernoulli;
      const double slender = clamped_frequencies(make_modal_beam(spec))[1];
      EXPECT_LT(shear_flexible, rayleigh);
      EXPECT_LT(rayleigh, slender);
      const double drop = 1.0 - shear_flexible / slender;
      if (previous < 1.0) {
        EXPECT_NEAR(previous / drop, 4.0, 0.4);  // second order in the thickness
      }
      previous = drop;
    }
  }
}

TEST(BeamTheory, TimoshenkoModesAreOrthogonalWithRotaryInertia) {
  for (Boundary boundary : kBoundaries) {
    ModalBeamSpec spec = timoshenko_spec(1e-3, 120.0, boundary);
    spec.bending_y = 6;
    spec.bending_z = 3;
    const FlexibleBody body = make_modal_beam(spec);
    EXPECT_LT(coupling(body.E), 1e-10);  // sixth mode of the eigenproblem
    EXPECT_LT(coupling(body.stiffness), 1e-8);
    EXPECT_EQ(unusable(body), "");
  }
}

TEST(BeamTheory, TimoshenkoStaticTipDeflectionIncludesShear) {
  ModalBeamSpec spec = timoshenko_spec(1e-2, 25.0, Boundary::kClampedFree);
  spec.bending_z = 40;
  const FlexibleBody body = make_modal_beam(spec);
  const VecX shape = frame(body, "tip").phi.row(2).transpose();
  const double compliance = shape.dot(body.stiffness.ldlt().solve(shape));
  // L^3 / 3 EI + L / kGA; the shear series of tip values converges as 1/n.
  EXPECT_NEAR(compliance, 1.0 / 3.0 + 1.0 / 25.0, 1e-3);
}

TEST(BeamTheory, PolynomialsSpanTheirOwnNaturalModes) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.polynomials.bending_y = {{0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
  const FlexibleBody body = make_modal_beam(spec);
  EXPECT_EQ(body.modes, 4);
  const VecX roots = beta_L(clamped_frequencies(body), 700.0, 3.0, kLength);
  EXPECT_NEAR(roots[0], 1.87510407, 2e-6);  // Ritz from above with four powers
  EXPECT_GE(roots[0], 1.87510406);
  EXPECT_NEAR(roots[1], 4.69409113, 2e-2);
  EXPECT_LT(coupling(body.stiffness), 1e-10);
}

TEST(BeamTheory, PolynomialsAsGivenKeepTheirMeaning) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.polynomials.bending_z = {{0, 0, 1}};
  spec.polynomials.torsion = {{0, 1}};
  spec.polynomials.use = PolynomialUse::kAsGiven;
  const FlexibleBody body = make_modal_beam(spec);
  const FrameShape& tip = frame(body, "tip");
  EXPECT_NEAR(tip.phi(2, 0), 1.0, 1e-14);
  EXPECT_NEAR(tip.psi(1, 0), -2.0 / kLength, 1e-14);
  EXPECT_NEAR(tip.psi(0, 1), 1.0, 1e-14);
  EXPECT_NEAR(body.stiffness(0, 0), 4.0 * 1900.0 / std::pow(kLength, 3), 1e-9);
  EXPECT_NEAR(body.stiffness(1, 1), 450.0 / kLength, 1e-10);
  EXPECT_NEAR(body.E(0, 0), 3.0 * kLength / 5.0, 1e-12);
  EXPECT_NEAR(tip.H[0](0, 0), -4.0 / (3.0 * kLength), 1e-13);
}

}  // namespace
}  // namespace grapple::flexible::test
