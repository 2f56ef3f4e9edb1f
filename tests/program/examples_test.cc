// Every example checks and runs; two runs leave the same bytes.
#include <gtest/gtest.h>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

class Example : public testing::TestWithParam<std::string> {};

std::string label(const testing::TestParamInfo<std::string>& info) {
  const fs::path path(info.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

// The missions of the large arm take minutes; `grapple validate` runs them to their end.
bool is_mission(const std::string& file) { return file.find("/canadarm/") != std::string::npos; }

// `grapple run FILE` into a directory. The thousand balls run until they have met the floor, the
// walls and each other (151 contacts are alive then): what is asked of them does not change later.
Outcome run_example(const std::string& file, const fs::path& directory) {
  std::vector<std::string> arguments = {"run", file, "--csv", "--out", directory.string()};
  if (fs::path(file).filename() == "granular.yaml") {
    arguments.insert(arguments.end(), {"--set", "simulate.duration=30 ms"});
  }
  if (is_mission(file)) arguments.insert(arguments.end(), {"--set", "simulate.duration=0.5 s"});
  return grapple(arguments);
}

TEST_P(Example, ChecksWithoutFaults) {
  const Outcome outcome = grapple({"check", GetParam(), "--channels"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("no faults found"), std::string::npos);
  EXPECT_NE(outcome.out.find("energy/total [J]"), std::string::npos);
}

// The soft floor of the source lets a tip of 1 mm sink in by 8 mm: the warning is right.
bool is_warned_of(const std::string& file) { return file.ends_with("double-pendulum-tip.yaml"); }

TEST_P(Example, TwoRunsLeaveTheSameBytes) {
  const Scratch scratch;
  for (const char* directory : {"a", "b"}) {
    const Outcome outcome = run_example(GetParam(), scratch / directory);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  for (const char* file : {"results.h5", "channels.csv"}) {
    const std::string first = text_of(scratch / "a" / file);
    EXPECT_FALSE(first.empty()) << file;
    EXPECT_TRUE(first == text_of(scratch / "b" / file)) << file;
  }
  auto a = json_of(scratch / "a/summary.json"), b = json_of(scratch / "b/summary.json");
  a.erase("timing");
  b.erase("timing");
  EXPECT_EQ(a.dump(), b.dump());
  EXPECT_EQ(!a.at("warnings").empty(), is_warned_of(GetParam())) << a.at("warnings").dump();
}

// What passed through contacts: losses, and the most they stored.
double through_contact(const nlohmann::json& summary, const record::ResultsReader& results) {
  double sum = 0.0;
  for (const auto& entry : summary.at("energy").at("ledger")) {
    const std::string name = entry.at("name");
    const bool loss = name == "work of damping" || name == "work of friction";
    if (loss) sum += std::abs(entry.at("joule").get<double>());
  }
  double stored = 0.0;
  for (const record::ChannelInfo& channel : results.channels()) {
    if (channel.name != "energy/contact") continue;
    for (const double joule : results.channel(channel.name)) stored = std::max(stored, joule);
  }
  return sum + stored;
}

class ContactExample : public testing::TestWithParam<std::string> {};

std::vector<std::string> contact_examples() {
  std::vector<std::string> chosen;
  for (const std::string& file : examples()) {
    if (is_mission(file)) continue;  // nothing touches in its first half second
    const std::string text = text_of(file);
    const bool touches = text.find("\ncontacts:") != std::string::npos ||
                         text.find("\ncontact_groups:") != std::string::npos;
    if (touches) chosen.push_back(file);
  }
  return chosen;
}

TEST_P(ContactExample, ClosesItsLedgerAgainstTheEnergyThatPassedThroughContact) {
  const Scratch scratch;
  ASSERT_EQ(run_example(GetParam(), scratch.path()).exit_code, 0);
  const auto summary = json_of(scratch / "summary.json");
  const double passed =
      through_contact(summary, record::ResultsReader::open_directory(scratch.path()));
  const double residual = summary.at("energy").at("residual_joule");
  EXPECT_GT(passed, 0.0);
  EXPECT_LT(std::abs(residual), 1e-4 * passed);
}

INSTANTIATE_TEST_SUITE_P(All, ContactExample, testing::ValuesIn(contact_examples()), label);

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(examples()), label);

const std::string kPendulum = (source_directory() / "examples/first/pendulum.yaml").string();

TEST(Run, TableHasTimeFirstAndUnitsInItsHeader) {
  const Scratch scratch;
  ASSERT_EQ(grapple({"run", kPendulum, "--csv", "--out", scratch.path().string()}).exit_code, 0);
  const std::string table = text_of(scratch / "channels.csv");
  const std::string header = table.substr(0, table.find('\n'));
  EXPECT_TRUE(header.starts_with("time [s],joint/hinge/position [rad],joint/hinge/rate [rad/s],"))
      << header;
}

TEST(Run, SettingsChangeValuesAndAreKeptWithTheResults) {
  const Scratch scratch;
  const auto swing = [&](const std::string& angle) {
    const Outcome outcome =
        grapple({"run", kPendulum, "--set", "joints.hinge.angle=" + angle, "--set",
                 "simulate.duration=2 s", "--out", (scratch / "out").string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json_of(scratch / "out/summary.json");
  };
  const auto small = swing("85 deg"), large = swing("0 deg");
  EXPECT_EQ(small.at("simulated_seconds"), 2);
  EXPECT_LT(measure(small, "fastest-swing"), 0.2 * measure(large, "fastest-swing"));
}

TEST(Run, QuietPrintsNothingAndTheDefaultDirectoryIsNamedAfterTheFile) {
  const Scratch scratch;
  const Outcome outcome = grapple_in(
      scratch.path(), {"run", kPendulum, "--quiet", "--set", "simulate.duration=0.1 s"}, 60.0);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_TRUE(fs::exists(scratch / "out/pendulum/results.h5"));
}

TEST(Program, PrintsWhatTheDocsShow) {
  EXPECT_EQ(grapple({"reference"}).out, text_of(source_directory() / "docs/scenario-reference.md"));
  EXPECT_EQ(grapple({"schema"}).out, text_of(source_directory() / "docs/scenario.schema.json"));
  EXPECT_EQ(grapple({"--help"}).exit_code, 0);
  EXPECT_EQ(grapple({"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace grapple::program
