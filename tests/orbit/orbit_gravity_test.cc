// Energy and momentum of trees in orbit.
#include <gtest/gtest.h>

#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/manifold.h"
#include "support.h"
#include "support/allocations.h"
#include "support/counted_malloc.h"

namespace grapple::orbit::testing {
namespace {

using test::RandomTree;

ReferenceOrbit orbit_with(Oblateness oblateness) {
  return {{7.2e6, 0.08, 0.9, 0.7, 1.2, 0.4}, Planet{}, oblateness};
}

// A tree without uniform gravity.
Model tree_in_free_fall(RandomTree& random) {
  ModelBuilder builder;
  const int bodies = random.integer(1, 5);
  for (int b = 0; b < bodies; ++b) {
    const std::string name = "b" + std::to_string(b);
    if (random.integer(0, 1) == 1) {
      builder.add_flexible_body(name, random.flexible_body(random.integer(1, 4), 0.1));
    } else {
      builder.add_body(name, random.mass_properties());
    }
    JointSpec spec;
    spec.name = "j" + std::to_string(b);
    spec.type = b == 0 ? JointType::kFree : random.joint_type();
    spec.pitch = 0.2;
    if (b > 0) spec.parent = "b" + std::to_string(random.integer(0, b - 1));
    spec.child = name;
    spec.X_PF = random.pose();
    spec.X_BM = random.pose();
    builder.add_joint(spec);
  }
  return builder.build();
}

class TreesInOrbit : public ::testing::TestWithParam<Oblateness> {};

// Magnified a million times: bodies of thousands of kilometres, so that every term of the potential
// counts and none hides behind rounding.
TEST_P(TreesInOrbit, EffortsAreMinusTheGradientOfTheStoredEnergy) {
  const ReferenceOrbit orbit({7.2, 0.08, 0.9, 0.7, 1.2, 0.4},
                             {.mu = 40.0, .radius = 6.4, .j2 = 1e-2}, GetParam());
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree random(seed);
    Model model = tree_in_free_fall(random);
    model::State state(model);
    random.fill(model, state);
    for (int k = 0; k < model.nq(); ++k) state.q[k] *= k < 3 ? 0.3 : 1.0;
    const int nv = model.nv();
    const System system = in_orbit(std::move(model), orbit, state.q, state.v);
    const VecX x = state_with(system, state.q, state.v);
    Snapshot<double> s(system);
    system.efforts<double>(0.7, view(x), s);
    const VecX tau = s.workspace.tau;
    const double scale = 1.0 + tau.norm();
    for (int k = 0; k < nv; ++k) {
      const auto energy = [&](double h) {
        VecX delta = VecX::Zero(nv), q = state.q;
        delta[k] = h;
        dynamics::move_positions(system.model(), delta, q);
        return stored(evaluated(system, 0.7, state_with(system, q, state.v)),
                      element::Stored::kGravity);
      };
      EXPECT_NEAR(tau[k], -derivative(energy, 1e-2), 1e-8 * scale) << "rate " << k;
    }
  }
}

// The same with beams that deploy and frames that slide along beams. The masses of a deploying
// beam's points change with its length, so that energy and efforts agree as far as its quadrature
// does.
TEST_P(TreesInOrbit, EffortsOnBeamsThatDeployAreTheGradient) {
  const ReferenceOrbit orbit({7.2, 0.08, 0.9, 0.7, 1.2, 0.4},
                             {.mu = 40.0, .radius = 6.4, .j2 = 1e-2}, GetParam());
  for (unsigned seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree random(seed);
    Model model = random.guided_model(random.integer(1, 2));
    model::State state(model);
    random.fill(model, state);
    const int nv = model.nv();
    const System system = in_orbit(std::move(model), orbit, state.q, state.v);
    const VecX x = state_with(system, state.q, state.v);
    Snapshot<double> s(system);
    system.efforts<double>(0.7, view(x), s);
    const VecX tau = s.workspace.tau;
    const double scale = 1.0 + tau.norm();
    for (int k = 0; k < nv; ++k) {
      const auto energy = [&](double h) {
        VecX delta = VecX::Zero(nv), q = state.q;
        delta[k] = h;
        dynamics::move_positions(system.model(), delta, q);
        const Snapshot<double> moved = evaluated(system, 0.7, state_with(system, q, state.v));
        return stored(moved, element::Stored::kGravity) -
               dynamics::gravity_energy(system.model(), moved.state, moved.workspace);
      };
      EXPECT_NEAR(tau[k], -derivative(energy, 1e-3), 1e-7 * scale) << "rate " << k;
    }
  }
}

TEST_P(TreesInOrbit, ExternalPowerIsTheExplicitChangeOfTheStoredEnergy) {
  const ReferenceOrbit orbit = orbit_with(GetParam());
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree random(seed);
    Model model = tree_in_free_fall(random);
    model::State state(model);
    random.fill(model, state);
    const System system = in_orbit(std::move(model), orbit, state.q, state.v);
    const VecX x = state_with(system, state.q, state.v);
    const auto energy = [&](double h) {
      return stored(evaluated(system, 900.0 + h, x), element::Stored::kGravity);
    };
    const Snapshot<double> s = evaluated(system, 900.0, x);
    const double power = supply(s, element::Supply::kExternal);
    // The power is V times the difference of two accelerations, each rounded; those of J2 are 1e-2
    // m/s^2 for every body, those of the central field n^2 times some metres.
    const double acceleration = GetParam() == Oblateness::kJ2 ? 2e-2 : 1e-5;
    EXPECT_NEAR(power, derivative(energy, 20.0),
                1e-15 * system.model().total_mass() * orbit.at(900.0).V.norm() * acceleration);
  }
}

INSTANTIATE_TEST_SUITE_P(PlainAndOblate, TreesInOrbit,
                         ::testing::Values(Oblateness::kNone, Oblateness::kJ2));

// A dumbbell of two heavy bodies and a spinning wheel, adrift for two orbits.
Model spacecraft() {
  ModelBuilder builder;
  builder.add_body("craft", lump(800.0, {0.3, -0.2, 0.1}, {900.0, 1200.0, 600.0}));
  builder.add_body("boom", lump(120.0, {20.0, 0.0, 0.0}, {4.0, 9000.0, 9000.0}));
  builder.add_joint(joint("craft", JointType::kFree, "world", "craft"));
  builder.add_joint(
      joint("hinge", JointType::kUniversal, "craft", "boom", Mat3::Identity(), {1.0, 0.0, 0.0}));
  return builder.build();
}

struct AboutThePlanet {
  double energy = 0.0;
  Vec3 angular = Vec3::Zero();

  AboutThePlanet(const System& system, const ReferenceOrbit& orbit, double t, const VecX& x) {
    const Snapshot<double> s = evaluated(system, t, x);
    const OrbitPoint p = orbit.at(t);
    const auto m = dynamics::mass_moments(system.model(), s.state, s.workspace, Vec3::Zero());
    angular = m.angular + p.R.cross(m.linear) + m.first_moment.cross(p.V) + m.mass * p.R.cross(p.V);
    // Kinetic energy in inertial axes and the whole potential, gathered from the relative ones.
    const double relative =
        stored(s, element::Stored::kKinetic) + stored(s, element::Stored::kGravity);
    const double mu = orbit.planet().mu;
    energy = relative + p.V.dot(m.linear) + p.R.dot(m.first_moment) * mu / std::pow(p.radius, 3) +
             m.mass * (0.5 * p.V.squaredNorm() - mu / p.radius);
  }
};

TEST(OrbitGravity, KeepsEnergyAndAngularMomentumAboutThePlanet) {
  const ReferenceOrbit orbit({6.9e6, 0.05, 0.9, 0.7, 1.2, 0.4}, Planet{}, Oblateness::kNone);
  Model model = spacecraft();
  VecX q = model::State(model).q, v = VecX::Zero(model.nv());
  q.head(3) = Vec3(50.0, -30.0, 20.0);
  q[7] = 0.4;
  v.head(3) = Vec3(0.02, -0.03, 0.01);
  v.segment(3, 3) = Vec3(1e-3, 2e-3, -1e-3);
  v[6] = 2e-4;
  System system = in_orbit(std::move(model), orbit, q, v);
  const double end = 2.0 * orbit.period();
  const AboutThePlanet before(system, orbit, 0.0, system.initial_state());
  const VecX x = run_to(system, end, 1e-12);
  const AboutThePlanet after(system, orbit, end, x);
  // Sums of terms as large as m R V and m V^2/2 round at 1e-16 of them; the integration adds 1e-12
  // of the relative motion, which is smaller still.
  EXPECT_LT((after.angular - before.angular).norm(), 1e-14 * before.angular.norm());
  EXPECT_NEAR(after.energy, before.energy, 1e-14 * std::abs(before.energy));
  // The ledger sees the relative energies alone, and so many more digits.
  const Snapshot<double> s = evaluated(system, end, x);
  const double kinetic = stored(s, element::Stored::kKinetic);
  EXPECT_LT(std::abs(value(system, s, "energy/residual")), 1e-9 * kinetic);
  EXPECT_GT(std::abs(s.work[static_cast<std::size_t>(element::Supply::kExternal)]), 1e-4 * kinetic);
}

TEST(OrbitGravity, LedgerClosesWithOblateness) {
  const ReferenceOrbit orbit({6.9e6, 0.01, 0.9, 0.7, 1.2, 0.4}, Planet{}, Oblateness::kJ2);
  Model model = spacecraft();
  VecX q = model::State(model).q, v = VecX::Zero(model.nv());
  v.segment(3, 3) = Vec3(1e-3, 2e-3, -1e-3);
  System system = in_orbit(std::move(model), orbit, q, v);
  const VecX x = run_to(system, orbit.period(), 1e-12);
  const Snapshot<double> s = evaluated(system, orbit.period(), x);
  EXPECT_LT(std::abs(value(system, s, "energy/residual")),
            1e-10 * stored(s, element::Stored::kKinetic));
}

TEST(OrbitGravity, TakesNothingFromFreeFallWithoutItsField) {
  const ReferenceOrbit orbit = circular();
  Model model = spacecraft();
  VecX q = model::State(model).q, v = VecX::Zero(model.nv());
  v.segment(3, 3) = Vec3(0.1, 0.2, -0.1);
  v[6] = 0.3;
  System in = in_orbit(spacecraft(), orbit, q, v, FieldUse::kNone);
  system::SystemParts parts;
  parts.model = spacecraft();
  parts.q = q;
  parts.v = v;
  System out(std::move(parts));
  const VecX a = run_to(in, 100.0), b = run_to(out, 100.0);
  EXPECT_EQ((a - b).head(in.dynamic_size()).norm(), 0.0);
}

TEST(OrbitGravity, AllocatesNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizers own malloc";
  RandomTree random(3);
  Model model = tree_in_free_fall(random);
  model::State state(model);
  random.fill(model, state);
  const System system = in_orbit(std::move(model), orbit_with(Oblateness::kJ2), state.q, state.v);
  const VecX x = state_with(system, state.q, state.v);
  Snapshot<double> s(system);
  system.evaluate<double>(0.0, view(x), s);
  const long before = allocations;
  system.evaluate<double>(1.0, view(x), s);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace grapple::orbit::testing
