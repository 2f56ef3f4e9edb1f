// A module may include only modules of a lower layer, and of those no file in a directory
// `internal` (docs/architecture.md). Reads every #include of src/ and reports each wrong include.
#include <gtest/gtest.h>

#include <algorithm>
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
    {"base", 0},     {"spatial", 1},  {"flexible", 2},   {"geometry", 2},  {"model", 3},
    {"dynamics", 4}, {"element", 5},  {"constraint", 5}, {"contact", 6},   {"force", 6},
    {"orbit", 6},    {"control", 6},  {"fem", 6},        {"system", 7},    {"integrate", 8},
    {"analysis", 8}, {"run", 9},      {"record", 10},    {"scenario", 11}, {"view", 12},
    {"study", 12},   {"interop", 12}, {"app", 13}};

// The wrong includes of one file of `module`, one sentence each.
std::vector<std::string> wrong_includes(const std::string& module, const std::string& text) {
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
      wrong.push_back(at + " is not written \"grapple/<module>/<file>.h\"");
      continue;
    }
    const std::string other = parts[1].string();
    if (!kLayers.contains(other)) {
      wrong.push_back(at + " enters no known module");
    } else if (other != module && kLayers.at(other) >= kLayers.at(module)) {
      wrong.push_back(at + ": " + module + " (layer " + std::to_string(kLayers.at(module)) +
                      ") may not enter " + other + " (layer " + std::to_string(kLayers.at(other)) +
                      ")");
    } else if (other != module &&
               std::find(parts.begin(), parts.end(), "internal") != parts.end()) {
      wrong.push_back(at + " is internal to " + other);
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

TEST(IncludeDirection, EveryModuleEntersOnlyLowerModules) {
  const fs::path src = fs::path(GRAPPLE_SOURCE_DIR) / "src";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    if (!is_source(entry.path()) || entry.path().parent_path() == src) continue;
    const std::string module = fs::relative(entry.path(), src).begin()->string();
    ASSERT_TRUE(kLayers.contains(module)) << module << " is no module of docs/architecture.md";
    ++files;
    for (const std::string& door : wrong_includes(module, text_of(entry.path()))) {
      ADD_FAILURE() << entry.path().string() << " " << door;
    }
  }
  EXPECT_GT(files, 50) << "the walk through " << src << " did not see the source";
}

TEST(IncludeDirection, LowerModuleAndOwnModuleAreAllowed) {
  EXPECT_TRUE(wrong_includes("model",
                             "#include \"grapple/spatial/types.h\"\n"
                             "#include \"grapple/model/joint.h\"\n#include <vector>\n")
                  .empty());
}

TEST(IncludeDirection, HigherModuleIsReportedWithItsLine) {
  const auto doors = wrong_includes("model", "// a comment\n#include \"grapple/dynamics/aba.h\"\n");
  ASSERT_EQ(doors.size(), 1u);
  EXPECT_EQ(doors[0],
            "line 2: grapple/dynamics/aba.h: model (layer 3) may not enter dynamics (layer 4)");
}

TEST(IncludeDirection, NeighbourOfTheSameLayerIsReported) {
  EXPECT_EQ(wrong_includes("contact", "#  include \"grapple/orbit/gravity.h\"").size(), 1u);
}

TEST(IncludeDirection, InternalFilesAreForTheirOwnModule) {
  const std::string text = "#include \"grapple/geometry/solid/internal/box_tree.h\"\n";
  EXPECT_EQ(wrong_includes("contact", text).size(), 1u);
  EXPECT_TRUE(wrong_includes("geometry", text).empty());
}

TEST(IncludeDirection, RelativeAndUnknownPathsAreReported) {
  EXPECT_EQ(wrong_includes("model", "#include \"joint.h\"").size(), 1u);
  EXPECT_EQ(wrong_includes("model", "#include \"../dynamics/aba.h\"").size(), 1u);
  EXPECT_EQ(wrong_includes("system", "#include \"grapple/grapple.h\"").size(), 1u);
  EXPECT_EQ(wrong_includes("system", "#include \"grapple/util/text.h\"").size(), 1u);
}

}  // namespace
