// A beam that bends a lot, by gradient-deficient elements in absolute nodal coordinates (planar and
// spatial cable-beam): Hermite cubics in position and gradient of every node,
//   r(x) = s1 r_0 + s2 r_0' + s3 r_1 + s4 r_1',
// measured in the body frame, whose origin and x axis are the root's point and tangent. The
// coordinates are the nodes' departures from the straight beam and the stretch of the root's
// gradient. r is linear in them: the mass integrals are exact for any deflection, E is constant.
// Strain energy of the line, both strains exact (stretch against the reference length, turn of the
// tangent per reference length):
//   U = 1/2 int EA (|r'| - 1)^2 + EI |k|^2 dx,   k = r' x r'' / |r'|^2.
// No shear, no twist, no rotary inertia of the section; in space the two bending stiffnesses must
// be equal, since a line does not know its roll. Background: nato-asi-part-b paper 1 and part-a 9.5
// (coordinates, Hermite cubics).
#pragma once

#include <string>
#include <vector>

#include "grapple/flexible/beam.h"
#include "grapple/flexible/flexible_body.h"
#include "grapple/spatial/mass_properties.h"

namespace grapple::flexible {

/// What the line may do: bend along y only, along z only, or in space.
enum class LinePlane { kY, kZ, kSpatial };

struct AbsoluteNodalBeam {
  std::string name;  ///< in error messages
  Beam beam;
  int elements = 8;
  LinePlane plane = LinePlane::kSpatial;
  spatial::MassProperties root_body;  ///< hub, in the root's frame
  std::vector<BeamFrame> frames;      ///< "root" and "tip" are added if not among them
};

/// One quadrature point of the strain energy: r' = e_x + sum slope eta, r'' = sum bend eta.
struct LinePoint {
  struct Term {
    int coordinate = 0;
    int component = 0;  ///< of r, body axes
    double slope = 0.0;
    double bend = 0.0;
  };
  double stretch_stiffness = 0.0;  ///< EA times weight; 0: a point of the other integral
  double bending_stiffness = 0.0;  ///< EI times weight
  std::vector<Term> terms;
};

struct NodalBody {
  FlexibleBody body;               ///< stiffness: that of the undeformed line
  std::vector<LinePoint> strains;  ///< the strain energy for any deflection
};

/// Throws Error GR-346 (EA or EI missing, or unequal in space), GR-330 (elements), GR-334 (too many
/// coordinates), GR-332 (root body), and those of check_beam, check_frames.
NodalBody absolute_nodal_body(const AbsoluteNodalBeam& spec);

}  // namespace grapple::flexible
