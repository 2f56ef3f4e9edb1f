// Overconstrained mechanisms of one bar chain each, by every method: the error shrinks with the
// tolerance from 1e-3 to 1e-12.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "grapple/scenario/build/build.h"
#include "loop_mechanism.h"
#include "stress.h"

namespace grapple::stress {
namespace {

// A Bennett mechanism (lengths 1 and 1.6, sines 0.5 and 0.8 of the twists) that swings through a
// wide range. Rates of 10 1/s and rows within 0.1 rad of each other.
constexpr const char* kBennett = R"(grapple: 1
name: bennett
environment: {gravity: [1, -3, -9] m/s^2}
bodies:
  - {name: k0, mass: 1 kg, com: [0.171010071662834, 0.469846310392954, 0] m, inertia: [0.0745851851299574, 0.0107481482033759, 0.0843333333333333, -0.0267828170702725, 0, 0] kg*m^2}
  - {name: k1, mass: 1 kg, com: [-0.51385855440517, -0.59135555488425, 0.162012325988394] m, inertia: [0.126316462021543, 0.0977662025691803, 0.205584002075943, -0.101291036857429, 0.0277504732094052, 0.0319356296443183] kg*m^2}
  - {name: k2, mass: 1 kg, com: [-0.457151517257664, 0.121509244491296, -0.162012325988394] m, inertia: [0.0146708300896718, 0.0794118345010515, 0.0755840020759434, 0.0185160451600095, -0.024688060213346, 0.00656199844304247] kg*m^2}
joints:
  - {name: r1, type: revolute, axis: [0, 0, 1], parent: "world at [0, 0, 0] m", child: k0}
  - {name: r2, type: revolute, axis: [0.469846310392954, -0.171010071662834, 0.866025403784439], parent: "k0 at [0.342020143325669, 0.939692620785908, 0] m", child: k1}
  - {name: r3, type: revolute, axis: [-0.202515407485493, 0.418529412672952, 0.885336456076795], parent: "k1 at [-1.02771710881034, -1.1827111097685, 0.324024651976789] m", child: k2}
loops:
  - {name: r4, type: revolute, axis: [2.4980018054066e-16, 0.8, 0.6], between: ["world at [-1.6, 2.77555756156289e-16, -2.77555756156289e-16] m", "k2 at [-0.914303034515329, 0.243018488982592, -0.324024651976789] m"]}
measures:
  - {name: q, channel: joint/r1/position, kind: final}
  - {name: gap, channel: loop/r4/error, kind: max}
simulate: {duration: 5 s, record: {every: 10 ms}}
)";
// By baumgarte, orthogonal-decomposition, bdf and dormand-prince at 1e-12 alike.
constexpr double kBennettAngle = -3.65602483;

double end_of_bennett(const std::vector<std::string>& settings) {
  const Ending ending = run_scenario(kBennett, settings);
  EXPECT_EQ(ending.status, record::RunStatus::kCompleted) << ending.reason;
  return ending.status == record::RunStatus::kCompleted ? ending.measures.at("q") : NAN;
}

TEST(Overconstrained, BennettConvergesFromTheCoarsestToleranceOn) {
  for (int digits = 4; digits <= 12; ++digits) {
    const double tolerance = std::pow(10.0, -digits);
    const double off = std::abs(
        end_of_bennett({fmt::format("simulate.tolerance={:g}", tolerance)}) - kBennettAngle);
    // 5 s are seven swings; the reference has nine digits.
    EXPECT_LT(off, 1e3 * tolerance + 1e-8) << "tolerance " << tolerance;
  }
  // At 1e-3 the balance of energy is off by 0.1 %: a warning, not a wrong motion.
  const Ending coarse = run_scenario(kBennett, {"simulate.tolerance=1e-3"});
  EXPECT_EQ(coarse.status, record::RunStatus::kCompleted) << coarse.reason;
  EXPECT_NEAR(coarse.measures.at("q"), kBennettAngle, 0.05);
  EXPECT_LT(coarse.measures.at("gap"), 1e-12);
}

// Where the stages of a step lie, beside the manifold, the accelerations are those on it up to the
// distance from it; before, they were off by order one at any distance above 1e-5.
void expect_smooth_beside_the_manifold(const std::string& text) {
  const scenario::Simulation simulation =
      scenario::build(scenario::load_scenario_text(text, "beside.yaml", {}));
  const system::System& system = *simulation.system;
  const spatial::VecX on = system.initial_state();
  const auto accelerations = [&system](const spatial::VecX& x) {
    system::Snapshot<double> at(system);
    EXPECT_TRUE(system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, at));
    return spatial::VecX(at.workspace.vdot);
  };
  const spatial::VecX expected = accelerations(on);
  for (int digits = 2; digits <= 8; ++digits) {
    const double distance = std::pow(10.0, -digits);
    spatial::VecX beside = on;
    for (int k = 0; k < system.model().nq(); ++k) beside[k] += distance * std::sin(1.0 + k);
    const double off = (accelerations(beside) - expected).lpNorm<Eigen::Infinity>();
    // The accelerations change by their own size over some tenths of a radian.
    EXPECT_LT(off, 30.0 * distance * (1.0 + expected.lpNorm<Eigen::Infinity>())) << distance;
  }
}

TEST(Overconstrained, AccelerationsAreSmoothBesideTheManifold) {
  expect_smooth_beside_the_manifold(kBennett);
  for (unsigned seed = 0; seed < 5; ++seed) {
    Dice dice(seed);
    expect_smooth_beside_the_manifold(ring_scenario(random_bennett(dice), dice, 1));
    expect_smooth_beside_the_manifold(ring_scenario(random_bennett(dice), dice, 6));  // by the tree
    expect_smooth_beside_the_manifold(ring_scenario(random_bricard(dice), dice, 1));
    expect_smooth_beside_the_manifold(ring_scenario(random_sarrus(dice), dice, 6));
  }
}

TEST(Overconstrained, BennettByTheOtherMethods) {
  EXPECT_NEAR(end_of_bennett({"simulate.integrator=bdf", "simulate.tolerance=1e-6"}), kBennettAngle,
              1e-3);
  EXPECT_NEAR(end_of_bennett({"simulate.integrator=bdf", "simulate.tolerance=1e-9"}), kBennettAngle,
              1e-6);
  EXPECT_NEAR(end_of_bennett({"simulate.integrator=generalized-alpha", "simulate.tolerance=1e-6"}),
              kBennettAngle, 1e-3);
  for (const char* method : {"orthogonal-decomposition", "optimal-partition", "baumgarte"}) {
    for (const double tolerance : {1e-6, 1e-9}) {
      const double end = end_of_bennett({std::string("simulate.loop_method=") + method,
                                         fmt::format("simulate.tolerance={:g}", tolerance)});
      EXPECT_NEAR(end, kBennettAngle, 1e3 * tolerance) << method << " " << tolerance;
    }
  }
}

}  // namespace
}  // namespace grapple::stress
