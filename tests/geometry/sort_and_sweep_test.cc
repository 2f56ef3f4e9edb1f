// The pairs of the broad phase are those of brute force, at every step and whatever came before.
#include "grapple/geometry/broad_phase/sort_and_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace grapple::geometry {
namespace {

using Pairs = std::vector<PairTable::Pair>;
using spatial::Vec3;

Pairs sorted(const PairTable& table) {
  Pairs all;
  table.for_each([&](const PairTable::Pair& pair) { all.push_back(pair); });
  std::sort(all.begin(), all.end());
  return all;
}

Pairs brute_force(const std::vector<Bounds>& boxes) {
  Pairs all;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    for (std::uint32_t j = i + 1; j < boxes.size(); ++j) {
      if (boxes[i].overlaps(boxes[j])) all.push_back({i, j});
    }
  }
  return all;
}

// Boxes of mixed size that fly about in a room and turn back at its walls. Their places are
// multiples of 1/64 m, so that boxes often touch exactly.
class Flock {
 public:
  explicit Flock(std::size_t count) : random_(7), boxes_(count), velocity_(count) {
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 size = draw(4, 40), centre = draw(-160, 160);
      boxes_[k] = {centre - size, centre + size};
      velocity_[k] = draw(-5, 5);
    }
  }
  void move() {
    for (std::size_t k = 0; k < boxes_.size(); ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        if (boxes_[k].high[axis] > 3.0) velocity_[k][axis] = -std::abs(velocity_[k][axis]);
        if (boxes_[k].low[axis] < -3.0) velocity_[k][axis] = std::abs(velocity_[k][axis]);
      }
      boxes_[k].low += velocity_[k];
      boxes_[k].high += velocity_[k];
    }
  }
  const std::vector<Bounds>& boxes() const { return boxes_; }

 private:
  Vec3 draw(int low, int high) {
    std::uniform_int_distribution<int> number(low, high);
    return Vec3(number(random_), number(random_), number(random_)) / 64.0;
  }
  std::mt19937 random_;
  std::vector<Bounds> boxes_;
  std::vector<Vec3> velocity_;
};

TEST(SortAndSweep, FindsThePairsOfBruteForceAtEveryStep) {
  Flock flock(80);
  SortAndSweep sweep(80, 80 * 79 / 2);
  for (int step = 0; step < 300; ++step, flock.move()) {
    ASSERT_TRUE(sweep.update(flock.boxes()));
    ASSERT_EQ(sorted(sweep.pairs()), brute_force(flock.boxes())) << "step " << step;
  }
}

TEST(SortAndSweep, ForgetsItsPastAfterAJump) {
  Flock one(60);
  SortAndSweep sweep(60, 60 * 59 / 2);
  ASSERT_TRUE(sweep.update(one.boxes()));
  for (int step = 0; step < 50; ++step) one.move();
  ASSERT_TRUE(sweep.update(one.boxes()));
  SortAndSweep fresh(60, 60 * 59 / 2);
  ASSERT_TRUE(fresh.update(one.boxes()));
  EXPECT_EQ(sorted(sweep.pairs()), sorted(fresh.pairs()));
}

TEST(SortAndSweep, SaysWhenThereAreTooManyPairsAndRecovers) {
  std::vector<Bounds> boxes(4, {Vec3::Zero(), Vec3::Ones()});
  SortAndSweep sweep(4, 3);
  EXPECT_FALSE(sweep.update(boxes));  // six pairs
  for (std::size_t k = 0; k < 4; ++k) {
    boxes[k].low.x() = 0.9 * static_cast<double>(k);
    boxes[k].high.x() = 0.9 * static_cast<double>(k) + 1.0;
  }
  EXPECT_TRUE(sweep.update(boxes));
  EXPECT_EQ(sorted(sweep.pairs()), brute_force(boxes));
}

TEST(PairTable, KeepsWhatIsLeftWhenPairsGo) {
  PairTable table(1000);
  std::mt19937 random(3);
  Pairs in;
  for (std::uint32_t k = 0; k < 3000; ++k) {
    const PairTable::Pair pair{static_cast<std::uint32_t>(random() % 40),
                               static_cast<std::uint32_t>(40 + random() % 40)};
    const auto at = std::find(in.begin(), in.end(), pair);
    if (at == in.end() && in.size() < 1000) {
      ASSERT_TRUE(table.insert(pair.high, pair.low));
      in.push_back(pair);
    } else if (at != in.end()) {
      table.erase(pair.low, pair.high);
      in.erase(at);
    }
  }
  std::sort(in.begin(), in.end());
  EXPECT_EQ(sorted(table), in);
  EXPECT_EQ(table.size(), in.size());
}

}  // namespace
}  // namespace grapple::geometry
