#include "grapple/base/whole_file.h"

#include <fstream>
#include <system_error>

namespace grapple {

WholeFile read_whole_file(const std::filesystem::path& path, std::size_t most_bytes) {
  std::error_code fault;
  const auto status = std::filesystem::status(path, fault);
  if (fault || !std::filesystem::exists(status)) return {FileState::kMissing, {}};
  if (std::filesystem::is_directory(status)) return {FileState::kDirectory, {}};
  std::ifstream stream(path, std::ios::binary);
  WholeFile file;
  char block[65536];
  while (stream && file.bytes.size() <= most_bytes) {
    stream.read(block, sizeof block);
    file.bytes.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  if (file.bytes.size() > most_bytes) return {FileState::kTooLarge, {}};
  if (!stream.eof()) return {FileState::kUnreadable, {}};
  return file;
}

}  // namespace grapple
