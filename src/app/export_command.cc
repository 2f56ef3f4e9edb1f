// `grapple export`: what a run has recorded, as a table or as plain HDF5. A run that was killed, or
// goes on, leaves results.partial.h5 in the state of a writer at work, which h5dump and h5py
// refuse.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/record/atomic_file.h"
#include "grapple/record/csv.h"
#include "grapple/record/results_file.h"
#include "grapple/record/run_directory.h"

namespace grapple::app {

namespace {

namespace fs = std::filesystem;

/// Makes a directory beside `file`.
fs::path make_directory_beside(const fs::path& file) {
  std::string name = file.string() + ".XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw Error("GR-511", file.string(), "the file could not be written: no place beside it");
  }
  return name;
}

void export_hdf5(const record::ResultsReader& results, const fs::path& file) {
  record::refuse_special_file(file);
  const fs::path work = make_directory_beside(file);
  const record::Unfinished unfinished({work / record::kUnnamedResultsFile,
                                       work / record::kPartialResultsFile,
                                       work / record::kResultsFile, work});
  const bool ended = results.status() != record::RunStatus::kRunning;
  record::ResultsWriter writer = record::ResultsWriter::copy(results, work);
  const fs::path copy =
      writer.finish(ended ? results.status() : record::RunStatus::kInterrupted,
                    ended ? results.cause() : "exported from a run that was killed or goes on");
  record::rename_durably(copy, file);
}

}  // namespace

int export_command(const ExportArguments& arguments) {
  const record::ResultsReader results = record::ResultsReader::open_directory(arguments.directory);
  const fs::path out = arguments.out;
  const std::string type = out.extension().string();
  if (type == ".csv") {
    record::export_csv(
        results, out,
        arguments.channels.empty() ? std::vector<std::string>{"**"} : arguments.channels);
  } else if (type == ".h5" && arguments.channels.empty()) {
    export_hdf5(results, out);
  } else {
    throw Error("GR-605", out.string(),
                type == ".h5" ? "a HDF5 file has all channels; choose among them in a .csv"
                              : "results are exported as .csv or .h5");
  }
  fmt::print("{} rows ({}) in {}\n", results.row_count(), record::status_text(results.status()),
             out.string());
  return kSuccess;
}

}  // namespace grapple::app
