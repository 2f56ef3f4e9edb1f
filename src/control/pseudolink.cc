#include "grapple/control/pseudolink.h"

#include <fmt/format.h>

#include <Eigen/LU>

#include "grapple/base/error.h"
#include "grapple/control/task_axes.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::control {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

Pseudolinks::Pseudolinks(Plant& plant, std::vector<int> joints,
                         const std::vector<std::string>& ends) {
  const model::Model& model = plant.model();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const int link = model.coordinates().of_rate(joints[k]).link;
    lines_.push_back({joints[k], -1, {"", link}, {"", model.link(link).parent}, {}});
    if (ends[k] == kNone) continue;
    if (!model::is_rotational(model.link(link).type, 0) || model.link(link).motors > 0) {
      throw Error("GR-989", "",
                  fmt::format("joint '{}' has no pseudolink: it slides, or its transmission is "
                              "flexible",
                              model.joint_of_link(link).name));
    }
    lines_.back().end = frame_named(model, ends[k]);
  }
  for (Line& line : lines_) {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const int body = model.link(lines_[k].origin.link).body;
      const bool carries = line.carrier.link != 0 && model.link(line.carrier.link).body == body;
      if (carries && lines_[k].end && model.link(lines_[k].end->link).body == body) {
        line.reference = static_cast<int>(k);
      }
    }
  }
  J_end_.resize(6, model.nv());
  J_origin_.resize(6, model.nv());
  turning_.resize(static_cast<Eigen::Index>(lines_.size()), model.nv());
  row_.resize(model.nv());
}

// Rate of turning of a line about an axis, per rate of the model.
void Pseudolinks::chord_turning(const Plant& plant, std::size_t joint, const Vec3& axis,
                                VecX& row) {
  const Line& line = lines_[joint];
  const model::Workspace& workspace = plant.workspace();
  dynamics::frame_jacobian(plant.model(), *line.end, workspace, J_end_);
  dynamics::frame_jacobian(plant.model(), line.origin, workspace, J_origin_);
  const Vec3 c = dynamics::frame_motion(*line.end, workspace).p_WF -
                 dynamics::frame_motion(line.origin, workspace).p_WF;
  const Vec3 across = axis.cross(c);
  if (!(across.norm() > 1e-9 * (1.0 + c.norm()))) {
    throw Error("GR-989", "",
                fmt::format("frame '{}' lies on the axis of joint '{}', where its pseudolink has "
                            "no angle",
                            line.end->name, plant.model().joint_of_link(line.origin.link).name));
  }
  row = (J_end_ - J_origin_).bottomRows<3>().transpose() * across / across.squaredNorm();
}

void Pseudolinks::coupling(Plant& plant, const std::vector<int>& columns, MatX& F) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const Line& line = lines_[k];
    const Vec3 axis = plant.workspace().S[static_cast<std::size_t>(line.rate)].ang;
    const auto at = static_cast<Eigen::Index>(k);
    if (!line.end) {
      turning_.row(at).setZero();
      turning_(at, line.rate) = 1.0;
      continue;
    }
    chord_turning(plant, k, axis, row_);
    turning_.row(at) = row_.transpose();
    if (line.reference >= 0) {
      chord_turning(plant, static_cast<std::size_t>(line.reference), axis, row_);
      turning_.row(at) -= row_.transpose();
    } else if (line.carrier.link != 0) {
      dynamics::frame_jacobian(plant.model(), line.carrier, plant.workspace(), J_end_);
      turning_.row(at) -= axis.transpose() * J_end_.topRows<3>();
    }
  }
  std::vector<int> joints;
  for (const Line& line : lines_) joints.push_back(line.rate);
  // The angles of all lines together, combined so that each joint turns its own alone.
  const MatX own = turning_(Eigen::all, joints);
  F = own.partialPivLu().solve(MatX(turning_(Eigen::all, columns)));
}

}  // namespace grapple::control
