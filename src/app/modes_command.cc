// `grapple modes`: frequencies, damping, shapes and who takes part in them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "grapple/analysis/linearize.h"
#include "grapple/analysis/mode_shape.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/record/array_file.h"
#include "grapple/record/input_file.h"
#include "grapple/record/run_directory.h"
#include "grapple/record/scene.h"
#include "grapple/scenario/build/scene.h"
#include "grapple/spatial/rotation.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;
using spatial::VecX;
using system::System;

struct Share {
  std::string name;
  double value;
};

std::vector<Share> kinetic_shares(const System& system, const analysis::Participation& parts) {
  std::vector<Share> shares;
  for (std::size_t b = 0; b < system.model().bodies().size(); ++b) {
    shares.push_back(
        {"body/" + system.model().bodies()[b].name, parts.bodies[static_cast<Eigen::Index>(b)]});
    const double rotor = parts.motors[static_cast<Eigen::Index>(b)];
    if (rotor == 0.0) continue;
    shares.push_back({"joint/" + system.model().joints()[b].name + "/motor", rotor});
  }
  return shares;
}

std::vector<Share> stiffness_shares(const System& system, const analysis::Participation& parts) {
  std::vector<Share> shares;
  for (std::size_t e = 0; e < system.elements().size(); ++e) {
    const double share = parts.elements[static_cast<Eigen::Index>(e)];
    if (share != 0.0) shares.push_back({system.elements()[e]->name(), share});
  }
  if (parts.gravity != 0.0) shares.push_back({"gravity", parts.gravity});
  return shares;
}

// The largest shares, those below one percent left out.
std::string share_text(std::vector<Share> shares) {
  constexpr std::size_t kMost = 4;
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  if (shares.size() > kMost) shares.resize(kMost);
  std::string text;
  for (const Share& share : shares) {
    if (std::abs(share.value) < 0.01) continue;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", share.name, 100.0 * share.value);
  }
  return text;
}

Json share_json(const std::vector<Share>& shares) {
  Json json = Json::object();
  for (const Share& share : shares) json[share.name] = share.value;
  return json;
}

Json json_list(const Eigen::VectorXd& vector) {
  return std::vector<double>(vector.data(), vector.data() + vector.size());
}

// Where every frame is about which the modes swing.
Json frames_json(const System& system, const system::Snapshot<double>& configuration) {
  Json all = Json::array();
  for (const model::Frame& frame : system.model().frames()) {
    const dynamics::FrameMotion<double> motion =
        dynamics::frame_motion(frame, configuration.workspace);
    Json entry = Json::object();
    entry["name"] = frame.name;
    entry["body"] = frame.link == 0 ? "world" : system.model().body_of_link(frame.link).name;
    entry["position"] = json_list(motion.p_WF);
    entry["orientation"] = json_list(spatial::quaternion_of<double>(motion.R_WF));
    all.push_back(std::move(entry));
  }
  return all;
}

// Modal coordinates there, by their names among the coordinates.
Json modal_coordinates_json(const System& system, const system::Snapshot<double>& configuration) {
  Json all = Json::object();
  for (const model::CoordinateBlock& block : system.model().coordinates()) {
    if (block.kind != model::CoordinateKind::kModal) continue;
    for (int k = 0; k < block.count; ++k) {
      all[system::coordinate_channel_name(system.model(), block.v + k, "position")] =
          configuration.state.q[block.q + k];
    }
  }
  return all;
}

Json displacements_json(const std::vector<analysis::FrameDisplacement>& displacements) {
  Json all = Json::array();
  for (const analysis::FrameDisplacement& one : displacements) {
    Json entry = Json::object();
    entry["position_real"] = json_list(one.position.real());
    entry["position_imaginary"] = json_list(one.position.imag());
    entry["rotation_real"] = json_list(one.rotation.real());
    entry["rotation_imaginary"] = json_list(one.rotation.imag());
    all.push_back(std::move(entry));
  }
  return all;
}

Json mode_json(const System& system, const analysis::Mode& mode, analysis::ModeShapes& shapes) {
  const analysis::Participation parts = shapes.participation(mode);
  Json entry = Json::object();
  entry["frequency_hz"] = mode.frequency_hz;
  entry["damping_ratio"] = mode.damping_ratio;
  entry["kind"] = analysis::mode_kind_name(mode.kind);
  entry["eigenvalue"] = {mode.eigenvalue.real(), mode.eigenvalue.imag()};
  entry["shape_real"] = json_list(mode.shape.real());
  entry["shape_imaginary"] = json_list(mode.shape.imag());
  entry["kinetic_shares"] = share_json(kinetic_shares(system, parts));
  entry["stiffness_shares"] = share_json(stiffness_shares(system, parts));
  entry["frames"] = displacements_json(shapes.frames(mode));
  return entry;
}

// A mode with negative stiffness or damping has no frequency of its own: it grows.
void note_unstable(const std::vector<analysis::Mode>& modes, std::vector<std::string>& warnings) {
  std::vector<double> growth;
  for (const analysis::Mode& mode : modes) {
    if (mode.kind == analysis::Mode::Kind::kUnstable) growth.push_back(mode.eigenvalue.real());
  }
  if (growth.empty()) return;
  const double fastest = *std::max_element(growth.begin(), growth.end());
  warnings.push_back(
      fmt::format("{} of {} modes are unstable: a small disturbance grows, the fastest by e in "
                  "{:.3g} s; the frequency printed of such a mode is its rate over 2 pi",
                  growth.size(), modes.size(), 1.0 / fastest));
  fmt::print("warning: {}\n", warnings.back());
}

// Rigid modes that might be slow ones: the fastest mode is so fast that they cannot be told apart.
void note_resolution(const std::vector<analysis::Mode>& modes, std::vector<std::string>& warnings) {
  double slowest = std::numeric_limits<double>::infinity(), resolution = 0.0;
  for (const analysis::Mode& mode : modes) {
    if (mode.kind == analysis::Mode::Kind::kRigid) {
      resolution = std::max(resolution, mode.resolution_hz);
    } else {
      slowest = std::min(slowest, mode.frequency_hz);
    }
  }
  constexpr double kClose = 0.01;
  if (resolution == 0.0 || !(resolution > kClose * slowest)) return;
  warnings.push_back(fmt::format(
      "what is called rigid here may be slow or unstable: beside the fastest mode nothing below "
      "{:.2g} Hz can be told from zero; leave out stiff motions (`motions`), or take fewer "
      "elements",
      resolution));
  fmt::print("warning: {}\n", warnings.back());
}

void print_mode(const System& system, std::size_t number, const analysis::Mode& mode,
                const std::vector<std::string>& names, analysis::ModeShapes& shapes) {
  Eigen::Index largest = 0;
  mode.shape.cwiseAbs().maxCoeff(&largest);
  fmt::print("{:>4} {:>14.8g} {:>14.6g} {:<12} {}\n", number, mode.frequency_hz, mode.damping_ratio,
             analysis::mode_kind_name(mode.kind), names[static_cast<std::size_t>(largest)]);
  const analysis::Participation parts = shapes.participation(mode);
  const std::string moves = share_text(kinetic_shares(system, parts));
  const std::string resists = share_text(stiffness_shares(system, parts));
  if (!moves.empty()) fmt::print("{:>19} moves: {}\n", "", moves);
  if (!resists.empty()) fmt::print("{:>19} resists: {}\n", "", resists);
}

// A row per mode: frequency, damping ratio, eigenvalue, shape.
void write_mode_arrays(const AnalysisArguments& arguments, const std::vector<analysis::Mode>& modes,
                       const std::vector<std::string>& names) {
  const auto count = static_cast<Eigen::Index>(modes.size());
  const auto n = static_cast<Eigen::Index>(names.size());
  NumberTable table{{"frequency [Hz]", "damping ratio", "Re s [1/s]", "Im s [1/s]"}, {}, {}};
  table.numbers.resize(count, 4 + 2 * n);
  Eigen::MatrixXcd shapes(n, count);
  std::vector<double> frequencies, damping;
  std::vector<std::complex<double>> eigenvalues;
  for (const char* part : {"real", "imaginary"}) {
    for (const std::string& name : names) table.names.push_back(name + " " + part);
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const analysis::Mode& mode = modes[static_cast<std::size_t>(k)];
    frequencies.push_back(mode.frequency_hz);
    damping.push_back(mode.damping_ratio);
    eigenvalues.push_back(mode.eigenvalue);
    shapes.col(k) = mode.shape;
    table.numbers.row(k) << mode.frequency_hz, mode.damping_ratio, mode.eigenvalue.real(),
        mode.eigenvalue.imag(), mode.shape.real().transpose(), mode.shape.imag().transpose();
  }
  write_table(arguments.csv, table);
  if (arguments.npz.empty()) return;
  record::write_npz(arguments.npz, {{"frequency_hz", frequencies},
                                    {"damping_ratio", damping},
                                    {"eigenvalues", eigenvalues},
                                    {"shapes", shapes}});
}

}  // namespace

int modes_command(const AnalysisArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, arguments.time);
  const System& system = *simulation.system;
  const std::optional<VecX> point = operating_point(system, arguments);
  if (!point) return kRunFailed;
  const VecX& x = *point;
  const std::vector<analysis::Mode> modes =
      analysis::natural_modes(system, arguments.time, span_of(x));
  std::vector<std::string> warnings = state_warnings(system, arguments.time, x);
  note_unstable(modes, warnings);
  note_resolution(modes, warnings);
  const std::vector<std::string> names = coordinate_names(system);
  analysis::ModeShapes shapes(system, arguments.time, span_of(x));
  Json json = Json::object();
  json["format"] = "grapple-modes";
  json["version"] = 1;
  json["scenario"] = simulation.plan.name;
  json[record::kScenarioDigestKey] = record::digest_text(simulation.plan.scenario_text);
  json["warnings"] = warnings;
  json["coordinates"] = names;
  json["frames"] = frames_json(system, shapes.configuration());
  json["modal_coordinates"] = modal_coordinates_json(system, shapes.configuration());
  json["scene"] = Json::parse(record::scene_json(scenario::scene_of(
      scenario::load_scenario(arguments.scenario.file, arguments.scenario.settings),
      system.model())));
  json["modes"] = Json::array();
  fmt::print("{:>4} {:>14} {:>14} {:<12} largest coordinate\n", "mode", "frequency [Hz]",
             "damping ratio", "kind");
  for (std::size_t m = 0; m < modes.size(); ++m) {
    print_mode(system, m + 1, modes[m], names, shapes);
    json["modes"].push_back(mode_json(system, modes[m], shapes));
  }
  write_json(arguments.json, json);
  write_mode_arrays(arguments, modes, names);
  if (!arguments.directory.empty()) {
    std::error_code told_when_writing;
    std::filesystem::create_directories(arguments.directory, told_when_writing);
    write_json((std::filesystem::path(arguments.directory) / "modes.json").string(), json);
  }
  return kSuccess;
}

}  // namespace grapple::app
