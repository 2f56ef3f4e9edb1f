#include "grapple/control/kinematics/generalized_jacobian.h"

#include <Eigen/Dense>

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

int floating_base(const model::Model& model) {
  int base = -1;
  for (const model::Body& body : model.bodies()) {
    const model::Link& link = model.link(body.link);
    if (link.parent != 0) continue;
    if (base >= 0 || link.type != model::JointType::kFree) return -1;
    base = link.v_index;
  }
  return base;
}

MatX generalized_jacobian(const MatX& J, const MatX& M, int base) {
  const MatX carried = M.middleRows<6>(base);
  MatX all = J - J.middleCols<6>(base) * carried.middleCols<6>(base).ldlt().solve(carried);
  all.middleCols<6>(base).setZero();
  return all;
}

void balance_momentum(const MatX& M, int base, VecX& v) {
  v.segment<6>(base).setZero();
  const Eigen::Matrix<double, 6, 6> M_bb = M.block<6, 6>(base, base);
  const Eigen::Matrix<double, 6, 1> momentum = M.middleRows<6>(base) * v;
  v.segment<6>(base) = -M_bb.ldlt().solve(momentum);
}

}  // namespace grapple::control
