// channels.csv: the recorded channels as text for spreadsheets and scripts.
//   time [s],joint/shoulder/position [rad],...
// Numbers are the shortest decimals that read back to the same bits ("nan", "inf", "-inf" for the
// rest), in the unit a channel is shown in; lines end with '\n'; header cells with a comma, quote
// or line break are quoted (RFC 4180).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grapple/record/results_file.h"

namespace grapple::record {

/// Writes the channels that match the patterns (select_channels; GR-506) into `directory`, as
/// channels.csv if the run is complete, else as channels.partial.csv; a file of the other name from
/// before is removed. Streams, so memory does not grow with the run. Where `stop` answers true, the
/// table ends after a whole row and keeps its partial name. Returns the path. Throws GR-511.
std::filesystem::path write_csv(const ResultsReader& results,
                                const std::filesystem::path& directory,
                                const std::vector<std::string>& patterns = {"**"},
                                const std::function<bool()>& stop = {});

/// The same table in a file of its own, which gets its name when it is complete.
void export_csv(const ResultsReader& results, const std::filesystem::path& file,
                const std::vector<std::string>& patterns = {"**"});

}  // namespace grapple::record
