// Flexible body of a straight beam by Hermite finite elements (fe_mesh.h), whole or reduced. Body
// frame: origin at the undeformed root, x along the undeformed beam. Clamped root: the body frame
// is the root's section, and the coordinates are King's nodal ones. Pinned or free root: the frame
// is not tied to the root's rotation, so the coordinates must be natural modes; rigid motion is
// taken out of them (the body frame has it already). Bodies fixed at x (tip body, lumped masses)
// turn with the section. Validity: slender beams, small strain, moderate rotation.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "grapple/flexible/beam.h"
#include "grapple/flexible/damping.h"
#include "grapple/flexible/fe_mesh.h"

namespace grapple::flexible {

/// A rigid body fixed to the section at x: com and inertia in the axes of the undeformed section.
struct LumpedBody {
  double x = 0.0;
  spatial::MassProperties body;
};

/// Every node's coordinates.
struct WholeMesh {};
/// Only the named frames' nodes and the numbered nodes (0: root) move freely; the rest follows
/// statically.
struct GuyanReduction {
  std::vector<std::string> frames;
  std::vector<int> nodes;
};
/// The same nodes, plus the lowest modes of the rest with these nodes held.
struct CraigBamptonReduction {
  std::vector<std::string> frames;
  std::vector<int> nodes;
  int modes = 0;
};
/// The lowest natural modes, mass-normalised.
struct ModalReduction {
  int modes = 1;
};
using FiniteElementReduction =
    std::variant<WholeMesh, GuyanReduction, CraigBamptonReduction, ModalReduction>;

struct FiniteElementBeam {
  std::string name;  ///< in error messages
  Beam beam;
  int elements = 8;                ///< of equal length; used if boundaries is empty
  std::vector<double> boundaries;  ///< element ends from 0 to the length
  std::vector<FiniteElementMotion> motions = {FiniteElementMotion::kBendingY,
                                              FiniteElementMotion::kBendingZ,
                                              FiniteElementMotion::kTorsion};
  FiniteElementRoot root = FiniteElementRoot::kClamped;
  TipBody tip_body;  ///< mass 0: none
  std::vector<LumpedBody> lumped;
  std::vector<BeamFrame> frames;  ///< "root" and "tip" are added if not among them
  Theory theory = Theory::kEulerBernoulli;
  Stiffening stiffening = Stiffening::kOn;
  Damping damping = NoDamping{};
  FiniteElementReduction reduction = WholeMesh{};
  DeflectedInertia inertia = DeflectedInertia::kCompressed;
};

/// Node positions: the asked elements, with a node added wherever the section jumps, a body is
/// lumped, or a reduction keeps a frame. Node numbers count these.
std::vector<double> mesh_points(const FiniteElementBeam& spec);

/// Largest number of coordinates a body may keep: its second-order integrals grow with the square,
/// the cost of the recursion with the cube.
inline constexpr int kMostCoordinates = 60;

/// Throws Error: GR-330 (elements), GR-331 (more modes than the mesh has), GR-332 (lumped body
/// outside the beam or unphysical), GR-333 (reduction without or with unknown boundary), GR-334
/// (more than kMostCoordinates), GR-335 (root not clamped without natural modes), GR-336 (a motion
/// without stiffness or inertia, or no motion), and those of check_beam, check_frames,
/// apply_damping.
FlexibleBody finite_element_body(const FiniteElementBeam& spec);

}  // namespace grapple::flexible
