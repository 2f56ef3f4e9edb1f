// Materials and shapes of a scenario, read and put in place, for its contacts.
#pragma once

#include <map>
#include <string>

#include "grapple/contact/material.h"
#include "grapple/geometry/solid/shape.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

struct BuiltShape {
  geometry::Shape shape;
  model::Frame frame;
  std::string material;      ///< empty: none given
  bool is_stand_in = false;  ///< the shape itself has a fault, which is noted
};

struct ContactShop {
  std::map<std::string, contact::Material> materials;
  std::map<std::string, BuiltShape> shapes;  ///< "floor", "ball/skin"
  double gravity = 0.0;                      ///< m/s^2

  contact::Material material_of(const BuiltShape& shape) const;
  /// Gravity, or the earth's where there is none to go by.
  double load_per_mass() const;
};

ContactShop read_contact_shop(const Reader& scenario, Assembly& assembly,
                              const model::Model& model);

/// Restitution of a material or a contact, if it is given.
std::optional<contact::Restitution> read_restitution(const Reader& reader);
/// GR-405, GR-406.
contact::FrictionData read_friction(const Reader& friction, Diagnostics& faults);

}  // namespace grapple::scenario
