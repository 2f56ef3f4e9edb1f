// Every joint type takes every device a scenario can give it, runs, and closes its energy ledger.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program/support.h"

namespace grapple::program {
namespace {

struct Type {
  const char* name;
  const char* geometry;  ///< keys of its own
  const char* rate;      ///< initial rates, SI
  const char* upper;     ///< stops that the motion reaches
  bool orientation;      ///< no lower stop
  int coordinates;
};

constexpr Type kTypes[] = {{"revolute", "axis: z", "2", "0.3", false, 1},
                           {"prismatic", "axis: x", "1.5", "0.3", false, 1},
                           {"helical", "axis: x, pitch: 0.1 m", "2", "0.3", false, 1},
                           {"cylindrical", "axis: z", "[2, 1]", "[0.3, 0.2]", false, 2},
                           {"universal", "axis: x, axis2: y", "[1, 2]", "[0.3, 0.4]", false, 2},
                           {"spherical", "", "[1, 2, 0.5]", "0.5", true, 3},
                           {"planar", "axis: z", "[1, 0.5, 2]", "[0.3, 0.3, 0.3]", false, 3},
                           {"free", "", "[1, 0.5, -0.5, 0.3, 2, 0.1]", "0.5", true, 6}};

// One function per coordinate.
std::string repeated(const std::string& text, int count) {
  std::string list = "[";
  for (int k = 0; k < count; ++k) list += (k > 0 ? ", " : "") + text;
  return list + "]";
}

std::string device_of(const std::string& device, const Type& type) {
  if (device == "spring") return "spring: {stiffness: 20, rest: 0.05}";
  if (device == "damper") return "damper: 0.7";
  if (device == "friction") return "friction: {dry: 0.4, viscous: 0.1, transition_rate: 0.05}";
  if (device == "limits") {
    const std::string lower = type.orientation ? "" : "lower: -0.2, ";
    return fmt::format("limits: {{{}upper: {}, stiffness: 800, damping: 0.3}}", lower, type.upper);
  }
  if (device == "motor") {
    return fmt::format("motor: {{torque: {}, gear_ratio: 2, rotor_inertia: 0.05}}",
                       repeated("sin(3*t)", type.coordinates));
  }
  if (device == "motion") {
    return fmt::format("motion: {{rate: {}}}", repeated("0.5*cos(2*t)", type.coordinates));
  }
  return "lock: [{at: 0.2 s, state: locked}, {at: 0.6 s, state: unlocked}]";
}

// The same behind a transmission with everything it can have.
std::string flexible_device_of(const std::string& device, const Type& type) {
  const char* rotor = device == "motor" ? "" : "rotor_inertia: 0.2, ";
  return fmt::format(
      "flexible: {{{}stiffness: 300, cubic_stiffness: 100, damping: 0.3, backlash: 0.02, "
      "hysteresis: {{stiffness: 40, yield: 1, exponent: 1.5}}}}, {}",
      rotor, device_of(device, type));
}

enum class Drive { kRigid, kFlexible };

std::string scenario(const Type& type, const std::string& device, Drive drive = Drive::kRigid) {
  const std::string rate = device == "motion" ? "" : fmt::format("rate: {}, ", type.rate);
  const std::string geometry = *type.geometry ? std::string(type.geometry) + ", " : "";
  return fmt::format(
      R"(grapple: 1
name: {0}-{1}
environment: {{gravity: [0.5, -0.3, -2] m/s^2}}
bodies:
  - {{name: base, mass: 8 kg, inertia: [1, 1.2, 0.9]}}
  - {{name: arm, mass: 2 kg, com: [0.4, 0.1, 0.05] m, inertia: [0.1, 0.2, 0.25]}}
joints:
  - {{name: tested, type: {0}, {2}{3}parent: base at [0.3, 0.1, 0] m, child: arm, {4}}}
simulate: {{duration: 1 s, tolerance: 1e-10, record: {{every: 20 ms}}}}
)",
      type.name, device, geometry, rate,
      drive == Drive::kRigid ? device_of(device, type) : flexible_device_of(device, type));
}

class JointDevice : public testing::TestWithParam<const char*> {};

// Residual over the energy moved. At tolerance 1e-10 the local errors of some hundred steps sum up
// to some 1e-9.
TEST_P(JointDevice, ClosesTheLedgerOnEveryJointType) {
  const Scratch scratch;
  for (const Type& type : kTypes) {
    SCOPED_TRACE(type.name);
    const std::string file = scratch.file("joint.yaml", scenario(type, GetParam()));
    const Outcome outcome = grapple({"run", file, "--out", (scratch / "out").string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto summary = json_of(scratch / "out/summary.json");
    EXPECT_LT(summary.at("energy").at("relative_residual").get<double>(), 1e-8) << outcome.out;
    EXPECT_TRUE(summary.at("warnings").empty()) << summary.at("warnings").dump();
  }
}

TEST_P(JointDevice, ClosesTheLedgerBehindATransmission) {
  const Scratch scratch;
  for (const Type& type : kTypes) {
    if (type.orientation) continue;
    SCOPED_TRACE(type.name);
    const std::string file =
        scratch.file("joint.yaml", scenario(type, GetParam(), Drive::kFlexible));
    const Outcome outcome = grapple({"run", file, "--out", (scratch / "out").string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto summary = json_of(scratch / "out/summary.json");
    EXPECT_LT(summary.at("energy").at("relative_residual").get<double>(), 1e-8) << outcome.out;
    EXPECT_TRUE(summary.at("warnings").empty()) << summary.at("warnings").dump();
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, JointDevice,
                         testing::Values("spring", "damper", "friction", "limits", "motor",
                                         "motion", "lock"),
                         [](const auto& device) { return std::string(device.param); });

TEST(Joint, AFixedJointCarriesItsChild) {
  const Scratch scratch;
  const std::string file = scratch.file("fixed.yaml", R"(grapple: 1
name: fixed
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: base, mass: 8 kg, inertia: [1, 1.2, 0.9], angular_velocity: [0.1, 2, 0.3] rad/s}
  - {name: arm, mass: 2 kg, com: [0.4, 0.1, 0.05] m, inertia: [0.1, 0.2, 0.25]}
joints: [{name: weld, type: fixed, parent: base at [0.3, 0, 0] m, child: arm}]
simulate: {duration: 1 s, tolerance: 1e-10, record: {every: 20 ms}}
)");
  ASSERT_EQ(grapple({"run", file, "--out", (scratch / "out").string()}).exit_code, 0);
  const auto energy = json_of(scratch / "out/summary.json").at("energy");
  EXPECT_LT(energy.at("relative_residual").get<double>(), 1e-8);
}

}  // namespace
}  // namespace grapple::program
