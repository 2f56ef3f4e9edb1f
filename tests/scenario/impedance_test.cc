// Impedance control of rigid links, on a floating base: right after each sample the led frame obeys
//   m x'' = m x_r'' + D (x_r' - x') + K (x_r - x) + f
// (Kim 2000, 5.33, checklist A18), in free motion and pressing on a payload that moves away, with
// the reference in the world and relative to the payload.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "grapple/scenario/simulation.h"

namespace grapple {
namespace {

constexpr double kPeriod = 2e-3;     // s
constexpr double kJustAfter = 1e-9;  // s; accelerations change by some 1e-7 of themselves
constexpr double kMass = 80.0, kDamping = 100.0, kStiffness = 80.0;

std::filesystem::path write_scenario(const std::string& relative_to) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("grapple-impedance-" + std::string(relative_to.empty() ? "world" : "port") +
                     std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + ".yaml");
  const bool relative = !relative_to.empty();
  std::ofstream(file) << R"(grapple: 1
bodies:
  - {name: craft, mass: 900 kg, inertia: [800, 800, 800] kg*m^2}
  - {name: link1, solid: {rod: {length: 8 m, axis: x, from: end}, mass: 160 kg}}
  - {name: link2, solid: {rod: {length: 8 m, axis: x, from: end}, mass: 160 kg}, frames: [{name: tip, position: "[8, 0, 0] m"}],
     shapes: [{name: pad, sphere: 5 cm, position: "[8, 0, 0] m"}]}
  - {name: payload, mass: 400 kg, inertia: [1e3, 1e3, 1e3] kg*m^2, frames: [{name: port, position: "[0, -2.05, 0] m"}],
     shapes: [{name: face, box: "[4, 4, 2] m"}]}
joints:
  - {name: float, type: planar, axis: z, parent: world, child: craft}
  - {name: shoulder, type: revolute, axis: z, parent: "craft at [1, 0, 0] m", child: link1, angle: 30 deg}
  - {name: elbow, type: revolute, axis: z, parent: "link1 at [8, 0, 0] m", child: link2, angle: 120 deg}
  - {name: drift, type: planar, axis: z, parent: "world at [1, 10.2, 0] m", child: payload}
contacts:
  - {name: touch, between: [link2/pad, payload/face], stiffness: 5e4 N/m, exponent: 1, restitution: 0.5, friction: none}
channels:
  - {name: off, between: [payload/port, link2/tip]}
trajectories:
  - name: path
    type: line
    profile: cycloidal
)" << (relative ? "    relative_to: payload/port\n" : "")
                      << R"(    poses:
      - {time: 0 s, position: ")"
                      << (relative ? "[0, -0.15, 0] m" : "[1, 8, 0] m") << R"("}
      - {time: 4 s, position: ")"
                      << (relative ? "[0.1, 0.3, 0] m" : "[1.2, 8.5, 0] m") << R"("}
controllers:
  - {name: law, type: impedance, joints: [shoulder, elbow], frame: link2/tip, axes: [x, y], trajectory: path, inertia: 80 kg,
     damping: 100 N*s/m, stiffness: 80 N/m, force: [contact/touch/force_x, contact/touch/force_y], period: 2 ms}
simulate: {duration: 5 s, tolerance: 1e-10}
)";
  return file;
}

struct Cycloid {
  double value, rate, acceleration;
};
Cycloid cycloid(double from, double to, double t, double duration) {
  if (t >= duration) return {to, 0.0, 0.0};
  const double turn = 2.0 * M_PI / duration, span = to - from;
  return {from + span * (t / duration - std::sin(turn * t) / (2.0 * M_PI)),
          span / duration * (1.0 - std::cos(turn * t)),
          span / duration * turn * std::sin(turn * t)};
}

TEST(Impedance, RigidLinksObeyItsEquationInTheWorld) {
  const auto file = write_scenario("");
  Simulation sim(file);
  int touching = 0;
  for (int sample = 1; sample < 2400; sample += 37) {
    const double t = kPeriod * sample;
    sim.advance_to(t);
    double wanted[2];
    const Cycloid path[2] = {cycloid(1.0, 1.2, t, 4.0), cycloid(8.0, 8.5, t, 4.0)};
    const char* axes[2] = {"x", "y"};
    for (int k = 0; k < 2; ++k) {
      const std::string axis = axes[k];
      const double x = sim.get("frame/link2/tip/position_" + axis);
      const double v = sim.get("frame/link2/tip/velocity_" + axis);
      const double f = sim.get("contact/touch/force_" + axis);
      touching += k == 1 && f != 0.0 ? 1 : 0;
      wanted[k] = path[k].acceleration +
                  (kDamping * (path[k].rate - v) + kStiffness * (path[k].value - x) + f) / kMass;
    }
    sim.advance_to(t + kJustAfter);
    for (int k = 0; k < 2; ++k) {
      const double found = sim.get(std::string("frame/link2/tip/acceleration_") + axes[k]);
      EXPECT_NEAR(found, wanted[k], 1e-6 * (1.0 + std::abs(wanted[k]))) << axes[k] << " at " << t;
    }
  }
  EXPECT_GT(touching, 5) << "the pad must have pressed";
  std::filesystem::remove(file);
}

// The same in the axes of a payload that drifts: the reference moves with it, accelerations
// included. The payload does not turn, so that its axes are those of the world.
TEST(Impedance, RigidLinksObeyItsEquationRelativeToAMovingTarget) {
  const auto file = write_scenario("payload/port");
  Simulation sim(file);
  int compared = 0;
  for (int sample = 1; sample < 2400; sample += 37) {
    const double t = kPeriod * sample;
    sim.advance_to(t);
    const Cycloid path[2] = {cycloid(0.0, 0.1, t, 4.0), cycloid(-0.15, 0.3, t, 4.0)};
    const char* axes[2] = {"x", "y"};
    double wanted[2];
    const double angle = sim.get("joint/drift/position_angle");
    if (std::abs(angle) > 1e-9) break;  // pushed off its centre
    ++compared;
    for (int k = 0; k < 2; ++k) {
      const std::string axis = axes[k];
      const double e = path[k].value + sim.get("frame/payload/port/position_" + axis) -
                       sim.get("frame/link2/tip/position_" + axis);
      const double e_rate = path[k].rate + sim.get("frame/payload/port/velocity_" + axis) -
                            sim.get("frame/link2/tip/velocity_" + axis);
      wanted[k] =
          path[k].acceleration + sim.get("frame/payload/port/acceleration_" + axis) +
          (kDamping * e_rate + kStiffness * e + sim.get("contact/touch/force_" + axis)) / kMass;
    }
    sim.advance_to(t + kJustAfter);
    for (int k = 0; k < 2; ++k) {
      const double found = sim.get(std::string("frame/link2/tip/acceleration_") + axes[k]);
      EXPECT_NEAR(found, wanted[k], 1e-6 * (1.0 + std::abs(wanted[k]))) << axes[k] << " at " << t;
    }
  }
  EXPECT_GT(compared, 20);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace grapple
