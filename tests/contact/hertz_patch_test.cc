// Hertz's patch as it follows the curvature of the gap.
#include "grapple/contact/hertz_patch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grapple/contact/hertz.h"

namespace grapple::contact {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Mat3T;
using spatial::Vec3;
using spatial::Vec3T;

Mat3 gap(double larger, double smaller) { return Vec3(larger, smaller, 0.0).asDiagonal(); }

HertzPatch<double> patch(double larger, double smaller) {
  return hertz_patch<double>(gap(larger, smaller), Vec3::UnitZ());
}

// hertz_stiffness goes another way: halving on the eccentricity, library integrals.
TEST(HertzPatch, HasHertzStiffnessForEveryEllipse) {
  for (const double ratio : {1.0, 1.0 + 1e-9, 1.0 + 1e-5, 1.01, 1.5, 3.0, 10.0, 1e3, 1e5}) {
    const double k = hertz_stiffness(1.0, {100.0 * ratio, 100.0});
    EXPECT_NEAR(patch(100.0 * ratio, 100.0).stiffness / k, 1.0, 2e-10) << ratio;
  }
}

// d ln k = -1/4 tr(phi dC), against exact derivatives of the stiffness itself.
TEST(HertzPatch, SpreadIsTheSlopeOfTheStiffness) {
  for (const double ratio : {1.0 + 1e-5, 1.01, 1.5, 3.0, 10.0, 1e3}) {
    for (const Mat3& way : {Mat3(Vec3(1, 0, 0).asDiagonal()), Mat3(Vec3(0, 1, 0).asDiagonal()),
                            Mat3((Mat3() << 0, 1, 0, 1, 0, 0, 0, 0, 0).finished())}) {
      Mat3T<Dual> C = gap(100.0 * ratio, 100.0).cast<Dual>();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) C(i, j).d[0] = way(i, j);
      }
      const Vec3T<Dual> n = Vec3::UnitZ().cast<Dual>();
      const HertzPatch<Dual> moving = hertz_patch<Dual>(C, n);
      const HertzPatch<double> still = patch(100.0 * ratio, 100.0);
      const double slope = -0.25 * (still.spread * way).trace();
      // Digits are lost where the axes are about to lose their direction: 1e-16 over 1e-5.
      EXPECT_NEAR(moving.stiffness.d[0] / moving.stiffness.value, slope, 1e-10 * 0.01) << ratio;
      // The derivative of the spread itself, which Jacobians need.
      const double h = 1e-5 * 100.0 * std::min(1.0, ratio - 1.0);
      const auto spread = [&](double t) {
        return hertz_patch<double>(gap(100.0 * ratio, 100.0) + t * way, Vec3::UnitZ()).spread;
      };
      const Mat3 difference = (spread(h) - spread(-h)) / (2.0 * h);
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          EXPECT_NEAR(moving.spread(i, j).d[0], difference(i, j), 1e-4 * 1e-4) << ratio;
        }
      }
    }
  }
}

TEST(HertzPatch, RoundAndNearlyRoundOnesJoin) {
  const HertzPatch<double> round = patch(100.0, 100.0);
  EXPECT_NEAR(round.stiffness, 4.0 / 3.0 * 0.1, 1e-15);
  EXPECT_NEAR(round.spread(0, 0), 0.01, 1e-17);
  // On both sides of where the ellipse is taken for a circle, first order and the full solution.
  for (const double off : {0.9e-4, 1.1e-4}) {
    const HertzPatch<double> p = patch(100.0 + off, 100.0 - off);
    EXPECT_NEAR(p.stiffness / round.stiffness, 1.0, 1e-11);
    EXPECT_NEAR(p.spread(0, 0), 0.01 * (1.0 - 4.0 / 3.0 * off / 100.0), 1e-13);
    EXPECT_NEAR(p.spread(1, 1), 0.01 * (1.0 + 4.0 / 3.0 * off / 100.0), 1e-13);
  }
}

// Depth d = A a^2 + B b^2: the pressure is balanced (Johnson 4.25 to 4.32).
TEST(HertzPatch, HalfAxesBalanceTheDepth) {
  for (const double ratio : {1.0, 1.3, 7.0, 300.0}) {
    const HertzPatch<double> p = patch(100.0 * ratio, 100.0);
    EXPECT_NEAR(0.5 * (gap(100.0 * ratio, 100.0) * p.spread).trace(), 1.0, 1e-12) << ratio;
  }
}

}  // namespace
}  // namespace grapple::contact
