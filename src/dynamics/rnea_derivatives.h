// Derivatives of inverse dynamics by positions, rates and accelerations, for trees of rigid links.
// A step of coordinate k moves everything it carries by its screw S_k. With spatial vectors about
// one point that stands still, V and a the spatial velocity and acceleration of link j, and for
// coordinate k the velocity B_k and acceleration A_k of what it does not carry:
//   dV_j = S_k x (V_j - B_k)                                        psi_k = B_k x S_k
//   dF_j = S_k x* F_j + I_j chi_k + G_j psi_k       (by position)   chi_k = A_k x S_k + B_k x psi_k
//   dF_j = I_j D_k + G_j S_k                        (by rate)       D_k = (B_k + C_k) x S_k
//   G_j y = -I_j (V_j x y) + y x* I_j V_j + V_j x* I_j y,   C_k: velocity of what carries axis k
// Sums of I_j and G_j over subtrees make each entry a product of two six-vectors: O(N d) for N
// coordinates at depth d. Source of the idea: Pogorelov, NATO ASI Virtual Nonlinear Multibody
// Systems (2002); written anew here for axes that share a joint.
#pragma once

#include <vector>

#include "grapple/model/state.h"

namespace grapple::dynamics {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

/// Whether rnea_derivatives knows the model: no flexible bodies.
bool has_rnea_derivatives(const model::Model& model);

struct RneaDerivatives {
  explicit RneaDerivatives(const model::Model& model);

  spatial::MatX by_position;      ///< along the tangent space, nv x nv
  spatial::MatX by_rate;          ///< nv x nv
  spatial::MatX by_acceleration;  ///< the mass matrix with the drives, nv x nv

  /// Per coordinate, about the common point.
  struct Axis {
    Vec6 S, S_rate;
    Vec6 psi, chi, D;
    Vec6 inertia, force_q, force_v;  ///< I S; what acts on the axes inboard per step of k
    Vec6 gyration;                   ///< G' S
  };
  /// Per link, about the same point; the sums over what hangs on it.
  struct Body {
    Vec6 V, a, F;
    Mat6 I, G;
  };
  std::vector<Axis> axes;
  std::vector<Body> bodies;
};

/// Of the efforts that rnea_after_kinematics gives without external wrenches. Needs
/// forward_kinematics.
void rnea_derivatives(const model::Model& model, const model::State& state,
                      const spatial::VecX& vdot, const model::Workspace& workspace,
                      RneaDerivatives& out);

}  // namespace grapple::dynamics
