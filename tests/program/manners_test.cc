// How the program speaks: messages that cannot be forged, that show nothing of foreign files, and
// that stay short.
#include <gtest/gtest.h>

#include <algorithm>

#include "program/support.h"

namespace grapple::program {
namespace {

bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
  });
}

TEST(Messages, CannotBeForgedByControlCharacters) {
  const Scratch scratch;
  const std::string file = scratch.file("forged.yaml", R"(grapple: 1
bodies: [{name: "a\e[31mRED\nGR-999 fake.yaml:1:1: forged", mass: 1 kg}]
simulate: {duration: 1 s}
)");
  const Outcome outcome = grapple({"check", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(has_control_characters(outcome.err));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find("a\\x1b[31mRED\\nGR-999"), std::string::npos) << outcome.err;
}

TEST(Messages, OfGoodScenariosAreCleanToo) {
  const Scratch scratch;
  const std::string file = scratch.file("named.yaml", R"(grapple: 1
name: "a\e[31m\nGR-999 fake.yaml:1:1: forged"
bodies: [{name: a, mass: 1 kg, inertia: [1, 1, 1]}]
simulate: {duration: 0.1 s}
)");
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"check", file}, {"run", file, "--out", (scratch / "out").string()}}) {
    const Outcome outcome = grapple(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(has_control_characters(outcome.out)) << outcome.out;
    EXPECT_EQ(outcome.out.find("\nGR-999"), std::string::npos) << outcome.out;
  }
  const Outcome missing = grapple({"check", "no\nGR-999 such\x1b[31m file"});
  EXPECT_EQ(std::count(missing.err.begin(), missing.err.end(), '\n'), 1) << missing.err;
  EXPECT_FALSE(has_control_characters(missing.err));
}

TEST(Messages, ShowNothingOfForeignFiles) {
  const Scratch scratch;
  const char* const foreign[] = {
      "hunter2:x:0:0:root:/root:/bin/bash\nother:x:1:1::/:/bin/false\n",  // no mapping
      "user: me\npassword: hunter2\n",                                    // foreign keys
      "hunter2: 1\nhunter2: 2\n",                                         // a key twice
      "!hunter2 {a: 1}\n",                                                // a tag
      "- hunter2\n",
      "key: [hunter2\n",
  };
  for (const char* text : foreign) {
    scratch.file("secret", text);
    for (const char* how : {"include: secret\n", "include: [secret]\n"}) {
      const std::string file = scratch.file("scenario.yaml", std::string(how) + "grapple: 1\n");
      const Outcome outcome = grapple({"check", file});
      EXPECT_EQ(outcome.exit_code, 2) << text;
      EXPECT_EQ(outcome.err.find("hunter2"), std::string::npos) << outcome.err;
      EXPECT_EQ(outcome.err.find("password"), std::string::npos) << outcome.err;
    }
  }
  for (const char* text : {"hunter2 is not JSON", "{\"hunter2\": 1}", "{\"a\": hunter2}"}) {
    scratch.file("secret.json", text);
    const std::string file = scratch.file("scenario.yaml", R"(grapple: 1
bodies: [{name: a, flexible: {file: secret.json}}]
simulate: {duration: 1 s}
)");
    const Outcome outcome = grapple({"check", file});
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.err.find("hunter2"), std::string::npos) << outcome.err;
  }
}

TEST(Settings, CannotIncludeFiles) {
  const Scratch scratch;
  const std::string file = scratch.file("plain.yaml",
                                        "grapple: 1\nbodies: [{name: a, mass: 1 kg, "
                                        "inertia: [1, 1, 1]}]\nsimulate: {duration: 1 s}\n");
  for (const char* setting :
       {"include=/etc/passwd", "include=[a]", "include[0]=a", "include.a=b"}) {
    const Outcome outcome = grapple({"check", file, "--set", setting});
    EXPECT_EQ(outcome.exit_code, 2) << setting;
    EXPECT_TRUE(outcome.err.starts_with("GR-117")) << outcome.err;
  }
}

TEST(Usage, ErrorsHaveAnId) {
  const std::string file = (source_directory() / "examples/first/pendulum.yaml").string();
  for (const auto& command :
       std::vector<std::vector<std::string>>{{},
                                             {"fly"},
                                             {"run"},
                                             {"run", file, "--nonsense"},
                                             {"run", file, "extra"},
                                             {"modes", file, "--time", "nan"},
                                             {"equilibrium", file, "--time", "inf"},
                                             {"linearize", file, "--time", "soon"},
                                             {"view", file, "--port", "many"}}) {
    const Outcome outcome = grapple(command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(outcome.err.starts_with("GR-600")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(grapple({"run", "--help"}).exit_code, 0);
  EXPECT_EQ(grapple({"--version"}).exit_code, 0);
}

TEST(Checkpoints, TooManyAreRefused) {
  const std::string file = (source_directory() / "examples/first/pendulum.yaml").string();
  for (const char* every : {"1e-12", "1e-300 s", "0", "-1 s", "nan"}) {
    const Outcome outcome =
        grapple_in(source_directory(), {"run", file, "--checkpoint", every}, 20.0);
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.exit_code, 2) << every;
    EXPECT_TRUE(outcome.err.starts_with("GR-601")) << outcome.err;
  }
}

// A thousand balls that touch the floor at one time are no chatter.
TEST(Events, AThousandAtOneTimeAreNoChatter) {
  const Scratch scratch;
  std::string text = R"(grapple: 1
bodies: [{name: a, mass: 1 kg, inertia: [1, 1, 1], velocity: [1, 0, 0]}]
simulate: {duration: 1 s, record: {every: 0.1 s}}
events:
)";
  for (int k = 0; k < 1500; ++k) {
    text += "  - {name: e" + std::to_string(k) +
            ", channel: body/a/position_x, crosses: 0.5, action: record}\n";
  }
  const Outcome outcome =
      grapple({"run", scratch.file("many.yaml", text), "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json_of(scratch / "out/summary.json").at("events").size(), 1000u);
  EXPECT_EQ(json_of(scratch / "out/summary.json").at("events_left_out"), 500);
  // All are in the results; the report for people has a few.
  EXPECT_EQ(record::ResultsReader::open_directory(scratch / "out").event_count(), 1500u);
  EXPECT_LT(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 100);
}

}  // namespace
}  // namespace grapple::program
