// A plan in terms of the integrator, and what its switches do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/run/plan.h"
#include "grapple/system/system.h"

namespace grapple::run {

/// The place of a channel, GR-506 if there is none; of a signal, GR-952.
int place_of_channel(const system::System& system, std::string_view name);
int place_of_signal(const system::System& system, std::string_view name);

/// The plan's events as zeros of channels, in its order; GR-506 for an unknown channel.
std::vector<integrate::ChannelCrossing> crossings_of(const Plan& plan,
                                                     const system::System& system);

/// From `t_start` to the plan's end, stopping at kinks of the system and at timed switches.
integrate::SimulationSpan span_of(const system::System& system, const Plan& plan, double t_start);

/// What a block asks for, in terms of the system; GR-952 if there is no such target.
Switch switch_of(const element::Request& request, const system::System& system);

/// What a switch led to.
struct Applied {
  integrate::Action action;  ///< kRestart if the system or x changed, kStop if the run ends
  std::string miss;  ///< in words, if a latch found nothing to hold or a contact was too deep
};
Applied apply(const Switch& action, system::System& system, double t, std::span<double> x);

}  // namespace grapple::run
