// Bodies of kinematics.h, templates over the scalar: kinematics_scalars.cc compiles them for those
// of the program, a counter of operations for its own.
#pragma once

#include <cmath>

#include "grapple/dynamics/flexible_inertia.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/tangent_frame.h"
#include "grapple/spatial/rotation.h"

namespace grapple::dynamics {

using model::JointType;
using model::Link;
using model::LinkMotion;
using spatial::add_scaled;
using spatial::Mat3T;
using spatial::QuatT;
using spatial::SpatialT;
using spatial::Vec3T;

namespace internal {

// R <- R Rz(angle): the third column stays.
template <class T>
void turn_about_z(Mat3T<T>& R, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  const Vec3T<T> x = R.col(0), y = R.col(1);
  R.col(0) = c * x + s * y;
  R.col(1) = c * y - s * x;
}

// R <- R Rx(angle).
template <class T>
void turn_about_x(Mat3T<T>& R, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  const Vec3T<T> y = R.col(1), z = R.col(2);
  R.col(1) = c * y + s * z;
  R.col(2) = c * z - s * y;
}

// R <- R Ry(angle).
template <class T>
void turn_about_y(Mat3T<T>& R, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  const Vec3T<T> x = R.col(0), z = R.col(2);
  R.col(0) = c * x - s * z;
  R.col(2) = s * x + c * z;
}

// One link: `own.R_WL` enters as R_WF and `own.r` as the vector to F; both leave as those of L.
// `relative` is the joint's own velocity and c_ang / c_lin leave without the centripetal part.
template <class T>
struct JointStep {
  const LinkMotion<T>& parent;
  LinkMotion<T>& own;
  const T* q;
  const T* v;
  SpatialT<T>* S;
  Vec3T<T> relative_ang = Vec3T<T>::Zero();
  Vec3T<T> relative_lin = Vec3T<T>::Zero();

  void revolute() {
    const Vec3T<T> axis = own.R_WL.col(2);
    turn_about_z(own.R_WL, q[0]);
    S[0].ang = axis;
    S[0].lin.setZero();
    relative_ang = axis * v[0];
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin.setZero();
  }

  void prismatic() {
    const Vec3T<T> axis = own.R_WL.col(2);
    own.r += axis * q[0];
    S[0].ang.setZero();
    S[0].lin = axis;
    relative_lin = axis * v[0];
    own.c_ang.setZero();
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }

  void screw(const T& slide, const T& slide_rate) {
    const Vec3T<T> axis = own.R_WL.col(2);
    turn_about_z(own.R_WL, q[0]);
    own.r += axis * slide;
    relative_ang = axis * v[0];
    relative_lin = axis * slide_rate;
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }

  void helical(double pitch) {
    S[0].ang = own.R_WL.col(2);
    S[0].lin = T(pitch) * S[0].ang;
    screw(T(pitch) * q[0], T(pitch) * v[0]);
  }

  void cylindrical() {
    S[0].ang = S[1].lin = own.R_WL.col(2);
    S[0].lin.setZero();
    S[1].ang.setZero();
    screw(q[1], v[1]);
  }

  void universal() {
    S[0].ang = own.R_WL.col(0);
    turn_about_x(own.R_WL, q[0]);
    S[1].ang = own.R_WL.col(1);
    turn_about_y(own.R_WL, q[1]);
    S[0].lin.setZero();
    S[1].lin.setZero();
    const Vec3T<T> first = S[0].ang * v[0], second = S[1].ang * v[1];
    relative_ang = first + second;
    own.c_ang = parent.omega.cross(relative_ang) + first.cross(second);
    own.c_lin.setZero();
  }

  void planar() {
    for (int k = 0; k < 2; ++k) {
      S[k].ang.setZero();
      S[k].lin = own.R_WL.col(k);
    }
    S[2].ang = own.R_WL.col(2);
    S[2].lin.setZero();
    own.r += S[0].lin * q[0] + S[1].lin * q[1];
    relative_lin = S[0].lin * v[0] + S[1].lin * v[1];
    relative_ang = S[2].ang * v[2];
    turn_about_z(own.R_WL, q[2]);
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }

  void spherical(const T* quaternion, const T* omega_L, SpatialT<T>* axes) {
    own.R_WL = own.R_WL * spatial::rotation_matrix<T>(Eigen::Map<const QuatT<T>>(quaternion));
    for (int k = 0; k < 3; ++k) {
      axes[k].ang = own.R_WL.col(k);
      axes[k].lin.setZero();
    }
    relative_ang = own.R_WL * Eigen::Map<const Vec3T<T>>(omega_L);
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin.setZero();
  }

  void free() {
    for (int k = 0; k < 3; ++k) {
      S[k].ang.setZero();
      S[k].lin = own.R_WL.col(k);
    }
    own.r += own.R_WL * Eigen::Map<const Vec3T<T>>(q);
    relative_lin = own.R_WL * Eigen::Map<const Vec3T<T>>(v);
    spherical(q + 3, v + 3, S + 3);
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }
};

// Motion of a frame on a flexible body from that within the body, world axes; own.r is known, and
// what the coordinates' rates alone accelerate is still to be added to c.
template <class T>
void carry_elastic_frame(const LinkMotion<T>& parent, const Vec3T<T>& relative_ang,
                         const Vec3T<T>& relative_lin, LinkMotion<T>& own) {
  const Vec3T<T> carried = parent.omega.cross(own.r);
  own.omega = parent.omega + relative_ang;
  own.v = parent.v + carried + relative_lin;
  own.c_ang = parent.omega.cross(relative_ang);
  const Vec3T<T> twice = carried + T(2) * relative_lin;
  own.c_lin = parent.omega.cross(twice);
}

// A frame carried by the material: p = p0 + phi eta + 1/2 eta' H eta, R = exp(theta^) R0, theta =
// psi eta. In parent axes omega = a theta' + b theta x theta' + c theta (theta.theta') (the child's
// formula with theta reversed). The axes are exact derivatives of the pose, and c their exact
// rates.
template <class T>
struct ElasticStep {
  const flexible::PackedFrame& shape;
  const LinkMotion<T>& parent;
  const T* eta;
  const T* eta_rate;
  LinkMotion<T>& own;

  // What does not move in the body moves with it.
  void rest() {
    own.r = parent.R_WL * shape.position.template cast<T>();
    own.R_WL = parent.R_WL * shape.orientation.template cast<T>();
    const Vec3T<T> carried = parent.omega.cross(own.r);
    own.p_WL = parent.p_WL + own.r;
    own.omega = parent.omega;
    own.v = parent.v + carried;
    own.c_ang.setZero();
    own.c_lin = parent.omega.cross(carried);
  }

  void move(std::vector<SpatialT<T>>& axes) {
    Vec3T<T> theta = Vec3T<T>::Zero(), theta_rate = Vec3T<T>::Zero();
    Vec3T<T> p = shape.position.template cast<T>(), p_rate = Vec3T<T>::Zero();
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const Vec3T<T> phi = shape.phi[k].template cast<T>(), psi = shape.psi[k].template cast<T>();
      add_scaled<T>(theta, eta[k], psi);
      add_scaled<T>(theta_rate, eta_rate[k], psi);
      add_scaled<T>(p, eta[k], phi);
      add_scaled<T>(p_rate, eta_rate[k], phi);
      axes[k].lin = phi;  // in parent axes and without H until the end
    }
    const Vec3T<T> second = bend(p, p_rate, axes);
    const spatial::RotationCoefficients<T> w(theta.squaredNorm());
    place(w, theta, p);
    const Mat3T<T> turn = spatial::turning_matrix<T>(w, theta);
    const Mat3T<T> R_turn = parent.R_WL * turn;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const Vec3T<T> bent = axes[k].lin;
      axes[k].ang = R_turn * shape.psi[k].template cast<T>();
      axes[k].lin = parent.R_WL * bent;
    }
    carry_elastic_frame<T>(parent, R_turn * theta_rate, parent.R_WL * p_rate, own);
    own.c_ang += parent.R_WL * spatial::turning_rate<T>(w, theta, theta_rate);
    own.c_lin += parent.R_WL * second;
  }

 private:
  // Adds the second-order part to the position, its rate and the axes; returns eta'' H eta'.
  Vec3T<T> bend(Vec3T<T>& p, Vec3T<T>& p_rate, std::vector<SpatialT<T>>& axes) const {
    Vec3T<T> second = Vec3T<T>::Zero();
    for (const flexible::VectorTerm& H : shape.H) {
      const Vec3T<T> value = H.value.template cast<T>();
      const T weight = T(H.k == H.l ? 0.5 : 1.0);
      const T half_rate = weight * eta_rate[H.k];
      add_scaled<T>(p, weight * eta[H.k] * eta[H.l], value);
      add_scaled<T>(p_rate, half_rate * eta[H.l] + weight * eta[H.k] * eta_rate[H.l], value);
      add_scaled<T>(second, T(2) * half_rate * eta_rate[H.l], value);
      add_scaled<T>(axes[static_cast<std::size_t>(H.k)].lin, eta[H.l], value);
      if (H.k != H.l) add_scaled<T>(axes[static_cast<std::size_t>(H.l)].lin, eta[H.k], value);
    }
    return second;
  }

  void place(const spatial::RotationCoefficients<T>& w, const Vec3T<T>& theta, const Vec3T<T>& p) {
    own.r = parent.R_WL * p;
    const Mat3T<T> R = spatial::rotation_matrix<T>(w, theta);
    const Mat3T<T> R_PL = R * shape.orientation.template cast<T>();
    own.R_WL = parent.R_WL * R_PL;
    own.p_WL = parent.p_WL + own.r;
  }
};

// A frame that follows the tangent of a line in absolute nodal coordinates; p is linear in eta.
template <class T>
void move_tangent_frame(const flexible::FrameShape& shape, const LinkMotion<T>& parent,
                        const T* eta, const T* eta_rate, LinkMotion<T>& own,
                        std::vector<SpatialT<T>>& axes) {
  const TangentFrame<T> frame(shape, eta, eta_rate);
  Vec3T<T> p = shape.position.cast<T>(), relative_lin = Vec3T<T>::Zero();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto col = static_cast<Eigen::Index>(k);
    const Vec3T<T> phi = shape.phi.col(col).template cast<T>();
    p += eta[k] * phi;
    axes[k].lin = parent.R_WL * phi;
    axes[k].ang = parent.R_WL * frame.axis(shape.tangent.col(col).template cast<T>()).value;
    relative_lin += eta_rate[k] * axes[k].lin;
  }
  const auto turning = frame.turning();
  own.r = parent.R_WL * p;
  own.p_WL = parent.p_WL + own.r;
  own.R_WL = parent.R_WL * (frame.rotation() * shape.orientation.cast<T>());
  carry_elastic_frame<T>(parent, parent.R_WL * turning.value, relative_lin, own);
  own.c_ang += parent.R_WL * turning.rate;
}

// Everything about one link that its parent's motion and the state determine.
template <class T>
void move_link(const model::Model& model, const model::StateT<T>& state, int i,
               const LinkMotion<T>& parent, model::WorkspaceT<T>& workspace) {
  const Link& link = model.link(i);
  LinkMotion<T>& own = workspace.motion[static_cast<std::size_t>(i)];
  if (link.kind == Link::Kind::kElasticFrame) {
    const flexible::FrameShape& shape =
        model.flexible_body(link).frames[static_cast<std::size_t>(link.elastic_frame)];
    std::vector<SpatialT<T>>& axes = workspace.elastic_axes[static_cast<std::size_t>(i)];
    const T* eta = state.q.data() + link.q_modal;
    const T* eta_rate = state.v.data() + link.v_modal;
    ElasticStep<T> frame{model.packed_frame(link), parent, eta, eta_rate, own};
    if (axes.empty()) {
      frame.rest();
    } else if (shape.turning == flexible::Turning::kTangent) {
      move_tangent_frame(shape, parent, eta, eta_rate, own, axes);
    } else {
      frame.move(axes);
    }
    return;
  }
  if (link.parent == 0) {
    own.R_WL = link.R_PF.template cast<T>();
    own.r = link.p_PF.template cast<T>();
  } else {
    own.R_WL = parent.R_WL * link.R_PF.template cast<T>();
    own.r = parent.R_WL * link.p_PF.template cast<T>();
  }
  JointStep<T> joint{parent, own, state.q.data() + link.q_index, state.v.data() + link.v_index,
                     workspace.S.data() + link.v_index};
  switch (link.type) {
    case JointType::kFixed:
      own.c_ang.setZero();
      own.c_lin.setZero();
      break;
    case JointType::kRevolute:
      joint.revolute();
      break;
    case JointType::kPrismatic:
      joint.prismatic();
      break;
    case JointType::kHelical:
      joint.helical(link.pitch);
      break;
    case JointType::kCylindrical:
      joint.cylindrical();
      break;
    case JointType::kUniversal:
      joint.universal();
      break;
    case JointType::kSpherical:
      joint.spherical(joint.q, joint.v, joint.S);
      break;
    case JointType::kPlanar:
      joint.planar();
      break;
    case JointType::kFree:
      joint.free();
      break;
  }
  const Vec3T<T> carried = parent.omega.cross(own.r);
  own.p_WL = parent.p_WL + own.r;
  own.omega = parent.omega + joint.relative_ang;
  own.v = parent.v + carried + joint.relative_lin;
  own.c_lin += parent.omega.cross(carried);
  if (link.kind == Link::Kind::kFlexible) {
    flexible_inertia(model.packed_body(link), state.q.data() + link.q_modal,
                     workspace.flexible[static_cast<std::size_t>(link.flexible)]);
  }
}

}  // namespace internal

template <class T>
void forward_kinematics(const model::Model& model, const model::StateT<T>& state,
                        model::WorkspaceT<T>& workspace) {
  for (int i = 1; i < model.link_count(); ++i) {
    const auto parent = static_cast<std::size_t>(model.link(i).parent);
    internal::move_link(model, state, i, workspace.motion[parent], workspace);
  }
}

namespace internal {

// Rates of the axes of ElasticStep.
template <class T>
void elastic_axis_rates(const flexible::FrameShape& shape, const LinkMotion<T>& parent,
                        const T* eta, const T* eta_rate, const std::vector<SpatialT<T>>& axes,
                        std::vector<SpatialT<T>>& rates) {
  const auto m = static_cast<int>(axes.size());
  Vec3T<T> theta = Vec3T<T>::Zero(), theta_rate = Vec3T<T>::Zero();
  for (int k = 0; k < m; ++k) {
    theta += eta[k] * shape.psi.col(k).template cast<T>();
    theta_rate += eta_rate[k] * shape.psi.col(k).template cast<T>();
  }
  const spatial::RotationCoefficients<T> w(theta.squaredNorm());
  const T x_rate = T(2) * theta.dot(theta_rate);
  for (int k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Vec3T<T> psi = shape.psi.col(k).template cast<T>();
    const T along = theta.dot(psi);
    const Vec3T<T> turn =
        w.a_x * x_rate * psi + w.b_x * x_rate * theta.cross(psi) + w.b * theta_rate.cross(psi) +
        (w.c_x * x_rate * along + w.c * theta_rate.dot(psi)) * theta + w.c * along * theta_rate;
    Vec3T<T> shift = Vec3T<T>::Zero();
    for (int c = 0; c < 3; ++c) {
      const spatial::MatX& H = shape.H[static_cast<std::size_t>(c)];
      for (int l = 0; H.size() > 0 && l < m; ++l) shift[c] += T(H(l, k)) * eta_rate[l];
    }
    rates[at].ang = parent.omega.cross(axes[at].ang) + parent.R_WL * turn;
    rates[at].lin = parent.omega.cross(axes[at].lin) + parent.R_WL * shift;
  }
}

template <class T>
void tangent_axis_rates(const flexible::FrameShape& shape, const LinkMotion<T>& parent,
                        const T* eta, const T* eta_rate, const std::vector<SpatialT<T>>& axes,
                        std::vector<SpatialT<T>>& rates) {
  const TangentFrame<T> frame(shape, eta, eta_rate);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Vec3T<T> g = shape.tangent.col(static_cast<Eigen::Index>(k)).template cast<T>();
    rates[k].ang = parent.omega.cross(axes[k].ang) + parent.R_WL * frame.axis(g).rate;
    rates[k].lin = parent.omega.cross(axes[k].lin);
  }
}

}  // namespace internal

template <class T>
void joint_axis_rates(const model::Model& model, const model::StateT<T>& state,
                      model::WorkspaceT<T>& workspace) {
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const Vec3T<T>& omega_P = workspace.motion[static_cast<std::size_t>(link.parent)].omega;
    const Vec3T<T>& omega_L = workspace.motion[static_cast<std::size_t>(i)].omega;
    if (link.kind == Link::Kind::kElasticFrame) {
      const flexible::FrameShape& shape =
          model.flexible_body(link).frames[static_cast<std::size_t>(link.elastic_frame)];
      const auto rates = shape.turning == flexible::Turning::kTangent
                             ? internal::tangent_axis_rates<T>
                             : internal::elastic_axis_rates<T>;
      rates(shape, workspace.motion[static_cast<std::size_t>(link.parent)],
            state.q.data() + link.q_modal, state.v.data() + link.v_modal,
            workspace.elastic_axes[static_cast<std::size_t>(i)],
            workspace.elastic_axis_rates[static_cast<std::size_t>(i)]);
      continue;
    }
    for (int k = 0; k < link.nv; ++k) {
      const auto at = static_cast<std::size_t>(link.v_index + k);
      const SpatialT<T>& axis = workspace.S[at];
      // Axes are fixed in the parent, but orientation rates are fixed in the child and a universal
      // joint's second axis is carried by its first turn.
      Vec3T<T> carrier = omega_P;
      if (link.type == JointType::kUniversal && k == 1) {
        carrier += workspace.S[at - 1].ang * state.v[link.v_index];
      } else if (link.type == JointType::kSpherical || (link.type == JointType::kFree && k >= 3)) {
        carrier = omega_L;
      }
      workspace.S_dot[at].ang = carrier.cross(axis.ang);
      workspace.S_dot[at].lin = carrier.cross(axis.lin);
    }
  }
}

template <class T>
void position_rates(const model::Model& model, const spatial::VecXT<T>& q,
                    const spatial::VecXT<T>& v, T* q_rate) {
  for (const Link& link : model.links()) {
    const int offset = model::quaternion_offset(link.type);
    const int plain = offset < 0 ? link.nv : offset;
    for (int k = 0; k < plain; ++k) q_rate[link.q_index + k] = v[link.v_index + k];
    for (int k = 0; k < link.modes; ++k) q_rate[link.q_modal + k] = v[link.v_modal + k];
    for (int k = 0; k < link.motors; ++k) q_rate[link.q_motor + k] = v[link.v_motor + k];
    if (offset < 0) continue;
    const QuatT<T> turn = q.template segment<4>(link.q_index + offset);
    const Vec3T<T> omega = v.template segment<3>(link.v_index + offset);
    Eigen::Map<QuatT<T>>(q_rate + link.q_index + offset) = spatial::quaternion_rate<T>(turn, omega);
  }
}

template <class T>
void position_rates(const model::Model& model, const model::StateT<T>& state, T* q_rate) {
  position_rates<T>(model, state.q, state.v, q_rate);
}

template <class T>
void move_positions(const model::Model& model, const spatial::VecXT<T>& delta,
                    spatial::VecXT<T>& q) {
  for (const Link& link : model.links()) {
    const int offset = model::quaternion_offset(link.type);
    const int plain = offset < 0 ? link.nv : offset;
    for (int k = 0; k < plain; ++k) q[link.q_index + k] += delta[link.v_index + k];
    for (int k = 0; k < link.modes; ++k) q[link.q_modal + k] += delta[link.v_modal + k];
    for (int k = 0; k < link.motors; ++k) q[link.q_motor + k] += delta[link.v_motor + k];
    if (offset < 0) continue;
    const QuatT<T> old = q.template segment<4>(link.q_index + offset);
    const Vec3T<T> turn = delta.template segment<3>(link.v_index + offset);
    q.template segment<4>(link.q_index + offset) =
        spatial::product<T>(old, spatial::quaternion_exp<T>(turn));
  }
}

template <class T>
void normalize_quaternions(const model::Model& model, T* q) {
  using std::sqrt;
  for (const Link& link : model.links()) {
    const int offset = model::quaternion_offset(link.type);
    if (offset < 0) continue;
    Eigen::Map<QuatT<T>> quaternion(q + link.q_index + offset);
    const T norm = sqrt(quaternion.squaredNorm());
    quaternion /= norm;
  }
}

}  // namespace grapple::dynamics
