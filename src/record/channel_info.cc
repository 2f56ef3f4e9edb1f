#include "grapple/record/channel_info.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/base/units.h"
#include "grapple/record/internal/utf8.h"

namespace grapple::record {

namespace {

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = name.find('/', begin);
    parts.push_back(name.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<std::string> names_of(const std::vector<ChannelInfo>& channels) {
  std::vector<std::string> names;
  names.reserve(channels.size());
  for (const ChannelInfo& channel : channels) names.push_back(channel.name);
  return names;
}

/// What is wrong with a name, or "".
std::string fault_of(std::string_view name) {
  if (name.empty()) return "a channel name is empty";
  if (!is_utf8(name)) return "a channel name is not valid UTF-8";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return "a channel name contains a control character";
  }
  for (const std::string_view part : split(name)) {
    if (part.empty()) return "a channel name begins or ends with '/' or contains '//'";
    if (part == "." || part == "..") return "a part of a channel name is '.' or '..'";
  }
  return "";
}

// After a mismatch only the last '*' can take more, so the cost stays below the product of lengths.
bool part_matches(std::string_view pattern, std::string_view part) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, i = 0, star = kNone, taken_until = 0;
  while (i < part.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken_until = i;
    } else if (p < pattern.size() && pattern[p] == '?') {
      i += first_character_bytes(part.substr(i));
      ++p;
    } else if (p < pattern.size() && pattern[p] == part[i]) {
      ++i;
      ++p;
    } else if (star != kNone) {
      p = star + 1;
      i = ++taken_until;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

using Parts = std::vector<std::string_view>;

bool parts_match(const Parts& pattern, std::size_t i, const Parts& name, std::size_t j) {
  if (i == pattern.size()) return j == name.size();
  if (pattern[i] == "**") {
    // '**/**' means '**'; trying every split between them would cost exponential time.
    if (i + 1 < pattern.size() && pattern[i + 1] == "**")
      return parts_match(pattern, i + 1, name, j);
    return parts_match(pattern, i + 1, name, j) ||
           (j < name.size() && parts_match(pattern, i, name, j + 1));
  }
  return j < name.size() && part_matches(pattern[i], name[j]) &&
         parts_match(pattern, i + 1, name, j + 1);
}

}  // namespace

ShownUnit shown_unit(const ChannelInfo& channel) {
  const ShownUnit as_recorded{channel.unit, 1.0};
  if (channel.shown.empty() || channel.shown == channel.unit) return as_recorded;
  try {
    const Quantity own = parse_unit(channel.unit), other = parse_unit(channel.shown);
    const double factor = own.value / other.value;
    const bool fits = own.dimension == other.dimension && std::isfinite(factor) && factor > 0.0;
    return fits ? ShownUnit{channel.shown, factor} : as_recorded;
  } catch (const Error&) {  // of a file that was tampered with
    return as_recorded;
  }
}

void check_channels(const std::vector<ChannelInfo>& channels) {
  Diagnostics found;
  std::set<std::string, std::less<>> names;
  for (const ChannelInfo& channel : channels) {
    const std::string where = fmt::format("channel '{}'", replace_invalid_utf8(channel.name));
    if (const std::string fault = fault_of(channel.name); !fault.empty()) {
      found.add("GR-504", where, fault);
    } else if (!names.insert(channel.name).second) {
      found.add("GR-505", where, "two channels have this name");
    }
  }
  for (const std::string& name : names) {
    for (std::size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      const std::string_view group = std::string_view(name).substr(0, slash);
      if (names.contains(group)) {
        found.add(
            "GR-505", fmt::format("channel '{}'", name),
            fmt::format("'{}' is a channel, so it cannot also be a group of channels", group));
      }
    }
  }
  found.throw_if_any();
}

bool glob_matches(std::string_view pattern, std::string_view name) {
  return parts_match(split(pattern), 0, split(name), 0);
}

std::vector<std::size_t> select_channels(const std::vector<ChannelInfo>& channels,
                                         const std::vector<std::string>& patterns) {
  constexpr int kMostSuggestions = 10;  // each looks at every channel
  Diagnostics found;
  int missed = 0;
  std::vector<bool> selected(channels.size(), false);
  std::vector<Parts> names;
  names.reserve(channels.size());
  for (const ChannelInfo& channel : channels) names.push_back(split(channel.name));
  for (const std::string& pattern : patterns) {
    const Parts wanted = split(pattern);
    bool any = false;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (!parts_match(wanted, 0, names[i], 0)) continue;
      selected[i] = true;
      any = true;
    }
    if (any) continue;
    const bool suggest = ++missed <= kMostSuggestions;
    found.add("GR-506", "",
              fmt::format("no channel matches '{}'{}", pattern,
                          suggest ? suggestion(pattern, names_of(channels)) : ""));
  }
  found.throw_if_any();
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (selected[i]) indices.push_back(i);
  }
  return indices;
}

std::size_t find_channel(const std::vector<ChannelInfo>& channels, std::string_view name) {
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (channels[i].name == name) return i;
  }
  throw Error(
      "GR-506", "",
      fmt::format("no channel is called '{}'{}", name, suggestion(name, names_of(channels))));
}

}  // namespace grapple::record
