// The motion of a frame under the efforts of chosen joints, the rest of the plant moving freely
// (operational space, Khatib 1987; with a free base the generalised Jacobian, Umetani and Yoshida
// 1989). With r the commanded rates, f the other free ones, a wrench w on the frame:
//   Mr a_r + br = u + Jr^T w,           x'' = Jr a_r + drift,
//   Mr = M_rr - M_rf M_ff^-1 M_fr,      Jr = J_r - J_f M_ff^-1 M_fr,
//   br = bias_r - M_rf M_ff^-1 bias_f,  drift = J' v + J_f M_ff^-1 (J_f^T w - bias_f).
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "grapple/control/plant.h"

namespace grapple::control {

/// Directions of a frame's motion: 0 to 2 turns about the task's axes, 3 to 5 shifts along them.
class TaskDynamics {
 public:
  TaskDynamics(const Plant& plant, std::vector<int> commanded, model::Frame frame,
               std::vector<int> directions);

  /// At the plant's evaluated state. wrench: torque and force on the frame, world axes, known.
  /// R_WT: the axes of the task.
  void evaluate(const Plant& plant, const Eigen::Matrix<double, 6, 1>& wrench,
                const spatial::Mat3& R_WT = spatial::Mat3::Identity());

  /// Efforts for the acceleration x'' in the task's directions; among the many of a redundant arm
  /// those of the smallest kinetic energy (the inertia-weighted inverse, Kim 2000 eq. 5.31), and
  /// `posture` (size commanded, accelerations) as far as it does not disturb the task.
  void efforts(const spatial::VecX& acceleration, const spatial::VecX& posture, spatial::VecX& u);

  const spatial::MatX& jacobian() const { return J_; }  ///< Jr, directions x commanded
  const spatial::MatX& inertia() const { return M_; }   ///< Mr
  const spatial::VecX& drift() const { return drift_; }

 private:
  std::vector<int> commanded_, passive_, directions_;
  model::Frame frame_;
  spatial::MatX J_all_, J_task_, J_, M_, X_, JMJ_;
  spatial::VecX bias_, drift_, wrench_effort_;
  Eigen::LLT<spatial::MatX> passive_inertia_, inertia_factor_, task_inertia_;
};

}  // namespace grapple::control
