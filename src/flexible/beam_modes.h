// Beams by assumed modes: bending along y and z, torsion, axial stretch, any number of each.
//
//   r(x, eta) = (x, 0, 0) + Phi(x) eta + 1/2 eta' H(x) eta,   H_x,kl = -int_0^x w_k' w_l' ds
//
// (k, l of one bending plane; H_y and H_z couple twist and bending, second_order.h). Uniform
// Euler-Bernoulli beams use the roots of the characteristic equation; tapered, Rayleigh and
// Timoshenko beams use modes converged by Ritz with Legendre polynomials. Every mode is scaled so
// that its own E_kk is the beam's mass (torsion: its polar inertia); a clamped-free mode has the
// tip value 2. E and K are diagonal unless a tip body's centre lies off the axis, a tip or root
// body is not part of the boundary condition, or shapes are used as given.
//
// Which boundary:
//  - clamped-free, or clamped with tip body when the beam carries one: links driven at the root.
//  The
//    body frame is the root section; the joint attaches to the frame "root", which does not move.
//  - pinned-free (bending pinned, twist and stretch held): the body frame's origin is the root and
//    its x axis the line about which the modes carry no angular momentum; the root section turns
//    by psi in the frame "root", so a joint there sees the turning. Converges faster than
//    clamped-free for a hub that is free or light.
//  - free-free: the modes carry no momentum at all; the body frame floats (its undeformed origin is
//    at the root end) with the mean motion of the beam. For free-flying beams; attach joints to the
//    frames "root" and "tip", which both move.
//  - clamped-clamped: only for a beam whose ends are held by the same body.
// Validity: slopes up to about 0.3 (shortening kept to second order).
#pragma once

#include <string>
#include <vector>

#include "grapple/flexible/beam.h"
#include "grapple/flexible/beam_shapes.h"
#include "grapple/flexible/damping.h"
#include "grapple/flexible/flexible_body.h"

namespace grapple::flexible {

/// Rotary inertia of the sections in bending: none; yes; yes, and shear flexibility.
enum class Theory { kEulerBernoulli, kRayleigh, kTimoshenko };
/// Geometric stiffening: the second-order shortening H, through which loads along the beam work.
enum class Stiffening { kOn, kOff };
/// What the coordinates of the user's polynomials mean: natural modes within their span (rigid
/// motion removed), or the polynomials themselves.
enum class PolynomialUse { kNaturalModes, kAsGiven };

/// Shapes w = sum_i c_i (x/L)^i, one list of coefficients (c_0 first) per mode. A direction with
/// polynomials ignores its number of modes in the spec. Euler-Bernoulli and Rayleigh only.
struct Polynomials {
  std::vector<std::vector<double>> bending_y, bending_z, torsion, axial;
  PolynomialUse use = PolynomialUse::kNaturalModes;
};

struct ModalBeamSpec {
  std::string name;  ///< for error messages
  Beam beam;
  int bending_y = 0, bending_z = 0, torsion = 0, axial = 0;  ///< numbers of modes
  Boundary boundary = Boundary::kClampedFree;
  Polynomials polynomials;
  TipBody tip_body;                   ///< in the tip's frame; always part of the mass
  spatial::MassProperties root_body;  ///< hub, in the root's frame
  Theory theory = Theory::kEulerBernoulli;
  Stiffening stiffening = Stiffening::kOn;
  std::vector<BeamFrame> frames;  ///< "root" and "tip" are added if not among them
  Damping damping = NoDamping{};
  DeflectedInertia inertia = DeflectedInertia::kCompressed;
};

inline constexpr int kMostExactModes = 200;  ///< per direction, uniform Euler-Bernoulli and rods
inline constexpr int kMostRitzModes = 60;    ///< per direction, all others

/// Throws Error GR-320, GR-321, GR-324 (beam.h), GR-322 (no or a negative number of modes), GR-323
/// (more modes than double precision resolves), GR-325 (polynomial against the boundary), GR-326
/// (dependent shapes), GR-327 (tip or root body unphysical), GR-328 (damping), GR-329 (polynomials
/// with Timoshenko theory).
FlexibleBody make_modal_beam(const ModalBeamSpec& spec);

}  // namespace grapple::flexible
