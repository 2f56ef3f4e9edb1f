#include "grapple/scenario/language/internal/orbit_forces.h"

#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

constexpr Dimension kArea{.length = 2};
constexpr Dimension kDipoleMoment{.length = 2, .current = 1};
constexpr Dimension kFluxDensity{.mass = 1, .time = -2, .current = -1};
// A m^2 s/T
constexpr Dimension kMomentPerFieldRate{.length = 2, .mass = -1, .time = 3, .current = 2};
const Range kPart{.low = 0.0, .high = 1.0};

std::shared_ptr<const Object> plate() {
  return make(
      {"plate",
       "A flat surface that air or light pushes on from its outward side. Plates do not shade each "
       "other.",
       {field("area", {number(kArea, kPositive)}, "Area.", "2 m^2").required(),
        field("normal", axis_shapes(), "Outward normal in the axes of the place.", "x").required(),
        field("centre", {vector3(dimension::kLength)}, "Centre, from the place.", "[0, 1, 0] m")
            .defaults("[0, 0, 0] m")},
       {},
       ""});
}

void add_drag(std::vector<Field>& fields) {
  const std::vector<std::string> drag{"drag"};
  fields.push_back(field("drag_coefficient", {number(dimension::kNone, kPositive)},
                         "Drag coefficient of the plates.", "2.2")
                       .defaults("2.2")
                       .only(drag));
  fields.push_back(field("density", {number(kDensity, kNonNegative)},
                         "Density of the air at `reference_altitude`.", "2.8e-12 kg/m^3")
                       .defaults("2.8e-12 kg/m^3")
                       .only(drag));
  fields.push_back(field("reference_altitude", {number(dimension::kLength, kAny)},
                         "Where the density is given.", "400 km")
                       .defaults("400 km")
                       .only(drag));
  fields.push_back(field("scale_height", {number(dimension::kLength, kPositive)},
                         "Height over which the density falls to 1/e.", "58.5 km")
                       .defaults("58.5 km")
                       .only(drag));
  fields.push_back(field("air", {choice({"turning", "still"})},
                         "Whether the air turns with the planet.", "still")
                       .defaults("turning")
                       .only(drag));
}

void add_sunlight(std::vector<Field>& fields) {
  const std::vector<std::string> sun{"solar-pressure"};
  constexpr Dimension kLightPressure{.length = -1, .mass = 1, .time = -2};
  fields.push_back(field("pressure", {number(kLightPressure, kNonNegative)},
                         "Pressure of sunlight on what absorbs it.", "4.56e-6 Pa")
                       .defaults("4.56e-6 Pa")
                       .only(sun));
  fields.push_back(field("specular", {number(dimension::kNone, kPart)},
                         "Part of the light that is reflected as by a mirror.", "0.3")
                       .defaults("0")
                       .only(sun));
  fields.push_back(field("diffuse", {number(dimension::kNone, kPart)},
                         "Part of the light that is reflected to all sides.", "0.2")
                       .defaults("0")
                       .only(sun));
  fields.push_back(
      field("shadow", {choice({"conical", "cylindrical", "none"})},
            "Shadow of the planet: with penumbra, a cylinder with an edge of 20 km, or "
            "none.",
            "cylindrical")
          .defaults("conical")
          .only(sun));
}

void add_magnetics(std::vector<Field>& fields) {
  const std::vector<std::string> magnet{"magnetic-torque"};
  fields.push_back(
      field("moment", {list(3, 3, {input({kDipoleMoment})})},
            "Dipole moment along the axes of the place: constants, functions of time or "
            "signals.",
            "[0 A*m^2, 0 A*m^2, {signal: coil}]")
          .only(magnet));
  fields.push_back(field("damping_gain", {number(kMomentPerFieldRate, kPositive)},
                         "Instead of a moment: the moment is this gain times the rate at which the "
                         "field falls in the axes of the place (the rate damper called B-dot).",
                         "5e6 A*m^2*s/T")
                       .only(magnet));
  fields.push_back(field("moment_limit", {number(kDipoleMoment, kPositive)},
                         "Largest moment of the damper along each axis.", "10 A*m^2")
                       .only(magnet));
  fields.push_back(field("field_strength", {number(kFluxDensity, kNonNegative)},
                         "Flux density at the magnetic equator on the surface.", "31.2 uT")
                       .defaults("3.12e-5 T")
                       .only(magnet));
  fields.push_back(field("tilt", {number(dimension::kNone, kAny)},
                         "Angle between the dipole and the pole; it turns with the planet.",
                         "11 deg")
                       .defaults("0")
                       .only(magnet));
  fields.push_back(field("longitude", {number(dimension::kNone, kAny)},
                         "Of the dipole's northern end at the start, counted as `node` is.",
                         "-70 deg")
                       .defaults("0")
                       .only(magnet));
}

void add_thruster(std::vector<Field>& fields) {
  const std::vector<std::string> thruster{"thruster"};
  fields.push_back(field("direction", axis_shapes(),
                         "Direction of the force on the body, in the axes of the place.", "x")
                       .required()
                       .only(thruster));
  fields.push_back(
      field("thrust", {number(dimension::kForce, kNonNegative)}, "Force while it burns.", "10 N")
          .required()
          .only(thruster));
  fields.push_back(field("command", {input({dimension::kNone})},
                         "Burns while this is at or above the threshold.", "{signal: jet}")
                       .defaults("1")
                       .only(thruster));
  fields.push_back(field("threshold", {number(dimension::kNone, kAny)}, "Of the command.", "0.5")
                       .defaults("0.5")
                       .only(thruster));
  fields.push_back(field("minimum_pulse", {number(dimension::kTime, kNonNegative)},
                         "Once lit it burns at least so long.", "20 ms")
                       .defaults("0")
                       .only(thruster));
  fields.push_back(field("specific_impulse", {number(dimension::kTime, kPositive)},
                         "Specific impulse; without it no propellant is used up.", "220 s")
                       .only(thruster));
  fields.push_back(field("propellant", {number(dimension::kMass, kPositive)},
                         "Propellant at the start. The body's mass does not change with it.",
                         "5 kg")
                       .only(thruster));
}

}  // namespace

void add_orbit_forces(std::vector<Field>& fields, std::vector<Rule>& rules) {
  fields.push_back(field("plates", {list(1, 1000, {object(plate())})}, "The surfaces.",
                         "[{area: 2 m^2, normal: x}]")
                       .required()
                       .only({"drag", "solar-pressure"}));
  add_drag(fields);
  add_sunlight(fields);
  add_magnetics(fields);
  add_thruster(fields);
  rules.push_back({Rule::Kind::kExactlyOne, {"moment", "damping_gain"}, {"magnetic-torque"}});
  rules.push_back({Rule::Kind::kNeedsOneOf, {"moment_limit", "damping_gain"}, {"magnetic-torque"}});
  rules.push_back({Rule::Kind::kTogether, {"specific_impulse", "propellant"}, {"thruster"}});
}

}  // namespace grapple::scenario::language
