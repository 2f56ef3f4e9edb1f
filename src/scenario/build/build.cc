#include "grapple/scenario/build/build.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/live/live_parts.h"

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

void check_anything_to_move(const Reader& scenario) {
  if (!scenario.objects("bodies").empty()) return;
  throw Error("GR-309", scenario.where(),
              "there is nothing to simulate: a scenario needs at least one body");
}

// The model, or its stand-in with the model's faults noted, so that the rest is checked as well.
// Nothing if the faults concern names or who hangs on whom: then enough is said.
std::optional<model::Model> finished_model(Assembly& assembly) {
  try {
    return assembly.builder.build();
  } catch (const Error& error) {
    assembly.faults.add(error);
  }
  try {
    return assembly.stand_in.build();
  } catch (const Error&) {
    return std::nullopt;
  }
}

dynamics::Choice read_method(const Reader& simulate, const model::Model& model,
                             Diagnostics& faults) {
  using dynamics::Method;
  const std::string asked = simulate.text("dynamics");
  for (const Method method : dynamics::kAllMethods) {
    if (asked != dynamics::method_name(method)) continue;
    const int lacking =
        method == Method::kDecoupled ? dynamics::body_without_own_inertia(model) : -1;
    if (lacking < 0) return {method, "as the scenario asks"};
    faults.add("GR-351", simulate.where("dynamics"),
               fmt::format("method 'decoupled' takes every body apart, and body '{}' alone has no "
                           "inertia in one of its motions; give it moments of inertia about all "
                           "axes (a beam: rho_I), or take another method (a beam that deploys or "
                           "carries a rail always needs another)",
                           model.body_of_link(lacking).name));
  }
  return dynamics::choose(model);
}

Simulation built(const CheckedScenario& checked, const Reader& scenario,
                 system::ConstraintStart loops, Assembly& assembly) {
  Simulation simulation;
  if (assembly.incomplete) return simulation;
  std::optional<model::Model> model = finished_model(assembly);
  if (!model) return simulation;
  simulation.forward_dynamics = read_method(scenario.object("simulate"), *model, assembly.faults);
  system::SystemParts parts{std::move(*model), {}, {}, {}, {}, {}};
  parts.method = simulation.forward_dynamics.method;
  parts.constraint_start = loops;
  add_signals(scenario, assembly, parts);
  add_operator_signals(scenario, assembly, parts, simulation);
  add_sensors(scenario, assembly, parts);
  add_blocks(scenario, assembly, parts);
  add_trajectories(scenario, assembly, parts);
  simulation.motion_plan = read_motion_plan(scenario, assembly, parts.model);
  set_initial_state(scenario, assembly, parts);
  set_modal_start(scenario, assembly, parts);
  add_orbit(scenario, assembly, parts);
  add_elasticity(assembly, parts);
  add_joint_elements(scenario, assembly, parts);
  add_joint_motions(scenario, assembly, parts, simulation.plan);
  add_forces(scenario, assembly, parts);
  add_loops(scenario, assembly, parts, simulation.plan);
  add_reactions(scenario, assembly, parts);
  read_loop_method(scenario, assembly, parts);
  add_contacts(scenario, assembly, parts, simulation.plan);
  add_operators(scenario, assembly, parts, simulation);
  add_channels(scenario, assembly, parts);
  add_controllers(checked, assembly, parts);
  add_tunables(checked.root, scenario, assembly, simulation);
  const spatial::VecX given_rates = parts.v;
  simulation.system = std::make_unique<system::System>(std::move(parts));
  start_sensors(*simulation.system, assembly);
  check_start_of_contacts(*simulation.system, assembly);
  note_closing(*simulation.system, given_rates, assembly);
  check_cameras(scenario, simulation.system->model(), assembly.faults);
  add_instruments(scenario, assembly, simulation);
  check_locks(scenario, *simulation.system, assembly.faults);
  check_start_of_groups(*simulation.system, assembly);
  simulation.plan.scenario_text = checked.resolved_text;
  simulation.plan.inputs = checked.inputs;
  plan_run(scenario, *simulation.system, assembly, simulation.plan);
  static_cast<void>(simulation.system->breakpoints(simulation.plan.duration));  // GR-135
  return simulation;
}

}  // namespace

Simulation build(const CheckedScenario& checked, system::ConstraintStart loops) {
  const Reader scenario = checked.reader();
  check_anything_to_move(scenario);
  Assembly assembly;
  Simulation simulation;
  try {
    assembly.builder.set_gravity(read_gravity(scenario));
    read_orbit(scenario, assembly);
    add_bodies(scenario, assembly);
    check_frames_of_reduced(scenario, assembly);
    check_boundaries(scenario, assembly);
    add_joints(scenario, assembly);
    simulation = built(checked, scenario, loops, assembly);
  } catch (const Error& error) {
    assembly.faults.add(error);
  }
  if (!assembly.faults.empty()) throw with_file_places(Error(assembly.faults.found()), assembly);
  simulation.automatic_values = std::move(assembly.automatic_values);
  simulation.start_notes = std::move(assembly.start_notes);
  simulation.hints = std::move(assembly.hints);
  simulation.joint_references = std::move(assembly.joint_references);
  simulation.reference_joints = std::move(assembly.reference_joints);
  for (ContactPlan& plan : assembly.contacts) {
    simulation.contacts.push_back(std::move(plan.contact));
  }
  return simulation;
}

}  // namespace grapple::scenario
