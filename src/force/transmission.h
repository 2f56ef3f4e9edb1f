// The transmission of a flexible joint: what gives between its motors and its link. With the twist
// w = motor - link (both on the link's side of the gear) the link feels +T, the motor -T,
//   T = k x + k3 x^3 + d x' + kh z,
// x: the twist beyond the backlash, dz(w) = sign(w) max(0, |w| - backlash / 2).
// Without backlash the damper always acts. With backlash, the first three terms act only while the
// teeth touch and never pull them together: T = max(0, ...) on either flank.
// Hysteresis after Bouc and Wen in its thermodynamically sound form, elastic when unloading
// (Erlicher and Point 2004), acting on the twist itself, in the backlash too:
//   z' = w' (1 - |kh z / yield|^n) if z w' > 0, else w';   |kh z| <= yield.
// It stores 1/2 kh z^2 and loses kh z (w' - z') >= 0, booked as friction. Large n: an
// elastic-plastic element. At rest it holds any torque below its yield, so that rest positions are
// a band.
#pragma once

#include <memory>
#include <vector>

#include "grapple/element/element.h"
#include "grapple/model/model.h"

namespace grapple::force {

/// The spring that slips.
struct Hysteresis {
  double stiffness = 0.0;  ///< kh; 0: no hysteresis
  double yield = 0.0;      ///< largest torque or force, positive
  double exponent = 1.0;   ///< n, at least 1
};

/// Of one degree of freedom; SI, turning (rad, N m) or sliding (m, N).
struct TransmissionLaw {
  double stiffness = 0.0;        ///< k
  double cubic_stiffness = 0.0;  ///< k3
  double damping = 0.0;          ///< d
  double backlash = 0.0;         ///< whole width of the free play
  Hysteresis hysteresis{};
};

/// One law per degree of freedom of a flexible joint. Kinks: both flanks of the backlash, and the
/// reversals of the hysteresis.
std::unique_ptr<element::Element> make_transmission(const model::Model& model, int link,
                                                    std::vector<TransmissionLaw> laws);

}  // namespace grapple::force
