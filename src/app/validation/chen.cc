// Chen (1999), chapter 7: the ground-based arm with slewing and deployable links.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/analysis/natural_modes.h"
#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kGravity = 9.81;

double mean_period(const ExampleRun& run) {
  const std::vector<record::EventRecord> passages = run.results.events();
  if (passages.size() < 2) return NAN;
  return (passages.back().time - passages.front().time) / static_cast<double>(passages.size() - 1);
}

// Circular frequencies about the hanging position, rad/s.
std::vector<double> hanging_frequencies(const std::string& file,
                                        const std::vector<std::string>& settings) {
  const scenario::Simulation simulation = load_example(file, settings);
  const spatial::VecX x = simulation.system->initial_state();
  std::vector<double> found;
  for (const analysis::Mode& mode : analysis::natural_modes(
           *simulation.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())})) {
    found.push_back(kTurn * mode.frequency_hz);
  }
  found.resize(2, NAN);
  return found;
}

// M w^2 = K of two uniform rods of mass m and length l in absolute angles, times 6 / (m l^2):
// [8 3; 3 2] w^2 = 3 g/l [3 0; 0 1].
std::array<double, 2> rod_frequencies(double length) {
  const double k = 3.0 * kGravity / length;
  // det = (8 y - 3 k)(2 y - k) - 9 y^2 = 7 y^2 - 14 k y + 3 k^2, y = w^2
  const double root = std::sqrt(14.0 * 14.0 - 4.0 * 7.0 * 3.0);
  return {std::sqrt(k * (14.0 - root) / 14.0), std::sqrt(k * (14.0 + root) / 14.0)};
}

CaseReport double_pendulum() {
  const char* const rods = "chen/double-pendulum.yaml";
  const char* const points = "chen/double-pendulum-point-masses.yaml";
  const ExampleRun swing = run_example(rods);
  const std::vector<double> energy = swing.results.channel("energy/total");
  const auto [low, high] = std::minmax_element(energy.begin(), energy.end());
  const ExampleRun antiphase = run_example(points);
  const double period = mean_period(antiphase);
  const std::vector<double> both =
      hanging_frequencies(points, {"joints.beta-1.position=0", "joints.beta-2.position=0"});
  const std::vector<double> uniform = hanging_frequencies(rods, {"parameters.start=0 deg"});
  const std::array<double, 2> exact = rod_frequencies(1.38);
  const double l = 1.38, fast = std::sqrt(kGravity / l * (2.0 + std::sqrt(2.0)));
  return {{// Fig. 7-8: below 1e-7 %.
           balance({"energy drift from 80 deg, relative", 0.0,
                    (*high - *low) / std::abs(energy.front()), 1e-9}),
           // Fig. 7-9, printed with four digits; an amplitude of 0.02 deg changes the frequency by
           // 6e-7 rad/s.
           {"antiphase, Fig. 7-9 [rad/s]", 4.926, kTurn / period, 6e-4},
           {"antiphase, closed form [rad/s]", fast, kTurn / period, 1e-5},
           {"period, Fig. 7-9 [s]", 1.275, period, 5e-4},
           {"point masses, antiphase mode [rad/s]", fast, both[1], 1e-9},
           {"point masses, in-phase mode [rad/s]", std::sqrt(kGravity / l * (2.0 - std::sqrt(2.0))),
            both[0], 1e-9},
           // The printed inertia, 0.0274 kg m^2, has three digits of the rod's 0.027376: with that
           // a module has 2.2e-4 more, and a frequency at most half of it less.
           {"links as rods, in-phase mode [rad/s]", exact[0], uniform[0], 2.5e-4},
           {"links as rods, antiphase mode [rad/s]", exact[1], uniform[1], 7e-4}},
          swing.summary.timing.solver_seconds + antiphase.summary.timing.solver_seconds};
}

// Equations of motion of the rigid arm, q = (beta_1, l_1, beta_2, l_2): (7.1) to (7.4), corrected;
// tests/dynamics/ground_arm_test.cc has them for any data.
std::array<double, 4> ground_arm_efforts(const double (&q)[4], const double (&v)[4],
                                         const double (&a)[4]) {
  const double m_s1 = 4.30, m_d1 = 0.20, m_s2 = 2.20, m_d2 = 0.20, c_s = 0.165;
  const double m2 = m_s2 + m_d2, c_d1 = q[1] - 0.155, c_d2 = q[3] - 0.155, l1 = q[1];
  const double S = m_s2 * c_s + m_d2 * c_d2;
  const double I1 = 0.039 + 1.6e-3 + m_s1 * c_s * c_s + m_d1 * c_d1 * c_d1;
  const double I2 = 0.02 + 1.6e-3 + m_s2 * c_s * c_s + m_d2 * c_d2 * c_d2;
  const double s = std::sin(q[2]), c = std::cos(q[2]), phi = v[0] + v[2];
  const double inner = m_d1 * c_d1 + m2 * l1;
  return {(I1 + m2 * l1 * l1 + I2 + 2 * l1 * S * c) * a[0] - S * s * a[1] +
              (I2 + l1 * S * c) * a[2] + m_d2 * l1 * s * a[3] + 2 * (inner + S * c) * v[1] * v[0] -
              l1 * S * s * (2 * v[0] * v[2] + v[2] * v[2]) +
              2 * m_d2 * (l1 * c + c_d2) * v[3] * phi,
          -S * s * a[0] + (m_d1 + m2) * a[1] - S * s * a[2] + m_d2 * c * a[3] -
              inner * v[0] * v[0] - S * c * phi * phi - 2 * m_d2 * s * v[3] * phi,
          (I2 + l1 * S * c) * a[0] - S * s * a[1] + I2 * a[2] + l1 * S * s * v[0] * v[0] +
              2 * S * c * v[1] * v[0] + 2 * m_d2 * c_d2 * v[3] * phi,
          m_d2 * l1 * s * a[0] + m_d2 * c * a[1] + m_d2 * a[3] +
              m_d2 * (-l1 * c * v[0] * v[0] + 2 * s * v[1] * v[0] - c_d2 * phi * phi)};
}

CaseReport ground_arm() {
  const ExampleRun run = run_example("chen/ground-arm.yaml");
  const char* const joints[] = {"beta-1", "l-1", "beta-2", "l-2"};
  std::vector<double> q[4], v[4], a[4], drive[4], power[4];
  for (int k = 0; k < 4; ++k) {
    const std::string stem = std::string("joint/") + joints[k] + "/";
    q[k] = run.results.channel(stem + "position");
    v[k] = run.results.channel(stem + "rate");
    a[k] = run.results.channel(stem + "acceleration");
    drive[k] = run.results.channel(stem + "drive");
    power[k] = run.results.channel(stem + "drive_power");
  }
  double torque = 0.0, force = 0.0, off_power = 0.0;
  for (std::size_t i = 0; i < q[0].size(); ++i) {
    const auto efforts = ground_arm_efforts({q[0][i], q[1][i], q[2][i], q[3][i]},
                                            {v[0][i], v[1][i], v[2][i], v[3][i]},
                                            {a[0][i], a[1][i], a[2][i], a[3][i]});
    for (std::size_t k = 0; k < 4; ++k) {
      double& worst = k % 2 == 0 ? torque : force;
      worst = std::max(worst, std::abs(drive[k][i] - efforts[k]));
      off_power = std::max(off_power, std::abs(power[k][i] - efforts[k] * v[k][i]));
    }
  }
  const double T = 4.0, dq = std::numbers::pi / 3.0;
  return {{{"drive torques - closed form [N m]", 0.0, torque, 1e-10},
           {"drive forces - closed form [N]", 0.0, force, 1e-10},
           {"drive powers - closed form [W]", 0.0, off_power, 1e-10},
           // (2.74): 2 dq/T and 2 pi dq/T^2, met by a row of the record.
           {"peak slew rate [rad/s]", 2.0 * dq / T, run.largest("joint/beta-1/rate"), 1e-12},
           {"peak slew acceleration [rad/s^2]", kTurn * dq / (T * T),
            run.largest("joint/beta-1/acceleration"), 1e-12},
           energy_balance(run, 1e-8)},
          run.summary.timing.solver_seconds};
}

// Table 7-1. Distance, period and inertia are printed with three decimals: I = m g l T^2 / 4 pi^2
// and T follow from the other two within dI/I = dl/l + 2 dT/T, and their own rounding.
CaseReport swing_test() {
  struct Row {
    const char* what;
    double mass, distance, period, inertia;
  };
  const Row rows[] = {{"module 1 retracted", 4.5, 0.276, 1.343, 0.557},
                      {"module 1 middle", 4.5, 0.322, 1.444, 0.750},
                      {"module 1 deployed", 4.5, 0.373, 1.560, 1.015},
                      {"module 2 retracted", 2.4, 0.106, 1.021, 0.066},
                      {"module 2 middle", 2.4, 0.119, 1.063, 0.080},
                      {"module 2 deployed", 2.4, 0.129, 1.109, 0.094}};
  CaseReport report;
  for (const Row& row : rows) {
    const ExampleRun run = run_example(
        "chen/swing-test.yaml", {"parameters.mass=" + std::to_string(row.mass) + " kg",
                                 "parameters.distance=" + std::to_string(row.distance) + " m",
                                 "parameters.inertia=" + std::to_string(row.inertia) + " kg*m^2"});
    const double rounding = 0.0005;
    const double period = mean_period(run);
    const double of_distance = rounding / row.distance;
    report.comparisons.push_back(
        {std::string("period, ") + row.what + " [s]", row.period, period,
         0.5 * row.period * (rounding / row.inertia + of_distance) + rounding});
    // The other way: the inertia of the printed period, by the measured one of the same pendulum.
    report.comparisons.push_back(
        {std::string("inertia, ") + row.what + " [kg m^2]", row.inertia,
         row.inertia * std::pow(row.period / period, 2),
         row.inertia * (of_distance + 2.0 * rounding / row.period) + rounding});
    report.seconds += run.summary.timing.solver_seconds;
  }
  return report;
}

}  // namespace

std::vector<ValidationCase> chen_cases() {
  return {{"chen-double-pendulum", "Chen 1999, Fig. 7-8 and 7-9; closed form", double_pendulum},
          {"chen-ground-arm", "closed form (Chen 1999, 7.1 to 7.4, corrected)", ground_arm},
          {"chen-swing-test", "Chen 1999, Table 7-1", swing_test}};
}

}  // namespace grapple::app
