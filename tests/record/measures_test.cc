#include "grapple/record/measures.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "scratch_directory.h"

namespace grapple::record {
namespace {

constexpr double kPi = std::numbers::pi;

/// A channel as a function of time, fed as a run feeds it: in pieces between `ends`, each with its
/// middle. Counts what a measure asks for between.
class Known final : public Curve {
 public:
  explicit Known(std::function<double(double)> f) : f_(std::move(f)) {}
  double at(double t) override {
    ++calls;
    return f_(t);
  }
  void feed(Measure& measure, const std::vector<double>& ends) {
    measure.begin({ends.front(), f_(ends.front())});
    go_on(measure, ends);
  }
  void go_on(Measure& measure, const std::vector<double>& ends) {
    for (std::size_t k = 1; k < ends.size(); ++k) {
      const double middle = 0.5 * (ends[k - 1] + ends[k]);
      if (measure.asks(ends[k - 1], ends[k])) measure.answer(*this);
      if (measure.follows()) {
        measure.follow({middle, f_(middle)}, {ends[k], f_(ends[k])}, *this);
      }
    }
  }
  int calls = 0;

 private:
  std::function<double(double)> f_;
};

std::vector<double> even(double end, int pieces) {
  std::vector<double> ends;
  for (int k = 0; k <= pieces; ++k) ends.push_back(end * k / pieces);
  return ends;
}

MeasureResult measured(MeasureKind kind, double level, double time,
                       const std::function<double(double)>& f, const std::vector<double>& ends) {
  Measure measure(kind, level, time);
  Known(f).feed(measure, ends);
  return measure.result();
}

// Crossings are located to 1e-12 of a piece of length about 1.
constexpr double kRoot = 4e-12;

void expect_near(const MeasureResult& result, double value, double time, double tolerance) {
  EXPECT_TRUE(result.found);
  EXPECT_NEAR(result.value, value, tolerance);
  EXPECT_NEAR(result.time, time, tolerance);
}

double sine(double t) { return std::sin(t); }

// A peak is located to 1e-7 of a piece: its height is right to the square of that.
TEST(Measure, ExtremesBetweenTheSamplesAreFound) {
  for (const int pieces : {3, 4, 5, 7, 10, 31, 100, 1000}) {
    SCOPED_TRACE(pieces);
    const auto ends = even(6.0, pieces);
    const MeasureResult top = measured(MeasureKind::kMax, 0, 0, sine, ends);
    EXPECT_NEAR(top.value, 1.0, 1e-13);
    EXPECT_NEAR(top.time, kPi / 2, 1e-6);
    const MeasureResult bottom = measured(MeasureKind::kMin, 0, 0, sine, ends);
    EXPECT_NEAR(bottom.value, -1.0, 1e-13);
    EXPECT_NEAR(bottom.time, 1.5 * kPi, 1e-6);
  }
}

// Whatever the place of the peak in its piece, also right beside an end.
TEST(Measure, APeakIsFoundWhereverItLiesInItsPiece) {
  for (int k = 0; k <= 200; ++k) {
    const double at = 1.0 + k / 200.0;
    const auto bump = [at](double t) { return std::exp(-(t - at) * (t - at)) + 0.05 * t; };
    // Its slope is zero where 2 (t - at) exp(-(t - at)^2) = 0.05.
    double shift = 0.025;
    for (int i = 0; i < 20; ++i) shift = 0.025 * std::exp(shift * shift);
    const MeasureResult top = measured(MeasureKind::kMax, 0, 0, bump, even(5.0, 5));
    // What is not looked for beside an end is below (1e-4)^2 of the curvature, 2.
    EXPECT_NEAR(top.value, bump(at + shift), 2e-8) << k;
  }
}

TEST(Measure, AnExtremeAtAnEndOrOfAConstantAsksForLittle) {
  Known rising([](double t) { return t; }), level([](double) { return 3.0; });
  for (Known* curve : {&rising, &level}) {
    Measure top(MeasureKind::kMax, 0, 0);
    curve->feed(top, even(10.0, 100));
    EXPECT_EQ(curve->calls, 0);
  }
  // Peaks that cannot be the largest are left alone: one of ten is searched.
  Known decaying([](double t) { return std::exp(-t) * std::sin(2 * kPi * t); });
  Measure top(MeasureKind::kMax, 0, 0);
  decaying.feed(top, even(10.0, 100));
  EXPECT_LT(decaying.calls, 30);
}

TEST(Measure, ValueAtATimeIsTheChannelItself) {
  expect_near(measured(MeasureKind::kAtTime, 0, 0.7, sine, even(2, 2)), std::sin(0.7), 0.7, 0);
  expect_near(measured(MeasureKind::kAtTime, 0, 0, sine, even(2, 2)), 0, 0, 0);
  expect_near(measured(MeasureKind::kAtTime, 0, 2, sine, even(2, 2)), std::sin(2.0), 2, 0);
  EXPECT_FALSE(measured(MeasureKind::kAtTime, 0, -1, sine, even(2, 2)).found);
  EXPECT_FALSE(measured(MeasureKind::kAtTime, 0, 2.5, sine, even(2, 2)).found);
}

TEST(Measure, CrossingsAreRootsOfTheChannel) {
  for (const int pieces : {2, 3, 5, 20}) {
    SCOPED_TRACE(pieces);
    const auto ends = even(3.0, pieces);
    expect_near(measured(MeasureKind::kFirstAbove, 0.5, 0, sine, ends), kPi / 6, kPi / 6, kRoot);
    // Only the vertex passes this level, not the samples.
    const double level = std::sin(kPi / 2 - 0.01);
    expect_near(measured(MeasureKind::kFirstAbove, level, 0, sine, ends), kPi / 2 - 0.01,
                kPi / 2 - 0.01, kRoot);
    EXPECT_FALSE(measured(MeasureKind::kFirstAbove, 1.0 + 1e-12, 0, sine, ends).found);
    const auto mirrored = [](double t) { return -std::sin(t); };
    expect_near(measured(MeasureKind::kFirstBelow, -0.5, 0, mirrored, ends), kPi / 6, kPi / 6,
                kRoot);
  }
  expect_near(measured(MeasureKind::kFirstBelow, 0.1, 0, sine, even(1, 1)), 0, 0, 0);
}

TEST(Measure, DurationsEndAtRoots) {
  for (const int pieces : {3, 4, 7, 50}) {
    SCOPED_TRACE(pieces);
    const auto ends = even(6.0, pieces);
    const MeasureResult above = measured(MeasureKind::kDurationAbove, 0.5, 0, sine, ends);
    EXPECT_NEAR(above.value, 2 * kPi / 3, 2 * kRoot);
    EXPECT_EQ(above.time, 6.0);
    const MeasureResult below = measured(MeasureKind::kDurationBelow, 0.5, 0, sine, ends);
    EXPECT_NEAR(below.value, 6.0 - 2 * kPi / 3, 2 * kRoot);
    // A cap, and a dip, between the samples.
    const double level = std::cos(0.01);
    EXPECT_NEAR(measured(MeasureKind::kDurationAbove, level, 0, sine, ends).value, 0.02,
                2 * kRoot / 0.01);
    EXPECT_NEAR(measured(MeasureKind::kDurationBelow, level, 0, sine, ends).value, 5.98,
                2 * kRoot / 0.01);
  }
}

// Before 1 s the channel is t, from there on 7 - t: two values at one time.
TEST(Measure, AJumpHasTwoValues) {
  const auto fed = [](MeasureKind kind, double level, double time) {
    Measure measure(kind, level, time);
    Known before([](double t) { return t; }), after([](double t) { return 7 - t; });
    before.feed(measure, even(1.0, 2));
    after.feed(measure, {1.0, 2.0, 4.0});
    return measure.result();
  };
  expect_near(fed(MeasureKind::kMax, 0, 0), 6, 1, 0);
  expect_near(fed(MeasureKind::kFirstAbove, 3, 0), 1, 1, 0);
  expect_near(fed(MeasureKind::kAtTime, 0, 1), 1, 1, 0);
  EXPECT_NEAR(fed(MeasureKind::kDurationAbove, 5, 0).value, 1, kRoot);
}

TEST(Measure, NothingIsFoundWithoutValuesAndNanIsSkipped) {
  const double nan = std::nan("");
  for (int k = 0; k <= static_cast<int>(MeasureKind::kDurationBelow); ++k) {
    Measure measure(static_cast<MeasureKind>(k), 0, 0);
    EXPECT_FALSE(measure.result().found);
    measure.begin({0.0, nan});
    measure.row(0.0, nan);
    EXPECT_FALSE(measure.result().found);
  }
  const auto broken = [nan](double t) { return t > 1.1 && t < 1.9 ? nan : t; };
  expect_near(measured(MeasureKind::kMax, 0, 0, broken, even(4, 4)), 4, 4, 0);
  // The piece around it spans no line.
  EXPECT_NEAR(measured(MeasureKind::kDurationAbove, 0, 0, broken, even(4, 4)).value, 3.0, kRoot);
}

TEST(Measure, TheLastRowIsFinal) {
  Measure measure(MeasureKind::kFinal, 0, 0);
  measure.row(1.0, 5.0);
  measure.row(2.0, 6.0);
  expect_near(measure.result(), 6, 2, 0);
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

TEST(Measures, ResumedAnywhereTheyGiveTheSameBits) {
  Known curve([](double t) { return std::sin(t) + 0.3 * std::cos(7 * t); });
  const auto ends = even(4.0, 40);
  const auto part = [&](int from, int to) {
    return std::vector<double>(ends.begin() + from, ends.begin() + to + 1);
  };
  const auto row = [&](Measures& measures, int k) {
    measures.row(ends[static_cast<std::size_t>(k)], std::vector<double>{1.0 * k, 2.0 * k});
  };
  Measures whole(all_kinds(), kChannels);
  for (std::size_t k = 0; k < whole.size(); ++k) curve.feed(whole[k], ends);
  row(whole, 40);
  for (int cut = 0; cut <= 40; ++cut) {
    Measures first(all_kinds(), kChannels), second(all_kinds(), kChannels);
    for (std::size_t k = 0; k < first.size(); ++k) curve.feed(first[k], part(0, cut));
    row(first, cut);
    second.restore(first.save());
    for (std::size_t k = 0; k < second.size(); ++k) curve.go_on(second[k], part(cut, 40));
    row(second, 40);
    EXPECT_EQ(second.save(), whole.save()) << cut;
  }
}

TEST(Measures, ReadTheirOwnChannelAndKnowTheirUnit) {
  Measures measures(
      {{"x", "b", MeasureKind::kMax, 0, 0}, {"y", "a", MeasureKind::kFirstAbove, 0, 0}}, kChannels);
  EXPECT_EQ(measures.channel(0), 1u);
  measures[0].begin({0.0, 7.0});
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
