// M led against F as functions of time: its origin in F's axes, its axes turned against F's by the
// rotation vector phi,
//   along    a.r = f(t)                            a = x, y, z of F
//   across   (R(phi(t)) a).b = 0                   a of F, b of M as in a fixed loop
// Time enters the rates (drift), so that the force of such a row does work.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "grapple/base/function.h"
#include "grapple/constraint/frame_pair.h"

namespace grapple::constraint {

struct PrescribedMotion {
  FramePair frames;
  std::optional<std::array<Function, 3>> position = {};  ///< m; none: free to move
  std::optional<std::array<Function, 3>> rotation = {};  ///< rotation vector, rad; none: to turn

  std::span<const Row> rows() const;
  std::string row_name(std::size_t row) const;
  template <class T>
  void evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const;

  /// Of M against where it is led, 0 to pi.
  double angle_off(const FramePairMotion<double>& at) const;
  /// Why it cannot be evaluated here; empty: it can.
  std::string undefined(const TreeMotion<double>& tree, std::string_view name) const;
  std::vector<Function> functions() const;  ///< all of them
};

}  // namespace grapple::constraint
