// A plain file read into memory, if it is no larger than the reader is ready for. Devices, FIFOs
// and sockets (kSpecial) and names no file can have are answered, not waited for or thrown.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace grapple {

enum class FileState { kRead, kMissing, kDirectory, kSpecial, kUnreadable, kTooLarge };

struct WholeFile {
  FileState state = FileState::kRead;
  std::string bytes;  ///< empty unless read
};

WholeFile read_whole_file(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace grapple
