// Copies of bodies and contact groups, from the file to the system.
#include <gtest/gtest.h>

#include <set>

#include "scenario/build_support.h"

namespace grapple::scenario {
namespace {

const char* const kGrains = R"(
grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - name: grain
    solid: {sphere: 5 mm, density: 2500 kg/m^3}
    shapes: [{name: skin, sphere: 5 mm}]
    position: [0, 0, 0.02] m
    velocity: [1, 0, 0] m/s
    copies: {grid: [2, 3, 4], spacing: [20, 30, 40] mm, jitter: 1 mm, speed: 0.1 m/s, seed: 4}
shapes: [{name: floor, half_space: z}]
contact_groups:
  - {name: heap, members: ["grain.*/skin"], walls: [floor], stiffness: 1e5, restitution: 0.5, friction: {kinetic: 0.2}}
simulate: {duration: 1 ms}
)";

TEST(Copies, StandInAGridWithTheirOwnRandomOffsets) {
  const Simulation simulation = built(kGrains);
  const model::Model& model = simulation.system->model();
  ASSERT_EQ(model.bodies().size(), 24U);
  const spatial::VecX x = simulation.system->initial_state();
  std::set<double> offsets;
  for (int z = 0, number = 1; z < 4; ++z) {
    for (int y = 0; y < 3; ++y) {
      for (int x_step = 0; x_step < 2; ++x_step, ++number) {
        const int body = model.find_body("grain." + std::to_string(number));
        ASSERT_GE(body, 0);
        const model::Link& link = model.link(model.bodies()[static_cast<std::size_t>(body)].link);
        EXPECT_NEAR(x[link.q_index], 0.02 * x_step, 1e-3);
        EXPECT_NEAR(x[link.q_index + 1], 0.03 * y, 1e-3);
        EXPECT_NEAR(x[link.q_index + 2], 0.02 + 0.04 * z, 1e-3);
        EXPECT_NEAR(x[model.nq() + link.v_index], 1.0, 0.1);
        offsets.insert(x[link.q_index] - 0.02 * x_step);
      }
    }
  }
  EXPECT_EQ(offsets.size(), 24U);
}

// The generator is the standard's mt19937_64; its numbers may not depend on the machine.
TEST(Copies, TheSameSeedGivesTheSameBodies) {
  const Simulation one = built(kGrains), two = built(kGrains);
  EXPECT_EQ(one.system->initial_state(), two.system->initial_state());
  std::string other = kGrains;
  other.replace(other.find("seed: 4"), 7, "seed: 5");
  EXPECT_NE(one.system->initial_state(), built(other).system->initial_state());
}

TEST(Copies, TheTextKeptWithTheResultsStaysShort) {
  const CheckedScenario checked = load_scenario_text(kGrains, "grains.yaml", {});
  EXPECT_LT(checked.resolved_text.size(), 1500U);
  const CheckedScenario again = load_scenario_text(checked.resolved_text, "again.yaml", {});
  EXPECT_EQ(build(again).system->initial_state(), built(kGrains).system->initial_state());
}

TEST(Copies, OtherPartsMayReferToACopy) {
  std::string text = kGrains;
  text += "frames: [{name: mark, body: grain.7}]\n";
  EXPECT_GE(built(text).system->model().find_frame("mark"), 0);
}

TEST(ContactGroup, HasTotalsAndNoChannelsOfPairs) {
  const Simulation simulation = built(kGrains);
  int own = 0;
  for (const system::Channel& channel : simulation.system->channels()) {
    if (channel.name.rfind("group/heap", 0) == 0) ++own;
  }
  EXPECT_EQ(own, 5);
  EXPECT_EQ(simulation.system->z_count(), 24 * 8 * 4);  // four bristle states in every place
}

TEST(ContactGroup, IsEstimatedByOneExampleOfEachKindOfPair) {
  const Simulation simulation = built(kGrains);
  ASSERT_EQ(simulation.contacts.size(), 2U);
  EXPECT_EQ(simulation.contacts[0].name, "heap, sphere");
  EXPECT_EQ(simulation.contacts[1].name, "heap, half-space");
}

}  // namespace
}  // namespace grapple::scenario
