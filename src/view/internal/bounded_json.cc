#include "grapple/view/internal/bounded_json.h"

#include <vector>

#include "grapple/base/whole_file.h"

namespace grapple::view {

using nlohmann::ordered_json;

namespace {

struct BeyondLimits {};

// Follows the parser: `keys_` has the number of keys of every object that is open.
class Limits {
 public:
  void see(int depth, ordered_json::parse_event_t event) {
    using Event = ordered_json::parse_event_t;
    if (depth > kMostJsonLevels) throw BeyondLimits{};
    if (event == Event::object_start) keys_.push_back(0);
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && ++keys_.back() > kMostJsonKeys) throw BeyondLimits{};
  }

 private:
  std::vector<std::size_t> keys_;
};

}  // namespace

std::optional<ordered_json> parse_bounded_json(std::string_view text) {
  Limits limits;
  try {
    return ordered_json::parse(
        text, [&](int depth, ordered_json::parse_event_t event, ordered_json& /*value*/) {
          limits.see(depth, event);
          return true;
        });
  } catch (const BeyondLimits&) {
    return std::nullopt;
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
}

std::optional<ordered_json> read_bounded_json(const std::filesystem::path& file) {
  const WholeFile whole = read_whole_file(file, kMostJsonBytes);
  if (whole.state == FileState::kMissing) return ordered_json(nullptr);
  if (whole.state != FileState::kRead) return std::nullopt;
  return parse_bounded_json(whole.bytes);
}

}  // namespace grapple::view
