// Forces of a scenario.
#include "grapple/force/force_elements.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/orbit_forces.h"

namespace grapple::scenario {

namespace {

std::array<element::Input, 3> three_inputs(const Reader& force, std::string_view key,
                                           const Dimension& dimension, Assembly& assembly) {
  const std::vector<TimeFunction> given = force.functions(key);
  std::array<element::Input, 3> inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    inputs[k] = input_of(given[k], force.where(key), {dimension}, assembly);
  }
  return inputs;
}

std::array<double, 6> six_numbers(const Reader& force, std::string_view key,
                                  const Dimension& sliding, const Dimension& turning,
                                  Diagnostics& faults) {
  const std::vector<Quantity> given = force.numbers(key);
  std::array<double, 6> values{};
  for (std::size_t k = 0; k < 6; ++k) {
    values[k] = given[k].value;
    const Dimension& expected = k < 3 ? sliding : turning;
    if (given[k].has_unit && given[k].dimension != expected) {
      faults.add("GR-310", force.where(key),
                 "of the six values three are for displacements (" + unit_text(sliding) +
                     ") and three for turns (" + unit_text(turning) + "); value " +
                     std::to_string(k + 1) + " has " + unit_text(given[k].dimension));
    }
  }
  return values;
}

}  // namespace

void add_forces(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  constexpr Dimension kStiffness{.mass = 1, .time = -2};
  constexpr Dimension kDamping{.mass = 1, .time = -1};
  constexpr Dimension kTurningDamping{.length = 2, .mass = 1, .time = -1};
  for (const Reader& force : scenario.objects("forces")) {
    if (add_orbit_force(force, assembly, parts)) continue;
    const std::string name = "force/" + force.text("name"), type = force.text("type");
    if (type == "point-force" || type == "torque") {
      const model::Frame at = assembly.frame(parts.model, force.place("at"));
      const auto axes =
          force.text("expressed_in") == "world" ? force::Axes::kWorld : force::Axes::kFrame;
      parts.elements.push_back(
          type == "torque"
              ? force::make_torque(
                    name, at, three_inputs(force, "torque", dimension::kTorque, assembly), axes)
              : force::make_point_force(
                    name, at, three_inputs(force, "force", dimension::kForce, assembly), axes));
      continue;
    }
    const std::vector<Place> ends = force.places("between");
    const model::Frame a = assembly.frame(parts.model, ends[0]);
    const model::Frame b = assembly.frame(parts.model, ends[1]);
    if (a.link == b.link) {
      assembly.faults.add("GR-318", force.where("between"),
                          "both ends sit on the same body; such a force moves nothing");
      continue;
    }
    if (type == "spring-damper") {
      parts.elements.push_back(force::make_spring_damper(
          name, a, b,
          {force.number("stiffness"), force.number("damping"), force.number("length"),
           input_of(force.function("preload"), force.where("preload"), {dimension::kForce},
                    assembly)}));
    } else {
      parts.elements.push_back(force::make_bushing(
          name, a, b,
          {six_numbers(force, "stiffness", kStiffness, dimension::kTorque, assembly.faults),
           six_numbers(force, "damping", kDamping, kTurningDamping, assembly.faults)}));
    }
  }
}

}  // namespace grapple::scenario
