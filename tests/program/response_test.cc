// `grapple linearize --closed` and `grapple response` as a user meets them.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "program/support.h"

namespace grapple::program {
namespace {

const std::string kSampledJoint =
    (source_directory() / "examples/control/sampled-joint.yaml").string();

const char* kOneRate = R"(grapple: 1
name: held
signals: [{name: wanted, unit: rad}]
bodies: [{name: arm, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z}]
controllers:
  - {name: hold, joint: axle, set_point: {signal: wanted}, proportional: 100 N*m/rad, derivative: 20 N*m*s/rad, period: 10 ms}
simulate: {duration: 1 s}
)";

TEST(ClosedLoop, PolesAndVerdictArePrintedAndWritten) {
  const Scratch scratch;
  const std::string json = (scratch / "loop.json").string(), npz = (scratch / "loop.npz").string();
  const Outcome outcome =
      grapple({"linearize", kSampledJoint, "--closed", "--json", json, "--npz", npz});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("closed loop: stable"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("not part of this"), std::string::npos) << outcome.out;
  const auto loop = json_of(json);
  EXPECT_EQ(loop.at("verdict"), "stable");
  ASSERT_EQ(loop.at("poles").size(), 3u);
  // The product of the roots of z^3 - 2 z^2 + ... + K/2 - D is D - K/2 (docs/signals.md).
  double product = 1.0;
  for (const auto& pole : loop.at("poles")) {
    product *= std::hypot(pole.at("z")[0].get<double>(), pole.at("z")[1].get<double>());
  }
  EXPECT_NEAR(product, 0.1 - 0.03 / 2, 1e-10);
  EXPECT_EQ(text_of(npz).substr(0, 4), std::string("PK\x03\x04", 4));
  EXPECT_NE(text_of(npz).find("monodromy.npy"), std::string::npos);
  const Outcome unstable =
      grapple({"linearize", kSampledJoint, "--closed", "--set", "parameters.stiffness=70 N*m/rad"});
  EXPECT_NE(unstable.out.find("closed loop: unstable"), std::string::npos) << unstable.out;
}

TEST(ClosedLoop, OpenAnalysesPointToIt) {
  for (const char* command : {"modes", "linearize", "equilibrium"}) {
    const Outcome outcome = grapple({command, kSampledJoint});
    EXPECT_NE(outcome.out.find("grapple linearize --closed"), std::string::npos) << outcome.out;
  }
}

TEST(Response, OpenedLoopHasMarginsAndTables) {
  const Scratch scratch;
  const std::string json = (scratch / "loop.json").string(), csv = (scratch / "bode.csv").string();
  const Outcome outcome =
      grapple({"response", kSampledJoint, "--break", "controller/hold/effort", "--frequencies",
               "0.1..40", "--points", "50", "--json", json, "--csv", csv});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("phase margin"), std::string::npos) << outcome.out;
  const auto margins = json_of(json).at("margins");
  EXPECT_NEAR(margins.at("gain_up").get<double>(),
              margins.at("by_poles").at("gain_up").get<double>(), 1e-4);
  EXPECT_GT(margins.at("phase_deg").get<double>(), 10.0);
  std::istringstream table(text_of(csv));
  std::string line;
  std::getline(table, line);
  EXPECT_TRUE(line.starts_with("frequency [Hz],L at controller/hold/effort real,")) << line;
  std::getline(table, line);
  EXPECT_TRUE(line.starts_with("0.1")) << line;
}

TEST(Response, StepOfTheSetPointIsFollowed) {
  const Scratch scratch;
  const std::string file = scratch.file("held.yaml", kOneRate);
  const std::string json = (scratch / "step.json").string(), csv = (scratch / "step.csv").string();
  const Outcome outcome = grapple({"response", file, "--from", "wanted", "--to",
                                   "joint/axle/position", "--json", json, "--step", csv});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto step = json_of(json).at("step");
  const auto& values = step.at("curves")[0].at("values");
  EXPECT_NEAR(values[0].get<double>(), 0.0, 1e-15);
  EXPECT_NEAR(values[1].get<double>(), 100.0 * 0.01 * 0.01 / 2, 1e-9);  // Kp T^2 / (2 I)
  EXPECT_NEAR(values.back().get<double>(), 1.0, 0.03);  // a hundredth is left, twice
  EXPECT_TRUE(text_of(csv).starts_with("time [s],joint/axle/position\n0,0\n0.01,"));
  // A disturbing torque at rest moves it by 1/Kp.
  const Outcome pushed = grapple({"response", file, "--from", "joint/axle/effort", "--to",
                                  "joint/axle/position", "--duration", "3", "--json", json});
  ASSERT_EQ(pushed.exit_code, 0) << pushed.err;
  EXPECT_NEAR(json_of(json).at("step").at("curves")[0].at("values").back().get<double>(), 0.01,
              1e-8);
}

TEST(Response, WithoutControllersTheContinuousSystemAnswers) {
  const Scratch scratch;
  const std::string file = scratch.file("swing.yaml", R"(grapple: 1
name: swing
signals: [{name: push, unit: N}]
bodies: [{name: block, mass: 2 kg, inertia: [1, 1, 1] kg*m^2}]
joints: [{name: rail, type: prismatic, parent: world, child: block, axis: x, spring: {stiffness: 50 N/m}, damper: 2 N*s/m, motor: {force: {signal: push}}}]
simulate: {duration: 1 s}
)");
  const std::string json = (scratch / "r.json").string();
  const Outcome outcome =
      grapple({"response", file, "--from", "push", "--to", "joint/rail/position", "--frequencies",
               "0.01..10", "--json", json});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto response = json_of(json).at("response");
  for (std::size_t k = 0; k < response.at("frequency_hz").size(); k += 40) {
    const double w = 2 * M_PI * response.at("frequency_hz")[k].get<double>();
    const double size = 1.0 / std::hypot(50.0 - 2.0 * w * w, 2.0 * w);
    EXPECT_NEAR(response.at("curves")[0].at("magnitude")[k].get<double>(), size, 1e-9 * size);
  }
  EXPECT_EQ(grapple({"linearize", file, "--closed"}).exit_code, 2);
}

TEST(Response, WrongQuestionsAreAnsweredWithIds) {
  const Scratch scratch;
  const std::string file = scratch.file("held.yaml", kOneRate);
  const auto told = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = grapple(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_TRUE(told({"response", file}).starts_with("GR-614 "));
  EXPECT_TRUE(told({"response", file, "--from", "wanted"}).starts_with("GR-614 "));
  const std::string near = told({"response", file, "--break", "controller/hold/efort"});
  EXPECT_TRUE(near.starts_with("GR-614 ")) << near;
  EXPECT_NE(near.find("controller/hold/effort"), std::string::npos) << near;
  EXPECT_TRUE(told({"response", file, "--break", "wanted"}).starts_with("GR-614 "));
  EXPECT_TRUE(
      told({"response", file, "--from", "x", "--to", "joint/axle/rate"}).starts_with("GR-614 "));
  EXPECT_TRUE(told({"response", file, "--from", "wanted", "--to", "joint/axle/rat"})
                  .starts_with("GR-612 "));
  for (const char* range : {"5", "5..1", "0..3", "a..b", "1..inf"}) {
    EXPECT_TRUE(
        told({"response", file, "--break", "controller/hold/effort", "--frequencies", range})
            .starts_with("GR-615 "))
        << range;
  }
}

TEST(ClosedLoop, PeriodsWithoutACommonMultipleAreRefused) {
  const Scratch scratch;
  std::string text = kOneRate;
  text.insert(
      text.find("simulate:"),
      "  - {name: other, joint: axle, derivative: 1 N*m*s/rad, period: 10.0100000317 ms}\n");
  const Outcome outcome = grapple({"linearize", scratch.file("odd.yaml", text), "--closed"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.err.starts_with("GR-616 ")) << outcome.err;
}

}  // namespace
}  // namespace grapple::program
