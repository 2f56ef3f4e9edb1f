// What two materials make of a pair in contact.
//   stiffness    both elasticities in series (effective_modulus), both foundations in series
//   restitution  each body loses its share of the energy, by compliance c = (1 - nu^2)/E:
//                1 - e^2 = sum c_i (1 - e_i^2) / sum c_i;   without elasticity the smaller e
//   friction     geometric means; a value only one of them gives holds for the pair
// Friction and restitution are properties of a pair: what the pair itself is given goes before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grapple/contact/hertz.h"
#include "grapple/contact/patch_friction.h"
#include "grapple/contact/restitution.h"
#include "grapple/model/material.h"

namespace grapple::contact {

using model::FrictionData;

/// What two materials make together; a property is absent if they do not both give it.
struct PairMaterial {
  std::optional<double> effective_modulus;  ///< E*, Pa
  std::optional<double> foundation;         ///< k_v, N/m^3
  std::optional<Restitution> restitution;
  std::optional<FrictionData> friction;
};
PairMaterial combined(const model::Material& a, const model::Material& b);

/// The law with every value filled in. `automatic` receives a sentence per value chosen here.
/// `load_per_mass`: normal force over mass in typical rest, m/s^2 (g for a body on the ground).
std::shared_ptr<const FrictionLaw> complete_friction(const FrictionData& data, double load_per_mass,
                                                     std::vector<std::string>& automatic);
/// The same for a patch.
std::shared_ptr<const FrictionLaw> complete_patch_friction(const FrictionData& data,
                                                           double load_per_mass,
                                                           const SpinFriction& spin,
                                                           std::vector<std::string>& automatic);
/// The bristle law that complete_friction makes, for estimates.
BristleFriction complete_bristles(const FrictionData& data, double load_per_mass);

}  // namespace grapple::contact
