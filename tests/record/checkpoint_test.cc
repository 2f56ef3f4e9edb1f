#include "grapple/record/internal/checkpoint.h"

#include <bit>
#include <cmath>
#include <limits>

#include "scratch_directory.h"

namespace grapple::record {
namespace {

Checkpoint sample_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.texts = {{"scenario", "name: swing\n"}, {"empty", ""}, {"", "nameless"}};
  checkpoint.reals = {{"state", {0.1, -0.0, std::numeric_limits<double>::infinity(), 5e-324}},
                      {"none", {}}};
  checkpoint.integers = {{"rows", {std::numeric_limits<std::int64_t>::min(), 42}}};
  return checkpoint;
}

TEST(Checkpoint, ComesBackBitForBit) {
  const ScratchDirectory scratch;
  Checkpoint checkpoint = sample_checkpoint();
  write_checkpoint(scratch.path(), checkpoint);
  EXPECT_EQ(read_checkpoint(scratch.path()), checkpoint);
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    EXPECT_EQ(entry.path().filename(), "checkpoint.bin");
  }
  EXPECT_TRUE(std::signbit(read_checkpoint(scratch.path()).real("state")[1]));
  checkpoint.reals["state"] = {std::bit_cast<double>(0x7ff80000deadbeefu)};
  write_checkpoint(scratch.path(), checkpoint);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(read_checkpoint(scratch.path()).real("state")[0]),
            0x7ff80000deadbeefu);
}

TEST(Checkpoint, EveryFlippedBitIsNoticed) {
  const ScratchDirectory scratch;
  write_checkpoint(scratch.path(), sample_checkpoint());
  const std::string good = bytes_of(scratch / "checkpoint.bin");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    put_bytes(scratch / "checkpoint.bin", bad);
    const bool in_version = i >= 16 && i < 20;
    EXPECT_EQ(error_id([&] { read_checkpoint(scratch.path()); }), in_version ? "GR-514" : "GR-513")
        << i;
  }
}

TEST(Checkpoint, EveryTruncationAndAnExtraByteAreNoticed) {
  const ScratchDirectory scratch;
  write_checkpoint(scratch.path(), sample_checkpoint());
  const std::string good = bytes_of(scratch / "checkpoint.bin");
  for (std::size_t size = 0; size < good.size(); ++size) {
    put_bytes(scratch / "checkpoint.bin", good.substr(0, size));
    EXPECT_EQ(error_id([&] { read_checkpoint(scratch.path()); }), "GR-513") << size;
  }
  put_bytes(scratch / "checkpoint.bin", good + '\0');
  EXPECT_EQ(error_id([&] { read_checkpoint(scratch.path()); }), "GR-513");
}

TEST(Checkpoint, MissingFileAndMissingEntryAreReported) {
  const ScratchDirectory scratch;
  EXPECT_EQ(error_id([&] { read_checkpoint(scratch.path()); }), "GR-512");
  EXPECT_EQ(error_id([] { sample_checkpoint().real("stat"); }), "GR-515");
  EXPECT_EQ(error_id([] { sample_checkpoint().text("state"); }), "GR-515");
  EXPECT_EQ(sample_checkpoint().integer("rows")[1], 42);
}

TEST(Checkpoint, AFailedWriteKeepsThePreviousOne) {
  const ScratchDirectory scratch;
  write_checkpoint(scratch.path(), sample_checkpoint());
  // A directory in the place of the temporary file makes the write fail, for the superuser too.
  const std::string temporary = "checkpoint.bin.tmp" + std::to_string(getpid());
  std::filesystem::create_directory(scratch / temporary);
  EXPECT_EQ(error_id([&] { write_checkpoint(scratch.path(), {}); }), "GR-511");
  EXPECT_EQ(read_checkpoint(scratch.path()), sample_checkpoint());
  EXPECT_EQ(error_id([&] { write_checkpoint(scratch / "missing", {}); }), "GR-511");
}

}  // namespace
}  // namespace grapple::record
