#include "grapple/app/validation/suite.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/base/error.h"
#include "grapple/record/run.h"
#include "grapple/scenario/build/build.h"

namespace grapple::app {

namespace fs = std::filesystem;

namespace {

fs::path examples_directory() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / GRAPPLE_EXAMPLES_INSTALLED;
  for (const fs::path& place : {installed, fs::path(GRAPPLE_EXAMPLES_SOURCE)}) {
    if (fs::is_directory(place, ignored)) return place;
  }
  throw Error("GR-602", "grapple validate",
              "the example scenarios are not installed beside the program");
}

// A results directory that goes away with the process that made it.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    static int count = 0;
    path_ = fs::temp_directory_path() /
            ("grapple-validate-" + std::to_string(getpid()) + "-" + std::to_string(count++));
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

double Comparison::error() const {
  if (std::isnan(result)) return result;
  return relation == Relation::kAtLeast ? std::max(0.0, reference - result)
                                        : std::abs(result - reference);
}
bool Comparison::passed() const { return error() <= tolerance; }

Comparison balance(Comparison comparison) {
  comparison.basis = Basis::kBalance;
  return comparison;
}

Comparison self(Comparison comparison) {
  comparison.basis = Basis::kSelf;
  return comparison;
}

Comparison at_least(std::string quantity, double bound, double result) {
  return {std::move(quantity), bound, result, 0.0, Basis::kReference, Relation::kAtLeast};
}

Comparison energy_balance(const ExampleRun& run, double tolerance) {
  return balance(
      {"energy balance, relative", 0.0, run.summary.energy->relative_residual, tolerance});
}

double ExampleRun::final_value(const std::string& channel) const {
  return results.channel(channel).back();
}

double ExampleRun::largest(const std::string& channel) const {
  double most = 0.0;
  for (const double value : results.channel(channel)) most = std::max(most, std::abs(value));
  return most;
}

double ExampleRun::event_time(const std::string& name, std::size_t which) const {
  for (const record::EventRecord& event : results.events()) {
    if (event.name == name && which-- == 0) return event.time;
  }
  return NAN;
}

double largest_rise_of_energy(const ExampleRun& run) {
  const std::vector<double> energy = run.results.channel("energy/total");
  double rise = 0.0;
  for (std::size_t k = 1; k < energy.size(); ++k) rise = std::max(rise, energy[k] - energy[k - 1]);
  return rise;
}

scenario::Simulation load_example(const std::string& file,
                                  const std::vector<std::string>& settings) {
  return scenario::build(scenario::load_scenario(examples_directory() / file, settings));
}

ExampleRun run_example(const std::string& file, const std::vector<std::string>& settings) {
  const ScratchDirectory scratch;
  scenario::Simulation simulation = load_example(file, settings);
  record::RunOptions options;
  options.directory = scratch.path();
  record::RunSummary summary = record::run(*simulation.system, simulation.plan, options);
  return {std::move(summary), record::ResultsReader::open_directory(scratch.path())};
}

AtRest::AtRest(const std::string& file, const std::vector<std::string>& settings, double t)
    : simulation_(load_example(file, settings)), snapshot_(*simulation_.system) {
  const system::System& system = *simulation_.system;
  const auto view = [](const spatial::VecX& x) {
    return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  const spatial::VecX start = system.initial_state();
  const analysis::EquilibriumResult found = analysis::equilibrium(system, t, view(start));
  converged_ = found.converged;
  system.evaluate<double>(t, view(found.x), snapshot_);
}

double AtRest::operator()(const std::string& channel) const {
  const system::System& system = *simulation_.system;
  const auto at = static_cast<std::size_t>(system.find_channel(channel));
  return converged_ ? system::channel_value(system, system.channels()[at], snapshot_) : NAN;
}

std::vector<double> frequencies_hz(const std::string& file,
                                   const std::vector<std::string>& settings) {
  const scenario::Simulation simulation = load_example(file, settings);
  const spatial::VecX x = simulation.system->initial_state();
  std::vector<double> found;
  for (const analysis::Mode& mode : analysis::natural_modes(
           *simulation.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())})) {
    if (mode.frequency_hz > 1e-3) found.push_back(mode.frequency_hz);
  }
  if (found.size() < 3) found.resize(3, NAN);
  return found;
}

}  // namespace grapple::app
