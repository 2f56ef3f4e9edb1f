// A straight beam as every maker of beams reads it. Body frame: origin at the root, x along the
// undeformed beam. Stiffness of bending is named by the direction of displacement, not by the axis
// of the second moment of area: bending_stiffness_y = E I_zz resists displacement along y,
// bending_stiffness_z = E I_yy resists displacement along z. Sign rule: the slope dw_y/dx is a
// positive rotation about z, the slope dw_z/dx a negative rotation about y. SI units.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "grapple/spatial/mass_properties.h"
#include "grapple/spatial/types.h"

namespace grapple::flexible {

struct BeamSection {
  double mass_per_length = 0.0;      ///< kg/m
  double axial_stiffness = 0.0;      ///< E A, N
  double bending_stiffness_y = 0.0;  ///< displacement along y: E I_zz, N m^2
  double bending_stiffness_z = 0.0;  ///< displacement along z: E I_yy, N m^2
  double torsion_stiffness = 0.0;    ///< G J, N m^2
  double rotary_inertia_x = 0.0;     ///< rho (I_yy + I_zz), about the beam's axis, kg m
  double rotary_inertia_y = 0.0;     ///< rho I_yy, about y: goes with displacement along z, kg m
  double rotary_inertia_z = 0.0;     ///< rho I_zz, about z: goes with displacement along y, kg m
  double shear_stiffness_y = 0.0;  ///< kappa G A for displacement along y, N; <= 0: rigid in shear
  double shear_stiffness_z = 0.0;  ///< the same for displacement along z
};

enum class Uniformity { kUniform, kVarying };

struct Beam {
  double length = 0.0;  ///< m
  std::function<BeamSection(double x)> section;
  Uniformity uniformity = Uniformity::kUniform;
  std::vector<double> breaks;  ///< 0 < x < length where the section jumps; quadrature stops there
};

/// What the stiffness and inertia of a section need of a material.
struct BeamMaterial {
  double young = 0.0;    ///< Pa
  double shear = 0.0;    ///< Pa
  double density = 0.0;  ///< kg/m^3
};
BeamMaterial isotropic(double young, double poisson, double density);

struct RoundBar {
  double radius = 0.0;
};
struct Tube {
  double outer_radius = 0.0;
  double inner_radius = 0.0;
};
struct Rectangle {
  double size_y = 0.0;
  double size_z = 0.0;
};
using CrossSection = std::variant<RoundBar, Tube, Rectangle>;

/// Shear coefficients after Cowper (1966), torsion of the rectangle after Saint-Venant.
BeamSection section_of(const BeamMaterial& material, const CrossSection& shape);

Beam uniform_beam(double length, const BeamSection& section);
Beam uniform_beam(double length, const BeamMaterial& material, const CrossSection& shape);
/// The dimensions go linearly from the root's to the tip's; both of one kind (Error GR-321).
Beam linear_taper(double length, const BeamMaterial& material, const CrossSection& root,
                  const CrossSection& tip);
Beam varying_beam(double length, std::function<BeamSection(double x)> section,
                  std::vector<double> breaks = {});

/// Throws Error GR-320 (length), GR-321 (a property negative or not finite, no mass, no section,
/// breaks out of order or outside). `where` names the body in the message.
void check_beam(const Beam& beam, const std::string& where);

/// A frame fixed to the beam's axis at x.
struct BeamFrame {
  std::string name;
  double x = 0.0;                                         ///< 0 ... length
  spatial::Mat3 orientation = spatial::Mat3::Identity();  ///< body axes <- frame axes, undeformed
};
/// Throws Error GR-324 for a frame outside the beam or a name used twice.
void check_frames(const std::vector<BeamFrame>& frames, double length, const std::string& where);

/// The end of part `part` of `parts` equal ones: exactly the length for the last.
double end_of_part(double length, int part, int parts);

/// The frames, with "root" and "tip" added if they are not among them.
std::vector<BeamFrame> with_ends(std::vector<BeamFrame> frames, double length);

/// Rotation of sections up to which shapes of moderate rotation (displacement linear, shortening
/// quadratic in the coordinates) describe a beam, rad: what they leave out is of the order of its
/// square.
inline constexpr double kModerateRotation = 0.3;

/// Rigid body at the end of the beam: com and inertia in the frame of the undeformed tip section.
using TipBody = spatial::MassProperties;

}  // namespace grapple::flexible
