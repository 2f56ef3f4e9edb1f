// Channels as the recorder sees them: a name of '/'-separated parts, an SI unit, one line of text.
// Names become HDF5 paths and CSV headers, so a few are refused (check_channels).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::record {

struct ChannelInfo {
  std::string name;         ///< "joint/shoulder/position"
  std::string unit;         ///< "rad"; "1" or "" for a pure number
  std::string description;  ///< one line, may be empty
  std::string shown = {};   ///< unit in which tables, plots and reports show it; empty: `unit`
  bool operator==(const ChannelInfo&) const = default;
};

/// What a recorded value is multiplied by to be shown in a unit.
struct ShownUnit {
  std::string unit;
  double factor = 1.0;
};
/// `unit` itself where `shown` is empty or no unit of the same kind.
ShownUnit shown_unit(const ChannelInfo& channel);

/// Refuses names that cannot be stored (GR-504: empty, leading, trailing or double slash, a part
/// "." or "..", control characters, invalid UTF-8) and names that clash (GR-505: the same twice, or
/// one being a group of another, "a" beside "a/b"). Throws one Error with every finding.
void check_channels(const std::vector<ChannelInfo>& channels);

/// Glob match on '/'-separated parts: '?' is one character and '*' any number of characters of one
/// part; a part "**" is any number of parts, also none.
bool glob_matches(std::string_view pattern, std::string_view name);

/// Indices, in channel order and each once, of the channels that match any of the patterns. A
/// pattern that matches no channel is GR-506.
std::vector<std::size_t> select_channels(const std::vector<ChannelInfo>& channels,
                                         const std::vector<std::string>& patterns);

/// Index of the channel called `name`; GR-506 with the nearest name if there is none.
std::size_t find_channel(const std::vector<ChannelInfo>& channels, std::string_view name);

}  // namespace grapple::record
