// `grapple check`, `grapple schema`, `grapple reference`: what a scenario says, and what one may
// say.
#include <fmt/format.h>

#include <cmath>

#include "grapple/app/commands.h"
#include "grapple/base/printable.h"
#include "grapple/dynamics/energy.h"
#include "grapple/integrate/options.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/first_step.h"
#include "grapple/scenario/modal_beams.h"

namespace grapple::app {

namespace {

// "grain" of the copy "grain.17"; empty: no copy.
std::string_view stem_of_copy(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const bool copy = dot != std::string_view::npos && dot + 1 < name.size() &&
                    name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return copy ? name.substr(0, dot) : std::string_view();
}

// Floating copies of one body take one line.
void print_tree(const system::System& system) {
  const model::Model& model = system.model();
  fmt::print("{:<18} {:<12} {:<18} {:>14} {:>4} {:>6}\n", "body", "joint type", "on", "mass [kg]",
             "DOF", "modes");
  const std::vector<model::Body>& bodies = model.bodies();
  for (std::size_t k = 0; k < bodies.size();) {
    const model::Link& link = model.link(bodies[k].link);
    const std::string_view stem = stem_of_copy(bodies[k].name);
    std::size_t end = k + 1;
    while (!stem.empty() && link.parent == 0 && end < bodies.size() &&
           stem_of_copy(bodies[end].name) == stem && model.link(bodies[end].link).parent == 0) {
      ++end;
    }
    const std::string parent = link.parent == 0 ? "world" : model.body_of_link(link.parent).name;
    const bool on_rail = model.guided(model.link(link.parent)) != nullptr &&
                         model.flexible_body(model.link(link.parent)).line == nullptr;
    const bool deploys = link.guided > 0 && model.flexible_body(link).line != nullptr;
    fmt::print(
        "{:<18} {:<12} {:<18} {:>14.6g} {:>4} {:>6}{}\n", bodies[k].name,
        on_rail ? "rail" : joint_type_name(link.type), parent, link.mass,
        link.nv + link.motors + (on_rail ? 1 : 0) + (deploys ? 1 : 0), link.modes - link.guided,
        end - k > 1 ? fmt::format("  and so on to {}, {} bodies", bodies[end - 1].name, end - k)
                    : "");
    k = end;
  }
}

void print_contact(const scenario::Simulation& simulation,
                   const analysis::ContactDescription& contact) {
  const auto e = analysis::estimate_contact(*simulation.system, contact);
  if (!e) {
    fmt::print("  {:<18} no impact straight ahead from the start\n", contact.name);
    return;
  }
  const std::string stiffness =
      !contact.patches.empty() ? fmt::format("{:.4g} N/m^3", contact.foundation)
                               : fmt::format("{:.4g} N/m^{:g}", e->stiffness, contact.law.exponent);
  fmt::print(
      "  {:<18} {:>5} {:>18} {:>10.4g} {:>9.3g} {:>10.3g} {:>10.3g} {:>10.3g} {:>10.3g} "
      "{:>10.2g}\n",
      contact.name, contact.patches.empty() ? contact.sites.size() : contact.patches.size(),
      stiffness, e->reduced_mass, e->speed, e->impact.depth, e->impact.force, e->impact.duration,
      e->impact.frequency, e->largest_step);
}

// An impact from the start position, and the largest fixed step that resolves impact and rest.
void print_contacts(const scenario::Simulation& simulation) {
  if (simulation.contacts.empty()) return;
  fmt::print("\n  {:<18} {:>5} {:>18} {:>10} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "contact",
             "sites", "stiffness", "mass [kg]", "v [m/s]", "depth [m]", "force [N]", "time [s]",
             "f [rad/s]", "step [s]");
  for (const analysis::ContactDescription& contact : simulation.contacts) {
    print_contact(simulation, contact);
  }
  const std::string warning = scenario::step_warning(simulation);
  if (!warning.empty()) fmt::print("  warning: {}\n", warning);
}

// Beams by assumed modes against finer models of them, under the loads they carry.
void print_mode_estimates(const scenario::CheckedScenario& checked, const system::System& system) {
  for (const analysis::ModeEstimate& estimate :
       analysis::estimate_modes(system, scenario::modal_beams(checked))) {
    fmt::print(
        "body '{}' with its load, root and joints held: {:.5g} Hz by its modes, {:.5g} Hz "
        "by Craig-Bampton\n",
        estimate.body, fmt::join(estimate.by_modes, ", "), fmt::join(estimate.by_nodes, ", "));
    const std::string warning = analysis::mode_warning(estimate);
    if (!warning.empty()) fmt::print("  warning: {}\n", warning);
  }
}

void print_channels(const system::System& system) {
  fmt::print("\nchannels\n");
  for (const system::Channel& channel : system.channels()) {
    fmt::print("  {} [{}]\n", channel.name, channel.unit);
  }
}

std::string limits_text(const element::Signal& signal) {
  if (std::isinf(signal.lower) && std::isinf(signal.upper)) return "";
  return fmt::format(", {:g} to {:g}", signal.lower, signal.upper);
}

// In SI, as they are set.
void print_signals(const system::System& system) {
  for (std::size_t k = 0; k < system.signals().size(); ++k) {
    const element::Signal& signal = system.signals()[k];
    fmt::print("signal '{}' [{}]: {:g} at the start{}\n", printable(signal.name), signal.unit,
               system.modes().signals[k], limits_text(signal));
  }
}

const char* kind_of(const element::SampledBlock& block) {
  const std::vector<std::string> signals = block.writes();
  if (signals.empty()) return "block";
  return signals.front().starts_with("sensor/") ? "sensor" : "controller";
}

void print_blocks(const system::System& system, double duration) {
  for (const std::unique_ptr<element::SampledBlock>& block : system.blocks()) {
    const element::SampledBlock::Schedule& schedule = block->schedule();
    fmt::print("{} '{}': every {:g} s{}{}; reads {}; writes {}\n", kind_of(*block),
               printable(block->name()), schedule.period,
               schedule.offset > 0.0 ? fmt::format(" from {:g} s on", schedule.offset) : "",
               schedule.delay > 0.0 ? fmt::format(", acts {:g} s later", schedule.delay) : "",
               printable(fmt::format("{}", fmt::join(block->reads(), ", "))),
               printable(fmt::format("{}", fmt::join(block->writes(), ", "))));
    if (block->time_of(0) + schedule.delay < duration) continue;
    fmt::print("  warning: it never acts: {} {:g} s, the run ends at {:g} s\n",
               schedule.offset < duration ? "its first effort acts at" : "its first sample is at",
               schedule.offset < duration ? schedule.offset + schedule.delay : schedule.offset,
               duration);
  }
}

const char* way_through_loops(const system::System& system) {
  using constraint::RowSolution;
  if (system.method() != dynamics::Method::kArticulated) {
    return "few conditions: loops are solved with the mass matrix";
  }
  return system.row_solution() == RowSolution::kAlongTree
             ? "many loops: eliminated along the tree"
             : "few conditions: loops are solved by a pass along the tree each";
}

void print_loops(const system::System& system) {
  if (system.constraints().empty()) return;
  for (const constraint::Constraint& constraint : system.constraints()) {
    fmt::print("loop '{}': {} conditions{}\n", constraint.name,
               constraint::rows_of(constraint).size(),
               constraint.active ? "" : ", open at the start");
  }
  constexpr std::size_t kMostNamed = 24;
  for (std::size_t k = 0; k < std::min(kMostNamed, system.dependences().size()); ++k) {
    fmt::print("  {}\n", constraint::dependence_text(system.model(), system.constraints(),
                                                     system.dependences()[k]));
  }
  if (system.dependences().size() > kMostNamed) {
    fmt::print("  and {} more of this kind\n", system.dependences().size() - kMostNamed);
  }
  if (!system.dependences().empty()) {
    fmt::print(
        "  {} of the conditions follow from others: harmless, but only the sum of what they "
        "carry is certain\n",
        system.dependences().size());
  }
  if (!system.rows_counted()) {
    fmt::print("too many rows to count the independent ones\n");
    return;
  }
  fmt::print("mobility with the loops closed: {}\n",
             system.model().nv() - system.constraint_rank());
}

}  // namespace

int check_command(const CheckArguments& arguments) {
  const scenario::CheckedScenario checked =
      scenario::load_scenario(arguments.scenario.file, arguments.scenario.settings);
  const scenario::Simulation simulation = scenario::build(checked);
  scenario::check_first_step(checked, simulation);
  const system::System& system = *simulation.system;
  fmt::print("{}: no faults found\n\n", printable(simulation.plan.name));
  print_tree(system);
  fmt::print("\n{} bodies, {} degrees of freedom, total mass {:.6g} kg, {} force elements\n",
             system.model().bodies().size(), system.model().nv(), system.model().total_mass(),
             system.elements().size());
  print_loops(system);
  print_signals(system);
  print_blocks(system, simulation.plan.duration);
  fmt::print("forward dynamics: {} ({})\n", dynamics::method_name(system.method()),
             system.constraints().empty() ? simulation.forward_dynamics.reason
                                          : way_through_loops(system));
  fmt::print("integrator: {}, tolerance {:g}, {:g} s; {} channels, {} events, {} measures\n",
             integrate::method_name(simulation.plan.integrator.method),
             simulation.plan.integrator.relative_tolerance, simulation.plan.duration,
             system.channels().size(), simulation.plan.events.size(),
             simulation.plan.measures.size());
  print_mode_estimates(checked, system);
  print_contacts(simulation);
  if (!simulation.automatic_values.empty()) fmt::print("\nautomatic values\n");
  for (const std::string& text : simulation.automatic_values) fmt::print("  {}\n", text);
  if (!simulation.start_notes.empty()) fmt::print("\nthe start\n");
  for (const std::string& text : simulation.start_notes) fmt::print("  {}\n", text);
  for (const std::string& text : simulation.hints) fmt::print("\nhint: {}\n", text);
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
