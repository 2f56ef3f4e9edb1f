// Points for measures: all at `full`, none at `none`, in proportion between; a broken limit costs
// everything.
#include "grapple/record/score/score.h"

#include <gtest/gtest.h>

#include <limits>

namespace grapple::record {
namespace {

// Less is better: 40 points at 60 s, none at 120 s.
const ScoreTerm kTime{"time", "latched", 40.0, 60.0, 120.0};
// More is better: 10 points at 5 m, none at 1 m.
const ScoreTerm kReach{"reach", "far", 10.0, 5.0, 1.0};

MeasureResult found(double value) { return {value, 1.0, true}; }

TEST(Score, IsInProportionBetweenFullAndNone) {
  EXPECT_EQ(points_for(kTime, found(60.0)), 40.0);
  EXPECT_EQ(points_for(kTime, found(75.0)), 30.0);  // (120 - 75) / 60 of 40, exact in binary
  EXPECT_EQ(points_for(kTime, found(120.0)), 0.0);
  EXPECT_EQ(points_for(kReach, found(2.0)), 2.5);  // (1 - 2) / (1 - 5) of 10
}

TEST(Score, EndsAtFullAndAtNone) {
  EXPECT_EQ(points_for(kTime, found(10.0)), 40.0);
  EXPECT_EQ(points_for(kTime, found(500.0)), 0.0);
  EXPECT_EQ(points_for(kReach, found(50.0)), 10.0);
  EXPECT_EQ(points_for(kReach, found(-3.0)), 0.0);
}

TEST(Score, GivesNothingForWhatWasNotMet) {
  EXPECT_EQ(points_for(kTime, {0.0, 0.0, false}), 0.0);
  EXPECT_EQ(points_for(kTime, found(std::numeric_limits<double>::quiet_NaN())), 0.0);
}

TEST(Score, IsTheSumOfItsTerms) {
  const Score score = score_of({kTime, kReach}, {{"far", "x", "m", found(2.0)},
                                                 {"other", "y", "N", found(1.0)},
                                                 {"latched", "z", "s", found(75.0)}});
  EXPECT_EQ(score.points, 32.5);
  EXPECT_EQ(score.most, 50.0);
  EXPECT_FALSE(score.broken());
  EXPECT_EQ(score.terms[0].unit, "s");
  EXPECT_EQ(score.terms[1].result.value, 2.0);
}

TEST(Score, IsLostBeyondALimitOnTheSideOfNone) {
  ScoreTerm time = kTime, reach = kReach;
  time.limit = 150.0;
  reach.limit = 0.5;
  const auto total = [&](double seconds, double metres) {
    return score_of({time, reach},
                    {{"latched", "z", "s", found(seconds)}, {"far", "x", "m", found(metres)}});
  };
  EXPECT_EQ(total(150.0, 5.0).points, 10.0);  // at the limit, not beyond
  EXPECT_EQ(total(150.1, 5.0).points, 0.0);
  EXPECT_TRUE(total(150.1, 5.0).broken());
  EXPECT_EQ(total(150.1, 5.0).terms[1].points, 10.0);  // what was achieved is still shown
  EXPECT_EQ(total(60.0, 0.4).points, 0.0);
  EXPECT_EQ(total(60.0, 50.0).points, 50.0);
}

TEST(Score, DoesNotBreakALimitThatWasNeverReached) {
  ScoreTerm time = kTime;
  time.limit = 150.0;
  EXPECT_FALSE(score_of({time}, {{"latched", "z", "s", {}}}).broken());
}

TEST(Score, TextNamesTermsValuesAndTotal) {
  const Score score = score_of({kTime, kReach}, {{"latched", "z", "s", found(75.0)}});
  const std::string text = score_text(score);
  EXPECT_NE(text.find("30 of 40"), std::string::npos) << text;
  EXPECT_NE(text.find("75 s"), std::string::npos) << text;
  EXPECT_NE(text.find("not met"), std::string::npos) << text;
  EXPECT_NE(text.find("30 of 50"), std::string::npos) << text;
}

TEST(Score, ComparisonShowsDifferencesToTheFirst) {
  const auto run = [](double seconds) {
    return score_of({kTime}, {{"latched", "z", "s", found(seconds)}});
  };
  const std::string text = comparison_text({run(75.0), run(90.0)}, {"a", "b"});
  EXPECT_NE(text.find("(-10)"), std::string::npos) << text;
  EXPECT_NE(text.find("30 of 40"), std::string::npos) << text;
  EXPECT_NE(text.find("20 of 40"), std::string::npos) << text;
}

}  // namespace
}  // namespace grapple::record
