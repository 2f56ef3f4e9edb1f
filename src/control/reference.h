// What a controller follows: joint coordinates or the pose of a frame, wanted at a time, with
// exact rates and accelerations. References are immutable; evaluation allocates nothing, and
// threads may share one. The scenario section `trajectories` makes them (docs/trajectories.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grapple/base/function.h"
#include "grapple/spatial/types.h"

namespace grapple::control {

/// Wanted coordinates of joints with one degree of freedom each, in SI.
class JointReference {
 public:
  JointReference() = default;
  virtual ~JointReference() = default;
  JointReference(const JointReference&) = delete;
  JointReference& operator=(const JointReference&) = delete;

  /// Number of coordinates.
  virtual int size() const = 0;
  /// wanted: size() of them.
  virtual void at(double t, std::span<Jet> wanted) const = 0;
  /// Times where a coordinate or a derivative up to the second may jump, increasing.
  virtual std::vector<double> breakpoints(double begin, double end) const = 0;
};

/// Pose and motion of a frame F in the world, all in world axes.
struct PoseMotion {
  spatial::Mat3 R_WF = spatial::Mat3::Identity();
  spatial::Vec3 p_WF = spatial::Vec3::Zero();
  spatial::Spatial V_WF;  ///< angular velocity; velocity of F's origin
  spatial::Spatial A_WF;  ///< angular acceleration; acceleration of F's origin (not spatial)
};

/// How much of the motion of a pose its reader uses.
enum class PoseOrder { kRates, kAccelerations };

/// A wanted pose. It may be relative to a moving target: then it reads where that is.
class PoseReference {
 public:
  PoseReference() = default;
  virtual ~PoseReference() = default;
  PoseReference(const PoseReference&) = delete;
  PoseReference& operator=(const PoseReference&) = delete;

  /// Channels it needs, in the order of `in`; none if it is given in the world. Without the
  /// accelerations of the target a sample needs no forces, and A_WF is not that of the world.
  virtual std::vector<std::string> reads(PoseOrder order) const = 0;
  virtual PoseMotion at(double t, std::span<const double> in) const = 0;
  /// Times where the pose within its own frame or a derivative up to the second may jump.
  virtual std::vector<double> breakpoints(double begin, double end) const = 0;
};

}  // namespace grapple::control
