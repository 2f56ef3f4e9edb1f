// When shapes are too deep in each other: as a contact begins, and in the course of a run.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

namespace grapple::contact {

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

/// A depth of more than this share of the smaller shape in a run is worth a warning: Hertz's theory
/// and that of elastic foundations end long before.
inline constexpr double kWarnedShare = 0.5;

/// The deepest overlap of a contact in a run, in its memory: depth, size of the query, time.
enum Deepest : std::size_t { kDeepestDepth, kDeepestSize, kDeepestAt, kDeepestCount };

/// `depth` > 0 in overlap. Keeps the one that is the largest share of its shape.
inline void note_depth(double t, double depth, double size, std::span<double> deepest) {
  if (!(depth > kWarnedShare * size)) return;
  if (depth * deepest[kDeepestSize] <= deepest[kDeepestDepth] * size &&
      deepest[kDeepestSize] > 0.0) {
    return;
  }
  deepest[kDeepestDepth] = depth;
  deepest[kDeepestSize] = size;
  deepest[kDeepestAt] = t;
}

/// In words; empty: it never was. `name`: "contact/landing".
inline std::string too_deep_caution(const std::string& name, std::span<const double> deepest) {
  if (!(deepest[kDeepestSize] > 0.0)) return "";
  return fmt::format(
      "{}: its shapes were {:.3g} m deep in each other at {:.6g} s, the smaller one is {:.3g} m in "
      "size; contact laws hold for small depths only: make the contact stiffer, or look whether "
      "the bodies passed through each other",
      name, deepest[kDeepestDepth], deepest[kDeepestAt], deepest[kDeepestSize]);
}

}  // namespace grapple::contact
