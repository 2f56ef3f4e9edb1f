// A scenario as a running model: signals in, channels out, saved and restored, blocks that sample.
#include "grapple/scenario/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "grapple/base/error.h"

namespace grapple {
namespace {

/// A file of its own for one test.
class Simulations : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-simulation-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return file_;
  }
  ~Simulations() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

std::string arm(const std::string& torque, const std::string& integrator) {
  return R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
signals: [{name: shoulder/torque, unit: N*m, limits: [-50, 50] N*m}]
bodies:
  - {name: upper, mass: 2 kg, com: [0.5, 0, 0] m, inertia: [0.1, 0.2, 0.2] kg*m^2}
  - {name: fore, mass: 1 kg, com: [0.4, 0, 0] m, inertia: [0.1, 0.1, 0.1] kg*m^2}
frames: [{name: tip, body: fore, position: [0.8, 0, 0] m}]
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: y, motor: {torque: )" +
         torque + R"(}}
  - {name: elbow, type: revolute, parent: upper at [1, 0, 0] m, child: fore, axis: y, damper: 0.1}
simulate: {duration: 2 s, integrator: )" +
         integrator + "}\n";
}

// Whoever sets a torque at the times of a table gets the bits of the table.
TEST_F(Simulations, ASignalSetAtRunTimeIsATableToTheBit) {
  for (const char* integrator : {"dormand-prince, tolerance: 1e-6", "rk4, step: 1 ms",
                                 "semi-implicit-euler, step: 1 ms", "adaptive", "bdf"}) {
    Simulation by_table(write(
        arm("{times: [0, 0.25, 0.7, 1.3] s, values: [0, 30, -12.5, 7] N*m, interpolation: hold}",
            integrator)));
    Simulation by_signal(write(arm("{signal: shoulder/torque}", integrator)));
    for (const auto& [time, torque] : {std::pair{0.25, 30.0}, {0.7, -12.5}, {1.3, 7.0}}) {
      by_signal.advance_to(time);
      by_signal.set("shoulder/torque", torque);
    }
    for (Simulation* sim : {&by_table, &by_signal}) {
      EXPECT_FALSE(sim->advance_to(2.0));
      EXPECT_EQ(sim->ending(), "completed") << integrator;
    }
    for (const std::string& channel : by_signal.channels()) {
      if (channel == "shoulder/torque") continue;
      EXPECT_EQ(by_table.get(channel), by_signal.get(channel)) << integrator << " " << channel;
    }
    EXPECT_EQ(by_signal.get("shoulder/torque"), 7.0);
    EXPECT_GT(std::abs(by_signal.get("joint/elbow/rate")), 0.1);  // something happened
  }
}

const char* kOperated = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: upper, mass: 2 kg, com: [0.5, 0, 0] m, inertia: [0.1, 0.2, 0.2] kg*m^2}
  - {name: fore, mass: 1 kg, com: [0.4, 0, 0] m, inertia: [0.1, 0.1, 0.1] kg*m^2}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: y}
  - {name: elbow, type: revolute, parent: upper at [1, 0, 0] m, child: fore, axis: y, damper: 0.1}
operator:
  - {name: stick, joint: shoulder, effort: 40 N*m, keys: [a, d]}
controllers:
  - {name: hold, joint: elbow, proportional: 20 N*m/rad, integral: 10 N*m/rad/s,
     derivative: 2 N*m*s/rad, limit: 3 N*m, period: 7 ms, delay: 20 ms}
events: [{name: low, channel: joint/shoulder/position, crosses: 0.5 rad, action: record}]
simulate: {duration: 3 s, integrator: METHOD}
)";

// What the hand at the stick does, from a seed and the step's number.
double hand(int k) { return std::sin(0.37 * k) * (k % 5 == 0 ? 1.0 : 0.6); }

// Saved in the middle of being driven by hand, with outputs of a controller on their way.
TEST_F(Simulations, RestoreToTheSameBitsWhileSomebodyDrives) {
  for (const char* method :
       {"dormand-prince", "rk4, step: 1 ms", "bdf", "semi-implicit-euler, step: 1 ms", "adams",
        "generalized-alpha, step: 1 ms"}) {
    std::string text = kOperated;
    text.replace(text.find("METHOD"), 6, method);
    const auto file = write(text);
    Simulation went_on(file), restored(file);
    const auto drive = [](Simulation& sim, int from, int to) {
      for (int k = from; k < to; ++k) {
        sim.set("operator/stick/command", hand(k));
        sim.advance_to(0.033 * (k + 1));
      }
    };
    drive(went_on, 0, 31);
    const run::Saved saved = went_on.save();
    drive(went_on, 31, 60);
    drive(restored, 0, 3);  // somewhere else
    restored.restore(saved);
    EXPECT_EQ(restored.time(), 0.033 * 31);
    drive(restored, 31, 60);
    for (const std::string& channel : went_on.channels()) {
      EXPECT_EQ(went_on.get(channel), restored.get(channel)) << method << " " << channel;
    }
    EXPECT_GT(std::abs(went_on.get("joint/shoulder/rate")), 1e-3) << method;
  }
}

// I q'' = u by zero-order hold, u one sample T late, u = -kp q - kd q'. With D = kd T/I and
// K = kp T^2/I the characteristic polynomial is  z^3 - 2 z^2 + (1 + D + K/2) z + K/2 - D; its pair
// of roots leaves the unit circle at  K = 2 (s + D),  s^2 + 3 s + 2 D = 0.
TEST_F(Simulations, ASampledJointLosesStabilityAtTheGainOfDiscreteTheory) {
  constexpr double kPeriod = 0.01, kInertia = 0.1, kDerivative = 1.0;
  const double D = kDerivative * kPeriod / kInertia;
  const double s = 0.5 * (-3.0 + std::sqrt(9.0 - 8.0 * D));
  const double critical = 2.0 * (s + D) * kInertia / (kPeriod * kPeriod);
  EXPECT_NEAR(critical, 63.5642, 1e-3);
  const auto growth = [&](double gain) {
    const std::string text = R"(grapple: 1
bodies: [{name: arm, mass: 1 kg, inertia: [0.1, 0.1, 0.1] kg*m^2}]
joints: [{name: axle, type: revolute, parent: world, child: arm, axis: z, position: 0.01 rad}]
controllers:
  - {name: hold, joint: axle, proportional: )" +
                             std::to_string(gain) +
                             R"( N*m/rad, derivative: 1 N*m*s/rad, period: 10 ms, delay: 10 ms}
simulate: {duration: 100 s}
)";
    Simulation sim(write(text));
    const auto amplitude = [&](double from, double to) {
      double most = 0.0;
      for (double t = from; t < to; t += 0.005) {
        sim.advance_to(t);
        most = std::max(most, std::abs(sim.get("joint/axle/position")));
      }
      return most;
    };
    const double early = amplitude(5.0, 8.0);
    return amplitude(15.0, 18.0) / early;
  };
  EXPECT_LT(growth(0.99 * critical), 0.9);
  EXPECT_GT(growth(1.01 * critical), 1.1);
}

// A controller that asks for more than its signal allows ends the run as failed, with its words.
TEST_F(Simulations, AFaultOfABlockIsAFailureOfTheRun) {
  for (const auto& [set_point, time] : {std::pair{"10", 0.0}, {"10*step(t - 0.05)", 0.05}}) {
    Simulation sim(write(std::string(R"(grapple: 1
signals: [{name: torque, unit: N*m, limits: [-1, 1] N*m}]
bodies: [{name: arm, mass: 1 kg, inertia: [0.1, 0.1, 0.1] kg*m^2}]
joints:
  - {name: axle, type: revolute, parent: world, child: arm, axis: z,
     motor: {torque: {signal: torque}}}
controllers:
  - {name: hold, joint: axle, proportional: 2 N*m/rad, period: 10 ms, output: torque,
     set_point: ")") + set_point +
                         R"("}
simulate: {duration: 10 s}
)"));
    EXPECT_FALSE(sim.advance_to(10.0));
    EXPECT_EQ(sim.ending().find("failed: GR-953"), 0u) << sim.ending();
    EXPECT_EQ(sim.time(), time);
  }
}

// The rest of a spring as a signal, and a joint led at a rate that is a signal: what is set does
// work, and nothing is lost.
TEST_F(Simulations, BookTheEnergyOfWhatIsSet) {
  Simulation sim(write(R"(grapple: 1
signals:
  - {name: rest, unit: rad}
  - {name: rate, unit: rad/s}
bodies:
  - {name: base, mass: 5 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: upper, mass: 2 kg, com: [0.5, 0, 0] m, inertia: [0.1, 0.2, 0.2] kg*m^2}
  - {name: fore, mass: 1 kg, com: [0.4, 0, 0] m, inertia: [0.1, 0.1, 0.1] kg*m^2}
joints:
  - {name: shoulder, type: revolute, parent: base, child: upper, axis: y,
     motion: {rate: {signal: rate}}}
  - {name: elbow, type: revolute, parent: upper at [1, 0, 0] m, child: fore, axis: y,
     spring: {stiffness: 30 N*m/rad, rest: {signal: rest}}}
simulate: {duration: 3 s, tolerance: 1e-10}
)"));
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int k = 0; k < 20; ++k) {
    sim.set("rest", any(engine));
    sim.set("rate", any(engine));
    EXPECT_NEAR(sim.get("energy/residual"), 0.0, 1e-8) << k;
    EXPECT_NEAR(sim.get("momentum/angular_y"), 0.0, 1e-9) << k;
    EXPECT_NEAR(sim.get("momentum/linear_x"), 0.0, 1e-9) << k;
    EXPECT_NEAR(sim.get("momentum/linear_z"), 0.0, 1e-9) << k;
    EXPECT_EQ(sim.get("joint/shoulder/rate"), sim.get("rate"));
    sim.advance(0.1);
  }
  EXPECT_GT(std::abs(sim.get("work/external")), 1e-3);
  EXPECT_GT(std::abs(sim.get("work/locking")), 1e-3);
}

TEST_F(Simulations, RefuseWhatIsNotThereAndWhatIsNotAllowed) {
  Simulation sim(write(arm("{signal: shoulder/torque}", "adaptive")));
  const auto id_of = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.id();
    }
    return "";
  };
  EXPECT_EQ(id_of([&] { sim.set("shoulder/torqe", 1.0); }), "GR-952");
  EXPECT_EQ(id_of([&] { sim.set("shoulder/torque", 51.0); }), "GR-953");
  EXPECT_EQ(id_of([&] { sim.set("shoulder/torque", NAN); }), "GR-953");
  EXPECT_EQ(id_of([&] { sim.get("no/such"); }), "GR-506");
  for (const double seconds : {0.0, -1.0, 1e-30, static_cast<double>(NAN)}) {
    sim.advance_to(0.5);
    EXPECT_EQ(id_of([&] { sim.advance(seconds); }), "GR-958") << seconds;
  }
  EXPECT_EQ(sim.signals(), std::vector<std::string>{"shoulder/torque"});
  sim.advance(10.0);
  EXPECT_EQ(sim.time(), 2.0);
  EXPECT_EQ(sim.ending(), "completed");
}

}  // namespace
}  // namespace grapple
