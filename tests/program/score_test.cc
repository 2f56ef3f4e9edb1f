// `grapple score` as a user meets it: a run is scored, again from its files, and beside another
// one.
#include <gtest/gtest.h>

#include "program/support.h"

namespace grapple::program {
namespace {

std::string pendulum(const std::string& damper, const std::string& weight) {
  return "grapple: 1\nenvironment: {gravity: 9.81 m/s^2}\nbodies:\n"
         "  - {name: rod, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}\njoints:\n"
         "  - {name: hinge, type: revolute, axis: y, parent: world, child: rod, damper: " +
         damper +
         " N*m*s/rad}\nmeasures:\n"
         "  - {name: fastest, channel: joint/hinge/rate, kind: max}\n"
         "  - {name: end, channel: joint/hinge/rate, kind: final}\nscore:\n"
         "  - {name: speed, measure: fastest, weight: " +
         weight +
         ", full: 0 rad/s, none: 10 rad/s}\n"
         "  - {name: rest, measure: end, weight: 5, full: 0 deg/s, none: 600 deg/s}\n"
         "simulate: {duration: 1 s}\n";
}

class ProgramScore : public ::testing::Test {
 protected:
  std::string run(const std::string& name, const std::string& text) {
    const std::string file = scratch_.file(name + ".yaml", text), out = (scratch_ / name).string();
    const Outcome outcome = grapple({"run", file, "--out", out});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\nscore\n"), std::string::npos) << outcome.out;
    return out;
  }
  Scratch scratch_;
};

TEST_F(ProgramScore, IsTheSameAgainFromTheFiles) {
  const std::string out = run("a", pendulum("0.5", "10"));
  const std::string json = (scratch_ / "score.json").string();
  const Outcome outcome = grapple({"score", out, "--json", json});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto recorded = json_of(scratch_ / "a/summary.json").at("score");
  const auto again = json_of(json).at(0);
  EXPECT_EQ(again.at("points"), recorded.at("points"));
  EXPECT_EQ(again.at("of"), 15);
  EXPECT_GT(recorded.at("points").get<double>(), 0.0);
  // (10 - v) of 10 points at 10 rad/s, from the measure as the summary has it.
  const double v = measure(json_of(scratch_ / "a/summary.json"), "fastest");
  EXPECT_DOUBLE_EQ(recorded.at("terms").at(0).at("points").get<double>(), 10.0 * (10.0 - v) / 10.0);
}

TEST_F(ProgramScore, SetsRunsSideBySide) {
  const std::string a = run("a", pendulum("0.5", "10")), b = run("b", pendulum("5", "10"));
  const Outcome outcome = grapple({"score", a, b});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("(+"), std::string::npos) << outcome.out;  // the slower swing
}

TEST_F(ProgramScore, RefusesToCompareWhatIsCountedInTwoWays) {
  const std::string a = run("a", pendulum("0.5", "10")), b = run("b", pendulum("0.5", "20"));
  const Outcome outcome = grapple({"score", a, b});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("GR-949"), std::string::npos) << outcome.err;
  EXPECT_EQ(grapple({"score", a, b, "--by", (scratch_ / "a.yaml").string()}).exit_code, 0);
}

}  // namespace
}  // namespace grapple::program
