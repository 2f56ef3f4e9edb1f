// Channels that a user makes of others: a formula of channels, or where one frame is seen from
// another. They are computed where they are read: recorded, measured, and watched by events like
// any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grapple/base/formula.h"
#include "grapple/model/model.h"

namespace grapple::system {

class System;
template <class T>
struct Snapshot;

/// A number made of channels that stand before it.
struct FormulaChannel {
  std::string name, unit;
  Formula formula;                  ///< in `inputs`, in their order
  std::vector<std::string> inputs;  ///< names of channels, at most kMostInputs
  std::vector<int> places = {};     ///< theirs, found by the system
  static constexpr std::size_t kMostInputs = 32;
};

/// Frame b as seen from frame a; gives the channels NAME/distance, closing_speed, position_x ...
/// (of b in the axes of a), velocity_x ... (the rate of that position), roll, pitch, yaw (of b's
/// axes in those of a: first about x, then y, then z of a), angle (of the whole turn).
struct RelativeFrame {
  std::string name;
  model::Frame a, b;
};

/// The channels of a RelativeFrame, in their order.
enum class Relative { kDistance, kClosingSpeed, kPosition, kVelocity, kRoll, kPitch, kYaw, kAngle };

/// `component`: of position and velocity.
template <class T>
T relative_value(const RelativeFrame& pair, Relative quantity, int component,
                 const Snapshot<T>& snapshot);

template <class T>
T formula_value(const System& system, const FormulaChannel& channel, const Snapshot<T>& snapshot);

}  // namespace grapple::system
