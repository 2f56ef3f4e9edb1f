#include "grapple/control/formula_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"

namespace grapple::control {

namespace {

using BlockState = FormulaBlockSpec::State;
using BlockValues = std::array<double, FormulaBlockSpec::kMostVariables>;

class FormulaBlock final : public element::SampledBlock {
 public:
  explicit FormulaBlock(FormulaBlockSpec spec)
      : SampledBlock(spec.name, spec.schedule), spec_(std::move(spec)) {
    GRAPPLE_ASSERT(schedule().period > 0.0 && count() <= FormulaBlockSpec::kMostVariables);
  }

  std::vector<std::string> reads() const override { return spec_.channels; }
  std::vector<std::string> writes() const override {
    std::vector<std::string> signals;
    for (const FormulaBlockSpec::Output& output : spec_.outputs) signals.push_back(output.signal);
    return signals;
  }
  std::vector<element::Output> memory() const override {
    std::vector<element::Output> numbers;
    for (const BlockState& state : spec_.states) numbers.push_back({state.name, state.unit});
    return numbers;
  }
  void start(std::span<double> memory) const override {
    for (std::size_t k = 0; k < spec_.states.size(); ++k) memory[k] = spec_.states[k].initial;
  }

  void update(element::Sample& sample) const override {
    BlockValues variables{};
    std::copy(sample.in.begin(), sample.in.end(), variables.begin());
    double* const states = variables.data() + sample.in.size();
    std::copy(sample.memory.begin(), sample.memory.end(), states);
    states[spec_.states.size()] = schedule().period;
    states[spec_.states.size() + 1] = sample.t;
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k) {
      const FormulaBlockSpec::Output& output = spec_.outputs[k];
      sample.out[k] = output.factor * output.formula(used(variables));
    }
    const BlockValues changes = changes_over_period(variables);
    for (std::size_t k = 0; k < spec_.states.size(); ++k) {
      const BlockState& state = spec_.states[k];
      double& kept = sample.memory[k];
      kept = state.kind == BlockState::Kind::kRate ? kept + changes[k]
                                                   : state.formula(used(variables));
      if (std::isfinite(kept)) continue;
      throw Error("GR-951", fmt::format("block '{}'", name()),
                  fmt::format("its state '{}' is not finite at {:.6g} s", state.name, sample.t));
    }
  }

 private:
  std::size_t count() const { return spec_.channels.size() + spec_.states.size() + 2; }
  std::span<const double> used(const BlockValues& values) const {
    return std::span(values).first(count());
  }

  // Of the states given by rates: the classical method of fourth order. The others hold.
  BlockValues changes_over_period(const BlockValues& start) const {
    BlockValues sum{}, rates{};
    const bool any = std::ranges::any_of(spec_.states, [](const BlockState& state) {
      return state.kind == BlockState::Kind::kRate;
    });
    if (!any) return sum;
    constexpr std::array<double, 4> kPlaces = {0.0, 0.5, 0.5, 1.0};
    constexpr std::array<double, 4> kWeights = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    const double T = schedule().period;
    const std::size_t first = spec_.channels.size();
    for (std::size_t stage = 0; stage < 4; ++stage) {
      BlockValues at = start;
      at[first + spec_.states.size() + 1] += kPlaces[stage] * T;
      for (std::size_t k = 0; k < spec_.states.size(); ++k)
        at[first + k] += kPlaces[stage] * T * rates[k];
      for (std::size_t k = 0; k < spec_.states.size(); ++k) {
        if (spec_.states[k].kind == BlockState::Kind::kRate) {
          rates[k] = spec_.states[k].formula(used(at));
          sum[k] += kWeights[stage] * T * rates[k];
        }
      }
    }
    return sum;
  }

  FormulaBlockSpec spec_;
};

}  // namespace

std::unique_ptr<element::SampledBlock> make_formula_block(FormulaBlockSpec spec) {
  return std::make_unique<FormulaBlock>(std::move(spec));
}

}  // namespace grapple::control
