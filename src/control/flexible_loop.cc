#include "grapple/control/flexible_loop.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>

#include "grapple/control/linear/lqr.h"

namespace grapple::control {

using spatial::MatX;

FlexibleSubsystem flexible_subsystem(Plant& plant, const std::vector<int>& joints,
                                     const std::vector<int>& flexible, FastInput input,
                                     const MatX& F) {
  FlexibleSubsystem result;
  MatX K_all;
  plant.stiffness(K_all);
  const MatX& M_all = plant.mass_matrix();
  result.K = K_all(flexible, flexible);
  result.M = M_all(flexible, flexible);
  const MatX M_fr = M_all(flexible, joints);
  if (input == FastInput::kAccelerations) {
    MatX inertia = result.M;
    if (F.size() > 0) inertia -= M_fr * F;
    const Eigen::PartialPivLU<MatX> lu(inertia);
    result.A2 = lu.solve(result.K);
    result.B = -lu.solve(M_fr);
    return result;
  }
  // The joints move too: delta'' with q'' eliminated.
  const MatX M_rr = M_all(joints, joints);
  const MatX per_effort = M_rr.llt().solve(MatX(M_fr.transpose()));  // M_rr^-1 M_rf
  const Eigen::LLT<MatX> reduced(result.M - M_fr * per_effort);
  result.A2 = reduced.solve(result.K);
  result.B = -reduced.solve(MatX(per_effort.transpose()));
  return result;
}

MatX flexible_gain(const FlexibleSubsystem& subsystem, double input_weight) {
  const Eigen::Index f = subsystem.A2.rows(), r = subsystem.B.cols();
  MatX A = MatX::Zero(2 * f, 2 * f), B = MatX::Zero(2 * f, r), Q = MatX::Zero(2 * f, 2 * f);
  A.topRightCorner(f, f).setIdentity();
  A.bottomLeftCorner(f, f) = -subsystem.A2;
  B.bottomRows(f) = subsystem.B;
  Q.topLeftCorner(f, f) = subsystem.K;
  Q.bottomRightCorner(f, f) = subsystem.M;
  return lqr(A, B, {Q, input_weight * MatX::Identity(r, r)}).K;
}

std::vector<int> modal_rates(const Plant& plant, const std::vector<std::string>& stems) {
  std::vector<int> rates;
  for (const int rate : plant.free_rates()) {
    if (plant.model().coordinates().of_rate(rate).kind != model::CoordinateKind::kModal) continue;
    const bool listed =
        std::find(stems.begin(), stems.end(), modal_stem(plant, rate)) != stems.end();
    if (stems.empty() || listed) rates.push_back(rate);
  }
  return rates;
}

std::string modal_stem(const Plant& plant, int rate) {
  const std::string channel = plant.channel_of(rate, "");
  return channel.substr(0, channel.size() - 1);
}

}  // namespace grapple::control
