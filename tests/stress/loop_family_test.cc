// Random mechanisms with closed loops, overconstrained ones among them, at tolerances from 1e-3 to
// 1e-10: the energy balance closes, loops stay closed, and the end agrees with that of a run at
// 1e-12 (or with another mechanism that moves the same way).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "loop_mechanism.h"
#include "stress.h"

namespace grapple::stress {
namespace {

using MakeRing = Ring (*)(Dice&);

// How much an error may grow over the second of a run, with some hundred steps at the tolerance
// each: bars swing with rates of some 10 1/s, so that neighbours part by a factor of e^5 or so.
constexpr double kGrowth = 1e3;

struct Case {
  std::string what, text;
  const Ending& limit;
};

void judge(const Case& one, double tolerance, Tally& tally) {
  const Ending ending = run_scenario(one.text, {fmt::format("simulate.tolerance={:g}", tolerance)});
  if (!ending.claims_to_be_right) {
    tally.refused(ending.reason);
    return;
  }
  const double off = std::abs(ending.measures.at("angle") - one.limit.measures.at("angle"));
  const double speed = 1.0 + std::abs(one.limit.measures.at("rate"));
  if (off <= kGrowth * tolerance * speed && ending.relative_residual < 1e-2 &&
      ending.measures.at("gap") < 1e-9) {
    tally.right();
  } else {
    tally.wrong(fmt::format("{}, tolerance {:g}: off {:.2e} rad, residual {:.2e}, gap {:.1e} m",
                            one.what, tolerance, off, ending.relative_residual,
                            ending.measures.at("gap")));
  }
}

void run_family(const char* name, MakeRing make, int copies, int count) {
  Tally tally(name);
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<unsigned>(2000 + i);
    Dice dice(seed);
    const Ring ring = make(dice);
    Dice same = dice;
    const std::string single = ring_scenario(ring, dice);
    const Ending limit = run_scenario(single, {"simulate.tolerance=1e-12"});
    if (!limit.claims_to_be_right) {
      tally.refused(limit.reason);
      continue;
    }
    const std::string text = ring_scenario(ring, same, copies);
    for (int digits = 3; digits <= 10; ++digits) {
      judge({fmt::format("{} seed {}", name, seed), text, limit}, std::pow(10.0, -digits), tally);
    }
  }
}

TEST(Loops, BennettMechanisms) { run_family("bennett", random_bennett, 1, cases(5, 150)); }
TEST(Loops, BricardMechanisms) { run_family("bricard", random_bricard, 1, cases(4, 100)); }
TEST(Loops, SarrusMechanisms) { run_family("sarrus", random_sarrus, 1, cases(3, 60)); }
TEST(Loops, FourBarsInSpace) { run_family("four-bar", random_four_bar, 1, cases(3, 60)); }
TEST(Loops, SevenBars) { run_family("seven-bar", random_seven_bar, 1, cases(3, 60)); }
// More than 24 rows: solved along the tree. The copies move as one alone does.
TEST(Loops, SixBennettMechanisms) { run_family("6 x bennett", random_bennett, 6, cases(1, 20)); }
TEST(Loops, SixSarrusMechanisms) { run_family("6 x sarrus", random_sarrus, 6, cases(1, 10)); }

void run_parallelograms(const char* name, int least, int most, double rate, int count) {
  Tally tally(name);
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<unsigned>(3000 + i);
    Dice dice(seed);
    Parallelogram p = random_parallelogram(dice, dice.whole(least, most));
    p.rate = rate * dice.uniform(0.8, 1.2);
    const Ending limit = run_scenario(equal_pendulum_scenario(p), {"simulate.tolerance=1e-12"});
    ASSERT_TRUE(limit.claims_to_be_right) << limit.reason;
    const std::string text = parallelogram_scenario(p);
    for (int digits = 3; digits <= 10; ++digits) {
      judge({fmt::format("{} seed {}", name, seed), text, limit}, std::pow(10.0, -digits), tally);
    }
  }
}

// Against the pendulum that moves the same way.
TEST(Loops, Parallelograms) { run_parallelograms("parallelogram", 2, 5, 0.0, cases(4, 100)); }
TEST(Loops, LongParallelograms) {
  run_parallelograms("long parallelogram", 7, 12, 0.0, cases(1, 20));
}
// Fast enough to pass the flat position, where the other branch begins.
TEST(Loops, ParallelogramsThatFlatten) {
  run_parallelograms("flattening parallelogram", 2, 5, 9.0, cases(4, 100));
}

}  // namespace
}  // namespace grapple::stress
