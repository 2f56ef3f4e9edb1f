// What a predictive controller follows: a frame in some directions along a path, or its joints.
// Over a horizon it needs the distance of what is wanted later from where it is now.
#pragma once

#include <string>
#include <vector>

#include "grapple/control/arm_block.h"

namespace grapple::control {

class FollowedMotion {
 public:
  /// By the parameters `frame` and `axes` with the arm's path, or by `set_points` or a trajectory
  /// of the joints. Throws Error GR-985 (nothing to follow, or a path that is not known
  /// beforehand), GR-986, GR-988, GR-989.
  FollowedMotion(const ControlledArm& arm, const ParameterValues& values);

  /// frame, axes, set_points.
  static std::vector<Parameter> parameters();
  int size() const { return static_cast<int>(names_.size()); }
  /// Names and units of the coordinates.
  const std::vector<std::string>& names() const { return names_; }
  bool turns(int k) const { return turns_[static_cast<std::size_t>(k)]; }
  std::vector<std::string> reads() const { return targets_.reads(); }

  /// At the plant's evaluated state: y' = J v with J (size() x nv), and J' v.
  void linearise(Plant& plant, spatial::MatX& J, spatial::VecX& drift);
  /// Wanted at time t minus present, of each coordinate. in: the signals of reads().
  void ahead(double t, Plant& plant, std::span<const double> in, Eigen::Ref<spatial::VecX> error);

 private:
  std::shared_ptr<const PoseReference> path_;  ///< null: joints
  model::Frame frame_;
  std::vector<int> rows_;  ///< of the frame's twist, or rates of the joints
  JointTargets targets_;
  std::vector<std::string> names_;
  std::vector<bool> turns_;
  spatial::MatX J_all_;
  std::vector<Jet> wanted_;
};

}  // namespace grapple::control
