#include "grapple/control/task_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {

std::vector<int> task_rows(const std::vector<std::string>& names) {
  static const std::array<std::string, 6> kNames{"rx", "ry", "rz", "x", "y", "z"};
  if (names.empty()) return {3, 4, 5};
  std::vector<int> rows;
  for (const std::string& name : names) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    const int row = static_cast<int>(found - kNames.begin());
    if (found == kNames.end() || std::find(rows.begin(), rows.end(), row) != rows.end()) {
      throw Error("GR-986", "",
                  fmt::format("'axes' are x, y, z, rx, ry, rz, each once; found '{}'", name));
    }
    rows.push_back(row);
  }
  return rows;
}

spatial::VecX per_axis(const ParameterValues& values, const std::string& key, std::size_t axes,
                       double otherwise) {
  const std::vector<double>& given = values.numbers(key);
  const auto count = static_cast<Eigen::Index>(axes);
  if (given.empty()) return spatial::VecX::Constant(count, otherwise);
  if (given.size() == 1) return spatial::VecX::Constant(count, given.front());
  if (given.size() == axes) return Eigen::Map<const spatial::VecX>(given.data(), count);
  throw Error("GR-986", "",
              fmt::format("'{}' has {} numbers for {} axes; give one for all, or one each", key,
                          given.size(), axes));
}

const model::Frame& frame_named(const model::Model& model, const std::string& name) {
  const int found = model.find_frame(name);
  if (found >= 0) return model.frames()[static_cast<std::size_t>(found)];
  std::vector<std::string> all;
  for (const model::Frame& frame : model.frames()) all.push_back(frame.name);
  throw Error("GR-988", "", fmt::format("there is no frame '{}'{}", name, suggestion(name, all)));
}

const model::Frame& named_frame(const model::Model& model, const ParameterValues& values,
                                const std::string& key) {
  if (values.names(key).empty()) throw Error("GR-986", "", fmt::format("it needs '{}'", key));
  return frame_named(model, values.name(key));
}

void check_path(const ControlledArm& arm, const model::Frame& frame) {
  if (!arm.path) return;
  const std::string stem = "/" + frame.name + "/";
  for (const std::string& channel : arm.path->reads(PoseOrder::kAccelerations)) {
    if (channel.find(stem) == std::string::npos) continue;
    throw Error(
        "GR-989", "",
        fmt::format("its trajectory is relative to '{}', the frame that follows it", frame.name));
  }
}

Eigen::Matrix<double, 6, 1> pose_error(const PoseMotion& wanted, const spatial::Mat3& R_WF,
                                       const spatial::Vec3& p_WF) {
  const spatial::Mat3 turn = wanted.R_WF * R_WF.transpose();
  Eigen::Matrix<double, 6, 1> error;
  error << spatial::rotation_vector(spatial::quaternion_of(turn)), wanted.p_WF - p_WF;
  return error;
}

}  // namespace grapple::control
