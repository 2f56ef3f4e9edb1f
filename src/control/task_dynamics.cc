#include "grapple/control/task_dynamics.h"

#include <algorithm>

#include "grapple/dynamics/jacobian.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

TaskDynamics::TaskDynamics(const Plant& plant, std::vector<int> commanded, model::Frame frame,
                           std::vector<int> directions)
    : commanded_(std::move(commanded)),
      directions_(std::move(directions)),
      frame_(std::move(frame)),
      J_all_(6, plant.model().nv()),
      J_task_(6, plant.model().nv()) {
  for (const int rate : plant.free_rates()) {
    if (std::find(commanded_.begin(), commanded_.end(), rate) == commanded_.end()) {
      passive_.push_back(rate);
    }
  }
}

void TaskDynamics::evaluate(const Plant& plant, const Eigen::Matrix<double, 6, 1>& wrench,
                            const spatial::Mat3& R_WT) {
  const MatX& M = plant.mass_matrix();
  dynamics::frame_jacobian(plant.model(), frame_, plant.workspace(), J_all_);
  // The plant's inverse dynamics of held accelerations leaves those of the frame: J' v.
  const spatial::Spatial held =
      dynamics::frame_acceleration(plant.model(), frame_, plant.workspace());
  Eigen::Matrix<double, 6, 1> rest;
  rest << R_WT.transpose() * held.ang, R_WT.transpose() * held.lin;
  J_task_.topRows<3>().noalias() = R_WT.transpose() * J_all_.topRows<3>();
  J_task_.bottomRows<3>().noalias() = R_WT.transpose() * J_all_.bottomRows<3>();
  J_ = J_task_(directions_, commanded_);
  M_ = M(commanded_, commanded_);
  bias_ = plant.bias()(commanded_);
  drift_ = rest(directions_);
  if (!passive_.empty()) {
    const MatX J_f = J_task_(directions_, passive_), M_fr = M(passive_, commanded_);
    passive_inertia_.compute(M(passive_, passive_));
    X_ = passive_inertia_.solve(M_fr);
    const VecX load = J_all_(Eigen::all, passive_).transpose() * wrench - plant.bias()(passive_);
    const VecX free = passive_inertia_.solve(load);
    M_.noalias() -= M_fr.transpose() * X_;
    J_.noalias() -= J_f * X_;
    bias_.noalias() += M_fr.transpose() * free;
    drift_.noalias() += J_f * free;
  }
  wrench_effort_ = J_all_(Eigen::all, commanded_).transpose() * wrench;
  inertia_factor_.compute(M_);
  JMJ_ = J_ * inertia_factor_.solve(MatX(J_.transpose()));
  task_inertia_.compute(JMJ_);
}

void TaskDynamics::efforts(const VecX& acceleration, const VecX& posture, VecX& u) {
  // a_r = J^+ (x'' - drift) + (1 - J^+ J) posture, J^+ = M^-1 J^T (J M^-1 J^T)^-1.
  const VecX miss = acceleration - drift_ - J_ * posture;
  u = bias_ - wrench_effort_ + M_ * posture;
  u.noalias() += J_.transpose() * task_inertia_.solve(miss);
}

}  // namespace grapple::control
