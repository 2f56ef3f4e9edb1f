#include "grapple/base/nearest_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace grapple {
namespace {

const std::vector<std::string> kJoints{"fixed", "revolute", "prismatic", "spherical"};

TEST(NearestName, OneSlipIsForgiven) {
  EXPECT_EQ(nearest_name("revolut", kJoints), "revolute");
  EXPECT_EQ(nearest_name("ervolute", kJoints), "revolute");
  EXPECT_EQ(nearest_name("Fixed", kJoints), "fixed");
  EXPECT_EQ(nearest_name("prismaitc", kJoints), "prismatic");
}

TEST(NearestName, TheFirstOfEquallyNearNamesWins) {
  EXPECT_EQ(nearest_name("lonk", {"link", "lock"}), "link");
}

TEST(NearestName, NothingNearIsNothing) {
  EXPECT_FALSE(nearest_name("gearbox", kJoints));
  EXPECT_FALSE(nearest_name("", kJoints));
  EXPECT_FALSE(nearest_name("x", {"y"}));
  EXPECT_FALSE(nearest_name(std::string(1000000, 'a'), kJoints));
}

// The same by the definition: the whole table of distances, for every name.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      d[i][j] = i == 0 ? j : i;
      if (i == 0 || j == 0) continue;
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(NearestName, IsTheNearestOfManyRandomWords) {
  std::mt19937 engine(3);  // seed
  std::uniform_int_distribution<std::size_t> length(1, 9), letter(0, 2);
  const auto word = [&] {
    std::string text(length(engine), 'a');
    for (char& c : text) c = "abc"[letter(engine)];
    return text;
  };
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::string> valid(12);
    for (std::string& name : valid) name = word();
    const std::string wrong = word();
    std::optional<std::string> nearest;
    std::size_t least = 100;
    for (const std::string& name : valid) {
      const std::size_t longer = std::max(name.size(), wrong.size()), d = distance(wrong, name);
      if (d > std::min((longer + 2) / 3, longer - 1) || d >= least) continue;
      nearest = name;
      least = d;
    }
    EXPECT_EQ(nearest_name(wrong, valid), nearest) << wrong;
    if (nearest) ++found;
  }
  EXPECT_GT(found, 500);
}

TEST(Suggestion, NamesTheNearestElseTheShortList) {
  EXPECT_EQ(suggestion("revolut", kJoints), " (did you mean 'revolute'?)");
  EXPECT_EQ(suggestion("gearbox", {"x", "y"}), " (allowed: x, y)");
  EXPECT_EQ(suggestion("gearbox", std::vector<std::string>(50, "x")), "");
}

}  // namespace
}  // namespace grapple
