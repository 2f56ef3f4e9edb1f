// Prescribed motion of a joint (of its motor side if the joint is flexible): its position, rate or
// acceleration as functions of time, one per degree of freedom. Orientations are given by a
// rotation vector (position level) or by the angular velocity in child axes (below).
#pragma once

#include <vector>

#include "grapple/element/signal.h"
#include "grapple/model/state.h"

namespace grapple::system {

enum class MotionLevel { kPosition, kRate, kAcceleration };

struct JointMotion {
  int link = 0;
  MotionLevel level = MotionLevel::kPosition;
  std::vector<element::Input> functions;  ///< size nv of the joint; signals not at position level

  /// Overwrites what this motion fixes at time t: q and v, v alone, or nothing; and v' always.
  /// Marks the joint driven.
  template <class T>
  void apply(const model::Model& model, const element::Moment& at, model::StateT<T>& state) const;
};

}  // namespace grapple::system
