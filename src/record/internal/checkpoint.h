// A checkpoint: named texts, real vectors and integer vectors in one small file, from which the
// caller can continue a run. What is in it is the caller's business. The file is replaced
// atomically, so a crash leaves the previous checkpoint.
// Format (little endian): "GRAPPLE-CHECKPT\n", u32 version, u64 payload bytes, payload, u64 FNV-1a
// of everything before it. Any change of a single byte changes that checksum.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace grapple::record {

struct Checkpoint {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<std::int64_t>> integers;
  bool operator==(const Checkpoint&) const = default;

  /// An entry that must be there; GR-515 if it is not.
  const std::string& text(const std::string& name) const;
  const std::vector<double>& real(const std::string& name) const;
  const std::vector<std::int64_t>& integer(const std::string& name) const;
  /// An entry of so many numbers; GR-516 if it has more or less.
  const std::vector<double>& reals_of(const std::string& name, std::size_t count) const;
  const std::vector<std::int64_t>& integers_of(const std::string& name, std::size_t count) const;
};

/// Writes DIR/checkpoint.bin. Throws GR-511; then the previous checkpoint is untouched.
void write_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint);

/// Reads DIR/checkpoint.bin bit for bit. Throws GR-512 (missing, unreadable), GR-513 (no
/// checkpoint, cut short or corrupted), GR-514 (written by another version of the format).
Checkpoint read_checkpoint(const std::filesystem::path& directory);

}  // namespace grapple::record
