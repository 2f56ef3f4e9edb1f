#include "grapple/scenario/build/internal/contact_laws.h"

#include <fmt/format.h>

#include <cmath>

#include "grapple/contact/hertz.h"
#include "grapple/contact/patch_friction.h"

namespace grapple::scenario {

using contact::FrictionData;

namespace {

contact::DampingRule rule_of(const std::string& name) {
  if (name == "hunt-crossley") return contact::DampingRule::kHuntCrossley;
  if (name == "lankarani-nikravesh") return contact::DampingRule::kLankaraniNikravesh;
  if (name == "flores") return contact::DampingRule::kFlores;
  return contact::DampingRule::kExact;
}

}  // namespace

ShapePair ContactLaws::pair(const BuiltShape& first, const BuiltShape& second) const {
  const auto material_of = [&](const BuiltShape& shape) {
    return shape.material.empty() ? model::Material{} : assembly_.materials.at(shape.material);
  };
  return {first, second, contact::combined(material_of(first), material_of(second))};
}

template <class Value>
std::string ContactLaws::lacking(const ShapePair& pair, const char* key,
                                 std::optional<Value> model::Material::*property) const {
  std::string text;
  for (const BuiltShape* shape : {&pair.first, &pair.second}) {
    if (shape->material.empty()) {
      text += fmt::format("; '{}' has no material", shape->name);
    } else if (!(assembly_.materials.at(shape->material).*property)) {
      text += fmt::format("; material '{}' of '{}' has no '{}'", shape->material, shape->name, key);
    }
  }
  return text;
}

contact::PowerLaw ContactLaws::normal(const ShapePair& pair) {
  contact::PowerLaw law;
  law.exponent = reader_.number("exponent");
  law.rule = rule_of(reader_.text("damping"));
  law.slow_impact = reader_.number("slow_impact");
  const auto own = read_restitution(reader_);
  if (!own && !pair.material.restitution) {
    fault("GR-403", shapes_key_,
          "no restitution: give it to the contact, or to the materials of both shapes" +
              lacking(pair, "restitution", &model::Material::restitution));
  } else {
    law.restitution = own ? *own : *pair.material.restitution;
  }
  return law;
}

double ContactLaws::stiffness(const ShapePair& pair, const geometry::GapCurvature& gap) {
  const double exponent = reader_.number("exponent");
  if (reader_.has("stiffness")) return given_stiffness(exponent);
  if (exponent != 1.5) {
    fault("GR-404", "exponent", "Hertz's stiffness goes with the exponent 1.5; give 'stiffness'");
    return 0.0;
  }
  if (!pair.material.effective_modulus) {
    fault("GR-404", shapes_key_,
          "no stiffness: give it to the contact, or 'young' and 'poisson' to the materials of "
          "both shapes" +
              lacking(pair, "young", &model::Material::elasticity));
    return 0.0;
  }
  if (!(gap.smaller > 0.0) || !std::isfinite(gap.larger)) {
    fault("GR-404", shapes_key_,
          "Hertz's stiffness needs smooth surfaces that fit with play: give the box a "
          "'corner_radius', the ball a smaller radius than its bore, or the contact a "
          "'stiffness'");
    return 0.0;
  }
  return contact::hertz_stiffness(*pair.material.effective_modulus, gap);
}

double ContactLaws::foundation(const ShapePair& pair) {
  if (reader_.has("foundation")) return reader_.number("foundation");
  if (pair.material.foundation) return *pair.material.foundation;
  fault("GR-404", shapes_key_,
        "no stiffness: give 'foundation' to the contact, or to the materials of both shapes" +
            lacking(pair, "foundation", &model::Material::foundation));
  return 0.0;
}

bool ContactLaws::follows(const geometry::TouchQuery& site) {
  const std::string wish = reader_.has("curvature") ? reader_.text("curvature") : "";
  if (!wish.empty() && reader_.has("stiffness")) {
    fault("GR-404", "curvature", "a given 'stiffness' has no curvature; remove one of the two");
    return false;
  }
  if (wish == "present" && site.shape() == nullptr) {
    fault("GR-404", "curvature",
          "the curvature at the present point is known for ellipsoids on half-spaces, balls and "
          "each other, and for balls on a torus that pass through its hole");
  }
  return wish != "rest" && !reader_.has("stiffness") && site.shape() != nullptr;
}

double ContactLaws::given_stiffness(double exponent) {
  const Quantity k = reader_.quantity("stiffness");
  const bool whole = exponent == std::round(exponent);
  const Dimension expected{.length = 1 - static_cast<int>(exponent), .mass = 1, .time = -2};
  if (!(k.value > 0.0)) {
    fault("GR-404", "stiffness", fmt::format("a stiffness is positive; found {:g}", k.value));
    return 0.0;
  }
  if (k.has_unit && (!whole || k.dimension != expected)) {
    fault("GR-404", "stiffness",
          fmt::format("with the exponent {:g} a stiffness is in {}; found {}", exponent,
                      whole ? unit_text(expected)
                            : fmt::format("N/m^{:g}, written as a bare number", exponent),
                      unit_text(k.dimension)));
    return 0.0;
  }
  return k.value;
}

ContactLaws::Friction ContactLaws::friction(const ShapePair& pair, Rung rung) {
  if (reader_.has("friction") && !reader_.is_mapping("friction")) {
    return {contact::make_frictionless()};
  }
  if (!reader_.has("friction") && !pair.material.friction) {
    fault("GR-403", shapes_key_,
          "no friction: give it to the contact (it may be none), or to the materials of both "
          "shapes" +
              lacking(pair, "friction", &model::Material::friction));
    return {};
  }
  const FrictionData data = reader_.has("friction")
                                ? read_friction(reader_.object("friction"), assembly_.faults)
                                : *pair.material.friction;
  const double load = shapes_.load_per_mass();
  Friction result;
  const contact::FrictionType& type = contact::friction_type(data.law);
  result.damping = type.damping(data, load);
  result.law =
      rung == Rung::kPatch ? type.make_patch(data, load, spin()) : type.make_point(data, load);
  const std::vector<std::string> chosen = type.automatic(data, load);
  if (!chosen.empty()) note(fmt::format("friction with {}", fmt::join(chosen, ", ")));
  return result;
}

contact::SpinFriction ContactLaws::spin() {
  using Surface = contact::SpinFriction::Surface;
  if (reader_.text("limit_surface") == "ellipse") {
    return {Surface::kEllipse,
            reader_.text("spin_lever") == "ball" ? contact::kBallLeverShare : 1.0};
  }
  if (reader_.has("spin_lever")) {
    fault("GR-409", "spin_lever",
          "'spin_lever' belongs to 'limit_surface: ellipse'; the exact surface needs no lever");
  }
  return {Surface::kExact};
}

contact::RollingResistance ContactLaws::rolling() const {
  using Law = contact::RollingResistance::Law;
  if (!reader_.has("rolling")) return {};
  if (!reader_.is_mapping("rolling")) {
    return reader_.text("rolling") == "impact" ? contact::RollingResistance{Law::kImpact, {}}
                                               : contact::RollingResistance{Law::kLoss, 0.0};
  }
  const Reader given = reader_.object("rolling");
  if (given.has("lever")) return {Law::kLever, given.number("lever")};
  return {Law::kLoss, given.number("loss")};
}

void ContactLaws::fault(const char* id, std::string_view key, const std::string& message) {
  assembly_.faults.add(id, reader_.where(key),
                       fmt::format("{} '{}': {}", kind_, reader_.text("name"), message));
}

void ContactLaws::note(const std::string& text) {
  assembly_.automatic_values.push_back(
      fmt::format("{} '{}': {}", kind_, reader_.text("name"), text));
}

}  // namespace grapple::scenario
