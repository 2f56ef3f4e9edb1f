// Plug-ins: the example compiled by the C compiler and run, and libraries that are not what they
// should be. Nothing is loaded unless it is allowed.
#include "grapple/control/plugin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "control/plumbing_support.h"

namespace grapple::control {
namespace {

namespace fs = std::filesystem;

// A directory with a compiled library; skips where there is no C compiler.
class Plugin : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() /
                 ("grapple-plugin-" + std::to_string(::getpid()) + "-" +
                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(directory_);
    ::setenv("GRAPPLE_ALLOW_PLUGINS", "1", 1);
  }
  void TearDown() override {
    ::unsetenv("GRAPPLE_ALLOW_PLUGINS");
    fs::remove_all(directory_);
  }

  bool compiled(const std::string& code, const std::string& library) {
    const fs::path source = directory_ / "block.c";
    std::ofstream(source) << code;
    return compiled_file(source, library);
  }
  bool compiled_file(const fs::path& source, const std::string& library) {
    const std::string command =
        "cc -std=c99 -Wall -Wextra -Werror -pedantic -O2 -shared -fPIC -I " GRAPPLE_SOURCE_DIR
        "/include -o " +
        (directory_ / library).string() + " " + source.string();
    return std::system(command.c_str()) == 0;
  }
  // The wheel with a block of this library.
  std::string ids(const std::string& keys) {
    try {
      Simulation(written(keys));
    } catch (const Error& error) {
      return error.id();
    }
    return "";
  }
  fs::path written(const std::string& keys) {
    const fs::path file = directory_ / "wheel.yaml";
    std::ofstream(file) << wheel("",
                                 "blocks: [{name: b, type: plugin, period: 10 ms, " + keys + "}]");
    return file;
  }
  const fs::path& directory() const { return directory_; }

 private:
  fs::path directory_;
};

// u = gain q, x counts samples; parameters decide what goes wrong.
const std::string kBlockCode = R"(#include <grapple/control/grapple_block.h>
#include <math.h>
#include <stdio.h>
const grapple_block_description* grapple_block_describe(void) {
  static const char* const in[] = {"q"};
  static const char* const out[] = {"u"};
  static const char* const states[] = {"count"};
  static const char* const parameters[] = {"gain", "fail_at"};
  static const grapple_block_description d = {VERSION, 1, 1, 1, 2, in, out, states, parameters};
  return &d;
}
int grapple_block_start(const grapple_block_sample* s) { s->states[0] = 5.0; return 0; }
int grapple_block_update(const grapple_block_sample* s) {
  s->outputs[0] = s->parameters[0] * s->inputs[0];
  s->states[0] += 1.0;
  if (s->t < s->parameters[1]) return 0;
  if (s->parameters[0] < 0.0) { s->outputs[0] = NAN; return 0; }
  snprintf(s->message, s->message_size, "too hot\x1b");
  return 3;
}
)";

std::string with_version(const std::string& version) {
  std::string code = kBlockCode;
  code.replace(code.find("VERSION"), 7, version);
  return code;
}

const std::string kKeys =
    "inputs: {q: joint/axle/rate}, outputs: {u: {unit: N*m}}, parameters: {gain: 2, fail_at: 9}, ";

TEST_F(Plugin, RunsAndKeepsItsStates) {
  ASSERT_TRUE(compiled(with_version("GRAPPLE_BLOCK_ABI_VERSION"), "b.so"));
  std::string text = wheel(", rate: 3 rad/s", "blocks: [{name: b, type: plugin, period: 10 ms, " +
                                                  kKeys + "library: b.so}]");
  std::ofstream(directory() / "wheel.yaml") << text;
  Simulation sim(directory() / "wheel.yaml");
  EXPECT_EQ(sim.get("block/b/count"), 6.0);  // 5 from the start, and the sample at 0
  sim.advance_to(0.105);
  EXPECT_EQ(sim.get("block/b/count"), 16.0);
  EXPECT_NEAR(sim.get("block/b/u"), 6.0, 1e-12);
  const run::Saved saved = sim.save();
  Simulation again(directory() / "wheel.yaml");
  again.restore(saved);
  EXPECT_EQ(again.get("block/b/count"), 16.0);
}

TEST_F(Plugin, ItsFaultEndsTheRunWithItsWords) {
  ASSERT_TRUE(compiled(with_version("GRAPPLE_BLOCK_ABI_VERSION"), "b.so"));
  const std::string keys = "inputs: {q: joint/axle/rate}, outputs: {u: {}}, library: b.so, ";
  Simulation sim(written(keys + "parameters: {gain: 2, fail_at: 0.05}"));
  EXPECT_FALSE(sim.advance_to(1.0));
  EXPECT_NEAR(sim.time(), 0.05, 1e-9);
  EXPECT_NE(sim.ending().find("GR-966"), std::string::npos) << sim.ending();
  EXPECT_NE(sim.ending().find("too hot\\x1b"), std::string::npos) << sim.ending();
  Simulation undefined(written(keys + "parameters: {gain: -2, fail_at: 0.05}"));
  EXPECT_FALSE(undefined.advance_to(1.0));
  EXPECT_NE(undefined.ending().find("GR-951"), std::string::npos) << undefined.ending();
}

TEST_F(Plugin, WhatIsNoBlockIsRefused) {
  EXPECT_EQ(ids(kKeys + "library: b.so"), "GR-964");  // not there
  std::ofstream(directory() / "b.so") << "no library";
  EXPECT_EQ(ids(kKeys + "library: b.so"), "GR-964");
  ASSERT_TRUE(compiled("int other(void); int other(void) { return 0; }\n", "c.so"));
  EXPECT_EQ(ids(kKeys + "library: c.so"), "GR-964");
  ASSERT_TRUE(compiled(with_version("2"), "d.so"));
  EXPECT_EQ(ids(kKeys + "library: d.so"), "GR-964");
  ASSERT_TRUE(compiled(with_version("GRAPPLE_BLOCK_ABI_VERSION"), "e.so"));
  EXPECT_EQ(ids(kKeys + "library: e.so"), "");
  EXPECT_EQ(
      ids("inputs: {p: joint/axle/rate}, outputs: {u: {}}, parameters: {gain: 1, fail_at: 1}, "
          "library: e.so"),
      "GR-965");
  EXPECT_EQ(ids("inputs: {q: joint/axle/rate}, outputs: {u: {}}, parameters: {gain: 1}, library: "
                "e.so"),
            "GR-965");
  EXPECT_EQ(ids("inputs: {q: joint/axle/rate}, outputs: {}, parameters: {gain: 1, fail_at: 1}, "
                "library: e.so"),
            "GR-965");
}

TEST_F(Plugin, NothingIsLoadedUnasked) {
  ASSERT_TRUE(compiled(with_version("GRAPPLE_BLOCK_ABI_VERSION"), "b.so"));
  ::unsetenv("GRAPPLE_ALLOW_PLUGINS");
  EXPECT_EQ(ids(kKeys + "library: b.so"), "GR-963");
  ::setenv("GRAPPLE_ALLOW_PLUGINS", "0", 1);
  EXPECT_EQ(ids(kKeys + "library: b.so"), "GR-963");
}

// The example of the guide: the joint comes to 10 deg, as the lead compensator's double pole says.
TEST_F(Plugin, ExampleHoldsTheJoint) {
  const fs::path example = fs::path(GRAPPLE_SOURCE_DIR) / "examples/control/plugin";
  ASSERT_TRUE(compiled_file(example / "lead.c", "lead.so"));
  fs::copy_file(example / "lead.yaml", directory() / "lead.yaml");
  Simulation sim(directory() / "lead.yaml");
  sim.advance_to(5.0);
  EXPECT_NEAR(sim.get("joint/axle/position"), 10.0 * M_PI / 180.0, 1e-4);
}

}  // namespace
}  // namespace grapple::control
