#include "grapple/record/channel_info.h"

#include "scratch_directory.h"

namespace grapple::record {
namespace {

std::string fault(const std::vector<std::string>& names) {
  std::vector<ChannelInfo> channels;
  for (const std::string& name : names) channels.push_back({name, "m", ""});
  return error_id([&] { check_channels(channels); });
}

TEST(ChannelNames, SpacesDotsInsideAndUnicodeAreAllowed) {
  EXPECT_EQ(
      fault({"joint/left shoulder/position", "gelenk/größe", "関節/角度", "v1.2", "a..b", "*"}),
      "");
}

TEST(ChannelNames, NamesThatAreNoPathAreRefused) {
  for (const std::string name : {"", "/a", "a/", "a//b", ".", "..", "a/./b", "a/../b", "a\nb",
                                 "bad\xff", "overlong\xc0\xaf", "surrogate\xed\xa0\x80"}) {
    EXPECT_EQ(fault({name}), "GR-504") << name;
  }
  EXPECT_EQ(fault({std::string("a\0b", 3)}), "GR-504");
}

TEST(ChannelNames, ClashesAreRefused) {
  EXPECT_EQ(fault({"a", "b", "a"}), "GR-505");
  EXPECT_EQ(fault({"a/b", "a/b-1", "a/b/c"}), "GR-505");
  EXPECT_EQ(fault({"a/b", "a/bc", "ab"}), "");
}

TEST(ChannelNames, EveryFindingIsReportedAtOnce) {
  try {
    check_channels({{"/a", "", ""}, {"b", "", ""}, {"b", "", ""}, {"b/c", "", ""}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics().size(), 3u);
  }
}

TEST(Glob, StarStaysInsideOnePart) {
  EXPECT_TRUE(glob_matches("joint/*/position", "joint/elbow/position"));
  EXPECT_FALSE(glob_matches("joint/*/position", "joint/left/elbow/position"));
  EXPECT_FALSE(glob_matches("joint/*/position", "joint/elbow/rate"));
  EXPECT_TRUE(glob_matches("*/e*w/*", "joint/elbow/rate"));
  EXPECT_FALSE(glob_matches("*", "a/b"));
}

TEST(Glob, DoubleStarIsAnyNumberOfParts) {
  for (const char* name : {"a", "a/b", "a/b/c"}) EXPECT_TRUE(glob_matches("**", name));
  EXPECT_TRUE(glob_matches("a/**/c", "a/c"));
  EXPECT_TRUE(glob_matches("a/**/c", "a/b/b/c"));
  EXPECT_TRUE(glob_matches("**/c", "c"));
  EXPECT_FALSE(glob_matches("**/c", "a/bc"));
}

TEST(Glob, QuestionMarkIsOneCharacterAlsoOutsideAscii) {
  EXPECT_TRUE(glob_matches("gr??e", "größe"));
  EXPECT_FALSE(glob_matches("gr?e", "größe"));
  EXPECT_FALSE(glob_matches("a?", "a"));
}

TEST(SelectChannels, KeepsChannelOrderAndNamesEachOnce) {
  const std::vector<ChannelInfo> channels = {{"z/x", "", ""}, {"a/x", "", ""}, {"a/y", "", ""}};
  EXPECT_EQ(select_channels(channels, {"a/*", "*/x"}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(select_channels(channels, {"a/x"}), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(select_channels(channels, {}).empty());
}

TEST(SelectChannels, APatternWithoutAChannelIsAnError) {
  const std::vector<ChannelInfo> channels = {{"joint/elbow/position", "rad", ""}};
  EXPECT_EQ(error_id([&] { select_channels(channels, {"**", "body/*"}); }), "GR-506");
  EXPECT_EQ(error_id([&] { find_channel(channels, "joint/elbow/positon"); }), "GR-506");
  EXPECT_EQ(find_channel(channels, "joint/elbow/position"), 0u);
}

}  // namespace
}  // namespace grapple::record
