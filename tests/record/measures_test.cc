#include "grapple/record/measures.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "scratch_directory.h"

namespace grapple::record {
namespace {

using Rows = std::vector<std::pair<double, double>>;

MeasureResult measured(MeasureKind kind, double level, double time, const Rows& rows) {
  Measure measure(kind, level, time);
  for (const auto& [t, v] : rows) measure.add(t, v);
  return measure.result();
}

void expect(const MeasureResult& result, double value, double time) {
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.value, value);
  EXPECT_EQ(result.time, time);
}

// All numbers below are sums of few powers of two, so the results are exact.
const Rows kZigzag = {{0, 0}, {1, 4}, {2, -4}, {4, 4}, {5, 4}};

TEST(Measure, ExtremesAreTheFirstOfTheRecordedRows) {
  expect(measured(MeasureKind::kMax, 0, 0, kZigzag), 4, 1);
  expect(measured(MeasureKind::kMin, 0, 0, kZigzag), -4, 2);
  expect(measured(MeasureKind::kFinal, 0, 0, kZigzag), 4, 5);
  expect(measured(MeasureKind::kMax, 0, 0, {{0, -3}, {1, -5}}), -3, 0);
}

TEST(Measure, ValueAtATimeIsInterpolated) {
  expect(measured(MeasureKind::kAtTime, 0, 0.5, kZigzag), 2, 0.5);
  expect(measured(MeasureKind::kAtTime, 0, 0, kZigzag), 0, 0);
  expect(measured(MeasureKind::kAtTime, 0, 5, kZigzag), 4, 5);
  EXPECT_FALSE(measured(MeasureKind::kAtTime, 0, -1, kZigzag).found);
  EXPECT_FALSE(measured(MeasureKind::kAtTime, 0, 5.5, kZigzag).found);
  expect(measured(MeasureKind::kAtTime, 0, 1, {{0, 0}, {1, 2}, {1, 7}, {2, 7}}), 2, 1);
}

TEST(Measure, FirstCrossingIsInterpolated) {
  expect(measured(MeasureKind::kFirstAbove, 3, 0, kZigzag), 0.75, 0.75);
  expect(measured(MeasureKind::kFirstBelow, -2, 0, kZigzag), 1.75, 1.75);
  expect(measured(MeasureKind::kFirstBelow, 1, 0, kZigzag), 0, 0);
  EXPECT_FALSE(measured(MeasureKind::kFirstAbove, 4, 0, kZigzag).found);
  expect(measured(MeasureKind::kFirstAbove, 3, 0, {{0, 0}, {1, 2}, {1, 7}}), 1, 1);
}

TEST(Measure, DurationAddsThePartsOfTheLine) {
  // Above 2: 0.5..1.25 and 3.5..5.
  expect(measured(MeasureKind::kDurationAbove, 2, 0, kZigzag), 2.25, 5);
  expect(measured(MeasureKind::kDurationBelow, 2, 0, kZigzag), 2.75, 5);
  expect(measured(MeasureKind::kDurationAbove, 9, 0, kZigzag), 0, 5);
}

TEST(Measure, CrossingOfASineConvergesWithTheSquareOfTheStep) {
  const auto error = [](int rows) {
    Measure measure(MeasureKind::kFirstAbove, 0.5, 0.0);
    for (int i = 0; i <= rows; ++i) measure.add(2.0 * i / rows, std::sin(2.0 * i / rows));
    return std::abs(measure.result().value - std::numbers::pi / 6);
  };
  // Linear interpolation: error <= h^2 |v''| / (8 |v'|) = h^2 0.5 / (8 * 0.866), h = 2 / rows,
  // with a little room for v'' growing within the step.
  EXPECT_LT(error(30), 0.08 * std::pow(2.0 / 30, 2));
  EXPECT_LT(error(300), 0.08 * std::pow(2.0 / 300, 2));
}

TEST(Measure, NothingIsFoundWithoutRowsAndNanIsSkipped) {
  const double nan = std::nan("");
  for (const MeasureKind kind :
       {MeasureKind::kMax, MeasureKind::kMin, MeasureKind::kFinal, MeasureKind::kAtTime,
        MeasureKind::kFirstAbove, MeasureKind::kFirstBelow, MeasureKind::kDurationAbove,
        MeasureKind::kDurationBelow}) {
    EXPECT_FALSE(measured(kind, 0, 0, {}).found);
    EXPECT_FALSE(measured(kind, 0, 0, {{0, nan}}).found);
  }
  expect(measured(MeasureKind::kMax, 0, 0, {{0, nan}, {1, 1}, {2, nan}, {3, 0}}), 1, 1);
  expect(measured(MeasureKind::kDurationAbove, 0, 0, {{0, 1}, {1, nan}, {2, 1}, {3, 1}}), 1, 3);
  const double infinity = std::numeric_limits<double>::infinity();
  expect(measured(MeasureKind::kFirstAbove, 0, 0, {{0, -infinity}, {1, 1}}), 1, 1);
  expect(measured(MeasureKind::kDurationAbove, 0, 0, {{0, infinity}, {1, -1}}), 0, 1);
}

const std::vector<ChannelInfo> kChannels = {{"a", "m", ""}, {"b", "rad", ""}};

std::vector<MeasureSpec> all_kinds() {
  std::vector<MeasureSpec> specs;
  for (int kind = 0; kind <= static_cast<int>(MeasureKind::kDurationBelow); ++kind) {
    specs.push_back({"m" + std::to_string(kind), kind % 2 == 0 ? "a" : "b",
                     static_cast<MeasureKind>(kind), 0.3, 1.23});
  }
  return specs;
}

void feed(Measures& measures, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    const double t = 0.1 * i;
    measures.add_row(t, std::vector<double>{std::sin(t), std::cos(3 * t)});
  }
}

TEST(Measures, ResumedAtAnyRowTheyGiveTheSameBits) {
  Measures whole(all_kinds(), kChannels);
  feed(whole, 0, 40);
  for (int cut = 0; cut <= 40; ++cut) {
    Measures first(all_kinds(), kChannels), second(all_kinds(), kChannels);
    feed(first, 0, cut);
    second.restore(first.save());
    feed(second, cut, 40);
    EXPECT_EQ(second.save(), whole.save()) << cut;
  }
}

TEST(Measures, ReadTheirOwnChannelAndKnowTheirUnit) {
  Measures measures(
      {{"x", "b", MeasureKind::kMax, 0, 0}, {"y", "a", MeasureKind::kFirstAbove, 0, 0}}, kChannels);
  measures.add_row(0.0, std::vector<double>{1.0, 7.0});
  EXPECT_EQ(measures.result(0).value, 7.0);
  EXPECT_EQ(measures.unit(0), "rad");
  EXPECT_EQ(measures.unit(1), "s");
}

TEST(Measures, UnknownChannelsAndForeignStatesAreReported) {
  EXPECT_EQ(error_id([] { Measures({{"x", "c", MeasureKind::kMax, 0, 0}}, kChannels); }), "GR-506");
  Measures measures(all_kinds(), kChannels);
  EXPECT_EQ(error_id([&] { measures.restore(std::vector<double>(5)); }), "GR-516");
}

}  // namespace
}  // namespace grapple::record
