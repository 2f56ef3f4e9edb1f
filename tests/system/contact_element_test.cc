// Point contact as an element: momentum, energy, memory, derivatives.
#include "grapple/contact/contact_element.h"

#include <gtest/gtest.h>

#include "grapple/geometry/touch/touch_sites.h"
#include "support.h"
#include "system/contact_support.h"

namespace grapple::system::testing {
namespace {

contact::PointContact point_contact_of(const Model& model, const geometry::Shape& a,
                                       const geometry::Shape& b,
                                       std::shared_ptr<const contact::FrictionLaw> friction) {
  contact::PointContact pair{
      "contact/c", model.frames()[1], model.frames()[2], {}, std::move(friction)};
  for (const auto& query : geometry::touch_sites(a, b).queries) {
    pair.sites.push_back({query, contact::make_normal_law(
                                     {1e5, 1.5, contact::DampingRule::kExact, {0.5, 0.0}, 1e-3})});
  }
  return pair;
}

// Two free bodies whose frames carry the shapes.
Model two_free_bodies() {
  ModelBuilder builder;
  builder.add_body("one", {1.0, Vec3::Zero(), 0.01 * Mat3::Identity()});
  builder.add_body("two", {2.0, Vec3::Zero(), Vec3(0.02, 0.03, 0.04).asDiagonal()});
  return builder.build();
}

// Positions so close that the shapes overlap, with random turns, speeds and bristles.
VecX overlapping_state(const System& system, unsigned seed, double distance) {
  test::RandomTree random(seed);
  VecX x = random_state(system, random);
  x.head<3>() = Vec3(0.2, 0.3, 0.4);
  const int second = system.model().link(2).q_index;
  const Vec3 apart(0.36, 0.48, 0.8);
  x.segment<3>(second) = Vec3(0.2, 0.3, 0.4) - distance * apart;
  x.segment<3>(system.model().nq()) -= 5.0 * apart;  // faster than the random speeds: approaching
  system.project(0.0, view(x));
  x.segment(system.model().nq() + system.model().nv(), system.z_count()) *= 1e-4;
  return x;
}

TEST(ContactElement, BooksEveryJouleAndKeepsMomentum) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Model model = two_free_bodies();
    contact::PointContact pair =
        point_contact_of(model, geometry::Sphere{kRadius}, geometry::Sphere{0.15}, bristles());
    System system =
        system_of(std::move(model), elements(contact::make_point_contact(std::move(pair))));
    VecX x = overlapping_state(system, seed, 0.23);
    system.commit(0.0, view(x));
    x.segment(system.model().nq() + system.model().nv(), 3).setConstant(2e-4);
    const Snapshot<double> s = evaluated(system, 0.0, x);
    ASSERT_GT(value(system, s, "contact/c/normal_force"), 1.0);
    const VecX rate = rate_of(system, s);
    const Snapshot<Dual> along = evaluated_along(system, 0.0, x, rate);
    double sum = 0.0, scale = 1.0;
    for (const Dual& stored : along.energies.stored) {
      sum += stored.d[0];
      scale += std::abs(stored.d[0]);
    }
    for (const double power : s.energies.supply) sum -= power;
    EXPECT_LT(std::abs(sum) / scale, 1e-11);  // exact derivatives: rounding only
    worst = std::max(worst, std::abs(sum) / scale);
    EXPECT_NE(supply(s, element::Supply::kFriction), 0.0);
    EXPECT_GT(stored(s, element::Stored::kContact), 0.0);
    for (const char* axis : {"x", "y", "z"}) {
      for (const char* kind : {"momentum/linear_", "momentum/angular_"}) {
        const int channel = system.find_channel(std::string(kind) + axis);
        const Dual p =
            channel_value(system, system.channels()[static_cast<std::size_t>(channel)], along);
        EXPECT_NEAR(p.d[0], 0.0, 1e-10);  // N, of forces of some 1000 N
      }
    }
  }
  std::printf("worst relative imbalance %.1e\n", worst);
}

// Stiffness that follows the point: of tips, flanks and saddles.
contact::PointContact following(contact::PointContact pair) {
  for (contact::ContactSite& site : pair.sites) site.rest_stiffness = 0.4;  // k_0/E*, any
  return pair;
}

struct RollingPair {
  const char* name;
  geometry::Shape a, b;
  double distance;
};

// A random state with the first body moved along the normal until it is 5 mm deep in the second.
VecX rolling_state(const System& system, const RollingPair& rolling, unsigned seed) {
  VecX x = overlapping_state(system, seed, rolling.distance);
  const auto query = geometry::touch_sites(rolling.a, rolling.b).queries.front();
  for (int k = 0; k < 30; ++k) {
    const Snapshot<double> s = evaluated(system, 0.0, x);
    const auto a = dynamics::frame_motion(system.model().frames()[1], s.workspace);
    const auto b = dynamics::frame_motion(system.model().frames()[2], s.workspace);
    const auto w = (*query)(geometry::Placement<double>{a.R_WF, a.p_WF}, {b.R_WF, b.p_WF});
    x.head<3>() -= (w.gap + 5e-3) * w.normal_W;
  }
  return x;
}

std::vector<RollingPair> rolling_pairs() {
  return {
      {"ellipsoids", geometry::Ellipsoid{{0.2, 0.1, 0.14}}, geometry::Ellipsoid{{0.12, 0.2, 0.16}},
       0.23},
      {"ball on ellipsoid", geometry::Sphere{0.1}, geometry::Ellipsoid{{0.12, 0.2, 0.16}}, 0.2},
      {"ellipsoid on plane", geometry::Ellipsoid{{0.2, 0.1, 0.14}}, geometry::HalfSpace{}, 0.05},
      {"ball on torus", geometry::Sphere{0.1}, geometry::Torus{0.3, 0.12}, 0.3}};
}

TEST(ContactElement, StiffnessThatFollowsThePointKeepsEnergyAndMomentum) {
  for (const RollingPair& rolling : rolling_pairs()) {
    int touching = 0;
    for (unsigned seed = 0; seed < 30; ++seed) {
      SCOPED_TRACE(rolling.name + std::string(" ") + std::to_string(seed));
      Model model = two_free_bodies();
      contact::PointContact pair =
          following(point_contact_of(model, rolling.a, rolling.b, contact::make_frictionless()));
      for (contact::ContactSite& site :
           pair.sites) {  // elastic: nothing but the ledger's `contact`
        site.normal =
            contact::make_normal_law({1e5, 1.5, contact::DampingRule::kExact, {1.0, 0.0}, 1e-3});
      }
      System system =
          system_of(std::move(model), elements(contact::make_point_contact(std::move(pair))));
      VecX x = rolling_state(system, rolling, seed);
      system.commit(0.0, view(x));
      const Snapshot<double> s = evaluated(system, 0.0, x);
      if (std::abs(value(system, s, "contact/c/gap") + 5e-3) > 1e-9) continue;
      ++touching;
      const Snapshot<Dual> along = evaluated_along(system, 0.0, x, rate_of(system, s));
      double sum = 0.0, scale = 1.0;
      for (const Dual& stored : along.energies.stored) {
        sum += stored.d[0];
        scale += std::abs(stored.d[0]);
      }
      EXPECT_LT(std::abs(sum) / scale, 1e-7);  // the gap of two convex bodies is known to 1e-8
      for (const char* axis : {"x", "y", "z"}) {
        for (const char* kind : {"momentum/linear_", "momentum/angular_"}) {
          const int channel = system.find_channel(std::string(kind) + axis);
          const Dual p =
              channel_value(system, system.channels()[static_cast<std::size_t>(channel)], along);
          EXPECT_NEAR(p.d[0], 0.0, 1e-9);  // N, of forces of some 1000 N
        }
      }
    }
    EXPECT_GT(touching, 10) << rolling.name;
  }
}

TEST(ContactElement, JacobianKnowsHowStiffnessFollowsThePoint) {
  for (const RollingPair& rolling : rolling_pairs()) {
    Model model = two_free_bodies();
    contact::PointContact pair =
        following(point_contact_of(model, rolling.a, rolling.b, contact::make_frictionless()));
    System system =
        system_of(std::move(model), elements(contact::make_point_contact(std::move(pair))));
    SCOPED_TRACE(rolling.name);
    VecX x = rolling_state(system, rolling, 1);
    ASSERT_NEAR(value(system, evaluated(system, 0.0, x), "contact/c/gap"), -5e-3, 1e-9);
    system.commit(0.0, view(x));
    const auto n = static_cast<std::size_t>(system.size());
    std::vector<double> J(n * n);
    JacobianScratch scratch(system);
    system.jacobian(0.0, view(x), J, scratch);
    double largest = 0.0;
    for (const double entry : J) largest = std::max(largest, std::abs(entry));
    for (int column = 0; column < system.dynamic_size(); ++column) {
      const double h = 1e-6;
      VecX up = x, down = x;
      up[column] += h;
      down[column] -= h;
      const VecX difference = (rate_of(system, evaluated(system, 0.0, up)) -
                               rate_of(system, evaluated(system, 0.0, down))) /
                              (2.0 * h);
      for (int row = 0; row < system.dynamic_size(); ++row) {
        const double exact =
            J[static_cast<std::size_t>(column) * n + static_cast<std::size_t>(row)];
        EXPECT_NEAR(exact, difference[row], 1e-6 * largest) << row << " " << column;
      }
    }
  }
}

// A ball above the world's floor.
System ball_on_floor(std::shared_ptr<const contact::FrictionLaw> friction) {
  ModelBuilder builder;
  builder.add_body("ball", {1.0, Vec3::Zero(), 0.004 * Mat3::Identity()});
  builder.add_frame("floor", "world", {});
  Model model = builder.build();
  contact::PointContact pair =
      point_contact_of(model, geometry::Sphere{kRadius}, geometry::HalfSpace{}, friction);
  pair.a = model.frames()[1];
  pair.b = model.frames()[static_cast<std::size_t>(model.find_frame("floor"))];
  return system_of(std::move(model), elements(contact::make_point_contact(std::move(pair))));
}

VecX ball_state(const System& system, double height, double climb) {
  VecX x = system.initial_state();
  x[2] = height;
  x[7 + 2] = climb;
  return x;
}

TEST(ContactElement, LatchesTheImpactSpeedAtTouchAndForgetsItAtRelease) {
  System system = ball_on_floor(bristles());
  VecX x = ball_state(system, kRadius + 1e-3, -2.0);
  EXPECT_FALSE(system.commit(0.0, view(x)));  // apart
  x = ball_state(system, kRadius, -2.0);      // as a located event leaves it
  EXPECT_TRUE(system.commit(0.0, view(x)));
  x = ball_state(system, kRadius - 1e-3, -1.0);
  EXPECT_FALSE(system.commit(0.0, view(x)));  // nothing changes while it lasts
  EXPECT_EQ(value(system, evaluated(system, 0.0, x), "contact/c/impact_speed"), 2.0);
  const double damped = value(system, evaluated(system, 0.0, x), "contact/c/normal_force");
  // Damping number 1.432751 for e = 0.5 (benchmark page), at half the impact speed.
  EXPECT_NEAR(damped, 1e5 * std::pow(1e-3, 1.5) * (1.0 + 0.5 * 1.432751), 1e-5);
  x = ball_state(system, kRadius + 1e-9, 1.0);
  x[13] = 1e-4;  // a bent bristle
  EXPECT_TRUE(system.commit(0.0, view(x)));
  EXPECT_EQ(x[13], 0.0);
  EXPECT_EQ(system.modes().memory, std::vector<double>(8, 0.0));
}

TEST(ContactElement, ABallThatLeavesIsNotCaughtByRounding) {
  System system = ball_on_floor(contact::make_frictionless());
  VecX x = ball_state(system, kRadius - 1e-6, 1.0);
  system.commit(0.0, view(x));
  x = ball_state(system, kRadius, 1.0);  // gap 0, leaving
  EXPECT_TRUE(system.commit(0.0, view(x)));
  EXPECT_FALSE(system.commit(0.0, view(x)));
  EXPECT_EQ(value(system, evaluated(system, 0.0, x), "contact/c/normal_force"), 0.0);
}

// Started 1 mm deep with a time constant of 0.5 s.
TEST(ContactElement, RelaxationLetsAnOverlapPushGently) {
  ModelBuilder builder;
  builder.add_body("ball", {1.0, Vec3::Zero(), 0.004 * Mat3::Identity()});
  builder.add_frame("floor", "world", {});
  Model model = builder.build();
  contact::PointContact pair =
      point_contact_of(model, geometry::Sphere{kRadius}, geometry::HalfSpace{}, bristles());
  pair.a = model.frames()[1];
  pair.b = model.frames()[static_cast<std::size_t>(model.find_frame("floor"))];
  pair.relaxation = 0.5;
  System system =
      system_of(std::move(model), elements(contact::make_point_contact(std::move(pair))));
  VecX x = ball_state(system, kRadius - 1e-3, 0.0);
  system.commit(1.0, view(x));
  EXPECT_EQ(value(system, evaluated(system, 1.0, x), "contact/c/normal_force"), 0.0);
  const Snapshot<double> later = evaluated(system, 1.5, x);
  const double counted = 1e-3 * (1.0 - std::exp(-1.0));
  EXPECT_NEAR(value(system, later, "contact/c/normal_force"), 1e5 * std::pow(counted, 1.5), 1e-9);
  // What is given back is booked: k d_r^p d_0 exp(-1)/tau.
  EXPECT_NEAR(supply(later, element::Supply::kExternal),
              1e5 * std::pow(counted, 1.5) * 1e-3 * std::exp(-1.0) / 0.5, 1e-12);
  VecX above = ball_state(system, kRadius - 0.9e-3, 0.0);
  EXPECT_EQ(value(system, evaluated(system, 1.0, above), "contact/c/normal_force"), 0.0);
}

TEST(ContactElement, JacobianIsThatOfFiniteDifferences) {
  System system = ball_on_floor(bristles());
  VecX x = ball_state(system, kRadius - 1e-3, -0.1);
  system.commit(0.0, view(x));
  x[7] = 0.2, x[8] = 0.1, x[11] = 0.5;       // slips and turns
  x[13] = 1e-4, x[14] = -5e-5, x[16] = 0.2;  // bristles, dwell
  const auto n = static_cast<std::size_t>(system.size());
  std::vector<double> J(n * n);
  JacobianScratch scratch(system);
  system.jacobian(0.0, view(x), J, scratch);
  for (int column = 0; column < system.dynamic_size(); ++column) {
    const double h = 1e-7 * (column >= 13 ? 1e-2 : 1.0);
    VecX up = x, down = x;
    up[column] += h;
    down[column] -= h;
    const VecX difference = (rate_of(system, evaluated(system, 0.0, up)) -
                             rate_of(system, evaluated(system, 0.0, down))) /
                            (2.0 * h);
    for (int row = 0; row < system.size(); ++row) {
      const double exact = J[static_cast<std::size_t>(column) * n + static_cast<std::size_t>(row)];
      // Central differences of forces of 3 N over steps of 1e-7: seven digits of the largest.
      EXPECT_NEAR(exact, difference[row], 1e-5 * (1.0 + std::abs(exact))) << row << " " << column;
    }
  }
}

TEST(ContactElement, ABoxStandsOnItsFourLowerCorners) {
  ModelBuilder builder;
  builder.add_body("box", {1.0, Vec3::Zero(), Mat3::Identity()});
  builder.add_frame("floor", "world", {});
  Model model = builder.build();
  contact::PointContact pair = point_contact_of(model, geometry::Box{{0.2, 0.15, 0.1}, 0.01},
                                                geometry::HalfSpace{}, bristles());
  pair.b = model.frames()[static_cast<std::size_t>(model.find_frame("floor"))];
  const System system =
      system_of(std::move(model), elements(contact::make_point_contact(std::move(pair))));
  EXPECT_EQ(system.z_count(), 8 * 4);
  EXPECT_EQ(system.kink_count(), 8);
  const Snapshot<double> s = evaluated(system, 0.0, ball_state(system, 0.099, 0.0));
  EXPECT_EQ(value(system, s, "contact/c/touching_sites"), 4.0);
  EXPECT_NEAR(value(system, s, "contact/c/force_z"), 4.0 * 1e5 * std::pow(1e-3, 1.5), 1e-9);
  // No moment about the centre: the corners share the load.
  EXPECT_NEAR(s.workspace.vdot.segment<3>(3).norm(), 0.0, 1e-10);
}

}  // namespace
}  // namespace grapple::system::testing
