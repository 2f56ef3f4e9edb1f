// The hybrid model of a system by hand: a block that leads a joint by its rate, whose changes are
// impulses on the rest, against differences of the nonlinear motion over one period.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "grapple/analysis/loop_response.h"
#include "system/support.h"

namespace grapple::analysis::testing {

using namespace system::testing;
namespace {

// Leads the cart: rate = -2 place + 0.7 angle + 0.4 angular rate + 0.2 of its last output.
class CartLaw final : public element::SampledBlock {
 public:
  CartLaw() : SampledBlock("lead", {0.02, 0.005, 0.0}) {}
  std::vector<std::string> reads() const override {
    return {"joint/rail/position", "joint/pivot/position", "joint/pivot/rate"};
  }
  std::vector<std::string> writes() const override { return {"cart/rate"}; }
  std::vector<element::Output> memory() const override { return {{"sum", "m s"}}; }
  void update(element::Sample& sample) const override {
    sample.memory[0] += sample.in[0];
    sample.out[0] = -2.0 * sample.in[0] + 0.7 * std::sin(sample.in[1]) + 0.4 * sample.in[2] +
                    0.2 * sample.out[0] - 0.5 * sample.memory[0];
  }
};

// A cart on a rail along x with a pendulum below, weight along -y.
system::System cart_and_pendulum() {
  ModelBuilder builder;
  builder.set_gravity({0.0, -9.81, 0.0});
  builder.add_body("cart", lump(5.0, Vec3::Zero(), {1.0, 1.0, 1.0}));
  builder.add_body("bob", lump(1.0, {0.0, -0.5, 0.0}, {0.1, 0.1, 0.1}));
  const Mat3 z_to_x = Mat3{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  builder.add_joint(joint("rail", JointType::kPrismatic, "world", "cart", z_to_x));
  builder.add_joint(joint("pivot", JointType::kRevolute, "cart", "bob"));
  system::SystemParts parts;
  parts.model = builder.build();
  parts.signals = {{"cart/rate", "m/s"}};
  parts.motions = {{1, system::MotionLevel::kRate, {element::Input::held(0)}}};
  parts.blocks.push_back(std::make_unique<CartLaw>());
  return system::System(std::move(parts));
}

// Classical Runge-Kutta steps to the end of a period of 20 ms; samples on the way.
void run_period(system::System& system, VecX& x) {
  const auto f = [&](double t, const VecX& at) {
    return rate_of(system, evaluated(system, t, at));
  };
  double t = 0.0;
  const double end = 0.02;
  while (t < end - 1e-12) {
    const double stop = std::min(end, system.next_sample());
    const double h = (stop - t) / 20;
    for (int k = 0; k < 20; ++k, t += h) {
      const VecX k1 = f(t, x), k2 = f(t, x + h / 2 * k1), k3 = f(t, x + h / 2 * k2),
                 k4 = f(t, x + h * k3);
      x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      system.project(t + h, view(x));
    }
    t = stop;
    std::vector<element::Request> requests;
    if (t < end - 1e-12) system.sample(t, view(x), requests);
  }
}

TEST(ClosedLoop, ImpulsesOfARateThatASignalGivesArePartOfThePeriod) {
  system::System system = cart_and_pendulum();
  const VecX start = system.initial_state();
  const HybridModel model = linearize_with_blocks(system, 0.0, view(start), {}, {});
  ASSERT_EQ(model.states, (std::vector<std::string>{"joint/rail/position", "joint/pivot/position",
                                                    "joint/pivot/rate"}));
  // The impulse keeps the moment about the pivot: m l dv + (I + m l^2) d omega = 0.
  EXPECT_NEAR(std::abs(model.J(2, 0)), 0.5 / (0.1 + 0.25), 1e-9);
  EXPECT_TRUE(model.warnings.empty());
  const LiftedLoop loop = closed_loop(model);
  ASSERT_EQ(loop.M.rows(), 5);  // xi, memory, signal
  const system::Modes begin = system.modes();
  const std::size_t memory = system.block_memory_start(0);
  const double step = 1e-4;
  const auto after = [&](int state, double by) {
    system::Modes modes = begin;
    VecX x = start;
    if (state < 2) x[state] += by;
    if (state == 2) x[3] += by;  // q, q, cart's rate, pivot's rate
    if (state == 3) modes.blocks[memory] += by;
    if (state == 4) {
      modes.signals[0] += by;
      modes.blocks[memory + 2] += by;  // the last output before sample 0, in the last slot
    }
    system.set_modes(modes);
    run_period(system, x);
    VecX values(5);
    values << x[0], x[1], x[3], system.modes().blocks[memory], system.modes().signals[0];
    return values;
  };
  for (int j = 0; j < 5; ++j) {
    const VecX column = (after(j, step) - after(j, -step)) / (2.0 * step);
    EXPECT_LT((column - loop.M.col(j)).cwiseAbs().maxCoeff(), 1e-7)
        << loop.states[static_cast<std::size_t>(j)] << "\n"
        << column.transpose() << "\n"
        << loop.M.col(j).transpose();
  }
}

TEST(ClosedLoop, TheModesOfTheSystemAreAsBefore) {
  system::System system = cart_and_pendulum();
  const system::Modes before = system.modes();
  const VecX x = system.initial_state();
  linearize_with_blocks(system, 0.0, view(x), {}, {});
  EXPECT_EQ(system.modes().signals, before.signals);
  EXPECT_EQ(system.modes().blocks, before.blocks);
}

}  // namespace
}  // namespace grapple::analysis::testing
