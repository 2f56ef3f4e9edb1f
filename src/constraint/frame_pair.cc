#include "grapple/constraint/frame_pair.h"

#include <algorithm>
#include <cmath>

#include "grapple/spatial/dual_functions.h"
#include "grapple/spatial/rotation.h"

namespace grapple::constraint {

using spatial::Mat3;
using spatial::Vec3;
using spatial::Vec3T;

void FramePair::close_in_place(const TreeMotion<double>& tree) {
  const dynamics::FrameMotion<double> at_F = dynamics::frame_motion(F, tree.workspace);
  const dynamics::FrameMotion<double> at_M = dynamics::frame_motion(M, tree.workspace);
  F.X_LF.p += F.X_LF.R * at_F.R_WF.transpose() * (at_M.p_WF - at_F.p_WF);
  M.X_LF.R = M.X_LF.R * at_M.R_WF.transpose() * at_F.R_WF;
}

LatchedValues FramePair::latched() const {
  LatchedValues values;
  values.p_F = F.X_LF.p;
  values.R_M = M.X_LF.R;
  return values;
}

void FramePair::set_latched(const LatchedValues& values) {
  F.X_LF.p = values.p_F;
  M.X_LF.R = values.R_M;
}

template <class T>
Carrier<T>::Carrier(const model::Frame& frame, const TreeMotion<T>& tree)
    : at(dynamics::frame_motion(frame, tree.workspace)) {
  if (frame.link == 0) return;
  const model::LinkMotion<T>& link = tree.workspace.motion[static_cast<std::size_t>(frame.link)];
  const Vec3T<T> arm = link.R_WL * frame.X_LF.p.template cast<T>();
  alpha = link.alpha;
  a = link.a + tree.model.gravity().template cast<T>() + link.alpha.cross(arm) +
      link.omega.cross(link.omega.cross(arm));
}

template <class T>
FramePairMotion<T>::FramePairMotion(const FramePair& frames, const TreeMotion<T>& tree)
    : t(tree.t),
      F(frames.F, tree),
      M(frames.M, tree),
      r(M.at.p_WF - F.at.p_WF),
      r_rate(M.at.v - F.at.v),
      r_acceleration(M.a - F.a) {}

template <class T>
RowMotion<T> FramePairMotion<T>::along(const Direction<T>& a) const {
  RowMotion<T> out;
  out.value = a.value.dot(r);
  out.rate = a.value.dot(r_rate) + a.rate.dot(r);
  out.acceleration =
      a.value.dot(r_acceleration) + T(2) * a.rate.dot(r_rate) + a.acceleration.dot(r);
  out.force = a.value;
  return out;
}

template <class T>
RowMotion<T> FramePairMotion<T>::across(const Direction<T>& a, const Direction<T>& b) {
  const Product<T> product(a, b);
  RowMotion<T> out;
  out.value = product.value;
  out.rate = product.rate;
  out.acceleration = product.acceleration;
  out.torque_M = b.value.cross(a.value);
  return out;
}

std::string along_name(int axis_F) { return std::string("position ") + "xyz"[axis_F]; }

std::string across_name(AxisPair across) {
  return std::string("turning about ") + "xyz"[3 - across.a_F - across.b_M];
}

double angle_off(const Mat3& R_FM, std::span<const AxisPair> across) {
  if (across.empty()) return 0.0;
  if (across.size() == 3) {
    return spatial::rotation_vector<double>(spatial::quaternion_of<double>(R_FM)).norm();
  }
  const Vec3 b = R_FM * Vec3::Unit(across[0].b_M);
  const Vec3 a = Vec3::Unit(across[0].a_F);
  if (across.size() == 1) return std::asin(std::clamp(std::abs(a.dot(b)), 0.0, 1.0));
  const Vec3 axis = a.cross(Vec3(Vec3::Unit(across[1].a_F)));
  return std::atan2(axis.cross(b).norm(), axis.dot(b));
}

bool is_flipped(const Mat3& R_FM, std::span<const AxisPair> across) {
  if (across.size() == 2) return R_FM(2, 2) < 0.0;
  return across.size() == 3 && R_FM.diagonal().minCoeff() < 0.0;
}

template struct Carrier<double>;
template struct Carrier<spatial::Dual>;
template struct FramePairMotion<double>;
template struct FramePairMotion<spatial::Dual>;

}  // namespace grapple::constraint
