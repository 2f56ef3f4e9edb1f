// Signals of a scenario, and channels made of others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/formula.h"
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
