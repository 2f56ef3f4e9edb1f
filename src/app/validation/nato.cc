// Controllers of the NATO ASI volume (Prague 2002): Belda, Rybak, Bruels; and closed forms of
// attitude control and of vibration absorbers.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>

#include "grapple/app/validation/suite.h"
#include "grapple/control/isolation/leg_model.h"

namespace grapple::app {

namespace {

// The numbers the source prints for omega = 13.8 1/s, T = 0.01 s, to half a unit of their last
// digit; b3 is printed as 2.02, which misses a digit: the formula of the source gives 12.02.
CaseReport rybak_leg() {
  const control::LegModel leg = control::leg_model(13.8, 0.01);
  CaseReport report;
  report.comparisons = {{"a12 [s]", 0.0093, leg.a12, 5e-5},
                        {"a22", 0.871, leg.a22, 5e-4},
                        {"a32 [1/s]", -12.02, leg.a32, 5e-3},
                        {"b1 [s]", 0.00066, leg.b1, 5e-6},
                        {"b2", 0.13, leg.b2, 5e-3},
                        self({"b3 [1/s], printed 2.02", 13.8 * std::exp(-0.138), leg.b3, 1e-12})};
  return report;
}

// Amplitude of the platform over that of the base at 0.5 Hz, by the sampled law in z: theta (z - 1
// + b2 leak) = -(b2/b3) phi*, phi* = (3 - 3/z + 1/z^2) phi, delta (z - 1) = a12 theta + b1 u.
double rybak_transmissibility(double frequency, double leak) {
  using Complex = std::complex<double>;
  const double T = 0.01, omega = 2.0 * std::numbers::pi * frequency;
  const control::LegModel leg = control::leg_model(13.8, T);
  const Complex z = std::exp(Complex(0.0, omega * T)), ahead = 3.0 - 3.0 / z + 1.0 / (z * z);
  const Complex theta = -(leg.b2 / leg.b3) * ahead / (z - 1.0 + leg.b2 * leak);
  const Complex u = (1.0 - leak) * theta - ahead / leg.b3;
  const Complex delta = (leg.a12 * theta + leg.b1 * u) / (z - 1.0);
  return std::abs(1.0 - delta * omega * omega);  // base: -phi/omega^2
}

double peak_to_peak(const ExampleRun& run, const std::string& channel, double begin, double end) {
  const std::vector<double> times = run.results.time(), values = run.results.channel(channel);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (times[k] < begin || times[k] > end) continue;
    low = std::min(low, values[k]);
    high = std::max(high, values[k]);
  }
  return high - low;
}

// Six legs: what is left of 0.5 Hz along all axes, and with the legs held.
CaseReport rybak_platform() {
  const ExampleRun on = run_example("nato/rybak-platform.yaml", {"simulate.duration=12 s"});
  const ExampleRun off =
      run_example("nato/rybak-platform.yaml",
                  {"simulate.duration=6 s", "parameters.force_per_speed=1e-9 N*s/m"});
  CaseReport report;
  for (const char* axis : {"x", "y", "z"}) {
    const std::string place = std::string("/position_") + axis;
    report.comparisons.push_back({std::string("transmissibility, ") + axis,
                                  rybak_transmissibility(0.5, 0.02),
                                  peak_to_peak(on, "body/platform" + place, 8.0, 12.0) /
                                      peak_to_peak(on, "body/base" + place, 8.0, 12.0),
                                  2e-3});
  }
  report.comparisons.push_back({"legs held, z", 1.0,
                                peak_to_peak(off, "body/platform/position_z", 2.0, 6.0) /
                                    peak_to_peak(off, "body/base/position_z", 2.0, 6.0),
                                1e-3});
  report.comparisons.push_back(energy_balance(on, 1e-6));
  report.seconds = on.summary.timing.wall_seconds + off.summary.timing.wall_seconds;
  return report;
}

CaseReport belda_robot() {
  const ExampleRun root = run_example("nato/belda-parallel-robot.yaml"),
                   classical = run_example("nato/belda-parallel-robot.yaml",
                                           {"controllers.gpc.form=classical"});
  double difference = 0.0, largest = 0.0;
  for (const char* drive : {"drive1", "drive2", "drive3", "drive4"}) {
    const std::string channel = std::string("controller/gpc/") + drive + "/effort";
    const std::vector<double> a = root.results.channel(channel),
                              b = classical.results.channel(channel);
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      difference = std::max(difference, std::abs(a[k] - b[k]));
      largest = std::max(largest, std::abs(a[k]));
    }
  }
  CaseReport report;
  report.comparisons.push_back(
      {"classical against root form, torques / largest", 0.0, difference / largest, 1e-9});
  report.comparisons.push_back(
      {"largest error on the circle of 120 mm [mm]", 0.0,
       1e3 * std::max(root.largest("block/gpc/x/error"), root.largest("block/gpc/y/error")), 0.2});
  report.comparisons.push_back(energy_balance(root, 1e-8));
  report.seconds = root.summary.timing.wall_seconds + classical.summary.timing.wall_seconds;
  return report;
}

// Bending frequencies by the linearised string are those of the source: 0.55 and its multiples, to
// the printed digits for the first two; the work of the feedback is a loss in every interval.
CaseReport bruels_strip() {
  const ExampleRun run = run_example("nato/bruels-strip.yaml");
  CaseReport report;
  report.comparisons.push_back({"energy that the feedback adds in any 20 ms [J]", 0.0,
                                std::max(0.0, largest_rise_of_energy(run)), 1e-9, Basis::kBalance});
  const std::vector<double> energy = run.results.channel("energy/total");
  report.comparisons.push_back(
      at_least("energy taken out [J]", 0.5, energy.front() - energy.back()));
  report.comparisons.push_back(energy_balance(run, 1e-9));
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

// Both fixed points of the optimal absorber have sqrt(1 + 2/mu) times the static deflection,
// whatever its damping; the largest answer of all, near each of them, is hardly more.
CaseReport den_hartog() {
  const double mu = 0.1, omega1 = 4.0 * std::numbers::pi, f = 1.0 / (1.0 + mu);
  const double half = (1.0 + f * f + mu * f * f) / (2.0 + mu),
               root = std::sqrt(half * half - 2.0 * f * f / (2.0 + mu));
  CaseReport report;
  for (const double square : {half - root, half + root}) {
    const double omega = omega1 * std::sqrt(square);
    const ExampleRun run =
        run_example("control/proof-mass.yaml", {"parameters.omega=" + std::to_string(omega)});
    report.comparisons.push_back(
        {"amplification at " + std::to_string(omega).substr(0, 5) + " rad/s",
         std::sqrt(1.0 + 2.0 / mu),
         0.5 * peak_to_peak(run, "frame/link/tip/deflection_y", 14.0, 20.0) * omega1 * omega1 / 0.1,
         0.05});
    report.seconds += run.summary.timing.wall_seconds;
  }
  return report;
}

// The limit cycle of two thrusters with a shortest pulse: period and impulse.
CaseReport limit_cycle() {
  const ExampleRun run = run_example("orbit/attitude-thrusters.yaml");
  const double w = 0.001, dead_band = 0.5 * std::numbers::pi / 180.0, tau = 2.0, pulse = 0.2;
  const double period = 4.0 * (dead_band - tau * w) / w + 2.0 * pulse;
  const std::vector<double> times = run.results.time(),
                            rate = run.results.channel("body/craft/angular_velocity_z");
  std::vector<double> up;  // times at which the rate becomes positive, within a row
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (rate[k - 1] < 0.0 && rate[k] > 0.0) up.push_back(times[k]);
  }
  CaseReport report;
  const double cycles = static_cast<double>(up.size()) - 1.0;
  // Rows are 0.5 s apart; a thruster lit up to 20 ms late lengthens the cycle by twice that, on
  // either side.
  report.comparisons.push_back(
      {"period [s]", period, (up.back() - up.front()) / cycles, 0.5 / cycles + 4.0 * 0.02});
  report.comparisons.push_back(
      {"pulses per cycle", 2.0, run.final_value("block/hold/pulses") * period / times.back(), 0.2});
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

CaseReport slewed_craft() {
  const ExampleRun run = run_example("orbit/attitude-wheels.yaml");
  CaseReport report;
  for (const char* axis : {"x", "y", "z"}) {
    report.comparisons.push_back(
        balance({std::string("angular momentum ") + axis + " [N*m*s]", 0.0,
                 run.largest(std::string("momentum/angular_") + axis), 1e-7}));
  }
  // 60 degrees about (1, 1, 0.5)/1.5.
  report.comparisons.push_back({"quaternion at the end, w", std::cos(std::numbers::pi / 6.0),
                                std::abs(run.final_value("body/craft/orientation_w")), 1e-4});
  report.comparisons.push_back({"quaternion at the end, x", std::sin(std::numbers::pi / 6.0) / 1.5,
                                std::abs(run.final_value("body/craft/orientation_x")), 1e-4});
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

}  // namespace

std::vector<ValidationCase> nato_cases() {
  return {{"rybak-leg", "Rybak 2002, eq. 2 and its numbers", rybak_leg},
          {"rybak-platform", "Rybak 2002, closed form of the sampled law", rybak_platform},
          {"belda-robot", "Belda, Boehm, Valasek 2002: both forms give one law", belda_robot},
          {"bruels-strip", "Bruels, Golinval 2002: collocated feedback dissipates", bruels_strip},
          {"den-hartog-absorber", "Den Hartog 1956, 3.3: fixed points", den_hartog},
          {"thruster-limit-cycle", kClosedForm, limit_cycle},
          {"wheel-slew", "conservation", slewed_craft}};
}

}  // namespace grapple::app
