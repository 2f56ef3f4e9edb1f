// A brake that a signal sets: at its samples the joint is locked where the signal is at least 0.5,
// and released where it is below.
#pragma once

#include <memory>
#include <string>

#include "grapple/element/sampled_block.h"

namespace grapple::control {

enum class BrakeStart { kReleased, kEngaged };

/// `start`: whether the joint is locked at the start of the run.
std::unique_ptr<element::SampledBlock> make_brake(std::string joint, std::string signal,
                                                  const element::SampledBlock::Schedule& schedule,
                                                  BrakeStart start);

}  // namespace grapple::control
