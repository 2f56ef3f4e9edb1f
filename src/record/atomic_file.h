// Whole files that are either the old one or the new one, never half of it, whatever kills the
// process or the machine: write beside, fsync, rename, fsync the directory. Only plain files are
// replaced: never a device, a FIFO, a directory or a symbolic link, nor what a link points to.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

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

/// Files, and last the directory that holds them if there is one, that are removed at the end if
/// they are still there, also by remove_unfinished_files().
class Unfinished {
 public:
  explicit Unfinished(std::vector<std::filesystem::path> names);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const std::vector<std::filesystem::path>& names() const { return names_; }

 private:
  std::vector<std::filesystem::path> names_;
  bool announced_;
};

/// A name beside `path` to write to.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& path);
  const std::filesystem::path& path() const { return unfinished_.names().front(); }

 private:
  Unfinished unfinished_;
};

/// Removes what is being written, if there is something. For signal handlers of a program that is
/// about to end.
void remove_unfinished_files() noexcept;

}  // namespace grapple::record
