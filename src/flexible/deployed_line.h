// A straight beam whose deployed length l is a coordinate. In beam axes B (origin at the root,
// where it leaves its sleeve; x along it) a section at the fraction xi of the deployed length is at
//   x = l xi - 1/(2 l) eta' h(xi) eta,   h_kl = int_0^xi phi_k' phi_l'   (shortening, one plane)
//   y, z = phi_k(xi) eta_k,              rotation vector  psi(xi) eta / l + 1/(2 l^2) eta' g(xi)
//   eta
// with shapes phi of the fraction alone (' = d/dxi): they scale with the length. Where the material
// of such a section goes when l changes depends on how the rest of the beam is stowed,
//   xi' = chi(xi) l' / l,   chi = 0 (telescope) or 1 - xi (a beam that slides as a whole),
// so that the velocity of the material is  d/dt = xi' d/dxi + l' d/dl + eta' d/deta  of the above.
// The stowed part moves along x with l', straight in its sleeve, or circulates on a drum at the
// root. Strain energy 1/2 eta' K eta / l^3. Source of the telescope: Chen (1999), eqs 2.3, 2.8,
// C.2.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "grapple/flexible/damping.h"
#include "grapple/flexible/flexible_body.h"

namespace grapple::flexible {

/// Where the mass of the beam is that is not deployed.
enum class Stowage {
  kTelescope,  ///< nowhere: the mass of the beam stretches with its length
  kSleeve,     ///< straight behind the root, sliding forward with the beam
  kDrum        ///< on a drum at the root, at the speed of the tape
};

struct DeployedLine {
  /// Two shapes k <= l of one plane: their shortening h, and what sliding makes of it.
  struct Pair {
    int k = 0, l = 0;
    std::vector<double> h, h_1, h_2;  ///< h, h - chi h', -2 h + 4 chi h' - chi^2 h''
  };
  /// A frame at a fraction of the deployed length.
  struct Frame {
    double xi = 0.0;
    std::vector<double> value, slope;  ///< per shape
    spatial::MatX h, g;                ///< elastic x elastic
  };

  Stowage stowage = Stowage::kTelescope;
  double start = 0.0;                    ///< m, for which the integrals of the body hold
  double shortest = 0.0, longest = 0.0;  ///< m, the range of the coordinate
  double full_length = 0.0;              ///< m, of a beam that slides as a whole
  double mass = 0.0;                     ///< kg, all of it
  double rotary_x = 0.0;                 ///< kg m^2 about the beam's axis, all of it
  int elastic = 0;                       ///< shapes; the coordinates are l and theirs
  std::vector<int> component;            ///< per shape: 1 = along y, 2 = along z
  std::array<bool, 3> bends{};           ///< whether some shape is along this axis
  // Functions of the fraction xi as vectors whose scalar products are integrals over xi from 0 to
  // 1: their components in an orthonormal basis of all of them, the first of which is 1.
  int entries = 0;            ///< of such a vector
  int points = 0;             ///< with those of the stowed part, and padding
  std::vector<double> one;    ///< the function 1
  std::vector<double> place;  ///< xi
  std::vector<double> moved;  ///< xi + chi
  std::vector<double> phi;    ///< shapes x entries
  std::vector<double> phi_1;  ///< chi phi'
  std::vector<double> phi_2;  ///< chi (chi phi'' - 2 phi')
  std::vector<Pair> pairs;
  spatial::MatX stiffness;    ///< K, N m^2 times squares of the shapes' unit
  spatial::MatX damping;      ///< acts on eta' - 2 eta l'/l, which goes with the rate of curvature
  std::vector<Frame> frames;  ///< as those of the body
  spatial::Pose X_LB;         ///< beam axes in the axes of the body's data

  double mass_per_length() const { return mass / full_length; }
};

struct DeployableBeamSpec {
  std::string name;  ///< for error messages
  Stowage stowage = Stowage::kTelescope;
  double start = 0.0, shortest = 0.0, longest = 0.0;  ///< m
  /// kSleeve and kDrum: of the whole beam, m; kTelescope: not used.
  double full_length = 0.0;
  double mass = 0.0;                                            ///< kg, of the whole beam
  double bending_stiffness_y = 0.0, bending_stiffness_z = 0.0;  ///< N m^2, as in beam.h
  double rotary_x = 0.0;                                        ///< kg m^2 of the whole beam
  /// Whether it bends: kNone is the rigid form, whose only coordinate is its length.
  enum class Bending { kModes, kNone };
  Bending bending = Bending::kModes;
  int bending_y = 0, bending_z = 0;  ///< numbers of modes, of a beam that bends
  /// Shapes: those of a clamped beam with this mass at its tip, as a part of the beam's own.
  double tip_mass_ratio = 0.0;
  enum class Shortening { kOn, kOff };
  Shortening shortening = Shortening::kOn;  ///< second-order shortening (geometric stiffening)
  Damping damping = NoDamping{};            ///< at the starting length
  double reflected_inertia = 0.0;           ///< kg, of the drive of the length
  struct FrameAt {
    std::string name;
    double xi = 1.0;
    spatial::Mat3 orientation = spatial::Mat3::Identity();
  };
  std::vector<FrameAt> frames;  ///< "root" and "tip" are added
};

/// The body: coordinate 0 is its length (a guided coordinate, named `name`/length), the others its
/// shapes, if it bends. Throws Error GR-370 (lengths out of order or beyond the beam), GR-371 (mass
/// or stiffness), GR-322 (numbers of modes), GR-328.
FlexibleBody make_deployable_beam(const DeployableBeamSpec& spec);

}  // namespace grapple::flexible
