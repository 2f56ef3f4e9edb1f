// Materials of bodies and surfaces.
#include <fmt/format.h>

#include <algorithm>

#include "grapple/contact/friction_type.h"
#include "grapple/contact/restitution.h"
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

constexpr Dimension kPressure{.length = -1, .mass = 1, .time = -2};
constexpr Dimension kPerLength{.length = -1};
constexpr Dimension kPerSpeed{.length = -1, .time = 1};
const Range kRestitutionRange{.low = contact::kLeastRestitution, .high = 1.0};
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

namespace {

const Range& range_of(const contact::FrictionParameter& parameter) {
  switch (parameter.range) {
    case contact::FrictionParameter::Range::kNonNegative:
      return kNonNegative;
    case contact::FrictionParameter::Range::kShare:
      return kShare;
    case contact::FrictionParameter::Range::kPositive:
      break;
  }
  return kPositive;
}

// A key that some laws share is described by the first; build refuses those of other laws.
Field field_of(const contact::FrictionParameter& parameter) {
  std::vector<std::string> laws;
  bool is_required = true;
  for (const contact::FrictionType& type : contact::friction_types()) {
    if (type.has(parameter.key)) {
      laws.push_back(type.name);
    } else {
      is_required = false;
    }
  }
  const bool in_all = laws.size() == contact::friction_types().size();
  const std::string doc =
      in_all ? parameter.doc
             : fmt::format("{} ({}).", parameter.doc.substr(0, parameter.doc.size() - 1),
                           fmt::join(laws, ", "));
  Field made = field(parameter.key, {number(parameter.dimension, range_of(parameter))}, doc,
                     parameter.example);
  is_required &= parameter.presence == contact::FrictionParameter::Presence::kRequired;
  if (is_required) made.presence = Presence::kRequired;
  return made;
}

}  // namespace

std::shared_ptr<const Object> contact_friction() {
  std::vector<std::string> laws;
  std::vector<Field> fields;
  for (const contact::FrictionType& type : contact::friction_types()) {
    laws.push_back(type.name);
    for (const contact::FrictionParameter& parameter : type.parameters) {
      const auto is_same = [&](const Field& other) { return other.key == parameter.key; };
      if (std::any_of(fields.begin(), fields.end(), is_same)) continue;
      fields.push_back(field_of(parameter));
    }
  }
  fields.insert(
      fields.begin(),
      field("law", {choice(laws)}, "Law of friction.", laws.front()).defaults(laws.front()));
  return make({"friction",
               "Friction between two surfaces. The bristle law sticks, slips and ages; the coulomb "
               "law creeps below its transition speed. What is left out has a rule "
               "(docs/contact.md).",
               std::move(fields),
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
