// Tunables and operator inputs of a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "grapple/base/nearest_name.h"
#include "grapple/force/operator_drive.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/live/live_parts.h"

namespace grapple::scenario {

namespace {

/// The parameter as a number, or GR-830.
std::optional<Quantity> parameter_of(const Node& root, const Reader& tunable, Diagnostics& faults) {
  const std::string name = tunable.text("parameter");
  const Node* all = root.find("parameters");
  const Node* value = all == nullptr ? nullptr : all->find(name);
  if (value == nullptr) {
    std::vector<std::string> names;
    if (all != nullptr) {
      for (const Entry& entry : all->entries) names.push_back(entry.key);
    }
    faults.add("GR-830", tunable.where("parameter"),
               fmt::format("there is no parameter '{}'{}", name, suggestion(name, names)));
    return std::nullopt;
  }
  try {
    return read_quantity(*value);
  } catch (const Error&) {
    faults.add("GR-830", tunable.where("parameter"),
               fmt::format("parameter '{}' is no number; only numbers have sliders", name));
    return std::nullopt;
  }
}

void add_tunable(const Node& root, const Reader& tunable, Diagnostics& faults,
                 Simulation& simulation) {
  const std::optional<Quantity> value = parameter_of(root, tunable, faults);
  if (!value) return;
  const Quantity from = tunable.quantity("from"), to = tunable.quantity("to");
  for (const auto& [key, end] : {std::pair{"from", from}, std::pair{"to", to}}) {
    if (!end.has_unit || !value->has_unit || end.dimension == value->dimension) continue;
    faults.add("GR-831", tunable.where(key),
               fmt::format("the parameter is in {}, '{}' is in {}", unit_text(value->dimension),
                           key, unit_text(end.dimension)));
    return;
  }
  if (!(from.value <= value->value && value->value <= to.value && from.value < to.value)) {
    faults.add("GR-831", tunable.where(),
               fmt::format("a slider needs from < to with the parameter's value between: found "
                           "from {:g}, value {:g}, to {:g} (SI)",
                           from.value, value->value, to.value));
    return;
  }
  simulation.tunables.push_back({tunable.text("parameter"), value->value, from.value, to.value,
                                 value->has_unit ? unit_text(value->dimension) : "1"});
}

}  // namespace

void add_tunables(const Node& root, const Reader& scenario, Assembly& assembly,
                  Simulation& simulation) {
  for (const Reader& tunable : scenario.objects("tunable")) {
    add_tunable(root, tunable, assembly.faults, simulation);
  }
}

void add_operators(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                   Simulation& simulation) {
  for (const Reader& reader : scenario.objects("operator")) {
    if (!reader.has("joint")) continue;
    const std::string joint = reader.text("joint");
    const int at = parts.model.find_joint(joint);
    const int link = parts.model.joints()[static_cast<std::size_t>(at)].link;
    if (parts.model.link(link).nv != 1) {
      assembly.faults.add(
          "GR-832", reader.where("joint"),
          fmt::format("joint '{}' has {} degrees of freedom; an operator drives joints with one",
                      joint, parts.model.link(link).nv));
      continue;
    }
    const bool prescribed =
        std::any_of(parts.motions.begin(), parts.motions.end(),
                    [link](const system::JointMotion& motion) { return motion.link == link; });
    if (prescribed) {
      assembly.faults.add(
          "GR-313", reader.where("joint"),
          fmt::format("joint '{}' follows a prescribed motion; an operator would have no say",
                      joint));
      continue;
    }
    const bool turns = model::is_rotational(parts.model.link(link).type, 0);
    const auto check = [&](const char* key, const Dimension& expected) {
      if (!reader.has(key)) return 0.0;
      const Quantity found = reader.quantity(key);
      if (found.has_unit && found.dimension != expected) {
        assembly.faults.add("GR-310", reader.where(key),
                            fmt::format("joint '{}' needs {}, found {}", joint, unit_text(expected),
                                        unit_text(found.dimension)));
      }
      return found.value;
    };
    constexpr Dimension kTurning{.length = 2, .mass = 1, .time = -1};
    constexpr Dimension kSliding{.mass = 1, .time = -1};
    force::OperatorLaw law;
    law.effort = check("effort", turns ? dimension::kTorque : dimension::kForce);
    law.rate = check("rate", turns ? dimension::kAngularRate : dimension::kSpeed);
    law.gain = check("gain", turns ? kTurning : kSliding);
    OperatorControl control = read_control(reader, assembly.faults);
    control.signal = static_cast<int>(parts.signals.size());
    parts.signals.push_back(force::operator_command(control.name));
    parts.elements.push_back(force::make_operator_drive(parts.model, link, control.name,
                                                        element::Input::held(control.signal), law));
    simulation.operators.push_back(std::move(control));
  }
}

}  // namespace grapple::scenario
