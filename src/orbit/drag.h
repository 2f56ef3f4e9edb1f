// Drag of a thin atmosphere in free molecular flow on plates: with u the velocity of a plate
// through the air and n its outward normal,
//   F = -1/2 rho C_D A max(0, n.u) u,    rho = rho_0 exp(-(h - h_0)/H),
// h the height of the plate above the planet's radius (a sphere). The air stands still, or turns
// with the planet. Valid for a body much faster than the molecules, and where one scale height H
// serves; densities of the real atmosphere vary by factors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/element/element.h"
#include "grapple/orbit/reference_orbit.h"
#include "grapple/orbit/surface.h"

namespace grapple::orbit {

struct Atmosphere {
  double density = 2.8e-12;         ///< kg/m^3 at the reference altitude
  double reference_altitude = 4e5;  ///< m
  double scale_height = 58.5e3;     ///< m
  enum class Air { kTurnsWithThePlanet, kStill };
  Air air = Air::kTurnsWithThePlanet;
};

/// Outputs NAME/force_x, _y, _z (N, world axes), NAME/density (kg/m^3). Books its power, that of
/// its force on the motion relative to the reference point, as `external`.
std::unique_ptr<element::Element> make_drag(std::string name, model::Frame frame,
                                            std::vector<Plate> plates, double drag_coefficient,
                                            const Atmosphere& atmosphere, ReferenceOrbit orbit);

}  // namespace grapple::orbit
