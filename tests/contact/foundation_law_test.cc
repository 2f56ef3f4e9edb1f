// Pressure of an elastic foundation on a given overlap.
#include "grapple/contact/foundation_law.h"

#include <gtest/gtest.h>

namespace grapple::contact {
namespace {

// A disc of radius R and thickness d: J = V diag(R^2/4, R^2/4, R^2/2), thin.
geometry::Overlap<double> disc(double R, double d) {
  geometry::Overlap<double> overlap;
  overlap.gap = -d;
  overlap.normal_W = spatial::Vec3::UnitZ();
  overlap.volume = 3.14159265358979 * R * R * d;
  overlap.inertia_W =
      overlap.volume * spatial::Vec3(R * R / 4, R * R / 4, R * R / 2).asDiagonal().toDenseMatrix();
  return overlap;
}

constexpr double kRadius = 0.1, kDamping = 2.0;

PatchPressure<double> pressed(double approach, double rolling) {
  FoundationLaw law;
  law.stiffness = 1e9;
  law.rolling.law = RollingResistance::Law::kImpact;  // linear in the rate
  return patch_pressure<double>(law, disc(kRadius, 1e-4), approach, spatial::Vec3(rolling, 0, 0),
                                kDamping, 1.0);
}

// The lever of the normal force about the middle of the patch.
double lever(const PatchPressure<double>& p) { return p.rolling_torque.norm() / p.force; }

TEST(FoundationLaw, ThePressureStaysWithinThePatch) {
  for (const double rolling : {0.1, 1.0, 10.0, 100.0}) {
    for (const double approach : {-0.499999, -0.49, -0.3, 0.0, 0.5}) {
      EXPECT_LE(lever(pressed(approach, rolling)), kRadius * (1.0 + 1e-12))
          << rolling << " " << approach;
    }
  }
}

// f_n ends at approach -1/a; before, the torque goes to zero with it.
TEST(FoundationLaw, TheRollingTorqueVanishesWithTheForce) {
  const double full = pressed(0.0, 5.0).rolling_torque.norm();
  ASSERT_GT(full, 0.0);
  for (const double left : {1e-2, 1e-4, 1e-6}) {
    const double torque = pressed((left - 1.0) / kDamping, 5.0).rolling_torque.norm();
    EXPECT_LE(torque, pressed(0.0, 5.0).force * left * kRadius * (1.0 + 1e-9));
  }
  EXPECT_EQ(pressed(-1.0 / kDamping - 1e-9, 5.0).rolling_torque.norm(), 0.0);
}

// Where the linear law keeps all pressure positive it is as it was: -k a J w.
TEST(FoundationLaw, GentleRollingFollowsTheLinearLaw) {
  const PatchPressure<double> p = pressed(0.0, 1.0);
  const double J = disc(kRadius, 1e-4).inertia_W(0, 0);
  EXPECT_NEAR(p.rolling_torque.x(), -1e9 * kDamping * J, 1e-12 * 1e9 * kDamping * J);
}

}  // namespace
}  // namespace grapple::contact
