// Counts operator new in the whole test program, to prove that recording a row allocates nothing.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

#include "grapple/record/measures.h"
#include "grapple/record/results_file.h"
#include "sample_run.h"
#include "scratch_directory.h"

namespace {
std::atomic<long> allocations{0};
}

// Not inlined, or the compiler takes malloc and delete for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace grapple::record {
namespace {

TEST(Allocation, AppendingARowAllocatesNothing) {
  const ScratchDirectory scratch;
  ResultsWriter writer = ResultsWriter::create(scratch.path(), sample_info(), sample_channels());
  Measures measures({{"m", "body/tip/x", MeasureKind::kDurationAbove, 0.5, 0.0},
                     {"n", "body/tip/x", MeasureKind::kMax, 0.0, 0.0}},
                    sample_channels());
  struct : Curve {
    double at(double t) override { return std::sin(t); }
  } curve;
  const long before = allocations;
  for (std::uint64_t row = 0; row < 1000; ++row) {
    const double values[] = {sample_value(row, 0), sample_value(row, 1), sample_value(row, 2)};
    writer.append_row(sample_time(row), values);
    measures.row(sample_time(row), values);
    for (std::size_t k = 0; k < measures.size(); ++k) {
      const double t = sample_time(row), middle = t + 0.5, end = t + 1.0;
      if (row == 0) measures[k].begin({t, curve.at(t)});
      measures[k].follow({middle, curve.at(middle)}, {end, curve.at(end)}, curve);
    }
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_FALSE(measures.save().empty());
  EXPECT_GT(allocations - before, 0) << "the counter does not count";
}

}  // namespace
}  // namespace grapple::record
