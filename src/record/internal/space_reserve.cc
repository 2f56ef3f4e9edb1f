#include "grapple/record/internal/space_reserve.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace grapple::record {

SpaceReserve::SpaceReserve(const std::filesystem::path& directory, std::size_t bytes)
    : descriptor_(open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)) {
  if (descriptor_ >= 0 && fallocate(descriptor_, 0, 0, static_cast<off_t>(bytes)) != 0) release();
}

void SpaceReserve::release() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

}  // namespace grapple::record
