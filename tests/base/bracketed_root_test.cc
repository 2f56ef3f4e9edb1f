// The bracketed root: on the asked side, within the tolerance, at most two evaluations more than
// bisection.
#include "grapple/base/bracketed_root.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numbers>

namespace grapple {
namespace {

struct RootCase {
  const char* name;
  std::function<double(double)> f;
  double a, b, root;
};

const std::vector<RootCase>& cases() {
  static const std::vector<RootCase> all{
      {"cosine", [](double x) { return std::cos(x); }, 0.0, 3.0, std::numbers::pi / 2.0},
      {"flat", [](double x) { return std::pow(x - 1.0, 9); }, -3.0, 2.0, 1.0},
      {"steep", [](double x) { return std::cbrt(x - 0.1); }, -1.0, 3.0, 0.1},
      {"jump", [](double x) { return x < 0.7 ? -1.0 : 1e6; }, 0.0, 1.0, 0.7},
      {"pole", [](double x) { return -std::log1p(-x) - 0.5; }, 0.0, 1.0, 1.0 - std::exp(-0.5)}};
  return all;
}

TEST(BracketedRoot, IsWithinTheToleranceAndCostsAtMostTwoMoreThanBisection) {
  for (const RootCase& one : cases()) {
    for (const double tolerance : {1e-3, 1e-6, 1e-12}) {
      SCOPED_TRACE(one.name);
      int evaluations = 0;
      const auto counted = [&](double x) {
        ++evaluations;
        return one.f(x);
      };
      const Bracket found = bracket_root(counted, one.a, one.b, tolerance);
      EXPECT_LE(found.b - found.a, tolerance);
      EXPECT_LE(found.a, one.root);
      EXPECT_GE(found.b, one.root - 1e-16);
      // The bracket's ends, the bisections that the tolerance needs, n0 = 1, and one that rounding
      // costs where the last bracket is as long as the tolerance but for a digit.
      EXPECT_LE(evaluations, 2 + std::ceil(std::log2((one.b - one.a) / tolerance)) + 2);
    }
  }
}

TEST(BracketedRoot, IsFasterThanBisectionOnASmoothFunction) {
  int evaluations = 0;
  const auto f = [&](double x) {
    ++evaluations;
    return std::cos(x);
  };
  EXPECT_NEAR(bracket_root(f, 0.0, 3.0, 1e-12).b, std::numbers::pi / 2.0, 1e-12);
  EXPECT_LT(evaluations, 15);  // bisection: 42
}

TEST(BracketedRoot, GoesDownToNeighbouringNumbers) {
  const auto f = [](double x) { return x * x - 2.0; };
  const Bracket found = bracket_root(f, 0.0, 2.0, 1e-30);
  EXPECT_EQ(std::nextafter(found.a, 2.0), found.b);
  EXPECT_LT(f(found.a), 0.0);
  EXPECT_GE(f(found.b), 0.0);
}

TEST(BracketedRoot, ZeroBelongsToTheSideOfB) {
  const auto rising = [](double x) { return std::max(x - 1.0, 0.0) + std::min(x - 0.5, 0.0); };
  // Zero from 0.5 to 1: the first zero, seen from below.
  EXPECT_NEAR(bracket_root(rising, 0.0, 2.0, 1e-9).b, 0.5, 1e-9);
  const auto falling = [&](double x) { return -rising(x); };
  EXPECT_NEAR(bracket_root(falling, 0.0, 2.0, 1e-9).b, 0.5, 1e-9);
  EXPECT_EQ(bracket_root([](double x) { return x - 1.0; }, 0.0, 1.0, 1e-9).b, 1.0);
}

TEST(BracketedChange, FindsTheNeighboursBetweenWhichAStatementChanges) {
  const Bracket found = bracket_change([](double x) { return x * x * x < 5.0; }, 0.0, 5.0);
  EXPECT_EQ(std::nextafter(found.a, 5.0), found.b);
  EXPECT_NEAR(found.b, std::cbrt(5.0), 1e-15);
  const Bracket rough = bracket_change([](double x) { return x < 0.3; }, 0.0, 1.0, 1e-3);
  EXPECT_LE(rough.b - rough.a, 1e-3);
  EXPECT_NEAR(rough.middle(), 0.3, 5e-4);
}

}  // namespace
}  // namespace grapple
