// The second axis where a file leaves it out is y, as the schema says.
#include <gtest/gtest.h>

#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

std::string cross(const std::string& axes) {
  return "grapple: 1\nbodies: [{name: b, solid: {sphere: 0.1 m, mass: 2 kg}}]\n"
         "joints: [{name: u, type: universal" +
         axes + ", parent: world, child: b, rate: [0, 1] rad/s}]\n";
}

TEST(SecondAxis, OfAUniversalJointIsYWhereItIsLeftOut) {
  for (const char* first : {"", ", axis: z", ", axis: x", ", axis: [-1, 0, 2]"}) {
    const Simulation simulation = built(cross(first));
    EXPECT_NEAR(start_value(simulation, "body/b/angular_velocity_x"), 0.0, 1e-15) << first;
    EXPECT_NEAR(start_value(simulation, "body/b/angular_velocity_y"), 1.0, 1e-15) << first;
    EXPECT_NEAR(start_value(simulation, "body/b/angular_velocity_z"), 0.0, 1e-15) << first;
  }
  EXPECT_NE(refusal(cross(", axis: y")).find("'axis2' is y where it is left out"),
            std::string::npos);
}

// Turning about y, and rolling along x as a disc about y does, is what these loops let be: the
// start stays as it is given.
std::string loop(const std::string& keys) {
  return "grapple: 1\nbodies: [{name: b, solid: {sphere: 0.1 m, mass: 2 kg}, angular_velocity: [0, "
         "2, "
         "0] rad/s, velocity: [0.6, 0, 0] m/s}]\nloops: [{name: l, between: [\"world at [0, 0, "
         "-0.3] "
         "m\", \"b at [0, 0, -0.3] m\"], " +
         keys + "}]\n";
}

TEST(SecondAxis, OfLoopsIsYWhereItIsLeftOut) {
  for (const std::string keys :
       {"type: universal", "type: universal, axis: x", "type: rolling-disc, radius: 0.3 m"}) {
    const bool rolls = keys.find("rolling") != std::string::npos;
    std::string text = loop(keys);
    if (rolls) text.replace(text.find("b at [0, 0, -0.3] m"), 19, "b at [0, 0, 0] m");
    const Simulation simulation = built(text);
    EXPECT_NEAR(start_value(simulation, "body/b/angular_velocity_x"), 0.0, 1e-12) << keys;
    EXPECT_NEAR(start_value(simulation, "body/b/angular_velocity_y"), 2.0, 1e-12) << keys;
    EXPECT_NEAR(start_value(simulation, "body/b/angular_velocity_z"), 0.0, 1e-12) << keys;
    EXPECT_NEAR(start_value(simulation, "body/b/velocity_x"), 0.6, 1e-12) << keys;
  }
  EXPECT_NE(refusal(loop("type: universal, axis: y")).find("'axis2' is y where it is left out"),
            std::string::npos);
}

}  // namespace
}  // namespace grapple::scenario
