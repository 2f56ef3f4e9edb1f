// Volumetric contact as an element: energy, momentum, rolling and spinning resistance.
#include "grapple/contact/patch_contact.h"

#include <gtest/gtest.h>

#include <numbers>

#include "grapple/contact/patch_friction.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using std::numbers::pi;

constexpr double kPatchFoundation = 1e7;  // N/m^3

System on_moving_ground(const geometry::Shape& shape,
                        std::shared_ptr<const contact::FrictionLaw> friction,
                        const geometry::Shape& ground = geometry::HalfSpace{},
                        double relaxation = 0.0, const contact::RollingResistance& rolling = {},
                        contact::FirstNamed first = contact::FirstNamed::kA) {
  ModelBuilder builder;
  builder.add_body("body", {1.0, Vec3::Zero(), Vec3(0.02, 0.03, 0.04).asDiagonal()});
  builder.add_body("ground", {5.0, Vec3::Zero(), Mat3::Identity()});
  Model model = builder.build();
  contact::PatchContact pair{
      "contact/c",
      model.frames()[1],
      model.frames()[2],
      geometry::overlap_patches(shape, ground, geometry::NormalRule::kArea),
      {kPatchFoundation, contact::DampingRule::kExact, {0.5, 0.0}, 1e-3, rolling},
      std::move(friction),
      relaxation,
      geometry::extent_of(shape),
      geometry::extent_of(ground),
      first,
      contact::outline_of(shape, ground)};
  return system_of(std::move(model), elements(contact::make_patch_contact(std::move(pair))));
}

// Overlapping, approaching, turning, sliding; patch_bristles bent.
VecX some_state(System& system, unsigned seed) {
  test::RandomTree random(seed);
  VecX x = random_state(system, random);
  const model::Model& model = system.model();
  const int second = model.link(2).q_index;
  x.head<3>().setZero();
  x.segment<3>(second).setZero();
  system.project(0.0, view(x));
  const Snapshot<double> s = evaluated(system, 0.0, x);
  const Vec3 up = s.workspace.motion[2].R_WL.col(2);
  x.head<3>() = 0.08 * up;
  x.segment<3>(model.nq()) -= 5.0 * up;
  system.commit(0.0, view(x));
  x.segment(model.nq() + model.nv(), system.z_count()) += VecX::Constant(system.z_count(), 2e-5);
  return x;
}

std::shared_ptr<const contact::FrictionLaw> patch_bristles() {
  return contact::make_patch_friction(
      contact::BristleFriction{0.4, 0.3, 1e3, 20.0, 0.05, 1.5, 0.1, 0.0}, {});
}

const contact::SpinFriction kEllipse{contact::SpinFriction::Surface::kEllipse, 1.0};

std::shared_ptr<const contact::FrictionLaw> coulomb(const contact::SpinFriction& spin = {}) {
  return contact::make_patch_friction(contact::CoulombFriction{0.2, 0.0, 1e-9}, spin);
}

// A floor of four boxes that meet under the origin.
geometry::Shape tiles() {
  auto parts = std::make_shared<std::vector<geometry::Cell>>();
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      parts->push_back({geometry::Box{{0.5, 0.5, 0.02}, 0.0}, {Mat3::Identity(), {x, y, 0.0}}});
    }
  }
  return geometry::Cells{parts};
}

// The box came down at 0.4 m/s on one tile and slides on to the next, which it meets at no speed:
// the new patch is damped as that impact and its patch_bristles are bent as the old ones.
TEST(PatchContact, ANewCellTakesOverDampingAndBristlesOfItsNeighbour) {
  const geometry::Box box{{0.1, 0.1, 0.1}, 0.0};
  System system = on_moving_ground(box, patch_bristles(), tiles());
  const int nq = system.model().nq(), z = nq + system.model().nv(),
            per_patch = (system.z_count() - 1) / 4;
  VecX x = system.initial_state();
  x.segment<3>(0) = Vec3(-0.2, -0.3, 0.119);  // over the first tile only
  x[nq + 2] = -0.4;
  system.commit(0.0, view(x));
  for (int k = 0; k < per_patch; ++k) x[z + k] = 1e-5 * (k + 1);
  x[0] = -0.09;  // a tenth of it over the third tile, with no speed
  x[nq + 2] = 0.0;
  system.commit(0.0, view(x));
  for (int k = 0; k < per_patch; ++k) {
    EXPECT_EQ(x[z + 2 * per_patch + k], 1e-5 * (k + 1)) << k;
    EXPECT_EQ(x[z + per_patch + k], 0.0) << k;  // the second tile is not touched
  }
  const auto pressure = [&](double down) {
    x[nq + 2] = -down;
    return value(system, evaluated(system, 0.0, x), "contact/c/normal_force");
  };
  const double damping = pressure(0.1) / pressure(0.0) - 1.0;  // a v, with one a for both patches
  EXPECT_NEAR(damping,
              0.1 * contact::damping_factor(contact::DampingRule::kExact, {0.5, 0.0}, 1e-3, 0.4),
              1e-2 * damping);  // inner faces tilt the normals by depth/width
}

TEST(PatchContact, BooksEveryJouleAndKeepsMomentum) {
  double worst = 0.0;
  const geometry::Box box{{0.1, 0.1, 0.1}, 0.0};
  const geometry::Sphere ball{0.1};
  const geometry::HalfSpace plane;
  const geometry::Shape slab = geometry::Box{{1.0, 1.0, 0.02}, 0.0};  // energy by its work
  const std::pair<geometry::Shape, geometry::Shape> pairs[] = {
      {ball, plane},
      {box, plane},
      {box, slab},
      {ball, slab},
      {geometry::Ellipsoid{{0.2, 0.12, 0.1}}, plane},
      {geometry::Cylinder{0.1, 0.1}, slab},
      {box, tiles()},
      {geometry::Torus{0.15, 0.09}, plane}};
  for (unsigned seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    const auto& [shape, ground] = pairs[seed % std::size(pairs)];
    System system = on_moving_ground(shape, patch_bristles(), ground);
    const VecX x = some_state(system, seed);
    const Snapshot<double> s = evaluated(system, 0.0, x);
    ASSERT_GT(value(system, s, "contact/c/normal_force"), 1.0);
    const VecX rate = rate_of(system, s);
    const Snapshot<Dual> along = evaluated_along(system, 0.0, x, rate);
    double sum = 0.0, scale = 1.0;
    for (const Dual& part : along.energies.stored) {
      sum += part.d[0];
      scale += std::abs(part.d[0]);
    }
    for (const double power : s.energies.supply) sum -= power;
    worst = std::max(worst, std::abs(sum) / scale);
    EXPECT_LT(std::abs(sum) / scale, 1e-10);  // exact derivatives: rounding only
    EXPECT_LT(supply(s, element::Supply::kDamping), 0.0);
    for (const char* axis : {"x", "y", "z"}) {
      for (const char* kind : {"momentum/linear_", "momentum/angular_"}) {
        const int channel = system.find_channel(std::string(kind) + axis);
        const Dual p =
            channel_value(system, system.channels()[static_cast<std::size_t>(channel)], along);
        EXPECT_NEAR(p.d[0], 0.0, 1e-9);  // N, of forces of some 10 kN
      }
    }
  }
  std::printf("worst relative imbalance %.1e\n", worst);
}

// A box found 1 mm deep in the ground, with a time constant of 0.5 s: V/V_0 = d/d_0.
TEST(PatchContact, RelaxationLetsAnOverlapPushGently) {
  System system =
      on_moving_ground(geometry::Box{{0.1, 0.1, 0.1}, 0.0}, coulomb(), geometry::HalfSpace{}, 0.5);
  VecX x = system.initial_state();
  const auto force = [&](double t, double depth) {
    x[2] = 0.1 - depth;
    return value(system, evaluated(system, t, x), "contact/c/normal_force");
  };
  x[2] = 0.1 - 1e-3;
  EXPECT_TRUE(system.commit(2.0, view(x)));  // found at 2 s
  const double full = kPatchFoundation * 0.04 * 1e-3;
  EXPECT_NEAR(force(2.0, 1e-3), 0.0, 1e-12 * full);
  EXPECT_EQ(force(2.0, 0.5e-3), 0.0);  // above where it was found: nothing is squeezed
  EXPECT_NEAR(force(2.0, 1.5e-3), 0.5 * full, 1e-9 * full);
  EXPECT_NEAR(force(2.5, 1e-3), (1.0 - std::exp(-1.0)) * full, 1e-9 * full);
  EXPECT_NEAR(force(30.0, 1e-3), full, 1e-9 * full);
  // Of a prism the ledger is exact: 1/2 k A d_r^2, and d_0/tau exp(-t/tau) k A d_r put in.
  x[2] = 0.1 - 1.5e-3;
  const Snapshot<double> s = evaluated(system, 2.0, x);
  EXPECT_NEAR(supply(s, element::Supply::kExternal), 0.5 * full * 1e-3 / 0.5, 1e-9 * full);
  x[2] = 0.1 + 1e-6;
  EXPECT_TRUE(system.commit(31.0, view(x)));
  EXPECT_EQ(system.modes().memory, std::vector<double>(8, 0.0));
}

TEST(PatchContact, RelaxationBooksEveryJoule) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const geometry::Shape shapes[] = {geometry::Sphere{0.1}, geometry::Box{{0.1, 0.1, 0.1}, 0.0}};
    const geometry::Shape grounds[] = {geometry::HalfSpace{}, geometry::Box{{1.0, 1.0, 0.02}, 0.0}};
    System system =
        on_moving_ground(shapes[seed % 2], patch_bristles(), grounds[seed / 2 % 2], 0.3);
    VecX x = some_state(system, seed);
    const double t = 0.2;  // after being found
    const Snapshot<double> s = evaluated(system, t, x);
    ASSERT_GT(value(system, s, "contact/c/normal_force"), 1.0);
    ASSERT_GT(supply(s, element::Supply::kExternal), 0.0);
    const Snapshot<Dual> along = evaluated_along(system, t, x, rate_of(system, s));
    double sum = 0.0, scale = 1.0;
    for (const Dual& part : along.energies.stored) {
      sum += part.d[0];
      scale += std::abs(part.d[0]);
    }
    for (const double power : s.energies.supply) sum -= power;
    EXPECT_LT(std::abs(sum) / scale, 1e-10);  // exact derivatives: rounding only
  }
}

// A ball at rest on the ground but for a given turn.
struct Turning {
  System system;
  Snapshot<double> s;
  Turning(std::shared_ptr<const contact::FrictionLaw> friction, const Vec3& omega, const Vec3& v)
      : system(on_moving_ground(geometry::Sphere{0.1}, std::move(friction))), s(system) {
    VecX x = system.initial_state();
    x[2] = 0.1 - 2.5e-3;
    system.commit(0.0, view(x));
    x.segment<3>(system.model().nq()) = v;
    x.segment<3>(system.model().nq() + 3) = omega;
    system.evaluate<double>(0.0, view(x), s);
  }
  double get(const char* channel) const { return value(system, s, channel); }
};

// Patch radius c = sqrt(2 R d) for small depth; the source's lever is c/sqrt 3, the exact torque of
// a parabolic pressure 8/15 mu N c. The cap of this depth is (d/R)-close to a paraboloid.
TEST(PatchContact, ASpinningBallFeelsTheTorqueOfTheSourceOrTheExactOne) {
  const double c = std::sqrt(2.0 * 0.1 * 2.5e-3 - 2.5e-3 * 2.5e-3);
  const Turning source(coulomb(kEllipse), {0, 0, 3.0}, Vec3::Zero());
  const double N = source.get("contact/c/normal_force");
  EXPECT_NEAR(source.get("contact/c/spin_torque") / (-0.2 * N * c), 1.0 / std::sqrt(3.0), 3e-3);
  const contact::SpinFriction ball{kEllipse.surface, contact::kBallLeverShare};
  for (const contact::SpinFriction& spin : {ball, contact::SpinFriction{}}) {
    const Turning exact(coulomb(spin), {0, 0, 3.0}, Vec3::Zero());
    EXPECT_NEAR(exact.get("contact/c/spin_torque") / (-0.2 * N * c), 8.0 / 15.0, 3e-3);
  }
  EXPECT_EQ(source.get("contact/c/friction_force"), 0.0);
}

TEST(PatchContact, ContensouFactorsShareFrictionBetweenSlidingAndSpinning) {
  for (const double speed : {0.0, 0.01, 0.05, 0.3, 10.0}) {
    const Turning ball(coulomb(kEllipse), {0, 0, 3.0}, {speed, 0, 0});
    const double limit = 0.2 * ball.get("contact/c/normal_force");
    const double force = ball.get("contact/c/friction_force") / limit;
    const double torque = ball.get("contact/c/spin_torque") / (limit * ball.get("contact/c/lever"));
    EXPECT_NEAR(force * force + torque * torque, 1.0, 1e-12) << speed;
    EXPECT_NEAR(force / -torque, speed / (3.0 * ball.get("contact/c/lever")),
                1e-9 * (1.0 + force / -torque));
  }
}

// A ball at rest on the ground but for a roll, put down at a given speed.
double rolling_torque(const contact::RollingResistance& rolling, double impact_speed, double rate) {
  System system =
      on_moving_ground(geometry::Sphere{0.1}, coulomb(), geometry::HalfSpace{}, 0.0, rolling);
  VecX x = system.initial_state();
  x[2] = 0.1 - 2.5e-3;
  x[system.model().nq() + 2] = -impact_speed;
  system.commit(0.0, view(x));
  x.segment<3>(system.model().nq()) = Vec3(0.0, 0.4, 0.0);
  x.segment<3>(system.model().nq() + 3) = Vec3(rate, 0.0, 0.0);
  return value(system, evaluated(system, 0.0, x), "contact/c/rolling_torque");
}

// Of the cap about an axis of its plane, and its volume.
struct Cap {
  double R = 0.1, d = 2.5e-3;
  double volume = pi * d * d * (R - d / 3.0);
  double J_n = pi * d * d * d / 30.0 * (20.0 * R * R - 15.0 * R * d + 3.0 * d * d);
};

// The torque of the source, -k_v a J w: a from e and the impact speed, J of the cap.
TEST(PatchContact, TheSourcesRollingTorqueFollowsTheImpact) {
  const contact::RollingResistance source{contact::RollingResistance::Law::kImpact, {}};
  const double a = 1432.751;  // e = 0.5, a contact begun at rest: D / 1 mm/s
  const double torque = kPatchFoundation * a * 0.5 * Cap{}.J_n * 4.0;
  // Slow enough that the centre of pressure stays in the patch; J across is J_n/2 but for terms of
  // order d/R.
  EXPECT_NEAR(rolling_torque(source, 0.0, 0.1) / torque, 0.1 / 4.0, 0.01 * 0.1 / 4.0);
  EXPECT_NEAR(rolling_torque(source, 0.1, 4.0) / torque, 0.01, 1e-4);
}

TEST(PatchContact, RollingResistanceDoesNotDependOnHowTheContactBegan) {
  using Law = contact::RollingResistance::Law;
  for (const contact::RollingResistance& rolling :
       {contact::RollingResistance{}, contact::RollingResistance{Law::kLoss, 0.2},
        contact::RollingResistance{Law::kLever, 1e-4}}) {
    for (const double rate : {1e-3, 0.1, 4.0}) {
      const double put_down = rolling_torque(rolling, 0.0, rate);
      EXPECT_GT(put_down, 0.0);
      for (const double speed : {1e-3, 0.1, 3.0}) {
        EXPECT_EQ(rolling_torque(rolling, speed, rate), put_down) << speed << " " << rate;
      }
    }
  }
}

// Fast rolling: b N; or the loss times half the mean distance of the load from the middle, of a
// round parabolic pressure 8/15 a N/pi.
TEST(PatchContact, RollingResistanceIsTheLeverOrTheLossOfTheClosingSide) {
  using Law = contact::RollingResistance::Law;
  const double N = kPatchFoundation * Cap{}.volume, c = std::sqrt(2.0 * 0.1 * 2.5e-3);
  for (const double rate : {1.0, 4.0, 40.0}) {
    EXPECT_NEAR(rolling_torque({Law::kLever, 3e-4}, 0.0, rate) / (3e-4 * N), 1.0, 1e-12);
    // The closing side of this patch is 0.416, the law has 0.42 for all.
    EXPECT_NEAR(rolling_torque({Law::kLoss, 0.2}, 0.0, rate) / (0.2 * 8.0 / 15.0 / pi * c * N), 1.0,
                0.015);
    EXPECT_NEAR(rolling_torque({}, 0.0, rate),
                0.75 / 0.2 * rolling_torque({Law::kLoss, 0.2}, 0, rate),
                1e-9 * N);  // e = 0.5
    EXPECT_EQ(rolling_torque({Law::kLoss, 0.0}, 0.0, rate), 0.0);
  }
  // Slow: viscous, 0.42/v_slow, whatever the limit.
  const double slow = rolling_torque({Law::kLever, 3e-4}, 0.0, 1e-6);
  EXPECT_NEAR(slow / (kPatchFoundation * 420.0 * 0.5 * Cap{}.J_n * 1e-6), 1.0, 0.01);
  EXPECT_NEAR(rolling_torque({Law::kLoss, 0.9}, 0.0, 1e-6) / slow, 1.0, 1e-3);
}

// The channels show the force on the shape named first; all else is the same from both sides.
TEST(PatchContact, ReportsTheForceOnTheShapeNamedFirst) {
  const auto values = [](contact::FirstNamed first) {
    System system = on_moving_ground(geometry::Box{{0.1, 0.1, 0.1}, 0.0}, patch_bristles(),
                                     geometry::HalfSpace{}, 0.0, {}, first);
    const VecX x = some_state(system, 3);
    const Snapshot<double> s = evaluated(system, 0.0, x);
    std::vector<double> all;
    for (const char* name : {"force_x", "force_y", "force_z", "normal_force", "friction_force",
                             "point_x", "point_y", "point_z", "slip_speed", "spin", "spin_torque",
                             "rolling_torque", "gap", "loss", "energy"}) {
      all.push_back(value(system, s, std::string("contact/c/") + name));
    }
    return all;
  };
  const std::vector<double> a = values(contact::FirstNamed::kA),
                            b = values(contact::FirstNamed::kB);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(b[k], k < 3 ? -a[k] : a[k]) << k;
}

TEST(PatchContact, RemembersWhereItWasTooDeep) {
  System system = on_moving_ground(geometry::Sphere{0.1}, coulomb());
  VecX x = system.initial_state();
  const auto commit = [&](double t, double depth) {
    x[2] = 0.1 - depth;
    system.commit(t, view(x));
  };
  commit(0.0, 1e-3);
  commit(0.1, 0.02);
  EXPECT_TRUE(system.cautions().empty());
  commit(0.2, 0.06);
  commit(0.3, 0.09);
  commit(0.4, 0.03);
  ASSERT_EQ(system.cautions().size(), 1u);
  EXPECT_NE(
      system.cautions()[0].find("contact/c: its shapes were 0.09 m deep in each other at 0.3 s"),
      std::string::npos)
      << system.cautions()[0];
}

}  // namespace
}  // namespace grapple::system::testing
