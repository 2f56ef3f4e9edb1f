// Every broken scenario of tests/bad-input is answered as a newcomer would wish: exit code 2, the
// error's id, the place in the file, words that help, within seconds; never a crash.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "program/support.h"

namespace grapple::program {
namespace {

struct Expectation {
  std::string file, ids, place, words;
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<Expectation> expectations() {
  std::istringstream table(text_of(source_directory() / "tests/bad-input/expectations.txt"));
  std::vector<Expectation> result;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream row(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(trimmed(cell));
    if (cells.size() != 4) throw std::runtime_error("expectations.txt: " + line);
    result.push_back({cells[0], cells[1], cells[2], cells[3]});
  }
  return result;
}

// "5:", "5:17" stand for places in the file itself, "other.yaml:1:1" for another one.
std::string full_place(const Expectation& expected) {
  const bool other = expected.place.find(".yaml") != std::string::npos;
  return other ? expected.place : expected.file + ":" + expected.place;
}

TEST(BadInput, EveryFaultIsAnsweredWithItsIdPlaceAndWords) {
  const fs::path directory = source_directory() / "tests/bad-input";
  for (const Expectation& expected : expectations()) {
    SCOPED_TRACE(expected.file);
    const Outcome outcome = grapple_in(directory, {"check", expected.file}, 20.0);
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.signal, 0);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
    std::istringstream ids(expected.ids);
    for (std::string id; ids >> id;) {
      EXPECT_NE(outcome.err.find(id + " "), std::string::npos) << id << "\n" << outcome.err;
    }
    if (expected.place != "-") {
      EXPECT_NE(outcome.err.find(full_place(expected)), std::string::npos)
          << full_place(expected) << "\n"
          << outcome.err;
    }
    if (expected.words != "-") {
      EXPECT_NE(outcome.err.find(expected.words), std::string::npos) << expected.words << "\n"
                                                                     << outcome.err;
    }
  }
}

TEST(BadInput, RunRefusesWhatCheckRefusesAndWritesNothing) {
  const Scratch scratch;
  const fs::path directory = source_directory() / "tests/bad-input";
  const Outcome outcome =
      grapple_in(directory, {"run", "zero-axis.yaml", "--out", (scratch / "out").string()}, 20.0);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(fs::exists(scratch / "out"));
}

TEST(BadInput, EveryFileOfTheCorpusIsExpectedAndThereAreManyOfThem) {
  std::set<std::string> listed;
  for (const Expectation& expected : expectations()) listed.insert(expected.file);
  EXPECT_GE(listed.size(), 80u);
  for (const auto& entry : fs::directory_iterator(source_directory() / "tests/bad-input")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_TRUE(listed.contains(entry.path().filename().string())) << entry.path();
  }
}

TEST(BadInput, AllFaultsOfAFileAreReportedAtOnce) {
  const fs::path directory = source_directory() / "tests/bad-input";
  for (const char* file : {"five-faults.yaml", "five-model-faults.yaml"}) {
    const Outcome outcome = grapple_in(directory, {"check", file}, 20.0);
    const auto lines = std::count(outcome.err.begin(), outcome.err.end(), '\n');
    EXPECT_GE(lines, 5) << outcome.err;
  }
}

TEST(BadInput, OptionsAreCheckedToo) {
  const std::string pendulum = "examples/first/pendulum.yaml";
  const auto fails = [](const std::vector<std::string>& arguments, const std::string& words) {
    const Outcome outcome = grapple(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << words;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  fails({"check", pendulum, "--set", "joints.hing.angle=3 deg"}, "GR-117");
  fails({"check", pendulum, "--set", "nonsense"}, "GR-116");
  fails({"check", pendulum, "--set", "joints.hinge.angle=3 kg"}, "GR-204");
  fails({"run", pendulum, "--checkpoint", "soon"}, "--checkpoint");
  fails({"run", pendulum, "--checkpoint", "3 m"}, "GR-601");
  fails({"run", pendulum, "--chekpoint", "3 s"}, "--chekpoint");
  fails({"validate", "no-such-case"}, "GR-603");
  fails({"linearize", pendulum, "--input", "joint/hing/effort"}, "joint/hinge/effort");
  fails({"jacobian", pendulum, "--frame", "rodd"}, "rod");
  fails({"linearize", pendulum, "--output", "joint/hing/rate"}, "joint/hinge/rate");
  fails({"check", "no-such-file.yaml"}, "GR-100");
  fails({}, "subcommand");
}

}  // namespace
}  // namespace grapple::program
