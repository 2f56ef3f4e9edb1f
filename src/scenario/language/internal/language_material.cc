// Materials of bodies and surfaces.
#include "grapple/contact/restitution.h"
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

constexpr Dimension kPressure{.length = -1, .mass = 1, .time = -2};
constexpr Dimension kFoundation{.length = -2, .mass = 1, .time = -2};
constexpr Dimension kPerLength{.length = -1};
constexpr Dimension kPerSpeed{.length = -1, .time = 1};
const Range kRestitutionRange{.low = contact::kLeastRestitution, .high = 1.0};
const Range kShare{.low = 0.0, .high = 1.0};
const Range kPoisson{.low = -1.0, .high = 0.5, .low_end = Range::End::kExcluded};

Field young_field() {
  return field("young", {number(kPressure, kPositive)}, "Young's modulus.", "70 GPa");
}
Field poisson_field() {
  return field("poisson", {number(dimension::kNone, kPoisson)}, "Poisson's ratio.", "0.33");
}
Field density_field() {
  return field("density", {number(kDensity, kPositive)}, "Density.", "2700 kg/m^3");
}

std::shared_ptr<const Object> structural_damping() {
  return make({"material damping",
               "Structural damping of a material.",
               {field("kelvin_voigt", {number(dimension::kTime, kNonNegative)},
                      "Time constant: damping = time constant times stiffness.", "1 ms")
                    .required()},
               {},
               ""});
}

}  // namespace

Field restitution_field() {
  return field("restitution", {number(dimension::kNone, kRestitutionRange)},
               "Speed after an impact over speed before it; with a slope: at vanishing speed.",
               "0.85");
}

Field restitution_slope_field() {
  return field("restitution_slope", {number(kPerSpeed, kNonNegative)},
               "How much the restitution falls per speed of impact.", "0.2 s/m");
}

std::shared_ptr<const Object> contact_friction() {
  return make(
      {"friction",
       "Friction between two surfaces. The bristle law sticks, slips and ages; the coulomb law "
       "creeps below its transition speed. What is left out has a rule (docs/contact.md).",
       {field("law", {choice({"bristle", "coulomb"})}, "Law of friction.", "bristle")
            .defaults("bristle"),
        field("kinetic", {number(dimension::kNone, kPositive)}, "Coefficient while sliding.",
              "0.15")
            .required(),
        field("static", {number(dimension::kNone, kPositive)},
              "Coefficient after a long rest, not below the kinetic one (bristle).", "0.2"),
        field("viscous", {number(kPerSpeed, kNonNegative)}, "Increase per sliding speed.",
              "0.01 s/m"),
        field("stribeck_speed", {number(dimension::kSpeed, kPositive)},
              "Speed at which sticking has given way to sliding (bristle).", "1 mm/s"),
        field("dwell_time", {number(dimension::kTime, kPositive)},
              "Time at rest in which the static coefficient builds up (bristle).", "0.1 s"),
        field("stiffness", {number(kPerLength, kPositive)},
              "Stiffness of the bristles per normal force (bristle).", "1e5 1/m"),
        field("damping", {number(kPerSpeed, kPositive)},
              "Damping of the bristles per normal force (bristle).", "316 s/m"),
        field("start_dwell", {number(dimension::kNone, kShare)},
              "Rest a new contact has behind it: 0 none, 1 a long one (bristle).", "1"),
        field("transition_speed", {number(dimension::kSpeed, kPositive)},
              "Speed below which friction falls to zero (coulomb).", "1 mm/s")},
       {},
       ""});
}

std::shared_ptr<const Object> material_of_beam() {
  return make(
      {"material of a beam",
       "What the beam is made of, if `materials` does not have it.",
       {young_field().required(), poisson_field().defaults("0.3"), density_field().required()},
       {},
       ""});
}

std::shared_ptr<const Object> material() {
  return make(
      {"material",
       "What bodies and surfaces are made of: one entry for solids, beams and contacts, each of "
       "which takes the properties it needs. A contact takes from its two materials what it is "
       "not given itself.",
       {field("name", {of(Kind::kName)}, "Name of the material.", "steel").required(),
        density_field(), young_field(), poisson_field(),
        field("shear", {number(kPressure, kPositive)},
              "Shear modulus, in place of Poisson's ratio.", "26 GPa"),
        field("damping", {number(dimension::kNone, kNonNegative), object(structural_damping())},
              "Structural damping of beams that are given none themselves: a ratio for all modes, "
              "or a mapping.",
              "{kelvin_voigt: 1 ms}"),
        field("foundation", {number(kFoundation, kPositive)},
              "Stiffness of its elastic foundation, pressure per depth, for volumetric contact.",
              "1e9 N/m^3"),
        restitution_field(), restitution_slope_field(),
        field("friction", {object(contact_friction())}, "Friction with the same material.",
              "{kinetic: 0.15, static: 0.2}")},
       {{Rule::Kind::kNeedsOneOf, {"young", "poisson", "shear"}, {}},
        {Rule::Kind::kNeedsOneOf, {"poisson", "young"}, {}},
        {Rule::Kind::kNeedsOneOf, {"shear", "young"}, {}},
        {Rule::Kind::kAtMostOne, {"poisson", "shear"}, {}},
        {Rule::Kind::kNeedsOneOf, {"restitution_slope", "restitution"}, {}}},
       ""});
}

}  // namespace grapple::scenario::language
