// The built viewer, part of the program: viewer/dist at build time, or nothing.
#pragma once

#include <string_view>

namespace grapple::view {

/// Empty if the program was built without viewer/dist.
std::string_view bundle_script();
std::string_view bundle_style();

}  // namespace grapple::view
