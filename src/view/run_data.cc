#include "grapple/view/run_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/base/version.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_directory.h"
#include "grapple/view/internal/blob.h"
#include "grapple/view/internal/bounded_json.h"
#include "grapple/view/internal/decimate.h"

namespace grapple::view {

namespace {

using nlohmann::ordered_json;
using record::ResultsReader;

std::string_view mode_name(PageMode mode) {
  switch (mode) {
    case PageMode::kReport:
      return "report";
    case PageMode::kReplay:
      return "replay";
    case PageMode::kCompare:
      return "compare";
  }
  return "";
}

/// Null if there is none: a run that was killed leaves no summary.
ordered_json read_summary(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / record::kSummaryFile;
  std::optional<ordered_json> summary = read_bounded_json(file);
  if (summary && (summary->is_object() || summary->is_null())) return std::move(*summary);
  throw Error("GR-801", file.string(), "this is not the summary of a run (no readable JSON)");
}

constexpr std::string_view kModesFile = "modes.json";
constexpr std::size_t kMostEvents = 2000;  ///< in a page; all are in the results

bool is_constant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

ordered_json number_or_null(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

/// Runs that are compared may be shown in different units; then all are in those recorded.
enum class Units { kShown, kRecorded };

/// One run on its way into the document.
class RunPacker {
 public:
  RunPacker(const std::filesystem::path& directory, Units units, const DataOptions& share,
            Blob& blob)
      : directory_(directory),
        results_(ResultsReader::open_directory(directory)),
        time_(results_.time()),
        share_(share),
        blob_(blob) {
    for (const record::ChannelInfo& channel : results_.channels()) {
      units_.push_back(units == Units::kShown ? record::shown_unit(channel)
                                              : record::ShownUnit{channel.unit, 1.0});
    }
  }

  ordered_json pack() {
    const record::RunInfo& info = results_.info();
    ordered_json run{{"label", label()},
                     {"title", info.scenario_name},
                     {"version", info.version},
                     {"seed", info.seed},
                     {"status", record::status_text(results_.status())},
                     {"cause", results_.cause()},
                     {"scenario", info.scenario},
                     {"rows", time_.size()},
                     {"summary", read_summary(directory_)}};
    run["events"] = ordered_json::array();
    for (const record::EventRecord& event : shown_events()) {
      run["events"].push_back(
          {{"time", event.time}, {"name", event.name}, {"direction", event.direction}});
    }
    pack_channels(run);
    pack_scene(run);
    return run;
  }

 private:
  /// "out/arm" -> "arm", also when written "out/arm/".
  std::string label() const {
    const std::filesystem::path whole = std::filesystem::absolute(directory_).lexically_normal();
    const std::filesystem::path last =
        whole.filename().empty() ? whole.parent_path().filename() : whole.filename();
    return last.string();
  }

  /// The first of them, and how many more there are.
  std::vector<record::EventRecord> shown_events() const {
    std::vector<record::EventRecord> events = results_.events();
    if (events.size() <= kMostEvents) return events;
    const std::size_t more = events.size() - kMostEvents;
    const double last = events.back().time;
    events.resize(kMostEvents);
    events.push_back({last, "and " + std::to_string(more) + " more, in results.h5", 0, 0});
    return events;
  }

  std::vector<double> values_of(std::size_t channel) const {
    std::vector<double> values(time_.size());
    results_.read_channel(channel, 0, values);
    for (double& value : values) value *= units_[channel].factor;
    return values;
  }

  /// Most points per channel, given that constant channels cost nothing.
  std::size_t points_per_channel(std::size_t varying) const {
    constexpr std::size_t kLeast = 64, kThinnedPointBytes = 8, kPointBytes = 4;
    if (varying * time_.size() * kPointBytes <= share_.channel_bytes) return time_.size();
    return std::max(kLeast, share_.channel_bytes / (varying * kThinnedPointBytes));
  }

  void pack_channels(ordered_json& run) {
    const std::vector<record::ChannelInfo>& infos = results_.channels();
    std::vector<bool> constant(infos.size(), true);
    std::size_t varying = 0;
    for (std::size_t i = 0; i < infos.size() && !time_.empty(); ++i) {
      constant[i] = is_constant(values_of(i));
      varying += constant[i] ? 0 : 1;
    }
    points_ = points_per_channel(varying);
    thinned_ = points_ < time_.size();
    run["thinned"] = thinned_;
    if (!thinned_) run["time"] = blob_.add_float64(time_);
    run["channels"] = ordered_json::array();
    for (std::size_t i = 0; i < infos.size(); ++i) {
      ordered_json channel{{"name", infos[i].name}, {"unit", units_[i].unit}};
      if (!time_.empty()) pack_channel(i, constant[i], channel);
      run["channels"].push_back(std::move(channel));
    }
    if (!time_.empty()) run["span"] = {time_.front(), time_.back()};
  }

  void pack_channel(std::size_t index, bool constant, ordered_json& channel) {
    const std::vector<double> values = values_of(index);
    if (constant) {
      channel["constant"] = number_or_null(values.front());
      return;
    }
    if (!thinned_) {
      channel["at"] = blob_.add_float32(values);
      return;
    }
    const std::vector<std::size_t> rows = extreme_rows(values, points_);
    channel["count"] = rows.size();
    channel["time"] = blob_.add_float32(picked(time_, rows));
    channel["at"] = blob_.add_float32(picked(values, rows));
  }

  static std::vector<double> picked(const std::vector<double>& values,
                                    const std::vector<std::size_t>& rows) {
    std::vector<double> few;
    few.reserve(rows.size());
    for (const std::size_t row : rows) few.push_back(values[row]);
    return few;
  }

  std::optional<std::size_t> find(const std::string& name) const {
    const auto it = index_of_.find(name);
    return it == index_of_.end() ? std::nullopt : std::optional(it->second);
  }

  void pack_scene(ordered_json& run) {
    const std::string& text = results_.info().scene;
    run["scene"] = nullptr;
    if (text.empty() || time_.empty()) return;
    std::optional<ordered_json> scene = parse_bounded_json(text);
    if (!scene) refuse_scene("is no JSON");
    try {
      if (thinned_) run["replay"] = pack_replay(*scene);
    } catch (const ordered_json::exception&) {
      refuse_scene("lacks what a scene has");
    }
    run["scene"] = std::move(*scene);
  }

  [[noreturn]] void refuse_scene(const char* why) const {
    throw Error("GR-508", directory_.string(),
                std::string("the file is damaged: its scene ") + why);
  }

  /// Poses and modal coordinates on a time grid of their own, where the channels are thinned out.
  ordered_json pack_replay(const ordered_json& scene) {
    for (std::size_t i = 0; i < results_.channels().size(); ++i) {
      index_of_[results_.channels()[i].name] = i;
    }
    std::vector<std::size_t> wanted;
    for (const ordered_json& body : scene.at("bodies")) {
      add_pose("body/" + body.at("name").get<std::string>(), wanted);
      for (const ordered_json& frame : body.at("frames")) {
        if (!body.at("flexible").is_null()) add_pose(frame.at("channel"), wanted);
      }
      if (body.at("flexible").is_null()) continue;
      for (const ordered_json& mode : body.at("flexible").at("modes")) {
        if (const auto at = find(mode.get<std::string>() + "/position")) wanted.push_back(*at);
      }
    }
    const std::size_t frames = std::max<std::size_t>(
        100, share_.replay_bytes / (4 * std::max<std::size_t>(1, wanted.size())));
    const std::vector<std::size_t> rows = even_rows(time_, frames);
    ordered_json replay{{"count", rows.size()}, {"time", blob_.add_float64(picked(time_, rows))}};
    replay["series"] = ordered_json::object();
    for (const std::size_t channel : wanted) {
      replay["series"][results_.channels()[channel].name] =
          blob_.add_float32(picked(values_of(channel), rows));
    }
    return replay;
  }

  void add_pose(const std::string& stem, std::vector<std::size_t>& wanted) const {
    for (const char* part : {"/position_x", "/position_y", "/position_z", "/orientation_w",
                             "/orientation_x", "/orientation_y", "/orientation_z"}) {
      if (const auto at = find(stem + part)) wanted.push_back(*at);
    }
  }

  const std::filesystem::path& directory_;
  ResultsReader results_;
  std::vector<record::ShownUnit> units_;  ///< by channel
  std::vector<double> time_;
  DataOptions share_;
  Blob& blob_;
  std::size_t points_ = 0;
  bool thinned_ = false;
  std::map<std::string, std::size_t> index_of_;
};

/// Runs in directories of one name go by their paths.
void tell_apart(const std::vector<std::filesystem::path>& directories, ordered_json& runs) {
  std::map<std::string, int> count;
  for (const ordered_json& run : runs) ++count[run["label"]];
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (count[runs[k]["label"]] > 1) runs[k]["label"] = directories[k].string();
  }
}

/// Of `grapple modes --out`, where it is there; a comparison shows none.
ordered_json read_modes(const std::filesystem::path& directory) {
  std::optional<ordered_json> json = read_bounded_json(directory / kModesFile);
  if (json && json->is_null()) return nullptr;
  const auto has = [&](const char* key) { return json->is_object() && json->contains(key); };
  const bool drawable = json && has("format") && (*json)["format"] == "grapple-modes" &&
                        has("scene") && has("modes") && !(*json)["modes"].empty();
  if (drawable) return std::move(*json);
  throw Error("GR-802", (directory / kModesFile).string(),
              "these are no modes that can be drawn; write them again with `grapple modes`");
}

bool has_results(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / record::kResultsFile) ||
         std::filesystem::exists(directory / record::kPartialResultsFile);
}

}  // namespace

std::string run_data(const std::vector<std::filesystem::path>& directories, PageMode mode,
                     const DataOptions& options) {
  const std::size_t runs = std::max<std::size_t>(1, directories.size());
  const DataOptions share{options.channel_bytes / runs, options.replay_bytes / runs};
  Blob blob;
  ordered_json document{
      {"format", "grapple-view/1"}, {"mode", mode_name(mode)}, {"program", version()}};
  document["runs"] = ordered_json::array();
  const ordered_json modes = directories.size() == 1 ? read_modes(directories[0]) : nullptr;
  if (!modes.is_null()) document["modes"] = modes;
  for (const std::filesystem::path& directory : directories) {
    if (!modes.is_null() && !has_results(directory)) continue;  // modes alone
    const Units units = mode == PageMode::kCompare ? Units::kRecorded : Units::kShown;
    document["runs"].push_back(RunPacker(directory, units, share, blob).pack());
  }
  tell_apart(directories, document["runs"]);
  document["bytes"] = blob.size();
  document["blob"] = blob.packed();
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace grapple::view
