// A directory in memory, where there is one, for readers that take a path.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace grapple::fuzz {

inline const std::filesystem::path& directory() {
  static const std::filesystem::path made = [] {
    const bool shared = std::filesystem::is_directory("/dev/shm");
    std::string name = shared ? "/dev/shm" : std::filesystem::temp_directory_path().string();
    name += "/grapple-fuzz-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return std::filesystem::path(name);
  }();
  static const int at_end = std::atexit([] { std::filesystem::remove_all(directory()); });
  static_cast<void>(at_end);
  return made;
}

inline void write_file(const std::filesystem::path& file, const void* data, std::size_t size) {
  std::ofstream(file, std::ios::binary)
      .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

}  // namespace grapple::fuzz
