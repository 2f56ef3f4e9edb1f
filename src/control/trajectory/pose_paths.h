// References of a pose (docs/trajectories.md): lines, circles and splines in space with
// orientation, in the world or relative to a moving frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grapple/control/reference.h"
#include "grapple/control/trajectory/polynomial_path.h"
#include "grapple/control/trajectory/time_law.h"
#include "grapple/spatial/types.h"

namespace grapple::control {

/// A path in the axes of its parent T (the world, or the frame it is relative to): PoseMotion with
/// T in the place of W.
class PosePath {
 public:
  PosePath() = default;
  virtual ~PosePath() = default;
  PosePath(const PosePath&) = delete;
  PosePath& operator=(const PosePath&) = delete;

  virtual PoseMotion at(double t) const = 0;
  virtual std::vector<double> switches() const = 0;  ///< increasing
};

/// From pose to pose in straight lines, at rest at each; the orientation turns about a fixed axis
/// (slerp). laws: one per stage, one after the other from `start` on. The cycloidal law gives the
/// stages of Kim (1999), 6.8.
std::unique_ptr<PosePath> make_line_path(std::vector<spatial::Pose> poses,
                                         std::vector<TimeLaw> laws, double start);
/// Length and angle between two poses.
struct PoseDistance {
  double length = 0.0, angle = 0.0;
};
PoseDistance distance_between(const spatial::Pose& from, const spatial::Pose& to);

struct Circle {
  spatial::Vec3 centre = spatial::Vec3::Zero();
  spatial::Vec3 axis = spatial::Vec3::UnitZ();  ///< unit
  spatial::Pose begin;  ///< where it begins; its distance from the centre is square to the axis
  double angle = 0.0;   ///< rad about the axis
  enum class Orientation { kFixed, kTurning };
  Orientation orientation = Orientation::kFixed;  ///< turning: with the circle
};
std::unique_ptr<PosePath> make_circle_path(const Circle& circle, const TimeLaw& law, double start);

/// A cubic spline of positions and one of orientations (rotation_spline.h) through the poses at
/// these times.
std::unique_ptr<PosePath> make_timed_spline_path(const std::vector<spatial::Pose>& poses,
                                                 const std::vector<double>& times, SplineEnds ends);
/// The same over the distance along the chords, run through by one law from rest to rest.
std::unique_ptr<PosePath> make_spline_path(const std::vector<spatial::Pose>& poses,
                                           const TimeLaw& law, double start);
/// Whether there is a spline of these orientations; empty times: over the chords.
bool has_rotation_spline(const std::vector<spatial::Pose>& poses, const std::vector<double>& times,
                         SplineEnds ends);
/// Parameters of poses along the chords from 0 to 1, with one for a radian where poses only turn.
std::vector<double> chord_parameters(const std::vector<spatial::Pose>& poses);

/// The path in the world, or relative to the frame whose channels begin with `stem`
/// ("frame/target/port/"): its pose, velocities and accelerations are read.
std::shared_ptr<const PoseReference> make_pose_reference(std::unique_ptr<PosePath> path,
                                                         std::string stem);

/// Motion of frame F in W from that in T and that of T in W.
PoseMotion carried_by(const PoseMotion& X_WT, const PoseMotion& X_TF);

}  // namespace grapple::control
