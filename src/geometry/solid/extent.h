// How far a shape reaches and how thick it is: what bounds the speed at which a gap can close, and
// the way a body can go through another in one step.
#pragma once

#include "grapple/geometry/solid/shape.h"

namespace grapple::geometry {

/// Turning that moves no point of the surface off it.
enum class Symmetry { kNone, kAxis, kBall };

struct Extent {
  double radius =
      0.0;  ///< m, of a ball about the origin of S that holds the shape; may be infinite
  /// m: of a ball inside the shape; of a mesh volume over area, half the mean thickness of a wall.
  /// Infinite where the solid has no far side.
  double depth = 0.0;
  Symmetry symmetry = Symmetry::kNone;  ///< about z of S, or about its origin
};

Extent extent_of(const Shape& shape);

}  // namespace grapple::geometry
