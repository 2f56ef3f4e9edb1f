// Signals and controllers of a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/formula.h"
#include "grapple/control/controller_type.h"
#include "grapple/force/joint_elements.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

namespace {

// A value of a signal in SI; a plain number counts in the signal's own unit.
double in_unit_of(const Quantity& given, const Quantity& unit, const Reader& signal,
                  const char* key, Diagnostics& faults) {
  if (!given.has_unit) return given.value * unit.value;
  if (given.dimension == unit.dimension) return given.value;
  faults.add("GR-955", signal.where(key),
             fmt::format("signal '{}' is in {}, '{}' is in {}", signal.text("name"),
                         unit_text(unit.dimension), key, unit_text(given.dimension)));
  return 0.0;
}

void add_signal(const Reader& reader, Assembly& assembly, system::SystemParts& parts) {
  Diagnostics& faults = assembly.faults;
  Quantity unit{1.0, {}, true};
  if (reader.has("unit")) {
    try {
      unit = parse_unit(reader.text("unit"));
    } catch (const Error& error) {
      faults.add(error.id(), reader.where("unit"), error.diagnostics().front().message);
      return;
    }
  }
  element::Signal signal;
  signal.name = reader.text("name");
  signal.unit = unit_text(unit.dimension);
  signal.initial = in_unit_of(reader.quantity("value"), unit, reader, "value", faults);
  if (reader.has("limits")) {
    const std::vector<Quantity> limits = reader.numbers("limits");
    signal.lower = in_unit_of(limits[0], unit, reader, "limits", faults);
    signal.upper = in_unit_of(limits[1], unit, reader, "limits", faults);
  }
  if (!(signal.lower <= signal.initial && signal.initial <= signal.upper)) {
    faults.add("GR-955", reader.where(),
               fmt::format("signal '{}' starts at {:g}, outside its limits {:g} to {:g} (SI)",
                           signal.name, signal.initial, signal.lower, signal.upper));
  }
  assembly.places[fmt::format("signal '{}'", signal.name)] = reader.where();
  assembly.signals[signal.name] = {static_cast<int>(parts.signals.size()), unit.dimension};
  if (reader.has("unit") && reader.text("unit") != signal.unit) {
    assembly.shown_units[signal.name] = reader.text("unit");
  }
  parts.signals.push_back(std::move(signal));
}

void check_dimension(const Dimension& found, const Dimension& expected, const Reader& controller,
                     const std::string& key, Diagnostics& faults) {
  if (found == expected) return;
  faults.add("GR-310", controller.where(key),
             fmt::format("joint '{}' needs {}, found {}", controller.text("joint"),
                         expected == dimension::kNone ? "an angle" : unit_text(expected),
                         unit_text(found)));
}

// What the user gives a controller, checked against what its joint is.
control::ParameterValues read_parameters(const Reader& reader, const control::ControllerType& type,
                                         bool turns, Assembly& assembly) {
  control::ParameterValues values;
  for (const control::Parameter& parameter : type.parameters) {
    const std::string& key = parameter.key;
    if (!reader.available(key)) continue;
    const Dimension& expected = turns ? parameter.turning : parameter.sliding;
    if (parameter.kind == control::Parameter::Kind::kNumber) {
      const Quantity found = reader.quantity(key);
      if (found.has_unit) check_dimension(found.dimension, expected, reader, key, assembly.faults);
      values.set(key, found.value);
      continue;
    }
    const TimeFunction found = reader.function(key);
    if (found.dimension) check_dimension(*found.dimension, expected, reader, key, assembly.faults);
    static_cast<void>(input_of(found, reader.where(key), {expected}, assembly));  // checks signals
    values.set(key, control::SampledInput{found.function, found.signal});
  }
  return values;
}

void add_controller(const Reader& reader, Assembly& assembly, system::SystemParts& parts) {
  Diagnostics& faults = assembly.faults;
  const std::string joint = reader.text("joint");
  const int link =
      parts.model.joints()[static_cast<std::size_t>(parts.model.find_joint(joint))].link;
  const model::Link& on = parts.model.link(link);
  if (on.nv != 1) {
    faults.add("GR-832", reader.where("joint"),
               fmt::format("joint '{}' has {} degrees of freedom; a controller drives joints with "
                           "one",
                           joint, on.nv));
    return;
  }
  const bool led = std::any_of(parts.motions.begin(), parts.motions.end(),
                               [&](const system::JointMotion& m) { return m.link == link; });
  if (led && !reader.has("output")) {
    faults.add("GR-313", reader.where("joint"),
               fmt::format("joint '{}' follows a prescribed motion; a controller would have no say",
                           joint));
    return;
  }
  const bool of_motor = reader.text("feedback") == "motor";
  if (of_motor && on.v_actuated() == on.v_index) {
    faults.add("GR-832", reader.where("feedback"),
               fmt::format("joint '{}' has no motor side of its own: it is not flexible", joint));
    return;
  }
  const bool turns = model::is_rotational(on.type, 0);
  control::ControlledJoint law;
  law.name = reader.text("name");
  law.schedule = {reader.number("period"), reader.number("offset"), reader.number("delay")};
  constexpr double kMostOnTheirWay = 1e5;
  if (law.schedule.delay > kMostOnTheirWay * law.schedule.period) {
    faults.add("GR-319", reader.where("delay"),
               fmt::format("{:g} s are more than {:g} periods of {:g} s; 'delay' must be shorter",
                           law.schedule.delay, kMostOnTheirWay, law.schedule.period));
    return;
  }
  const std::string stem = "joint/" + joint + (of_motor ? "/motor/" : "/");
  law.position = stem + "position";
  law.rate = stem + "rate";
  law.position_unit = turns ? "rad" : "m";
  law.effort_unit = turns ? "N*m" : "N";
  law.output = reader.has("output") ? reader.text("output") : "controller/" + law.name + "/effort";
  const control::ControllerType& type = control::controller_type(reader.text("type"));
  const control::ParameterValues values = read_parameters(reader, type, turns, assembly);
  if (!reader.has("output")) {
    const int signal = static_cast<int>(parts.signals.size());
    parts.signals.push_back({law.output, law.effort_unit});
    parts.elements.push_back(
        force::make_controlled_motor(parts.model, link, law.name, element::Input::held(signal)));
  }
  assembly.places[fmt::format("block '{}'", law.name)] = reader.where();
  parts.blocks.push_back(type.make(law, values));
}

// The channels a formula names, each once.
std::vector<std::string> inputs_of(const std::string& formula) {
  const std::vector<std::string> built_in = Formula::built_in_names();
  std::vector<std::string> inputs;
  for (const std::string& name : Formula::names_in(formula)) {
    if (std::find(built_in.begin(), built_in.end(), name) != built_in.end()) continue;
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) inputs.push_back(name);
  }
  return inputs;
}

void add_formula(const Reader& reader, Assembly& assembly, system::SystemParts& parts) {
  const std::string text = reader.text("formula");
  const std::vector<std::string> inputs = inputs_of(text);
  constexpr std::size_t kMost = system::FormulaChannel::kMostInputs;
  if (inputs.size() > kMost) {
    assembly.faults.add(
        "GR-957", reader.where("formula"),
        fmt::format("it reads {} channels; at most {} are allowed", inputs.size(), kMost));
    return;
  }
  const char* key = "unit";
  try {
    const std::string unit = reader.has("unit") ? reader.text("unit") : "1";
    static_cast<void>(parse_unit(unit));
    key = "formula";
    parts.formula_channels.push_back({reader.text("name"), unit, Formula(text, inputs), inputs});
  } catch (const Error& error) {
    assembly.faults.add(error.id(), reader.where(key), error.diagnostics().front().message);
  }
}

}  // namespace

void add_channels(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const Reader& channel : scenario.objects("channels")) {
    const std::string name = channel.text("name");
    assembly.places[fmt::format("channel '{}'", name)] = channel.where();
    if (channel.has("formula")) {
      add_formula(channel, assembly, parts);
      continue;
    }
    const std::vector<Place> ends = channel.places("between");
    parts.relative_frames.push_back(
        {name, assembly.frame(parts.model, ends[0]), assembly.frame(parts.model, ends[1])});
  }
}

void add_signals(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const Reader& signal : scenario.objects("signals")) add_signal(signal, assembly, parts);
}

void add_controllers(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const Reader& controller : scenario.objects("controllers")) {
    add_controller(controller, assembly, parts);
  }
}

element::Input input_of(const TimeFunction& given, const std::string& where,
                        std::initializer_list<Dimension> allowed, Assembly& assembly) {
  if (given.signal.empty()) return given.function;
  const auto found = assembly.signals.find(given.signal);
  if (found == assembly.signals.end()) return given.function;  // has a fault of its own
  const auto& [place, dimension] = found->second;
  if (std::find(allowed.begin(), allowed.end(), dimension) == allowed.end()) {
    std::vector<std::string> units;
    for (const Dimension& one : allowed) units.push_back(unit_text(one));
    assembly.faults.add("GR-310", where,
                        fmt::format("signal '{}' is in {}, which does not fit here: {} is needed",
                                    given.signal, unit_text(dimension), fmt::join(units, " or ")));
  }
  return element::Input::held(place);
}

}  // namespace grapple::scenario
