// Controllers of several joints with a model of their own: what they promise is seen in the
// simulated accelerations, right after a sample.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "grapple/analysis/system_plant.h"
#include "grapple/control/flexible_loop.h"
#include "grapple/control/pseudolink.h"
#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

/// A scenario in a file of its own, as a running model.
class ArmControllers : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-arm-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return file_;
  }
  ~ArmControllers() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

std::string example(const std::string& name) {
  return std::string(GRAPPLE_SOURCE_DIR) + "/examples/" + name;
}

constexpr double kJustAfter = 1e-8;  // s; accelerations change by some 1e-6 of themselves

// Two flexible links under gravity, on the ground or on a body that floats.
std::string flexible_arm(const std::string& base, const std::string& controller) {
  return R"(grapple: 1
environment: {gravity: )" +
         std::string(base == "world" ? "9.81 m/s^2" : "none") + R"(}
bodies:
)" +
         (base == "world" ? ""
                          : "  - {name: hull, mass: 30 kg, inertia: [3, 4, 5] kg*m^2, "
                            "angular_velocity: [0.1, 0.2, "
                            "-0.1] rad/s}\n") +
         R"(  - {name: upper, beam: {length: 1.2 m, mass: 1 kg, EI: 300 N*m^2, GJ: 200 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 2, bending_z: 2}}}
  - {name: fore, beam: {length: 1 m, mass: 0.7 kg, EI: 150 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 1, bending_z: 1}}}
joints:
  - {name: waist, type: revolute, axis: z, parent: )" +
         (base == "world" ? "world" : "\"hull at [0.3, 0.1, 0.2] m\"") +
         R"(, child: turret}
  - {name: shoulder, type: revolute, axis: y, parent: turret, child: upper, angle: 0.4 rad, rate: 0.3 rad/s}
  - {name: elbow, type: revolute, axis: y, parent: upper/tip, child: fore, angle: -0.9 rad}
)" + controller +
         R"(simulate: {duration: 1 s, tolerance: 1e-9}
)";
}

std::string with_turret(std::string text) {
  const std::string turret =
      "bodies:\n  - {name: turret, mass: 1 kg, inertia: [0.02, 0.02, 0.02] kg*m^2}\n";
  return text.replace(text.find("bodies:\n"), 8, turret);
}

const char* kComputedTorque = R"(controllers:
  - {name: law, type: computed-torque, joints: [waist, shoulder, elbow], set_points: [0.5, -0.2, 0.3],
     proportional: [100, 64, 36] 1/s^2, derivative: [20, 16, 12] 1/s, period: 4 ms}
)";

// q'' = nu right after each sample, on the ground and on a tumbling hull, whatever the links do.
TEST_F(ArmControllers, JointsAccelerateAsAskedWhateverBendsOrFloats) {
  const char* joints[] = {"waist", "shoulder", "elbow"};
  const double target[] = {0.5, -0.2, 0.3}, kp[] = {100, 64, 36}, kv[] = {20, 16, 12};
  for (const char* base : {"world", "hull"}) {
    Simulation sim(write(with_turret(flexible_arm(base, kComputedTorque))));
    for (int sample = 1; sample < 40; sample += 3) {
      const double t = sample * 0.004;
      sim.advance_to(t);
      double nu[3];
      for (int k = 0; k < 3; ++k) {
        const std::string stem = std::string("joint/") + joints[k];
        nu[k] = kp[k] * (target[k] - sim.get(stem + "/position")) - kv[k] * sim.get(stem + "/rate");
      }
      sim.advance_to(t + kJustAfter);
      for (int k = 0; k < 3; ++k) {
        const double found = sim.get(std::string("joint/") + joints[k] + "/acceleration");
        EXPECT_NEAR(found, nu[k], 1e-3 + 1e-4 * std::abs(nu[k]))
            << base << " " << joints[k] << " at " << t;
      }
    }
  }
}

// Without prediction the hold delays the efforts by half a period: an error of first order in the
// period; with it, of second. King's experiment E against its ideal response.
TEST_F(ArmControllers, PredictionOfHalfAPeriodMakesTheHoldSecondOrder) {
  const auto worst = [](double period_ms, double prediction_ms) {
    Simulation sim(example("king/E-decoupling.yaml"),
                   {"controllers.decouple.period=" + std::to_string(period_ms) + " ms",
                    "controllers.decouple.prediction=" + std::to_string(prediction_ms) + " ms"});
    double error = 0.0;
    for (int k = 1; k <= 40; ++k) {
      const double t = 0.01 * k;
      sim.advance_to(t);
      const double turn = (1.0 - (1.0 + 10.0 * t) * std::exp(-10.0 * t)) * std::numbers::pi / 18.0;
      for (const auto& [joint, start_deg] :
           {std::pair{"waist", 0.0}, {"shoulder", -20.0}, {"elbow", 40.0}}) {
        const double angle = sim.get(std::string("joint/") + joint + "/position");
        error = std::max(error, std::abs(angle - start_deg * std::numbers::pi / 180.0 - turn));
      }
    }
    return error;
  };
  const double plain = worst(0.125, 0.0);
  EXPECT_NEAR(plain / worst(0.0625, 0.0), 2.0, 0.2);
  const double predicted = worst(0.125, 0.0625);
  EXPECT_NEAR(predicted / worst(0.03125, 0.015625), 16.0, 2.0);  // a quarter of the period
  EXPECT_LT(predicted, 0.01 * plain);
}

const char* kFiveBar = R"(grapple: 1
bodies:
  - {name: left, mass: 1 kg, com: [0.25, 0, 0] m, inertia: [0.02, 0.02, 0.02] kg*m^2}
  - {name: left2, mass: 1 kg, com: [0.4, 0, 0] m, inertia: [0.04, 0.04, 0.04] kg*m^2}
  - {name: right, mass: 1.5 kg, com: [0.25, 0, 0] m, inertia: [0.03, 0.03, 0.03] kg*m^2}
  - {name: right2, mass: 1 kg, com: [0.4, 0, 0] m, inertia: [0.04, 0.04, 0.04] kg*m^2}
joints:
  - {name: a, type: revolute, axis: z, parent: world, child: left, angle: 1.8 rad}
  - {name: b, type: revolute, axis: z, parent: "left at [0.5, 0, 0] m", child: left2, angle: -1.2 rad}
  - {name: c, type: revolute, axis: z, parent: "world at [0.6, 0, 0] m", child: right, angle: 1.3 rad}
  - {name: d, type: revolute, axis: z, parent: "right at [0.5, 0, 0] m", child: right2, angle: 1.2 rad}
loops:
  - {name: close, type: revolute, axis: z, between: ["left2 at [0.8, 0, 0] m", "right2 at [0.8, 0, 0] m"]}
controllers:
  - {name: law, type: computed-torque, joints: [JOINTS], set_points: [POINTS],
     proportional: 25 1/s^2, derivative: 10 1/s, period: 2 ms}
simulate: {duration: 1 s, tolerance: 1e-9}
)";

std::string five_bar(const std::string& joints, const std::string& points) {
  std::string text = kFiveBar;
  text.replace(text.find("JOINTS"), 6, joints);
  return text.replace(text.find("POINTS"), 6, points);
}

// Through closed loops: two motors of two freedoms accelerate as asked; with a third one the same
// motion (where it is asked for what the loop allows) takes less effort.
TEST_F(ArmControllers, ParallelMechanismsAccelerateAsAsked) {
  Simulation sim(write(five_bar("a, c", "1.6, 1.5")));
  for (int sample = 1; sample < 100; sample += 11) {
    const double t = 0.002 * sample;
    sim.advance_to(t);
    const double a = 25.0 * (1.6 - sim.get("joint/a/position")) - 10.0 * sim.get("joint/a/rate");
    const double c = 25.0 * (1.5 - sim.get("joint/c/position")) - 10.0 * sim.get("joint/c/rate");
    sim.advance_to(t + kJustAfter);
    EXPECT_NEAR(sim.get("joint/a/acceleration"), a, 1e-5 * (1.0 + std::abs(a))) << t;
    EXPECT_NEAR(sim.get("joint/c/acceleration"), c, 1e-5 * (1.0 + std::abs(c))) << t;
  }
}

// On the model's own numbers: an arm at rest stays at rest, bent by its weight or not.
TEST_F(ArmControllers, GravityCompensationHoldsAnArmAtRest) {
  const char* text = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: upper, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 2 kg}}
  - {name: fore, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}
joints:
  - {name: shoulder, type: revolute, axis: y, parent: world, child: upper, angle: 0.3 rad, spring: {stiffness: 5 N*m/rad}}
  - {name: elbow, type: revolute, axis: y, parent: "upper at [1, 0, 0] m", child: fore, angle: 0.5 rad}
controllers:
  - {name: hold, type: gravity-compensation, joints: [shoulder, elbow], period: 10 ms}
simulate: {duration: 2 s}
)";
  Simulation sim(write(text));
  sim.advance_to(2.0);
  EXPECT_NEAR(sim.get("joint/shoulder/position"), 0.3, 1e-10);
  EXPECT_NEAR(sim.get("joint/elbow/position"), 0.5, 1e-10);
  // Torques of the weights about the joints, by hand; the spring's rest is zero.
  const double s = 0.3, e = 0.8;
  const double elbow = -9.81 * 1.0 * 0.5 * std::cos(e);
  const double shoulder = elbow - 9.81 * (2.0 * 0.5 + 1.0) * std::cos(s) + 5.0 * s;
  EXPECT_NEAR(sim.get("controller/hold/elbow/effort"), elbow, 1e-9);
  EXPECT_NEAR(sim.get("controller/hold/shoulder/effort"), shoulder, 1e-9);
}

// A rigid model takes the same masses: the efforts of a flexible arm at rest and unbent are those
// of the rigid arm.
TEST_F(ArmControllers, TheRigidModelIsTheArmWithItsBeamsMadeRigid) {
  std::string rigid_law = kComputedTorque;
  rigid_law.replace(rigid_law.find("type: computed-torque,"), 22,
                    "type: computed-torque, model: rigid,");
  Simulation flexible(write(with_turret(flexible_arm("world", rigid_law))));
  std::string rigid_text = with_turret(flexible_arm("world", kComputedTorque));
  for (const char* modes :
       {"modes: {bending_y: 2, bending_z: 2}", "modes: {bending_y: 1, bending_z: 1}"}) {
    rigid_text.replace(rigid_text.find(modes), std::string(modes).size(), "method: rigid");
  }
  Simulation rigid(write(rigid_text));
  for (Simulation* sim : {&flexible, &rigid}) sim->advance_to(kJustAfter);
  for (const char* joint : {"waist", "shoulder", "elbow"}) {
    const std::string channel = std::string("controller/law/") + joint + "/effort";
    EXPECT_NEAR(flexible.get(channel), rigid.get(channel), 1e-9 * std::abs(rigid.get(channel)));
    EXPECT_NE(rigid.get(channel), 0.0);
  }
}

// King (1988): with one clamped-free mode per uniform link the open pseudolink subsystem has the
// real poles +- sqrt(EI lambda^4 / ((4 / lambda^2 - 1) m L^3)) for every posture and payload. The
// numbers of the scenario have six decimals.
TEST_F(ArmControllers, ThePseudolinkSubsystemIsUnstableByTheFormula) {
  const auto arm = [](double elbow, double payload) {
    const auto round = [](double r) {
      const double area = std::numbers::pi * r * r;
      return std::pair{2780.0 * area, 69e9 * area * r * r / 4.0};
    };
    const auto [m2, EI2] = round(0.010);
    const auto [m3, EI3] = round(0.008);
    const auto link = [](const char* name, double m, double EI) {
      return std::string("  - {name: ") + name +
             ", beam: {length: 1.22 m, mass_per_length: " + std::to_string(m) +
             " kg/m, EI: " + std::to_string(EI) +
             " N*m^2, modes: {bending_z: 1}, motions: [bending_z], stiffening: off}}\n";
    };
    return "grapple: 1\nbodies:\n" + link("upper", m2, EI2) + link("fore", m3, EI3) +
           "  - {name: load, mass: " + std::to_string(payload) +
           " kg, inertia: [1e-6, 1e-6, 1e-6] kg*m^2}\njoints:\n"
           "  - {name: shoulder, type: revolute, axis: [0, -1, 0], parent: world, child: upper}\n"
           "  - {name: elbow, type: revolute, axis: [0, -1, 0], parent: upper/tip, child: fore, "
           "angle: " +
           std::to_string(elbow) +
           " rad}\n  - {name: grip, type: fixed, parent: fore/tip, child: load}\n";
  };
  const double lambda2 = 1.8751040687119611 * 1.8751040687119611;
  for (const double elbow : {0.0, 0.7, -1.9}) {
    for (const double payload : {0.01, 0.3, 5.0}) {
      auto plant = analysis::make_plant(scenario::built(arm(elbow, payload)).system);
      plant->evaluate();
      const model::Model& model = plant->model();
      std::vector<int> joints;
      for (const char* name : {"shoulder", "elbow"}) {
        const int joint = model.find_joint(name);
        joints.push_back(model.link(model.joints()[static_cast<std::size_t>(joint)].link).v_index);
      }
      const std::vector<int> modes = control::modal_rates(*plant, {});
      control::Pseudolinks lines(*plant, joints, {"upper/tip", "fore/tip"});
      spatial::MatX F;
      lines.coupling(*plant, modes, F);
      const auto subsystem =
          control::flexible_subsystem(*plant, joints, modes, control::FastInput::kAccelerations, F);
      Eigen::VectorXd found = subsystem.A2.eigenvalues().real();
      std::sort(found.begin(), found.end());
      for (int k = 0; k < 2; ++k) {
        const double r = k == 0 ? 0.010 : 0.008, L = 1.22;
        const double m = 2780.0 * std::numbers::pi * r * r * L;
        const double EI = 69e9 * std::numbers::pi * r * r * r * r / 4.0;
        const double square = EI * lambda2 * lambda2 / ((1.0 - 4.0 / lambda2) * m * L * L * L);
        EXPECT_LT(square, 0.0);
        EXPECT_NEAR(found[k], square, 1e-4 * std::abs(square)) << elbow << " " << payload;
      }
    }
  }
}

// The closed loop of experiment F stays within half a degree of the slew, although the open
// subsystem is unstable; and a run that is saved and restored goes on with the same bits.
TEST_F(ArmControllers, PseudolinksFollowTheSlewAndResumeToTheBit) {
  Simulation sim(example("king/F-pseudolink.yaml")), again(example("king/F-pseudolink.yaml"));
  double worst = 0.0;
  for (int k = 1; k <= 20; ++k) {
    sim.advance_to(0.05 * k);
    if (k == 9) again.restore(sim.save());
    for (const char* joint : {"waist", "shoulder", "elbow"}) {
      worst = std::max(worst, std::abs(sim.get(std::string("block/tip/") + joint + "/error")));
    }
  }
  EXPECT_LT(worst, 0.5 * std::numbers::pi / 180.0);
  again.advance_to(1.0);
  for (const char* channel : {"joint/elbow/position", "controller/tip/shoulder/effort",
                              "body/fore/mode/bending_z_1/rate"}) {
    EXPECT_EQ(sim.get(channel), again.get(channel)) << channel;
  }
}

// Experiment G: at 20 Hz computed torque alone loses the bending link; feedback of its deflection
// at 100 Hz beside it keeps it.
TEST_F(ArmControllers, AFastLoopKeepsWhatTheSlowOneLoses) {
  const auto swing_at_end = [&](const std::string& weight) {
    Simulation sim(example("king/G-multirate.yaml"), {"controllers.fast.weight=" + weight});
    double largest = 0.0;
    for (double t = 2.0; t <= 3.0; t += 0.01) {
      sim.advance_to(t);
      largest = std::max(largest, std::abs(sim.get("joint/hub/position") - 0.1));
    }
    return largest;
  };
  EXPECT_GT(swing_at_end("1e9"), 0.1);  // no feedback to speak of
  EXPECT_LT(swing_at_end("20"), 1e-4);
}

// Laws that would leave the loops out say so.
TEST_F(ArmControllers, LoopsAreRefusedWhereTheLawDoesNotCountWithThem) {
  const std::string right = five_bar("a, c", "1.6, 1.5");
  EXPECT_EQ(scenario::ids_of_build(right), "");
  const auto with = [&](const std::string& old, const std::string& text) {
    std::string changed = right;
    return changed.replace(changed.find(old), old.size(), text);
  };
  EXPECT_EQ(scenario::ids_of_build(with("period: 2 ms", "period: 2 ms, prediction: 1 ms")),
            "GR-989");
  const std::string law = right.substr(right.find("type: computed"));
  EXPECT_EQ(scenario::ids_of_build(with(law.substr(0, law.find("}")),
                                        "type: gravity-compensation, joints: [a], period: 2 ms")),
            "GR-989");
}

TEST_F(ArmControllers, WhatDoesNotFitIsRefused) {
  using scenario::ids_of_build;
  const auto arm = [](const std::string& controller) {
    return "grapple: 1\nbodies:\n  - {name: a, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}\n"
           "  - {name: b, mass: 1 kg, com: [1, 0, 0] m, inertia: [1, 1, 1] kg*m^2}\n"
           "joints:\n  - {name: p, type: revolute, parent: world, child: a}\n"
           "  - {name: q, type: revolute, parent: a, child: b}\n"
           "controllers:\n  - {name: c, joints: [p, q], period: 1 ms, " +
           controller + "}\n";
  };
  EXPECT_EQ(ids_of_build(arm("type: computed-torque, set_points: [0, 1]")), "");
  EXPECT_EQ(ids_of_build(arm("type: computed-torque, set_points: [0]")), "GR-985");
  EXPECT_EQ(ids_of_build(arm("type: computed-torque, set_points: [0, 1], proportional: [1, 2, 3]")),
            "GR-986");
  EXPECT_EQ(ids_of_build(arm("type: computed-torque, set_points: [0, 1], "
                             "model_settings: [\"bodies.x.mass=3 kg\"]")),
            "GR-117");
  EXPECT_EQ(ids_of_build(arm("type: pseudolink, set_points: [0, 1]")), "GR-989");
  EXPECT_EQ(ids_of_build(arm("type: pseudolink, set_points: [0, 1], modes: [\"body/*\"]")),
            "GR-988");
  EXPECT_EQ(ids_of_build(arm("type: impedance, frame: b")), "GR-985");
  EXPECT_EQ(ids_of_build(arm("type: resolved-rate, frame: b, rates: [0, 0]")), "GR-986");
  EXPECT_EQ(ids_of_build(arm("type: resolved-rate, frame: B, rates: [0, 0, 0, 0, 0, 0]")),
            "GR-988");
  EXPECT_EQ(ids_of_build(arm("type: resolved-rate, frame: b, rates: [0, 0, 0, 0, 0, 0], base: "
                             "floating")),
            "GR-989");
}

}  // namespace
}  // namespace grapple
