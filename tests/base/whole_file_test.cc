// Files are read whole or refused, whatever stands in their place.
#include "grapple/base/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace grapple {
namespace {

TEST(WholeFile, IsReadUpToItsLimitAndNotBeyond) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "ten-bytes";
  std::ofstream(path, std::ios::binary) << std::string(
      "01234\0"
      "6789",
      10);
  const WholeFile file = read_whole_file(path, 10);
  EXPECT_EQ(file.state, FileState::kRead);
  EXPECT_EQ(file.bytes, std::string("01234\0"
                                    "6789",
                                    10));
  EXPECT_EQ(read_whole_file(path, 9).state, FileState::kTooLarge);
}

TEST(WholeFile, WhatIsNoFileIsSaid) {
  EXPECT_EQ(read_whole_file("/nowhere/at/all", 10).state, FileState::kMissing);
  EXPECT_EQ(read_whole_file(std::string(5000, 'n'), 10).state, FileState::kMissing);
  EXPECT_EQ(read_whole_file("", 10).state, FileState::kMissing);
  EXPECT_EQ(read_whole_file(testing::TempDir(), 10).state, FileState::kDirectory);
  EXPECT_EQ(read_whole_file("/dev/zero", 10).state, FileState::kSpecial) << "it has no end";
  EXPECT_EQ(read_whole_file("/dev/null", 10).state, FileState::kSpecial);
  const std::string fifo = testing::TempDir() + "grapple-fifo-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_whole_file(fifo, 10).state, FileState::kSpecial) << "it would be waited for";
  unlink(fifo.c_str());
}

}  // namespace
}  // namespace grapple
