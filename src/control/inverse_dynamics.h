// Inverse dynamics of some rates of a plant when the others move freely (partial feedback
// linearisation). With r the commanded rates, f the free ones besides, and accelerations asked for
// as nu = a_r + F a_f:
//   (M_ff - M_fr F) a_f = -(M_fr nu + bias_f)
//   u_r = M_rr (nu - F a_f) + M_rf a_f + bias_r
// F = 0 is King (1988) eq. 4-6 and 4-8, and Chen (1999) eq. 5.3; with F it is the pseudolink law,
// King eq. 4-24. Without free rates it is computed torque. Where loops are closed, their forces are
// unknowns too, and u_r is the solution of least norm.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <vector>

#include "grapple/control/plant.h"

namespace grapple::control {

class InverseDynamics {
 public:
  /// commanded: rates of the plant's model.
  InverseDynamics(const Plant& plant, std::vector<int> commanded);

  /// The plant must have been evaluated. F: commanded x passive, or empty for zero.
  void solve(const Plant& plant, const spatial::VecX& nu, const spatial::MatX& F);

  const std::vector<int>& commanded() const { return commanded_; }
  const std::vector<int>& passive() const { return passive_; }  ///< the free rates besides
  const spatial::VecX& efforts() const { return u_; }           ///< of the commanded rates
  const spatial::VecX& passive_accelerations() const { return a_; }

 private:
  void solve_passive(const spatial::VecX& nu, const spatial::MatX& F);
  void solve_with_loops(const Plant& plant, const spatial::VecX& nu);

  std::vector<int> commanded_, passive_;
  spatial::MatX M_rr_, M_rf_, M_ff_;
  spatial::VecX bias_r_, bias_f_, a_, u_, rhs_;
  Eigen::LLT<spatial::MatX> cholesky_;
  Eigen::PartialPivLU<spatial::MatX> lu_;
};

}  // namespace grapple::control
