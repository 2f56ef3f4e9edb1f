// Friction of a patch: limits, steady states, and the point as the patch without size.
#include "grapple/contact/patch_friction.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace grapple::contact {
namespace {

using spatial::Vec3;

constexpr BristleFriction kLaw{0.08, 0.05, 1e5, 316.0, 0.0, 1e-3, 0.3, 0.0};
const SpinFriction kEllipse{SpinFriction::Surface::kEllipse, 1.0};
constexpr double kLever = 0.013;  // m, of the ball on the table of the source

struct PatchBristles {
  std::shared_ptr<const FrictionLaw> law;
  std::array<double, 5> z{}, rate{};

  FrictionForce<double> friction(const Vec3& slip, double spin, double lever = kLever) {
    return (*law)(Sliding<double>{1.0, Vec3::UnitZ(), slip, z, rate, spin, lever});
  }
  void run(const Vec3& slip, double spin, double duration) {
    const double h = 1e-4;
    for (double t = 0.0; t < duration; t += h) {
      friction(slip, spin);
      for (std::size_t k = 0; k < 5; ++k) z[k] += h * rate[k];
    }
  }
};

TEST(PatchBristle, SteadySlidingAndSpinningLieOnTheEllipse) {
  for (const double spin : {0.0, 1.0, 10.0, -40.0}) {
    for (const double speed : {0.0, 0.02, 0.3}) {
      if (spin == 0.0 && speed == 0.0) continue;
      PatchBristles bristles{make_patch_friction(kLaw, kEllipse)};
      bristles.run({speed, 0.0, 0.0}, spin, 0.5);
      const FrictionForce<double> f = bristles.friction({speed, 0.0, 0.0}, spin);
      const double force = f.on_A_B.norm() / 0.05, torque = f.spin_torque / (0.05 * kLever);
      EXPECT_NEAR(force * force + torque * torque, 1.0, 1e-6) << speed << " " << spin;
      EXPECT_LE(torque * spin, 0.0);
    }
  }
}

TEST(PatchBristle, HoldsATwistLikeASpringWithTheSquareOfTheLever) {
  PatchBristles bristles{make_patch_friction(kLaw, kEllipse), {0.0, 0.0, 0.0, 0.0, 2e-6}};
  EXPECT_NEAR(bristles.friction(Vec3::Zero(), 0.0).spin_torque, -kLever * kLever * 1e5 * 2e-6,
              1e-15);
  EXPECT_NEAR(bristles.rate[4], 0.0, 1e-15);
}

TEST(PatchBristle, BreaksLooseAtTheTorqueItsRestAllows) {
  PatchBristles bristles{make_patch_friction(kLaw, kEllipse), {0.0, 0.0, 0.0, 1.0, 1.0}};
  EXPECT_NEAR(bristles.friction(Vec3::Zero(), 0.0).spin_torque, -0.08 * kLever, 1e-12);
}

TEST(PatchBristle, WithoutSizeIsThePointLaw) {
  const auto point = make_friction_law(kLaw);
  const std::array<double, 4> z{1e-7, -2e-7, 0.0, 0.4};
  std::array<double, 4> rate{};
  for (const double speed : {0.0, 3e-4, 1e-3, 0.1}) {
    PatchBristles patch{make_patch_friction(kLaw, kEllipse), {z[0], z[1], z[2], z[3], 0.0}};
    const Vec3 slip(speed, -0.5 * speed, 0.0);
    const Vec3 of_patch = patch.friction(slip, 5.0, 0.0).on_A_B;
    const Vec3 of_point = (*point)(Sliding<double>{1.0, Vec3::UnitZ(), slip, z, rate}).on_A_B;
    // Below v_S/100 the patch divides by v_S/100 where the point has its smooth direction.
    EXPECT_LT((of_patch - of_point).norm(), 1e-5) << speed;
  }
}

// A round patch of uniform pressure, of that radius of gyration: R = sqrt 2 r.
TEST(PatchBristle, SteadySlidingAndSpinningLieOnTheExactSurface) {
  PatchSpread<double> disc;
  disc.moments = 0.5 * kLever * kLever * Vec3(1.0, 1.0, 0.0).asDiagonal();
  for (const double spin : {0.0, 1.0, 10.0, -40.0}) {
    for (const double speed : {0.0, 0.02, 0.3}) {
      if (spin == 0.0 && speed == 0.0) continue;
      PatchBristles bristles{make_patch_friction(kLaw, SpinFriction{})};
      bristles.run({speed, 0.0, 0.0}, spin, 0.5);
      const FrictionForce<double> f = bristles.friction({speed, 0.0, 0.0}, spin);
      const auto limit = limit_surface<double>(disc, Vec3::UnitZ(), Vec3(speed, 0.0, 0.0), spin);
      EXPECT_LT((f.on_A_B + 0.05 * limit.force).norm(), 1e-6 * 0.05) << speed << " " << spin;
      EXPECT_NEAR(f.spin_torque, -0.05 * limit.torque, 1e-6 * 0.05 * kLever);
    }
  }
}

TEST(PatchBristle, BreaksLooseAtTheExactTorqueOfItsPressure) {
  PatchBristles bristles{make_patch_friction(kLaw, SpinFriction{}), {0.0, 0.0, 0.0, 1.0, 1.0}};
  // Of a uniform disc 2/3 R, R = sqrt 2 r.
  EXPECT_NEAR(bristles.friction(Vec3::Zero(), 0.0).spin_torque,
              -0.08 * 2.0 / 3.0 * std::sqrt(2.0) * kLever, 1e-12);
}

// I theta'' = -N r^2 (sigma_0 theta + sigma_t theta') of a body of radius of gyration k under its
// weight: with sigma_1 = 2 sqrt(sigma_0/g) it must be critical, as sliding is, for every k/r.
TEST(PatchBristle, TwistHasTheDampingRatioOfTheDeflection) {
  const double g = 9.81, stiffness = 1e5;
  BristleFriction law = kLaw;
  law.stiffness = stiffness;
  law.damping = 2.0 * std::sqrt(stiffness / g);
  const auto friction = make_patch_friction(law, SpinFriction{});
  for (const double wider : {1.0, 5.0, 300.0}) {
    const double k = wider * kLever;
    std::array<double, 5> z{0.0, 0.0, 0.0, 0.0, 0.0}, rate{};
    const double w = 1e-6;  // rad/s, far below sliding
    const auto torque = [&](double theta, double spin) {
      z[4] = theta;
      return (*friction)(
                 Sliding<double>{g, Vec3::UnitZ(), Vec3::Zero(), z, rate, spin, kLever, nullptr, k})
          .spin_torque;
    };
    const double spring = -torque(1e-9, 0.0) / 1e-9, damper = -torque(0.0, w) / w;
    EXPECT_NEAR(damper / (2.0 * std::sqrt(spring * k * k)), 1.0, 1e-6) << wider;
    torque(0.0, w);
    EXPECT_NEAR(rate[4] / w, 1.0, 1e-6);  // the bristle follows the spin while it sticks
  }
}

TEST(PatchCoulomb, RisesSmoothlyFromRestToTheSurface) {
  const auto law = make_patch_friction(CoulombFriction{0.2, 0.0, 1e-3}, SpinFriction{});
  const auto force = [&](double share) {
    return (*law)(Sliding<double>{
        1.0, Vec3::UnitZ(), {0.6e-3 * share, 0.0, 0.0}, {}, {}, 0.8e-3 / kLever * share, kLever});
  };
  const auto slope = [&](double at, double h) {
    return (force(at + h).on_A_B.x() - force(at - h).on_A_B.x()) / (2.0 * h);
  };
  // From rest it is linear: -mu N 3/2 v/s.
  EXPECT_NEAR(slope(0.0, 1e-4), -0.2 * 1.5 * 0.6, 1e-6);
  EXPECT_NEAR(force(1.0 - 1e-9).on_A_B.x(), force(1.0 + 1e-9).on_A_B.x(), 1e-8);
  EXPECT_NEAR(slope(1.0 - 1e-5, 1e-6), slope(1.0 + 1e-5, 1e-6), 1e-4);
  for (double share = 0.05; share < 2.0; share += 0.05) {
    const auto f = force(share);
    EXPECT_LT(f.on_A_B.x() * 0.6e-3 + f.spin_torque * 0.8e-3 / kLever, 0.0);
  }
}

TEST(PatchCoulomb, FastSpinTakesTheSlidingFriction) {
  const auto law = make_patch_friction(CoulombFriction{0.2, 0.0, 1e-6}, kEllipse);
  const auto force = [&](double spin) {
    return (*law)(Sliding<double>{1.0, Vec3::UnitZ(), {0.01, 0.0, 0.0}, {}, {}, spin, kLever})
        .on_A_B.norm();
  };
  EXPECT_NEAR(force(0.0), 0.2, 1e-15);
  EXPECT_NEAR(force(1000.0), 0.2 * 0.01 / (kLever * 1000.0), 1e-6);
}

}  // namespace
}  // namespace grapple::contact
