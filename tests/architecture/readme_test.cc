// The README shows real code: its program is the one tests/consumer builds and runs, its scenario
// is the first example. The pages of the documentation link to files that exist, and their index
// knows them all.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = GRAPPLE_SOURCE_DIR;

std::string whole_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The README holds the whole file as a code block of the given language.
void expect_shown(const char* file, const std::string& language) {
  const std::string text = whole_text(kRoot / file);
  ASSERT_FALSE(text.empty()) << file;
  EXPECT_NE(whole_text(kRoot / "README.md").find("```" + language + "\n" + text + "```"),
            std::string::npos)
      << "README.md differs from " << file << ": copy the file into it again";
}

TEST(Readme, ItsProgramsAreThoseTheConsumerTestBuilds) {
  expect_shown("tests/consumer/arm.cc", "cpp");
  expect_shown("tests/consumer/drive.cc", "cpp");
}

TEST(Readme, ItsScenarioIsTheFirstExample) { expect_shown("examples/first/pendulum.yaml", "yaml"); }

// Targets of the links on a page, without those to the web or within the page.
std::vector<fs::path> links_of(const fs::path& page) {
  const std::string text = whole_text(page);
  const std::regex link(R"re(\]\(([^)#:]+)(#[^)]*)?\))re");
  std::vector<fs::path> targets;
  for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
    targets.push_back(fs::weakly_canonical(page.parent_path() / (*it)[1].str()));
  }
  return targets;
}

std::vector<fs::path> pages_below(const fs::path& directory) {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  return pages;
}

TEST(Pages, EveryLinkedFileExists) {
  std::vector<fs::path> pages = pages_below(kRoot / "docs");
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"}) {
    pages.push_back(kRoot / page);
  }
  for (const fs::path& page : pages) {
    for (const fs::path& target : links_of(page)) {
      EXPECT_TRUE(fs::exists(target)) << page << " links to " << target;
    }
  }
}

TEST(Pages, TheIndexOfTheDocumentationHasThemAll) {
  const fs::path index = kRoot / "docs/README.md";
  const std::vector<fs::path> linked = links_of(index);
  for (const fs::path& page : pages_below(kRoot / "docs")) {
    if (page == index) continue;
    EXPECT_NE(std::find(linked.begin(), linked.end(), fs::weakly_canonical(page)), linked.end())
        << page;
  }
}

// Files of the source that a page names in its text: renamed ones must be renamed there too.
TEST(Pages, EverySourceFileTheyNameExists) {
  const std::regex name(R"re((src|tests|bench|docs|examples|viewer|tools)/[\w./-]+\.[a-z]+)re");
  std::vector<fs::path> pages = pages_below(kRoot / "docs");
  for (const char* page : {"README.md", "CONTRIBUTING.md"}) pages.push_back(kRoot / page);
  for (const fs::path& page : pages) {
    const std::string text = whole_text(page);
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(kRoot / it->str())) << page << " names " << it->str();
    }
  }
}

}  // namespace
