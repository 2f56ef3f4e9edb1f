#include "grapple/contact/pair_material.h"

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

// A value that only one gives holds for the pair; one with a lower bound is relative to it, and
// where it is absent that bound stands in for it.
double combined_value(const FrictionParameter& parameter, const FrictionData& a,
                      const FrictionData& b) {
  const auto of = [&](const FrictionData& data, const FrictionData& other) {
    if (const auto own = data.find(parameter.key)) return *own;
    return parameter.lower_bound.empty() ? other.value(parameter.key)
                                         : data.value(parameter.lower_bound);
  };
  return std::sqrt(of(a, b) * of(b, a));
}

FrictionData combined_friction(const FrictionData& a, const FrictionData& b) {
  const auto& types = friction_types();
  const auto first = std::find_if(types.begin(), types.end(), [&](const FrictionType& type) {
    return type.name == a.law || type.name == b.law;
  });
  FrictionData pair;
  pair.law = first->name;
  for (const FrictionParameter& parameter : first->parameters) {
    if (!a.find(parameter.key) && !b.find(parameter.key)) continue;
    pair.values[parameter.key] = combined_value(parameter, a, b);
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

}  // namespace grapple::contact
