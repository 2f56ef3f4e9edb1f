// Geometric stiffening of finite-element bodies: what steady spin about z makes of the stiffness,
//   K_eff = K - Omega^2/2 d2J_zz/deta2,
// against the rotating cantilever of the literature and against assumed modes.
#include <cmath>

#include "flexible/fe_support.h"
#include "grapple/flexible/reduction.h"

namespace grapple::flexible {
namespace {

using spatial::MatX;
using spatial::VecX;

// Unit beam: mass 1, length 1, EI 1, so that frequencies are dimensionless.
FiniteElementBeam unit_beam(FiniteElementMotion motion) {
  BeamSection section;
  section.mass_per_length = section.bending_stiffness_y = section.bending_stiffness_z = 1.0;
  FiniteElementBeam spec;
  spec.beam = uniform_beam(1.0, section);
  spec.elements = 12;
  spec.motions = {motion};
  return spec;
}

double first_frequency(const FlexibleBody& body, double spin) {
  MatX K = body.stiffness;
  for (int k = 0; k < body.modes; ++k) {
    for (int l = 0; l < body.modes; ++l) {
      K(k, l) -= 0.5 * spin * spin * body.J2[static_cast<std::size_t>(k * body.modes + l)](2, 2);
    }
  }
  return std::sqrt(lowest_modes(body.E, K, 1).eigenvalues[0]);
}

// Wright, Smith, Thresher and Wang, J. Appl. Mech. 49 (1982), flapping cantilever, no hub radius.
TEST(FiniteElementStiffening, RotatingCantileverHasThePublishedFlapFrequencies) {
  const FlexibleBody body = finite_element_body(unit_beam(FiniteElementMotion::kBendingZ));
  const std::pair<double, double> published[] = {
      {0, 3.5160}, {1, 3.6816}, {2, 4.1373}, {3, 4.7973}, {4, 5.5850}, {5, 6.4495}, {10, 11.2023}};
  for (const auto& [spin, frequency] : published) {
    EXPECT_NEAR(first_frequency(body, spin), frequency, 1.5e-4) << "spin " << spin;
  }
}

// In the plane of spin the same load acts, less the mass carried around: lag^2 = flap^2 - spin^2.
TEST(FiniteElementStiffening, LagFrequencyFollowsFromFlap) {
  const FlexibleBody flap = finite_element_body(unit_beam(FiniteElementMotion::kBendingZ));
  const FlexibleBody lag = finite_element_body(unit_beam(FiniteElementMotion::kBendingY));
  for (const double spin : {1.0, 3.0, 10.0}) {
    const double expected = std::sqrt(std::pow(first_frequency(flap, spin), 2) - spin * spin);
    EXPECT_NEAR(first_frequency(lag, spin), expected, 1e-8);
  }
}

TEST(FiniteElementStiffening, SwitchedOffTheBeamSoftensUntilItLosesStability) {
  FiniteElementBeam spec = unit_beam(FiniteElementMotion::kBendingY);
  spec.stiffening = Stiffening::kOff;
  const FlexibleBody body = finite_element_body(spec);
  // Without stiffening lag^2 = omega^2 - spin^2.
  EXPECT_NEAR(first_frequency(body, 3.0), std::sqrt(3.516015 * 3.516015 - 9.0), 1e-4);
  EXPECT_TRUE(body.C2[0].size() == 0 && body.frames[1].H[0].size() == 0);
}

TEST(FiniteElementStiffening, TipBodyStiffensAsWithAssumedModes) {
  FiniteElementBeam elements = unit_beam(FiniteElementMotion::kBendingZ);
  ModalBeamSpec modes;
  modes.beam = elements.beam;
  modes.bending_z = 16;
  modes.boundary = Boundary::kClampedWithTipBody;
  elements.tip_body = modes.tip_body =
      spatial::solid_box(0.6, spatial::Vec3(0.3, 0.2, 0.1))
          .expressed_in({spatial::Mat3::Identity(), spatial::Vec3(0.15, 0.0, 0.0)});
  const FlexibleBody a = finite_element_body(elements), b = make_modal_beam(modes);
  for (const double spin : {0.0, 2.0, 5.0}) {
    // Modes at rest converge slowly to those in spin: six err by 6e-5 at the fastest.
    EXPECT_NEAR(first_frequency(a, spin) / first_frequency(b, spin), 1.0, 2e-5) << spin;
  }
  EXPECT_LT((a.J0 - b.J0).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace grapple::flexible
