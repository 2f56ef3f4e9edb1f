// A sampled block written as formulas. At a sample, with the inputs u as they are read, the states
// x as they were and the period T,
//   outputs   y = g(x, u, T, t)
//   states    x <- f(x, u, T, t)                      (given by `next`)
//             x <- one step of Runge and Kutta of length T through x' = f, u held  (given by
//             `rate`)
// All formulas see the old states: what a block writes and how it goes on is worked out at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/base/formula.h"
#include "grapple/element/sampled_block.h"

namespace grapple::control {

struct FormulaBlockSpec {
  struct State {
    enum class Kind { kNext, kRate };
    std::string name, unit;
    double initial = 0.0;
    Kind kind = Kind::kNext;
    Formula formula;  ///< of its next value, or of its rate
  };
  struct Output {
    std::string signal;
    Formula formula;
    double factor = 1.0;  ///< from the formula's unit to SI
  };
  std::string name;
  element::SampledBlock::Schedule schedule;
  std::vector<std::string> channels;  ///< of the inputs
  std::vector<State> states;
  std::vector<Output> outputs;

  /// Formulas are of the variables: inputs, states, T, t, in this order; no more than this.
  static constexpr std::size_t kMostVariables = 64;
};

std::unique_ptr<element::SampledBlock> make_formula_block(FormulaBlockSpec spec);

}  // namespace grapple::control
