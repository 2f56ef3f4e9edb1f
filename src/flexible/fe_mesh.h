// Hermite finite elements of a straight beam: cubic bending in two planes, linear torsion and
// axial displacement. Node coordinates in King's order (thesis, 3.3): u_y, u_z, the slopes du_y/dx
// and du_z/dx, twist, and u_x if asked for; all measured from the undeformed line. With shear the
// slopes are the rotations of the section, and the shapes are the exact static ones of an unloaded
// element (Przemieniecki 1968, 5.6). Internal to the module; fe_beam.h is the door.
#pragma once

#include <string>
#include <vector>

#include "grapple/flexible/beam_modes.h"
#include "grapple/flexible/flexible_body.h"
#include "grapple/flexible/quadrature.h"
#include "grapple/flexible/second_order.h"

namespace grapple::flexible {

enum class FiniteElementMotion { kBendingY, kBendingZ, kTorsion, kAxial };

/// What the body frame holds of the beam's root: everything; the displacement and the twist (slopes
/// free); nothing.
enum class FiniteElementRoot { kClamped, kPinned, kFree };

/// 12 EI / (kappa G A h^2) of an element in each plane; 0: rigid in shear.
struct ShearParameters {
  double y = 0.0, z = 0.0;
};
std::vector<ShearParameters> shear_parameters(const std::vector<double>& points, const Beam& beam);

/// The beam's field at one x, in the coordinates of the element there.
struct ElementField {
  std::vector<int> coordinates;                    ///< numbers in the mesh
  Mat3X phi;                                       ///< displacement of the axis
  Mat3X psi;                                       ///< rotation of the section
  Eigen::Matrix<double, 2, Eigen::Dynamic> slope;  ///< u_y', u_z' of the axis
  /// Curvatures in y and z, twist', u_x', shear in y and z.
  Eigen::Matrix<double, 6, Eigen::Dynamic> strain;
};

class BeamMesh {
 public:
  /// points: node positions, ascending from 0 to the length. shear: one per element, or none.
  BeamMesh(std::vector<double> points, std::vector<FiniteElementMotion> motions,
           FiniteElementRoot root, std::vector<ShearParameters> shear = {});

  int elements() const { return static_cast<int>(points_.size()) - 1; }
  int coordinates() const { return static_cast<int>(names_.size()); }
  const std::vector<double>& points() const { return points_; }
  const std::vector<std::string>& names() const { return names_; }  ///< "node3_uy"
  FiniteElementMotion motion(int coordinate) const {
    return motion_[static_cast<std::size_t>(coordinate)];
  }
  const ShearParameters& shear(int element) const {
    return shear_[static_cast<std::size_t>(element)];
  }
  /// Coordinates of one node that are not held; node 0 is the root.
  std::vector<int> coordinates_of_node(int node) const;

  /// The element of x and the field there; a node belongs to the element before it.
  int element_at(double x) const;
  ElementField field(int element, double x) const;
  ElementField field(double x) const { return field(element_at(x), x); }

 private:
  enum Slot { kUy, kUz, kSlopeY, kSlopeZ, kTwist, kUx, kSlots };
  int& slot(int node, int which);
  int slot(int node, int which) const;
  void number_coordinates(FiniteElementRoot root);

  std::vector<double> points_;
  std::vector<FiniteElementMotion> motions_;
  std::vector<ShearParameters> shear_;
  std::vector<int> slots_;  ///< kSlots per node: coordinate number, or -1 where held
  std::vector<std::string> names_;
  std::vector<FiniteElementMotion> motion_;
};

/// A rigid piece on the beam at x: a slice between two sections, or a lumped body.
struct BeamPiece {
  double x = 0.0;
  ElementField field;
  spatial::MassProperties body;  ///< in the axes of the undeformed section at x
};

/// The beam's distributed mass as slices at Gauss points: exact consistent mass for a uniform beam.
/// Euler-Bernoulli theory leaves out the sections' rotary inertia in bending.
std::vector<BeamPiece> slices(const BeamMesh& mesh, const Beam& beam, Theory theory);

/// Mass matrix of pieces, and elastic stiffness of the beam, in the mesh's coordinates.
spatial::MatX mass_matrix(const BeamMesh& mesh, const std::vector<BeamPiece>& pieces);
spatial::MatX stiffness_matrix(const BeamMesh& mesh, const Beam& beam);

/// Second-order shapes (second_order.h) in the coordinates eta of mesh coordinates = T eta.
class SecondOrderShapes {
 public:
  SecondOrderShapes(const BeamMesh& mesh, const Beam& beam, spatial::MatX T);
  SecondOrder at(double x) const;

 private:
  SectionField field(int element, double x) const;
  void advance(SecondOrder& shapes, int element, double to) const;

  const BeamMesh* mesh_;
  const Beam* beam_;
  spatial::MatX T_;
  std::vector<QuadraturePoint> gauss_;
  std::vector<SecondOrder> at_nodes_;
};

}  // namespace grapple::flexible
