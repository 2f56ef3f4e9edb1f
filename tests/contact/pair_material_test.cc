// What two materials make of a pair, and what is filled in by rule.
#include "grapple/contact/pair_material.h"

#include <gtest/gtest.h>

#include <cmath>

namespace grapple::contact {
namespace {

using model::Material;

Material material(double young, double restitution, double kinetic) {
  FrictionData friction;
  friction.values["kinetic"] = kinetic;
  Material made;
  made.elasticity = Elasticity{young, 0.3};
  made.foundation = 1e-3 * young;
  made.restitution = Restitution{restitution, 0.0};
  made.friction = friction;
  return made;
}

TEST(Materials, TwoOfAKindGiveTheirOwnValues) {
  const Material steel = material(206e9, 0.7, 0.2);
  const PairMaterial pair = combined(steel, steel);
  EXPECT_DOUBLE_EQ(*pair.effective_modulus, 206e9 / (2.0 * (1.0 - 0.09)));
  EXPECT_DOUBLE_EQ(*pair.foundation, 103e6);
  EXPECT_NEAR(pair.restitution->at_rest, 0.7, 1e-15);
  EXPECT_NEAR(pair.friction->value("kinetic"), 0.2, 1e-16);
}

// Digest 3.9: a plate between two foundations settles where both push alike. A cap of depth d, cut
// by the plate at t, has one part on either side.
TEST(Materials, FoundationsInSeriesAreTheBalanceOfAPlate) {
  const double k_a = 3e7, k_b = 8e8, radius = 0.1, depth = 4e-3;
  const auto cap = [&](double t) { return t * t * (3.0 * radius - t); };  // over pi/3
  double low = 0.0, high = depth;
  for (int k = 0; k < 100; ++k) {
    const double t = 0.5 * (low + high);
    (k_b * cap(t) < k_a * (cap(depth) - cap(t)) ? low : high) = t;
  }
  Material a = material(1e9, 0.5, 0.2), b = a;
  a.foundation = k_a;
  b.foundation = k_b;
  EXPECT_NEAR(*combined(a, b).foundation * cap(depth) / (k_b * cap(low)), 1.0, 1e-12);
}

TEST(Materials, TheOrderOfThePairDoesNotMatter) {
  Material a = material(206e9, 0.9, 0.2), b = material(3e9, 0.4, 0.5);
  a.friction->values["static"] = 0.3;
  b.friction->values["dwell_time"] = 0.1;
  const PairMaterial one = combined(a, b), two = combined(b, a);
  EXPECT_DOUBLE_EQ(*one.effective_modulus, *two.effective_modulus);
  EXPECT_NEAR(one.restitution->at_rest, two.restitution->at_rest, 1e-15);
  EXPECT_DOUBLE_EQ(one.friction->value("kinetic"), std::sqrt(0.1));
  EXPECT_DOUBLE_EQ(one.friction->value("static"), std::sqrt(0.3 * 0.5));
  EXPECT_EQ(one.friction->values, two.friction->values);
  EXPECT_EQ(one.friction->value("dwell_time"), 0.1);
}

TEST(Materials, TheSofterBodyDecidesTheLoss) {
  const PairMaterial pair = combined(material(206e9, 1.0, 0.2), material(206e6, 0.4, 0.2));
  // All but a thousandth of the deformation is the soft one's.
  EXPECT_NEAR(1.0 - std::pow(pair.restitution->at_rest, 2), (1.0 - 0.16) * 1000.0 / 1001.0, 1e-12);
}

TEST(Materials, WhatOneLacksThePairLacks) {
  Material bare;
  const PairMaterial pair = combined(material(206e9, 0.9, 0.2), bare);
  EXPECT_FALSE(pair.effective_modulus);
  EXPECT_FALSE(pair.restitution);
  EXPECT_FALSE(pair.friction);
}

TEST(Materials, RulesOfTheSourceFillTheBristles) {
  FrictionData data;
  data.values["kinetic"] = 0.3;
  const BristleFriction law = complete_bristles(data, 9.81);
  EXPECT_EQ(law.static_, 0.3);
  EXPECT_DOUBLE_EQ(law.stiffness, 3000.0);  // mu_S / 0.1 mm
  // Critical: sigma_1^2 g = 4 sigma_0 (ring-down of a block under its own weight).
  EXPECT_NEAR(law.damping * law.damping * 9.81, 4.0 * law.stiffness, 1e-9);
  EXPECT_DOUBLE_EQ(law.dwell_time, 10.0 * law.damping / law.stiffness);
  EXPECT_EQ(law.viscous, 0.0);
  const std::vector<std::string> chosen = friction_type(data.law).automatic(data, 9.81);
  EXPECT_EQ(chosen.size(), 5u);  // one sentence each, but for viscous friction, which is none
}

}  // namespace
}  // namespace grapple::contact
