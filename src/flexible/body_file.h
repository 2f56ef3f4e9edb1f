// A reduced flexible body kept in a JSON file: from another program's mesh, or any maker's body
// written out and read back to the same bits. docs/flexible-body-file.md describes the layout.
// Faults: GR-337 (not readable, not writable, not JSON), GR-338 (key missing, unknown, of the wrong
// kind or size), GR-339 (values the recursion cannot use); all of a file at once.
#pragma once

#include <filesystem>
#include <string>

#include "grapple/flexible/flexible_body.h"

namespace grapple::flexible {

FlexibleBody read_body_file(const std::filesystem::path& path);
void write_body_file(const FlexibleBody& body, const std::filesystem::path& path);

/// The same from and to text; `where` names the text in errors.
FlexibleBody parse_body(const std::string& json_text, const std::string& where);
std::string body_text(const FlexibleBody& body);

}  // namespace grapple::flexible
