// Beams that deploy and rails, from a scenario file to its channels: conservation, closed forms, and
// models of another kind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "grapple/analysis/natural_modes.h"
#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

class Deployment : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-deployment-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return file_;
  }
  ~Deployment() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

const char* kAdrift = R"yaml(grapple: 1
bodies:
  - {name: hub, mass: 40 kg, com: [0.1, 0.2, 0] m, inertia: [5, 6, 7] kg*m^2, velocity: [0.1, 0.2, -0.1] m/s, angular_velocity: [0.05, 0.1, 0.2] rad/s}
  - name: boom
    beam: {length: 8 m, mass: 6 kg, EI_y: 400 N*m^2, EI_z: 900 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 2, bending_z: 1},
           tip_body: {mass: 2 kg, inertia: "[0.1, 0.1, 0.1] kg*m^2"}, deploys: {from: 3 m, rate: 0.15 m/s, stowage: STOWAGE}}
    modal_amplitudes: [0.05, 0.01, -0.04]
joints:
  - {name: wrist, type: revolute, axis: [0.3, 1, 0.2], parent: "hub at [0.5, 0.1, 0] m", child: boom, rate: 0.1 rad/s}
simulate: {duration: 15 s, tolerance: 1e-12, integrator: dormand-prince}
)yaml";

// Sliding freely while everything bends and turns: no energy, no momentum from nothing.
TEST_F(Deployment, FreeSlidingCreatesNeitherEnergyNorMomentum) {
  for (const char* stowage : {"telescope", "sleeve", "drum"}) {
    SCOPED_TRACE(stowage);
    Simulation sim(write(replaced(kAdrift, "STOWAGE", stowage)));
    const double energy = sim.get("energy/total");
    const double angular[] = {sim.get("momentum/angular_x"), sim.get("momentum/angular_y"),
                              sim.get("momentum/angular_z")};
    const double linear = sim.get("momentum/linear_x");
    const double bent = sim.get("energy/elastic");
    sim.advance_to(15.0);
    EXPECT_EQ(sim.ending(), "completed");
    EXPECT_GT(std::abs(sim.get("joint/boom/length/position") - 3.0), 0.5);  // it did slide
    EXPECT_GT(std::abs(sim.get("energy/elastic") - bent), 1e-4 * bent);
    EXPECT_NEAR(sim.get("energy/total"), energy, 1e-10 * energy);
    const double size = std::hypot(angular[0], angular[1], angular[2]);
    EXPECT_NEAR(sim.get("momentum/angular_x"), angular[0], 1e-11 * size);
    EXPECT_NEAR(sim.get("momentum/angular_y"), angular[1], 1e-11 * size);
    EXPECT_NEAR(sim.get("momentum/angular_z"), angular[2], 1e-11 * size);
    EXPECT_NEAR(sim.get("momentum/linear_x"), linear, 1e-11 * std::abs(linear));
  }
}

// J(l) spin = const with booms as good as rigid, once they have come to rest.
TEST_F(Deployment, ASpinningHubSlowsDownAsItsBoomsUnroll) {
  const std::filesystem::path example =
      std::filesystem::path(GRAPPLE_SOURCE_DIR) / "examples/deployment/spin-down.yaml";
  Simulation sim(example, {"parameters.EI=5e4 N*m^2", "simulate.duration=80 s"});
  const auto inertia = [](double length) {
    const double density = 0.8, whole = 12.0, rim = 0.5;
    return 150.0 + 2.0 * density *
                       ((std::pow(rim + length, 3) - std::pow(rim, 3)) / 3.0 +
                        (whole - length) * rim * rim);
  };
  sim.advance_to(80.0);
  const double expected = 0.5 * inertia(1.0) / inertia(10.0);
  EXPECT_NEAR(sim.get("body/hub/angular_velocity_z"), expected, 1e-6 * expected);
}

// omega = 1.8751^2 / l^2 sqrt(EI l / m) of a telescope, sqrt(EI / rho) of a beam that slides.
TEST_F(Deployment, FrequencyFollowsTheLength) {
  const char* boom = R"yaml(grapple: 1
bodies:
  - name: boom
    beam: {length: 10 m, mass: 5 kg, EI: 300 N*m^2, modes: {bending_y: 1}, deploys: {from: FROM m, stowage: STOWAGE, motion: {rate: 0 m/s}}}
joints: [{name: clamp, type: fixed, parent: world, child: boom}]
)yaml";
  for (const auto& [from, length] : {std::pair{"2", 2.0}, {"5", 5.0}, {"9", 9.0}}) {
    for (const char* stowage : {"telescope", "sleeve", "drum"}) {
      const scenario::Simulation made =
          scenario::built(replaced(replaced(boom, "FROM", from), "STOWAGE", stowage));
      const spatial::VecX x = made.system->initial_state();
      const auto modes = analysis::natural_modes(*made.system, 0.0,
                                                 {x.data(), static_cast<std::size_t>(x.size())});
      const double density = std::string(stowage) == "telescope" ? 5.0 / length : 0.5;
      const double expected = 1.8751040687 * 1.8751040687 / (length * length) *
                              std::sqrt(300.0 / density) / (2.0 * std::numbers::pi);
      EXPECT_NEAR(modes.front().frequency_hz, expected, 1e-8 * expected) << stowage << length;
    }
  }
}

// The same beam as rigid pieces on springs, each hinge locked until it leaves the sleeve. Gravity
// across the beam bends it while it slides out fast.
std::string pieces_out_of_a_sleeve(int count) {
  const double whole = 6.0, h = whole / count, EI = 60.0, density = 0.5;
  std::string bodies, joints;
  for (int k = 0; k < count; ++k) {
    const std::string name = "p" + std::to_string(k);
    const double m = density * h;
    bodies += fmt::format(
        "  - {{name: {}, mass: {} kg, com: [{}, 0, 0] m, inertia: [1e-6, {}, {}] kg*m^2}}\n", name, m,
        0.5 * h, m * h * h / 12.0 + 1e-9, m * h * h / 12.0 + 1e-9);
    if (k == 0) {
      joints += fmt::format(
          "  - {{name: slide, type: prismatic, axis: x, parent: world, child: p0, motion: {{position: "
          "{{expression: \"{} + 2 + 3*smooth(t, 0, 3)\", unit: m}}}}}}\n",
          -whole);
      continue;
    }
    // Out when 2 + 3 smooth(t/3) reaches the hinge's distance from the tip.
    const double from_tip = whole - k * h;
    std::string lock;
    if (from_tip > 2.0) {
      double low = 0.0, high = 3.0;
      for (int i = 0; i < 60; ++i) {
        const double mid = 0.5 * (low + high), u = mid / 3.0;
        const double smooth = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
        (2.0 + 3.0 * smooth < from_tip ? low : high) = mid;
      }
      lock = ", lock: [{at: 0 s, state: locked}";
      if (from_tip < 5.0) lock += fmt::format(", {{at: {} s, state: unlocked}}", high);
      lock += "]";
    }
    joints += fmt::format(
        "  - {{name: h{}, type: revolute, axis: z, parent: \"p{} at [{}, 0, 0] m\", child: {}, spring: "
        "{{stiffness: {} N*m/rad}}{}}}\n",
        k, k - 1, h, name, EI / h, lock);
  }
  return fmt::format(
      "grapple: 1\nenvironment: {{gravity: \"[0, -0.1, 0] m/s^2\"}}\nbodies:\n{}joints:\n{}frames:\n  - "
      "{{name: tip, body: p{}, position: [{}, 0, 0] m}}\nsimulate: {{duration: 5 s, tolerance: 1e-6, "
      "integrator: bdf}}\n",
      bodies, joints, count - 1, h);
}

TEST_F(Deployment, AFastDeploymentIsThatOfPiecesLeavingASleeve) {
  Simulation pieces(write(pieces_out_of_a_sleeve(60)));
  const auto sampled = [](Simulation& sim) {
    std::vector<double> y;
    for (int k = 1; k <= 25; ++k) {
      sim.advance_to(0.2 * k);
      y.push_back(sim.get("frame/tip/position_y"));
    }
    return y;
  };
  const std::vector<double> expected = sampled(pieces);
  Simulation beam(write(R"yaml(grapple: 1
environment: {gravity: "[0, -0.1, 0] m/s^2"}
bodies:
  - name: boom
    beam: {length: 6 m, mass_per_length: 0.5 kg/m, EI: 60 N*m^2, rho_I: 1e-6 kg*m, modes: {bending_y: 3},
           deploys: {from: 2 m, stowage: sleeve, motion: {position: {expression: "2 + 3*smooth(t, 0, 3)", unit: m}}}}
joints: [{name: clamp, type: fixed, parent: world, child: boom}]
frames: [{name: tip, body: boom, position: [6, 0, 0] m}]
simulate: {duration: 5 s, tolerance: 1e-8}
)yaml"));
  const std::vector<double> found = sampled(beam);
  double largest = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    largest = std::max(largest, std::abs(expected[k]));
    difference = std::max(difference, std::abs(found[k] - expected[k]));
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(difference, 0.01 * largest);
  std::printf("largest sag %.4f m, largest difference %.2e m\n", largest, difference);
}

// A light load that moves along a cantilever: q_k'' + omega_k^2 q_k = -P phi_k(s(t)) / m, integrated
// here by itself.
TEST_F(Deployment, ALoadMovingAlongABeamBendsItAsInTheTextbook) {
  Simulation sim(write(R"yaml(grapple: 1
bodies:
  - {name: truss, beam: {length: 10 m, mass: 100 kg, EI: 2e5 N*m^2, rho_I: 1e-3 kg*m, modes: {bending_y: 2}, stiffening: off}}
  - {name: cart, mass: 1 g, inertia: "[1e-6, 1e-6, 1e-6] kg*m^2"}
joints:
  - {name: clamp, type: fixed, parent: world, child: truss}
  - {name: along, type: rail, parent: truss, child: cart, position: 1 m, motion: {rate: 8 m/s}}
forces:
  - {name: load, type: force, at: cart, force: [0 N, -200 N, 0 N]}
simulate: {duration: 1 s, tolerance: 1e-9}
)yaml"));
  const double roots[] = {1.8751040687, 4.6940911330}, sigmas[] = {0.7340955138, 1.0184673188};
  const auto phi = [&](int k, double xi) {
    const double x = roots[k] * xi;
    return std::cosh(x) - std::cos(x) - sigmas[k] * (std::sinh(x) - std::sin(x));
  };
  double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0};
  constexpr int kSteps = 20000;
  const double dt = 1.0 / kSteps;
  const auto acceleration = [&](int k, double t, double at) {
    const double omega = roots[k] * roots[k] / 100.0 * std::sqrt(2e5 / 10.0);
    return -omega * omega * at - 200.0 / 100.0 * phi(k, (1.0 + 8.0 * t) / 10.0);
  };
  for (int i = 0; i < kSteps; ++i) {  // velocity Verlet: error 1e-7 here
    const double t = i * dt;
    for (int k = 0; k < 2; ++k) {
      const double a = acceleration(k, t, q[k]);
      q[k] += dt * v[k] + 0.5 * dt * dt * a;
      v[k] += 0.5 * dt * (a + acceleration(k, t + dt, q[k]));
    }
  }
  sim.advance_to(1.0);
  EXPECT_EQ(sim.ending(), "completed");
  EXPECT_NEAR(sim.get("joint/along/position"), 9.0, 1e-12);
  const double expected = 2.0 * q[0] + phi(1, 1.0) * q[1];
  EXPECT_GT(std::abs(expected), 0.1);
  EXPECT_NEAR(sim.get("frame/truss/tip/deflection_y"), expected, 0.002 * std::abs(expected));
}

// What a coordinate that slides has like any joint: motor, stop, lock by an event, resume to the bit.
TEST_F(Deployment, ALengthIsDrivenStoppedAndLatchedLikeAJoint) {
  Simulation sim(write(R"yaml(grapple: 1
signals: [{name: winch, unit: N, value: 20 N}]
bodies:
  - {name: hub, mass: 50 kg, inertia: "[5, 5, 5] kg*m^2"}
  - name: boom
    beam: {length: 6 m, mass: 4 kg, EI: 500 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 1},
           deploys: {from: 2 m, stowage: sleeve, motor: {force: {signal: winch}}, damper: 30 N*s/m,
                     limits: {lower: 1 m, upper: 5.9 m, stiffness: 1e4 N/m}}}
joints: [{name: seat, type: fixed, parent: hub, child: boom}]
events: [{name: out, channel: joint/boom/length/position, crosses: 5 m, action: lock, target: boom/length}]
simulate: {duration: 20 s, tolerance: 1e-9}
)yaml"));
  sim.advance_to(20.0);
  EXPECT_EQ(sim.ending(), "completed");
  EXPECT_NEAR(sim.get("joint/boom/length/position"), 5.0, 1e-6);
  EXPECT_EQ(sim.get("joint/boom/length/rate"), 0.0);
  EXPECT_EQ(sim.events().size(), 1u);
}

// Beyond its range there are no shapes: the run ends and says so.
TEST_F(Deployment, LeavingTheRangeEndsTheRun) {
  Simulation sim(write(R"yaml(grapple: 1
bodies:
  - {name: hub, mass: 50 kg, inertia: "[5, 5, 5] kg*m^2"}
  - {name: boom, beam: {length: 6 m, mass: 4 kg, EI: 500 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 1}, deploys: {from: 5 m, rate: 0.5 m/s}}}
joints: [{name: seat, type: fixed, parent: hub, child: boom}]
simulate: {duration: 20 s}
)yaml"));
  sim.advance_to(20.0);
  EXPECT_NE(sim.ending().find("boom/length"), std::string::npos) << sim.ending();
}

}  // namespace
}  // namespace grapple
