// The mass of a flexible body as the recursions sum over it, for bodies with second-order shapes.
// A station of mass m_s adds 1/2 m_s |velocity|^2 to the kinetic energy, so with the values
// sqrt(m_s) r_s of all stations taken as one vector per component,
//   rho_c(eta) = X_c + sum_k Phi_ck eta_k + 1/2 sum_kl H_ckl eta_k eta_l,    c = x, y, z,
// T is a sum of scalar products of such vectors, and an orthogonal change of their basis leaves it
// unchanged. Only the span of X, Phi, H and of sqrt(m) itself matters: an orthonormal basis of it
// (compress_stations) has far fewer entries than there are stations, and T stays the kinetic energy
// of a position field, positive at every amplitude, whatever the basis leaves out.
// Components are along axes D chosen so that as few of them as possible have second-order shapes: a
// straight beam shortens along itself only.
#pragma once

#include <array>
#include <vector>

#include "grapple/flexible/flexible_body.h"
#include "grapple/spatial/sym3.h"

namespace grapple::flexible {

/// Pairs of modes below this part of the largest are round-off of their maker.
inline constexpr double kPairRounding = 1e-14;

struct MassField {
  /// Modes of H_ckl, k <= l; a pair with k < l stands for both orders.
  struct Pair {
    int k = 0, l = 0;
  };
  /// Part of a sum: the vector at `offset` of `pair_values` times factor number `factor`.
  struct Term {
    int factor = 0;
    std::size_t offset = 0;
  };

  /// Entries of a vector, a multiple of kFieldPadding; 0: no field, the integrals are the inertia.
  int points = 0;
  spatial::Mat3 R_LD = spatial::Mat3::Identity();
  int bending_components = 0;           ///< the first so many have second-order shapes
  std::vector<double> weight;           ///< sqrt(m): leading entries, the rest is zero
  std::vector<double> X;                ///< 3 x points
  std::vector<double> Phi;              ///< 3 x modes x points
  std::vector<int> linear_reach;        ///< 3 x modes: leading entries of Phi_ck
  std::vector<int> reach;               ///< the same of Phi_ck + sum_l H_ckl eta_l
  std::array<int, 3> position_reach{};  ///< the same of rho_c
  std::vector<Pair> pairs;
  std::vector<double> pair_values;  ///< H_ckl, `points` entries each
  /// For each component with second-order shapes and each mode k the terms of sum_l H_ckl eta_l
  /// (factor: l); then for each such component those of eta'' H_c eta' (factor: the pair).
  std::vector<Term> terms;
  std::vector<int> first_term;  ///< of each sum, and the end of the last
  // What does not change with eta: the stations' own inertia, and the modal mass of components
  // without second-order shapes.
  spatial::Sym3 own_inertia;
  std::vector<spatial::Vec3> own_coupling;  ///< per mode: sum of inertia times psi
  std::vector<double> constant_modal_mass;  ///< modes x modes
};

/// Vectors end in zeros, so that their products may be taken by so many entries at once.
inline constexpr int kFieldPadding = 4;

/// What a compressed field may leave out of a shape, as a part of it in the norm of the kinetic
/// energy.
inline constexpr double kFieldTolerance = 1e-12;

/// The field of a body's stations; without points if none of them has second-order shapes (the
/// integrals are then exact) or the body has no stations.
MassField mass_field(const FlexibleBody& body);

}  // namespace grapple::flexible
