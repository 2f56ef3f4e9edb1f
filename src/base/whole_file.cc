#include "grapple/base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace grapple {

namespace {

/// An open descriptor, closed on every way out.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) close(value);
  }
};

FileState state_of(mode_t mode) {
  if (S_ISREG(mode)) return FileState::kRead;
  return S_ISDIR(mode) ? FileState::kDirectory : FileState::kSpecial;
}

}  // namespace

WholeFile read_whole_file(const std::filesystem::path& path, std::size_t most_bytes) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) {
    return {errno == EACCES ? FileState::kUnreadable : FileState::kMissing, {}};
  }
  if (state_of(found.st_mode) != FileState::kRead) return {state_of(found.st_mode), {}};
  // Nor is waited if it has just become a FIFO.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.value < 0 || fstat(file.value, &found) != 0) return {FileState::kUnreadable, {}};
  if (state_of(found.st_mode) != FileState::kRead) return {state_of(found.st_mode), {}};
  WholeFile whole;
  char block[65536];
  for (;;) {
    const ssize_t count = read(file.value, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {FileState::kUnreadable, {}};
    if (count == 0) return whole;
    whole.bytes.append(block, static_cast<std::size_t>(count));
    if (whole.bytes.size() > most_bytes) return {FileState::kTooLarge, {}};
  }
}

}  // namespace grapple
