// `grapple check`, `grapple schema`, `grapple reference`: what a scenario says, and what one may
// say.
#include <fmt/format.h>

#include "grapple/app/commands.h"
#include "grapple/dynamics/energy.h"
#include "grapple/integrate/options.h"
#include "grapple/scenario/build.h"
#include "grapple/scenario/contact_estimate.h"

namespace grapple::app {

namespace {

void print_tree(const system::System& system) {
  const model::Model& model = system.model();
  fmt::print("{:<18} {:<12} {:<18} {:>14} {:>4} {:>6}\n", "body", "joint type", "on", "mass [kg]",
             "DOF", "modes");
  for (const model::Body& body : model.bodies()) {
    const model::Link& link = model.link(body.link);
    const std::string parent = link.parent == 0 ? "world" : model.body_of_link(link.parent).name;
    fmt::print("{:<18} {:<12} {:<18} {:>14.6g} {:>4} {:>6}\n", body.name,
               joint_type_name(link.type), parent, link.mass, link.nv + link.motors, link.modes);
  }
}

void print_contact(const scenario::Simulation& simulation, const scenario::ContactPlan& plan) {
  const auto e = scenario::estimate_contact(*simulation.system, plan);
  if (!e) {
    fmt::print("  {:<18} no impact straight ahead from the start\n", plan.name);
    return;
  }
  const std::string stiffness =
      !plan.patches.empty() ? fmt::format("{:.4g} N/m^3", plan.foundation)
                            : fmt::format("{:.4g} N/m^{:g}", plan.law.stiffness, plan.law.exponent);
  fmt::print(
      "  {:<18} {:>5} {:>18} {:>10.4g} {:>9.3g} {:>10.3g} {:>10.3g} {:>10.3g} {:>10.3g} "
      "{:>10.2g}\n",
      plan.name, plan.patches.empty() ? plan.sites.size() : plan.patches.size(), stiffness,
      e->reduced_mass, e->speed, e->impact.depth, e->impact.force, e->impact.duration,
      e->impact.frequency, e->largest_step);
}

// An impact from the start position, and the largest fixed step that resolves impact and rest.
void print_contacts(const scenario::Simulation& simulation) {
  if (simulation.contacts.empty()) return;
  fmt::print("\n  {:<18} {:>5} {:>18} {:>10} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "contact",
             "sites", "stiffness", "mass [kg]", "v [m/s]", "depth [m]", "force [N]", "time [s]",
             "f [rad/s]", "step [s]");
  for (const scenario::ContactPlan& plan : simulation.contacts) print_contact(simulation, plan);
  const std::string warning = scenario::step_warning(simulation);
  if (!warning.empty()) fmt::print("  warning: {}\n", warning);
}

void print_channels(const system::System& system) {
  fmt::print("\nchannels\n");
  for (const system::Channel& channel : system.channels()) {
    fmt::print("  {} [{}]\n", channel.name, channel.unit);
  }
}

void print_loops(const system::System& system) {
  if (system.loops().empty()) return;
  for (const constraint::Loop& loop : system.loops()) {
    fmt::print("loop '{}': {} conditions{}\n", loop.name, loop.rows.size(),
               loop.active ? "" : ", open at the start");
  }
  for (const constraint::Dependence& one : system.dependences()) {
    fmt::print("  {}\n", constraint::dependence_text(system.model(), system.loops(), one));
  }
  if (!system.dependences().empty()) {
    fmt::print(
        "  {} of the conditions follow from others: harmless, but only the sum of what they "
        "carry is certain\n",
        system.dependences().size());
  }
  if (!system.loops_counted()) {
    fmt::print("too many rows to count the independent ones\n");
    return;
  }
  fmt::print("mobility with the loops closed: {}\n", system.model().nv() - system.loop_rank());
}

}  // namespace

int check_command(const CheckArguments& arguments) {
  const scenario::Simulation simulation = scenario::build(
      scenario::load_scenario(arguments.scenario.file, arguments.scenario.settings));
  const system::System& system = *simulation.system;
  fmt::print("{}: no faults found\n\n", simulation.plan.name);
  print_tree(system);
  fmt::print("\n{} bodies, {} degrees of freedom, total mass {:.6g} kg, {} force elements\n",
             system.model().bodies().size(), system.model().nv(), system.model().total_mass(),
             system.elements().size());
  print_loops(system);
  fmt::print(
      "forward dynamics: {} ({})\n", dynamics::method_name(system.method()),
      system.loops().empty() ? simulation.forward_dynamics.reason : "loops need the mass matrix");
  fmt::print("integrator: {}, tolerance {:g}, {:g} s; {} channels, {} events, {} measures\n",
             integrate::method_name(simulation.plan.integrator.method),
             simulation.plan.integrator.relative_tolerance, simulation.plan.duration,
             system.channels().size(), simulation.plan.events.size(),
             simulation.plan.measures.size());
  print_contacts(simulation);
  if (!simulation.automatic_values.empty()) fmt::print("\nautomatic values\n");
  for (const std::string& text : simulation.automatic_values) fmt::print("  {}\n", text);
  if (arguments.channels) print_channels(system);
  return kSuccess;
}

int schema_command() {
  fmt::print("{}", scenario::json_schema());
  return kSuccess;
}

int reference_command() {
  fmt::print("{}", scenario::reference_markdown());
  return kSuccess;
}

}  // namespace grapple::app
