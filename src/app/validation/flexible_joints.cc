// Flexible joints: a torque step on two inertias, bouncing in backlash.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/analysis/natural_modes.h"
#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

using std::numbers::pi;

// Rotor d and link I on a spring and damper, a torque on the rotor from rest (docs/theory):
//   w'' + 2 z w0 w' + w0^2 w = torque / d,   q = torque t^2 / (2 (d + I)) - w d / (d + I)
CaseReport torque_step() {
  const double rotor = 100.0 * 100.0 * 4e-5, link = 2.0 * 0.8 * 0.8 / 3.0;
  const double stiffness = 1.5e4, damping = 2.0, torque = 100.0 * 0.05;
  const double both = 1.0 / rotor + 1.0 / link, natural = std::sqrt(stiffness * both);
  const double ratio = damping * both / (2.0 * natural);
  const double ringing = natural * std::sqrt(1.0 - ratio * ratio);
  const auto twist = [&](double t) {
    const double settled = torque / (rotor * natural * natural);
    return settled * (1.0 - std::exp(-ratio * natural * t) *
                                (std::cos(ringing * t) +
                                 ratio / std::sqrt(1.0 - ratio * ratio) * std::sin(ringing * t)));
  };

  const ExampleRun run = run_example("flexible/flexible-joint.yaml");
  const std::vector<double> time = run.results.time();
  const std::vector<double> twists = run.results.channel("joint/elbow/transmission/twist");
  double worst = 0.0;
  for (std::size_t k = 0; k < time.size(); ++k) {
    worst = std::max(worst, std::abs(twists[k] - twist(time[k])));
  }
  const double angle = 0.5 * torque / (rotor + link) - twist(1.0) * rotor / (rotor + link);
  const scenario::Simulation simulation = load_example("flexible/flexible-joint.yaml");
  const spatial::VecX x = simulation.system->initial_state();
  const std::vector<analysis::Mode> modes = analysis::natural_modes(
      *simulation.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())});
  // 1800 steps that may err by 1e-12 rad each.
  return {{{"twist over 1 s, worst error [rad]", 0.0, worst, 2e-9},
           {"angle at 1 s [rad]", angle, run.final_value("joint/elbow/position"), 1e-8},
           {"frequency [Hz]", natural / (2.0 * pi), modes.back().frequency_hz, 1e-9},
           {"damping ratio", ratio, modes.back().damping_ratio, 1e-12},
           energy_balance(run, 1e-9)},
          run.summary.timing.solver_seconds};
}

// Half a swing on each flank, pi sqrt(I / k), and the play crossed twice at the starting speed.
CaseReport backlash() {
  const ExampleRun run = run_example("flexible/backlash.yaml");
  const double period = 2.0 * pi * std::sqrt(0.5 / 8000.0) + 2.0 * 0.01 / 0.5;
  const auto events = run.results.events();
  const double ten = events.size() < 11 ? NAN : events[10].time - events[0].time;
  return {{{"ten periods [s]", 10.0 * period, ten, 1e-9}, energy_balance(run, 1e-8)},
          run.summary.timing.solver_seconds};
}

}  // namespace

std::vector<ValidationCase> flexible_joint_cases() {
  return {{"flexible-joint", kClosedForm, torque_step}, {"backlash", kClosedForm, backlash}};
}

}  // namespace grapple::app
