// How often the test program has called malloc or calloc, if it counts (counted_malloc.h).
#pragma once

#include <atomic>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAPPLE_SANITIZED 1
#else
#define GRAPPLE_SANITIZED 0
#endif

inline std::atomic<long> allocations{0};
