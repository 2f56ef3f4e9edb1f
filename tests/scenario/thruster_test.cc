// Thrusters from a scenario file: what switching, formulas and broken commands do.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include "grapple/scenario/simulation.h"

namespace grapple {
namespace {

class ThrusterRun : public ::testing::Test {
 protected:
  Simulation of(const std::string& force, const std::string& rest, const std::string& start = "") {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-thruster-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << "grapple: 1\nbodies: [{name: A, mass: 2 kg, inertia: [1, 1, 1] kg*m^2"
                         << start << "}]\n"
                         << "forces: [{name: f, type: thruster, at: A, direction: x, thrust: 1 N, "
                         << force << "}]\n"
                         << rest;
    return Simulation(file_);
  }
  ~ThrusterRun() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

// All the propellant there is gives m I_sp g_0, however often the thruster is switched off.
TEST_F(ThrusterRun, ATankIsNotFilledByAnEvent) {
  Simulation sim = of(
      "specific_impulse: 10 s, propellant: 0.008 kg",
      "events:\n"
      "  - {name: off, channel: body/A/position_x, crosses: 0.02 m, action: disable, target: f}\n"
      "  - {name: on, channel: body/A/position_x, crosses: 0.1 m, action: enable, target: f}\n"
      "simulate: {duration: 5 s}\n");
  sim.advance_to(5.0);
  EXPECT_NEAR(2.0 * sim.get("body/A/velocity_x"), 0.008 * 10.0 * 9.80665, 1e-7);
}

// Twenty burns of a sine above 0.9, none of them passed over by long steps.
TEST_F(ThrusterRun, EveryBurnOfAFormulaIsFound) {
  const double burn = 50.0 * (0.5 - std::asin(0.9) / std::numbers::pi);
  for (const char* integrator : {"adaptive", "dormand-prince-8", "bdf", "generalized-alpha"}) {
    SCOPED_TRACE(integrator);
    Simulation sim =
        of("command: 'sin(2*pi*t/50)', threshold: 0.9",
           std::string("simulate: {duration: 1000 s, integrator: ") + integrator + "}\n");
    sim.advance_to(1000.0);
    EXPECT_NEAR(2.0 * sim.get("body/A/velocity_x"), 20.0 * burn, 1e-6);
  }
}

TEST_F(ThrusterRun, ACommandThatIsNoNumberEndsTheRun) {
  Simulation sim = of("command: 'sqrt(50-t)'", "simulate: {duration: 100 s}\n");
  EXPECT_FALSE(sim.advance_to(100.0));
  EXPECT_NE(sim.ending().find("force/f"), std::string::npos) << sim.ending();
  EXPECT_NEAR(sim.time(), 50.0, 1e-6);
}

TEST_F(ThrusterRun, ABodyThatFallsToTheGroundEndsTheRun) {
  Simulation sim = of("command: '0'",
                      "orbit: {altitude: 400 km}\n"
                      "simulate: {duration: 3000 s}\n",
                      ", velocity: '[-2000, 0, 0] m/s'");
  EXPECT_FALSE(sim.advance_to(3000.0));
  EXPECT_NE(sim.ending().find("body 'A' is below the surface"), std::string::npos) << sim.ending();
  EXPECT_GT(sim.time(), 150.0);
  EXPECT_LT(sim.time(), 400.0);
}

}  // namespace
}  // namespace grapple
