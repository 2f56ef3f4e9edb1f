// Scenarios built from text, for tests: the simulation, what it is refused with, values at its
// start.
#pragma once

#include <string>

#include "grapple/scenario/build/build.h"
#include "scenario/support.h"

namespace grapple::scenario {

inline Simulation built(const std::string& text) {
  return build(load_scenario_text(with_simulate(text), "test.yaml", {}));
}

/// The ids a scenario is refused with when it is built; "": none.
inline std::string ids_of_build(const std::string& text) {
  try {
    built(text);
  } catch (const Error& error) {
    return ids_in(error);
  }
  return "";
}

/// What it is refused with, in words; "": it is not.
inline std::string refusal(const std::string& text) {
  try {
    built(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline double start_value(const Simulation& simulation, const std::string& channel) {
  const system::System& system = *simulation.system;
  system::Snapshot<double> s(system);
  const spatial::VecX x = system.initial_state();
  system.evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, s);
  return system::channel_value(
      system, system.channels()[static_cast<std::size_t>(system.find_channel(channel))], s);
}

}  // namespace grapple::scenario
