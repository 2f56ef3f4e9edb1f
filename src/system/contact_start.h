// When shapes that overlap as a contact begins are too deep in each other.
#pragma once

#include <fmt/format.h>

#include <string>

namespace grapple::system {

/// An overlap of more than this share of the smaller shape is no contact any more: the laws hold
/// for small depths.
inline constexpr double kDeepShare = 0.1;

/// In words; empty: it may begin so. `size`: of the query, m.
inline std::string too_deep(double depth, double size) {
  if (!(depth > kDeepShare * size)) return "";
  return fmt::format(
      "its shapes are {:.3g} m deep in each other; at most {:.3g} m, a tenth of the smaller one, "
      "can be "
      "resolved",
      depth, kDeepShare * size);
}

}  // namespace grapple::system
