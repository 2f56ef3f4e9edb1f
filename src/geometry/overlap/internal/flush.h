// Faces of two solids that coincide and look the same way: one of them counts, or the volume they
// bound together would be closed twice there.
#pragma once

namespace grapple::geometry {

enum class Flush { kCounts, kLeftOut };

}  // namespace grapple::geometry
