// docs/errors.md and the sources name the same error ids.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "program/support.h"

namespace grapple::program {
namespace {

std::set<std::string> ids_in(const std::string& text, const std::regex& pattern) {
  std::set<std::string> ids;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    ids.insert((*it)[1].str());
  }
  return ids;
}

// Ids as the sources throw them, in quotes; comments may speak of ranges.
std::set<std::string> thrown_ids() {
  const std::regex quoted("\"(GR-[0-9]{3})\"");
  std::set<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(source_directory() / "src")) {
    if (entry.path().extension() != ".cc") continue;
    all.merge(ids_in(text_of(entry.path()), quoted));
  }
  return all;
}

TEST(ErrorsPage, ListsEveryIdOfTheSourcesAndNoOther) {
  const std::string page = text_of(source_directory() / "docs/errors.md");
  const std::regex heading("\n### (GR-[0-9]{3})");
  const std::set<std::string> listed = ids_in(page, heading), thrown = thrown_ids();
  for (const std::string& id : thrown) EXPECT_TRUE(listed.contains(id)) << id << " is not listed";
  for (const std::string& id : listed) EXPECT_TRUE(thrown.contains(id)) << id << " is not thrown";
  EXPECT_GT(listed.size(), 60u);
}

TEST(ErrorsPage, GivesEveryIdACauseACureAndAMessage) {
  const std::string page = text_of(source_directory() / "docs/errors.md");
  for (std::size_t at = page.find("\n### GR-"); at != std::string::npos;) {
    const std::size_t next = page.find("\n### GR-", at + 1);
    const std::string entry = page.substr(at, next - at);
    for (const char* part : {"Cause:", "Cure:", "```\nGR-"}) {
      EXPECT_NE(entry.find(part), std::string::npos) << entry.substr(1, 10) << " lacks " << part;
    }
    at = next;
  }
}

}  // namespace
}  // namespace grapple::program
