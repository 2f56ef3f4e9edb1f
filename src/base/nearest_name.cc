#include "grapple/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace grapple {

namespace {

// Longer words are never a slip of the finger of a valid name; the bound keeps the cost of hostile
// input linear.
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestList = 12;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wrong,
                                        const std::vector<std::string>& valid) {
  if (wrong.empty() || wrong.size() > kLongestName) return std::nullopt;
  std::optional<std::string> best;
  std::pair<std::size_t, std::size_t> best_distance;  // without and with regard to case
  for (const std::string& name : valid) {
    if (name.size() > kLongestName) continue;
    // A third of the longer word may be wrong, but at least one letter must be right.
    const std::size_t longer = std::max(name.size(), wrong.size());
    const std::size_t allowed = std::min((longer + 2) / 3, longer - 1);
    const std::pair distance{edit_distance(lower(wrong), lower(name)), edit_distance(wrong, name)};
    if (distance.first > allowed || (best && distance >= best_distance)) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& valid) {
  if (const auto name = nearest_name(wrong, valid)) {
    return fmt::format(" (did you mean '{}'?)", *name);
  }
  if (valid.empty() || valid.size() > kLongestList) return "";
  return fmt::format(" (allowed: {})", fmt::join(valid, ", "));
}

}  // namespace grapple
