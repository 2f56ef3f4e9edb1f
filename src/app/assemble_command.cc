// `grapple assemble`: closes loops from a rough start and says how far each was off.
#include <fmt/format.h>

#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/base/printable.h"
#include "grapple/constraint/assemble.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

namespace {

using constraint::AssemblyResult;
using constraint::SingularPlace;
using model::CoordinateKind;
using model::Link;
using spatial::VecX;

std::string list_text(const VecX& values) {
  if (values.size() == 1) return fmt::format("{:.15g}", values[0]);
  std::vector<double> all(values.begin(), values.end());
  return fmt::format("[{:.15g}]", fmt::join(all, ", "));
}

// The start of one joint as settings: `joints.crank.angle=0.7`. A body without a joint of its own
// starts by its own keys.
std::vector<std::string> start_settings(const scenario::Reader& scenario, const model::Model& model,
                                        int i, const VecX& q) {
  const Link& link = model.link(i);
  const std::string name = model.joint_of_link(i).name;
  std::string stem = "bodies." + name, key = "position";
  for (const scenario::Reader& joint : scenario.objects("joints")) {
    if (joint.text("name") != name) continue;
    stem = "joints." + name;
    for (const char* word : {"angle", "displacement"}) {
      if (link.nv == 1 && joint.has(word)) key = word;
    }
  }
  std::vector<std::string> settings;
  for (const model::CoordinateBlock& block : model.coordinates().of_link(i)) {
    switch (block.kind) {
      case CoordinateKind::kPlain:
        settings.push_back(stem + "." + key + "=" + list_text(q.segment(block.q, block.count)));
        break;
      case CoordinateKind::kQuaternion:
        settings.push_back(stem + ".rotation={quaternion: " + list_text(q.segment<4>(block.q)) +
                           "}");
        break;
      case CoordinateKind::kModal:  // start as they were given
      case CoordinateKind::kMotor:
        break;
    }
  }
  return settings;
}

void print_loops(const system::System& system, const AssemblyResult& result) {
  fmt::print("{:<24} {:>16} {:>16}\n", "loop", "off before", "off after");
  Eigen::Index row = 0;
  for (const constraint::Constraint& constraint : system.constraints()) {
    const auto count = static_cast<Eigen::Index>(constraint::rows_of(constraint).size());
    if (constraint.active) {
      fmt::print("{:<24} {:>16.6g} {:>16.3g}\n", constraint.name,
                 result.before.segment(row, count).lpNorm<Eigen::Infinity>(),
                 result.after.segment(row, count).lpNorm<Eigen::Infinity>());
    }
    row += count;
  }
}

void print_singular(const system::System& system, const AssemblyResult& result) {
  for (const SingularPlace& place : result.singular) {
    if (place.kind == SingularPlace::Kind::kLockUp) {
      fmt::print("lock-up at {:.1f} % of the way: the mechanism cannot go on as led\n",
                 100.0 * place.share);
    } else {
      fmt::print(
          "branches meet near {:.1f} % of the way: check that the mechanism is on the one "
          "you mean\n",
          100.0 * place.share);
    }
  }
  for (const int constraint : result.flipped) {
    fmt::print(
        "loop '{}' is closed with its axes opposed: turn one of its ends by half a turn at "
        "the start if that is not meant\n",
        system.constraints()[static_cast<std::size_t>(constraint)].name);
  }
}

void write_scenario(const AssembleArguments& arguments, const std::vector<std::string>& settings) {
  if (arguments.write.empty()) return;
  const scenario::CheckedScenario assembled =
      scenario::load_scenario(arguments.scenario.file, settings);
  record::write_file_atomically(arguments.write, assembled.resolved_text);
  fmt::print("\nscenario with this start in {}\n", arguments.write);
}

}  // namespace

int assemble_command(const AssembleArguments& arguments) {
  const scenario::CheckedScenario checked =
      scenario::load_scenario(arguments.scenario.file, arguments.scenario.settings);
  const scenario::Simulation simulation = scenario::build(checked, system::ConstraintStart::kOpen);
  const system::System& system = *simulation.system;
  if (system.constraints().empty()) {
    fmt::print("{}: there are no loops to close\n", printable(simulation.plan.name));
    write_scenario(arguments, arguments.scenario.settings);
    return kSuccess;
  }
  system::Snapshot<double> start(system);
  const VecX x = system.initial_state();
  system.evaluate<double>(0.0, span_of(x), start);
  const AssemblyResult result =
      constraint::assemble(system.model(), system.constraints(), start.state);
  fmt::print("{}: {} after {} steps\n\n", printable(simulation.plan.name),
             result.closed
                 ? "assembled"
                 : fmt::format("NOT assembled, {:.1f} % of the way", 100.0 * result.share),
             result.steps);
  print_loops(system, result);
  print_singular(system, result);
  std::vector<std::string> settings = arguments.scenario.settings;
  fmt::print("\nstart (SI)\n");
  for (int i = 1; i < system.model().link_count(); ++i) {
    if (system.model().link(i).kind == Link::Kind::kElasticFrame) continue;
    for (const std::string& one :
         start_settings(checked.reader(), system.model(), i, start.state.q)) {
      fmt::print("  {}\n", one);
      settings.push_back(one);
    }
  }
  if (result.closed) write_scenario(arguments, settings);
  return result.closed ? kSuccess : kRunFailed;
}

}  // namespace grapple::app
