#include "grapple/control/formula_block.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grapple/base/error.h"

namespace grapple::control {
namespace {

using Kind = FormulaBlockSpec::State::Kind;

struct RunBlock {
  explicit RunBlock(FormulaBlockSpec spec) : block(make_formula_block(std::move(spec))) {
    memory.resize(block->memory().size());
    out.resize(block->writes().size());
    block->start(memory);
  }
  void sample(std::int64_t k, std::vector<double> in) {
    element::Sample sample{block->time_of(k), in, out, memory, requests};
    block->update(sample);
  }
  std::unique_ptr<element::SampledBlock> block;
  std::vector<double> memory, out;
  std::vector<element::Request> requests;
};

FormulaBlockSpec spec_in(const std::vector<std::string>& variables,
                         const std::vector<std::pair<std::string, Kind>>& states,
                         const std::string& output, double period) {
  FormulaBlockSpec spec{"b", {period, 0.0, 0.0}, {"channel"}, {}, {}};
  for (std::size_t k = 0; k < states.size(); ++k) {
    spec.states.push_back(
        {variables[k + 1], "1", 1.0, states[k].second, Formula(states[k].first, variables)});
  }
  spec.outputs.push_back({"signal", Formula(output, variables), 1.0});
  return spec;
}

TEST(FormulaBlock, AllFormulasSeeTheOldStates) {
  RunBlock run(spec_in({"u", "a", "b", "T", "t"}, {{"b", Kind::kNext}, {"a + b", Kind::kNext}},
                       "a + 100*u + 1000*t", 0.5));
  const double fibonacci[] = {1, 1, 2, 3, 5, 8, 13, 21};
  for (int k = 0; k < 8; ++k) {
    run.sample(k, {2.0});
    EXPECT_EQ(run.out[0], fibonacci[k] + 200.0 + 500.0 * k);
  }
}

// One classical step of x' = -x multiplies by the series of exp(-T) up to T^4.
TEST(FormulaBlock, RatesGoOneStepOfRungeAndKutta) {
  const double T = 0.3;
  RunBlock run(spec_in({"u", "x", "T", "t"}, {{"-x", Kind::kRate}}, "x", T));
  const double factor = 1.0 - T + T * T / 2 - T * T * T / 6 + T * T * T * T / 24;
  for (int k = 0; k < 10; ++k) {
    run.sample(k, {0.0});
    EXPECT_NEAR(run.out[0], std::pow(factor, k), 1e-15);
  }
  // Of t^3 alone it is the rule of Simpson, which is exact.
  RunBlock cubic(spec_in({"u", "x", "T", "t"}, {{"4*t^3 + u", Kind::kRate}}, "x", T));
  for (int k = 0; k < 10; ++k) {
    cubic.sample(k, {2.0});
    EXPECT_NEAR(cubic.out[0], 1.0 + std::pow(T * k, 4) + 2.0 * T * k, 1e-12);
  }
}

TEST(FormulaBlock, RefusesStatesThatAreNotFinite) {
  RunBlock run(spec_in({"u", "x", "T", "t"}, {{"1/u", Kind::kNext}}, "1", 0.1));
  try {
    run.sample(0, {0.0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-951");
  }
}

}  // namespace
}  // namespace grapple::control
