#include "grapple/scenario/build.h"

#include "grapple/scenario/assembly.h"

namespace grapple::scenario {

namespace {

using spatial::Vec3;

Vec3 read_gravity(const Reader& scenario) {
  if (!scenario.has("environment")) return Vec3::Zero();
  const Reader environment = scenario.object("environment");
  if (!environment.has("gravity")) return Vec3::Zero();
  if (environment.is_list("gravity")) return environment.vector3("gravity");
  if (environment.text("gravity") == "none") return Vec3::Zero();
  return {0.0, 0.0, -environment.number("gravity")};
}

// The model names parts; the user wants the line as well.
Error with_file_places(const Error& error, const Assembly& assembly) {
  std::vector<Diagnostic> found = error.diagnostics();
  for (Diagnostic& diagnostic : found) {
    const auto it = assembly.places.find(diagnostic.where);
    if (it != assembly.places.end()) diagnostic.where = it->second + ": " + it->first;
  }
  return Error(std::move(found));
}

}  // namespace

Simulation build(const CheckedScenario& checked) {
  const Reader scenario = checked.reader();
  Assembly assembly;
  Simulation simulation;
  try {
    assembly.builder.set_gravity(read_gravity(scenario));
    add_bodies(scenario, assembly);
    add_joints(scenario, assembly);
    assembly.faults.throw_if_any();
    system::SystemParts parts{assembly.builder.build(), {}, {}, {}, {}, {}};
    set_initial_state(scenario, assembly, parts);
    add_joint_elements(scenario, assembly, parts);
    add_joint_motions(scenario, assembly, parts, simulation.plan);
    add_forces(scenario, assembly, parts);
    assembly.faults.throw_if_any();
    simulation.system = std::make_unique<system::System>(std::move(parts));
    simulation.plan.scenario_text = checked.resolved_text;
    plan_run(scenario, *simulation.system, assembly, simulation.plan);
    assembly.faults.throw_if_any();
  } catch (const Error& error) {
    throw with_file_places(error, assembly);
  }
  simulation.automatic_values = std::move(assembly.automatic_values);
  return simulation;
}

}  // namespace grapple::scenario
