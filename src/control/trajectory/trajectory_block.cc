#include "grapple/control/trajectory/trajectory_block.h"

#include <array>

#include "grapple/base/assert.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {

namespace {

constexpr std::size_t kPoseSignals = 19;

// In the order of pose_signals().
void write_pose(const PoseMotion& motion, std::span<double> out) {
  const auto put = [&out](std::size_t at, const auto& vector) {
    for (int k = 0; k < vector.size(); ++k) out[at + static_cast<std::size_t>(k)] = vector[k];
  };
  put(0, motion.p_WF);
  put(3, spatial::quaternion_of(motion.R_WF));
  put(7, motion.V_WF.lin);
  put(10, motion.V_WF.ang);
  put(13, motion.A_WF.lin);
  put(16, motion.A_WF.ang);
}

void write_joints(const JointReference& reference, double t, std::span<double> out) {
  std::array<Jet, kMostPublishedJoints> wanted;
  const auto size = static_cast<std::size_t>(reference.size());
  reference.at(t, std::span(wanted).first(size));
  for (std::size_t j = 0; j < size; ++j) {
    out[3 * j] = wanted[j].value;
    out[3 * j + 1] = wanted[j].rate;
    out[3 * j + 2] = wanted[j].acceleration;
  }
}

std::vector<std::string> names_of(const std::vector<element::Signal>& signals) {
  std::vector<std::string> names;
  for (const element::Signal& signal : signals) names.push_back(signal.name);
  return names;
}

class JointPublisher final : public element::SampledBlock {
 public:
  JointPublisher(const std::string& name, const Schedule& schedule,
                 std::shared_ptr<const JointReference> reference, std::vector<std::string> signals)
      : SampledBlock(name, schedule),
        reference_(std::move(reference)),
        signals_(std::move(signals)) {
    GRAPPLE_ASSERT(signals_.size() == 3 * static_cast<std::size_t>(reference_->size()));
  }
  std::vector<std::string> reads() const override { return {}; }
  std::vector<std::string> writes() const override { return signals_; }
  void update(element::Sample& sample) const override {
    write_joints(*reference_, sample.t, sample.out);
  }

 private:
  std::shared_ptr<const JointReference> reference_;
  std::vector<std::string> signals_;
};

class PosePublisher final : public element::SampledBlock {
 public:
  PosePublisher(const std::string& name, const Schedule& schedule,
                std::shared_ptr<const PoseReference> reference, std::vector<std::string> signals)
      : SampledBlock(name, schedule),
        reference_(std::move(reference)),
        signals_(std::move(signals)) {}
  std::vector<std::string> reads() const override {
    return reference_->reads(PoseOrder::kAccelerations);
  }
  std::vector<std::string> writes() const override { return signals_; }
  void update(element::Sample& sample) const override {
    write_pose(reference_->at(sample.t, sample.in), sample.out);
  }

 private:
  std::shared_ptr<const PoseReference> reference_;
  std::vector<std::string> signals_;
};

}  // namespace

std::vector<element::Signal> joint_signals(const std::string& name, const JointReference& reference,
                                           const std::vector<std::string>& joints,
                                           const std::vector<std::string>& units) {
  GRAPPLE_ASSERT(joints.size() <= kMostPublishedJoints);
  std::vector<double> first(3 * joints.size());
  write_joints(reference, 0.0, first);
  std::vector<element::Signal> signals;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::string stem = "trajectory/" + name + "/" + joints[j] + "/";
    signals.push_back({stem + "position", units[j], first[3 * j]});
    signals.push_back({stem + "rate", units[j] + "/s", first[3 * j + 1]});
    signals.push_back({stem + "acceleration", units[j] + "/s^2", first[3 * j + 2]});
  }
  return signals;
}

std::vector<element::Signal> pose_signals(const std::string& name, const PoseReference& reference) {
  std::array<double, kPoseSignals> first{};
  first[3] = 1.0;
  if (reference.reads(PoseOrder::kAccelerations).empty()) write_pose(reference.at(0.0, {}), first);
  std::vector<element::Signal> signals;
  const auto add = [&](const char* what, const char* unit,
                       std::initializer_list<const char*> axes) {
    for (const char* axis : axes) {
      signals.push_back({"trajectory/" + name + "/" + what + axis, unit, first[signals.size()]});
    }
  };
  add("position", "m", {"_x", "_y", "_z"});
  add("orientation", "1", {"_w", "_x", "_y", "_z"});
  add("velocity", "m/s", {"_x", "_y", "_z"});
  add("angular_velocity", "rad/s", {"_x", "_y", "_z"});
  add("acceleration", "m/s^2", {"_x", "_y", "_z"});
  add("angular_acceleration", "rad/s^2", {"_x", "_y", "_z"});
  return signals;
}

std::unique_ptr<element::SampledBlock> make_joint_publisher(
    const std::string& name, const element::SampledBlock::Schedule& schedule,
    std::shared_ptr<const JointReference> reference, const std::vector<element::Signal>& signals) {
  return std::make_unique<JointPublisher>(name, schedule, std::move(reference), names_of(signals));
}

std::unique_ptr<element::SampledBlock> make_pose_publisher(
    const std::string& name, const element::SampledBlock::Schedule& schedule,
    std::shared_ptr<const PoseReference> reference, const std::vector<element::Signal>& signals) {
  return std::make_unique<PosePublisher>(name, schedule, std::move(reference), names_of(signals));
}

}  // namespace grapple::control
