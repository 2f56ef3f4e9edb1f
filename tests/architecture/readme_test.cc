// The README shows real code: its program is the one tests/consumer builds and runs, its scenario
// is the first example, and the files it links to exist.
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

// The README holds the whole file as a code block of the given language.
void expect_shown(const char* file, const std::string& language) {
  const std::string text = text_of(kRoot / file);
  ASSERT_FALSE(text.empty()) << file;
  EXPECT_NE(text_of(kRoot / "README.md").find("```" + language + "\n" + text + "```"),
            std::string::npos)
      << "README.md differs from " << file << ": copy the file into it again";
}

TEST(Readme, ItsProgramIsTheOneTheConsumerTestBuilds) {
  expect_shown("tests/consumer/arm.cc", "cpp");
}

TEST(Readme, ItsScenarioIsTheFirstExample) { expect_shown("examples/first/pendulum.yaml", "yaml"); }

TEST(Readme, EveryLinkedFileExists) {
  const std::string readme = text_of(kRoot / "README.md");
  const std::regex link(R"re(\]\(([^)#:]+)\))re");
  for (std::sregex_iterator it(readme.begin(), readme.end(), link), end; it != end; ++it) {
    EXPECT_TRUE(fs::exists(kRoot / (*it)[1].str())) << (*it)[1].str();
  }
}

}  // namespace
