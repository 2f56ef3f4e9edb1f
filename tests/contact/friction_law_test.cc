// Friction laws against their own steady states and limits.
#include "grapple/contact/friction_law.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace grapple::contact {
namespace {

using spatial::Dual;
using spatial::Vec3;
using spatial::Vec3T;

// Table 5.1 of the source (Bowden-Leben), sigma's divided by the load of 10 N.
constexpr BristleFriction kBowden{0.15, 0.10, 1e4, 31.6227766, 0.01, 1e-3, 2.0, 0.0};

struct Bristles {
  const FrictionLaw& law;
  std::array<double, 4> z{}, rate{};

  FrictionForce<double> friction(const Vec3& slip, double load = 1.0) {
    return law(Sliding<double>{load, Vec3::UnitZ(), slip, z, rate});
  }
  void run(const Vec3& slip, double duration, double h) {
    for (double t = 0.0; t < duration; t += h) {
      friction(slip);
      for (std::size_t k = 0; k < 4; ++k) z[k] += h * rate[k];
    }
  }
};

TEST(Bristle, SteadySlidingIsTheStribeckCurve) {
  const auto law = make_friction_law(kBowden);
  for (const double v : {2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.1}) {
    Bristles bristles{*law};
    bristles.run({v, 0.0, 0.0}, 20.0, 2e-4);
    // Digest 3.5: mu_C + min((mu_S - mu_C) s, sigma_1 v s/(1 - s)) + sigma_2 v.
    const double s = std::exp(-v * v / 1e-6);
    const double expected = 0.10 + std::min(0.05 * s, 31.6227766 * v * s / (1.0 - s)) + 0.01 * v;
    EXPECT_NEAR(-bristles.friction({v, 0.0, 0.0}).on_A_B.x(), expected, 2e-5)
        << v;  // dwell: exp(-10)
  }
}

TEST(Bristle, StictionGrowsWithTimeAtRest) {
  const auto law = make_friction_law(kBowden);
  for (const double rest : {0.5, 2.0, 8.0}) {
    Bristles bristles{*law};
    bristles.run(Vec3::Zero(), rest, 1e-3);
    EXPECT_NEAR(bristles.z[3], 1.0 - std::exp(-rest / 2.0), 1e-3);  // Euler at 1 ms
    // A sudden pull meets the limit of that dwell.
    bristles.z[0] = 1.0;
    EXPECT_NEAR(bristles.friction(Vec3::Zero()).on_A_B.norm(), 0.10 + 0.05 * bristles.z[3], 1e-12);
  }
}

TEST(Bristle, HoldsLikeASpringBelowTheLimit) {
  const auto law = make_friction_law(kBowden);
  Bristles bristles{*law, {3e-6, -4e-6, 0.0, 0.0}};
  const FrictionForce<double> f = bristles.friction(Vec3::Zero(), 7.0);
  EXPECT_TRUE(f.on_A_B.isApprox(-7.0 * 1e4 * Vec3(3e-6, -4e-6, 0.0)));
  EXPECT_EQ(f.stick, 1.0);
  for (const double rate : bristles.rate)
    EXPECT_NEAR(rate, rate == bristles.rate[3] ? 0.5 : 0.0, 1e-15);
}

TEST(Bristle, ForceIsProportionalToLoadAndKnowsNoDirectionOfItsOwn) {
  const auto law = make_friction_law(kBowden);
  const double turn = 0.7;
  const Vec3 z(2e-6, 5e-6, 0.0), v(3e-4, -6e-4, 0.0);
  const auto turned = [&](const Vec3& a) {
    return Vec3(std::cos(turn) * a.x() - std::sin(turn) * a.y(),
                std::sin(turn) * a.x() + std::cos(turn) * a.y(), a.z());
  };
  Bristles one{*law, {z.x(), z.y(), 0.0, 0.3}};
  const Vec3 tz = turned(z);
  Bristles two{*law, {tz.x(), tz.y(), 0.0, 0.3}};
  const Vec3 f = one.friction(v, 1.0).on_A_B;
  EXPECT_TRUE(two.friction(turned(v), 3.0).on_A_B.isApprox(3.0 * turned(f), 1e-13));
}

TEST(Bristle, NeverExceedsItsLimitAndOpposesSliding) {
  const auto law = make_friction_law(kBowden);
  for (const double z : {-1e-2, 0.0, 1e-2}) {
    Bristles bristles{*law, {z, z / 3.0, 0.0, 1.0}};
    EXPECT_LE(bristles.friction({1e-5, 0.0, 0.0}).on_A_B.norm(), 0.15 + 1e-6);
    EXPECT_LT(bristles.friction({1.0, 0.0, 0.0}).on_A_B.x(), -0.1);
  }
}

TEST(Bristle, WhatPointsAlongTheNormalDoesNotActAndDiesOut) {
  const auto law = make_friction_law(kBowden);
  Bristles bristles{*law, {0.0, 0.0, 4e-6, 0.0}};
  EXPECT_EQ(bristles.friction(Vec3::Zero()).on_A_B.norm(), 0.0);
  EXPECT_NEAR(bristles.rate[2], -4e-6 * 1e4 / 31.6227766, 1e-15);
}

TEST(Bristle, DualNumbersFollowTheSameLaw) {
  const auto law = make_friction_law(kBowden);
  const std::array<double, 4> z{2e-6, 5e-6, 0.0, 0.3};
  const double h = 1e-9;
  const auto at = [&](double vx) {
    std::array<double, 4> rate;
    return (*law)(Sliding<double>{2.0, Vec3::UnitZ(), {vx, 2e-4, 0.0}, z, rate}).on_A_B.x();
  };
  const std::array<Dual, 4> z_dual{z[0], z[1], z[2], z[3]};
  std::array<Dual, 4> rate;
  const Vec3T<Dual> slip(Dual::seed(3e-4, 0), Dual(2e-4), Dual(0.0));
  const Vec3T<Dual> up(Dual(0.0), Dual(0.0), Dual(1.0));
  const Dual f = (*law)(Sliding<Dual>{Dual(2.0), up, slip, z_dual, rate}).on_A_B.x();
  EXPECT_EQ(f.value, at(3e-4));
  const double difference = (at(3e-4 + h) - at(3e-4 - h)) / (2.0 * h);
  EXPECT_NEAR(f.d[0], difference, 1e-5 * std::abs(difference));  // central differences
}

TEST(Coulomb, IsExactAboveItsTransitionSpeedAndSmoothBelow) {
  const auto law = make_friction_law(CoulombFriction{0.3, 0.02, 1e-3});
  const auto pull = [&](double v) {
    return -(*law)(Sliding<double>{10.0, Vec3::UnitZ(), {v, 0.0, 0.0}, {}, {}}).on_A_B.x();
  };
  EXPECT_NEAR(pull(2.0), 10.0 * (0.3 + 0.02 * 2.0), 1e-13);
  EXPECT_NEAR(pull(1e-3), 10.0 * (0.3 + 2e-5), 1e-13);
  EXPECT_EQ(pull(0.0), 0.0);
  const double h = 1e-9, below = (pull(1e-3) - pull(1e-3 - h)) / h,
               above = (pull(1e-3 + h) - pull(1e-3)) / h;
  EXPECT_NEAR(below, above, 0.02);  // the slope of 3/2 r - 1/2 r^3 at r = 1 is 0 up to h
}

}  // namespace
}  // namespace grapple::contact
