// Rigid problems with closed forms, and the IFToMM benchmarks A01 and light-cart pole.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

using std::numbers::pi;

constexpr char kIftomm[] = "IFToMM library of computational benchmark problems";

// References to 12 digits from the benchmark page; the exact solution is a Jacobi elliptic
// function.
CaseReport a01_pendulum() {
  const ExampleRun run = run_example("iftomm/A01-pendulum.yaml");
  const ExampleRun plain = run_example("iftomm/A01-pendulum.yaml", {"simulate.tolerance=1e-8"});
  const std::vector<double> energy = plain.results.channel("energy/total");
  const auto [lowest, highest] = std::minmax_element(energy.begin(), energy.end());
  return {{{"x at 10 s [m]", -0.275087462576, run.final_value("frame/bob/mass/position_x"), 1e-8},
           {"y at 10 s [m]", -0.961419205099, run.final_value("frame/bob/mass/position_y"), 1e-8},
           balance({"energy drift, default tolerance [J]", 0.0, *highest - *lowest, 5e-5}),
           // Of the energy moved, in which height and speed count once.
           energy_balance(run, 2e-9)},
          plain.summary.timing.solver_seconds};
}

CaseReport free_floating_ratio() {
  const ExampleRun run = run_example("rigid/free-floating-ratio.yaml");
  const std::vector<double> joint = run.results.channel("joint/shoulder/position");
  const std::vector<double> w = run.results.channel("joint/base/position_qw");
  const std::vector<double> z = run.results.channel("joint/base/position_qz");
  const double ratio = -6.0 / (40.0 + 6.0);
  double worst = 0.0;
  for (std::size_t k = 0; k < joint.size(); ++k) {
    worst = std::max(worst, std::abs(2.0 * std::atan2(z[k], w[k]) - ratio * joint[k]));
  }
  double momentum = 0.0;
  for (const char* channel : {"momentum/linear_x", "momentum/linear_y", "momentum/linear_z",
                              "momentum/angular_x", "momentum/angular_y", "momentum/angular_z"}) {
    momentum = std::max(momentum, run.largest(channel));
  }
  return {{{"base angle - ratio * joint [rad]", 0.0, worst, 1e-10},
           balance({"momentum [N s, N m s]", 0.0, momentum, 1e-12})},
          run.summary.timing.solver_seconds};
}

// The arm of `make run`: everything starts at rest, so that momentum stays zero whatever the motors
// do.
CaseReport free_floating_arm() {
  const ExampleRun run = run_example("rigid/free-floating-arm.yaml", {"simulate.tolerance=1e-10"});
  double momentum = 0.0;
  for (const char* axis : {"x", "y", "z"}) {
    momentum = std::max(momentum, run.largest(std::string("momentum/linear_") + axis));
    momentum = std::max(momentum, run.largest(std::string("momentum/angular_") + axis));
  }
  // The parts carry some 100 N m s each; the integrator keeps their sum to its tolerance.
  return {{balance({"momentum [N s, N m s]", 0.0, momentum, 1e-9}), energy_balance(run, 1e-9)},
          run.summary.timing.solver_seconds};
}

CaseReport heavy_top() {
  const ExampleRun run = run_example("rigid/heavy-top.yaml");
  const std::vector<double> energy = run.results.channel("energy/total");
  const std::vector<double> vertical = run.results.channel("momentum/angular_z");
  const auto drift = [](const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return (*high - *low) / std::abs(values.front());
  };
  // Initial angular momentum about z: (J_zz + m l^2) omega_z.
  const double l_z = (0.234375 + 15.0) * -4.61538;
  return {{balance({"energy drift, relative", 0.0, drift(energy), 1e-9}),
           {"vertical momentum [N m s]", l_z, vertical.back(), 1e-8 * std::abs(l_z)},
           balance({"vertical momentum drift, relative", 0.0, drift(vertical), 1e-8}),
           // Of all its energy: the spin, nine tenths of it, is not energy moved.
           balance({"energy balance, of all energy", 0.0,
                    std::abs(run.summary.energy->residual_joule / energy.front()), 1e-9})},
          run.summary.timing.solver_seconds};
}

// Torque-free motion about the intermediate axis. With energy 2T = sum J_i w_i^2 and momentum L^2 =
// sum J_i^2 w_i^2 the rate about the intermediate axis is a Jacobi sine and passes zero every 2
// K(m) / lambda (Landau and Lifshitz, Mechanics, section 37).
double time_between_flips(const double (&J)[3], const double (&w)[3]) {
  // Order J1 < J2 < J3 as the formulas have it.
  double T2 = 0.0, L2 = 0.0;
  for (int k = 0; k < 3; ++k) {
    T2 += J[k] * w[k] * w[k];
    L2 += J[k] * J[k] * w[k] * w[k];
  }
  double I[3] = {J[0], J[1], J[2]};
  std::sort(I, I + 3);
  double rate = (I[2] - I[1]) * (L2 - T2 * I[0]) / (I[0] * I[1] * I[2]);
  double modulus = (I[1] - I[0]) * (T2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - T2 * I[0]));
  if (L2 < T2 * I[1]) {  // the other side of the separatrix: 1 and 3 change roles
    rate = (I[0] - I[1]) * (L2 - T2 * I[2]) / (I[0] * I[1] * I[2]);
    modulus = (I[1] - I[2]) * (T2 * I[0] - L2) / ((I[0] - I[1]) * (L2 - T2 * I[2]));
  }
  return 2.0 * std::comp_ellint_1(std::sqrt(modulus)) / std::sqrt(rate);
}

CaseReport spinning_box() {
  const ExampleRun run = run_example("rigid/spinning-box.yaml");
  const double m = 3.0, a = 0.3, b = 0.2, c = 0.05;
  const double J[3] = {m / 12 * (b * b + c * c), m / 12 * (a * a + c * c),
                       m / 12 * (a * a + b * b)};
  const double w[3] = {0.01, 5.0, 0.01};
  const std::vector<record::EventRecord> flips = run.results.events();
  const double measured = flips.size() < 2 ? NAN
                                           : (flips.back().time - flips.front().time) /
                                                 static_cast<double>(flips.size() - 1);
  return {{{"time between flips [s]", time_between_flips(J, w), measured, 1e-9},
           energy_balance(run, 1e-9)},
          run.summary.timing.solver_seconds};
}

// Light cart: horizontal momentum is zero throughout, which leaves one degree of freedom. With the
// pole's centre of mass c from the pivot and J_c about it,
//   1/2 J(a) a'^2 = m g c sin(a),  J(a) = J_c + m c^2 (1 - m/(m+M) sin^2 a),  a from the horizontal
//   down.
struct CartPole {
  double J_c = 0.0, c = 1.0;
  double M = 1e-6, m = 1.0, g = 9.81;

  double inertia(double a) const {
    // 1 - m/(m+M) sin^2 a without cancellation near the vertical.
    return J_c + m * c * c * (std::pow(std::cos(a), 2) + M / (m + M) * std::pow(std::sin(a), 2));
  }
  double peak_rate() const { return std::sqrt(2.0 * m * g * c / inertia(pi / 2)); }
  // dt = sqrt(J / (2 m g c sin a)) da. The substitution a = pi/2 s^2 (3 - 2 s) takes out the root
  // singularity at the start and crowds points near the vertical, where J varies over an angle of
  // sqrt(M/m); then Simpson's rule.
  double quarter_period() const {
    const int n = 200000;
    double sum = 0.0;
    for (int k = 0; k <= n; ++k) {
      const double s = static_cast<double>(k) / n;
      const double weight = (k == 0 || k == n) ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0);
      sum += weight * integrand(s);
    }
    return sum / (3.0 * n);
  }
  double integrand(double s) const {
    const double a = pi / 2 * s * s * (3.0 - 2.0 * s);
    const double da = pi / 2 * 6.0 * s * (1.0 - s);
    const double moment = 2.0 * m * g * c;
    if (s == 0.0) return pi / 2 * 6.0 * std::sqrt(inertia(0.0) / (moment * (pi / 2 * 3.0)));
    return std::sqrt(inertia(a) / (moment * std::sin(a))) * da;
  }
};

CaseReport light_cart_pole(const char* example, const CartPole& exact) {
  const ExampleRun run = run_example(example);
  const std::vector<record::EventRecord> passages = run.results.events();
  const double quarter = exact.quarter_period();
  CaseReport report{{}, run.summary.timing.solver_seconds};
  report.comparisons.push_back({"first vertical passage [s]", quarter,
                                passages.empty() ? NAN : passages.front().time, 1e-10});
  if (!passages.empty()) {
    // Passages at 1, 3, 5 ... quarters; the phase error grows with time.
    const auto count = static_cast<double>(passages.size());
    report.comparisons.push_back({"last passage before 10 s [s]", (2.0 * count - 1.0) * quarter,
                                  passages.back().time, 1e-9});
  }
  // Recorded at the passages themselves, so the peak is met.
  report.comparisons.push_back({"peak rate [rad/s]", exact.peak_rate(),
                                run.largest("joint/pivot/rate"), 1e-9 * exact.peak_rate()});
  report.comparisons.push_back(energy_balance(run, 1e-9));
  return report;
}

CaseReport uniform_cart_pole() {
  return light_cart_pole("iftomm/light-cart-pole.yaml", {.J_c = 1.0 / 12.0, .c = 0.5});
}

CaseReport point_mass_cart_pole() {
  return light_cart_pole("iftomm/light-cart-pole-point-mass.yaml", {.J_c = 0.0, .c = 1.0});
}

CaseReport falling_body() {
  const ExampleRun run = run_example("rigid/falling-body.yaml");
  return {
      {{"time of impact [s]", std::sqrt(2.0 * 10.0 / 9.81), run.summary.simulated_seconds, 1e-10}},
      run.summary.timing.solver_seconds};
}

CaseReport spring_mass() {
  const ExampleRun run = run_example("rigid/spring-mass.yaml");
  const std::vector<record::EventRecord> events = run.results.events();
  const double period =
      (events.back().time - events.front().time) / static_cast<double>(events.size() - 1);
  return {
      {{"period [s]", 2.0 * pi * std::sqrt(2.0 / 50.0), period, 1e-9}, energy_balance(run, 1e-9)},
      run.summary.timing.solver_seconds};
}

}  // namespace

std::vector<ValidationCase> rigid_cases() {
  return {{"A01-pendulum", kIftomm, a01_pendulum},
          {"free-floating-ratio", kClosedForm, free_floating_ratio},
          {"free-floating-arm", "conservation", free_floating_arm},
          {"heavy-top", "conservation (Geradin and Cardona's top)", heavy_top},
          {"spinning-box", "closed form (Landau and Lifshitz, section 37)", spinning_box},
          {"light-cart-pole", kIftomm, uniform_cart_pole},
          {"light-cart-pole-point-mass", kIftomm, point_mass_cart_pole},
          {"falling-body", kClosedForm, falling_body},
          {"spring-mass", kClosedForm, spring_mass}};
}

}  // namespace grapple::app
