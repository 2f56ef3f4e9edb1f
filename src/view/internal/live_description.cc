#include "grapple/view/internal/live_description.h"

#include <nlohmann/json.hpp>

#include "grapple/base/version.h"
#include "grapple/record/scene.h"
#include "grapple/scenario/build/scene.h"

namespace grapple::view {

using nlohmann::ordered_json;

ordered_json describe(const scenario::SteeredRun& run) {
  ordered_json live{{"title", run.plan().name},
                    {"version", version()},
                    {"seed", run.plan().seed},
                    {"scenario", run.scenario().resolved_text},
                    {"duration", run.duration()}};
  live["channels"] = ordered_json::array();
  for (const system::Channel& channel : run.system().channels()) {
    live["channels"].push_back({{"name", channel.name}, {"unit", channel.unit}});
  }
  live["scene"] = ordered_json::parse(
      record::scene_json(scenario::scene_of(run.scenario(), run.system().model())));
  live["tunables"] = ordered_json::array();
  for (const scenario::Tunable& tunable : run.tunables()) {
    live["tunables"].push_back({{"name", tunable.parameter},
                                {"value", tunable.value},
                                {"from", tunable.from},
                                {"to", tunable.to},
                                {"unit", tunable.unit}});
  }
  live["operators"] = ordered_json::array();
  for (const scenario::OperatorControl& control : run.operators()) {
    live["operators"].push_back(
        {{"name", control.name},
         {"keys", control.keys},
         {"gamepad_axis",
          control.gamepad_axis < 0 ? ordered_json() : ordered_json(control.gamepad_axis)}});
  }
  return live;
}

}  // namespace grapple::view
