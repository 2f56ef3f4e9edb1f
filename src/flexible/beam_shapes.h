// Shape functions of one kind of motion of a beam (bending in one plane, torsion or axial stretch),
// treated as a line with inertia and stiffness:
//   E_kl = int (mass w_k w_l + rotary theta_k theta_l) dx + end body
//   K_kl = int (stiffness kappa_k kappa_l + shear gamma_k gamma_l) dx
// bending: theta = section's rotation, kappa = theta', gamma = w' - theta (theta = w' if rigid in
// shear); torsion and axial ("rod"): kappa = w'. Internal to the module: beam_modes.h is the door.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grapple/flexible/beam.h"
#include "grapple/spatial/types.h"

namespace grapple::flexible {

enum class Boundary { kClampedFree, kPinnedFree, kFreeFree, kClampedClamped, kClampedWithTipBody };

enum class LineKind { kBending, kRod };

struct LineSection {
  double mass = 0.0;       ///< kg/m; torsion: kg m
  double rotary = 0.0;     ///< kg m, of the section about its bending axis
  double stiffness = 0.0;  ///< EI, GJ or EA
  double shear = 0.0;      ///< <= 0: rigid in shear
};

/// Rigid body at the far end, about the end point.
struct EndInertia {
  double mass = 0.0, first_moment = 0.0, rotary = 0.0;
};

struct Line {
  LineKind kind = LineKind::kBending;
  double length = 0.0;
  std::function<LineSection(double x)> section;
  Uniformity uniformity = Uniformity::kUniform;
  std::vector<double> breaks;
  Boundary boundary = Boundary::kClampedFree;
  EndInertia end;
  std::string where;  ///< names body and motion in error messages
};

/// All shapes of a family at one place; rotation and curvature as in the header above.
struct ShapeValues {
  spatial::VecX value, slope, rotation, curvature;
};

struct ShapeFamily {
  int count = 0;
  int panels = 1, points = 16;  ///< quadrature that integrates products of two shapes
  std::function<ShapeValues(double x)> at;
};

struct LineMatrices {
  spatial::MatX E, K;
};
LineMatrices line_matrices(const Line& line, const ShapeFamily& shapes);

/// New shapes: column k of `coefficients` combines the old ones.
ShapeFamily combined(const ShapeFamily& shapes, const spatial::MatX& coefficients);

/// Scaled so that E_kk = int mass dx and the shape leaves the root upwards (positive value, slope
/// or curvature, the first that the boundary allows).
ShapeFamily normalised(const Line& line, const ShapeFamily& shapes);

/// The `count` lowest natural modes within the space of `trial` (Ritz); rigid motion is removed
/// first, as the floating frame has it. Throws Error GR-326 if the trial shapes are dependent.
ShapeFamily natural_shapes(const Line& line, const ShapeFamily& trial, int count);

/// Natural modes of a uniform Euler-Bernoulli beam or rod from the roots of the characteristic
/// equation (beam_shapes_exact.cc).
ShapeFamily exact_bending_shapes(const Line& line, int count);
ShapeFamily exact_rod_shapes(const Line& line, int count);
/// Roots lambda of a uniform line: bending omega^2 = EI lambda^4 / (mass L^4), rod
/// omega^2 = stiffness lambda^2 / (mass L^2).
spatial::VecX exact_bending_roots(const Line& line, int count);
spatial::VecX exact_rod_roots(const Line& line, int count);

/// Natural modes of any line by integrated Legendre polynomials (beam_shapes_ritz.cc).
ShapeFamily legendre_shapes(const Line& line, int count);

/// w_k = sum_i c_ki (x/L)^i. Throws Error GR-325 if a shape moves where the boundary holds it.
ShapeFamily polynomial_shapes(const Line& line,
                              const std::vector<std::vector<double>>& polynomials);

}  // namespace grapple::flexible
