#include "grapple/scenario/build/live/live_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/base/nearest_name.h"
#include "grapple/force/operator_drive.h"

namespace grapple::scenario {

namespace {

std::vector<int> buttons_of(const Reader& reader) {
  std::vector<int> buttons;
  if (!reader.has("gamepad_buttons")) return buttons;
  for (const Quantity& button : reader.numbers("gamepad_buttons")) {
    buttons.push_back(static_cast<int>(button.value));
  }
  return buttons;
}

void check_count(const Reader& reader, const char* key, std::size_t found, std::size_t wanted,
                 Diagnostics& faults) {
  if (found == wanted) return;
  const char* const reason =
      reader.has("choices") ? "one for each of 'choices'" : "the negative direction, the positive";
  faults.add("GR-850", reader.where(key),
             fmt::format("operator '{}' needs {} '{}' ({}), found {}", reader.text("name"), wanted,
                         key, reason, found));
}

// "frame/hand/camera" of the channels of a place with a name of its own.
std::optional<std::string> pose_channels(const Place& place, const model::Model& model) {
  const std::string name = place.frame.empty() ? place.body : place.body + "/" + place.frame;
  if (place.offset != std::array<double, 3>{} || model.find_frame(name) < 0) return std::nullopt;
  return (model.find_body(name) >= 0 ? "body/" : "frame/") + name;
}

}  // namespace

double OperatorControl::value_of(double command) const {
  if (!std::isfinite(command)) return 0.0;
  if (choices.empty()) return full * std::clamp(command, -1.0, 1.0);
  return std::clamp(std::round(command), 0.0, static_cast<double>(choices.size() - 1));
}

OperatorControl read_control(const Reader& reader, Diagnostics& faults) {
  OperatorControl control;
  control.name = reader.text("name");
  control.keys = reader.texts("keys");
  control.gamepad_buttons = buttons_of(reader);
  if (reader.has("gamepad_axis")) {
    control.gamepad_axis = static_cast<int>(reader.integer("gamepad_axis"));
  }
  if (reader.text("gamepad_direction") == "reversed") control.axis_sign = -1;
  if (reader.has("choices")) control.choices = reader.texts("choices");
  const std::size_t wanted = control.choices.empty() ? 2 : control.choices.size();
  check_count(reader, "keys", control.keys.size(), wanted, faults);
  if (reader.has("gamepad_buttons")) {
    check_count(reader, "gamepad_buttons", control.gamepad_buttons.size(), wanted, faults);
  }
  return control;
}

void add_operator_signals(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                          Simulation& simulation) {
  for (const Reader& reader : scenario.objects("operator")) {
    if (reader.has("joint")) continue;
    OperatorControl control = read_control(reader, assembly.faults);
    control.signal = static_cast<int>(parts.signals.size());
    element::Signal signal = force::operator_command(control.name);
    Dimension dimension = dimension::kNone;
    if (control.choices.empty()) {
      const Quantity full = reader.quantity("full");
      control.full = full.value;
      dimension = full.dimension;
      signal.unit = dimension == dimension::kAngularRate ? "rad/s" : unit_text(dimension);
      signal.lower = -control.full;
      signal.upper = control.full;
    } else {
      signal.lower = 0.0;
      signal.upper = static_cast<double>(control.choices.size() - 1);
    }
    assembly.signals[signal.name] = {control.signal, dimension};
    parts.signals.push_back(std::move(signal));
    simulation.operators.push_back(std::move(control));
  }
}

void add_instruments(const Reader& scenario, Assembly& assembly, Simulation& simulation) {
  const system::System& system = *simulation.system;
  std::vector<std::string> names;
  for (const Reader& reader : scenario.objects("instruments")) {
    const std::string channel = reader.text("channel");
    const int at = system.find_channel(channel);
    if (at < 0) {
      if (names.empty()) {
        for (const system::Channel& one : system.channels()) names.push_back(one.name);
      }
      assembly.faults.add("GR-315", reader.where("channel"),
                          fmt::format("there is no channel '{}'{}; `grapple check --channels` "
                                      "lists them all",
                                      channel, suggestion(channel, names)));
      continue;
    }
    const std::string& unit = system.channels()[static_cast<std::size_t>(at)].unit;
    Quantity limit = reader.quantity("limit");
    if (unit == "rad/s") limit = in_radians(limit);
    const Quantity own = parse_unit(unit);
    if (limit.has_unit && limit.dimension != own.dimension) {
      assembly.faults.add("GR-310", reader.where("limit"),
                          fmt::format("channel '{}' is in {}; found {}", channel, unit,
                                      unit_text(limit.dimension)));
    }
    if (!(limit.value > 0.0)) {
      assembly.faults.add("GR-852", reader.where("limit"),
                          fmt::format("a gauge ends at a positive value, found {:g} {}",
                                      limit.value, unit_text(limit.dimension)));
    }
    simulation.instruments.push_back({channel, reader.has("label") ? reader.text("label") : channel,
                                      limit.has_unit ? limit.value / own.value : limit.value});
  }
}

void check_cameras(const Reader& scenario, const model::Model& model, Diagnostics& faults) {
  for (const Reader& reader : scenario.objects("cameras")) {
    if (pose_channels(reader.place("on"), model)) continue;
    faults.add("GR-851", reader.where("on"),
               fmt::format("camera '{}' needs a body or a frame with a name of its own; declare "
                           "one under 'frames' where it is to stand",
                           reader.text("name")));
  }
}

std::vector<record::SceneCamera> cameras_of(const Reader& scenario, const model::Model& model) {
  std::vector<record::SceneCamera> cameras;
  for (const Reader& reader : scenario.objects("cameras")) {
    cameras.push_back({reader.text("name"), pose_channels(reader.place("on"), model).value_or(""),
                       reader.number("field_of_view")});
  }
  return cameras;
}

}  // namespace grapple::scenario
