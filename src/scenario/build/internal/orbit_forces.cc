#include "grapple/scenario/build/internal/orbit_forces.h"

#include <fmt/format.h>

#include "grapple/orbit/drag.h"
#include "grapple/orbit/magnetic_torque.h"
#include "grapple/orbit/solar_pressure.h"
#include "grapple/orbit/thruster.h"

namespace grapple::scenario {

namespace {

using element::Element;
using orbit::ReferenceOrbit;

constexpr Dimension kDipoleMoment{.length = 2, .current = 1};

std::vector<orbit::Plate> read_plates(const Reader& force, Diagnostics& faults) {
  std::vector<orbit::Plate> plates;
  for (const Reader& plate : force.objects("plates")) {
    plates.push_back(
        {plate.number("area"), read_axis(plate, "normal", faults), plate.vector3("centre")});
  }
  return plates;
}

std::unique_ptr<Element> drag(const Reader& force, const std::string& name, model::Frame at,
                              const ReferenceOrbit& orbit, Assembly& assembly) {
  using Air = orbit::Atmosphere::Air;
  const orbit::Atmosphere atmosphere{
      force.number("density"), force.number("reference_altitude"), force.number("scale_height"),
      force.text("air") == "still" ? Air::kStill : Air::kTurnsWithThePlanet};
  return orbit::make_drag(name, std::move(at), read_plates(force, assembly.faults),
                          force.number("drag_coefficient"), atmosphere, orbit);
}

std::unique_ptr<Element> sunlight(const Reader& force, const std::string& name, model::Frame at,
                                  const ReferenceOrbit& orbit, Assembly& assembly) {
  const std::string shadow = force.text("shadow");
  const orbit::Sunlight light{force.number("pressure"), force.number("specular"),
                              force.number("diffuse"),
                              shadow == "conical"       ? orbit::Shadow::kConical
                              : shadow == "cylindrical" ? orbit::Shadow::kCylindrical
                                                        : orbit::Shadow::kNone,
                              assembly.sun_E};
  if (light.specular + light.diffuse > 1.0) {
    assembly.faults.add("GR-974", force.where("diffuse"),
                        fmt::format("'specular' and 'diffuse' are parts of the light: together at "
                                    "most 1, found {:g}",
                                    light.specular + light.diffuse));
  }
  return orbit::make_solar_pressure(name, std::move(at), read_plates(force, assembly.faults), light,
                                    orbit);
}

std::unique_ptr<Element> magnetic(const Reader& force, const std::string& name, model::Frame at,
                                  const ReferenceOrbit& orbit, Assembly& assembly) {
  const orbit::DipoleField field{force.number("field_strength"), force.number("tilt"),
                                 force.number("longitude")};
  if (force.has("damping_gain")) {
    orbit::RateDamper law;
    law.gain = force.number("damping_gain");
    if (force.has("moment_limit")) law.limit = force.number("moment_limit");
    return orbit::make_magnetic_damper(name, std::move(at), law, field, orbit);
  }
  const std::vector<TimeFunction> given = force.functions("moment");
  std::array<element::Input, 3> moment;
  for (std::size_t k = 0; k < moment.size(); ++k) {
    moment[k] = input_of(given[k], force.where("moment"), {kDipoleMoment}, assembly);
  }
  return orbit::make_magnetic_torque(name, std::move(at), std::move(moment), field, orbit);
}

std::unique_ptr<Element> thruster(const Reader& force, const std::string& name, model::Frame at,
                                  Assembly& assembly) {
  orbit::Thruster law;
  law.direction = read_axis(force, "direction", assembly.faults);
  law.thrust = force.number("thrust");
  law.command =
      input_of(force.function("command"), force.where("command"), {dimension::kNone}, assembly);
  law.threshold = force.number("threshold");
  law.minimum_pulse = force.number("minimum_pulse");
  if (force.has("specific_impulse")) {
    law.specific_impulse = force.number("specific_impulse");
    law.propellant = force.number("propellant");
  }
  return orbit::make_thruster(name, std::move(at), std::move(law));
}

}  // namespace

bool add_orbit_force(const Reader& force, Assembly& assembly, system::SystemParts& parts) {
  const std::string type = force.text("type"), name = "force/" + force.text("name");
  const bool needs_orbit = type == "drag" || type == "solar-pressure" || type == "magnetic-torque";
  if (!needs_orbit && type != "thruster") return false;
  const model::Frame at = assembly.frame(parts.model, force.place("at"));
  if (at.link == 0) {
    assembly.faults.add("GR-318", force.where("at"),
                        "it acts on the world; such a force moves nothing");
  }
  if (!needs_orbit) {
    parts.elements.push_back(thruster(force, name, at, assembly));
    return true;
  }
  if (!assembly.orbit) {
    assembly.faults.add("GR-973", force.where("type"),
                        fmt::format("'{}' acts in orbit; the scenario has no 'orbit'", type));
    return true;
  }
  auto* const make = type == "drag" ? &drag : type == "solar-pressure" ? &sunlight : &magnetic;
  parts.elements.push_back(make(force, name, at, *assembly.orbit, assembly));
  return true;
}

}  // namespace grapple::scenario
