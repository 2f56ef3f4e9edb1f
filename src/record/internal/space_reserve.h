// Disk space set aside at the start of a run, so that on a full disk its summary and a checkpoint
// can still be written. The file has no name: it vanishes with the process.
#pragma once

#include <cstddef>
#include <filesystem>

namespace grapple::record {

class SpaceReserve {
 public:
  /// Where the file system refuses, nothing is reserved.
  SpaceReserve(const std::filesystem::path& directory, std::size_t bytes);
  ~SpaceReserve() { release(); }
  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;

  /// Gives the space back to the disk.
  void release();

 private:
  int descriptor_ = -1;
};

}  // namespace grapple::record
