// Whole files that are either the old one or the new one, never half of it, whatever kills the
// process or the machine: write beside, fsync, rename, fsync the directory. Only plain files are
// replaced: never a device, a FIFO, a directory or a symbolic link, nor what a link points to.
#pragma once

#include <filesystem>
#include <string_view>

namespace grapple::record {

/// Replaces the file by `bytes`. Throws GR-511; then the old file is untouched.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// fsync of `from`, then rename to `to` in the same directory, then fsync of that directory.
/// Throws GR-511.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Creates an empty file in place of an earlier plain one and opens it for writing. Throws GR-511.
int create_plain_file(const std::filesystem::path& path);

/// GR-511 if there is something under this name that is no plain file.
void refuse_special_file(const std::filesystem::path& path);

/// A name beside `path` to write to, announced to remove_unfinished_file(). What is still there at
/// the end is removed.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool announced_;
};

/// Removes the unfinished file that is being written, if there is one. For signal handlers of a
/// program that is about to end.
void remove_unfinished_file() noexcept;

}  // namespace grapple::record
