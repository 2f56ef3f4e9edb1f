// Friction of a patch: limits, steady states, and the point as the patch without size.
#include "grapple/contact/patch_friction.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace grapple::contact {
namespace {

using spatial::Vec3;

constexpr BristleFriction kLaw{0.08, 0.05, 1e5, 316.0, 0.0, 1e-3, 0.3, 0.0};
constexpr double kLever = 0.013;  // m, of the ball on the table of the source

struct Bristles {
  std::shared_ptr<const FrictionLaw> law;
  std::array<double, 5> z{}, rate{};

  FrictionForce<double> rub(const Vec3& slip, double spin, double lever = kLever) {
    return (*law)(Rub<double>{1.0, Vec3::UnitZ(), slip, z, rate, spin, lever});
  }
  void run(const Vec3& slip, double spin, double duration) {
    const double h = 1e-4;
    for (double t = 0.0; t < duration; t += h) {
      rub(slip, spin);
      for (std::size_t k = 0; k < 5; ++k) z[k] += h * rate[k];
    }
  }
};

TEST(PatchBristle, SteadySlidingAndSpinningLieOnTheEllipse) {
  for (const double spin : {0.0, 1.0, 10.0, -40.0}) {
    for (const double speed : {0.0, 0.02, 0.3}) {
      if (spin == 0.0 && speed == 0.0) continue;
      Bristles bristles{make_patch_friction(kLaw, 1.0)};
      bristles.run({speed, 0.0, 0.0}, spin, 0.5);
      const FrictionForce<double> f = bristles.rub({speed, 0.0, 0.0}, spin);
      const double force = f.on_A_B.norm() / 0.05, torque = f.spin_torque / (0.05 * kLever);
      EXPECT_NEAR(force * force + torque * torque, 1.0, 1e-6) << speed << " " << spin;
      EXPECT_LE(torque * spin, 0.0);
    }
  }
}

TEST(PatchBristle, HoldsATwistLikeASpringWithTheSquareOfTheLever) {
  Bristles bristles{make_patch_friction(kLaw, 1.0), {0.0, 0.0, 0.0, 0.0, 2e-6}};
  EXPECT_NEAR(bristles.rub(Vec3::Zero(), 0.0).spin_torque, -kLever * kLever * 1e5 * 2e-6, 1e-15);
  EXPECT_NEAR(bristles.rate[4], 0.0, 1e-15);
}

TEST(PatchBristle, BreaksLooseAtTheTorqueItsRestAllows) {
  Bristles bristles{make_patch_friction(kLaw, 1.0), {0.0, 0.0, 0.0, 1.0, 1.0}};
  EXPECT_NEAR(bristles.rub(Vec3::Zero(), 0.0).spin_torque, -0.08 * kLever, 1e-12);
}

TEST(PatchBristle, WithoutSizeIsThePointLaw) {
  const auto point = make_friction_law(kLaw);
  const std::array<double, 4> z{1e-7, -2e-7, 0.0, 0.4};
  std::array<double, 4> rate{};
  for (const double speed : {0.0, 3e-4, 1e-3, 0.1}) {
    Bristles patch{make_patch_friction(kLaw, 1.0), {z[0], z[1], z[2], z[3], 0.0}};
    const Vec3 slip(speed, -0.5 * speed, 0.0);
    const Vec3 of_patch = patch.rub(slip, 5.0, 0.0).on_A_B;
    const Vec3 of_point = (*point)(Rub<double>{1.0, Vec3::UnitZ(), slip, z, rate}).on_A_B;
    // Below v_S/100 the patch divides by v_S/100 where the point has its smooth direction.
    EXPECT_LT((of_patch - of_point).norm(), 1e-5) << speed;
  }
}

TEST(PatchCoulomb, FastSpinTakesTheSlidingFriction) {
  const auto law = make_patch_friction(CoulombFriction{0.2, 0.0, 1e-6}, 1.0);
  const auto force = [&](double spin) {
    return (*law)(Rub<double>{1.0, Vec3::UnitZ(), {0.01, 0.0, 0.0}, {}, {}, spin, kLever})
        .on_A_B.norm();
  };
  EXPECT_NEAR(force(0.0), 0.2, 1e-15);
  EXPECT_NEAR(force(1000.0), 0.2 * 0.01 / (kLever * 1000.0), 1e-6);
}

}  // namespace
}  // namespace grapple::contact
