// What two materials make of a pair in contact.
//   stiffness    both elasticities in series (effective_modulus), both foundations in series
//   restitution  each body loses its share of the energy, by compliance c = (1 - nu^2)/E:
//                1 - e^2 = sum c_i (1 - e_i^2) / sum c_i;   without elasticity the smaller e
//   friction     geometric means; a value only one of them gives holds for the pair
// Friction and restitution are properties of a pair: what the pair itself is given goes before.
#pragma once

#include <optional>

#include "grapple/contact/friction_type.h"
#include "grapple/contact/hertz.h"
#include "grapple/contact/restitution.h"
#include "grapple/model/material.h"

namespace grapple::contact {

/// What two materials make together; a property is absent if they do not both give it.
struct PairMaterial {
  std::optional<double> effective_modulus;  ///< E*, Pa
  std::optional<double> foundation;         ///< k_v, N/m^3
  std::optional<Restitution> restitution;
  std::optional<FrictionData> friction;
};
PairMaterial combined(const model::Material& a, const model::Material& b);

}  // namespace grapple::contact
