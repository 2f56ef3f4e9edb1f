// The README shows real code: its C++ program is the one tests/consumer builds and runs, and the
// pages it links to exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = GRAPPLE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Readme, ItsProgramIsTheOneTheConsumerTestBuilds) {
  const std::string program = text_of(kRoot / "tests/consumer/arm.cc");
  ASSERT_FALSE(program.empty());
  EXPECT_NE(text_of(kRoot / "README.md").find("```cpp\n" + program + "```"), std::string::npos)
      << "README.md differs from tests/consumer/arm.cc";
}

TEST(Readme, EveryLinkedPageExists) {
  const std::string readme = text_of(kRoot / "README.md");
  const std::regex link(R"re([^!]\[[^\]]*\]\(([^)#:]+)\))re");
  for (std::sregex_iterator it(readme.begin(), readme.end(), link), end; it != end; ++it) {
    EXPECT_TRUE(fs::exists(kRoot / (*it)[1].str())) << (*it)[1].str();
  }
}

}  // namespace
