#include "grapple/geometry/shape.h"

#include <array>

namespace grapple::geometry {

std::string_view shape_name(const Shape& shape) {
  constexpr std::array<std::string_view, std::variant_size_v<Shape>> kNames = {
      "sphere", "half-space", "box", "capsule", "cylinder", "bar", "bore"};
  return kNames[shape.index()];
}

}  // namespace grapple::geometry
