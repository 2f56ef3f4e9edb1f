// References of joint coordinates (docs/trajectories.md): functions of time, splines through via
// points, and motions from rest to rest with all joints ending together.
#pragma once

#include <memory>
#include <vector>

#include "grapple/control/reference.h"
#include "grapple/control/trajectory/polynomial_path.h"
#include "grapple/control/trajectory/time_law.h"

namespace grapple::control {

/// One function per joint; at least one.
std::shared_ptr<const JointReference> make_function_reference(std::vector<Function> functions);

/// Via points: points[k] holds the coordinates of all joints at times[k].
struct ViaPoints {
  std::vector<std::vector<double>> points;  ///< at least two, equally long
  std::vector<double> times;                ///< s, increasing; empty: found from the limits
  std::vector<Limits> limits;               ///< per joint
  double start = 0.0;                       ///< s, of the first point where times are found
};

/// How joints share a motion from rest to rest: each runs its own law, the faster ones slowed down
/// to end with the slowest (the shortest time of all); or all follow one law along the straight
/// line between the points.
enum class Synchronisation { kTime, kPath };

/// A joint that would be faster than allowed, or a stage that would be too short.
struct LimitFault {
  enum class Kind { kRate, kAcceleration, kJerk, kDuration } kind;
  std::size_t joint = 0, stage = 0;  ///< stage: of kDuration, from point `stage` on
  double found = 0.0, allowed = 0.0;
};

struct BuiltReference {
  std::shared_ptr<const JointReference> reference;
  double end = 0.0;                ///< s, when it comes to its last point
  std::vector<LimitFault> faults;  ///< empty: the limits hold
};

enum class SplineDegree { kCubic, kQuintic };
/// A spline through the points. Where no times are given, they are spaced in the ratio of the
/// shortest motions between the points and then all stretched by the factor with which the limits
/// just hold, exactly; the limits must bound the rate.
BuiltReference make_spline_reference(const ViaPoints& via, SplineDegree degree, SplineEnds ends);

/// From rest to rest, from point to point. Where no times are given, each stage takes the shortest
/// time within the limits, which must bound it (bounds_duration); between equal points none.
BuiltReference make_stage_reference(const ViaPoints& via, LawKind kind,
                                    Synchronisation synchronisation);

}  // namespace grapple::control
