// Counts every malloc and calloc of the test program; operator new ends there, too. Include it in
// one file of a program only: it replaces them, except under the sanitizers, which own them.
#pragma once

#include <cstddef>

#include "support/allocations.h"

#if !GRAPPLE_SANITIZED
// glibc's own allocator under the name it keeps for interposers.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
#endif
