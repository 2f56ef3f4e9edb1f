// Closed mechanisms for the tests of methods, and runs of them.
#pragma once

#include <numeric>
#include <stdexcept>
#include <string>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/scenario/build/build.h"

namespace grapple::scenario {

using spatial::VecX;

inline std::span<const double> view(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

inline Simulation example(const std::string& file, const std::vector<std::string>& settings = {}) {
  return build(load_scenario(std::string(GRAPPLE_SOURCE_DIR) + "/examples/" + file, settings));
}
inline Simulation scenario_of(const std::string& text,
                              const std::vector<std::string>& settings = {}) {
  return build(load_scenario_text(text, "test.yaml", settings));
}

// A double rocker swinging in gravity.
inline const char* const kFourBar = R"(
grapple: 1
environment: {gravity: [0, -9.81, 0] m/s^2}
bodies:
  - {name: left, solid: {rod: {length: 1 m, axis: y, from: end}, mass: 1 kg}}
  - {name: top, solid: {rod: {length: 1.2 m, axis: x, from: end}, mass: 1 kg}}
  - {name: right, solid: {rod: {length: 1.4 m, axis: y, from: end}, mass: 2 kg}}
joints:
  - {name: a, type: revolute, axis: z, parent: world, child: left, angle: 0.3 rad}
  - {name: b, type: revolute, axis: z, parent: "left at [0, 1, 0] m", child: top, angle: 0 rad}
  - {name: c, type: revolute, axis: z, parent: "world at [1.5, 0, 0] m", child: right, angle: 0.6 rad}
loops:
  - {name: d, type: point-on-line, axis: z, between: ["top at [1.2, 0, 0] m", "right at [0, 1.4, 0] m"]}
simulate: {duration: 1 s}
)";

// A slider-crank let go with a turning crank.
inline const char* const kSliderCrank = R"(
grapple: 1
environment: {gravity: [0, -9.81, 0] m/s^2}
bodies:
  - {name: crank, solid: {rod: {length: 0.15 m, axis: x, from: end}, mass: 0.5 kg}}
  - {name: rod, solid: {rod: {length: 0.3 m, axis: x, from: end}, mass: 1 kg}}
  - {name: slider, solid: {box: "[0.1, 0.05, 0.05] m", mass: 2 kg}}
joints:
  - {name: shaft, type: revolute, axis: z, parent: world, child: crank, rate: 10 rad/s}
  - {name: crankpin, type: revolute, axis: z, parent: "crank at [0.15, 0, 0] m", child: rod, rate: -15 rad/s}
  - {name: guide, type: prismatic, axis: x, parent: world, child: slider, displacement: 0.45 m}
loops:
  - {name: wristpin, type: point-on-line, axis: z, between: ["rod at [0.3, 0, 0] m", slider]}
simulate: {duration: 1 s}
)";

// The heavy top as a body in six coordinates, held by its point: the benchmark of Bruls and
// Cardona (2010) for integrators on Lie groups with constraints.
inline const char* const kHeavyTop = R"(
grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: top, mass: 15 kg, inertia: "[0.234375, 0.46875, 0.234375] kg*m^2", position: "[0, 1, 0] m",
     velocity: "[4.61538, 0, 0] m/s", angular_velocity: "[0, 150, -4.61538] rad/s"}
loops:
  - {name: point, type: spherical, between: [world, "top at [0, -1, 0] m"]}
simulate: {duration: 1 s}
)";

struct End {
  double kinetic = 0.0, numerical = 0.0, residual = 0.0;
  VecX x;
};

inline End run_to(Simulation& simulation, const integrate::IntegratorOptions& options,
                  double t_end) {
  integrate::SystemProblem problem(*simulation.system, {});
  auto stepper = make_stepper(problem, options);
  integrate::Observer silent;
  const auto result =
      integrate::simulate(problem, *stepper, view(simulation.system->initial_state()),
                          {.t_end = t_end, .breakpoints = simulation.system->breakpoints(t_end)},
                          problem.crossings(), silent);
  if (result.status != integrate::Status::kCompleted) {
    throw std::runtime_error(result.failure.cause);
  }
  const auto& snapshot = problem.evaluate(result.t, result.x);
  const auto& stored = snapshot.energies.stored;
  End end;
  end.kinetic = stored[static_cast<std::size_t>(element::Stored::kKinetic)];
  end.numerical = snapshot.work[static_cast<std::size_t>(element::Supply::kNumerical)];
  end.residual = std::accumulate(stored.begin(), stored.end(), 0.0) -
                 simulation.system->initial_energy() -
                 std::accumulate(snapshot.work.begin(), snapshot.work.end(), 0.0);
  end.x = Eigen::Map<const VecX>(result.x.data(), simulation.system->size());
  return end;
}

}  // namespace grapple::scenario
