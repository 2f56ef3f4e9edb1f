// libFuzzer target: any bytes as a results file. The reader either gives everything the file claims
// to hold, or throws grapple::Error whose findings have ids and messages.
#include "findings.h"
#include "fuzz_directory.h"
#include "grapple/record/results_file.h"
#include "grapple/record/silence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // HDF5 1.10 loses pieces of what it could not read, and complains at exit that they are missing.
  static const bool quiet = (grapple::record::silence_hdf5(), true);
  static_cast<void>(quiet);
  const std::filesystem::path file = grapple::fuzz::directory() / "results.h5";
  grapple::fuzz::write_file(file, data, size);
  try {
    const grapple::record::ResultsReader results(file);
    results.time();
    results.events();
    for (const auto& channel : results.channels()) results.channel(channel.name);
    results.chunk_rows();
  } catch (const grapple::Error& error) {
    grapple::fuzz::check_findings(error);
  }
  return 0;
}
