// Whole files that are either the old one or the new one, never half of it, whatever kills the
// process or the machine: write beside, fsync, rename, fsync the directory.
#pragma once

#include <filesystem>
#include <string_view>

namespace grapple::record {

/// Replaces the file by `bytes`. Throws GR-511; then the old file is untouched.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// fsync of `from`, then rename to `to` in the same directory, then fsync of that directory.
/// Throws GR-511.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace grapple::record
