// Channels of a run as a picture for papers and scripts, drawn by gnuplot: one panel per unit, time
// across. Long runs are thinned out with their extremes kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace grapple::view {

struct PlotRequest {
  std::filesystem::path directory;    ///< of the results
  std::vector<std::string> channels;  ///< names or patterns, as in simulate.record.channels
  std::filesystem::path out;          ///< .svg or .png
  std::optional<double> from, to;     ///< s; left out: the whole run
  std::string title;                  ///< empty: none
};

/// What gnuplot is told. Throws GR-506 (channel), GR-507, GR-508 (results), GR-820 (the file is
/// neither .svg nor .png, or the time span is none).
std::string plot_script(const PlotRequest& request);

/// Writes request.out. Throws as plot_script, GR-821 (gnuplot is missing or failed).
void plot(const PlotRequest& request);

}  // namespace grapple::view
