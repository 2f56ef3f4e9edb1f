// The program is built hardened: what its ELF header and its symbols say (CMake option
// GRAPPLE_HARDEN, cmake/GrappleModules.cmake).
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "program/support.h"

namespace grapple::program {
namespace {

/// The parts of an ELF file of 64 bits that say how it was built.
class Elf {
 public:
  explicit Elf(std::string bytes) : bytes_(std::move(bytes)) {
    header_ = at<Elf64_Ehdr>(0);
    for (std::size_t k = 0; k < header_.e_phnum; ++k) {
      segments_.push_back(at<Elf64_Phdr>(header_.e_phoff + k * sizeof(Elf64_Phdr)));
    }
  }

  bool runs_at_any_address() const { return header_.e_type == ET_DYN; }
  const Elf64_Phdr* segment(std::uint32_t type) const {
    for (const Elf64_Phdr& one : segments_) {
      if (one.p_type == type) return &one;
    }
    return nullptr;
  }
  std::uint64_t dynamic_flags(std::int64_t tag) const {
    const Elf64_Phdr* dynamic = segment(PT_DYNAMIC);
    for (std::size_t k = 0; dynamic != nullptr && k < dynamic->p_filesz / sizeof(Elf64_Dyn); ++k) {
      const auto entry = at<Elf64_Dyn>(dynamic->p_offset + k * sizeof(Elf64_Dyn));
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return 0;
  }
  /// Places that an indirect jump may lead to (endbr64 of control-flow protection).
  int marked_targets() const {
    const std::string mark = "\xf3\x0f\x1e\xfa";
    int count = 0;
    for (std::size_t at = bytes_.find(mark); at != std::string::npos;
         at = bytes_.find(mark, at + 1)) {
      ++count;
    }
    return count;
  }
  bool names(const std::string& symbol) const {
    return bytes_.find(std::string(1, '\0') + symbol + std::string(1, '\0')) != std::string::npos ||
           bytes_.find(std::string(1, '\0') + symbol + "@") != std::string::npos;
  }

 private:
  template <class Part>
  Part at(std::size_t offset) const {
    Part part{};
    if (offset + sizeof part <= bytes_.size()) {
      std::memcpy(&part, bytes_.data() + offset, sizeof part);
    }
    return part;
  }
  std::string bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
};

TEST(Hardening, TheProgramIsBuiltWithEveryProtection) {
#if !defined(GRAPPLE_HARDENED) || !defined(__x86_64__)
  GTEST_SKIP() << "of release builds with GRAPPLE_HARDEN on x86-64";
#endif
  const Elf program(text_of(GRAPPLE_PROGRAM));
  EXPECT_TRUE(program.runs_at_any_address()) << "not a position-independent executable";
  EXPECT_NE(program.dynamic_flags(DT_FLAGS_1) & DF_1_PIE, 0u);
  EXPECT_NE(program.dynamic_flags(DT_FLAGS_1) & DF_1_NOW, 0u) << "RELRO is only partial";
  EXPECT_NE(program.segment(PT_GNU_RELRO), nullptr) << "no RELRO";
  ASSERT_NE(program.segment(PT_GNU_STACK), nullptr);
  EXPECT_EQ(program.segment(PT_GNU_STACK)->p_flags & PF_X, 0u) << "the stack is executable";
  EXPECT_TRUE(program.names("__stack_chk_fail")) << "no stack protector";
  EXPECT_TRUE(program.names("__memcpy_chk") || program.names("__fprintf_chk") ||
              program.names("__read_chk") || program.names("__memset_chk"))
      << "no fortified functions";
  EXPECT_GT(program.marked_targets(), 100) << "no control-flow protection";
}

}  // namespace
}  // namespace grapple::program
