#include "grapple/orbit/relative_gravity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grapple/dynamics/field_efforts.h"
#include "grapple/spatial/dual.h"
#include "system/support.h"

namespace grapple::orbit {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Sym3;
using spatial::Vec3;
using spatial::Vec3T;
using system::testing::derivative;

const ReferenceOrbit& orbit_with(Oblateness oblateness) {
  static const KeplerElements kElements{7.2e6, 0.08, 0.9, 0.7, 1.2, 0.4};
  static const ReferenceOrbit kPlain(kElements, Planet{}, Oblateness::kNone);
  static const ReferenceOrbit kOblate(kElements, Planet{}, Oblateness::kJ2);
  return oblateness == Oblateness::kNone ? kPlain : kOblate;
}

RelativeGravity gravity_at(const ReferenceOrbit& orbit, const OrbitPoint& point) {
  return {point, orbit.planet(), orbit.oblateness(), orbit.pole()};
}

using Long3 = Eigen::Matrix<long double, 3, 1>;

// The same with 64 bits of mantissa, as a difference of two large terms.
Long3 central_difference_of(const OrbitPoint& point, double mu, const Vec3& r) {
  const Long3 R = point.R.cast<long double>(), d = R + r.cast<long double>();
  const long double R3 = std::pow(R.norm(), 3.0L), d3 = std::pow(d.norm(), 3.0L);
  return static_cast<long double>(mu) * (R / R3 - d / d3);
}

TEST(RelativeGravity, KeepsItsDigitsNearTheReferencePoint) {
  const ReferenceOrbit& orbit = orbit_with(Oblateness::kNone);
  const OrbitPoint point = orbit.at(500.0);
  const RelativeGravity gravity = gravity_at(orbit, point);
  for (const double size : {1.0, 1e3, 1e5, 1e6}) {
    const Vec3 r = size * Vec3(0.3, -0.5, 0.8);
    const Vec3 g = gravity.at<double>(r).g;
    const Long3 exact = central_difference_of(point, orbit.planet().mu, r);
    // The reference itself loses |R|/|r| of 1e-19; ours a few roundings.
    const double allowed = (2e-15 + 2e-19 * point.radius / size) * g.norm();
    EXPECT_LT((g - exact.cast<double>()).norm(), allowed) << "at " << size;
  }
}

TEST(RelativeGravity, PotentialKeepsItsDigitsNearTheReferencePoint) {
  const ReferenceOrbit& orbit = orbit_with(Oblateness::kNone);
  const OrbitPoint point = orbit.at(500.0);
  const double n2 = orbit.planet().mu / std::pow(point.radius, 3);
  const Vec3 radial = point.R / point.radius;
  const RelativeGravity gravity = gravity_at(orbit, point);
  for (const double size : {1e-6, 1e-3, 1.0}) {
    const Vec3 r = size * Vec3(0.3, -0.5, 0.8);
    const double along = radial.dot(r);
    // Second order; the next is |r|/|R| of it.
    const double expected = 0.5 * n2 * (r.squaredNorm() - 3.0 * along * along);
    EXPECT_NEAR(gravity.at<double>(r).potential / expected, 1.0, 1e-14 + 10.0 * size / 7e6);
  }
}

class Field : public ::testing::TestWithParam<Oblateness> {};

// Steps of 1 km: truncation (h/R)^8, rounding 1e-16 R/h.
TEST_P(Field, ForceIsMinusTheGradientOfThePotential) {
  const ReferenceOrbit& orbit = orbit_with(GetParam());
  const OrbitPoint point = orbit.at(500.0);
  const RelativeGravity gravity = gravity_at(orbit, point);
  const Vec3 r(3e5, -2e5, 4e5);
  const RelativeField<double> field = gravity.at<double>(r);
  Vec3T<Dual> moving;
  for (int k = 0; k < 3; ++k) moving[k] = Dual::seed(r[k], k);
  const RelativeField<Dual> along = gravity.at<Dual>(moving);
  const Mat3 G = field.G.matrix();
  for (std::size_t k = 0; k < 3; ++k) {
    const int i = static_cast<int>(k);
    EXPECT_NEAR(along.potential.d[k], -field.g[i], 1e-14 * 10.0);
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(along.g[j].d[k], G(j, i), 1e-14 * G.norm());
    }
  }
}

TEST_P(Field, GradientHasNoTrace) {
  const ReferenceOrbit& orbit = orbit_with(GetParam());
  const OrbitPoint point = orbit.at(500.0);
  const Mat3 G = gravity_at(orbit, point).at<double>({1e5, 2e5, -4e5}).G.matrix();
  EXPECT_NEAR(G.trace(), 0.0, 1e-14 * G.norm());  // Laplace
}

TEST_P(Field, ThirdOrderPullIsTheGradientOfTheSecondMomentsPart) {
  const ReferenceOrbit& orbit = orbit_with(GetParam());
  const OrbitPoint point = orbit.at(500.0);
  const RelativeGravity gravity = gravity_at(orbit, point);
  const Sym3 S{2.0, 0.3, -0.4, 1.0, 0.6, 3.0};
  const Vec3 r(3e5, -2e5, 4e5);
  Vec3T<Dual> moving;
  for (int k = 0; k < 3; ++k) moving[k] = Dual::seed(r[k], k);
  const Dual part = Dual(0.5) * dynamics::double_product(gravity.at<Dual>(moving).G,
                                                         spatial::Sym3T<Dual>::cast(S));
  const Vec3 pull = gravity.third_order_pull<double>(r, S);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(pull[static_cast<int>(k)], part.d[k], 1e-13 * pull.norm());
  }
}

TEST_P(Field, RateOfThePotentialIsItsPartialDerivativeByTime) {
  const ReferenceOrbit& orbit = orbit_with(GetParam());
  const Vec3 r(3e4, -2e4, 4e4);
  for (const double t : {0.0, 900.0, 5000.0}) {
    const auto potential = [&](double h) {
      const OrbitPoint point = orbit.at(t + h);
      return gravity_at(orbit, point).at<double>(r).potential;
    };
    const OrbitPoint point = orbit.at(t);
    const RelativeField<double> field = gravity_at(orbit, point).at<double>(r);
    // Steps of 20 s: truncation below 1e-13, rounding eps/(n h) with n = 1e-3 rad/s.
    EXPECT_NEAR(field.potential_rate, derivative(potential, 20.0),
                1e-12 * std::abs(field.potential) + 1e-11 * std::abs(field.potential_rate));
  }
}

INSTANTIATE_TEST_SUITE_P(PlainAndOblate, Field,
                         ::testing::Values(Oblateness::kNone, Oblateness::kJ2));

TEST(RelativeGravity, IsAtTheOriginWhatTheReferenceIsShortOf) {
  const ReferenceOrbit& plain = orbit_with(Oblateness::kNone);
  const OrbitPoint point = plain.at(500.0);
  EXPECT_EQ(gravity_at(plain, point).at<double>(Vec3::Zero()).g, Vec3::Zero());
}

}  // namespace
}  // namespace grapple::orbit
