#include "grapple/control/predictive/followed_motion.h"

#include "grapple/base/error.h"
#include "grapple/control/task_axes.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

FollowedMotion::FollowedMotion(const ControlledArm& arm, const ParameterValues& values) {
  if (values.names("frame").empty()) {
    if (arm.path) throw Error("GR-986", "", "a trajectory of a pose needs the 'frame' it leads");
    targets_ = targets_of(arm, values);
    for (const ControlledCoordinate& joint : arm.joints) {
      rows_.push_back(joint.rate);
      names_.push_back(joint.joint);
      turns_.push_back(joint.turns);
    }
    wanted_.resize(names_.size());
    return;
  }
  frame_ = named_frame(arm.plant->model(), values, "frame");
  if (!arm.path) throw Error("GR-985", "", "its 'frame' needs a 'trajectory' of a pose");
  path_ = arm.path;
  if (!path_->reads(PoseOrder::kAccelerations).empty()) {
    throw Error("GR-985", "",
                "its trajectory is relative to a place that moves and is not known beforehand; "
                "give it in the world");
  }
  rows_ = task_rows(values.names("axes"));
  for (const int row : rows_) {
    names_.push_back(row < 3 ? std::string("r") + "xyz"[row] : std::string(1, "xyz"[row - 3]));
    turns_.push_back(row < 3);
  }
  J_all_.resize(6, arm.plant->model().nv());
}

std::vector<Parameter> FollowedMotion::parameters() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  return {{"frame",
           Kind::kName,
           {},
           {},
           Range::kAny,
           "",
           "The frame that follows the `trajectory`; left out: the joints follow `set_points` or "
           "a trajectory of theirs.",
           "platform/tool"},
          {"axes",
           Kind::kNames,
           {},
           {},
           Range::kAny,
           "",
           "Of the frame: directions that count, in world axes: x, y, z and the turns rx, ry, rz; "
           "left out: x, y, z.",
           "[x, y, rz]"},
          {"set_points", Kind::kInputs, dimension::kNone, dimension::kLength, Range::kAny, "",
           "Without `frame`: what each joint follows, in the order of `joints`. The future of a "
           "signal is taken as its present value.",
           "[\"0.5*smooth(t, 0, 2)\", 0]"}};
}

void FollowedMotion::linearise(Plant& plant, MatX& J, VecX& drift) {
  if (!path_) {
    J.setZero();
    for (std::size_t k = 0; k < rows_.size(); ++k) J(static_cast<Eigen::Index>(k), rows_[k]) = 1.0;
    drift.setZero();
    return;
  }
  dynamics::frame_jacobian(plant.model(), frame_, plant.workspace(), J_all_);
  J = J_all_(rows_, Eigen::all);
  // The plant's inverse dynamics of held accelerations leaves those of the frame: J' v.
  const spatial::Spatial held =
      dynamics::frame_acceleration(plant.model(), frame_, plant.workspace());
  Eigen::Matrix<double, 6, 1> rest;
  rest << held.ang, held.lin;
  drift = rest(rows_);
}

void FollowedMotion::ahead(double t, Plant& plant, std::span<const double> in,
                           Eigen::Ref<VecX> error) {
  if (path_) {
    const auto at = dynamics::frame_motion(frame_, plant.workspace());
    const Eigen::Matrix<double, 6, 1> all = pose_error(path_->at(t, {}), at.R_WF, at.p_WF);
    error = all(rows_);
    return;
  }
  targets_.at(t, in, wanted_);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const model::CoordinateBlock& block = plant.model().coordinates().of_rate(rows_[k]);
    error[static_cast<Eigen::Index>(k)] =
        wanted_[k].value - plant.state().q[block.q + rows_[k] - block.v];
  }
}

}  // namespace grapple::control
