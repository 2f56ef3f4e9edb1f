// A room may include only rooms of a lower layer (docs/architecture.md). Reads every #include of
// src/ and reports each wrong door.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, int> kLayers = {
    {"base", 0},     {"spatial", 1},    {"flexible", 2},  {"geometry", 2}, {"model", 3},
    {"dynamics", 4}, {"constraint", 5}, {"contact", 5},   {"fem", 5},      {"orbit", 5},
    {"control", 5},  {"system", 6},     {"integrate", 7}, {"record", 8},   {"scenario", 9},
    {"study", 10},   {"view", 10},      {"app", 11}};

// The wrong doors of one file of `room`, one sentence each.
std::vector<std::string> wrong_doors(const std::string& room, const std::string& text) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::vector<std::string> wrong;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, pattern)) continue;
    const fs::path path = match[1].str();
    const std::string at = "line " + std::to_string(number) + ": " + path.string();
    const auto parts = std::vector<fs::path>(path.begin(), path.end());
    if (parts.size() < 3 || parts[0] != "grapple") {
      wrong.push_back(at + " is not written \"grapple/<room>/<file>.h\"");
      continue;
    }
    const std::string other = parts[1].string();
    if (!kLayers.contains(other)) {
      wrong.push_back(at + " enters no known room");
    } else if (other != room && kLayers.at(other) >= kLayers.at(room)) {
      wrong.push_back(at + ": " + room + " (layer " + std::to_string(kLayers.at(room)) +
                      ") may not enter " + other + " (layer " + std::to_string(kLayers.at(other)) +
                      ")");
    }
  }
  return wrong;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_source(const fs::path& file) {
  return file.extension() == ".h" || file.extension() == ".cc";
}

TEST(IncludeDirection, EveryRoomEntersOnlyLowerRooms) {
  const fs::path src = fs::path(GRAPPLE_SOURCE_DIR) / "src";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    if (!is_source(entry.path()) || entry.path().parent_path() == src) continue;
    const std::string room = fs::relative(entry.path(), src).begin()->string();
    ASSERT_TRUE(kLayers.contains(room)) << room << " is no room of docs/architecture.md";
    ++files;
    for (const std::string& door : wrong_doors(room, text_of(entry.path()))) {
      ADD_FAILURE() << entry.path().string() << " " << door;
    }
  }
  EXPECT_GT(files, 50) << "the walk through " << src << " did not see the source";
}

TEST(IncludeDirection, LowerRoomAndOwnRoomAreAllowed) {
  EXPECT_TRUE(wrong_doors("model",
                          "#include \"grapple/spatial/types.h\"\n"
                          "#include \"grapple/model/joint.h\"\n#include <vector>\n")
                  .empty());
}

TEST(IncludeDirection, HigherRoomIsReportedWithItsLine) {
  const auto doors = wrong_doors("model", "// a comment\n#include \"grapple/dynamics/aba.h\"\n");
  ASSERT_EQ(doors.size(), 1u);
  EXPECT_EQ(doors[0],
            "line 2: grapple/dynamics/aba.h: model (layer 3) may not enter dynamics (layer 4)");
}

TEST(IncludeDirection, NeighbourOfTheSameLayerIsReported) {
  EXPECT_EQ(wrong_doors("contact", "#  include \"grapple/orbit/gravity.h\"").size(), 1u);
}

TEST(IncludeDirection, RelativeAndUnknownPathsAreReported) {
  EXPECT_EQ(wrong_doors("model", "#include \"joint.h\"").size(), 1u);
  EXPECT_EQ(wrong_doors("model", "#include \"../dynamics/aba.h\"").size(), 1u);
  EXPECT_EQ(wrong_doors("system", "#include \"grapple/grapple.h\"").size(), 1u);
  EXPECT_EQ(wrong_doors("system", "#include \"grapple/util/text.h\"").size(), 1u);
}

}  // namespace
