// Derivatives of inverse dynamics by positions, rates and accelerations.
// A step of coordinate k moves everything it carries by its screw S_k. With spatial vectors about
// one point that stands still, V and a the spatial velocity and acceleration of link j, and for
// coordinate k the velocity B_k and acceleration A_k of what it does not carry:
//   dV_j = S_k x (V_j - B_k)                                        psi_k = B_k x S_k
//   dF_j = S_k x* F_j + I_j chi_k + G_j psi_k       (by position)   chi_k = A_k x S_k + B_k x psi_k
//   dF_j = I_j D_k + G_j S_k                        (by rate)       D_k = (B_k + C_k) x S_k
//   G_j y = -I_j (V_j x y) + y x* I_j V_j + V_j x* I_j y,   C_k: velocity of what carries axis k
// Sums of I_j and G_j over subtrees make each entry a product of two six-vectors: O(N d) for N
// coordinates at depth d. A mode of a flexible body moves what hangs on each of its elastic frames
// by that frame's screw, with psi, chi and D of the frame; what it does to the frame and to the
// body's own forces comes from dual numbers through that one frame or body. Source of the idea:
// Pogorelov, NATO ASI Virtual Nonlinear Multibody Systems (2002); written anew here for axes that
// share a joint.
#pragma once

#include <memory>
#include <vector>

#include "grapple/model/state.h"

namespace grapple::dynamics {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

struct LocalDuals;

struct RneaDerivatives {
  explicit RneaDerivatives(const model::Model& model);

  spatial::MatX by_position;      ///< along the tangent space, nv x nv
  spatial::MatX by_rate;          ///< nv x nv
  spatial::MatX by_acceleration;  ///< the mass matrix with the drives, nv x nv

  /// A screw about the common point: of a joint's coordinate, or of a mode at one elastic frame.
  struct Axis {
    Vec6 S, S_rate;
    Vec6 psi, chi, D;
  };
  /// Per coordinate: what the axes inboard feel of it, and it of theirs.
  struct Coordinate {
    Vec6 inertia, force_q, force_v;  ///< of everything it moves, per step of v', q, v
    Vec6 gyration;                   ///< G' S, summed over what it moves
  };
  /// Per link, about the same point; the sums over what hangs on it.
  struct Body {
    Vec6 V, a, F;
    Mat6 I, G;
  };
  /// The modes of one flexible body, from the body alone.
  struct Modes {
    std::vector<Coordinate> coupling;  ///< as Coordinate, without what hangs on the frames
    spatial::MatX by_position, by_rate, by_acceleration;
  };
  std::vector<Axis> axes;                     ///< per coordinate of a joint
  std::vector<Coordinate> coordinates;        ///< per coordinate
  std::vector<Body> bodies;                   ///< per link
  std::vector<Modes> modes;                   ///< per flexible body
  std::vector<std::vector<Axis>> frame_axes;  ///< per link: of an elastic frame, one per mode
  std::vector<spatial::MatX> frame_turns;     ///< there: 6 m x m, column l: dE by mode l
  std::shared_ptr<LocalDuals> duals;          ///< null without flexible bodies
};

/// Of the efforts that rnea_after_kinematics gives without external wrenches. Needs
/// forward_kinematics.
void rnea_derivatives(const model::Model& model, const model::State& state,
                      const spatial::VecX& vdot, const model::Workspace& workspace,
                      RneaDerivatives& out);

}  // namespace grapple::dynamics
