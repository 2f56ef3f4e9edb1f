// The keys of `finite_elements` read into the words of the fem module.
#pragma once

#include <array>
#include <vector>

#include "grapple/flexible/flexible_body.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// The reduced body. Throws Error with the place of the faulty key: GR-380 to GR-391, and GR-392 (a
/// plane body without thickness, or a thickness of another).
flexible::FlexibleBody finite_element_solid(const Reader& body, Assembly& assembly);

/// A block along x as a line of sections, to draw it bent; without sections for other meshes.
struct SolidLine {
  std::array<double, 2> widths{};  ///< along y and z
  std::vector<flexible::FrameShape> sections;
};
SolidLine solid_line(const Reader& body, Assembly& assembly);

}  // namespace grapple::scenario
