#include "grapple/record/input_file.h"

#include <gtest/gtest.h>

namespace grapple::record {
namespace {

using Kind = InputFile::Kind;

const std::vector<InputFile> kFiles = {{Kind::kScenario, "arm.yaml", digest_text("a")},
                                       {Kind::kScenario, "base.yaml", digest_text("b")},
                                       {Kind::kData, "parts/my hook.obj", digest_text("c")}};

TEST(InputFiles, ReadBackAsWritten) {
  EXPECT_EQ(parse_input_lines(input_lines(kFiles)), kFiles);
  EXPECT_TRUE(parse_input_lines("").empty());
  EXPECT_TRUE(parse_input_lines("nonsense\ndata only-two\nmesh 12 x\n").empty());
}

TEST(InputFiles, AChangeIsNamed) {
  EXPECT_EQ(changed_input(Kind::kData, kFiles, kFiles), "");
  std::vector<InputFile> now = kFiles;
  now[2].digest = digest_text("C");
  EXPECT_EQ(changed_input(Kind::kScenario, kFiles, now), "");
  EXPECT_EQ(changed_input(Kind::kData, kFiles, now), "'parts/my hook.obj' has changed since");
  now[2] = {Kind::kData, "other.obj", digest_text("c")};
  EXPECT_EQ(changed_input(Kind::kData, kFiles, now),
            "'parts/my hook.obj' is no longer one of its files");
  now = kFiles;
  now.push_back({Kind::kData, "new.obj", digest_text("d")});
  EXPECT_EQ(changed_input(Kind::kData, kFiles, now), "'new.obj' was not one of its files");
}

// FNV-1a, 64 bits: the published value of "a" (Fowler, Noll, Vo; RFC 9923 appendix).
TEST(InputFiles, TheDigestIsFnv1a) { EXPECT_EQ(digest_text("a"), "af63dc4c8601ec8c"); }

}  // namespace
}  // namespace grapple::record
