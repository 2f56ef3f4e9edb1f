// Torque of the planet's magnetic field on a dipole moment of a body: M x B, with the field of a
// dipole (Wertz, Spacecraft Attitude Determination and Control, appendix H): with m the unit vector
// of the planet's moment (towards the magnetic south pole of the dipole model) and d the place,
//   B = B_0 (Re/|d|)^3 (3 (m.d^) d^ - m).
// The dipole may be tilted from the pole and then turns with the planet.
// The moment is given (a constant, a function or a signal per axis of the frame), or follows from
// the field by the law of a rate damper, M = -gain dB/dt in the axes of the frame, each component
// limited; dB/dt is that seen by the turning frame, omega x B, the change of B along the orbit left
// out.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>

#include "grapple/element/element.h"
#include "grapple/orbit/reference_orbit.h"

namespace grapple::orbit {

struct DipoleField {
  double strength = 3.12e-5;  ///< T, at the magnetic equator at one radius
  double tilt = 0.0;          ///< rad, of the dipole from the pole
  double longitude = 0.0;     ///< rad, of its northern end at t = 0, counted as the node is
};

/// M = -gain dB/dt.
struct RateDamper {
  double gain = 0.0;                                       ///< A m^2 s/T
  double limit = std::numeric_limits<double>::infinity();  ///< A m^2 per axis
};

/// Outputs NAME/field_x, _y, _z (T) and NAME/moment_x, ... (A m^2) in the axes of the frame,
/// NAME/torque_x, ... (N m) in world axes. Books the power of the torque as `actuators`.
std::unique_ptr<element::Element> make_magnetic_torque(std::string name, model::Frame frame,
                                                       std::array<element::Input, 3> moment,
                                                       const DipoleField& field,
                                                       ReferenceOrbit orbit);
std::unique_ptr<element::Element> make_magnetic_damper(std::string name, model::Frame frame,
                                                       const RateDamper& law,
                                                       const DipoleField& field,
                                                       ReferenceOrbit orbit);

}  // namespace grapple::orbit
