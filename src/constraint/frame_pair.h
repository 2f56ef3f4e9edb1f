// The two frames most constraints are between, F on one link and M on another, how they move, and
// the two conditions that many kinds share; r = p_M - p_F, a in F, b fixed in M:
//   along    a.r      force a on M
//   across   a.b      torque b x a on M
#pragma once

#include <span>
#include <string>

#include "grapple/constraint/row.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::constraint {

struct FramePair {
  model::Frame F, M;

  /// F's origin goes to M's, M's axes to F's.
  void close_in_place(const TreeMotion<double>& tree);
  LatchedValues latched() const;
  void set_latched(const LatchedValues& values);
};

/// A direction in world axes, with its derivatives.
template <class T>
struct Direction {
  spatial::Vec3T<T> value, rate, acceleration;
};
/// The product of two directions, with its derivatives.
template <class T>
struct Product {
  T value, rate, acceleration;

  Product(const Direction<T>& a, const Direction<T>& b)
      : value(a.value.dot(b.value)),
        rate(a.rate.dot(b.value) + a.value.dot(b.rate)),
        acceleration(a.acceleration.dot(b.value) + T(2) * a.rate.dot(b.rate) +
                     a.value.dot(b.acceleration)) {}
};

/// A frame's motion with its accelerations, gravity taken out.
template <class T>
struct Carrier {
  dynamics::FrameMotion<T> at;
  spatial::Vec3T<T> alpha = spatial::Vec3T<T>::Zero(), a = spatial::Vec3T<T>::Zero();

  Carrier(const model::Frame& frame, const TreeMotion<T>& tree);
  /// Of a direction fixed in the frame.
  Direction<T> direction(const spatial::Vec3& fixed) const {
    Direction<T> d;
    d.value = at.R_WF * fixed.cast<T>();
    d.rate = at.omega.cross(d.value);
    d.acceleration = alpha.cross(d.value) + at.omega.cross(d.rate);
    return d;
  }
};

template <class T>
struct FramePairMotion {
  double t;
  Carrier<T> F, M;
  spatial::Vec3T<T> r, r_rate, r_acceleration;

  FramePairMotion(const FramePair& frames, const TreeMotion<T>& tree);
  RowMotion<T> along(const Direction<T>& a) const;
  static RowMotion<T> across(const Direction<T>& a, const Direction<T>& b);
  /// Turns M's axes into F's.
  spatial::Mat3T<T> R_FM() const { return F.at.R_WF.transpose() * M.at.R_WF; }
};

/// An axis of F that stays across an axis of M: 0, 1, 2 for x, y, z.
struct AxisPair {
  int a_F = 0, b_M = 0;
};
/// All three axes, and an axis of M along z of F.
inline constexpr AxisPair kTurned[] = {{0, 1}, {1, 2}, {2, 0}}, kParallel[] = {{0, 2}, {1, 2}};
/// "position x", "turning about z": for messages.
std::string along_name(int axis_F);
std::string across_name(AxisPair across);
/// The smallest turn of M that brings it to where the rows hold, 0 to pi. Three rows hold all axes,
/// two keep b_M along the normal of their a_F, one keeps a_F across b_M.
double angle_off(const spatial::Mat3& R_FM, std::span<const AxisPair> across);
/// Whether the rows hold with axes turned over: a.b = 0 does not tell b from -b.
bool is_flipped(const spatial::Mat3& R_FM, std::span<const AxisPair> across);

}  // namespace grapple::constraint
