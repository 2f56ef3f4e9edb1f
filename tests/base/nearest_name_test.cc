#include "grapple/base/nearest_name.h"

#include <gtest/gtest.h>

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

TEST(Suggestion, NamesTheNearestElseTheShortList) {
  EXPECT_EQ(suggestion("revolut", kJoints), " (did you mean 'revolute'?)");
  EXPECT_EQ(suggestion("gearbox", {"x", "y"}), " (allowed: x, y)");
  EXPECT_EQ(suggestion("gearbox", std::vector<std::string>(50, "x")), "");
}

}  // namespace
}  // namespace grapple
