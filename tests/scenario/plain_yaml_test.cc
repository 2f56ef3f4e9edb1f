// The examples are YAML that other libraries read, without the conveniences of bare_values.h.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>

namespace grapple::scenario {
namespace {

TEST(PlainYaml, IsWhatAllExamplesAreWrittenIn) {
  const std::filesystem::path examples = std::filesystem::path(GRAPPLE_SOURCE_DIR) / "examples";
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(examples)) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_NO_THROW({
      const YAML::Node root = YAML::LoadFile(entry.path().string());
      EXPECT_TRUE(root.IsMap());
    }) << entry.path();
  }
  EXPECT_GT(count, 50);
}

}  // namespace
}  // namespace grapple::scenario
