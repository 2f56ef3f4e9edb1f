// JSON from a file that somebody sent, read within limits: copying and printing a document recurses
// as deep as it nests, and an object of very many keys takes their square in time.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace grapple::view {

inline constexpr int kMostJsonLevels = 100;
inline constexpr std::size_t kMostJsonKeys = 20000;  ///< of one object
inline constexpr std::size_t kMostJsonBytes = std::size_t{256} << 20;

/// Nothing if it is no JSON or beyond the limits.
std::optional<nlohmann::ordered_json> parse_bounded_json(std::string_view text);

/// A missing file gives null, one that cannot be read or parsed nothing.
std::optional<nlohmann::ordered_json> read_bounded_json(const std::filesystem::path& file);

}  // namespace grapple::view
