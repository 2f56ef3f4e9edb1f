// The data of recorded runs as the viewer reads them (docs/viewer.md, "The data"): one JSON text
// with everything but the numbers, and the numbers packed into it. Long runs are thinned out to a
// size a browser opens at once; what is thinned keeps its extremes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace grapple::view {

struct DataOptions {
  std::size_t channel_bytes = 4'600'000;  ///< for the series of all runs, before packing
  std::size_t replay_bytes = 2'200'000;   ///< for the poses of all runs, before packing
};

/// What the page is for.
enum class PageMode { kReport, kReplay, kCompare };

/// A single directory may also (or only) hold the modes.json of `grapple modes --out`.
/// Throws GR-507, GR-508 (results), GR-801 (summary.json is not readable JSON), GR-802 (modes.json
/// is not one that can be drawn).
std::string run_data(const std::vector<std::filesystem::path>& directories, PageMode mode,
                     const DataOptions& options = {});

}  // namespace grapple::view
