#include "grapple/scenario/build/internal/continuous_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grapple/base/assert.h"

namespace grapple::scenario {

namespace {

// What a law without samples and without memory cannot have.
std::vector<std::string> keys_of_sampling(const Reader& controller) {
  std::vector<std::string> found;
  for (const char* key : {"offset", "delay", "prediction", "sensors", "outputs", "limit"}) {
    if (controller.has(key)) found.emplace_back(key);
  }
  const std::vector<Quantity> integral = controller.numbers("integral");
  const bool integrates =
      std::ranges::any_of(integral, [](const Quantity& gain) { return gain.value != 0.0; });
  if (integrates) found.emplace_back("integral");
  return found;
}

}  // namespace

bool acts_continuously(const Reader& controller) {
  return controller.text("period") == "continuous";
}

bool check_continuous(const Reader& controller, Diagnostics& faults) {
  const std::string name = controller.text("name"), type = controller.text("type");
  if (type != "computed-torque") {
    faults.add("GR-940", controller.where("period"),
               fmt::format("controller '{}' is of type '{}', which acts at samples: give its "
                           "period in seconds; only 'computed-torque' may be continuous",
                           name, type));
    return false;
  }
  const std::vector<std::string> sampled = keys_of_sampling(controller);
  for (const std::string& key : sampled) {
    faults.add("GR-940", controller.where(key),
               fmt::format("controller '{}' acts continuously and cannot have '{}'; leave it out, "
                           "or give a period in seconds",
                           name, key));
  }
  bool signals = false;
  if (controller.has("set_points")) {
    for (const TimeFunction& point : controller.functions("set_points")) {
      signals = signals || !point.signal.empty();
    }
  }
  if (signals) {
    faults.add("GR-940", controller.where("set_points"),
               fmt::format("controller '{}' acts continuously; its set points are functions of "
                           "time, not signals",
                           name));
  }
  return sampled.empty() && !signals;
}

std::vector<control::ContinuousAction::Coordinate> coordinates_read(
    const control::ControlledArm& arm, const model::Model& simulated) {
  using Coordinate = control::ContinuousAction::Coordinate;
  std::map<std::string, int> rate_named;
  for (int v = 0; v < simulated.nv(); ++v) {
    rate_named[system::coordinate_channel_name(simulated, v, "rate")] = v;
  }
  const model::Model& own = arm.plant->model();
  std::vector<Coordinate> positions(static_cast<std::size_t>(own.nq())), rates;
  for (int v = 0; v < own.nv(); ++v) {
    std::string name = system::coordinate_channel_name(own, v, "rate");
    if (const auto elsewhere = arm.measured.find(name); elsewhere != arm.measured.end()) {
      name = elsewhere->second;
    }
    const auto found = rate_named.find(name);
    GRAPPLE_ASSERT(found != rate_named.end());
    rates.push_back({Coordinate::Kind::kRate, found->second});
    const model::CoordinateBlock& here = own.coordinates().of_rate(v);
    const model::CoordinateBlock& there = simulated.coordinates().of_rate(found->second);
    const bool turns = here.kind == model::CoordinateKind::kQuaternion;
    const int first = turns ? 0 : v - here.v, count = turns ? 4 : 1;
    const int shift = turns ? 0 : found->second - there.v - first;
    for (int k = first; k < first + count; ++k) {
      positions[static_cast<std::size_t>(here.q + k)] = {Coordinate::Kind::kPosition,
                                                         there.q + k + shift};
    }
  }
  positions.insert(positions.end(), rates.begin(), rates.end());
  return positions;
}

}  // namespace grapple::scenario
