#include "grapple/record/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "grapple/base/error.h"

namespace grapple::record {

namespace {

/// An open descriptor, closed on every way out.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : value_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void throw_unwritten(const std::filesystem::path& path, int cause) {
  throw Error(
      "GR-511", path.string(),
      fmt::format("the file could not be written: {}", std::generic_category().message(cause)));
}

bool sync(const std::filesystem::path& path, int flags) {
  const Descriptor descriptor(path, flags);
  return descriptor.get() >= 0 && fsync(descriptor.get()) == 0;
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path beside = path;
  beside += ".tmp";
  bool good = false;
  {
    const Descriptor descriptor(beside, O_WRONLY | O_CREAT | O_TRUNC);
    good = descriptor.get() >= 0 && write_all(descriptor.get(), bytes);
  }
  if (!good) {
    const int cause = errno;
    unlink(beside.c_str());
    throw_unwritten(path, cause);
  }
  rename_durably(beside, path);
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (!sync(from, O_RDONLY) || std::rename(from.c_str(), to.c_str()) != 0) {
    throw_unwritten(to, errno);
  }
  const std::filesystem::path directory = to.has_parent_path() ? to.parent_path() : ".";
  // Some file systems refuse fsync of a directory; the rename itself has happened.
  sync(directory, O_RDONLY | O_DIRECTORY);
}

}  // namespace grapple::record
