// Rows at a state: values, rates, accelerations, directions of force.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "grapple/base/assert.h"
#include "grapple/base/formula.h"
#include "grapple/base/jet.h"
#include "grapple/constraint/constraint.h"
#include "grapple/spatial/dual_functions.h"
#include "grapple/spatial/rotation.h"

namespace grapple::constraint {

namespace {

using spatial::Mat3;
using spatial::Vec3;
using spatial::Vec3T;

// A direction that turns in F as the given motion says, in F's axes.
struct GivenDirection {
  Vec3 value, rate, acceleration;
};
GivenDirection given_direction(const GivenMotion& motion, double t, const Vec3& fixed) {
  Vec3 phi, phi_rate, phi_acceleration;
  for (int k = 0; k < 3; ++k) {
    const Jet jet = motion.rotation[static_cast<std::size_t>(k)].jet(t);
    phi[k] = jet.value;
    phi_rate[k] = jet.rate;
    phi_acceleration[k] = jet.acceleration;
  }
  const Mat3 R = spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(phi));
  const Vec3 omega = spatial::body_rate<double>(phi, phi_rate);
  const Vec3 alpha = spatial::body_acceleration<double>(phi, phi_rate, phi_acceleration);
  return {R * fixed, R * omega.cross(fixed),
          R * (alpha.cross(fixed) + omega.cross(omega.cross(fixed)))};
}

// Where a disc of axle b (or, b = 0, a sphere) of radius R about M touches the plane of normal n:
// c = -R e from M's origin, e = (n - s b) / rho, s = n.b, rho = sqrt(1 - s^2).
template <class T>
struct Touch {
  using Direction = typename Carrier<T>::Direction;
  T s, s_rate, s_acceleration, rho, rho_rate, rho_acceleration;
  Vec3T<T> c, c_rate;

  Touch(const Direction& n, const Direction& b, double radius) {
    using std::sqrt;
    s = n.value.dot(b.value);
    s_rate = n.rate.dot(b.value) + n.value.dot(b.rate);
    s_acceleration =
        n.acceleration.dot(b.value) + T(2) * n.rate.dot(b.rate) + n.value.dot(b.acceleration);
    rho = sqrt(T(1) - s * s);
    rho_rate = -s * s_rate / rho;
    rho_acceleration = -(s_rate * s_rate + s * s_acceleration + rho_rate * rho_rate) / rho;
    const Vec3T<T> e = (n.value - b.value * s) / rho;
    c = e * T(-radius);
    const Vec3T<T> u_rate = n.rate - b.value * s_rate - b.rate * s;
    c_rate = (u_rate - e * rho_rate) * (T(-radius) / rho);
  }
};

}  // namespace

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
typename Carrier<T>::Direction Carrier<T>::direction(const Vec3& fixed) const {
  Direction d;
  d.value = at.R_WF * fixed.cast<T>();
  d.rate = at.omega.cross(d.value);
  d.acceleration = alpha.cross(d.value) + at.omega.cross(d.rate);
  return d;
}

template <class T>
ConstraintMotion<T>::ConstraintMotion(const TreeMotion<T>& tree, const Constraint& constraint)
    : tree_(tree),
      constraint_(constraint),
      F_(constraint.F, tree),
      M_(constraint.M, tree),
      r_(M_.at.p_WF - F_.at.p_WF),
      r_rate_(M_.at.v - F_.at.v),
      r_acceleration_(M_.a - F_.a) {}

template <class T>
RowMotion<T> ConstraintMotion<T>::row(const Row& row) const {
  switch (row.kind) {
    case Row::Kind::kAlong:
      return along(row);
    case Row::Kind::kAcross:
      return across(row);
    case Row::Kind::kDistance:
      return distance();
    case Row::Kind::kScrew:
      return screw(row);
    case Row::Kind::kSupport:
      return support(row);
    case Row::Kind::kSlip:
      return slip(row);
    case Row::Kind::kBlade:
      return blade(row);
    case Row::Kind::kCurve:
      return on_curve(row);
    case Row::Kind::kCoordinates:
      return coordinates();
    case Row::Kind::kFormula:
      return formula();
  }
  return {};
}

template <class T>
RowMotion<T> ConstraintMotion<T>::along(const Row& row) const {
  const auto a = F_.direction(row.a_F);
  RowMotion<T> out;
  out.value = a.value.dot(r_);
  out.rate = a.value.dot(r_rate_) + a.rate.dot(r_);
  out.acceleration =
      a.value.dot(r_acceleration_) + T(2) * a.rate.dot(r_rate_) + a.acceleration.dot(r_);
  out.force = a.value;
  if (row.index < 0) return out;
  const Jet given = constraint_.motion->position[static_cast<std::size_t>(row.index)].jet(tree_.t);
  out.value -= T(given.value);
  out.rate -= T(given.rate);
  out.acceleration -= T(given.acceleration);
  out.drift = T(-given.rate);
  return out;
}

template <class T>
RowMotion<T> ConstraintMotion<T>::across(const Row& row) const {
  const auto b = M_.direction(row.b_M);
  RowMotion<T> out;
  typename Carrier<T>::Direction a;
  if (row.index < 0) {
    a = F_.direction(row.a_F);
  } else {
    // Turned by the motion of F and by the given one within F.
    const GivenDirection given = given_direction(*constraint_.motion, tree_.t, row.a_F);
    const Vec3T<T> own_rate = F_.at.R_WF * given.rate.cast<T>();
    const auto carried = F_.direction(given.value);
    a.value = carried.value;
    a.rate = carried.rate + own_rate;
    a.acceleration = carried.acceleration + T(2) * F_.at.omega.cross(own_rate) +
                     F_.at.R_WF * given.acceleration.cast<T>();
    out.drift = own_rate.dot(b.value);
  }
  out.value = a.value.dot(b.value);
  out.rate = a.rate.dot(b.value) + a.value.dot(b.rate);
  out.acceleration =
      a.acceleration.dot(b.value) + T(2) * a.rate.dot(b.rate) + a.value.dot(b.acceleration);
  out.torque_M = b.value.cross(a.value);
  return out;
}

template <class T>
RowMotion<T> ConstraintMotion<T>::distance() const {
  const T L(constraint_.size);
  RowMotion<T> out;
  out.value = T(0.5) * (r_.squaredNorm() / L - L);
  out.rate = r_.dot(r_rate_) / L;
  out.acceleration = (r_.dot(r_acceleration_) + r_rate_.squaredNorm()) / L;
  out.force = r_ / L;
  return out;
}

// The turn is that of M's x about z of F: tan = (y_F.x_M) / (x_F.x_M).
template <class T>
RowMotion<T> ConstraintMotion<T>::screw(const Row& row) const {
  using std::atan2;
  const auto b = M_.direction(row.b_M);
  const auto x = F_.direction(Vec3::UnitX()), y = F_.direction(Vec3::UnitY());
  const auto product = [&](const auto& a) {
    return std::array<T, 3>{
        a.value.dot(b.value), a.rate.dot(b.value) + a.value.dot(b.rate),
        a.acceleration.dot(b.value) + T(2) * a.rate.dot(b.rate) + a.value.dot(b.acceleration)};
  };
  const std::array<T, 3> c = product(x), s = product(y);
  const T square = c[0] * c[0] + s[0] * s[0];
  const T turn_rate = (c[0] * s[1] - s[0] * c[1]) / square;
  const T growth = T(2) * (c[0] * c[1] + s[0] * s[1]);
  const T turn_acceleration = (c[0] * s[2] - s[0] * c[2] - growth * turn_rate) / square;
  const T pitch(constraint_.size);
  RowMotion<T> out = along({Row::Kind::kAlong, row.a_F, row.b_M});
  out.value -= T(constraint_.offset) + pitch * atan2(s[0], c[0]);
  const double lead = 2.0 * std::numbers::pi * constraint_.size;  // one turn is as good as another
  out.value -= T(lead * std::round(spatial::value_of(out.value) / lead));
  out.rate -= pitch * turn_rate;
  out.acceleration -= pitch * turn_acceleration;
  const Vec3T<T> turn_torque =
      (b.value.cross(y.value) * c[0] - b.value.cross(x.value) * s[0]) / square;
  out.torque_M = turn_torque * (-pitch);
  return out;
}

template <class T>
RowMotion<T> ConstraintMotion<T>::support(const Row& row) const {
  const auto n = F_.direction(row.a_F);
  const Touch<T> touch(n, M_.direction(row.b_M), constraint_.size);
  RowMotion<T> out = along({Row::Kind::kAlong, row.a_F, row.b_M});
  const T radius(constraint_.size);
  out.value -= radius * touch.rho;
  out.rate -= radius * touch.rho_rate;
  out.acceleration -= radius * touch.rho_acceleration;
  out.torque_M = touch.c.cross(n.value);
  return out;
}

// w is the velocity of M's touching material against F's.
template <class T>
RowMotion<T> ConstraintMotion<T>::slip(const Row& row) const {
  const auto a = F_.direction(row.a_F);
  const Touch<T> touch(F_.direction(Vec3::UnitZ()), M_.direction(row.b_M), constraint_.size);
  const Vec3T<T> arm = r_ + touch.c, arm_rate = r_rate_ + touch.c_rate;
  const Vec3T<T> w = r_rate_ + M_.at.omega.cross(touch.c) - F_.at.omega.cross(arm);
  const Vec3T<T> w_rate = r_acceleration_ + M_.alpha.cross(touch.c) +
                          M_.at.omega.cross(touch.c_rate) - F_.alpha.cross(arm) -
                          F_.at.omega.cross(arm_rate);
  RowMotion<T> out;
  out.rate = a.value.dot(w);
  out.acceleration = a.rate.dot(w) + a.value.dot(w_rate);
  out.force = a.value;
  out.torque_M = touch.c.cross(a.value);
  return out;
}

template <class T>
RowMotion<T> ConstraintMotion<T>::blade(const Row& row) const {
  const auto b = M_.direction(row.b_M);
  const Vec3T<T> w = r_rate_ - F_.at.omega.cross(r_);
  const Vec3T<T> w_rate = r_acceleration_ - F_.alpha.cross(r_) - F_.at.omega.cross(r_rate_);
  RowMotion<T> out;
  out.rate = b.value.dot(w);
  out.acceleration = b.rate.dot(w) + b.value.dot(w_rate);
  out.force = b.value;
  return out;
}

// In F's axes, e = r - c(s) with e.c' = 0: s' = c'.r' / h, h = |c'|^2 - e.c''. Normals k x c' and
// c' x (k x c') from a fixed direction k need no root.
template <class T>
RowMotion<T> ConstraintMotion<T>::on_curve(const Row& row) const {
  const spatial::Mat3T<T> R_FW = F_.at.R_WF.transpose();
  const Vec3T<T> omega = F_.at.omega, drift = r_rate_ - omega.cross(r_);
  const Vec3T<T> r = R_FW * r_, r1 = R_FW * drift;
  const Vec3T<T> r2 =
      R_FW * (r_acceleration_ - F_.alpha.cross(r_) - omega.cross(r_rate_) - omega.cross(drift));
  const T s = constraint_.curve->nearest(r);
  const Curve::Point<T> at = constraint_.curve->at(s);
  const Vec3T<T> k = constraint_.curve->side().template cast<T>();
  Vec3T<T> n = k.cross(at.c1), n1 = k.cross(at.c2), n2 = k.cross(at.c3);
  if (row.index == 1) {
    const T k1 = k.dot(at.c1), k2 = k.dot(at.c2), k3 = k.dot(at.c3);
    n = k * at.c1.squaredNorm() - at.c1 * k1;
    n1 = k * (T(2) * at.c1.dot(at.c2)) - at.c2 * k1 - at.c1 * k2;
    n2 = k * (T(2) * (at.c2.squaredNorm() + at.c1.dot(at.c3))) - at.c3 * k1 - at.c2 * (T(2) * k2) -
         at.c1 * k3;
  }
  const Vec3T<T> e = r - at.c;
  const T h = at.c1.squaredNorm() - e.dot(at.c2);
  const T s1 = at.c1.dot(r1) / h;
  const Vec3T<T> e1 = r1 - at.c1 * s1;
  const T h1 = T(2) * at.c1.dot(at.c2) * s1 - e1.dot(at.c2) - e.dot(at.c3) * s1;
  const T s2 = (at.c2.dot(r1) * s1 + at.c1.dot(r2) - s1 * h1) / h;
  RowMotion<T> out;
  out.value = n.dot(e);
  out.rate = n.dot(r1) + s1 * n1.dot(e);
  out.acceleration =
      n.dot(r2) + s1 * n1.dot(r1) + s2 * n1.dot(e) + s1 * s1 * n2.dot(e) + s1 * n1.dot(e1);
  out.force = F_.at.R_WF * (n + at.c1 * (n1.dot(e) / h));
  return out;
}

template <class T>
RowMotion<T> ConstraintMotion<T>::coordinates() const {
  RowMotion<T> out;
  out.value = T(-constraint_.offset);
  for (std::size_t k = 0; k < constraint_.terms.size(); ++k) {
    const Term& term = constraint_.terms[k];
    const T c(term.coefficient);
    out.coefficient[k] = c;
    out.value += c * tree_.state.q[term.q];
    out.rate += c * tree_.state.v[term.v];
    out.acceleration += c * tree_.workspace.vdot[term.v];
  }
  return out;
}

template <class T>
RowMotion<T> ConstraintMotion<T>::formula() const {
  using Motion = jets::JetOf<T>;
  std::array<Motion, kMostTerms + 1> variables;
  const std::size_t n = constraint_.terms.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Term& term = constraint_.terms[k];
    variables[k] = {tree_.state.q[term.q], tree_.state.v[term.v], tree_.workspace.vdot[term.v]};
  }
  variables[n] = {T(tree_.t), T(1), T(0)};
  const std::span<const Motion> all(variables.data(), n + 1);
  const Motion moving = constraint_.formula->evaluate(all);
  RowMotion<T> out;
  out.value = moving.value;
  out.rate = moving.rate;
  out.acceleration = moving.acceleration;
  for (std::size_t k = 0; k <= n; ++k) {
    variables[k].rate = variables[k].acceleration = T(0);
  }
  for (std::size_t k = 0; k <= n; ++k) {  // one direction at a time, time last
    variables[k].rate = T(1);
    const T slope = constraint_.formula->evaluate(all).rate;
    variables[k].rate = T(0);
    if (k < n) {
      out.coefficient[k] = slope;
    } else {
      out.drift = slope;
    }
  }
  return out;
}

bool can_close_in_place(const Constraint& constraint) {
  if (!between_frames(constraint)) return constraint.formula == nullptr;
  const auto kind = constraint.rows.front().kind;
  return kind == Row::Kind::kDistance ||
         ((kind == Row::Kind::kAlong || kind == Row::Kind::kAcross) &&
          constraint.motion == nullptr);
}

namespace {

bool is_defined(const std::vector<Function>& functions, double t) {
  for (const Function& function : functions) {
    const Jet jet = function.jet(t);
    if (!std::isfinite(jet.value + jet.rate + jet.acceleration)) return false;
  }
  return true;
}

// Of a formula whose coordinates themselves move as they should.
bool is_defined(const TreeMotion<double>& tree, const Constraint& constraint) {
  for (const Term& term : constraint.terms) {
    if (!std::isfinite(tree.state.q[term.q] + tree.state.v[term.v])) return true;
    if (!std::isfinite(tree.workspace.vdot[term.v])) return true;
  }
  const RowMotion<double> row = ConstraintMotion<double>(tree, constraint).row(constraint.rows[0]);
  double sum = row.value + row.rate + row.acceleration + row.drift;
  for (const double slope : row.coefficient) sum += slope;
  return std::isfinite(sum);
}

}  // namespace

std::string undefined_formula(const TreeMotion<double>& tree,
                              std::span<const Constraint> constraints) {
  for (const Constraint& constraint : constraints) {
    if (!constraint.active) continue;
    if (constraint.motion != nullptr && !(is_defined(constraint.motion->position, tree.t) &&
                                          is_defined(constraint.motion->rotation, tree.t))) {
      return fmt::format(
          "the motion of loop '{}' has no finite value, first or second derivative at t = {:.6g}",
          constraint.name, tree.t);
    }
    if (constraint.formula == nullptr || is_defined(tree, constraint)) continue;
    std::string at;
    for (const Term& term : constraint.terms) at += fmt::format("{:.6g}, ", tree.state.q[term.q]);
    return fmt::format(
        "the formula of loop '{}' has no finite value, first or second derivative where its "
        "coordinates are {}t = {:.6g}",
        constraint.name, at, tree.t);
  }
  return "";
}

void close_in_place(const TreeMotion<double>& tree, Constraint& constraint) {
  if (!can_close_in_place(constraint)) return;
  if (!between_frames(constraint)) {
    constraint.offset += ConstraintMotion<double>(tree, constraint).row(constraint.rows[0]).value;
    return;
  }
  const dynamics::FrameMotion<double> F = dynamics::frame_motion(constraint.F, tree.workspace);
  const dynamics::FrameMotion<double> M = dynamics::frame_motion(constraint.M, tree.workspace);
  if (constraint.rows.front().kind == Row::Kind::kDistance) {
    const double distance = (M.p_WF - F.p_WF).norm();
    if (distance > 0.0) constraint.size = distance;
    return;
  }
  constraint.F.X_LF.p += constraint.F.X_LF.R * F.R_WF.transpose() * (M.p_WF - F.p_WF);
  constraint.M.X_LF.R = constraint.M.X_LF.R * M.R_WF.transpose() * F.R_WF;
  constraint.offset = 0.0;  // of a screw: neither turned nor slid from here
}

template struct Carrier<double>;
template struct Carrier<spatial::Dual>;
template class ConstraintMotion<double>;
template class ConstraintMotion<spatial::Dual>;

}  // namespace grapple::constraint
