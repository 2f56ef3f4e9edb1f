#include "grapple/view/internal/live_record.h"

#include <fmt/format.h>

#include <utility>

#include "grapple/record/csv.h"
#include "grapple/record/run_directory.h"

namespace grapple::view {

void LiveRecorder::begin(scenario::SteeredRun& run) {
  if (wanted_.directory.empty() || run.is_recording() || run.time() > 0.0) return;
  record::RunOptions options;
  options.directory = record::unused_directory(wanted_.directory);
  options.checkpoint_every = wanted_.checkpoint_every;
  options.steered_by = "live";
  const std::filesystem::path directory = options.directory;
  run.record(std::move(options));
  directory_ = directory;
  if (wanted_.tell) wanted_.tell(fmt::format("recording in {}", directory_.string()));
}

void LiveRecorder::complete(const scenario::SteeredRun& run) {
  if (directory_.empty() || run.is_recording()) return;
  const std::filesystem::path directory = std::exchange(directory_, {});
  std::string text = fmt::format("recorded in {}", directory.string());
  try {
    const record::ResultsReader results = record::ResultsReader::open_directory(directory);
    if (wanted_.table == Table::kCsv) record::write_csv(results, directory);
    text +=
        fmt::format(": {} rows, {}", results.row_count(), record::status_text(results.status()));
  } catch (const std::exception& fault) {
    text += fmt::format(": {}", fault.what());
  }
  if (wanted_.tell) wanted_.tell(text);
}

}  // namespace grapple::view
