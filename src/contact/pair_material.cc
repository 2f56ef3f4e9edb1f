#include "grapple/contact/pair_material.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapple::contact {

namespace {

Restitution combined_restitution(const model::Material& a, const model::Material& b) {
  const Restitution &ra = *a.restitution, &rb = *b.restitution;
  if (!a.elasticity || !b.elasticity) return ra.at_rest < rb.at_rest ? ra : rb;
  const double ca = compliance(*a.elasticity), cb = compliance(*b.elasticity);
  const double share = ca / (ca + cb);
  const auto loss = [](double e) { return 1.0 - e * e; };
  return {std::sqrt(1.0 - share * loss(ra.at_rest) - (1.0 - share) * loss(rb.at_rest)),
          share * ra.slope + (1.0 - share) * rb.slope};
}

using Value = std::optional<double>;

Value mean(const Value& a, const Value& b) {
  if (!a || !b) return a ? a : b;
  return std::sqrt(*a * *b);
}

FrictionData combined_friction(const FrictionData& a, const FrictionData& b) {
  const bool bristles = a.law == FrictionData::Law::kBristle || b.law == a.law;
  FrictionData pair;
  pair.law = bristles ? a.law : b.law;
  pair.kinetic = std::sqrt(a.kinetic * b.kinetic);
  // A static coefficient only one gives is a ratio to that one's kinetic.
  if (a.static_ || b.static_) {
    pair.static_ = std::sqrt(a.static_.value_or(a.kinetic) * b.static_.value_or(b.kinetic));
  }
  for (Value FrictionData::*value :
       {&FrictionData::viscous, &FrictionData::stiffness, &FrictionData::damping,
        &FrictionData::stribeck_speed, &FrictionData::dwell_time, &FrictionData::start_dwell,
        &FrictionData::transition_speed}) {
    pair.*value = mean(a.*value, b.*value);
  }
  return pair;
}

}  // namespace

PairMaterial combined(const model::Material& a, const model::Material& b) {
  PairMaterial pair;
  if (a.elasticity && b.elasticity) {
    pair.effective_modulus = effective_modulus(*a.elasticity, *b.elasticity);
  }
  if (a.foundation && b.foundation) {
    pair.foundation = 1.0 / (1.0 / *a.foundation + 1.0 / *b.foundation);
  }
  if (a.restitution && b.restitution) pair.restitution = combined_restitution(a, b);
  if (a.friction && b.friction) pair.friction = combined_friction(*a.friction, *b.friction);
  return pair;
}

BristleFriction complete_bristles(const FrictionData& data, double load_per_mass) {
  BristleFriction law;
  law.kinetic = data.kinetic;
  law.static_ = data.static_.value_or(data.kinetic);
  law.stiffness = data.stiffness.value_or(law.static_ / kPreslidingLength);
  law.damping = data.damping.value_or(2.0 * std::sqrt(law.stiffness / load_per_mass));
  law.viscous = data.viscous.value_or(0.0);
  law.stribeck_speed = data.stribeck_speed.value_or(kStribeckSpeed);
  law.dwell_time = data.dwell_time.value_or(10.0 * law.damping / law.stiffness);
  law.start_dwell = data.start_dwell.value_or(0.0);
  return law;
}

namespace {

CoulombFriction complete_coulomb(const FrictionData& data) {
  return {data.kinetic, data.viscous.value_or(0.0), data.transition_speed.value_or(kStribeckSpeed)};
}

void note_automatic(const FrictionData& data, double load_per_mass,
                    std::vector<std::string>& automatic) {
  const auto note = [&](const Value& given, const char* name, double value, const char* unit) {
    if (!given) automatic.push_back(fmt::format("{} {:.4g} {}", name, value, unit));
  };
  if (data.law == FrictionData::Law::kCoulomb) {
    return note(data.transition_speed, "transition speed", kStribeckSpeed, "m/s");
  }
  const BristleFriction law = complete_bristles(data, load_per_mass);
  note(data.static_, "static coefficient", law.static_, "(the kinetic one)");
  note(data.stiffness, "bristle stiffness", law.stiffness, "1/m (mu_S / 0.1 mm)");
  note(data.damping, "bristle damping", law.damping, "s/m (critical under its own weight)");
  note(data.stribeck_speed, "Stribeck speed", law.stribeck_speed, "m/s");
  note(data.dwell_time, "dwell time", law.dwell_time, "s (ten times the bristles')");
}

}  // namespace

std::shared_ptr<const FrictionLaw> complete_friction(const FrictionData& data, double load_per_mass,
                                                     std::vector<std::string>& automatic) {
  note_automatic(data, load_per_mass, automatic);
  if (data.law == FrictionData::Law::kCoulomb) return make_friction_law(complete_coulomb(data));
  return make_friction_law(complete_bristles(data, load_per_mass));
}

std::shared_ptr<const FrictionLaw> complete_patch_friction(const FrictionData& data,
                                                           double load_per_mass,
                                                           const SpinFriction& spin,
                                                           std::vector<std::string>& automatic) {
  note_automatic(data, load_per_mass, automatic);
  if (data.law == FrictionData::Law::kCoulomb) {
    return make_patch_friction(complete_coulomb(data), spin);
  }
  return make_patch_friction(complete_bristles(data, load_per_mass), spin);
}

}  // namespace grapple::contact
