// Pressure of sunlight on plates (Montenbruck and Gill, Satellite Orbits, section 3.4): with s the
// unit vector to the Sun, n the outward normal and c = n.s > 0,
//   F = -P A c ((1 - rho_s) s + 2 (rho_s c + rho_d/3) n) times the part of the Sun that is seen,
// rho_s and rho_d the specular and diffuse reflectivities; the rest is absorbed. The Sun is a fixed
// direction one astronomical unit away.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/element/element.h"
#include "grapple/orbit/eclipse.h"
#include "grapple/orbit/reference_orbit.h"
#include "grapple/orbit/surface.h"

namespace grapple::orbit {

struct Sunlight {
  double pressure = 4.56e-6;  ///< N/m^2 on what absorbs all of it
  double specular = 0.0;      ///< reflectivities, together at most 1
  double diffuse = 0.0;
  Shadow shadow = Shadow::kConical;
  spatial::Vec3 sun_E = spatial::Vec3::UnitX();  ///< unit vector to the Sun, axes E of the orbit
};

/// Outputs NAME/force_x, _y, _z (N, world axes), NAME/sunlit (1: full light). Books its power, on
/// the motion relative to the reference point, as `external`.
std::unique_ptr<element::Element> make_solar_pressure(std::string name, model::Frame frame,
                                                      std::vector<Plate> plates,
                                                      const Sunlight& light, ReferenceOrbit orbit);

}  // namespace grapple::orbit
