// The operations on positions as a manifold fit together, on trees with every kind of coordinate.
#include "grapple/dynamics/manifold.h"

#include <gtest/gtest.h>

#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using model::CoordinateBlock;
using model::CoordinateKind;
using model::Model;
using model::State;
using spatial::VecX;
using test::RandomTree;

std::span<const double> view(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
std::span<double> view(VecX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

class Manifold : public testing::TestWithParam<unsigned> {
 protected:
  Manifold() : random(GetParam()), model(random.mixed_model(random.integer(5, 20))), state(model) {
    random.fill(model, state);
  }
  // Turns below half a turn: components within 1.5 rad, norms within 2.6.
  VecX tangent() {
    VecX delta(model.nv());
    for (int k = 0; k < model.nv(); ++k) delta[k] = random.uniform(-1.5, 1.5);
    return delta;
  }
  VecX moved(const VecX& delta) {
    VecX q = state.q;
    move_positions(model, delta, q);
    return q;
  }

  RandomTree random;
  Model model;
  State state;
};
INSTANTIATE_TEST_SUITE_P(Seeds, Manifold, testing::Range(1U, 31U));

TEST_P(Manifold, DifferenceIsTheDisplacementThatWasMoved) {
  const VecX delta = tangent();
  VecX found(model.nv());
  position_difference(model, view(state.q), view(moved(delta)), view(found));
  EXPECT_LT((found - delta).norm(), 1e-13 * delta.norm());  // round-off of sines of half angles
}

TEST_P(Manifold, PositionRatesAreTheDerivativeOfAMoveAndTangentOfTheirInverse) {
  const VecX v = tangent();
  VecX rate(model.nq()), back(model.nv());
  position_rates(model, state.q, v, rate.data());
  const double h = 1e-6;
  const VecX difference = (moved(h * v) - moved(-h * v)) / (2.0 * h);
  EXPECT_LT((rate - difference).norm(), 1e-9 * (1.0 + rate.norm()));  // round-off eps / h
  tangent_of(model, state.q, rate.data(), back);
  EXPECT_LT((back - v).norm(), 1e-14 * v.norm());
}

// q0 o exp(delta + t delta' + t^2 delta'' / 2): v and v' by differences of its positions.
TEST_P(Manifold, RatesAlongAreTheDerivativesOfTheMotion) {
  const VecX delta = tangent(), first = tangent(), second = tangent();
  VecX v(model.nv()), v_rate(model.nv());
  rates_along(model, view(delta), view(first), view(second), view(v), view(v_rate));
  const double h = 1e-4;
  const auto at = [&](double t) { return moved(delta + t * first + 0.5 * t * t * second); };
  const auto rates_at = [&](double t) {
    VecX step(model.nv());
    position_difference(model, view(at(t - h)), view(at(t + h)), view(step));
    return VecX(step / (2.0 * h));
  };
  EXPECT_LT((rates_at(0.0) - v).norm(), 1e-6 * (1.0 + v.norm()));  // h^2 times third derivatives
  const VecX change = (rates_at(h) - rates_at(-h)) / (2.0 * h);
  EXPECT_LT((change - v_rate).norm(), 1e-5 * (1.0 + v_rate.norm()));
}

TEST_P(Manifold, DisplacementRatesInvertRatesAlong) {
  const VecX delta = tangent(), first = tangent(), zero = VecX::Zero(model.nv());
  VecX v(model.nv()), v_rate(model.nv()), found(model.nv());
  rates_along(model, view(delta), view(first), view(zero), view(v), view(v_rate));
  displacement_rates(model, view(delta), view(v), view(found));
  // The inverse grows towards a full turn: at 2.6 rad by a factor of 3.
  EXPECT_LT((found - first).norm(), 1e-13 * first.norm());
}

TEST_P(Manifold, ScalesAreMagnitudesAndOneForTurns) {
  VecX scales(model.nv());
  position_scales(model, view(state.q), view(scales));
  const VecX delta = tangent();
  double turn = 0.0;
  for (const CoordinateBlock& block : model.coordinates()) {
    const bool turns = block.kind == CoordinateKind::kQuaternion;
    for (int k = 0; k < block.count; ++k) {
      EXPECT_EQ(scales[block.v + k], turns ? 1.0 : std::abs(state.q[block.q + k]));
    }
    if (turns) turn = std::max(turn, delta.segment<3>(block.v).norm());
  }
  EXPECT_EQ(largest_turn(model, view(delta)), turn);
}

TEST_P(Manifold, NormalizingKeepsTheDirectionOfQuaternionsAndAllElse) {
  VecX q = state.q;
  for (const CoordinateBlock& block : model.coordinates()) {
    if (block.kind == CoordinateKind::kQuaternion) q.segment<4>(block.q) *= 1.7;
  }
  normalize_quaternions(model, q.data());
  EXPECT_LT((q - state.q).lpNorm<Eigen::Infinity>(), 1e-15);
}

TEST(Turn, IsTheSmallRotationOfAQuaternionOfAnyLength) {
  const spatial::Quat q = 1.3 * spatial::quaternion_exp<double>({0.3, -0.8, 0.5});
  const spatial::Vec3 turn(0.2, -0.1, 0.4);
  const spatial::Quat rate = spatial::quaternion_rate<double>(q, turn);
  EXPECT_LT((turn_of(q, rate) - turn).norm(), 1e-15);
}

}  // namespace
}  // namespace grapple::dynamics
