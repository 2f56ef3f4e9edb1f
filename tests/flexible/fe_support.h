// Beams and small checks shared by the finite-element tests.
#pragma once

#include <string>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/flexible/fe_beam.h"

namespace grapple::flexible {

/// Slender beam with round numbers, no rotary inertia of bending, light in torsion.
inline BeamSection plain_section() {
  BeamSection section;
  section.mass_per_length = 2.0;
  section.axial_stiffness = 5e6;
  section.bending_stiffness_y = 300.0;
  section.bending_stiffness_z = 500.0;
  section.torsion_stiffness = 200.0;
  section.rotary_inertia_x = 1e-3;
  return section;
}

inline FiniteElementBeam plain_beam(int elements) {
  FiniteElementBeam spec;
  spec.name = "boom";
  spec.beam = uniform_beam(1.5, plain_section());
  spec.elements = elements;
  return spec;
}

inline FiniteElementBeam planar_beam(int elements) {
  FiniteElementBeam spec = plain_beam(elements);
  spec.motions = {FiniteElementMotion::kBendingY};
  return spec;
}

/// omega^2 m L^4 / EI of mode k (from 0) of a beam that bends along y: the dimensionless
/// eigenvalue.
inline double eigenvalue(const FiniteElementBeam& spec, int k) {
  const double omega = clamped_frequencies(finite_element_body(spec))[k];
  const BeamSection s = spec.beam.section(0.0);
  const double L = spec.beam.length;
  return omega * omega * s.mass_per_length * L * L * L * L / s.bending_stiffness_y;
}

/// Id of the Error that f throws, or "none".
template <class F>
std::string error_id(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}

}  // namespace grapple::flexible
