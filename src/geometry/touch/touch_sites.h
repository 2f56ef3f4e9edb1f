// The sites at which two shapes can touch, one query each: a ball on a half-space has one, a box on
// a half-space eight (its corners), a capsule two (its ends); any two convex bodies have one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/geometry/solid/shape.h"
#include "grapple/geometry/touch/touch_query.h"

namespace grapple::geometry {

/// Whether the queries take the shapes as given or the second one as their A.
enum class PairOrder { kAsGiven, kSwapped };

struct TouchSites {
  PairOrder order = PairOrder::kAsGiven;
  std::vector<std::shared_ptr<const TouchQuery>> queries;  ///< none: this pair is not known
};

TouchSites touch_sites(const Shape& a, const Shape& b);

/// "sphere on half-space, ...": every pair touch_sites knows, for messages.
std::string known_pairs();

}  // namespace grapple::geometry
