#include "grapple/record/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "grapple/base/error.h"

namespace grapple::record {

namespace {

using Names = std::vector<std::filesystem::path>;

// What is being written, for a signal handler; one thread at a time has the place.
std::atomic<const Names*> unfinished{nullptr};
static_assert(std::atomic<const Names*>::is_always_lock_free);

void remove_all(const Names& names) noexcept {
  for (const std::filesystem::path& name : names) {
    if (unlink(name.c_str()) != 0) rmdir(name.c_str());
  }
}

/// An open descriptor, closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
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

[[noreturn]] void throw_unwritten(const std::filesystem::path& path, const std::string& cause) {
  throw Error("GR-511", path.string(), "the file could not be written: " + cause);
}

[[noreturn]] void throw_unwritten(const std::filesystem::path& path, int cause) {
  throw_unwritten(path, std::generic_category().message(cause));
}

int create(const std::filesystem::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool sync(const std::filesystem::path& path, int flags) {
  const Descriptor descriptor(open(path.c_str(), flags | O_CLOEXEC));
  return descriptor.get() >= 0 && fsync(descriptor.get()) == 0;
}

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

void refuse_special_file(const std::filesystem::path& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode)) return;
  throw_unwritten(path,
                  fmt::format("it is {}; only plain files are replaced", kind_of(found.st_mode)));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  refuse_special_file(path);
  const UnfinishedFile beside(path);
  bool good = false;
  {
    const Descriptor descriptor(create(beside.path()));
    good = descriptor.get() >= 0 && write_all(descriptor.get(), bytes);
  }
  if (!good) throw_unwritten(path, errno);
  rename_durably(beside.path(), path);
}

Unfinished::Unfinished(Names names) : names_(std::move(names)) {
  const Names* none = nullptr;
  announced_ = unfinished.compare_exchange_strong(none, &names_);
}

Unfinished::~Unfinished() {
  if (announced_) unfinished = nullptr;
  remove_all(names_);
}

// The process number keeps two programs that write the same file apart.
UnfinishedFile::UnfinishedFile(const std::filesystem::path& path)
    : unfinished_({fmt::format("{}.tmp{}", path.string(), getpid())}) {
  unlink(this->path().c_str());  // of a killed process of this number
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  refuse_special_file(to);
  if (!sync(from, O_RDONLY) || std::rename(from.c_str(), to.c_str()) != 0) {
    throw_unwritten(to, errno);
  }
  const std::filesystem::path directory = to.has_parent_path() ? to.parent_path() : ".";
  // Some file systems refuse fsync of a directory; the rename itself has happened.
  sync(directory, O_RDONLY | O_DIRECTORY);
}

int create_plain_file(const std::filesystem::path& path) {
  refuse_special_file(path);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) throw_unwritten(path, errno);
  const int descriptor = create(path);
  if (descriptor < 0) throw_unwritten(path, errno);
  return descriptor;
}

void remove_unfinished_files() noexcept {
  if (const Names* const names = unfinished.load()) remove_all(*names);
}

}  // namespace grapple::record
