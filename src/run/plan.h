// What happens in a run: how it is integrated, how long, and what switches when.
#pragma once

#include <string>
#include <vector>

#include "grapple/integrate/options.h"
#include "grapple/integrate/problem.h"

namespace grapple::run {

/// What an event, or a moment in time, does to the system.
struct Switch {
  enum class Kind { kRecord, kStop, kLock, kUnlock, kEnable, kDisable, kLatch, kRelease };
  Kind kind = Kind::kRecord;
  int target = 0;  ///< link to (un)lock, element to enable / disable, loop to latch / release
};

/// When a channel passes a level.
struct EventSpec {
  std::string name;
  std::string channel;
  double level = 0.0;
  integrate::Crossing direction = integrate::Crossing::kBoth;
  Switch action;
};

/// At a time.
struct TimedSwitch {
  std::string name;
  double time = 0.0;  ///< s
  Switch action;
};

struct Plan {
  integrate::IntegratorOptions integrator;
  double duration = 1.0;      ///< s
  double record_every = 0.0;  ///< s, between outputs; <= 0: every accepted step
  std::vector<EventSpec> events;
  std::vector<TimedSwitch> switches;
};

}  // namespace grapple::run
