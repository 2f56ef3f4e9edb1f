// The coordinate map says of every number of q and v what it is and whose.
#include "grapple/model/coordinate_map.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_tree.h"

namespace grapple::model {
namespace {

using test::RandomTree;

constexpr unsigned kTrees = 50;

TEST(CoordinateMap, BlocksFollowEachOtherAndCoverAllCoordinates) {
  for (unsigned seed = 1; seed <= kTrees; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree random(seed);
    const Model model = random.mixed_model(random.integer(1, 20));
    int q = 0, v = 0;
    for (const CoordinateBlock& block : model.coordinates()) {
      EXPECT_EQ(block.q, q);
      EXPECT_EQ(block.v, v);
      for (int k = 0; k < block.positions(); ++k) {
        EXPECT_EQ(&model.coordinates().of_position(q + k), &block);
      }
      for (int k = 0; k < block.count; ++k) {
        EXPECT_EQ(&model.coordinates().of_rate(v + k), &block);
        EXPECT_EQ(block.number_of(v + k), block.first + k);
      }
      q += block.positions();
      v += block.count;
    }
    EXPECT_EQ(q, model.nq());
    EXPECT_EQ(v, model.nv());
  }
}

// The recursions go by the indices of the links: both must mean the same.
TEST(CoordinateMap, AgreesWithTheIndicesOfTheLinks) {
  for (unsigned seed = 1; seed <= kTrees; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree random(seed);
    const Model model = random.mixed_model(random.integer(1, 20));
    for (const CoordinateBlock& block : model.coordinates()) {
      const Link& link = model.link(block.link);
      switch (block.kind) {
        case CoordinateKind::kPlain:
          EXPECT_EQ(block.v, link.v_index);
          EXPECT_EQ(block.q, link.q_index);
          EXPECT_EQ(block.count, vector_count(link.type));
          break;
        case CoordinateKind::kQuaternion:
          EXPECT_EQ(block.q, link.q_index + quaternion_offset(link.type));
          EXPECT_EQ(block.v, link.v_index + quaternion_offset(link.type));
          EXPECT_EQ(block.count, 3);
          break;
        case CoordinateKind::kModal:
          EXPECT_EQ(block.v, link.v_modal);
          EXPECT_EQ(block.q, link.q_modal);
          EXPECT_EQ(block.count, link.modes);
          break;
        case CoordinateKind::kMotor:
          EXPECT_EQ(block.v, link.v_motor);
          EXPECT_EQ(block.q, link.q_motor);
          EXPECT_EQ(block.count, link.motors);
          break;
      }
    }
    for (int i = 0; i < model.link_count(); ++i) {
      int rates = 0;
      for (const CoordinateBlock& block : model.coordinates().of_link(i)) {
        EXPECT_EQ(block.link, i);
        rates += block.count;
      }
      EXPECT_EQ(rates, model.link(i).nv + model.link(i).modes);
    }
  }
}

TEST(CoordinateMap, TellsTheUnitOfEveryRate) {
  RandomTree random(1);
  ModelBuilder builder;
  builder.add_flexible_body("boom", random.flexible_body(2, 0.1));  // floats: a free joint
  builder.add_body("cart", random.mass_properties());
  JointSpec slide;
  slide.name = "rail";
  slide.type = JointType::kCylindrical;
  slide.child = "cart";
  slide.transmission = JointSpec::Transmission::kFlexible;
  slide.reflected_inertia = {0.1, 0.2};
  builder.add_joint(slide);
  const Model model = builder.build();
  constexpr RateUnit kTurn = RateUnit::kAngular, kSlide = RateUnit::kLinear,
                     kMode = RateUnit::kModal;
  const std::vector<RateUnit> expected{kSlide, kSlide, kSlide, kTurn,  kTurn, kTurn,
                                       kMode,  kMode,  kTurn,  kSlide, kTurn, kSlide};
  ASSERT_EQ(model.nv(), static_cast<int>(expected.size()));
  for (int v = 0; v < model.nv(); ++v) {
    EXPECT_EQ(unit_of_rate(model, v), expected[static_cast<std::size_t>(v)]) << v;
  }
}

TEST(State, StartsWithUnitQuaternionsAndZerosElsewhere) {
  RandomTree random(3);
  const Model model = random.mixed_model(20);
  const State state(model);
  double quaternions = 0.0;
  for (const CoordinateBlock& block : model.coordinates()) {
    if (block.kind != CoordinateKind::kQuaternion) continue;
    EXPECT_EQ(state.q[block.q], 1.0);
    ++quaternions;
  }
  ASSERT_GT(quaternions, 0.0) << "the tree has no orientation";
  EXPECT_EQ(state.q.cwiseAbs().sum(), quaternions);
}

}  // namespace
}  // namespace grapple::model
