// Loops as a user meets them: assemble, latches that miss, reactions on request.
#include <gtest/gtest.h>

#include "support.h"

namespace grapple::program {
namespace {

const char* const kOpen = R"(
grapple: 1
bodies:
  - {name: crank, solid: {rod: {length: 0.4 m, axis: x, from: end}, mass: 1 kg}}
  - {name: coupler, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 2 kg}}
  - {name: rocker, solid: {rod: {length: 0.8 m, axis: x, from: end}, mass: 1.5 kg}}
joints:
  - {name: shaft, type: revolute, axis: z, parent: world, child: crank, angle: 60 deg}
  - {name: pin, type: revolute, axis: z, parent: "crank at [0.4, 0, 0] m", child: coupler}
  - {name: pivot, type: revolute, axis: z, parent: "world at [1, 0, 0] m", child: rocker}
loops:
  - {name: joint, type: revolute, axis: z, between: ["coupler at [1, 0, 0] m", "rocker at [LENGTH, 0, 0] m"]}
simulate: {duration: 0.1 s}
)";

std::string four_bar(const std::string& length) {
  std::string text = kOpen;
  return text.replace(text.find("LENGTH"), 6, length);
}

TEST(Assemble, WritesAScenarioThatStartsClosed) {
  const Scratch scratch;
  const std::string open = scratch.file("open.yaml", four_bar("0.8"));
  const std::string closed = (scratch / "closed.yaml").string();
  const Outcome assembled = grapple({"assemble", open, "--write", closed});
  EXPECT_EQ(assembled.exit_code, 0) << assembled.err;
  EXPECT_NE(assembled.out.find("assembled after"), std::string::npos);
  EXPECT_NE(assembled.out.find("joints.pivot.position="), std::string::npos);
  const Outcome checked = grapple({"check", closed});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(checked.out.find("was open by"), std::string::npos) << checked.out;
  // Of the open one, check says that the start was moved.
  EXPECT_NE(grapple({"check", open}).out.find("was open by"), std::string::npos);
}

TEST(Assemble, WritesAScenarioWithoutLoopsAsItIs) {
  const Scratch scratch;
  const std::string file = scratch.file("stone.yaml", R"(grapple: 1
bodies: [{name: stone, mass: 2 kg, inertia: [1, 1, 1]}]
simulate: {duration: 1 s}
)");
  const std::string copy = (scratch / "copy.yaml").string();
  EXPECT_EQ(grapple({"assemble", file, "--write", copy}).exit_code, 0);
  EXPECT_EQ(grapple({"check", copy}).exit_code, 0);
}

TEST(Assemble, FindsThePoseOfAHexapod) {
  const Scratch scratch;
  const std::string posed = (scratch / "posed.yaml").string();
  const Outcome outcome =
      grapple({"assemble", std::string(GRAPPLE_SOURCE_DIR) + "/examples/rigid/hexapod.yaml",
               "--write", posed});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  const Outcome checked = grapple({"check", posed});
  EXPECT_NE(checked.out.find("mobility with the loops closed: 1"), std::string::npos)
      << checked.out << checked.err;
  EXPECT_EQ(checked.out.find("was open by"), std::string::npos);
}

TEST(Assemble, SaysWhereTheWayEndsWhenALoopCannotClose) {
  const Scratch scratch;
  // Crank, coupler and ground cannot bridge a rocker of three metres.
  const Outcome outcome = grapple({"assemble", scratch.file("open.yaml", four_bar("3"))});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
  EXPECT_NE(outcome.out.find("NOT assembled"), std::string::npos);
  EXPECT_NE(outcome.out.find("lock-up"), std::string::npos);
}

TEST(Check, NamesWhatConditionsFollowFrom) {
  const Scratch scratch;
  const Outcome outcome = grapple({"check", scratch.file("bar.yaml", four_bar("0.8"))});
  EXPECT_NE(outcome.out.find("'position z' of loop 'joint' follows from joints 'shaft', 'pin', "
                             "'pivot'"),
            std::string::npos)
      << outcome.out;
}

// The ball is 0.5 m beyond its hook at 0.5 s. Neither way of closing takes it; the event says so,
// and by how much.
TEST(Latch, ThatMissesIsListedAsSuch) {
  for (const std::string closes : {"in-place", "as-given"}) {
    SCOPED_TRACE(closes);
    const Scratch scratch;
    const std::string file = scratch.file("miss.yaml", R"(
grapple: 1
bodies:
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, velocity: "[1, 0, 0] m/s"}
loops:
  - {name: hook, type: spherical, between: [world, ball], active: false, capture: {distance: 1 cm, speed: 2 m/s}, latch: [{at: 0.5 s, state: latched}], closes: )" +
                                                           closes + R"(}
events:
  - {name: too-late, channel: body/ball/position_x, crosses: 0.6 m, action: latch, target: hook}
  - {name: passed, channel: body/ball/position_x, crosses: 0.7 m, action: record}
simulate: {duration: 1 s}
)");
    const Outcome outcome = grapple({"run", file, "--out", (scratch / "out").string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE((outcome.out + outcome.err).find("was not latched at 0.5 s"), std::string::npos)
        << outcome.out;
    const auto summary = json_of(scratch / "out/summary.json");
    ASSERT_EQ(summary["events"].size(), 3u);
    EXPECT_EQ(summary["events"][0]["name"], "latch hook (missed)");
    EXPECT_EQ(summary["events"][1]["name"], "too-late (missed)");
    EXPECT_EQ(summary["events"][2]["name"], "passed");
    ASSERT_EQ(summary["warnings"].size(), 2u);
    EXPECT_EQ(summary["warnings"][1].get<std::string>().find(
                  "loop 'hook' was not latched at 0.6 s: distance 0.6 m (more than 0.01); within "
                  "capture: angle 0 deg (of "),
              0u)
        << summary["warnings"][1];
    EXPECT_NE(summary["warnings"][1].get<std::string>().find("speed 1 m/s (of 2)"),
              std::string::npos);
    // It flies on as if nothing had been there.
    const record::ResultsReader results = record::ResultsReader::open_directory(scratch / "out");
    EXPECT_NEAR(results.channel("body/ball/position_x").back(), 1.0, 1e-9);
  }
}

TEST(Reactions, AreChannelsOnRequest) {
  const Scratch scratch;
  const std::string file = scratch.file("bar.yaml", four_bar("0.8"));
  EXPECT_EQ(grapple({"check", file, "--channels"}).out.find("reaction"), std::string::npos);
  const Outcome asked =
      grapple({"check", file, "--channels", "--set", "simulate.record.reactions=[pin]"});
  EXPECT_NE(asked.out.find("joint/pin/reaction_force_x [N]"), std::string::npos) << asked.err;
  EXPECT_EQ(asked.out.find("joint/shaft/reaction"), std::string::npos);
  const Outcome all =
      grapple({"check", file, "--channels", "--set", "simulate.record.reactions=all"});
  EXPECT_NE(all.out.find("joint/shaft/reaction_torque_z [N*m]"), std::string::npos) << all.err;
}

}  // namespace
}  // namespace grapple::program
