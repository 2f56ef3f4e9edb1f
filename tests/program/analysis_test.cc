// Modes, linearisation and equilibrium through the program against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "program/support.h"

namespace grapple::program {
namespace {

constexpr double kPi = std::numbers::pi;

nlohmann::ordered_json analysis(const std::string& command, const std::string& text,
                                const std::vector<std::string>& options) {
  const Scratch scratch;
  std::vector<std::string> arguments{command, scratch.file("scenario.yaml", text), "--json",
                                     (scratch / "result.json").string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = grapple(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(outcome.out.empty());
  return json_of(scratch / "result.json");
}

// m = 2 kg at l = 0.5 m of a body with J = 0.8 kg m^2 about the hinge; hangs along -z at 90 deg.
const char* kAnalysedPendulum = R"(grapple: 1
name: pendulum
environment: {gravity: 9.81 m/s^2}
bodies: [{name: bob, mass: 2 kg, com: [0.5, 0, 0] m, inertia: [0.2, 0.3, 0.3] kg*m^2}]
joints: [{name: hinge, type: revolute, axis: y, parent: world, child: bob, angle: 80 deg}]
simulate: {duration: 1 s}
)";
constexpr double kWeightArm = 2.0 * 9.81 * 0.5, kInertia = 0.3 + 2.0 * 0.25;

const char* kSpringMass = R"(grapple: 1
name: spring-mass
bodies: [{name: mass, mass: 2 kg}]
joints: [{name: slide, type: prismatic, axis: x, parent: world, child: mass, spring: {stiffness: 50 N/m},
          damper: 4 N*s/m}]
simulate: {duration: 1 s}
)";

TEST(Modes, APendulumSwingsAtItsFrequency) {
  const auto result = analysis("modes", kAnalysedPendulum, {"--equilibrium"});
  ASSERT_EQ(result.at("modes").size(), 1u);
  EXPECT_NEAR(result.at("modes")[0].at("frequency_hz").get<double>(),
              std::sqrt(kWeightArm / kInertia) / (2.0 * kPi), 1e-9);
}

TEST(Modes, ADampedOscillatorHasItsDampingRatio) {
  const auto result = analysis("modes", kSpringMass, {});
  ASSERT_EQ(result.at("modes").size(), 1u);
  // zeta = c / (2 sqrt(k m)) = 4 / 20; the eigenvalue is -1 +- sqrt(24) i.
  EXPECT_NEAR(result.at("modes")[0].at("damping_ratio").get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(result.at("modes")[0].at("eigenvalue")[0].get<double>(), -1.0, 1e-12);
  EXPECT_NEAR(std::abs(result.at("modes")[0].at("eigenvalue")[1].get<double>()), std::sqrt(24.0),
              1e-12);
}

// Away from the equilibrium the frequency printed is that of no oscillation: at 30 degrees a rod
// has sqrt(sin 30) of its own, and stretched out level none at all.
TEST(Modes, AStateThatDoesNotStayIsWarnedAbout) {
  const auto at = [](const std::string& angle, const std::string& command) {
    return analysis(command, kAnalysedPendulum, {"--set", "joints.hinge.angle=" + angle})
        .at("warnings");
  };
  for (const char* command : {"modes", "linearize"}) {
    for (const char* angle : {"0 deg", "30 deg", "80 deg", "89 deg"}) {
      ASSERT_EQ(at(angle, command).size(), 1u) << command << " at " << angle;
      EXPECT_NE(at(angle, command)[0].get<std::string>().find("--equilibrium"), std::string::npos);
    }
    EXPECT_TRUE(at("90 deg", command).empty()) << command;
    EXPECT_TRUE(analysis(command, kAnalysedPendulum, {"--equilibrium"}).at("warnings").empty());
  }
  const Scratch scratch;
  const Outcome printed = grapple({"modes", scratch.file("scenario.yaml", kAnalysedPendulum)});
  EXPECT_NE(printed.out.find("warning: this state is not in equilibrium"), std::string::npos);
}

TEST(Modes, AnUpsideDownPendulumIsCalledUnstable) {
  const auto result = analysis("modes", kAnalysedPendulum, {"--set", "joints.hinge.angle=-90 deg"});
  EXPECT_EQ(result.at("modes")[0].at("kind"), "unstable");
  ASSERT_EQ(result.at("warnings").size(), 1u);
  EXPECT_NE(result.at("warnings")[0].get<std::string>().find("unstable"), std::string::npos);
}

// A wheel that spins steadily is as good as one at rest; a pendulum passing its lowest point is
// not.
TEST(Modes, ASteadyMotionIsNotWarnedAbout) {
  const std::string hanging = "joints.hinge.angle=90 deg";
  const auto passing = analysis("modes", kAnalysedPendulum,
                                {"--set", hanging, "--set", "joints.hinge.rate=1 rad/s"});
  ASSERT_EQ(passing.at("warnings").size(), 1u);
  EXPECT_NE(passing.at("warnings")[0].get<std::string>().find("steady"), std::string::npos);
  const auto spinning =
      analysis("modes", kAnalysedPendulum,
               {"--set", "environment.gravity=none", "--set", "joints.hinge.rate=3 rad/s"});
  EXPECT_TRUE(spinning.at("warnings").empty());
}

// What a viewer reads: poses once, then per mode the displacement of every frame.
TEST(Modes, WritesShapesAndSharesForAViewer) {
  const Scratch scratch;
  const std::string file = scratch.file("scenario.yaml", kAnalysedPendulum);
  const Outcome outcome =
      grapple({"modes", file, "--equilibrium", "--out", (scratch / "modes").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("moves: body/bob 100 %"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("resists: gravity 100 %"), std::string::npos) << outcome.out;
  const auto result = json_of(scratch / "modes/modes.json");
  EXPECT_EQ(result.at("format"), "grapple-modes");
  const auto& frames = result.at("frames");
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1].at("name"), "bob");
  EXPECT_EQ(frames[1].at("orientation").size(), 4u);
  const auto& mode = result.at("modes")[0];
  EXPECT_EQ(mode.at("frames").size(), frames.size());
  EXPECT_NEAR(mode.at("frames")[1].at("rotation_real")[1].get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(mode.at("kinetic_shares").at("body/bob").get<double>(), 1.0, 1e-12);
}

// M v' + bias = effort, with the moment of inertia and the weight of a rod of 2 kg and 1.5 m.
TEST(Dynamics, APendulumHasItsInertiaAndWeight) {
  const auto result = analysis("dynamics", R"(grapple: 1
environment: {gravity: [0, 0, -9.81] m/s^2}
bodies:
  - {name: rod, mass: 2 kg, com: [0.75, 0, 0] m, inertia: [0, 0.375, 0.375] kg*m^2}
joints:
  - {name: hinge, type: revolute, axis: y, parent: world, child: rod, angle: 30 deg, damper: 0.5 N*m*s, rate: 2 rad/s}
simulate: {duration: 1 s}
)",
                               {});
  const double inertia = 0.375 + 2.0 * 0.75 * 0.75;
  const double weight = -2.0 * 9.81 * 0.75 * std::cos(std::numbers::pi / 6.0);
  EXPECT_NEAR(result.at("mass_matrix")[0][0].get<double>(), inertia, 1e-12);
  EXPECT_NEAR(result.at("bias")[0].get<double>(), weight, 1e-11);
  EXPECT_NEAR(result.at("effort")[0].get<double>(), -1.0, 1e-12);
  EXPECT_NEAR(result.at("acceleration")[0].get<double>(), (-1.0 - weight) / inertia, 1e-11);
}

constexpr const char* kTwoLinks = R"(grapple: 1
bodies:
  - {name: upper, mass: 1 kg, inertia: [0.1, 0.1, 0.1] kg*m^2}
  - {name: fore, mass: 1 kg, inertia: [0.1, 0.1, 0.1] kg*m^2, frames: [{name: hand, position: "[0.7, 0, 0] m"}]}
joints:
  - {name: shoulder, type: revolute, axis: z, parent: world, child: upper, angle: 0.4 rad}
  - {name: elbow, type: revolute, axis: z, parent: "upper at [1, 0, 0] m", child: fore, angle: 0.9 rad}
simulate: {duration: 1 s}
)";

TEST(Jacobian, OfATwoLinkArmIsThatOfTheTextbook) {
  const auto result = analysis("jacobian", kTwoLinks, {"--frame", "fore/hand"});
  const auto entry = [&](std::size_t r, std::size_t c) {
    return result.at("jacobian")[r][c].get<double>();
  };
  const double s = std::sin(0.4), c = std::cos(0.4), s2 = 0.7 * std::sin(1.3),
               c2 = 0.7 * std::cos(1.3);
  EXPECT_NEAR(entry(2, 0), 1.0, 1e-14);
  EXPECT_NEAR(entry(2, 1), 1.0, 1e-14);
  EXPECT_NEAR(entry(3, 0), -s - s2, 1e-14);
  EXPECT_NEAR(entry(3, 1), -s2, 1e-14);
  EXPECT_NEAR(entry(4, 0), c + c2, 1e-14);
  EXPECT_NEAR(entry(4, 1), c2, 1e-14);
  EXPECT_FALSE(result.contains("generalized_jacobian"));
}

// A mass pushed off a floating base: the centre of mass stays.
TEST(Jacobian, OfAFloatingArmKeepsTheMomentum) {
  const auto result = analysis("jacobian", R"(grapple: 1
bodies:
  - {name: base, mass: 3 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: mass, mass: 2 kg, inertia: [1, 1, 1] kg*m^2}
joints:
  - {name: slide, type: prismatic, axis: x, parent: base, child: mass}
simulate: {duration: 1 s}
)",
                               {"--frame", "mass"});
  EXPECT_NEAR(result.at("jacobian")[3][6].get<double>(), 1.0, 1e-14);
  EXPECT_NEAR(result.at("generalized_jacobian")[3][6].get<double>(), 3.0 / 5.0, 1e-14);
  EXPECT_NEAR(result.at("generalized_jacobian")[3][0].get<double>(), 0.0, 1e-14);
}

TEST(Linearize, AnOscillatorHasItsMatrices) {
  const auto result = analysis("linearize", kSpringMass,
                               {"--input", "joint/slide/effort", "--output", "joint/slide/position",
                                "--output", "joint/slide/acceleration"});
  const auto entry = [&](const char* matrix, std::size_t r, std::size_t c) {
    return result.at(matrix)[r][c].get<double>();
  };
  EXPECT_NEAR(entry("A", 0, 0), 0.0, 1e-14);
  EXPECT_NEAR(entry("A", 0, 1), 1.0, 1e-14);
  EXPECT_NEAR(entry("A", 1, 0), -25.0, 1e-12);
  EXPECT_NEAR(entry("A", 1, 1), -2.0, 1e-12);
  EXPECT_NEAR(entry("B", 1, 0), 0.5, 1e-14);
  EXPECT_NEAR(entry("C", 0, 0), 1.0, 1e-14);
  EXPECT_NEAR(entry("C", 1, 0), -25.0, 1e-12);
  EXPECT_NEAR(entry("D", 1, 0), 0.5, 1e-14);
}

TEST(Linearize, WithoutMotorsEveryJointIsAnInput) {
  const auto result = analysis("linearize", R"(grapple: 1
name: two
bodies: [{name: a, mass: 2 kg}, {name: b, mass: 4 kg}]
joints:
  - {name: x, type: prismatic, axis: x, parent: world, child: a}
  - {name: y, type: prismatic, axis: y, parent: world, child: b}
simulate: {duration: 1 s}
)",
                               {});
  ASSERT_EQ(result.at("B")[2].size(), 2u);
  EXPECT_NEAR(result.at("B")[2][0].get<double>(), 0.5, 1e-14);
  EXPECT_NEAR(result.at("B")[3][1].get<double>(), 0.25, 1e-14);
}

TEST(Equilibrium, APendulumHangsDownAndAMassSinksByItsWeight) {
  const auto hanging = analysis("equilibrium", kAnalysedPendulum, {});
  EXPECT_NEAR(hanging.at("positions").at("joint/hinge/position").get<double>(), kPi / 2.0, 1e-9);
  EXPECT_TRUE(hanging.at("stable").get<bool>());
  const auto sunk = analysis("equilibrium", R"(grapple: 1
name: sunk
environment: {gravity: 10 m/s^2}
bodies: [{name: mass, mass: 2 kg}]
joints: [{name: lift, type: prismatic, axis: z, parent: world, child: mass, spring: {stiffness: 50 N/m}}]
simulate: {duration: 1 s}
)",
                             {});
  EXPECT_NEAR(sunk.at("positions").at("joint/lift/position").get<double>(), -0.4, 1e-12);
}

TEST(Equilibrium, WhereThereIsNoneTheExitCodeSaysSo) {
  const Scratch scratch;
  const std::string file = scratch.file("falling.yaml", R"(grapple: 1
name: falling
environment: {gravity: 10 m/s^2}
bodies: [{name: stone, mass: 2 kg, inertia: [1, 1, 1]}]
simulate: {duration: 1 s}
)");
  EXPECT_EQ(grapple({"equilibrium", file}).exit_code, 3);
  for (const char* command : {"modes", "linearize"}) {
    const Outcome outcome = grapple({command, file, "--equilibrium"});
    EXPECT_EQ(outcome.exit_code, 3) << command;
    EXPECT_TRUE(outcome.err.starts_with("GR-610 ")) << outcome.err;
  }
}

}  // namespace
}  // namespace grapple::program
