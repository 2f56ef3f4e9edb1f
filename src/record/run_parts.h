// What a recorded and a live run share: a plan in terms of the integrator, and what its switches
// do. Internal to those who run systems.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/record/channel_info.h"
#include "grapple/record/run.h"

namespace grapple::record {

std::vector<ChannelInfo> all_channels(const system::System& system);

/// The plan's events as zeros of channels, in its order; GR-506 for an unknown channel.
std::vector<integrate::ChannelCrossing> crossings_of(const RunPlan& plan,
                                                     const system::System& system);

/// From 0 to the plan's end, stopping at kinks of the system and at timed switches.
integrate::SimulationSpan span_of(const system::System& system, const RunPlan& plan);

/// What a switch led to.
struct Applied {
  integrate::Action action;  ///< kRestart if the system or x changed, kStop if the run ends
  std::string miss;  ///< in words, if a latch found nothing to hold or a contact was too deep
};
Applied apply(const Switch& action, system::System& system, double t, std::span<double> x);

}  // namespace grapple::record
