#include "grapple/app/analysis.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "grapple/analysis/balance.h"
#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/linearize.h"
#include "grapple/analysis/steady/steady_loop.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

using spatial::VecX;

scenario::Simulation load(const ScenarioArguments& arguments, double time) {
  scenario::Simulation simulation =
      scenario::build(scenario::load_scenario(arguments.file, arguments.settings));
  // What switches with time, as thrusters do, stands as it would at this time of a run; elements
  // that would change their own states keep those of the start.
  system::System& system = *simulation.system;
  const system::Modes before = system.modes();
  const VecX start = system.initial_state();
  VecX x = start;
  system.commit(time, {x.data(), static_cast<std::size_t>(x.size())});
  if (x != start) system.set_modes(before);
  return simulation;
}

void write_json(const std::string& file, const nlohmann::ordered_json& json) {
  if (!file.empty()) record::write_file_atomically(file, json.dump(1) + "\n");
}

void write_table(const std::string& file, const NumberTable& table) {
  if (file.empty()) return;
  std::string text = fmt::format("{}\n", fmt::join(table.names, ","));
  for (Eigen::Index r = 0; r < table.numbers.rows(); ++r) {
    std::string row;
    if (!table.row_names.empty()) row = table.row_names[static_cast<std::size_t>(r)];
    for (Eigen::Index c = 0; c < table.numbers.cols(); ++c) {
      row += fmt::format("{}{:.17g}", row.empty() ? "" : ",", table.numbers(r, c));
    }
    text += row + "\n";
  }
  record::write_file_atomically(file, text);
}

std::vector<std::string> coordinate_names(const system::System& system) {
  std::vector<std::string> names = analysis::tangent_state_names(system);
  names.resize(static_cast<std::size_t>(system.model().nv()));
  return names;
}

nlohmann::ordered_json matrix_json(const spatial::MatX& matrix) {
  auto rows = nlohmann::ordered_json::array();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    auto row = nlohmann::ordered_json::array();
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) row.push_back(matrix(r, c));
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json number_json(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
nlohmann::ordered_json complex_json(std::complex<double> value) {
  return {number_json(value.real()), number_json(value.imag())};
}

std::vector<int> channels_of(const system::System& system, const std::vector<std::string>& names,
                             const char* option) {
  std::vector<int> chosen;
  for (const std::string& name : names) {
    const int channel = system.find_channel(name);
    if (channel < 0) {
      std::vector<std::string> all;
      for (const system::Channel& c : system.channels()) all.push_back(c.name);
      throw Error("GR-612", option,
                  fmt::format("there is no channel '{}'{}", name, suggestion(name, all)));
    }
    chosen.push_back(channel);
  }
  return chosen;
}

const std::vector<std::string>& printed_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print("warning: {}\n", warning);
  return warnings;
}

void print_matrix(const char* name, const spatial::MatX& matrix,
                  const std::vector<std::string>& row_names) {
  if (matrix.size() == 0) return;
  fmt::print("\n{} ({} x {})\n", name, matrix.rows(), matrix.cols());
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    fmt::print("  {:<34}", row_names[static_cast<std::size_t>(r)]);
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) fmt::print(" {:>13.6g}", matrix(r, c));
    fmt::print("\n");
  }
}

std::optional<VecX> operating_point(const system::System& system,
                                    const AnalysisArguments& arguments) {
  VecX x = system.initial_state();
  if (!arguments.at_equilibrium) return x;
  const analysis::EquilibriumResult found =
      analysis::equilibrium(system, arguments.time, span_of(x));
  if (!found.converged) {
    const Diagnostic finding{
        "GR-610", arguments.scenario.file,
        fmt::format("no equilibrium found near the start: {:.3g} N or N*m unbalanced after {} "
                    "steps; {}",
                    found.residual, found.iterations,
                    found.refusal.empty() ? "start closer to it" : found.refusal)};
    fmt::print(stderr, "{}\n", finding.text());
    return std::nullopt;
  }
  return found.x;
}

std::optional<VecX> held_point(system::System& system, const AnalysisArguments& arguments) {
  if (system.blocks().empty()) return operating_point(system, arguments);
  const VecX start = system.initial_state();
  if (!arguments.at_equilibrium) {
    if (!analysis::hold_signals(system, arguments.time, span_of(start))) {
      fmt::print(
          "warning: what the controllers set at this state does not settle: an output acts "
          "on itself\n");
    }
    return start;
  }
  if (!system.constraints().empty()) {  // the loops' positions, then what is set there
    const std::optional<VecX> point = operating_point(system, arguments);
    if (point) analysis::hold_signals(system, arguments.time, span_of(*point));
    return point;
  }
  const analysis::SteadyLoop found = analysis::steady_loop(system, arguments.time, span_of(start));
  if (found.converged) return found.x;
  const Diagnostic finding{
      "GR-610", arguments.scenario.file,
      fmt::format("no state found near the start at which the model and its controllers stay: "
                  "{:.3g} rad/s^2 or m/s^2 left after {} steps; start closer to it",
                  found.residual, found.iterations)};
  fmt::print(stderr, "{}\n", finding.text());
  return std::nullopt;
}

std::string block_warning(const system::System& system) {
  const std::size_t count = system.blocks().size();
  if (count == 0) return "";
  return fmt::format(
      "{} sampled controller{} not part of this: what {} last set is held; `grapple linearize "
      "--closed` has the poles with {}",
      count, count == 1 ? " is" : "s are", count == 1 ? "it" : "they", count == 1 ? "it" : "them");
}

std::vector<std::string> state_warnings(const system::System& system, double t, const VecX& x,
                                        SampledControllers controllers) {
  const analysis::LinearModel linear = analysis::linearize(system, t, span_of(x), {}, {});
  std::vector<std::string> warnings =
      analysis::balance_warnings(system, analysis::balance_at(system, t, span_of(x), linear));
  const std::string blocks = block_warning(system);
  if (!blocks.empty() && controllers == SampledControllers::kLeftOut) warnings.push_back(blocks);
  for (const std::string& warning : warnings) fmt::print("warning: {}\n", warning);
  return warnings;
}

}  // namespace grapple::app
