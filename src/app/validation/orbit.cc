// Runs in orbit against closed forms.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

using std::numbers::pi;

constexpr double kEarthMu = 3.986004418e14, kEarthRadius = 6378137.0;

double mean_motion(double mu, double a) { return std::sqrt(mu / (a * a * a)); }

// Pitch of a long body is a pendulum of twice the angle: 2/pi K(sin A) times the period of small
// swings, 1/sqrt(3 (1 - 0.005)) orbits.
CaseReport libration() {
  const double n = mean_motion(3.986e14, 6.778e6), small = 1.0 / std::sqrt(3.0 * 0.995);
  CaseReport report;
  for (const double degrees : {1.0, 30.0}) {
    const ExampleRun run = run_example("orbit/dumbbell.yaml",
                                       {"parameters.swing=" + std::to_string(degrees) + " deg"});
    const std::vector<record::EventRecord> passages = run.results.events();
    const double swing = degrees * pi / 180.0;
    const double orbits =
        passages.size() < 3 ? NAN : (passages[2].time - passages[0].time) * n / (2.0 * pi);
    report.comparisons.push_back(
        {"libration period, " + std::to_string(static_cast<int>(degrees)) + " deg [orbits]",
         small * 2.0 / pi * std::comp_ellint_1(std::sin(swing)), orbits, 1e-7});
    report.comparisons.push_back(
        balance({"residual of the ledger [J]", 0.0, run.largest("energy/residual"), 1e-6}));
    report.seconds += run.summary.timing.solver_seconds;
  }
  return report;
}

// 20 m above the chaser, at rest in the local axes: Clohessy and Wiltshire. Second order in the
// separation is 0.1 m of the drift.
CaseReport relative_drift() {
  const ExampleRun run = run_example("orbit/relative-drift.yaml");
  const double a = kEarthRadius + 400e3, n = mean_motion(kEarthMu, a),
               t = run.summary.simulated_seconds;
  const double x = 20.0, z = 5.0;
  // Energy of the target per mass from where it starts and how fast.
  const double d = std::hypot(a + x, z), v = n * (a + x);
  return {{{"drift along the track [m]", 6.0 * (std::sin(n * t) - n * t) * x,
            run.final_value("orbit/target/position_along"), 0.2},
           {"height [m]", (4.0 - 3.0 * std::cos(n * t)) * x,
            run.final_value("orbit/target/position_radial"), 0.1},
           {"out of plane [m]", std::cos(n * t) * z,
            run.final_value("orbit/target/position_normal"), 1e-3},
           {"semi-major axis of the target [m]", 1.0 / (2.0 / d - v * v / kEarthMu),
            run.final_value("orbit/target/semi_major_axis"), 1e-5},
           energy_balance(run, 1e-8)},
          run.summary.timing.solver_seconds};
}

// The same spacecraft for a day with the Earth's oblateness: the node, averaged over whole orbits
// at both ends. The closed form is of first order; the next is about 1e-3 of it.
CaseReport nodal_drift() {
  const double a = kEarthRadius + 400e3, n = mean_motion(kEarthMu, a), i = 51.6 * pi / 180.0;
  const double j2 = 1.08262668e-3, ratio = kEarthRadius / a, k = n * j2 * ratio * ratio;
  const double sine = std::sin(i);
  const double draconic =
      2.0 * pi / (n + 0.75 * k * (2.0 - 3.0 * sine * sine) + 0.75 * k * (4.0 - 5.0 * sine * sine));
  const int samples = 100, orbits = 15;
  const ExampleRun run = run_example(
      "orbit/relative-drift.yaml",
      {"orbit.j2=true", "simulate.duration=" + std::to_string((orbits + 1) * draconic) + " s",
       "simulate.record.every=" + std::to_string(draconic / samples) + " s"});
  const std::vector<double> node = run.results.channel("orbit/chaser/node");
  if (node.size() < static_cast<std::size_t>((orbits + 1) * samples)) {
    return {{{"node at all times", 1.0, 0.0, 0.0}}, 0.0};
  }
  double drift = 0.0;
  for (std::size_t s = 0; s < samples; ++s) drift += node[s + orbits * samples] - node[s];
  drift /= samples * orbits * draconic;
  return {{{"drift of the node over -3/2 n J2 (Re/p)^2 cos i", 1.0,
            drift / (-1.5 * k * std::cos(i)), 3e-3}},
          run.summary.timing.solver_seconds};
}

// Two bodies on a cable: the ledger, and the cable stays closed and taut.
CaseReport cable() {
  const ExampleRun run = run_example("orbit/two-satellites-cable.yaml");
  double slackest = INFINITY;
  for (const double pull : run.results.channel("pull")) slackest = std::min(slackest, pull);
  return {{balance({"opening of the cable [m]", 0.0, run.largest("loop/cable/error"), 1e-9}),
           balance({"residual of the ledger [J]", 0.0, run.largest("energy/residual"), 1e-6}),
           balance(at_least("smallest pull [N]", 0.0, slackest))},
          run.summary.timing.solver_seconds};
}

}  // namespace

std::vector<ValidationCase> orbit_cases() {
  return {{"orbit-libration", "closed form; data of Chen 1999", libration},
          {"orbit-relative-drift", "closed form (Clohessy and Wiltshire)", relative_drift},
          {"orbit-nodal-drift", "closed form", nodal_drift},
          {"orbit-cable", "conservation; Stroe 2003", cable}};
}

}  // namespace grapple::app
