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
         {"channel", run.system().signals()[static_cast<std::size_t>(control.signal)].name},
         {"keys", control.keys},
         {"choices", control.choices},
         {"gamepad_axis",
          control.gamepad_axis < 0 ? ordered_json() : ordered_json(control.gamepad_axis)},
         {"axis_sign", control.axis_sign},
         {"gamepad_buttons", control.gamepad_buttons}});
  }
  live["instruments"] = ordered_json::array();
  for (const scenario::Instrument& instrument : run.instruments()) {
    live["instruments"].push_back({{"channel", instrument.channel},
                                   {"label", instrument.label},
                                   {"limit", instrument.limit}});
  }
  live["score"] = ordered_json::array();
  if (const std::optional<record::Score> score = run.score()) {
    for (const record::TermScore& term : score->terms) {
      live["score"].push_back(
          {{"name", term.term.name},
           {"unit", term.unit},
           {"weight", term.term.weight},
           {"full", term.term.full},
           {"none", term.term.none},
           {"limit", term.term.limit ? ordered_json(*term.term.limit) : ordered_json()}});
    }
  }
  return live;
}

ordered_json progress_of(const scenario::SteeredRun& run) {
  ordered_json state{{"duration", run.duration()}, {"cause", run.cause()}};
  state["tunables"] = ordered_json::object();
  for (const scenario::Tunable& tunable : run.tunables()) {
    state["tunables"][tunable.parameter] = tunable.value;
  }
  state["events"] = ordered_json::array();
  for (const record::EventRecord& event : run.events()) {
    state["events"].push_back(
        {{"time", event.time}, {"name", event.name}, {"direction", event.direction}});
  }
  return state;
}

ordered_json score_in_frame(const record::Score& score) {
  ordered_json terms = ordered_json::array();
  for (const record::TermScore& term : score.terms) {
    terms.push_back(
        {{"value", term.result.found ? ordered_json(term.result.value) : ordered_json()},
         {"points", term.points},
         {"broken", term.broken}});
  }
  return {{"points", score.points}, {"of", score.most}, {"terms", std::move(terms)}};
}

}  // namespace grapple::view
