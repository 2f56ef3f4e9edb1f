// Contacts switched on and off between steps: what is booked, what is forgotten, what is refused.
#include <gtest/gtest.h>

#include "grapple/contact/contact_element.h"
#include "grapple/contact/contact_group.h"
#include "grapple/contact/patch_contact.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/touch/touch_sites.h"
#include "support.h"
#include "system/contact_support.h"

namespace grapple::system::testing {
namespace {

constexpr double kContactStiffness = 1e5, kFoundation = 1e7;

enum class Kind { kPoint, kRelaxedPoint, kPatch, kGroup };
constexpr Kind kKinds[] = {Kind::kPoint, Kind::kRelaxedPoint, Kind::kPatch, Kind::kGroup};

std::unique_ptr<element::Element> contact_of(Kind kind, const Model& model) {
  const model::Frame ball = model.frames()[1];
  const model::Frame floor = model.frames()[static_cast<std::size_t>(model.find_frame("floor"))];
  if (kind == Kind::kPatch) {
    return contact::make_patch_contact(
        {"contact/c",
         ball,
         floor,
         geometry::overlap_patches(geometry::Sphere{kRadius}, geometry::HalfSpace{},
                                   geometry::NormalRule::kArea),
         {kFoundation, contact::DampingRule::kExact, {0.5, 0.0}, 1e-3},
         contact::make_frictionless()});
  }
  std::vector<contact::ContactSite> sites;
  for (const auto& query :
       geometry::touch_sites(geometry::Sphere{kRadius}, geometry::HalfSpace{}).queries) {
    sites.push_back(
        {query, contact::make_normal_law(
                    {kContactStiffness, 1.5, contact::DampingRule::kExact, {0.5, 0.0}, 1e-3})});
  }
  if (kind != Kind::kGroup) {
    const double relaxation = kind == Kind::kRelaxedPoint ? 0.5 : 0.0;
    return contact::make_point_contact(
        {"contact/c", ball, floor, sites, contact::make_frictionless(), relaxation});
  }
  contact::ContactGroup group;
  group.name = "contact/c";
  group.members = {{"ball", ball, 0, kRadius}};
  group.walls = {{floor, 1, {}}};
  group.types = 2;
  group.pairs.resize(4);
  group.pairs[1] = {geometry::PairOrder::kAsGiven, sites, contact::make_frictionless(), 0.0};
  group.most_near = 4;
  return contact::make_contact_group(std::move(group));
}

struct BallOnFloor {
  System system;
  VecX x;

  explicit BallOnFloor(Kind kind) : system(built(kind)), x(system.initial_state()) {}
  static System built(Kind kind) {
    ModelBuilder builder;
    builder.add_body("ball", {1.0, Vec3::Zero(), 0.004 * Mat3::Identity()});
    builder.add_frame("floor", "world", {});
    Model model = builder.build();
    auto contact = elements(contact_of(kind, model));
    SystemParts parts{std::move(model), {}, {}, std::move(contact), {}, {}};
    parts.disabled = {0};
    return System(std::move(parts));
  }
  void put(double depth, double down) {
    x[2] = kRadius - depth;
    x[7 + 2] = -down;
  }
  double push(double t = 0.0) { return evaluated(system, t, x).workspace.vdot[2]; }  // of 1 kg
  double stored_in_contact(double t = 0.0) {
    return stored(evaluated(system, t, x), element::Stored::kContact);
  }
  double& external() {
    return x[system.dynamic_size() + static_cast<int>(element::Supply::kExternal)];
  }
};

TEST(Switching, AContactThatIsOffLetsShapesPass) {
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    BallOnFloor at(kind);
    at.put(3e-3, 1.0);
    EXPECT_FALSE(at.system.commit(0.0, view(at.x)));
    EXPECT_EQ(at.push(), 0.0);
    EXPECT_EQ(at.stored_in_contact(), 0.0);
    std::vector<double> kinks(static_cast<std::size_t>(at.system.kink_count()));
    at.system.kink_values(evaluated(at.system, 0.0, at.x), kinks);
    for (const double value : kinks) EXPECT_EQ(value, 1.0);  // nothing to locate
  }
}

TEST(Switching, WhatTheSpringsHoldIsBookedBothWays) {
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    BallOnFloor at(kind);
    at.put(3e-3, 0.0);
    EXPECT_EQ(at.system.enable(0, 2.0, view(at.x)).kind, EnableResult::Kind::kEnabled);
    const double held = at.stored_in_contact(2.0);
    if (kind == Kind::kRelaxedPoint) {  // nothing counts yet of the depth it is found in
      EXPECT_EQ(held, 0.0);
      EXPECT_EQ(at.push(2.0), 0.0);
    } else {
      EXPECT_GT(held, 0.0);
      EXPECT_GT(at.push(2.0), 0.0);
    }
    EXPECT_DOUBLE_EQ(at.external(), held);
    EXPECT_FALSE(at.system.commit(2.0, view(at.x)));  // it has begun already
    at.put(5e-3, 0.0);
    const double deeper = at.stored_in_contact(3.0);
    at.system.disable(0, 3.0, view(at.x));
    EXPECT_NEAR(at.external(), held - deeper, 1e-15);
    EXPECT_EQ(at.push(), 0.0);
  }
}

TEST(Switching, APointContactGivesTheEnergyOfItsDepth) {
  BallOnFloor at(Kind::kPoint);
  at.put(3e-3, 0.0);
  at.system.enable(0, 2.0, view(at.x));
  EXPECT_NEAR(at.external(), 0.4 * kContactStiffness * std::pow(3e-3, 2.5), 1e-12);
}

// Impact at 2 m/s, off, on again at rest: damped as a slow touch, not as that impact.
TEST(Switching, AContactBeginsAnew) {
  BallOnFloor at(Kind::kPoint);
  at.put(0.0, 2.0);
  at.system.enable(0, 0.0, view(at.x));
  at.put(1e-3, 0.5);
  EXPECT_EQ(value(at.system, evaluated(at.system, 0.0, at.x), "contact/c/impact_speed"), 2.0);
  at.system.disable(0, 0.1, view(at.x));
  EXPECT_EQ(at.system.modes().memory, std::vector<double>(8, 0.0));
  at.put(1e-3, 0.0);
  at.system.enable(0, 0.2, view(at.x));
  at.put(1e-3, 1e-3);
  const double elastic = kContactStiffness * std::pow(1e-3, 1.5);
  // Damping number 1.432751 of e = 0.5 (benchmark page), at the slow impact's own speed.
  EXPECT_NEAR(at.push(), elastic * (1.0 + 1.432751), 1e-5);
}

TEST(Switching, TwiceOnIsOnce) {
  BallOnFloor at(Kind::kPoint);
  at.put(1e-3, 0.0);
  at.system.enable(0, 0.0, view(at.x));
  const VecX once = at.x;
  EXPECT_EQ(at.system.enable(0, 0.0, view(at.x)).kind, EnableResult::Kind::kWasEnabled);
  EXPECT_EQ(at.x, once);
}

TEST(Switching, ADeepOverlapIsRefused) {
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    BallOnFloor at(kind);
    at.put(0.011, 0.0);  // a tenth of the radius is 0.01 m
    const VecX before = at.x;
    const EnableResult result = at.system.enable(0, 0.0, view(at.x));
    EXPECT_EQ(result.kind, EnableResult::Kind::kRefused);
    EXPECT_NE(result.obstacle.find("0.011 m deep"), std::string::npos) << result.obstacle;
    EXPECT_EQ(at.x, before);
    EXPECT_EQ(at.push(), 0.0);
  }
}

}  // namespace
}  // namespace grapple::system::testing
