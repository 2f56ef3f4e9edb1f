// Shapes of a scenario, read and put in place, for its contacts.
#pragma once

#include <map>
#include <string>

#include "grapple/geometry/solid/shape.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

struct BuiltShape {
  std::string name;  ///< "floor", "ball/skin"
  geometry::Shape shape;
  model::Frame frame;
  std::string material;      ///< its own, or that of the body it is on; empty: none given
  bool is_stand_in = false;  ///< the shape itself has a fault, which is noted
};

struct ContactShapes {
  std::map<std::string, BuiltShape> shapes;  ///< by name
  double gravity = 0.0;                      ///< m/s^2

  /// Gravity, or the earth's where there is none to go by.
  double load_per_mass() const;
};

ContactShapes read_contact_shapes(const Reader& scenario, Assembly& assembly,
                                  const model::Model& model);

}  // namespace grapple::scenario
