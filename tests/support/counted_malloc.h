// Counts every malloc of the test program. Include it in one file of a program only: it replaces
// malloc, except under the sanitizers, which own it.
#pragma once

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAPPLE_SANITIZED 1
#else
#define GRAPPLE_SANITIZED 0
#endif

namespace {
std::atomic<long> allocations{0};
}

#if !GRAPPLE_SANITIZED
// glibc's own allocator under the name it keeps for interposers.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif
