// Restitution, Hertz and the power law against closed forms.
#include "grapple/contact/normal_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/contact/hertz.h"

namespace grapple::contact {
namespace {

// Printed with six decimals: Gonthier's equation 3.23 solved in the source digest (his d is d e).
struct Row {
  double e, d_times_e;
};
constexpr Row kTable[] = {{0.10, 0.999816}, {0.20, 0.983833}, {0.30, 0.926125}, {0.40, 0.832999},
                          {0.50, 0.716375}, {0.60, 0.584923}, {0.70, 0.444380}, {0.80, 0.298517},
                          {0.85, 0.224408}, {0.90, 0.149834}, {0.95, 0.074980}, {0.975, 0.037498}};

TEST(Restitution, DampingNumbersAreThoseOfTheTable) {
  for (const Row& row : kTable) {
    EXPECT_NEAR(damping_number(DampingRule::kExact, row.e) * row.e, row.d_times_e, 5.1e-7) << row.e;
  }
}

TEST(Restitution, DampingNumberSolvesItsEquation) {
  for (double e = 0.1; e < 1.0; e += 0.01) {
    const double d = damping_number(DampingRule::kExact, e);
    const double residual = std::log1p(d) - std::log1p(-e * d) - d * (1.0 + e);
    // The last bit of d near 1/e moves the logarithm by up to 1e-16 / (1 - e d) = 1e-12.
    EXPECT_NEAR(residual, 0.0, 1e-12) << e;
  }
  EXPECT_EQ(damping_number(DampingRule::kExact, 1.0), 0.0);
}

TEST(Restitution, OnlyTheExactNumberGivesBackWhatWasAsked) {
  for (double e = 0.05; e < 1.0; e += 0.05) {
    EXPECT_NEAR(restitution_obtained(damping_number(DampingRule::kExact, e)), e, 1e-9) << e;
  }
  // Benchmark page and digest 4.1, three digits.
  const auto obtained = [](DampingRule rule, double e) {
    return restitution_obtained(damping_number(rule, e));
  };
  EXPECT_NEAR(obtained(DampingRule::kHuntCrossley, 0.5), 0.663, 5e-4);
  EXPECT_NEAR(obtained(DampingRule::kLankaraniNikravesh, 0.5), 0.725, 5e-4);
  EXPECT_NEAR(obtained(DampingRule::kFlores, 0.5), 0.470, 5e-4);
  EXPECT_NEAR(obtained(DampingRule::kHuntCrossley, 0.2), 0.5469, 5e-5);
  EXPECT_NEAR(obtained(DampingRule::kLankaraniNikravesh, 0.2), 0.6723, 5e-5);
}

// The equation of motion itself, m x'' = -k x^p (1 + a x'), by small Runge-Kutta steps.
double rebound_ratio(const NormalLaw& law, double mass, double speed, double duration) {
  const double a = law.latch(speed);
  double x = 0.0, v = speed;
  const double h = duration / 4000.0;
  const auto acceleration = [&](double depth, double rate) {
    return depth > 0.0 ? -law(Penetration<double>{depth, rate, a}).force / mass : 0.0;
  };
  while (x > 0.0 || v > 0.0) {
    const double v1 = v, a1 = acceleration(x, v);
    const double v2 = v + 0.5 * h * a1, a2 = acceleration(x + 0.5 * h * v1, v2);
    const double v3 = v + 0.5 * h * a2, a3 = acceleration(x + 0.5 * h * v2, v3);
    const double v4 = v + h * a3, a4 = acceleration(x + h * v3, v4);
    x += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return -v / speed;
}

TEST(Restitution, ReboundSpeedIsExactForEveryCoefficientExponentAndSpeed) {
  for (const double e : {0.05, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0}) {
    for (const double p : {1.0, 1.5, 2.0}) {
      for (const double v : {0.01, 1.0, 5.0}) {
        PowerLaw law{1e6, p, DampingRule::kExact, {e, 0.0}, 1e-4};
        const double duration = estimate_impact(law, 2.0, v).duration;
        // Fourth order at 4000 steps per undamped contact; the end is not located, but the force
        // has died out there.
        EXPECT_NEAR(rebound_ratio(*make_normal_law(law), 2.0, v, duration), e, 2e-6)
            << e << " " << p << " " << v;
      }
    }
  }
}

// Digest 3.3: largest depth and force over those of the undamped impact, and the share of the loss
// that falls into compression, for Hertz's exponent.
TEST(Restitution, ForceLoopsAreThoseOfTheTable) {
  const struct {
    double e, depth, force, share;
  } rows[] = {
      {0.1, 0.4708, 1.431, 0.857}, {0.5, 0.7756, 0.930, 0.627}, {0.9, 0.9593, 0.949, 0.520}};
  for (const auto& row : rows) {
    const PowerLaw given{1e6, 1.5, DampingRule::kExact, {row.e, 0.0}, 1e-4};
    const auto law = make_normal_law(given);
    const double mass = 2.0, speed = 1.0, a = law->latch(speed);
    const ImpactEstimate undamped = estimate_impact(given, mass, speed);
    double depth = 0.0, force = 0.0, v = speed, x = 0.0;
    const double h = 1e-5 * undamped.duration;
    while (v > 0.0) {  // midpoint steps
      const auto f = [&](double at, double rate) {
        return at > 0.0 ? (*law)(Penetration<double>{at, rate, a}).force : 0.0;
      };
      const double half_v = v - 0.5 * h * f(x, v) / mass;
      const double push = f(x + 0.5 * h * v, half_v);
      force = std::max(force, push);
      x += h * half_v;
      v -= h * push / mass;
      depth = std::max(depth, x);
    }
    const double kept = (*law)(Penetration<double>{depth, 0.0, a}).energy;
    const double before = 0.5 * mass * speed * speed;
    EXPECT_NEAR(depth / undamped.depth, row.depth, 6e-5) << row.e;  // as printed
    EXPECT_NEAR(force / undamped.force, row.force, 6e-4) << row.e;
    EXPECT_NEAR((before - kept) / (before * (1.0 - row.e * row.e)), row.share, 6e-4) << row.e;
  }
}

TEST(Restitution, FallsWithImpactSpeedAndIsKeptFromZero) {
  const Restitution falling{1.0, 0.2};
  EXPECT_DOUBLE_EQ(restitution_at(falling, 1.0), 0.8);
  EXPECT_DOUBLE_EQ(restitution_at(falling, 100.0), kLeastRestitution);
  const PowerLaw law{3.4e6, 1.5, DampingRule::kExact, falling, 1e-4};
  const double duration = estimate_impact(law, 0.454, 2.0).duration;
  EXPECT_NEAR(rebound_ratio(*make_normal_law(law), 0.454, 2.0, duration), 0.6, 2e-6);
}

TEST(NormalLaw, SlowTouchesAreDampedLikeTheSlowestImpact) {
  const auto law = make_normal_law({1e6, 1.5, DampingRule::kExact, {0.5, 0.0}, 1e-3});
  EXPECT_DOUBLE_EQ(law->latch(0.0), law->latch(1e-3));
  EXPECT_NEAR(law->latch(0.0), 1432.751, 1e-3);  // digest 8.2, item 6: 1433 s/m
}

TEST(NormalLaw, NeverPulls) {
  const auto law = make_normal_law({1e6, 1.5, DampingRule::kExact, {0.5, 0.0}, 1e-3});
  const NormalForce<double> f = (*law)(Penetration<double>{1e-3, -10.0, law->latch(0.1)});
  EXPECT_EQ(f.force, 0.0);
  EXPECT_GT(f.elastic, 0.0);
}

TEST(NormalLaw, ElasticForceIsTheSlopeOfTheEnergy) {
  for (const double p : {1.0, 1.5, 2.2}) {
    const auto law = make_normal_law({1e6, p, DampingRule::kExact, {0.5, 0.0}, 1e-3});
    const auto f = (*law)(Penetration<spatial::Dual>{spatial::Dual::seed(2e-3, 0), 0.0, 0.0});
    EXPECT_NEAR(f.energy.d[0], f.elastic.value, 1e-12 * f.elastic.value) << p;
  }
}

// Benchmark page: steel ball of 10 mm on steel, 1 m/s.
TEST(Hertz, SteelBallOnSteel) {
  const Elasticity steel{206e9, 0.3};
  const double r = 0.01, mass = 4.0 / 3.0 * std::numbers::pi * r * r * r * 7850.0;
  const double k = hertz_stiffness(effective_modulus(steel, steel), {1.0 / r, 1.0 / r});
  const ImpactEstimate e =
      estimate_impact({k, 1.5, DampingRule::kExact, {1.0, 0.0}, 1e-3}, mass, 1.0);
  EXPECT_NEAR(e.depth, 23.662e-6, 5e-10);
  EXPECT_NEAR(e.force, 1737.06, 5e-3);
  EXPECT_NEAR(e.duration, 69.644e-6, 5e-10);
  EXPECT_NEAR(e.duration, 2.9432752 * e.depth, 1e-11);
}

TEST(Hertz, NearlyRoundPatchesJoinTheRoundOneSmoothly) {
  const double round = hertz_stiffness(1e11, {100.0, 100.0});
  EXPECT_NEAR(round, 4.0 / 3.0 * 1e11 * 0.1, 1e-3);
  EXPECT_NEAR(hertz_stiffness(1e11, {100.0 + 1e-6, 100.0 - 1e-6}) / round, 1.0, 1e-9);
}

// Johnson's equations for an elliptical patch of semi-axes a, b (Contact Mechanics, 4.2): at the
// depth and load of our stiffness some eccentricity must close the gap in both directions.
TEST(Hertz, EllipticalPatchBalancesTheGapInBothDirections) {
  const double E_star = 1e11, A = 5.0, B = 50.0;
  const double k = hertz_stiffness(E_star, {2.0 * B, 2.0 * A});
  const double depth = 1e-5, load = k * std::pow(depth, 1.5);
  // depth = p0 b/E* K(e),  A = p0 b/(E* e^2 a^2) (K - E),  B = p0 b/(E* e^2 a^2) (E a^2/b^2 - K).
  double worst = 1.0;
  for (double e = 0.90; e < 0.9999; e += 1e-6) {
    const double K = std::comp_ellint_1(e), E = std::comp_ellint_2(e);
    const double a = 3.0 * load * K / (2.0 * std::numbers::pi * depth * E_star);
    const double b = a * std::sqrt(1.0 - e * e);
    const double p0 = 1.5 * load / (std::numbers::pi * a * b);
    const double scale = p0 * b / (E_star * e * e * a * a);
    const double miss_A = scale * (K - E) / A - 1.0;
    const double miss_B = scale * (E / (1.0 - e * e) - K) / B - 1.0;
    worst = std::min(worst, std::hypot(miss_A, miss_B));
  }
  EXPECT_LT(worst, 1e-4);  // the grid of e resolves this
}

}  // namespace
}  // namespace grapple::contact
