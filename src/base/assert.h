// GRAPPLE_ASSERT(condition): a programming fault stops the program at once, also in release builds.
// It is cheap and stays out of inner loops; the user's faults are grapple::Error (error.h).
#pragma once

namespace grapple {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace grapple

#define GRAPPLE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::grapple::assertion_failed(#condition, __FILE__, __LINE__))
