#include "grapple/constraint/kind/prescribed_motion.h"

#include <fmt/format.h>

#include <cmath>

#include "grapple/spatial/dual.h"
#include "grapple/spatial/rotation.h"

namespace grapple::constraint {

namespace {

using spatial::Mat3;
using spatial::Vec3;
using spatial::Vec3T;

// The rotation within F at one time.
struct GivenRotation {
  Mat3 R;
  Vec3 omega, alpha;

  GivenRotation(const std::array<Function, 3>& functions, double t) {
    Vec3 phi, phi_rate, phi_acceleration;
    for (int k = 0; k < 3; ++k) {
      const Jet jet = functions[static_cast<std::size_t>(k)].jet(t);
      phi[k] = jet.value;
      phi_rate[k] = jet.rate;
      phi_acceleration[k] = jet.acceleration;
    }
    R = spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(phi));
    omega = spatial::body_rate<double>(phi, phi_rate);
    alpha = spatial::body_acceleration<double>(phi, phi_rate, phi_acceleration);
  }
};

}  // namespace

std::span<const Row> PrescribedMotion::rows() const {
  return distance_and_direction_rows(position ? 3 : 0, rotation ? 3 : 0);
}

std::string PrescribedMotion::row_name(std::size_t row) const {
  if (position && row < 3) return along_name(static_cast<int>(row));
  return across_name(kTurned[position ? row - 3 : row]);
}

template <class T>
void PrescribedMotion::evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const {
  std::size_t row = 0;
  for (int axis = 0; axis < 3 && position; ++axis) {
    const Jet given = (*position)[static_cast<std::size_t>(axis)].jet(at.t);
    RowMotion<T>& one = out[row++];
    one = at.along(at.F.direction(Vec3::Unit(axis)));
    one.value -= T(given.value);
    one.rate -= T(given.rate);
    one.acceleration -= T(given.acceleration);
    one.drift = T(-given.rate);
  }
  if (!rotation) return;
  const GivenRotation given(*rotation, at.t);
  const Vec3 &omega = given.omega, &alpha = given.alpha;
  for (const AxisPair pair : kTurned) {
    // Turned by the motion of F and by the given one within F.
    const Vec3 fixed = Vec3::Unit(pair.a_F);
    const Vec3 rate_F = given.R * omega.cross(fixed);
    const Vec3 acceleration_F = given.R * (alpha.cross(fixed) + omega.cross(omega.cross(fixed)));
    const Vec3T<T> own_rate = at.F.at.R_WF * rate_F.cast<T>();
    Direction<T> a = at.F.direction(given.R * fixed);
    a.rate += own_rate;
    a.acceleration = a.acceleration + T(2) * at.F.at.omega.cross(own_rate) +
                     at.F.at.R_WF * acceleration_F.cast<T>();
    const Direction<T> b = at.M.direction(Vec3::Unit(pair.b_M));
    out[row] = at.across(a, b);
    out[row++].drift = own_rate.dot(b.value);
  }
}

double PrescribedMotion::angle_off(const FramePairMotion<double>& at) const {
  if (!rotation) return 0.0;
  const Mat3 R = GivenRotation(*rotation, at.t).R.transpose() * at.R_FM();
  return constraint::angle_off(R, kTurned);
}

std::string PrescribedMotion::undefined(const TreeMotion<double>& tree,
                                        std::string_view name) const {
  for (const auto* three : {&position, &rotation}) {
    if (!*three) continue;
    for (const Function& function : **three) {
      const Jet jet = function.jet(tree.t);
      if (std::isfinite(jet.value + jet.rate + jet.acceleration)) continue;
      return fmt::format(
          "the motion of loop '{}' has no finite value, first or second derivative at t = {:.6g}",
          name, tree.t);
    }
  }
  return "";
}

std::vector<Function> PrescribedMotion::functions() const {
  std::vector<Function> all;
  for (const auto* three : {&position, &rotation}) {
    if (*three) all.insert(all.end(), (*three)->begin(), (*three)->end());
  }
  return all;
}

template void PrescribedMotion::evaluate(const FramePairMotion<double>&, RowMotions<double>&) const;
template void PrescribedMotion::evaluate(const FramePairMotion<spatial::Dual>&,
                                         RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
