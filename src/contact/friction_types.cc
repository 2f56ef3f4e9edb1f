#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/contact/friction_type.h"

namespace grapple::contact {

namespace {

using Range = FrictionParameter::Range;
using Presence = FrictionParameter::Presence;

constexpr Dimension kPerSpeed{.length = -1, .time = 1};
constexpr Dimension kPerLength{.length = -1};

FrictionParameter kinetic() {
  return {"kinetic",
          dimension::kNone,
          Range::kPositive,
          Presence::kRequired,
          "",
          "Coefficient while sliding.",
          "0.15"};
}

FrictionParameter viscous() {
  return {"viscous",           kPerSpeed, Range::kNonNegative,
          Presence::kOptional, "",        "Increase per sliding speed.",
          "0.01 s/m"};
}

FrictionParameter optional(const char* key, const Dimension& dimension, const char* doc,
                           const char* example) {
  return {key, dimension, Range::kPositive, Presence::kOptional, "", doc, example};
}

std::vector<std::string> automatic_of_bristles(const FrictionData& data, double load_per_mass) {
  std::vector<std::string> chosen;
  const auto note = [&](const char* key, const char* name, double value, const char* unit) {
    if (!data.find(key)) chosen.push_back(fmt::format("{} {:.4g} {}", name, value, unit));
  };
  const BristleFriction law = complete_bristles(data, load_per_mass);
  note("static", "static coefficient", law.static_, "(the kinetic one)");
  note("stiffness", "bristle stiffness", law.stiffness, "1/m (mu_S / 0.1 mm)");
  note("damping", "bristle damping", law.damping, "s/m (critical under its own weight)");
  note("stribeck_speed", "Stribeck speed", law.stribeck_speed, "m/s");
  note("dwell_time", "dwell time", law.dwell_time, "s (ten times the bristles')");
  return chosen;
}

FrictionType bristle_type() {
  FrictionParameter of_rest =
      optional("static", dimension::kNone,
               "Coefficient after a long rest, not below the kinetic one.", "0.2");
  of_rest.lower_bound = "kinetic";
  FrictionParameter start_dwell =
      optional("start_dwell", dimension::kNone,
               "Rest a new contact has behind it: 0 none, 1 a long one.", "1");
  start_dwell.range = Range::kShare;
  return {
      "bristle",
      {kinetic(), of_rest, viscous(),
       optional("stribeck_speed", dimension::kSpeed,
                "Speed at which sticking has given way to sliding.", "1 mm/s"),
       optional("dwell_time", dimension::kTime,
                "Time at rest in which the static coefficient builds up.", "0.1 s"),
       optional("stiffness", kPerLength, "Stiffness of the bristles per normal force.", "1e5 1/m"),
       optional("damping", kPerSpeed, "Damping of the bristles per normal force.", "316 s/m"),
       start_dwell},
      [](const FrictionData& data, double load_per_mass) {
        return make_friction_law(complete_bristles(data, load_per_mass));
      },
      [](const FrictionData& data, double load_per_mass, const SpinFriction& spin) {
        return make_patch_friction(complete_bristles(data, load_per_mass), spin);
      },
      [](const FrictionData& data, double load_per_mass) {
        return complete_bristles(data, load_per_mass).damping;
      },
      automatic_of_bristles};
}

CoulombFriction complete_coulomb(const FrictionData& data) {
  return {data.value("kinetic"), data.find("viscous").value_or(0.0),
          data.find("transition_speed").value_or(kStribeckSpeed)};
}

FrictionType coulomb_type() {
  return {"coulomb",
          {kinetic(), viscous(),
           optional("transition_speed", dimension::kSpeed,
                    "Speed below which friction falls to zero.", "1 mm/s")},
          [](const FrictionData& data, double /*load_per_mass*/) {
            return make_friction_law(complete_coulomb(data));
          },
          [](const FrictionData& data, double /*load_per_mass*/, const SpinFriction& spin) {
            return make_patch_friction(complete_coulomb(data), spin);
          },
          [](const FrictionData& data, double /*load_per_mass*/) {
            const CoulombFriction law = complete_coulomb(data);
            return 1.5 * law.kinetic / law.transition_speed;
          },
          [](const FrictionData& data, double /*load_per_mass*/) -> std::vector<std::string> {
            if (data.find("transition_speed")) return {};
            return {fmt::format("transition speed {:.4g} m/s", kStribeckSpeed)};
          }};
}

}  // namespace

bool FrictionType::has(std::string_view key) const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const FrictionParameter& one) { return one.key == key; });
}

const std::vector<FrictionType>& friction_types() {
  static const std::vector<FrictionType> all{bristle_type(), coulomb_type()};
  return all;
}

const FrictionType& friction_type(std::string_view name) {
  const auto& all = friction_types();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const FrictionType& type) { return type.name == name; });
  GRAPPLE_ASSERT(found != all.end());
  return *found;
}

BristleFriction complete_bristles(const FrictionData& data, double load_per_mass) {
  BristleFriction law;
  law.kinetic = data.value("kinetic");
  law.static_ = data.find("static").value_or(law.kinetic);
  law.stiffness = data.find("stiffness").value_or(law.static_ / kPreslidingLength);
  law.damping = data.find("damping").value_or(2.0 * std::sqrt(law.stiffness / load_per_mass));
  law.viscous = data.find("viscous").value_or(0.0);
  law.stribeck_speed = data.find("stribeck_speed").value_or(kStribeckSpeed);
  law.dwell_time = data.find("dwell_time").value_or(10.0 * law.damping / law.stiffness);
  law.start_dwell = data.find("start_dwell").value_or(0.0);
  return law;
}

}  // namespace grapple::contact
