// A law that acts continuously is part of the right-hand side: evaluating it allocates nothing, and
// its derivatives are those of the efforts.
#include <gtest/gtest.h>

#include <cmath>

#include "grapple/scenario/build/build.h"
#include "support/allocations.h"

namespace grapple::control {
namespace {

using spatial::VecX;

std::span<const double> span_of(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

scenario::Simulation chens_slew(const char* law) {
  return scenario::build(scenario::load_scenario(
      std::string(GRAPPLE_SOURCE_DIR) + "/examples/chen/" + law + ".yaml", {}));
}

TEST(ContinuousController, EvaluationAllocatesNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizers own malloc";
  for (const char* law : {"flt-slew", "flt-slew-rigid"}) {
    const scenario::Simulation simulation = chens_slew(law);
    const system::System& system = *simulation.system;
    system::Snapshot<double> at(system);
    const VecX x = system.initial_state();
    system.evaluate<double>(0.0, span_of(x), at);
    const long before = allocations.load();
    system.evaluate<double>(0.1, span_of(x), at);
    EXPECT_EQ(allocations.load() - before, 0) << law;
  }
}

// The rate of the slew is measured and fed back: its own column of the Jacobian against differences
// of the accelerations themselves.
TEST(ContinuousController, JacobianIsThatOfTheAccelerations) {
  const scenario::Simulation simulation = chens_slew("flt-slew");
  const system::System& system = *simulation.system;
  const model::Model& model = system.model();
  const model::Link& slew =
      model.link(model.joints()[static_cast<std::size_t>(model.find_joint("slew"))].link);
  const int row = model.nq() + slew.v_index;
  VecX x = system.initial_state();
  const auto n = static_cast<std::size_t>(x.size());
  std::vector<double> J(n * n);
  system::JacobianScratch scratch(system);
  system.jacobian(1.0, span_of(x), J, scratch);
  const double found = J[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(row)];
  // slew'' = nu: the derivative by its own rate is minus the gain, whatever bends.
  EXPECT_NEAR(found, -5.76, 1e-5);
}

}  // namespace
}  // namespace grapple::control
