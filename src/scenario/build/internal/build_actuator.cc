#include "grapple/scenario/build/internal/build_actuator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "grapple/control/brake.h"
#include "grapple/force/actuator.h"
#include "grapple/scenario/build/internal/build_transmission.h"

namespace grapple::scenario {

namespace {

constexpr std::array<const char*, 4> kDynamicKeys = {"time_constant", "rate_limit", "limit",
                                                     "speed_limit"};
constexpr CoordinateDimension kLagTime{dimension::kTime, dimension::kTime};
constexpr CoordinateDimension kEffortRate{{.length = 2, .mass = 1, .time = -3},
                                          {.length = 1, .mass = 1, .time = -3}};

std::vector<double> numbers_or(const Reader& from, const char* key, const CoordinateReader& read,
                               const CoordinateDimension& dimension, std::size_t count,
                               double otherwise) {
  if (!from.has(key)) return std::vector<double>(count, otherwise);
  return read.numbers(from, key, dimension);
}

}  // namespace

bool has_dynamics(const Reader& motor) {
  return std::ranges::any_of(kDynamicKeys, [&](const char* key) { return motor.has(key); });
}

void add_actuator(const Reader& joint, const CoordinateReader& read, int link, Assembly& assembly,
                  system::SystemParts& parts) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const Reader motor = joint.object("motor");
  const auto n = static_cast<std::size_t>(parts.model.link(link).nv);
  const char* key = motor.has("torque") ? "torque" : "force";
  const std::vector<element::Input> commands =
      read.inputs(motor, key, coordinate::kEffort, assembly);
  const std::vector<double> gear = gear_ratio_of(joint, read);
  const auto values = [&](const char* name, const CoordinateDimension& dimension,
                          double otherwise) {
    return numbers_or(motor, name, read, dimension, n, otherwise);
  };
  const std::vector<double> lag = values("time_constant", kLagTime, 0.0);
  const std::vector<double> rate = values("rate_limit", kEffortRate, kNone);
  const std::vector<double> limit = values("limit", coordinate::kEffort, kNone);
  const std::vector<double> speed = values("speed_limit", coordinate::kRate, kNone);
  std::vector<force::ActuatorLaw> laws;
  for (std::size_t k = 0; k < n; ++k) {
    laws.push_back({commands[k], gear[k], lag[k], rate[k], limit[k], speed[k]});
  }
  parts.elements.push_back(force::make_actuator(parts.model, link, std::move(laws)));
}

void add_stiction(const Reader& joint, const std::string& name, const CoordinateReader& read,
                  int link, Assembly& assembly, system::SystemParts& parts) {
  constexpr double kPresliding = 1e-4, kStribeckRate = 1e-3;  // SI
  constexpr double kBristleTime = 0.01;  // s, damping over stiffness of the bristles
  const Reader friction = joint.object("friction");
  const auto n = static_cast<std::size_t>(parts.model.link(link).nv);
  const std::vector<double> breakaway = read.numbers(friction, "breakaway", coordinate::kEffort);
  const std::vector<double> dry =
      friction.has("dry") ? read.numbers(friction, "dry", coordinate::kEffort) : breakaway;
  const auto values = [&](const char* key, const CoordinateDimension& dimension, double otherwise) {
    return numbers_or(friction, key, read, dimension, n, otherwise);
  };
  const std::vector<double> presliding = values("presliding", coordinate::kPosition, kPresliding);
  const std::vector<double> stribeck = values("stribeck_rate", coordinate::kRate, kStribeckRate);
  const std::vector<double> viscous = values("viscous", coordinate::kDamping, 0.0);
  const std::vector<double> damping = values("bristle_damping", coordinate::kDamping, -1.0);
  std::vector<force::StictionLaw> laws;
  for (std::size_t k = 0; k < n; ++k) {
    if (!(breakaway[k] > 0.0 && dry[k] > 0.0 && dry[k] <= breakaway[k])) {
      assembly.faults.add("GR-968", friction.where("breakaway"),
                          fmt::format("the breakaway effort is {:g} and the dry friction {:g} "
                                      "(SI); both must be above 0, and the dry friction not above "
                                      "the breakaway effort",
                                      breakaway[k], dry[k]));
      return;
    }
    const double stiffness = breakaway[k] / presliding[k];
    laws.push_back({dry[k], breakaway[k], stiffness,
                    damping[k] < 0.0 ? kBristleTime * stiffness : damping[k], viscous[k],
                    stribeck[k]});
  }
  std::vector<std::string> chosen;
  for (const char* key : {"presliding", "stribeck_rate", "bristle_damping"}) {
    if (!friction.has(key)) chosen.emplace_back(key);
  }
  if (!chosen.empty()) {
    assembly.automatic_values.push_back(fmt::format(
        "joint '{}': friction that sticks: presliding {:g}, stribeck_rate {:g}, bristle_damping "
        "{:g} (SI; {} left out)",
        name, presliding[0], stribeck[0], laws[0].damping, fmt::join(chosen, ", ")));
  }
  const bool of_motor = friction.text("side") == "motor";
  parts.elements.push_back(
      force::make_stiction(parts.model, link, std::move(laws),
                           of_motor ? force::FrictionSide::kMotor : force::FrictionSide::kJoint));
}

void add_brake(const Reader& joint, const std::string& name, Assembly& assembly,
               system::SystemParts& parts) {
  const Reader brake = joint.object("brake");
  if (joint.has("motion")) {
    assembly.faults.add(
        "GR-313", joint.where("brake"),
        fmt::format("joint '{}' follows a prescribed motion; its brake would have no say "
                    "(remove one of the two)",
                    name));
    return;
  }
  const std::string signal = brake.text("signal");
  static_cast<void>(
      input_of({{}, {}, signal}, brake.where("signal"), {dimension::kNone}, assembly));
  const std::vector<Reader> locks = joint.objects("lock");
  const bool engaged = std::ranges::any_of(locks, [](const Reader& lock) {
    return lock.number("at") <= 0.0 && lock.text("state") == "locked";
  });
  parts.blocks.push_back(control::make_brake(
      name, signal, {brake.number("period"), brake.number("offset"), 0.0},
      engaged ? control::BrakeStart::kEngaged : control::BrakeStart::kReleased));
  assembly.places[fmt::format("block 'brake/{}'", name)] = brake.where();
}

}  // namespace grapple::scenario
