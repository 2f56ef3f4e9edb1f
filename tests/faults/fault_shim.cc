// A library for LD_PRELOAD that fails a chosen call of the process it is loaded into.
//   GRAPPLE_FAULT=KIND:N    the N-th call of this kind fails; "KIND:N+" this and all later ones
//   GRAPPLE_FAULT_COUNT=FILE    at the end, the number of calls of each kind is written there
// Kinds: write (also pwrite), open (also fopen), fsync, rename, new (allocations of C++; those of C
// are not failed, since HDF5 1.10 crashes in itself where some of its own fail). Counted from the
// call of main. Writes to the terminal (descriptors 0 to 2) do not count, so that messages can be
// read. A write fails with ENOSPC, an open with EMFILE, the others with EIO.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

enum Kind { kWrite, kOpen, kFsync, kRename, kNew, kKinds };
constexpr const char* kNames[kKinds] = {"write", "open", "fsync", "rename", "new"};

std::atomic<long> calls[kKinds];
std::atomic<bool> ready{false};
int chosen = -1;
long number = 0;
bool and_later = false;

template <class Function>
Function* real(const char* name, Function* /*type*/) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool fails(Kind kind) {
  if (!ready.load(std::memory_order_relaxed)) return false;
  const long count = ++calls[kind];
  return kind == chosen && (and_later ? count >= number : count == number);
}

__attribute__((constructor)) void begin() {
  const char* const what = std::getenv("GRAPPLE_FAULT");
  for (int kind = 0; what != nullptr && kind < kKinds; ++kind) {
    const std::size_t length = std::strlen(kNames[kind]);
    if (std::strncmp(what, kNames[kind], length) != 0 || what[length] != ':') continue;
    char* end = nullptr;
    number = std::strtol(what + length + 1, &end, 10);
    and_later = end != nullptr && *end == '+';
    chosen = kind;
  }
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  ready = true;
  return real_main(argc, argv, environment);
}

__attribute__((destructor)) void finish() {
  ready = false;
  const char* const file = std::getenv("GRAPPLE_FAULT_COUNT");
  if (file == nullptr) return;
  std::FILE* const out = std::fopen(file, "w");
  for (int kind = 0; out != nullptr && kind < kKinds; ++kind) {
    std::fprintf(out, "%s %ld\n", kNames[kind], calls[kind].load());
  }
  if (out != nullptr) std::fclose(out);
}

template <class Result>
Result failed(int cause, Result result) {
  errno = cause;
  return result;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*linker_fini)(), void* stack_end) {
  static const auto call = real("__libc_start_main", &__libc_start_main);
  real_main = main;
  return call(counted_main, argc, argv, init, fini, linker_fini, stack_end);
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  static const auto call = real("write", &write);
  if (file > STDERR_FILENO && fails(kWrite)) return failed<ssize_t>(ENOSPC, -1);
  return call(file, bytes, count);
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t at) {
  static const auto call = real("pwrite", &pwrite);
  if (fails(kWrite)) return failed<ssize_t>(ENOSPC, -1);
  return call(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off64_t at) {
  static const auto call = real("pwrite64", &pwrite64);
  if (fails(kWrite)) return failed<ssize_t>(ENOSPC, -1);
  return call(file, bytes, count, at);
}

int open(const char* path, int flags, ...) {
  static const auto call = real("open", &open);
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return fails(kOpen) ? failed(EMFILE, -1) : call(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  static const auto call = real("open64", &open64);
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return fails(kOpen) ? failed(EMFILE, -1) : call(path, flags, mode);
}
std::FILE* fopen(const char* path, const char* mode) {
  static const auto call = real("fopen", &fopen);
  return fails(kOpen) ? failed<std::FILE*>(EMFILE, nullptr) : call(path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  static const auto call = real("fopen64", &fopen64);
  return fails(kOpen) ? failed<std::FILE*>(EMFILE, nullptr) : call(path, mode);
}

int fsync(int file) {
  static const auto call = real("fsync", &fsync);
  return fails(kFsync) ? failed(EIO, -1) : call(file);
}
int rename(const char* from, const char* to) {
  static const auto call = real("rename", &rename);
  return fails(kRename) ? failed(EIO, -1) : call(from, to);
}

}  // extern "C"

void* operator new(std::size_t size) {
  void* const block = fails(kNew) ? nullptr : std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
