// Text of users and of files as a terminal may show it: one line, no control characters.
#pragma once

#include <string>
#include <string_view>

namespace grapple {

/// Control characters (C0, DEL, C1, line and paragraph separators, directional overrides) and bytes
/// that are not UTF-8 as \n, \t, \x1b, \u202e; the rest unchanged.
std::string printable(std::string_view text);

}  // namespace grapple
