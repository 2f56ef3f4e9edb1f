// What bodies are made of: one record for mass properties, beams and every kind of contact.
// Linear elastic and isotropic, so that two constants say all:  G = E / (2 (1 + nu)).
// A property that is not known is absent; whoever needs it refuses the material with a message.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "grapple/flexible/damping.h"

namespace grapple::model {

struct Elasticity {
  double young = 0.0;    ///< E, Pa
  double poisson = 0.0;  ///< nu, above -1, at most 0.5

  /// G, Pa.
  double shear() const { return young / (2.0 * (1.0 + poisson)); }
};

/// e(v) = e0 - slope v (contact/restitution.h).
struct Restitution {
  double at_rest = 1.0;  ///< e0
  double slope = 0.0;    ///< s/m
};

/// Friction as a user gives it: a kind of law and its parameters by key (contact/friction_type.h).
/// What is left out has a rule.
struct FrictionData {
  std::string law = "bristle";
  std::map<std::string, double> values;  ///< SI

  std::optional<double> find(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::nullopt : std::optional<double>(found->second);
  }
  /// The key must be there.
  double value(const std::string& key) const { return values.at(key); }
};

struct Material {
  std::optional<double> density;             ///< kg/m^3
  std::optional<Elasticity> elasticity;      ///< of the bulk, for beams and Hertz's contact
  std::optional<flexible::Damping> damping;  ///< structural: one ratio for every mode, Kelvin-Voigt
  std::optional<double> foundation;          ///< k_v of its elastic foundation, N/m^3
  std::optional<Restitution> restitution;    ///< against the same material
  std::optional<FrictionData> friction;      ///< against the same material
};

}  // namespace grapple::model
