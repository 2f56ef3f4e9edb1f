// A run that is changed while it goes.
#include "grapple/view/internal/live_run.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>

#include "grapple/base/error.h"

namespace grapple::view {
namespace {

constexpr char kSpring[] = R"(grapple: 1
name: cart
parameters: {k: 100 N/m, n: 2}
bodies:
  - {name: cart, solid: {box: [1, 1, 1] m, mass: 4 kg}}
  - name: boom
    beam: {length: 1 m, mass: 1 kg, EI: 100 N*m^2, modes: "${n}"}
joints:
  - {name: rail, type: prismatic, axis: x, parent: world, child: cart, position: 0.1 m, spring: {stiffness: "${k}"}}
  - {name: clamp, type: fixed, parent: world, child: boom}
tunable:
  - {parameter: k, from: 10 N/m, to: 1000 N/m}
  - {parameter: n, from: 1, to: 3}
operator:
  - {name: stick, joint: rail, effort: 8 N, keys: [a, d]}
events:
  - {name: middle, channel: joint/rail/position, action: record}
simulate: {duration: 10 s, tolerance: 1e-10}
)";

class Live : public ::testing::Test {
 protected:
  Live() {
    std::string name = (std::filesystem::temp_directory_path() / "grapple-view-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ / "cart.yaml") << kSpring;
    run_ = std::make_unique<LiveRun>(directory_ / "cart.yaml", std::vector<std::string>{});
  }
  ~Live() override { std::filesystem::remove_all(directory_); }

  double value(const std::string& channel) {
    return run_->row()[static_cast<std::size_t>(run_->system().find_channel(channel))];
  }
  void advance_to(double t) {
    run_->advance(0.01, [&] { return run_->time() >= t ? Verdict::kHold : Verdict::kGoOn; });
  }

  std::filesystem::path directory_;
  std::unique_ptr<LiveRun> run_;
};

TEST_F(Live, FollowsTheOscillatorAndGoesOnAfterAHold) {
  advance_to(0.7);
  advance_to(1.3);
  // x = x0 cos(w t), w = 5 rad/s. Tolerance 1e-10 per step, some hundred steps.
  EXPECT_NEAR(value("joint/rail/position"), 0.1 * std::cos(5.0 * run_->time()), 1e-8);
}

TEST_F(Live, TakesATunedSpringFromThereOnAndBooksItsEnergy) {
  advance_to(0.7);
  const double t0 = run_->time(), x0 = value("joint/rail/position");
  const double v0 = value("joint/rail/rate");
  run_->tune("k", 400.0);
  EXPECT_EQ(value("joint/rail/position"), x0);
  EXPECT_NEAR(value("work/external"), 0.5 * 300.0 * x0 * x0,
              1e-12);  // the stiffer spring holds more
  advance_to(1.5);
  const double s = run_->time() - t0;  // w = 10 rad/s now
  EXPECT_NEAR(value("joint/rail/position"), x0 * std::cos(10 * s) + v0 / 10 * std::sin(10 * s),
              1e-8);
  EXPECT_NEAR(value("energy/residual"), 0.0, 1e-8);
  EXPECT_EQ(run_->tunables()[0].value, 400.0);
}

TEST_F(Live, RefusesWhatIsNotTunableOutOfRangeOrAnotherModel) {
  const auto id = [&](const std::string& name, double to) {
    try {
      run_->tune(name, to);
    } catch (const Error& error) {
      return error.id();
    }
    return std::string();
  };
  EXPECT_EQ(id("mass", 1.0), "GR-841");
  EXPECT_EQ(id("k", 5.0), "GR-841");
  EXPECT_EQ(id("k", std::nan("")), "GR-841");
  EXPECT_EQ(id("n", 3.0), "GR-842");  // another number of modes
  advance_to(0.5);                    // and goes on as if nothing had been asked
  EXPECT_NEAR(value("joint/rail/position"), 0.1 * std::cos(5.0 * run_->time()), 1e-8);
}

TEST_F(Live, ObeysItsOperator) {
  run_->operate("stick", 0.5);
  EXPECT_EQ(value("operator/stick/effort"), 4.0);
  advance_to(0.8);
  // A constant force of 4 N moves the centre of the oscillation to 0.04 m.
  EXPECT_NEAR(value("joint/rail/position"), 0.04 + 0.06 * std::cos(5.0 * run_->time()), 1e-8);
  EXPECT_NEAR(value("work/actuators"), 4.0 * (value("joint/rail/position") - 0.1), 1e-8);
  run_->operate("stick", -7.0);
  EXPECT_EQ(value("operator/stick/command"), -1.0);
}

TEST_F(Live, ResetsToTheStartWithItsTunedParameters) {
  run_->tune("k", 400.0);
  advance_to(1.0);
  run_->reset();
  EXPECT_EQ(run_->time(), 0.0);
  EXPECT_TRUE(run_->events().empty());
  advance_to(0.4);
  EXPECT_NEAR(value("joint/rail/position"), 0.1 * std::cos(10.0 * run_->time()), 1e-8);
}

TEST_F(Live, EndsWithTheScenarioAndKnowsItsEvents) {
  run_->advance(1.0, [] { return Verdict::kGoOn; });
  EXPECT_TRUE(run_->ended());
  EXPECT_EQ(run_->time(), 10.0);
  // cos(5 t) = 0 at t = (2 k + 1) pi / 10: 16 times in 10 s.
  EXPECT_EQ(run_->events().size(), 16u);
}

}  // namespace
}  // namespace grapple::view
