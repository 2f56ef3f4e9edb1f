#include "grapple/run/internal/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"

namespace grapple::run {

using integrate::Action;
using system::System;

std::vector<integrate::ChannelCrossing> crossings_of(const Plan& plan, const System& system) {
  std::vector<integrate::ChannelCrossing> crossings;
  for (const EventSpec& event : plan.events) {
    crossings.push_back({place_of_channel(system, event.channel), event.level, event.direction});
  }
  return crossings;
}

int place_of_channel(const System& system, std::string_view name) {
  const int place = system.find_channel(name);
  if (place >= 0) return place;
  std::vector<std::string> names;
  for (const system::Channel& channel : system.channels()) names.push_back(channel.name);
  throw Error("GR-506", std::string(name),
              fmt::format("there is no such channel{}", suggestion(std::string(name), names)));
}

int place_of_signal(const System& system, std::string_view name) {
  const int place = system.find_signal(name);
  if (place >= 0) return place;
  std::vector<std::string> names;
  for (const element::Signal& signal : system.signals()) names.push_back(signal.name);
  throw Error("GR-952", std::string(name),
              fmt::format("there is no such signal{}", suggestion(std::string(name), names)));
}

integrate::SimulationSpan span_of(const System& system, const Plan& plan, double t_start) {
  integrate::SimulationSpan span;
  span.t_start = t_start;
  span.t_end = plan.duration;
  span.output_interval = plan.record_every;
  span.output_origin = 0.0;
  span.breakpoints = system.breakpoints(plan.duration);
  for (const TimedSwitch& timed : plan.switches) span.breakpoints.push_back(timed.time);
  std::sort(span.breakpoints.begin(), span.breakpoints.end());
  span.breakpoints.erase(std::unique(span.breakpoints.begin(), span.breakpoints.end()),
                         span.breakpoints.end());
  return span;
}

Switch switch_of(const element::Request& request, const System& system) {
  using From = element::Request::Kind;
  using To = Switch::Kind;
  const auto joint = [&] {
    const int at = system.model().find_joint(request.target);
    return at < 0 ? -1 : system.model().joints()[static_cast<std::size_t>(at)].link;
  };
  const auto constraint = [&] {
    for (std::size_t k = 0; k < system.constraints().size(); ++k) {
      if (system.constraints()[k].name == request.target) return static_cast<int>(k);
    }
    return -1;
  };
  const auto made = [&]() -> Switch {
    switch (request.kind) {
      case From::kLock:
        return {To::kLock, joint()};
      case From::kUnlock:
        return {To::kUnlock, joint()};
      case From::kEnable:
        return {To::kEnable, system.find_element(request.target)};
      case From::kDisable:
        return {To::kDisable, system.find_element(request.target)};
      case From::kLatch:
        return {To::kLatch, constraint()};
      case From::kRelease:
        return {To::kRelease, constraint()};
    }
    return {To::kRecord, -1};
  }();
  if (made.target < 0) {
    throw Error("GR-952", request.target, "a block asks for a change of what does not exist");
  }
  return made;
}

namespace {

// "distance 0.6 m (capture takes 0.01 m), angle 0 deg (takes 5.73 deg), ...", those beyond first.
std::string capture_text(const constraint::CaptureLimits& seen,
                         const constraint::CaptureLimits& allowed) {
  constexpr double kDegree = std::numbers::pi / 180.0;
  const struct {
    const char *name, *unit;
    double seen, allowed, scale;
  } all[] = {{"distance", "m", seen.distance, allowed.distance, 1.0},
             {"angle", "deg", seen.angle, allowed.angle, kDegree},
             {"speed", "m/s", seen.speed, allowed.speed, 1.0},
             {"angular speed", "deg/s", seen.angular_speed, allowed.angular_speed, kDegree}};
  std::string beyond, rest;
  for (const auto& one : all) {
    const bool inside = one.seen <= one.allowed;
    std::string& text = inside ? rest : beyond;
    text += fmt::format("{}{} {:.4g} {} ({} {:.4g})", text.empty() ? "" : ", ", one.name,
                        one.seen / one.scale, one.unit, inside ? "of" : "more than",
                        one.allowed / one.scale);
  }
  return beyond + (rest.empty() ? "" : "; within capture: " + rest);
}

Applied latch(int target, System& system, double t, std::span<double> x) {
  const system::LatchResult result = system.latch(target, t, x);
  if (result.kind == system::LatchResult::Kind::kTaken) return {Action::kRestart, ""};
  if (result.kind == system::LatchResult::Kind::kWasClosed) return {Action::kContinue, ""};
  const constraint::Constraint& constraint = system.constraints()[static_cast<std::size_t>(target)];
  const std::string start =
      fmt::format("loop '{}' was not latched at {:.6g} s: ", constraint.name, t);
  if (result.kind == system::LatchResult::Kind::kHeldOpen) {
    return {Action::kContinue, start + "what else holds leaves no way to close it"};
  }
  return {Action::kContinue, start + capture_text(result.seen, constraint.capture)};
}

Applied enable(int target, System& system, double t, std::span<double> x) {
  const system::EnableResult result = system.enable(target, t, x);
  if (result.kind == system::EnableResult::Kind::kEnabled) return {Action::kRestart, ""};
  if (result.kind == system::EnableResult::Kind::kWasEnabled) return {Action::kContinue, ""};
  return {
      Action::kContinue,
      fmt::format("{} was not enabled at {:.6g} s: {}",
                  system.elements()[static_cast<std::size_t>(target)]->name(), t, result.obstacle)};
}

}  // namespace

Applied apply(const Switch& action, System& system, double t, std::span<double> x) {
  switch (action.kind) {
    case Switch::Kind::kRecord:
      return {Action::kContinue, ""};
    case Switch::Kind::kStop:
      return {Action::kStop, ""};
    case Switch::Kind::kLatch:
      return latch(action.target, system, t, x);
    case Switch::Kind::kRelease:
      system.release(action.target, t, x);
      break;
    case Switch::Kind::kLock:
      system.lock(action.target, t, x);
      break;
    case Switch::Kind::kUnlock:
      system.unlock(action.target, t, x);
      break;
    case Switch::Kind::kEnable:
      return enable(action.target, system, t, x);
    case Switch::Kind::kDisable:
      system.disable(action.target, t, x);
      break;
  }
  return {Action::kRestart, ""};
}

}  // namespace grapple::run
