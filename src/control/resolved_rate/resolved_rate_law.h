// Resolved rate with force-moment accommodation, as flown on large space arms. Each sample:
//   V = twist of the trajectory + follow (pose error)  (or commanded rates of the frame)
//       + accommodation (w - w / |w| dead_band)  where the measured force or torque w passes it,
//   joint rates by the damped, weighted inverse (kinematics/resolved_rates.h), scaled to the
//   limits, joint set points r += rates T,   u = proportional (r - q) + derivative (rates - q').
// Once the channel `until` passes 1/2 (a latch holds), nothing is followed any more: the last twist
// falls to zero over stop_time, V (1 - s), s = 3 x^2 - 2 x^3; forces are still yielded to.
// The set points are the memory of the block; the kinematics are those at the set points, so that
// bending and errors of the joints do not enter the direction of motion. A base that moves is taken
// as it is measured: what it gives the frame is taken off the twist of the trajectory, so that the
// joints do the rest. Commanded rates are relative to it, along the axes of the frame chosen and
// about its point P:   V = (R_WA w, R_WA v + R_WA w x (p_WF - p_WP)).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grapple/control/arm_controller.h"
#include "grapple/control/kinematics/resolved_rates.h"

namespace grapple::control {

struct Accommodation {
  std::vector<std::string> channels;  ///< force x, y, z, torque x, y, z on the frame; or none
  bool in_frame_axes = false;
  double per_force = 0.0;         ///< m/s per N
  double per_torque = 0.0;        ///< rad/s per N m
  double force_dead_band = 0.0;   ///< N
  double torque_dead_band = 0.0;  ///< N m
};

/// What commanded rates are along and about.
struct RateFrame {
  model::Frame axes, point;
};

struct ResolvedRateLaw {
  model::Frame frame;
  std::vector<SampledInput> rates;  ///< of the frame: linear x, y, z, angular x, y, z; or none
  bool rates_in_frame_axes = false;
  std::vector<RateFrame> rate_frames;             ///< to choose from; none: as above
  SampledInput choice;                            ///< which of them, from 0
  std::string until;                              ///< channel; empty: never
  double stop_time = 0.0;                         ///< s
  double follow = 0.0;                            ///< 1/s
  double speed_limit = 0.0, turning_limit = 0.0;  ///< m/s, rad/s
  spatial::VecX proportional, derivative, limit, rate_limit;
  Accommodation accommodation;
  RateOptions options;
};

std::unique_ptr<element::SampledBlock> make_resolved_rate_block(const ControlledArm& arm,
                                                                ResolvedRateLaw law);

}  // namespace grapple::control
