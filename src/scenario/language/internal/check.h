// Checks a tree against the language table and collects every finding:
//   GR-200 a required key is missing     GR-201 unknown key      GR-202 key of another type
//   GR-203 wrong shape of value          GR-204 wrong dimension  GR-205 out of range
//   GR-206 none of the allowed words     GR-207 wrong number of items   GR-208 bad name
//   GR-209 keys that exclude or need each other   GR-210 unknown reference   GR-211 name used twice
#pragma once

#include "grapple/base/error.h"
#include "grapple/scenario/language/schema.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

/// A file with more faults than this is reported up to here.
inline constexpr std::size_t kMostFaults = 100;

void check_scenario(const Node& root, Diagnostics& faults);

/// Whether the text can name a thing: letters, digits, _ - . and not "world".
bool is_valid_name(std::string_view text);

}  // namespace grapple::scenario
