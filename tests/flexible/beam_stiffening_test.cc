// Geometric stiffening: loads along the beam change its bending frequencies.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "flexible/beam_support.h"

namespace grapple::flexible::test {
namespace {

using spatial::MatX;
using spatial::VecX;

// EI = mu = L = 1, so that frequencies are dimensionless.
FlexibleBody unit_beam(Stiffening stiffening, int modes, const TipBody& tip = {}) {
  ModalBeamSpec spec;
  BeamSection s;
  s.mass_per_length = s.bending_stiffness_y = s.bending_stiffness_z = 1.0;
  spec.beam = uniform_beam(1.0, s);
  spec.bending_y = spec.bending_z = modes;
  spec.stiffening = stiffening;
  spec.tip_body = tip;
  return make_modal_beam(spec);
}

// Frequencies at steady rotation about z, the root at the axis: K - Omega^2 J2_zz / 2. Coriolis
// forces have no part in it: y velocity is along the rotation's tangent, z along its axis.
VecX spinning_frequencies(const FlexibleBody& body, double spin, int first, int count) {
  const int m = body.modes;
  MatX K = body.stiffness;
  for (int k = 0; k < m; ++k) {
    for (int l = 0; l < m; ++l) {
      K(k, l) -= 0.5 * spin * spin * body.J2[static_cast<std::size_t>(k * m + l)](2, 2);
    }
  }
  const MatX k = K.block(first, first, count, count), e = body.E.block(first, first, count, count);
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatX>(k, e).eigenvalues().cwiseSqrt();
}

TEST(BeamStiffening, FlapFrequenciesOfTheRotatingCantilever) {
  // Wright, Smith, Thresher, Wang (1982), hub radius 0, flap; printed with four decimals.
  struct Row {
    double spin, first, second;
  };
  const std::vector<Row> published{
      {0, 3.5160, 22.0345}, {1, 3.6816, 22.1810},   {2, 4.1373, 22.6149},
      {3, 4.7973, 23.3203}, {4, 5.5850, 24.2733},   {5, 6.4495, 25.4461},
      {6, 7.3604, 26.8091}, {10, 11.2023, 33.6404}, {12, 13.1702, 37.6031}};
  const int n = 24;  // clamped-free modes converge slowly at high speed
  const FlexibleBody body = unit_beam(Stiffening::kOn, n);
  for (const Row& row : published) {
    const VecX flap = spinning_frequencies(body, row.spin, n, n);
    EXPECT_NEAR(flap[0], row.first, 1e-4) << row.spin;
    EXPECT_NEAR(flap[1], row.second, 1e-4) << row.spin;
    // In the plane of rotation the centrifugal force follows the radius: omega^2 - Omega^2.
    const VecX lag = spinning_frequencies(body, row.spin, 0, n);
    EXPECT_NEAR(lag[0], std::sqrt(flap[0] * flap[0] - row.spin * row.spin), 1e-9);
  }
}

TEST(BeamStiffening, FastRotationIsAString) {
  // A hanging string's frequencies in the field Omega^2 x: Omega and sqrt(6) Omega; the boundary
  // layer of the clamp is 1 / Omega long.
  const FlexibleBody body = unit_beam(Stiffening::kOn, 40);
  const VecX flap = spinning_frequencies(body, 300.0, 40, 40) / 300.0;
  EXPECT_NEAR(flap[0], 1.0, 0.01);
  EXPECT_NEAR(flap[1], std::sqrt(6.0), 0.03);
}

TEST(BeamStiffening, WithoutItTheLagFrequencyFalls) {
  const FlexibleBody body = unit_beam(Stiffening::kOff, 3);
  EXPECT_EQ(body.C2[0].size(), 0);
  EXPECT_NEAR(spinning_frequencies(body, 2.0, 0, 3)[0], std::sqrt(12.3623634 - 4.0), 1e-6);
}

TEST(BeamStiffening, TipLoadBucklesAtEulersForce) {
  // A force -P along x at the tip does work -P H_x: K - P (-H) is singular at pi^2 / 4.
  const int n = 20;
  const FlexibleBody body = unit_beam(Stiffening::kOn, n);
  const MatX G = -frame(body, "tip").H[0].topLeftCorner(n, n);
  const MatX K = body.stiffness.topLeftCorner(n, n);
  const VecX inverse = Eigen::GeneralizedSelfAdjointEigenSolver<MatX>(G, K).eigenvalues();
  const double load = 1.0 / inverse[n - 1];
  // Clamped-free modes have no curvature's slope at the tip, so they converge as 1/n^3.
  EXPECT_NEAR(load, std::pow(std::numbers::pi, 2) / 4.0, 2e-4);
}

TEST(BeamStiffening, TipMassStiffensLikeItsCentrifugalForce) {
  TipBody tip;
  tip.mass = 3.0;
  tip.com_B.x() = 0.2;
  const int n = 2;
  const FlexibleBody with = unit_beam(Stiffening::kOn, n, tip),
                     bare = unit_beam(Stiffening::kOn, n);
  const FrameShape& f = frame(bare, "tip");
  // Potential of the centrifugal field for the tip mass at rest in the rotating frame, flap:
  // x = 1.2 - shortening - 0.2 slope^2 / 2.
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) {
      const double H = f.H[0](n + k, n + l) - 0.2 * f.psi(1, n + k) * f.psi(1, n + l);
      const auto at = static_cast<std::size_t>((n + k) * 2 * n + n + l);
      EXPECT_NEAR(with.J2[at](2, 2) - bare.J2[at](2, 2), 2.0 * 3.0 * 1.2 * H, 1e-10);
    }
  }
}

}  // namespace
}  // namespace grapple::flexible::test
