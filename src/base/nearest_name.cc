#include "grapple/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
// Stops with limit + 1 as soon as it must be larger than `limit`: among the channels of a thousand
// bodies nearly all are far.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (apart > limit) return limit + 1;
  std::array<std::array<std::size_t, kLongestName + 1>, 3> rows;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  std::size_t least_before = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const auto &two_up = rows[(i + 1) % 3], &up = rows[(i + 2) % 3];
    auto& row = rows[i % 3];
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_up[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    // A swap reaches over one row: both must be beyond the limit.
    if (std::min(least, least_before) > limit) return limit + 1;
    least_before = least;
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wrong,
                                        const std::vector<std::string>& valid) {
  if (wrong.empty() || wrong.size() > kLongestName) return std::nullopt;
  const std::string wrong_lower = lower(wrong);
  const std::string* best = nullptr;
  std::pair<std::size_t, std::size_t> best_distance;  // without and with regard to case
  for (const std::string& name : valid) {
    if (name.size() > kLongestName) continue;
    // A third of the longer word may be wrong, but at least one letter must be right.
    const std::size_t longer = std::max(name.size(), wrong.size());
    const std::size_t allowed = std::min((longer + 2) / 3, longer - 1);
    const std::size_t limit = best == nullptr ? allowed : std::min(allowed, best_distance.first);
    const std::size_t near = edit_distance(wrong_lower, lower(name), limit);
    if (near > limit) continue;
    const std::pair distance{near, edit_distance(wrong, name, kLongestName)};
    if (best != nullptr && distance >= best_distance) continue;
    best = &name;
    best_distance = distance;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& valid) {
  if (const auto name = nearest_name(wrong, valid)) {
    return fmt::format(" (did you mean '{}'?)", *name);
  }
  if (valid.empty() || valid.size() > kLongestList) return "";
  return fmt::format(" (allowed: {})", fmt::join(valid, ", "));
}

}  // namespace grapple
