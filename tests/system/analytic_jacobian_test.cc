// df/dx the analytic way equals dual numbers through everything.
#include "grapple/system/internal/analytic_jacobian.h"

#include <gtest/gtest.h>

#include "grapple/force/body_elasticity.h"
#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

// A random tree of all joint types, every other one with flexible bodies, with springs in its
// joints and a bushing to the world.
System random_system(unsigned seed) {
  test::RandomTree random(seed);
  Model model = seed % 2 == 0 ? random.model(7) : random.mixed_model(5);
  std::vector<std::unique_ptr<element::Element>> parts;
  for (int i = 1; i < model.link_count(); ++i) {
    const auto n = static_cast<std::size_t>(model.link(i).nv);
    if (model.link(i).kind == model::Link::Kind::kFlexible) {
      parts.push_back(force::make_body_elasticity(model, i));
    }
    if (n == 0) continue;
    parts.push_back(force::make_joint_spring(model, i, std::vector<double>(n, 3.0 + i),
                                             std::vector<double>(n, 0.1)));
    parts.push_back(force::make_joint_damper(model, i, std::vector<double>(n, 0.2 * i)));
  }
  const model::Frame post{"post", 0, random.pose()}, end{"end", model.link_count() - 1, {}};
  parts.push_back(
      force::make_bushing("bushing", post, end, {{30, 40, 50, 1, 2, 3}, {1, 1, 1, 0.1, 0.1, 0.1}}));
  model::State state(model);
  random.fill(model, state);
  VecX q = state.q, v = state.v;
  return System({std::move(model), q, v, std::move(parts), {}, {}});
}

MatX jacobian_of(const System& system, JacobianScratch& scratch) {
  const VecX x = system.initial_state();
  MatX J(system.size(), system.size());
  system.jacobian(0.0, view(x), {J.data(), static_cast<std::size_t>(J.size())}, scratch);
  return J;
}

TEST(AnalyticJacobian, EqualsDualNumbersOnRandomTrees) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const System system = random_system(seed);
    JacobianScratch analytic(system), dual(system);
    ASSERT_NE(analytic.analytic, nullptr);
    dual.analytic = nullptr;
    const MatX found = jacobian_of(system, analytic), expected = jacobian_of(system, dual);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(),
              1e-9 * (1.0 + expected.cwiseAbs().maxCoeff()));
  }
}

}  // namespace
}  // namespace grapple::system::testing
