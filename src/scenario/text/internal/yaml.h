// YAML text into a Node tree. Whatever the bytes are, the result is a tree or an Error:
//   GR-100 unreadable or too large file   GR-101 empty       GR-102 not UTF-8 text
//   GR-103 not YAML                       GR-104 same key twice, or a key that is not a scalar
//   GR-105 too deep or too many nodes     GR-106 several documents, or tags
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

inline constexpr std::size_t kLargestFile = 64u << 20;  ///< bytes
inline constexpr int kDeepestNode = 64;
inline constexpr std::size_t kMostNodes = 1'000'000;  ///< after aliases are written out

/// Throws Error GR-100 or GR-101.
std::string read_text(const std::filesystem::path& path);

/// `start` names the source; if its line is 0, every mark of the result is `start` itself.
Node parse_yaml(std::string_view text, const Mark& start);

}  // namespace grapple::scenario
