// A contact group is the sum of its pairs, whichever of them are near; it keeps what a pair
// remembers while it lasts, and says when it is asked too much.
#include "grapple/contact/contact_group.h"

#include <gtest/gtest.h>

#include <random>

#include "support.h"
#include "system/contact_support.h"

namespace grapple::system::testing {
namespace {

std::shared_ptr<const contact::NormalLaw> normal_law() {
  return contact::make_normal_law({1e5, 1.5, contact::DampingRule::kExact, {0.5, 0.0}, 1e-3});
}

contact::GroupPair group_pair_of(const geometry::Shape& a, const geometry::Shape& b) {
  const geometry::TouchSites sites = geometry::touch_sites(a, b);
  contact::GroupPair pair{sites.order, {}, bristles()};
  for (const auto& query : sites.queries) pair.sites.push_back({query, normal_law()});
  return pair;
}

Model balls(int count) {
  ModelBuilder builder;
  for (int k = 0; k < count; ++k) {
    builder.add_body("ball" + std::to_string(k), {1.0, Vec3::Zero(), 0.004 * Mat3::Identity()});
  }
  builder.add_frame("floor", "world", {});
  return builder.build();
}

// Balls (type 0) over the world's floor (type 1).
contact::ContactGroup group_of(const Model& model, int count, int most_near) {
  const geometry::Sphere ball{kRadius};
  contact::ContactGroup group;
  group.name = "group/g";
  for (int k = 0; k < count; ++k) {
    group.members.push_back(
        {"ball" + std::to_string(k), model.frames()[static_cast<std::size_t>(k) + 1], 0, kRadius});
  }
  const auto near = geometry::touch_sites(ball, geometry::HalfSpace{}).queries.front();
  const auto floor = static_cast<std::size_t>(model.find_frame("floor"));
  group.walls.push_back({model.frames()[floor], 1, {near, near}});
  group.types = 2;
  group.pairs = {group_pair_of(ball, ball), group_pair_of(ball, geometry::HalfSpace{}), {}, {}};
  group.most_near = most_near;
  return group;
}

System grouped(int count, int most_near) {
  Model model = balls(count);
  contact::ContactGroup group = group_of(model, count, most_near);
  return system_of(std::move(model), elements(contact::make_contact_group(std::move(group))));
}

// Every pair an element of its own.
System paired(int count) {
  Model model = balls(count);
  const geometry::Sphere ball{kRadius};
  std::vector<std::unique_ptr<element::Element>> all;
  const auto add = [&](const model::Frame& a, const model::Frame& b,
                       const contact::GroupPair& pair) {
    all.push_back(contact::make_point_contact(
        {"contact/" + std::to_string(all.size()), a, b, pair.sites, pair.friction}));
  };
  for (int i = 0; i < count; ++i) {
    const model::Frame& a = model.frames()[static_cast<std::size_t>(i) + 1];
    for (int j = i + 1; j < count; ++j) {
      add(a, model.frames()[static_cast<std::size_t>(j) + 1], group_pair_of(ball, ball));
    }
    add(a, model.frames()[static_cast<std::size_t>(model.find_frame("floor"))],
        group_pair_of(ball, geometry::HalfSpace{}));
  }
  return system_of(std::move(model), std::move(all));
}

// A random heap, with overlaps.
void scatter(System& system, VecX& x, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-0.25, 0.25), speed(-1.0, 1.0);
  for (int i = 1; i < system.model().link_count(); ++i) {
    const model::Link& link = system.model().link(i);
    for (int k = 0; k < 3; ++k) x[link.q_index + k] = place(random);
    x[link.q_index + 2] += 0.3;
    for (int k = 0; k < 6; ++k) x[system.model().nq() + link.v_index + k] = speed(random);
  }
}

TEST(ContactGroup, IsTheSumOfItsPairs) {
  constexpr int kCount = 12;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    System group = grouped(kCount, 8 * kCount), pairs = paired(kCount);
    VecX x = group.initial_state(), y = pairs.initial_state();
    scatter(group, x, seed);
    scatter(pairs, y, seed);
    group.commit(0.0, view(x));
    pairs.commit(0.0, view(y));
    const Snapshot<double> s = evaluated(group, 0.0, x), r = evaluated(pairs, 0.0, y);
    ASSERT_FALSE(s.refused);
    EXPECT_GT(value(group, s, "group/g/contacts"), 3.0);
    // The same forces added in another order.
    EXPECT_LT((s.workspace.vdot - r.workspace.vdot).norm(), 1e-11 * r.workspace.vdot.norm());
    EXPECT_NEAR(value(group, s, "group/g/energy"), stored(r, element::Stored::kContact), 1e-9);
    EXPECT_NEAR(value(group, s, "group/g/loss"),
                -supply(r, element::Supply::kDamping) - supply(r, element::Supply::kFriction),
                1e-9);
  }
}

// As an equilibrium or the start of a ledger sees it: nothing is latched, everything pushes.
TEST(ContactGroup, IsTheSumOfItsPairsBeforeAnyStep) {
  const System group = grouped(12, 96), pairs = paired(12);
  VecX x = group.initial_state(), y = pairs.initial_state();
  System other = grouped(12, 96);
  scatter(other, x, 4);
  scatter(other, y, 4);
  const Snapshot<double> s = evaluated(group, 0.0, x), r = evaluated(pairs, 0.0, y);
  ASSERT_FALSE(s.refused);
  EXPECT_GT(value(group, s, "group/g/contacts"), 3.0);
  EXPECT_LT((s.workspace.vdot - r.workspace.vdot).norm(), 1e-11 * r.workspace.vdot.norm());
  EXPECT_NEAR(stored(s, element::Stored::kContact), stored(r, element::Stored::kContact), 1e-9);
  const Snapshot<Dual> along = evaluated_along(group, 0.0, x, rate_of(group, s));
  const Dual& contact = along.energies.stored[static_cast<std::size_t>(element::Stored::kContact)];
  EXPECT_NEAR(spatial::value_of(contact), stored(s, element::Stored::kContact), 1e-9);
}

TEST(ContactGroup, BooksEveryJouleAndKeepsMomentum) {
  System system = grouped(8, 64);
  VecX x = system.initial_state();
  scatter(system, x, 5);
  system.commit(0.0, view(x));
  const Snapshot<double> s = evaluated(system, 0.0, x);
  ASSERT_GT(value(system, s, "group/g/contacts"), 2.0);
  const Snapshot<Dual> along = evaluated_along(system, 0.0, x, rate_of(system, s));
  double sum = 0.0, scale = 0.0;
  for (const Dual& stored : along.energies.stored) {
    sum += stored.d[0];
    scale += std::abs(stored.d[0]);
  }
  for (const double power : s.energies.supply) sum -= power;
  EXPECT_LT(std::abs(sum), 1e-11 * scale);  // exact derivatives: rounding only
}

// Two balls, one above the other, 1 mm apart, closing at 2 m/s.
VecX two_balls(const System& system, double gap, double closing) {
  VecX x = system.initial_state();
  x[2] = 1.0;
  x[7 + 2] = 1.0 + 2.0 * kRadius + gap;
  x[14 + 6 + 2] = -closing;
  return x;
}

TEST(ContactGroup, ImpactSpeedIsThatOfTheStepBeforeTheTouch) {
  System system = grouped(2, 16);
  VecX x = two_balls(system, 1e-3, 2.0);
  system.commit(0.0, view(x));
  x = two_balls(system, 1e-4, 1.9);
  system.commit(1e-3, view(x));
  x = two_balls(system, -1e-3, 0.95);
  EXPECT_FALSE(system.commit(2e-3, view(x)));  // touching, it remembers
  const Snapshot<double> s = evaluated(system, 2e-3, x);
  // Damping number 1.432751 for e = 0.5 (benchmark page), at half the speed of the last step apart.
  EXPECT_NEAR(value(system, s, "group/g/largest_force"),
              1e5 * std::pow(1e-3, 1.5) * (1.0 + 0.5 * 1.432751), 1e-5);
}

TEST(ContactGroup, APairThatPartsGivesItsPlaceAndStatesBack) {
  System system = grouped(2, 16);
  VecX x = two_balls(system, -1e-3, 0.5);
  system.commit(0.0, view(x));
  EXPECT_EQ(value(system, evaluated(system, 0.0, x), "group/g/near"), 1.0);
  x[26] = 1e-4;  // a bent bristle
  EXPECT_FALSE(system.commit(1e-3, view(x)));
  EXPECT_EQ(x[26], 1e-4);
  VecX apart = two_balls(system, 1e-4, 0.0);
  apart.segment(26, 4) = x.segment(26, 4);
  EXPECT_TRUE(system.commit(2e-3, view(apart)));
  EXPECT_EQ(apart[26], 0.0);  // released: a fresh contact next time
  apart = two_balls(system, 0.09, 0.0);
  system.commit(3e-3, view(apart));
  EXPECT_EQ(value(system, evaluated(system, 3e-3, apart), "group/g/near"), 0.0);
}

TEST(ContactGroup, WithRelaxationATouchCountsFromTheDepthItIsFoundIn) {
  Model model = balls(2);
  contact::ContactGroup group = group_of(model, 2, 16);
  group.pairs[0].relaxation = 1.0;
  System system =
      system_of(std::move(model), elements(contact::make_contact_group(std::move(group))));
  VecX x = two_balls(system, 1e-4, 1.0);
  system.commit(0.0, view(x));
  x = two_balls(system, -1e-3, 1.0);
  // Inside the step, before it is found: nothing yet.
  EXPECT_EQ(value(system, evaluated(system, 1e-3, x), "group/g/largest_force"), 0.0);
  EXPECT_TRUE(system.commit(1e-3, view(x)));
  EXPECT_EQ(value(system, evaluated(system, 1e-3, x), "group/g/largest_force"), 0.0);
  x = two_balls(system, -2e-3, 1.0);
  // 1 mm deeper than found: damping number 1.432751 at the impact speed of 1 m/s.
  EXPECT_NEAR(value(system, evaluated(system, 1e-3, x), "group/g/largest_force"),
              1e5 * std::pow(1e-3, 1.5) * (1.0 + 1.432751), 1e-5);
}

TEST(ContactGroup, RefusesWhenMorePairsAreNearThanItHasPlaces) {
  System system = grouped(12, 4);
  VecX x = system.initial_state();
  scatter(system, x, 1);
  system.commit(0.0, view(x));
  Snapshot<double> s(system);
  EXPECT_FALSE(system.evaluate<double>(0.0, view(x), s));
  EXPECT_NE(system.refusal(s).find("GR-440"), std::string::npos) << system.refusal(s);
  EXPECT_NE(system.refusal(s).find("more than 4 pairs"), std::string::npos);
}

TEST(ContactGroup, RefusesAStepThatCarriesABallPastOthers) {
  System system = grouped(2, 16);
  VecX x = two_balls(system, 0.5, 100.0);
  system.commit(0.0, view(x));
  const VecX jumped = two_balls(system, -0.5, 100.0);
  Snapshot<double> s(system);
  EXPECT_FALSE(system.evaluate<double>(0.01, view(jumped), s));
  EXPECT_NE(system.refusal(s).find("GR-441 group/g: 'ball1'"), std::string::npos)
      << system.refusal(s);
  // Also where no evaluation lies on the way.
  VecX committed = jumped;
  system.commit(0.01, view(committed));
  EXPECT_FALSE(system.evaluate<double>(0.01, view(committed), s));
}

TEST(ContactGroup, PlacesComeFromTheMemoryAlone) {
  System first = grouped(12, 96), second = grouped(12, 96);
  VecX x = first.initial_state();
  scatter(first, x, 3);
  first.commit(0.0, view(x));
  for (int k = 1; k < 5; ++k) {
    x.head(3) += Vec3(0.01, 0.0, 0.0);
    first.commit(1e-3 * k, view(x));
  }
  second.set_modes(first.modes());  // as after a checkpoint
  VecX y = x;
  for (int k = 5; k < 10; ++k) {
    for (VecX* state : {&x, &y}) state->head(3) += Vec3(0.01, 0.02, 0.0);
    first.commit(1e-3 * k, view(x));
    second.commit(1e-3 * k, view(y));
    ASSERT_EQ(first.modes().memory, second.modes().memory);
    EXPECT_EQ(evaluated(first, 0.0, x).workspace.vdot, evaluated(second, 0.0, y).workspace.vdot);
  }
}

}  // namespace
}  // namespace grapple::system::testing
