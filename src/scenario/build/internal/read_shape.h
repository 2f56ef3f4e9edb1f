// Geometry of a shape as a scenario gives it.
#pragma once

#include "grapple/base/error.h"
#include "grapple/geometry/solid/shape.h"
#include "grapple/scenario/language/reader.h"

namespace grapple::scenario {

/// The shape and the turn that puts its axis on z.
struct BuiltGeometry {
  geometry::Shape shape;
  spatial::Mat3 R = spatial::Mat3::Identity();
  bool is_stand_in = false;  ///< for one with a fault: no more can be said about its contacts
};

/// GR-407, GR-410 ... GR-414 (shapes that cannot be), GR-420 ... GR-425 (meshes). After a fault
/// some shape that can be.
BuiltGeometry read_geometry(const Reader& reader, Diagnostics& faults);

}  // namespace grapple::scenario
