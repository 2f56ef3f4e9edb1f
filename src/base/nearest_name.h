// The valid name closest to a misspelt one, for error messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grapple {

/// Smallest edit distance (with transpositions, case ignored); nothing if none is near.
std::optional<std::string> nearest_name(std::string_view wrong,
                                        const std::vector<std::string>& valid);

/// " (did you mean 'revolute'?)" or, if nothing is near and the list is short, " (allowed: a, b,
/// c)", or "".
std::string suggestion(std::string_view wrong, const std::vector<std::string>& valid);

}  // namespace grapple
