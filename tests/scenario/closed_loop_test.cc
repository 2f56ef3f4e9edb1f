// Loops closed by sampled controllers: poles against closed forms, margins and monodromy matrices
// against simulations of the same scenario.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "grapple/analysis/loop_response.h"
#include "grapple/base/error.h"
#include "grapple/control/linear/eigenvalues.h"
#include "grapple/scenario/simulation.h"

namespace grapple {
namespace {

using analysis::HybridModel;
using analysis::LoopPoles;
using spatial::MatX;
using spatial::VecX;
using Complex = std::complex<double>;
using std::numbers::pi;

const std::string kSampledJoint =
    std::string(GRAPPLE_SOURCE_DIR) + "/examples/control/sampled-joint.yaml";

class ClosedLoops : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-closed-loop-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return file_;
  }
  ~ClosedLoops() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

// The model about the start of a scenario; outputs: channels.
HybridModel model_of(const std::filesystem::path& file, const std::vector<std::string>& settings,
                     const std::vector<std::string>& outputs = {}) {
  const scenario::Simulation built = scenario::build(scenario::load_scenario(file, settings));
  const VecX x = built.system->initial_state();
  std::vector<int> channels;
  for (const std::string& name : outputs) channels.push_back(built.system->find_channel(name));
  return analysis::linearize_with_blocks(
      *built.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())}, channels, {});
}

LoopPoles poles_of(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  return analysis::loop_poles(analysis::closed_loop(model_of(file, settings)));
}

// Roots of z^n + c[n-1] z^(n-1) + ... + c[0].
std::vector<Complex> roots(const std::vector<double>& c) {
  const auto n = static_cast<Eigen::Index>(c.size());
  MatX companion = MatX::Zero(n, n);
  for (Eigen::Index k = 0; k + 1 < n; ++k) companion(k + 1, k) = 1.0;
  for (Eigen::Index k = 0; k < n; ++k) companion(k, n - 1) = -c[static_cast<std::size_t>(k)];
  return control::eigenvalues(companion);
}

void expect_poles(const LoopPoles& found, std::vector<Complex> wanted, double tolerance) {
  ASSERT_EQ(found.poles.size(), wanted.size());
  for (const analysis::LoopPole& pole : found.poles) {
    const auto nearest = std::ranges::min_element(
        wanted, {}, [&](Complex other) { return std::abs(other - pole.z); });
    EXPECT_LT(std::abs(*nearest - pole.z), tolerance) << pole.z;
    wanted.erase(nearest);
  }
}

// docs/signals.md: inertia 0.1, T 10 ms, one sample late.
std::vector<Complex> sampled_joint_roots(double proportional, double derivative) {
  const double inertia = 0.1, T = 0.01;
  const double D = derivative * T / inertia, K = proportional * T * T / inertia;
  return roots({K / 2 - D, 1 + D + K / 2, -2.0});
}

TEST_F(ClosedLoops, PolesOfTheSampledJointAreTheRootsOfItsPolynomial) {
  for (const double stiffness : {10.0, 30.0, 63.0, 70.0}) {
    const LoopPoles found =
        poles_of(kSampledJoint, {"parameters.stiffness=" + std::to_string(stiffness) + " N*m/rad"});
    expect_poles(found, sampled_joint_roots(stiffness, 1.0), 1e-8);
    EXPECT_EQ(found.verdict,
              stiffness < 63.5 ? LoopPoles::Verdict::kStable : LoopPoles::Verdict::kUnstable);
    EXPECT_EQ(found.idle, 1);  // the integral part, whose gain is 0
  }
}

TEST_F(ClosedLoops, StabilityLimitOfTheSampledJointIsFound) {
  double stable = 30.0, unstable = 100.0;
  while (unstable - stable > 1e-6) {
    const double middle = 0.5 * (stable + unstable);
    const LoopPoles found =
        poles_of(kSampledJoint, {"parameters.stiffness=" + std::to_string(middle) + " N*m/rad"});
    (found.largest < 1.0 ? stable : unstable) = middle;
  }
  // K = 2 (s + D), s^2 + 3 s + 2 D = 0 with D = 0.1; the page rounds it to 63.56.
  const double D = 0.1, s = 0.5 * (-3.0 + std::sqrt(9.0 - 8.0 * D));
  EXPECT_NEAR(stable, 2.0 * (s + D) * 0.1 / 1e-4, 1e-5);
  EXPECT_NEAR(stable, 63.56, 0.005);
}

std::string rigid_loop(double period) {
  return R"(grapple: 1
bodies: [{name: arm, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z}]
controllers:
  - {name: hold, joint: axle, proportional: 100 N*m/rad, derivative: 20 N*m*s/rad, period: )" +
         std::to_string(period) + R"( s}
simulate: {duration: 1 s}
)";
}

TEST_F(ClosedLoops, RigidLoopLosesStabilityAtTwoOverTheRateGain) {
  // q'' = nu, nu = -Kp q - Kv q' held: z^2 + (-2 + Kv T + Kp T^2/2) z + 1 - Kv T + Kp T^2/2.
  const double kp = 100.0, kv = 20.0;
  for (const double T : {0.001, 0.02, 0.0999, 0.1001, 0.12}) {
    const LoopPoles found = poles_of(write(rigid_loop(T)), {});
    expect_poles(found, roots({1 - kv * T + kp * T * T / 2, -2 + kv * T + kp * T * T / 2}), 1e-8);
    EXPECT_EQ(found.verdict,
              T < 2.0 / kv ? LoopPoles::Verdict::kStable : LoopPoles::Verdict::kUnstable)
        << T;
  }
  // Fast sampling: the double pole at -10 of the continuous loop (Kp 100, Kv 20); a double root
  // splits by the root of what moves it, here of T.
  for (const analysis::LoopPole& pole : poles_of(write(rigid_loop(1e-5)), {}).poles) {
    EXPECT_LT(std::abs(pole.s + 10.0), 0.2);
  }
}

// An arm held about zero by a sampled PD law, released off zero.
std::string released(const std::string& more) {
  return R"(grapple: 1
bodies: [{name: arm, mass: 2 kg, inertia: [0.1, 0.1, 0.1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z, angle: 0.01 rad}]
controllers:
  - {name: hold, joint: axle, proportional: 30 N*m/rad, derivative: 1 N*m*s/rad, period: 10 ms, )" +
         more + R"(}
simulate: {duration: 20 s, integrator: dormand-prince, tolerance: 1e-10}
)";
}

TEST_F(ClosedLoops, SimulatedDecayIsThePole) {
  const auto file = write(released("delay: 10 ms"));
  const LoopPoles poles = poles_of(file, {});
  const Complex slowest = poles.poles.front().z;
  ASSERT_GT(std::abs(slowest.imag()), 0.0);
  ASSERT_GT(std::abs(slowest), 2.0 * std::abs(poles.poles.back().z));
  Simulation sim(file);
  sim.advance_to(0.3);  // the third pole is gone
  double q[4];
  for (int k = 0; k < 4; ++k) {
    q[k] = sim.get("joint/axle/position");
    sim.advance_to(0.3 + 0.01 * (k + 1));
  }
  // q[k+2] = a q[k+1] - b q[k] with a = 2 Re z, b = |z|^2.
  const Eigen::Matrix2d rows{{q[1], -q[0]}, {q[2], -q[1]}};
  const Eigen::Vector2d ab = rows.colPivHouseholderQr().solve(Eigen::Vector2d(q[2], q[3]));
  EXPECT_NEAR(ab[0], 2.0 * slowest.real(), 1e-4);
  EXPECT_NEAR(std::sqrt(ab[1]), std::abs(slowest), 1e-4);
}

// Whether the released arm swings wider at the end of the run than before.
bool grows(const std::filesystem::path& file, double delay) {
  Simulation sim(file, {"controllers.hold.delay=" + std::to_string(delay) + " s"});
  const auto widest = [&](double from, double to) {
    double most = 0.0;
    sim.advance_to(from);
    for (double t = from; t < to; t += 0.005) {
      sim.advance_to(t);
      most = std::max(most, std::abs(sim.get("joint/axle/position")));
    }
    return most;
  };
  const double early = widest(2.0, 4.0);
  return widest(8.0, 10.0) > early;
}

TEST_F(ClosedLoops, DelayMarginIsSeenInTheSimulation) {
  const auto file = write(released("delay: 3 ms"));
  const HybridModel model = model_of(file, {});
  const analysis::LiftedLoop open = analysis::broken_loop(model, {0, 0});
  const analysis::LoopMargins found =
      analysis::loop_margins(model, {0, 0}, analysis::response_frequencies(open, 0.0, 0.0, 400));
  ASSERT_TRUE(found.delay.has_value());
  double stable = 0.003, unstable = 0.003 + 2.0 * *found.delay;
  ASSERT_FALSE(grows(file, stable));
  ASSERT_TRUE(grows(file, unstable));
  while (unstable - stable > 0.002 * *found.delay) {
    const double middle = 0.5 * (stable + unstable);
    (grows(file, middle) ? unstable : stable) = middle;
  }
  const double seen = 0.5 * (stable + unstable) - 0.003;
  EXPECT_NEAR(seen, *found.delay, 0.02 * *found.delay);
  // The phase margin over the crossover frequency leaves out that the hold's aliases are delayed
  // too.
  EXPECT_NEAR(found.by_frequency.delay, *found.delay, 0.05 * *found.delay);
  RecordProperty("delay_margin_ms", std::to_string(1e3 * *found.delay));
  RecordProperty("seen_ms", std::to_string(1e3 * seen));
}

TEST_F(ClosedLoops, OpenedLoopHasTheTransferFunctionOfTheHeldInertia) {
  const HybridModel model = model_of(kSampledJoint, {});
  const analysis::LiftedLoop open = analysis::broken_loop(model, {0, 0});
  EXPECT_EQ(open.moments, 1);
  const double I = 0.1, T = 0.01, kp = 30.0, kd = 1.0;
  for (const double omega : {0.1, 3.0, 17.0, 100.0, 250.0}) {
    const Complex z = std::polar(1.0, omega * T), p = z - 1.0;
    const Complex law = kp * T * T * (z + 1.0) / (2 * I * p * p) + kd * T / (I * p);
    const Complex found = analysis::transfer_function(open, 0, omega);
    EXPECT_LT(std::abs(found + law / z), 1e-9 * std::abs(law)) << omega;
  }
  // Both gains times the margin: a root on the unit circle.
  const analysis::LoopMargins margins =
      analysis::loop_margins(model, {0, 0}, analysis::response_frequencies(open, 0.0, 0.0, 300));
  ASSERT_TRUE(margins.gain_up.has_value());
  EXPECT_NEAR(*margins.gain_up, margins.by_frequency.gain_up, 1e-5);
  double largest = 0.0;
  for (const Complex z :
       sampled_joint_roots(kp * margins.by_frequency.gain_up, kd * margins.by_frequency.gain_up)) {
    largest = std::max(largest, std::abs(z));
  }
  EXPECT_NEAR(largest, 1.0, 1e-9);
}

TEST_F(ClosedLoops, AnIdleBlockOfAnotherRateChangesNothing) {
  const std::string text = released("delay: 4 ms");
  const HybridModel alone = model_of(write(text), {}, {"joint/axle/position"});
  const analysis::LiftedLoop open = analysis::broken_loop(alone, {0, 0});
  const LoopPoles poles = analysis::loop_poles(analysis::closed_loop(alone));
  std::string with = text;
  with.insert(with.find("simulate:"),
              "  - {name: idle, joint: axle, period: 25 ms, offset: 3 ms}\n");
  const HybridModel both = model_of(write(with), {}, {"joint/axle/position"});
  const analysis::LiftedLoop lifted = analysis::broken_loop(both, {0, 0});
  EXPECT_EQ(lifted.moments, 5);
  for (const double omega : {0.3, 5.0, 40.0, 200.0, 310.0}) {
    const Complex wanted = analysis::transfer_function(open, 0, omega);
    EXPECT_LT(std::abs(analysis::transfer_function(lifted, 0, omega) - wanted),
              1e-9 * std::abs(wanted))
        << omega;
  }
  // Per 50 ms the poles are fifth powers.
  std::vector<Complex> powers;
  for (const analysis::LoopPole& pole : poles.poles) powers.push_back(std::pow(pole.z, 5));
  expect_poles(analysis::loop_poles(analysis::closed_loop(both)), powers, 1e-9);
}

// Two arms in a chain with springs, hanging, two controllers of different rates, offsets and
// delays; one follows a signal, the other sets a signal that a motor with a gear reads.
const char* kTwoRates = R"(grapple: 1
environment: {gravity: [0, 0, -9.81] m/s^2}
signals:
  - {name: wanted, unit: rad}
  - {name: fore/torque, unit: N*m}
bodies:
  - {name: upper, mass: 2 kg, com: [0, 0, -0.5] m, inertia: [0.1, 0.2, 0.2] kg*m^2}
  - {name: fore, mass: 1 kg, com: [0, 0, -0.4] m, inertia: [0.1, 0.1, 0.1] kg*m^2}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: y}
  - {name: elbow, type: revolute, parent: "upper at [0, 0, -1] m", child: fore, axis: y, damper: 0.1 N*m*s/rad,
     motor: {torque: {signal: fore/torque}, gear_ratio: 3, rotor_inertia: 0.001 kg*m^2}}
controllers:
  - {name: slow, joint: shoulder, set_point: {signal: wanted}, proportional: 40 N*m/rad, integral: 30 N*m/rad/s,
     derivative: 6 N*m*s/rad, period: 15 ms, offset: 2 ms, delay: 20 ms}
  - {name: fast, joint: elbow, output: fore/torque, proportional: 5 N*m/rad, integral: 4 N*m/rad/s,
     derivative: 0.3 N*m*s/rad, period: 10 ms, offset: 1 ms, delay: 12 ms}
simulate: {duration: 2 s, integrator: dormand-prince, tolerance: 1e-12}
)";

TEST_F(ClosedLoops, MonodromyOfTwoRatesIsThatOfTheSimulation) {
  const auto file = write(kTwoRates);
  const HybridModel model = model_of(file, {});
  const analysis::LiftedLoop loop = analysis::closed_loop(model);
  EXPECT_NEAR(loop.period, 0.03, 1e-15);
  // xi 4, memories 6, signals that blocks hold 2, on their way: slow (2 + 20)/15, fast (1 + 12)/10.
  ASSERT_EQ(loop.M.rows(), 4 + 6 + 2 + 1 + 1);
  Simulation sim(file);
  sim.advance_to(0.03);
  system::System& system = sim.session().system();
  struct Moment {
    std::vector<double> x;
    system::Modes modes;
  };
  const auto moment_of = [](run::Session& session) -> Moment {
    return {{session.state().begin(), session.state().end()}, session.system().modes()};
  };
  const Moment begin = moment_of(sim.session());
  // Where the states are in x and in the modes, in the order of the loop.
  const auto places = [&](Moment& at) {
    std::vector<double*> all;
    for (std::size_t k = 0; k < 4; ++k) all.push_back(&at.x[k]);
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t k = 0; k < 3; ++k) {
        all.push_back(&at.modes.blocks[system.block_memory_start(b) + k]);
      }
    }
    for (const auto& block : system.blocks()) {
      all.push_back(
          &at.modes.signals[static_cast<std::size_t>(system.find_signal(block->writes().front()))]);
    }
    for (std::size_t b = 0; b < 2; ++b) {
      const auto& schedule = system.blocks()[b]->schedule();
      const auto slots = 2 + static_cast<std::size_t>(schedule.delay / schedule.period);
      const std::size_t start = system.block_memory_start(b);
      const auto applied = static_cast<std::size_t>(at.modes.blocks[start - 1]);
      EXPECT_EQ(at.modes.blocks[start - 2], at.modes.blocks[start - 1] + 1.0);
      all.push_back(&at.modes.blocks[start + 3 + applied % slots]);
    }
    return all;
  };
  const double step = 1e-4;  // sines and cosines: truncation some 1e-9
  const auto after = [&](std::size_t state, double by) {
    Moment changed = begin;
    *places(changed)[state] += by;
    system.set_modes(changed.modes);
    run::Session session(system, sim.session().plan(), 0.03);
    session.start_from(changed.x);
    session.advance_to(0.06);
    Moment end = moment_of(session);
    VecX values(14);
    Eigen::Index k = 0;
    for (const double* value : places(end)) values[k++] = *value;
    return values;
  };
  double largest = 0.0;
  for (std::size_t j = 0; j < 14; ++j) {
    const VecX column = (after(j, step) - after(j, -step)) / (2.0 * step);
    const VecX found = loop.M.col(static_cast<Eigen::Index>(j));
    largest = std::max(largest, (column - found).cwiseAbs().maxCoeff());
    EXPECT_LT((column - found).cwiseAbs().maxCoeff(), 1e-6 * std::max(1.0, found.norm()))
        << loop.states[j] << "\n"
        << column.transpose() << "\n"
        << found.transpose();
  }
  RecordProperty("largest_difference", std::to_string(largest));
}

TEST_F(ClosedLoops, StepResponseIsThatOfTheSimulation) {
  const std::vector<std::string> channels{"joint/shoulder/position", "joint/elbow/rate",
                                          "controller/slow/effort"};
  const auto file = write(kTwoRates);
  const HybridModel model = model_of(file, {}, channels);
  const analysis::LiftedLoop driven = analysis::driven_loop(model, {0}, {0, 1, 2});
  EXPECT_EQ(driven.moments, 3);
  const int count = 40;
  const MatX found = analysis::loop_step_response(driven, count);
  Simulation sim(file);
  sim.advance_to(0.03);
  const double size = 1e-4;
  sim.set("wanted", size);
  for (int k = 0; k < count; ++k) {
    for (int c = 0; c < 3; ++c) {
      // The simulation is not linear: cubes of 1e-4.
      EXPECT_NEAR(found(k, c), sim.get(channels[static_cast<std::size_t>(c)]) / size, 2e-7)
          << channels[static_cast<std::size_t>(c)] << " at moment " << k;
    }
    sim.advance_to(0.03 + 0.01 * (k + 1));
  }
  EXPECT_GT(std::abs(found(count - 1, 0)), 0.1);  // something happened
}

TEST_F(ClosedLoops, PeriodsWithoutACommonMultipleAreRefused) {
  std::string text = kTwoRates;
  text.replace(text.find("period: 10 ms"), 13, "period: 10.0100000317 ms");
  const HybridModel model = model_of(write(text), {});
  try {
    analysis::closed_loop(model);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-616") << error.what();
  }
}

TEST_F(ClosedLoops, ALawAtItsLimitIsSaid) {
  // Far off zero the effort is cut: the loop does not react there.
  const HybridModel model = model_of(write(released("delay: 10 ms, limit: 1 mN*m")), {});
  EXPECT_FALSE(model.warnings.empty());
  const LoopPoles poles = analysis::loop_poles(analysis::closed_loop(model));
  EXPECT_EQ(poles.verdict, LoopPoles::Verdict::kNeutral);
}

}  // namespace
}  // namespace grapple
