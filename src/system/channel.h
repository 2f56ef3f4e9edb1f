// Everything a run can record, by name and unit: joints, bodies, frames, element outputs, energies,
// momenta. A channel is a small value; its number comes from a Snapshot, on doubles or on dual
// numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grapple/element/element.h"

namespace grapple::system {

class System;
template <class T>
struct Snapshot;

struct Channel {
  enum class Kind {
    kPosition,
    kRate,
    kAcceleration,
    kEffort,
    kDrive,
    kDrivePower,
    kFramePosition,
    kFrameOrientation,
    kFrameVelocity,
    kFrameAngularVelocity,
    kFrameAcceleration,
    kFrameAngularAcceleration,
    kFrameDeflection,
    kConstraintForce,
    kConstraintTorque,
    kConstraintError,
    kConstraintLatched,
    kConstraintMultiplier,
    kReactionForce,
    kReactionTorque,
    kElement,
    kElementState,
    kSignal,
    kBlockMemory,
    kRelative,
    kFormula,
    kStored,
    kTotalEnergy,
    kWork,
    kResidual,
    kLinearMomentum,
    kAngularMomentum,
    kCenterOfMass
  };
  std::string name;
  std::string unit;
  Kind kind = Kind::kPosition;
  int index = 0;      ///< coordinate, frame, element or account
  int component = 0;  ///< of a vector
};

/// "body/boom/mode/bending_y_1": the stem of a modal coordinate's channels.
std::string modal_channel_stem(const model::Model& model, const model::Link& link, int mode);

/// A quantity of the coordinate with rate v: "joint/base/rate_wx" of a joint,
/// "joint/elbow/motor/rate" of the motor side of a flexible joint,
/// "body/boom/mode/bending_y_1/rate" of a mode.
std::string coordinate_channel_name(const model::Model& model, int v, std::string_view quantity);

/// All channels of a system in a fixed order.
std::vector<Channel> list_channels(const System& system);

/// How much of an evaluation a number needs: the state with the modes put in place, the motion of
/// the links, or forces and accelerations (System::evaluate_to).
enum class Depth { kState, kKinematics, kForces };
Depth depth_of(const System& system, const Channel& channel);

/// The number behind a channel.
template <class T>
T channel_value(const System& system, const Channel& channel, const Snapshot<T>& snapshot);

}  // namespace grapple::system
