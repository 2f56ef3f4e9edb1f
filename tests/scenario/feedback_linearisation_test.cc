// Rigid forms of beams that deploy and of beams with rails against joints that slide; laws that act
// continuously against the closed form of their loop; feedback linearisation of slew, length and
// place on a rail with the flexible model (A) and with the rigid one (B).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "grapple/analysis/system_plant.h"
#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

class FeedbackLinearisation : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-linearisation-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return file_;
  }
  ~FeedbackLinearisation() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

constexpr char kRun[] = "simulate: {duration: 3 s, tolerance: 1e-11, integrator: dormand-prince}\n";

// A rigid rod of 8 m, 6 kg that leaves a sleeve on a tumbling hub is a rod on a sliding joint.
TEST_F(FeedbackLinearisation, ARigidBeamInASleeveIsARodOnASlide) {
  const std::string hub = R"(grapple: 1
bodies:
  - {name: hub, mass: 40 kg, inertia: "[5, 6, 7] kg*m^2", angular_velocity: "[0.05, 0.1, 0.2] rad/s"}
)";
  const std::string wrist =
      "  - {name: wrist, type: revolute, axis: [0.3, 1, 0.2], parent: \"hub at [0.5, 0.1, 0] m\", "
      "child: boom, rate: 0.3 rad/s}\n";
  Simulation boom(write(hub + R"(  - name: boom
    beam: {length: 8 m, mass: 6 kg, rho_I: 1e-4 kg*m, method: rigid, tip_body: {mass: 2 kg},
           deploys: {from: 3 m, rate: 0.15 m/s, stowage: sleeve}}
joints:
)" + wrist + kRun));
  Simulation rod(write(
      hub + R"(  - {name: boom, mass: 1e-9 kg}
  - {name: rod, mass: 6 kg, com: "[-4, 0, 0] m", inertia: "[1.6e-3, 32, 32] kg*m^2"}
  - {name: load, mass: 2 kg}
joints:
)" + wrist +
      R"(  - {name: slide, type: prismatic, axis: x, parent: boom, child: rod, displacement: 3 m, rate: 0.15 m/s}
  - {name: weld, type: fixed, parent: rod, child: load}
)" + kRun));
  EXPECT_EQ(boom.get("joint/boom/length/position"), 3.0);
  for (const double t : {1.0, 2.0, 3.0}) {
    boom.advance_to(t);
    rod.advance_to(t);
    EXPECT_GT(std::abs(rod.get("joint/slide/rate") - 0.15), 1e-3);  // it is flung out
    EXPECT_NEAR(boom.get("joint/boom/length/position"), rod.get("joint/slide/position"), 1e-8);
    EXPECT_NEAR(boom.get("joint/boom/length/rate"), rod.get("joint/slide/rate"), 1e-8);
    EXPECT_NEAR(boom.get("joint/wrist/position"), rod.get("joint/wrist/position"), 1e-8);
    EXPECT_NEAR(boom.get("energy/residual"), 0.0, 1e-8);
  }
}

// A telescope: M_ll = m/3 + M, I = m l^2/3 + M l^2, whatever its length.
TEST_F(FeedbackLinearisation, ARigidTelescopeHasTheInertiaOfAStretchedRod) {
  scenario::Simulation built = scenario::built(R"(grapple: 1
bodies:
  - {name: boom, beam: {length: 8 m, mass: 6 kg, method: rigid, tip_body: {mass: 2 kg}, deploys: {from: 3 m}}}
joints: [{name: hinge, type: revolute, axis: z, parent: world, child: boom}]
)");
  const auto plant = analysis::make_plant(std::move(built.system));
  ASSERT_EQ(plant->model().nv(), 2);
  for (const double length : {2.0, 5.0}) {
    plant->state().q << 0.7, length;
    plant->state().v << 0.4, 0.3;
    plant->evaluate();
    EXPECT_NEAR(plant->mass_matrix()(0, 0), (2.0 + 2.0) * length * length, 1e-12 * 100);
    EXPECT_NEAR(plant->mass_matrix()(1, 1), 2.0 + 2.0, 1e-13);
    EXPECT_NEAR(plant->mass_matrix()(0, 1), 0.0, 1e-13);
    // Coriolis and centrifugal terms of 1/2 (m/3 + M) (l^2 w^2 + l'^2).
    EXPECT_NEAR(plant->bias()[0], 2.0 * 4.0 * length * 0.3 * 0.4, 1e-12);
    EXPECT_NEAR(plant->bias()[1], -4.0 * length * 0.16, 1e-12);
  }
}

TEST_F(FeedbackLinearisation, ARailOnARigidBeamIsASlide) {
  const auto scenario = [&](const char* joint) {
    return std::string(R"(grapple: 1
bodies:
  - name: platform
    angular_velocity: "[0.02, 0.05, 0.2] rad/s"
    beam: {length: 20 m, mass: 100 kg, rho_I: 0.5 kg*m, method: rigid}
  - {name: cart, mass: 10 kg, com: "[0.1, 0.3, 0] m", inertia: "[1, 2, 2] kg*m^2"}
joints:
)") + joint +
           kRun;
  };
  Simulation rail(write(
      scenario("  - {name: base, type: rail, parent: \"platform at [0, 1.5, 0] m\", child: cart, "
               "position: 12 m, rate: 0.1 m/s}\n")));
  Simulation slide(write(
      scenario("  - {name: base, type: prismatic, axis: x, parent: \"platform at [0, 1.5, 0] m\", "
               "child: cart, displacement: 12 m, rate: 0.1 m/s}\n")));
  for (const double t : {1.5, 3.0}) {
    rail.advance_to(t);
    slide.advance_to(t);
    for (const char* channel : {"joint/base/position", "joint/base/rate",
                                "body/platform/position_y", "body/cart/position_x"}) {
      EXPECT_NEAR(rail.get(channel), slide.get(channel), 1e-8) << channel << " at " << t;
    }
    EXPECT_NEAR(rail.get("energy/residual"), 0.0, 1e-8);
  }
}

// A module on a mobile base: the rail, the slew and the length are led, by a law with one model.
std::string module_on_a_platform(const std::string& method, const std::string& law) {
  return R"(grapple: 1
bodies:
  - name: platform
    angular_velocity: "[0, 0, 0.05] rad/s"
    beam: {length: 20 m, mass: 400 kg, EI: 1e6 N*m^2, rho_I: 5 kg*m, )" +
         std::string(method == "rigid" ? "method: rigid"
                                       : "modes: {bending_y: 1}, boundary: free-free") +
         R"(}
  - {name: cart, mass: 5 kg, inertia: "[1, 1, 1] kg*m^2"}
  - {name: rotor, mass: 1 kg, inertia: "[2, 2, 2] kg*m^2"}
  - {name: module, beam: {length: 6 m, mass: 10 kg, EI: 2e4 N*m^2, rho_I: 0.1 kg*m, )" +
         std::string(method == "rigid" ? "method: rigid" : "modes: {bending_y: 1}") +
         R"(, tip_body: {mass: 5 kg}, deploys: {from: 3 m}}}
joints:
  - {name: base, type: rail, parent: "platform at [0, 1, 0] m", child: cart, position: 12 m}
  - {name: slew, type: revolute, axis: z, parent: cart, child: rotor, angle: 0.3 rad}
  - {name: seat, type: fixed, parent: rotor, child: module}
controllers:
  - {name: law, type: computed-torque, joints: [base, slew, module/length], set_points: [12.4 m, 1 rad, 3.5 m],
     proportional: 4 1/s^2, derivative: 4 1/s, )" +
         law + R"(}
simulate: {duration: 10 s, tolerance: 1e-10, integrator: dormand-prince}
)";
}

// e = e0 (1 + 2 t) exp(-2 t) from rest: with the right model every controlled coordinate answers
// so.
TEST_F(FeedbackLinearisation, LengthSlewAndPlaceFollowTheirLoopWithTheRightModel) {
  struct Case {
    const char *method, *model;
  };
  for (const Case& c : {Case{"modes", "same"}, Case{"rigid", "same"}, Case{"rigid", "rigid"}}) {
    SCOPED_TRACE(std::string(c.method) + ", " + c.model);
    Simulation sim(write(
        module_on_a_platform(c.method, std::string("period: continuous, model: ") + c.model)));
    for (const double t : {0.5, 1.0, 2.0, 3.0}) {
      sim.advance_to(t);
      const double left = (1.0 + 2.0 * t) * std::exp(-2.0 * t);
      EXPECT_NEAR(sim.get("joint/base/position"), 12.4 - 0.4 * left, 1e-7);
      EXPECT_NEAR(sim.get("joint/slew/position"), 1.0 - 0.7 * left, 1e-7);
      EXPECT_NEAR(sim.get("joint/module/length/position"), 3.5 - 0.5 * left, 1e-7);
      EXPECT_NEAR(sim.get("controller/law/slew/error"), 0.7 * left, 1e-7);
      EXPECT_NEAR(sim.get("energy/residual"), 0.0, 1e-6);  // of some 10 J of work
    }
  }
}

// Law B on the bending arm: no exact answer, but it ends where it should, and the rotor gives way
// to the vibration that the model does not know, which dies out. Under law A the modes swing on.
TEST_F(FeedbackLinearisation, TheRigidModelLeadsTheBendingArmAndDampsIt) {
  double swing[2];
  for (const bool rigid : {false, true}) {
    Simulation sim(write(module_on_a_platform(
        "modes", std::string("period: continuous, model: ") + (rigid ? "rigid" : "same"))));
    sim.advance_to(8.0);
    // e0 (1 + 16) exp(-16) is left of the loop. The spin of the platform bends the arm, which law B
    // does not know: it leaves a lasting error.
    const double left = rigid ? 1e-3 : 1e-4;
    EXPECT_NEAR(sim.get("joint/slew/position"), 1.0, left);
    EXPECT_NEAR(sim.get("joint/module/length/position"), 3.5, left);
    double least = 1.0, largest = -1.0;
    for (double t = 8.0; t < 10.0; t += 0.01) {
      sim.advance_to(t);
      least = std::min(least, sim.get("body/module/mode/bending_y_1/position"));
      largest = std::max(largest, sim.get("body/module/mode/bending_y_1/position"));
    }
    swing[rigid ? 1 : 0] = largest - least;
    EXPECT_NEAR(sim.get("energy/residual"), 0.0, 1e-6);
  }
  EXPECT_GT(swing[0], 1e-4);
  EXPECT_LT(swing[1], 0.1 * swing[0]);
}

// A sampled law tends to the continuous one with the square of its period (with prediction).
TEST_F(FeedbackLinearisation, ContinuousIsTheLimitOfSampled) {
  const auto at_one = [&](const std::string& law) {
    Simulation sim(write(module_on_a_platform("modes", law)));
    sim.advance_to(1.0);
    return std::pair(sim.get("joint/slew/position"), sim.get("joint/module/length/position"));
  };
  const auto limit = at_one("period: continuous");
  const auto coarse = at_one("period: 4 ms, prediction: 2 ms");
  const auto fine = at_one("period: 2 ms, prediction: 1 ms");
  const double far = std::hypot(coarse.first - limit.first, coarse.second - limit.second);
  const double near = std::hypot(fine.first - limit.first, fine.second - limit.second);
  EXPECT_LT(far, 1e-3);
  EXPECT_GT(far / near, 3.5);  // 4 in the limit
}

TEST_F(FeedbackLinearisation, WhatBelongsToSamplesIsRefused) {
  for (const char* key : {"delay: 1 ms", "prediction: 1 ms", "integral: 3 1/s^3", "limit: 5"}) {
    const std::string text =
        module_on_a_platform("rigid", std::string("period: continuous, ") + key);
    EXPECT_EQ(scenario::ids_of_build(text), "GR-940") << key;
  }
}

}  // namespace
}  // namespace grapple
