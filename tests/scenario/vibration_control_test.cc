// Active isolation of legs, collocated velocity feedback and what sampling does to it, and the
// proof mass as a tuned absorber.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "grapple/control/isolation/leg_model.h"
#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

Simulation of_text(const std::string& text) {
  const std::filesystem::path file = testing::TempDir() + "grapple-vibration.yaml";
  std::ofstream(file) << text;
  Simulation sim(file);
  std::filesystem::remove(file);
  return sim;
}

// Rybak (2002), eq. 2, corrected by the factor T: the numbers are in `grapple validate rybak-leg`.
TEST(Isolation, TheLegIsHeldExactly) {
  const double w = 13.8, T = 0.01, e = std::exp(-w * T);
  const control::LegModel leg = control::leg_model(w, T);
  EXPECT_NEAR(leg.a22, e, 1e-15);
  EXPECT_NEAR(leg.a12, (1.0 - e) / w, 1e-16);
  EXPECT_NEAR(leg.b1, T - (1.0 - e) / w, 1e-16);
  EXPECT_NEAR(leg.b2, 1.0 - e, 1e-15);
  EXPECT_NEAR(leg.a32, -w * e, 1e-13);
  EXPECT_NEAR(leg.b3, w * e, 1e-13);
}

// A platform of 10 kg on one leg with a rotor of 1e5 kg, as far as the base is concerned.
std::string one_leg(const std::string& motion, const std::string& law) {
  return R"(grapple: 1
bodies:
  - {name: base, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: platform, mass: 10 kg, inertia: [1, 1, 1] kg*m^2}
joints:
  - {name: base, type: prismatic, axis: z, parent: world, child: base, motion: {position: {expression: ")" +
         motion + R"("}}}
  - {name: leg, type: prismatic, axis: z, parent: base, child: platform, damper: 1.38e6 N*s/m, motor: {force: 0 N, rotor_inertia: 1e5 kg}}
controllers:
  - {name: isolate, type: isolation, joint: leg, base_acceleration: body/base/acceleration_z, bandwidth: 13.8 rad/s,
     effort_per_speed: 1.38e6 N*s/m, leak: 0.02, period: 10 ms)" +
         law + "}\nsimulate: {duration: 60 s, tolerance: 1e-8}\n";
}

// In z: theta (z - 1 + b2 leak) = -(b2/b3) phi*, delta (z - 1) = a12 theta + b1 u.
double transmissibility_of_the_law(double omega) {
  using Complex = std::complex<double>;
  const double T = 0.01, leak = 0.02;
  const control::LegModel leg = control::leg_model(13.8, T);
  const Complex z = std::exp(Complex(0.0, omega * T)), ahead = 3.0 - 3.0 / z + 1.0 / (z * z);
  const Complex theta = -(leg.b2 / leg.b3) * ahead / (z - 1.0 + leg.b2 * leak);
  const Complex u = (1.0 - leak) * theta - ahead / leg.b3;
  const Complex delta = (leg.a12 * theta + leg.b1 * u) / (z - 1.0);
  return std::abs(1.0 - delta * omega * omega);
}

TEST(Isolation, ThePlatformMovesAsTheSampledLawSays) {
  for (const double frequency : {0.25, 0.5, 2.0}) {
    const double omega = 2.0 * std::numbers::pi * frequency;
    Simulation sim =
        of_text(one_leg("0.005*sin(" + std::to_string(omega) + "*t)*smooth(t, 0, 4)", ""));
    sim.advance_to(36.0);  // nine time constants of the leak
    double low = 1.0, high = -1.0;
    for (int k = 3600; k <= 4400; ++k) {
      sim.advance_to(0.01 * k);
      low = std::min(low, sim.get("body/platform/position_z"));
      high = std::max(high, sim.get("body/platform/position_z"));
    }
    const double expected = transmissibility_of_the_law(omega);
    // Samples miss the peak by up to (omega T)^2/8 = 0.2 % at 2 Hz; the leg feels 1e-4 of the base.
    EXPECT_NEAR((high - low) / 0.01, expected, 0.01 * expected + 2e-4) << frequency;
    EXPECT_LT(expected, 0.25);
  }
}

TEST(Isolation, ItSwitchesBeyondTheOuterLimitAndBackWithinTheInner) {
  Simulation sim = of_text(one_leg("0.12*smooth(t, 1, 3)",
                                   ", outer: 4 cm, inner: 1 cm, position_gain: -0.5 1/s, "
                                   "rate_gain: 0.2"));
  bool restoring = false;
  int switches = 0;
  for (int k = 1; k <= 5000; ++k) {
    const double stroke = std::abs(sim.get("joint/leg/position"));  // as the sample will see it
    sim.advance_to(0.01 * k + 1e-9);
    if (k == 1) continue;
    const double before = stroke;
    const bool now = sim.get("block/isolate/restoring") != 0.0;
    if (now != restoring) {
      ++switches;
      // The sample saw a stroke between those before and after it.
      const double after = std::abs(sim.get("joint/leg/position"));
      if (now) {
        EXPECT_GT(std::max(before, after), 0.04);
      } else {
        EXPECT_LT(std::min(before, after), 0.01);
      }
    }
    restoring = now;
  }
  EXPECT_GE(switches, 2);
}

TEST(Isolation, WhatDoesNotFitIsRefused) {
  using scenario::ids_of_build;
  EXPECT_EQ(ids_of_build(one_leg("0.01*t", "")), "");
  EXPECT_EQ(ids_of_build(one_leg("0.01*t", ", outer: 1 cm, inner: 2 cm")), "GR-938");
  std::string without = one_leg("0.01*t", "");
  const std::string key = "base_acceleration: body/base/acceleration_z, ";
  EXPECT_EQ(ids_of_build(without.replace(without.find(key), key.size(), "")), "GR-986");
}

/// Five masses between springs; `dampers` acts on each.
std::string string_of_masses(const std::vector<std::string>& dampers, const std::string& rest) {
  std::string bodies, joints, forces;
  for (int k = 1; k <= 5; ++k) {
    const std::string n = std::to_string(k);
    bodies += "  - {name: n" + n + ", mass: 1 kg, inertia: [1, 1, 1] kg*m^2}\n";
    joints += "  - {name: n" + n + ", type: prismatic, axis: y, parent: \"world at [" + n +
              ", 0, 0] m\", child: n" + n + ", rate: " + std::to_string(0.1 * std::sin(1.3 * k)) +
              " m/s, spring: {stiffness: " + std::to_string(50 * k) + " N/m}" +
              dampers[static_cast<std::size_t>(k - 1)] + "}\n";
    if (k < 5) {
      forces += "  - {name: s" + n + ", type: spring-damper, between: [n" + n + ", n" +
                std::to_string(k + 1) + "], stiffness: 2000 N/m, length: 0.9 m}\n";
    }
  }
  return "grapple: 1\nbodies:\n" + bodies + "joints:\n" + joints + "forces:\n" + forces + rest +
         "simulate: {duration: 10 s, tolerance: 1e-10}\n";
}

// f = -g v at the place of v takes g v^2 out, whatever the structure and the gains.
TEST(CollocatedFeedback, NeverAddsEnergy) {
  std::mt19937 engine(2002);
  std::uniform_real_distribution<double> exponent(-2.0, 4.0);  // 0.01 to 10000 N s/m
  for (int trial = 0; trial < 12; ++trial) {
    std::vector<std::string> dampers;
    for (int k = 0; k < 5; ++k) {
      const bool here = engine() % 2 == 0;
      dampers.push_back(
          here ? ", damper: " + std::to_string(std::pow(10.0, exponent(engine))) + " N*s/m" : "");
    }
    Simulation sim = of_text(string_of_masses(dampers, ""));
    double energy = sim.get("energy/total");
    for (int k = 1; k <= 50; ++k) {
      sim.advance_to(0.04 * k);
      const double now = sim.get("energy/total");
      EXPECT_LE(now, energy + 1e-10) << "trial " << trial << " at " << 0.04 * k;
      energy = now;
    }
  }
}

// Sampled and held, the same feedback damps a mode by g sin(omega T)/(2 m omega T): less, the
// faster the mode, and above the Nyquist frequency pi/T it drives the mode.
TEST(CollocatedFeedback, HeldOverAPeriodItDampsByTheSineOfTheSampledPhase) {
  const double omega = 10.0, gain = 0.05;
  for (const double phase : {0.3, 1.5, 2.8, 3.5, 4.0, 5.0}) {
    const double T = phase / omega;
    Simulation sim = of_text(
        "grapple: 1\nsignals: [{name: f, unit: N}]\n"
        "bodies: [{name: m, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}]\n"
        "joints: [{name: m, type: prismatic, axis: y, parent: world, child: m, rate: 1 m/s, "
        "spring: {stiffness: 100 N/m}, motor: {force: {signal: f}}}]\n"
        "blocks: [{name: law, inputs: {v: joint/m/rate}, outputs: {f: {formula: \"-0.05*v\", unit: "
        "N, to: f}}, period: " +
        std::to_string(T) + " s}]\nsimulate: {duration: 100 s, tolerance: 1e-10}\n");
    sim.advance_to(100.0);
    const double rate = -0.5 * std::log(sim.get("energy/total") / 0.5) / 100.0;
    const double expected = gain * std::sin(phase) / (2.0 * phase);
    // First order in g T/m, at most 0.025 here, and a wobble of the energy within a period.
    EXPECT_NEAR(rate, expected, 0.03 * gain / 2.0) << "omega T = " << phase;
    EXPECT_EQ(rate > 0.0, phase < std::numbers::pi) << phase;
  }
}

// Den Hartog: at both fixed points the tip answers with sqrt(1 + 2/mu) of its static deflection.
TEST(ProofMass, IsTheOptimalTunedAbsorber) {
  const double mu = 0.1, omega1 = 4.0 * std::numbers::pi;
  for (const double omega : {10.59391259, 13.22440095}) {
    Simulation sim(std::string(GRAPPLE_SOURCE_DIR) + "/examples/control/proof-mass.yaml",
                   {"parameters.omega=" + std::to_string(omega)});
    sim.advance_to(14.0);
    double largest = 0.0;
    for (int k = 1; k <= 600; ++k) {
      sim.advance_to(14.0 + 0.01 * k);
      largest = std::max(largest, std::abs(sim.get("frame/link/tip/deflection_y")));
    }
    // The hold of 1 ms is half a degree of phase.
    EXPECT_NEAR(largest * omega1 * omega1 / 0.1, std::sqrt(1.0 + 2.0 / mu), 0.05) << omega;
  }
}

}  // namespace
}  // namespace grapple
