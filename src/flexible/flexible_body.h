// What the recursion knows of a flexible body: one kind of data, filled by several makers. In body
// axes, about the body origin, with m modal coordinates eta:
//   r(x, eta) = x + Phi(x) eta + 1/2 eta' H(x) eta        (H: second-order shortening; none = no
//   stiffening) T = 1/2 m v.v + v.(omega x c + c') + 1/2 omega' J omega + omega.(N eta') + 1/2
//   eta'' E eta' c = c0 + C1 eta + 1/2 eta' C2 eta,   J = J0 + sum J1_k eta_k + 1/2 sum J2_kl eta_k
//   eta_l,   N = N0 + sum eta_k N1_k
// c, J, N and E are exact for H = 0. With H they are truncated, and then T is the kinetic energy of
// no position field: where the rigid motion is nearly a combination of the modes (clamped shapes on
// a free hinge) what is left out exceeds the smallest inertia. Bodies with H therefore keep their
// stations, and the recursion sums T over them (mass_field.h); the integrals are all that a body
// has which comes from a file without stations.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::flexible {

using Mat3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;
/// Component c of a vector quadratic in eta: 1/2 eta' Q[c] eta; empty matrices = zero.
using Quadratic3 = std::array<spatial::MatX, 3>;

struct DeployedLine;
struct RailShapes;

/// A coordinate that frames are guided by: the deployed length of a beam (deployed_line.h), or a
/// place along the body (rail.h). They are the first of a body's coordinates, and each is known as
/// a joint that slides.
struct GuidedCoordinate {
  std::string joint;                ///< name
  std::string frame;                ///< of the body, that stands for it in the tree
  double start = 0.0;               ///< m
  double lower = 0.0, upper = 0.0;  ///< m, beyond which the shapes do not describe the body
  double reflected_inertia = 0.0;   ///< kg, of a drive behind its gear
};

/// How a frame turns: by a rotation vector linear in the coordinates, for moderate rotation; or
/// with the tangent of a line, for any.
enum class Turning { kRotationVector, kTangent };

/// A frame that moves with the material:  p = position + phi eta + 1/2 eta' H eta,
/// R = exp([psi eta + 1/2 eta' G eta]^) orientation (rotation vector in body axes).
/// With kTangent: R = the least turn (in the plane, if there is a normal) that takes rest_tangent
/// to the direction of rest_tangent + tangent eta, times orientation; psi is its first order.
struct FrameShape {
  std::string name;
  spatial::Vec3 position = spatial::Vec3::Zero();
  spatial::Mat3 orientation = spatial::Mat3::Identity();
  Mat3X phi;
  Mat3X psi;
  Quadratic3 H = {};
  Turning turning = Turning::kRotationVector;
  Mat3X tangent = {};
  spatial::Vec3 rest_tangent = spatial::Vec3::UnitX();
  spatial::Vec3 plane_normal = spatial::Vec3::Zero();  ///< zero: the line is a curve in space
  Quadratic3 G = {};                                   ///< second-order rotation
  /// The frame slides along the body; phi ... G are those at the start (rail.h).
  std::shared_ptr<const RailShapes> rail = {};
};

/// What the recursion sums over at every state: an orthonormal basis of the stations, with the same
/// kinetic energy (mass_field.h); or every station, as a check of the former.
enum class DeflectedInertia { kCompressed, kEveryStation };

/// A piece of the body's mass: what quadrature along a beam or nodes of a mesh give.
struct Station {
  double mass = 0.0;
  spatial::Vec3 position = spatial::Vec3::Zero();
  Mat3X phi;                                      ///< displacement per coordinate
  Quadratic3 H;                                   ///< second-order displacement
  spatial::Mat3 inertia = spatial::Mat3::Zero();  ///< of the piece about its own centre
  Mat3X psi;                                      ///< its rotation per coordinate; may be empty
};

struct FlexibleBody {
  int modes = 0;
  double mass = 0.0;
  spatial::Vec3 c0 = spatial::Vec3::Zero();  ///< first moment, kg m
  Mat3X C1;
  Quadratic3 C2;
  spatial::Mat3 J0 = spatial::Mat3::Zero();  ///< about the origin, kg m^2
  std::vector<spatial::Mat3> J1;             ///< m
  std::vector<spatial::Mat3> J2;             ///< m * m, J2_kl at k * m + l, symmetric in k and l
  Mat3X N0;
  std::vector<Mat3X> N1;  ///< m
  spatial::MatX E;        ///< m x m, positive definite
  spatial::MatX stiffness;
  spatial::MatX damping;
  std::vector<FrameShape> frames;
  std::vector<std::string> mode_names;  ///< "bending_y_1"
  /// If they have second-order shapes, the inertia is summed over them at every state instead of
  /// taken from the integrals above: exact for H, too, and positive at any deflection.
  std::vector<Station> stations;
  DeflectedInertia inertia = DeflectedInertia::kCompressed;
  /// Rotation of a section up to which the shapes describe the body, rad; runs warn beyond it.
  double rotation_limit = std::numeric_limits<double>::infinity();
  std::vector<GuidedCoordinate> guided;  ///< the first coordinates; the others are elastic
  /// A beam that deploys: its inertia, elasticity and frames; the integrals hold for its start.
  std::shared_ptr<const DeployedLine> line;
};

/// A body from its stations: they and their integrals. A piece's own inertia enters to first order:
/// it turns with psi eta'.
FlexibleBody integrate_stations(std::vector<Station> stations, int modes);

/// The frames as linear functions of the guided coordinates themselves instead of what they differ
/// from the start by: for drawing.
void measure_guided_from_zero(FlexibleBody& body);

/// Whether a quadratic is there at all (absent: zero).
bool present(const Quadratic3& quadratic);

/// The same body described in frame A, X_AB = pose of B in A.
FlexibleBody expressed_in(const FlexibleBody& body_B, const spatial::Pose& X_AB);

/// Empty, or why the recursion could not use the body (sizes, symmetry, mass matrix not positive
/// definite).
std::string unusable(const FlexibleBody& body);

}  // namespace grapple::flexible
