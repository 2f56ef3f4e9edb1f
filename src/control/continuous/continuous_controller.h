// A controller that acts continuously: its law is evaluated with the equations of motion instead of
// now and then. It is the limit of a sampled controller as its period goes to zero, for laws that
// remember nothing, and what sources mean that know no sampling. Where the loop is stiff (a rigid
// model of a flexible arm sees a rotor with the inertia of the whole arm) an implicit integrator
// takes long steps, while a sampled loop would need a period below twice the fastest time constant.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/base/function.h"
#include "grapple/element/sampled_block.h"

namespace grapple::control {

struct ContinuousAction {
  /// A coordinate that the law reads: an entry of q or v of the simulated model.
  struct Coordinate {
    enum class Kind { kPosition, kRate };
    Kind kind = Kind::kPosition;
    int index = 0;
  };
  std::vector<Coordinate> reads;         ///< in the order of the block's reads()
  std::vector<int> rates;                ///< that its efforts act on, in the order of writes()
  std::vector<element::Output> efforts;  ///< their names behind the controller's, and units
  std::vector<Function> functions;       ///< that it follows: steps end where they have kinks
};

/// The law of a block whose memory has no influence on what it writes; its memory is shown. Its
/// derivatives are central differences, good to some 1e-8 of its efforts.
std::unique_ptr<element::Element> make_continuous_controller(
    std::unique_ptr<element::SampledBlock> law, ContinuousAction action);

/// Whether an element is such a law, part of the equations of motion.
bool is_continuous_controller(const element::Element& element);

}  // namespace grapple::control
