// Includes, parameters and settings: everything between the file and the check.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "support.h"

namespace grapple::scenario {
namespace {

namespace fs = std::filesystem;

class Includes : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) / (std::string("grapple_include_") + test->name());
    fs::remove_all(directory_);
    fs::create_directories(directory_ / "parts");
  }
  void TearDown() override { fs::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  std::string refusal(const std::string& name) const {
    try {
      load_scenario(directory_ / name, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  fs::path directory_;
};

TEST_F(Includes, MergeMappingsAppendNamedItemsAndLetTheIncluderWin) {
  write("parts/common.yaml",
        "environment: {gravity: 1}\nsimulate: {duration: 1 s, step: 1 ms}\n"
        "bodies: [{name: base, mass: 1 kg}]\n");
  write("parts/more.yaml", "include: common.yaml\nparameters: {a: 2 kg}\n");
  write("main.yaml",
        "grapple: 1\ninclude: [parts/more.yaml, parts/common.yaml]\nsimulate: {duration: 5 s}\n"
        "bodies: [{name: link, mass: ${a}}]\n");
  const CheckedScenario scenario = load_scenario(directory_ / "main.yaml", {});
  const Reader root = scenario.reader();
  EXPECT_EQ(root.object("simulate").number("duration"), 5.0);
  EXPECT_EQ(root.object("simulate").number("step"), 1e-3);
  EXPECT_EQ(root.object("environment").number("gravity"), 1.0);
  const auto bodies = root.objects("bodies");
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[0].text("name"), "base");
  EXPECT_EQ(bodies[1].number("mass"), 2.0);
  EXPECT_NE(bodies[0].where().find("common.yaml:3:"), std::string::npos);
  EXPECT_EQ(scenario.resolved_text.find("include"), std::string::npos);
}

TEST_F(Includes, LoopsAreReportedWithTheirChain) {
  write("a.yaml", "include: b.yaml\n");
  write("b.yaml", "include: ./parts/../a.yaml\n");
  EXPECT_NE(refusal("a.yaml").find("GR-107"), std::string::npos);
  EXPECT_NE(refusal("a.yaml").find("a.yaml -> b.yaml -> a.yaml"), std::string::npos);
}

TEST_F(Includes, BadIncludesAreErrors) {
  write("missing.yaml", "include: nowhere.yaml\n");
  EXPECT_NE(refusal("missing.yaml").find("GR-100"), std::string::npos);
  EXPECT_NE(refusal("missing.yaml").find("missing.yaml:1:10"), std::string::npos);
  write("odd.yaml", "include: {a: b}\n");
  EXPECT_NE(refusal("odd.yaml").find("GR-108"), std::string::npos);
  write("list.yaml", "- a\n");
  write("includes_list.yaml", "include: list.yaml\n");
  EXPECT_NE(refusal("includes_list.yaml").find("GR-109"), std::string::npos);
  write("directory.yaml", "include: parts\n");
  EXPECT_NE(refusal("directory.yaml").find("GR-100"), std::string::npos);
}

std::string with_parameters(const std::string& parameters, const std::string& mass) {
  return "grapple: 1\nparameters: " + parameters + "\nbodies: [{name: b, mass: " + mass + "}]\n";
}

double mass_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  const CheckedScenario scenario = load_scenario_text(with_simulate(text), "test.yaml", settings);
  return scenario.reader().objects("bodies").front().number("mass");
}

TEST(Parameters, ANameKeepsItsUnitAndAFormulaIsSi) {
  EXPECT_EQ(mass_of(with_parameters("{m: 2 g}", "${m}")), 2e-3);
  EXPECT_DOUBLE_EQ(mass_of(with_parameters("{r: 50 cm}", "\"${2*pi*r}\"")), std::numbers::pi);
  EXPECT_DOUBLE_EQ(mass_of(with_parameters("{r: 50 cm}", "${ max(1, 2*pi*r) }")), std::numbers::pi);
  EXPECT_EQ(mass_of(with_parameters("{a: ${b}, b: ${2*c}, c: 3 kg}", "${a}")), 6.0);
  EXPECT_EQ(mass_of(with_parameters("{digits: 12}", "${digits}5 g")), 0.125);
}

TEST(Parameters, FaultsAreNamed) {
  EXPECT_NE(message_of(with_parameters("{mass: 1}", "${mas}")).find("did you mean 'mass'"),
            std::string::npos);
  EXPECT_EQ(ids_of(with_parameters("{m: 1}", "${2*mm}")), "GR-110");
  EXPECT_NE(message_of(with_parameters("{a: ${b}, b: ${a}}", "${a}")).find("b -> a -> b"),
            std::string::npos);
  EXPECT_EQ(ids_of(with_parameters("{a: ${b}, b: ${a}}", "${a}")), "GR-111");
  EXPECT_EQ(ids_of(with_parameters("{m: 1}", "\"${m\"")), "GR-112");
  EXPECT_EQ(ids_of(with_parameters("{m: 1}", "\"${}\"")), "GR-112");
  EXPECT_EQ(ids_of(with_parameters("{m: 0}", "${1/m}")), "GR-113");
  EXPECT_EQ(ids_of(with_parameters("{m: heavy}", "${2*m}")), "GR-113");
  EXPECT_EQ(ids_of(with_parameters("{sin: 1}", "1")), "GR-114");
  EXPECT_EQ(ids_of(with_parameters("{a-b: 1}", "1")), "GR-114");
  EXPECT_EQ(ids_of(with_parameters("{m: [1, 2]}", "1")), "GR-114");
  EXPECT_EQ(ids_of(with_parameters("{m: 1}", "${m + }")), "GR-130");
}

TEST(Parameters, GrowthIsLimited) {
  std::string bomb = "{p0: xxxxxxxxxx";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "${p" + std::to_string(i - 1) + "}";
    bomb += ", p" + std::to_string(i) + ": \"" + before + before + "\"";
  }
  EXPECT_NE(ids_of(with_parameters(bomb + "}", "1")).find("GR-115"), std::string::npos);
  std::string chain = "{p0: 1";
  for (int i = 1; i < 3000; ++i) {
    chain += ", q" + std::to_string(3000 - i) + ": \"${q" + std::to_string(2999 - i) + "}\"";
  }
  EXPECT_NE(ids_of(with_parameters(chain + "}", "1")), "");
}

const std::string kArm =
    "grapple: 1\nparameters: {length: 1 m}\nbodies: [{name: link, mass: 1 kg}, {name: link.2, "
    "mass: 1 kg}]\njoints: [{name: shoulder, type: revolute, parent: world, child: link}]\n"
    "simulate: {duration: 1 s}\n";

TEST(Settings, ReplaceValuesByPath) {
  const CheckedScenario scenario = load_scenario_text(
      kArm, "test.yaml",
      {"simulate.duration=10 s", "joints.shoulder.angle=30 deg", "bodies[0].mass=5 kg",
       "bodies.link.2.mass=7 kg", "environment.gravity=[0, 0, -1] m/s^2", "parameters.length=2 m",
       "simulate.record={every: 1 ms}"});
  const Reader root = scenario.reader();
  EXPECT_EQ(root.object("simulate").number("duration"), 10.0);
  EXPECT_DOUBLE_EQ(root.objects("joints").front().number("angle"), std::numbers::pi / 6);
  EXPECT_EQ(root.objects("bodies")[0].number("mass"), 5.0);
  EXPECT_EQ(root.objects("bodies")[1].number("mass"), 7.0);
  EXPECT_EQ(root.object("environment").vector3("gravity").z(), -1.0);
  EXPECT_EQ(root.object("simulate").object("record").number("every"), 1e-3);
  EXPECT_EQ(root.object("simulate").where("duration"), "--set simulate.duration");
}

TEST(Settings, WrongPathsAreErrorsWithTheNearestName) {
  EXPECT_NE(message_of(kArm, {"simulate.duratoin=1 s"}).find("did you mean 'duration'"),
            std::string::npos);
  EXPECT_NE(message_of(kArm, {"joints.sholder.angle=1"}).find("did you mean 'shoulder'"),
            std::string::npos);
  EXPECT_NE(message_of(kArm, {"parameters.lenght=1 m"}).find("did you mean 'length'"),
            std::string::npos);
  EXPECT_EQ(ids_of(kArm, {"simulate.duration"}), "GR-116");
  EXPECT_EQ(ids_of(kArm, {"=1"}), "GR-116");
  EXPECT_EQ(ids_of(kArm, {"joints[7].angle=1"}), "GR-117");
  EXPECT_EQ(ids_of(kArm, {"joints[x].angle=1"}), "GR-117");
  EXPECT_EQ(ids_of(kArm, {"simulate.duration.more=1"}), "GR-117");
  EXPECT_EQ(ids_of(kArm, {"simulate..duration=1"}), "GR-117");
  EXPECT_EQ(ids_of(kArm, {"simulate.=1"}), "GR-117");
  EXPECT_EQ(ids_of(kArm, {"simulate.duration=[1"}), "GR-103");
  EXPECT_EQ(ids_of(kArm, {"simulate.duration="}), "GR-203");
}

TEST(Resolved, TextStandsAloneAndLoadsToTheSame) {
  const CheckedScenario once = load_scenario_text(
      kArm, "test.yaml", {"bodies[0].mass=${2*length}", "parameters.length=3 m"});
  const CheckedScenario twice = load_scenario_text(once.resolved_text, "resolved.yaml", {});
  EXPECT_EQ(once.resolved_text, twice.resolved_text);
  EXPECT_EQ(twice.reader().objects("bodies")[0].number("mass"), 6.0);
}

}  // namespace
}  // namespace grapple::scenario
