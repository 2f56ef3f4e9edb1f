// What a rate is in each unit it may be written in, key by key: turns, cycles and radians are not
// taken for one another.
#include <gtest/gtest.h>

#include <numbers>

#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

using std::numbers::pi;

std::string disc(const std::string& joint_keys, const std::string& rest = "") {
  return R"(grapple: 1
bodies: [{name: disc, solid: {sphere: 0.1 m, mass: 2 kg}}]
joints: [{name: hub, type: revolute, parent: world, child: disc, )" +
         joint_keys + "}]\n" + rest;
}

double start(const std::string& text, const std::string& channel) {
  return start_value(built(text), channel);
}

struct RateCase {
  const char* text;
  double rate;  ///< rad/s
};

class RateOfTurning : public testing::TestWithParam<RateCase> {};

TEST_P(RateOfTurning, IsTheSameInEveryKey) {
  const std::string text = GetParam().text;
  const double rate = GetParam().rate;
  const double rounding = 1e-14 * rate;  // some products of doubles
  EXPECT_NEAR(start(disc("rate: " + text), "joint/hub/rate"), rate, rounding);
  EXPECT_NEAR(start(disc("rate: [" + text + "]"), "joint/hub/rate"), rate, rounding);
  EXPECT_NEAR(start(disc("motion: {rate: " + text + "}"), "joint/hub/rate"), rate, rounding);
  EXPECT_NEAR(start(disc("motion: {rate: {table: [[0, " + text + "], [1, " + text + "]]}}"),
                    "joint/hub/rate"),
              rate, rounding);
  EXPECT_NEAR(start(disc("flexible: {stiffness: 1, rotor_inertia: 1, twist_rate: " + text + "}"),
                    "joint/hub/transmission/twist_rate"),
              rate, rounding);
  // Dry friction of 1 N m at rest plus one transition rate: tanh(1).
  EXPECT_NEAR(start(disc("rate: " + text + ", friction: {dry: 1, transition_rate: " + text + "}"),
                    "joint/hub/friction_effort"),
              -std::tanh(1.0), 1e-14);
  const std::string free =
      "grapple: 1\nbodies: [{name: disc, solid: {sphere: 0.1 m, mass: 2 kg}, "
      "angular_velocity: [0, 0, " +
      text + "]}]\n";
  EXPECT_NEAR(start(free, "body/disc/angular_velocity_z"), rate, rounding);
  const Simulation watched =
      built(disc("rate: 1", "events: [{name: fast, channel: joint/hub/rate, crosses: " + text +
                                ", action: stop}]\n"));
  ASSERT_EQ(watched.plan.events.size(), 1u);
  EXPECT_NEAR(watched.plan.events[0].level, rate, rounding);
}

INSTANTIATE_TEST_SUITE_P(Units, RateOfTurning,
                         testing::Values(RateCase{"5 Hz", 10 * pi}, RateCase{"0.005 kHz", 10 * pi},
                                         RateCase{"5 rev/s", 10 * pi}, RateCase{"300 rpm", 10 * pi},
                                         RateCase{"1800 deg/s", 10 * pi}, RateCase{"5 rad/s", 5},
                                         RateCase{"5 1/s", 5}, RateCase{"5", 5}));

TEST(Rates, AListOrAnExpressionTakesHzForAll) {
  const std::string cross = R"(grapple: 1
bodies: [{name: b, solid: {sphere: 0.1 m, mass: 2 kg}}]
joints: [{name: u, type: universal, parent: world, child: b, rate: "[1, 2] Hz"}]
)";
  EXPECT_NEAR(start(cross, "joint/u/rate_2"), 4.0 * pi, 1e-13);
  EXPECT_NEAR(start(disc("motion: {rate: {expression: 3 + t, unit: Hz}}"), "joint/hub/rate"),
              6.0 * pi, 1e-13);
}

// What is no angular rate does not take Hz: it would be a factor 2 pi by guess.
TEST(Rates, HzIsRefusedWhereNothingTurns) {
  const char* beam = R"(grapple: 1
bodies: [{name: b, beam: {length: 1 m, EI: 10 N*m^2, mass_per_length: 1 kg/m, modes: 1, motions: [bending_z]}, modal_rates: [5 Hz]}]
joints: [{name: j, type: fixed, parent: world, child: b}]
)";
  EXPECT_EQ(ids_of(beam), "GR-204");
  EXPECT_NE(message_of(beam).find("Hz counts cycles"), std::string::npos) << message_of(beam);
  EXPECT_EQ(ids_of(disc("", "simulate: {duration: 1 s, baumgarte_rate: 5 Hz}\n")), "GR-204");
  EXPECT_EQ(ids_of(disc("damper: 2 N*m/Hz")), "GR-204");
  EXPECT_EQ(ids_of(disc("motion: {acceleration: 5 Hz/s}")), "GR-204");
  EXPECT_EQ(
      ids_of("grapple: 1\nparameters: {f: 5 Hz}\n" + disc("rate: \"${2*pi*f} rad/s\"").substr(11)),
      "GR-113");
  EXPECT_EQ(ids_of("grapple: 1\nparameters: {f: 5 Hz}\n" + disc("rate: \"${f}\"").substr(11)), "");
}

}  // namespace
}  // namespace grapple::scenario
