// Beams for the tests: a bar with round numbers and helpers to compare frequencies.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "grapple/flexible/beam_modes.h"

namespace grapple::flexible::test {

/// Different in every direction, so that a mixed-up stiffness shows.
inline BeamSection plain_section() {
  BeamSection s;
  s.mass_per_length = 3.0;
  s.axial_stiffness = 5.0e6;
  s.bending_stiffness_y = 700.0;
  s.bending_stiffness_z = 1900.0;
  s.torsion_stiffness = 450.0;
  s.rotary_inertia_x = 0.004;
  return s;
}
inline constexpr double kLength = 2.5;

inline ModalBeamSpec plain_spec(Boundary boundary) {
  ModalBeamSpec spec;
  spec.beam = uniform_beam(kLength, plain_section());
  spec.boundary = boundary;
  return spec;
}

/// beta L of bending frequencies: omega = (beta L)^2 sqrt(EI / (mu L^4)).
inline spatial::VecX beta_L(const spatial::VecX& omega, double EI, double mu, double L) {
  return (omega / std::sqrt(EI / (mu * std::pow(L, 4)))).cwiseSqrt();
}

inline const FrameShape& frame(const FlexibleBody& body, const std::string& name) {
  for (const FrameShape& f : body.frames) {
    if (f.name == name) return f;
  }
  throw std::out_of_range(name);
}

/// Largest off-diagonal element relative to its diagonal.
inline double coupling(const spatial::MatX& a) {
  double largest = 0.0;
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    for (Eigen::Index l = 0; l < k; ++l) {
      largest = std::max(largest, std::abs(a(k, l)) / std::sqrt(a(k, k) * a(l, l)));
    }
  }
  return largest;
}

}  // namespace grapple::flexible::test
