// What the analyses of the program share: the scenario, the state they work about, the JSON file.
#pragma once

#include <complex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grapple/app/commands.h"
#include "grapple/scenario/build/build.h"

namespace grapple::app {

scenario::Simulation load(const ScenarioArguments& arguments, double time);

/// The start, or the equilibrium near it. If the search fails it prints GR-610 and gives nothing:
/// not an Error, since no input need be at fault, and the exit code is kRunFailed.
std::optional<spatial::VecX> operating_point(const system::System& system,
                                             const AnalysisArguments& arguments);

/// The same with sampled controllers: the signals stand as they set them there; with --equilibrium
/// it is the state at which the model and its controllers stay.
std::optional<spatial::VecX> held_point(system::System& system, const AnalysisArguments& arguments);

/// That sampled controllers do not count in an analysis; empty: there are none.
std::string block_warning(const system::System& system);
/// Whether an analysis counts them in.
enum class SampledControllers { kLeftOut, kIncluded };
/// What the user must know of an analysis about this state (balance.h); printed, too.
std::vector<std::string> state_warnings(
    const system::System& system, double t, const spatial::VecX& x,
    SampledControllers controllers = SampledControllers::kLeftOut);

/// Of the rates of the model, in their order: "joint/shoulder/position".
std::vector<std::string> coordinate_names(const system::System& system);
/// By rows.
nlohmann::ordered_json matrix_json(const spatial::MatX& matrix);
void print_matrix(const char* name, const spatial::MatX& matrix,
                  const std::vector<std::string>& row_names);

/// null where it is not finite, which JSON cannot say.
nlohmann::ordered_json number_json(double value);
/// [real, imaginary].
nlohmann::ordered_json complex_json(std::complex<double> value);

/// Channels by name, for an option. Throws Error GR-612.
std::vector<int> channels_of(const system::System& system, const std::vector<std::string>& names,
                             const char* option);
/// Prints and returns them.
const std::vector<std::string>& printed_warnings(const std::vector<std::string>& warnings);

/// Rows under a head of names, as comma-separated values. Does nothing if `file` is empty.
struct NumberTable {
  std::vector<std::string> names;
  std::vector<std::string> row_names;  ///< empty: none; else `names` has one for them in front
  spatial::MatX numbers;
};
void write_table(const std::string& file, const NumberTable& table);

/// Does nothing if `file` is empty.
void write_json(const std::string& file, const nlohmann::ordered_json& json);

inline std::span<const double> span_of(const spatial::VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace grapple::app
