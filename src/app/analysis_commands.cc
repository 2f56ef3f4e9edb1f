// `grapple linearize`, `grapple equilibrium`.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/linearize.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/record/array_file.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;
using spatial::MatX;
using spatial::VecX;
using system::System;

int find_input(const System& system, const std::string& name) {
  const std::vector<std::string> all = analysis::input_names(system);
  const auto it = std::find(all.begin(), all.end(), name);
  if (it == all.end()) {
    throw Error("GR-611", "--input",
                fmt::format("there is no effort '{}'{}", name, suggestion(name, all)));
  }
  return static_cast<int>(it - all.begin());
}

std::vector<int> choose_inputs(const System& system, const std::vector<std::string>& names) {
  std::vector<int> chosen;
  chosen.reserve(names.size());
  for (const std::string& name : names) chosen.push_back(find_input(system, name));
  if (!names.empty()) return chosen;
  const model::Model& model = system.model();
  for (int i = 1; i < model.link_count(); ++i) {
    if (system.find_element("joint/" + model.joint_of_link(i).name + "/motor") < 0) continue;
    for (int k = 0; k < model.link(i).nv; ++k) chosen.push_back(model.link(i).v_actuated() + k);
  }
  if (!chosen.empty()) return chosen;
  for (int i = 1; i < model.link_count(); ++i) {
    for (int k = 0; k < model.link(i).nv; ++k) chosen.push_back(model.link(i).v_actuated() + k);
  }
  return chosen;
}

std::vector<int> choose_outputs(const System& system, const std::vector<std::string>& names) {
  std::vector<int> chosen = channels_of(system, names, "--output");
  if (!names.empty()) return chosen;
  for (std::size_t c = 0; c < system.channels().size(); ++c) {
    const auto kind = system.channels()[c].kind;
    if (kind == system::Channel::Kind::kPosition || kind == system::Channel::Kind::kRate) {
      chosen.push_back(static_cast<int>(c));
    }
  }
  return chosen;
}

}  // namespace

int linearize_command(const AnalysisArguments& arguments) {
  if (arguments.closed) return closed_loop_command(arguments);
  const scenario::Simulation simulation = load(arguments.scenario, arguments.time);
  const System& system = *simulation.system;
  const std::vector<int> inputs = choose_inputs(system, arguments.inputs);
  const std::vector<int> outputs = choose_outputs(system, arguments.outputs);
  const std::optional<VecX> point = operating_point(system, arguments);
  if (!point) return kRunFailed;
  const VecX& x = *point;
  const analysis::LinearModel linear =
      analysis::linearize(system, arguments.time, span_of(x), inputs, outputs);
  const std::vector<std::string> warnings = state_warnings(system, arguments.time, x);
  print_matrix("A", linear.A, linear.states);
  print_matrix("B", linear.B, linear.states);
  print_matrix("C", linear.C, linear.outputs);
  print_matrix("D", linear.D, linear.outputs);
  Json json = Json::object();
  json["scenario"] = simulation.plan.name;
  json["warnings"] = warnings;
  json["states"] = linear.states;
  json["inputs"] = linear.inputs;
  json["outputs"] = linear.outputs;
  json["A"] = matrix_json(linear.A);
  json["B"] = matrix_json(linear.B);
  json["C"] = matrix_json(linear.C);
  json["D"] = matrix_json(linear.D);
  write_json(arguments.json, json);
  NumberTable table{{""}, linear.states, {}};
  table.numbers.resize(linear.A.rows() + linear.C.rows(), linear.A.cols() + linear.B.cols());
  table.numbers << linear.A, linear.B, linear.C, linear.D;
  for (std::string& name : table.row_names) name = "rate of " + name;
  table.row_names.insert(table.row_names.end(), linear.outputs.begin(), linear.outputs.end());
  table.names.insert(table.names.end(), linear.states.begin(), linear.states.end());
  table.names.insert(table.names.end(), linear.inputs.begin(), linear.inputs.end());
  write_table(arguments.csv, table);
  if (!arguments.npz.empty()) {
    record::write_npz(arguments.npz,
                      {{"A", linear.A}, {"B", linear.B}, {"C", linear.C}, {"D", linear.D}});
  }
  return kSuccess;
}

int equilibrium_command(const AnalysisArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, arguments.time);
  const System& system = *simulation.system;
  const VecX start = system.initial_state();
  const analysis::EquilibriumResult found =
      analysis::equilibrium(system, arguments.time, span_of(start));
  system::Snapshot<double> snapshot(system);
  system.evaluate<double>(arguments.time, span_of(found.x), snapshot);
  fmt::print("{} after {} steps, largest unbalanced effort {:.3g} (N or N*m)\n",
             found.converged ? "equilibrium" : "NO equilibrium found", found.iterations,
             found.residual);
  if (!found.refusal.empty()) fmt::print("  it cannot be: {}\n", found.refusal);
  const std::string warning = block_warning(system);
  if (!warning.empty()) fmt::print("warning: {}\n", warning);
  Json json = Json::object();
  json["scenario"] = simulation.plan.name;
  json["converged"] = found.converged;
  json["residual"] = found.residual;
  json["positions"] = Json::object();
  for (const system::Channel& channel : system.channels()) {
    const bool frame =
        channel.kind == system::Channel::Kind::kFramePosition && channel.name.starts_with("frame/");
    if (channel.kind != system::Channel::Kind::kPosition && !frame) continue;
    const double value = system::channel_value(system, channel, snapshot);
    fmt::print("  {:<34} {:>18.12g} {}\n", channel.name, value, channel.unit);
    json["positions"][channel.name] = value;
  }
  if (found.converged) {
    const std::vector<analysis::Mode> modes =
        analysis::natural_modes(system, arguments.time, span_of(found.x));
    const bool unstable = std::any_of(modes.begin(), modes.end(), [](const analysis::Mode& mode) {
      return mode.kind == analysis::Mode::Kind::kUnstable;
    });
    fmt::print("  {}\n", unstable ? "unstable" : "stable to small disturbances (or neutral)");
    json["stable"] = !unstable;
  }
  write_json(arguments.json, json);
  return found.converged ? kSuccess : kRunFailed;
}

}  // namespace grapple::app
