// A number that tells two texts apart: FNV-1a of 64 bits. It finds changes, not forgeries.
#pragma once

#include <cstdint>
#include <string_view>

namespace grapple {

inline std::uint64_t digest(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace grapple
