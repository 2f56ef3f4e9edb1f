// The files of one run and the directory they live in. A file under its final name is complete; a
// run that is under way, or did not reach its end, has results.partial.h5 and channels.partial.csv.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace grapple::record {

inline constexpr std::string_view kResultsFile = "results.h5";
inline constexpr std::string_view kPartialResultsFile = "results.partial.h5";
inline constexpr std::string_view kUnnamedResultsFile = "results.fresh.h5";  ///< while it is begun
inline constexpr std::string_view kCsvFile = "channels.csv";
inline constexpr std::string_view kPartialCsvFile = "channels.partial.csv";
inline constexpr std::string_view kCheckpointFile = "checkpoint.bin";
inline constexpr std::string_view kCommandsFile = "commands.csv";  ///< of a run that was steered
inline constexpr std::string_view kSummaryFile = "summary.json";
inline constexpr std::string_view kReportFile = "report.html";
inline constexpr std::string_view kModesFile = "modes.json";
/// Key of modes.json: the digest (input_file.h) of the scenario's text, everything put in.
inline constexpr std::string_view kScenarioDigestKey = "scenario_digest";

/// `wanted` if there is nothing in it yet; else the first unused of wanted-2, wanted-3, ...
std::filesystem::path unused_directory(const std::filesystem::path& wanted);

/// Holds a directory for one writing process: made if missing, locked (flock) until destruction or
/// death of the process. Throws GR-501 (cannot be made or written), GR-502 (another run writes
/// here). On file systems without locks the exclusion is not enforced.
class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path path);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(std::string_view name) const { return path_ / name; }

  /// Removes the files of an earlier run (those named above, no others), so that none of them can
  /// be taken for a file of the run that begins now.
  void remove_earlier_run() const;
  /// Removes modes.json unless `grapple modes` wrote it for the scenario with this digest.
  void remove_other_modes(std::string_view scenario_digest) const;
  /// Removes what killed processes left unfinished.
  void remove_unfinished() const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace grapple::record
