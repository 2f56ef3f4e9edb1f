// The results of a run in one HDF5 file, readable also while the run goes on and after its process
// was killed.
//   /time                  [rows] double, s
//   /channels/<name>       [rows] double; attributes unit, description, index (recording order),
//                          shown (unit for people, if it is another one)
//   /events/{time,name,direction,row}   row = number of rows recorded before the event
//   /committed             [2] rows and events that are safely in the file
//   /scene                 JSON text: what a viewer draws (scene.h); absent if the run gave none
//   root attributes: program, version, scenario_name, scenario, status, cause, seed, format, inputs
//     (a line "kind digest name" per file read; absent in files of earlier versions)
// The same calls give the same bytes, however often flush() is called in between and also when the
// run was resumed. HDF5's single-writer mode with paged allocation keeps the file consistent
// against death of the process at any instant (up to some million rows, where index blocks outgrow
// a page); a loss of power may cost what the operating system had not yet written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/record/channel_info.h"
#include "grapple/record/run_status.h"

namespace grapple::record {

/// What a results file says about its run.
struct RunInfo {
  std::string program = "grapple";
  std::string version;
  std::string scenario_name;
  std::string scenario;  ///< the full text, as read
  std::uint64_t seed = 0;
  std::string scene;   ///< JSON of scene.h; empty: the run cannot be drawn
  std::string inputs;  ///< lines of input_file.h
  bool operator==(const RunInfo&) const = default;
};

struct EventRecord {
  double time = 0.0;      ///< s
  std::string name;       ///< kept up to 256 bytes
  int direction = 0;      ///< sign of the crossing: -1, 0, +1
  std::uint64_t row = 0;  ///< rows recorded before it; set by the writer
  bool operator==(const EventRecord&) const = default;
};

struct ResultsOptions {
  /// Rows kept in memory between two automatic flushes, and the chunk of every dataset: 8 KiB per
  /// channel balances waste of short runs against speed of long ones.
  std::size_t chunk_rows = 1024;
};

class ResultsReader;

/// Writes DIR/results.partial.h5 and renames it to DIR/results.h5 when the run reached its end.
/// One writer at a time per directory. After an Error of class GR-503 (disk full) the file keeps
/// what was flushed before and only finish(kFailed or kInterrupted) or destruction make sense.
class ResultsWriter {
 public:
  /// Starts a new file; removes the files of an earlier run in `directory`, which is made if
  /// missing. Throws GR-501, GR-502 (directory), GR-503 (writing), GR-504, GR-505 (names).
  static ResultsWriter create(const std::filesystem::path& directory, const RunInfo& info,
                              const std::vector<ChannelInfo>& channels,
                              const ResultsOptions& options = {});
  /// Continues DIR/results.partial.h5 (where there is none, DIR/results.h5, which a run killed at
  /// its very end may leave) after its first `rows` rows and `events` events. They are
  /// copied into a fresh file that replaces the old one only when ready (needs that space for a
  /// while), so that nothing a killed writer left half-done survives. Throws GR-509 if the file has
  /// other channels or less data.
  static ResultsWriter resume(const std::filesystem::path& directory,
                              const std::vector<ChannelInfo>& channels, std::uint64_t rows,
                              std::uint64_t events);
  /// Starts a new file like create(), with all rows and events of another one in it.
  static ResultsWriter copy(const ResultsReader& old, const std::filesystem::path& directory);

  /// An unfinished file is closed as kFailed; errors are swallowed here.
  ~ResultsWriter();
  ResultsWriter(ResultsWriter&&) noexcept;
  ResultsWriter& operator=(ResultsWriter&&) noexcept;

  /// values: one per channel. Allocates nothing; every chunk_rows rows it flushes. Throws GR-503.
  void append_row(double time, std::span<const double> values);
  /// Event after the rows appended so far.
  void append_event(double time, std::string_view name, int direction);
  /// Puts everything appended so far into the file.
  void flush();
  /// Flushes, records how the run ended and closes. `cause` is kept up to 1024 bytes. Returns the
  /// file's path: results.h5 if is_complete(status), else results.partial.h5.
  std::filesystem::path finish(RunStatus status, std::string_view cause);

  std::uint64_t row_count() const;
  std::uint64_t event_count() const;
  /// Rows that are in the file for certain.
  std::uint64_t committed_row_count() const;

 private:
  class Implementation;
  explicit ResultsWriter(std::unique_ptr<Implementation> implementation);
  void copy_from(const ResultsReader& old, std::uint64_t rows, std::uint64_t events);
  std::unique_ptr<Implementation> implementation_;
};

/// Reads a results file, complete, partial, or being written by another process; sees what was
/// committed when it was opened.
class ResultsReader {
 public:
  /// Throws GR-507 (missing, or no results file), GR-508 (damaged).
  explicit ResultsReader(const std::filesystem::path& file);
  /// DIR/results.h5, or DIR/results.partial.h5 if there is no complete one.
  static ResultsReader open_directory(const std::filesystem::path& directory);
  ~ResultsReader();
  ResultsReader(ResultsReader&&) noexcept;
  ResultsReader& operator=(ResultsReader&&) noexcept;

  const RunInfo& info() const;
  RunStatus status() const;
  const std::string& cause() const;
  /// In recording order.
  const std::vector<ChannelInfo>& channels() const;
  std::uint64_t row_count() const;
  std::uint64_t event_count() const;
  std::size_t chunk_rows() const;

  std::vector<double> time() const;
  /// GR-506 if there is no such channel.
  std::vector<double> channel(std::string_view name) const;
  std::vector<EventRecord> events() const;

  /// Rows first ... first + out.size() - 1 of a channel (by index) or of time.
  void read_channel(std::size_t channel, std::uint64_t first, std::span<double> out) const;
  void read_time(std::uint64_t first, std::span<double> out) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace grapple::record
