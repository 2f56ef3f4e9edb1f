// The part of a solid cylinder with flat ends below a plane, upright, tilted or lying.
#pragma once

#include <memory>

#include "grapple/geometry/overlap/volume_query.h"

namespace grapple::geometry {

std::shared_ptr<const VolumeQuery> make_cylinder_in_half_space(const Cylinder& cylinder);

}  // namespace grapple::geometry
