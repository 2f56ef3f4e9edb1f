// What bending does between a flexible body and a frame carried by its material: pose, axes of the
// modal coordinates, velocity, and the rates of those axes.
#pragma once

#include <vector>

#include "grapple/dynamics/internal/guided_frame-inl.h"
#include "grapple/dynamics/internal/tangent_frame.h"
#include "grapple/flexible/packed_body.h"
#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::dynamics::internal {

using model::LinkMotion;
using spatial::add_scaled;
using spatial::Mat3T;
using spatial::SpatialT;
using spatial::Vec3T;

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
// psi eta + 1/2 eta' G eta. In parent axes omega = a theta' + b theta x theta' + c theta
// (theta.theta') (the child's formula with theta reversed). The axes are exact derivatives of the
// pose, and c their exact rates.
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
      axes[k].lin = phi;  // in parent axes until the end
      axes[k].ang = psi;
    }
    const Vec3T<T> second = bend(shape.H, &SpatialT<T>::lin, p, p_rate, axes);
    const Vec3T<T> second_turn = bend(shape.G, &SpatialT<T>::ang, theta, theta_rate, axes);
    carry({p, p_rate, second}, {theta, theta_rate, second_turn}, axes);
  }

  // A frame that is guided by coordinates of its body.
  void move_guided(std::vector<SpatialT<T>>& axes) {
    Motion place, turn;
    for (SpatialT<T>& axis : axes) axis.lin = axis.ang = Vec3T<T>::Zero();
    const GuidedFrame<T> frame =
        guided_frame(shape, eta, eta_rate, [&](int k, const GuidedAxis<T>& axis) {
          const T& rate = eta_rate[k];
          axes[static_cast<std::size_t>(k)].lin += axis.p;
          axes[static_cast<std::size_t>(k)].ang += axis.theta;
          place.rate += rate * axis.p;
          place.second += rate * axis.p_rate;
          turn.rate += rate * axis.theta;
          turn.second += rate * axis.theta_rate;
        });
    place.value = frame.p;
    turn.value = frame.theta;
    carry(place, turn, axes);
  }

 private:
  // A quantity of the frame within its body, its rate, and what the rates alone accelerate.
  struct Motion {
    Vec3T<T> value = Vec3T<T>::Zero(), rate = Vec3T<T>::Zero(), second = Vec3T<T>::Zero();
  };

  // From place and rotation vector within the body to the motion of the frame; axes enter as their
  // derivatives in body axes.
  void carry(const Motion& p, const Motion& turned, std::vector<SpatialT<T>>& axes) {
    const Vec3T<T>& theta = turned.value;
    const spatial::RotationCoefficients<T> w(theta.squaredNorm());
    place(w, theta, p.value);
    const Mat3T<T> turn = spatial::turning_matrix<T>(w, theta);
    const Mat3T<T> R_turn = parent.R_WL * turn;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const Vec3T<T> bent = axes[k].lin, turning = axes[k].ang;
      axes[k].ang = R_turn * turning;
      axes[k].lin = parent.R_WL * bent;
    }
    carry_elastic_frame<T>(parent, R_turn * turned.rate, parent.R_WL * p.rate, own);
    own.c_ang += parent.R_WL * spatial::turning_rate<T>(w, theta, turned.rate);
    if (is_guided(shape) || !shape.G.empty()) own.c_ang += R_turn * turned.second;
    own.c_lin += parent.R_WL * p.second;
  }

  // Adds the second-order part to a quantity, its rate and the axes; returns eta'' Q eta'.
  Vec3T<T> bend(const std::vector<flexible::VectorTerm>& quadratic, Vec3T<T> SpatialT<T>::*part,
                Vec3T<T>& value, Vec3T<T>& rate, std::vector<SpatialT<T>>& axes) const {
    Vec3T<T> second = Vec3T<T>::Zero();
    for (const flexible::VectorTerm& Q : quadratic) {
      const Vec3T<T> term = Q.value.template cast<T>();
      const T weight = T(Q.k == Q.l ? 0.5 : 1.0);
      const T half_rate = weight * eta_rate[Q.k];
      add_scaled<T>(value, weight * eta[Q.k] * eta[Q.l], term);
      add_scaled<T>(rate, half_rate * eta[Q.l] + weight * eta[Q.k] * eta_rate[Q.l], term);
      add_scaled<T>(second, T(2) * half_rate * eta_rate[Q.l], term);
      add_scaled<T>(axes[static_cast<std::size_t>(Q.k)].*part, eta[Q.l], term);
      if (Q.k != Q.l) add_scaled<T>(axes[static_cast<std::size_t>(Q.l)].*part, eta[Q.k], term);
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

// Column k of Q eta.
template <class T>
Vec3T<T> times(const flexible::Quadratic3& Q, const T* eta, int m, int k) {
  Vec3T<T> sum = Vec3T<T>::Zero();
  for (int c = 0; c < 3; ++c) {
    const spatial::MatX& part = Q[static_cast<std::size_t>(c)];
    for (int l = 0; part.size() > 0 && l < m; ++l) sum[c] += T(part(l, k)) * eta[l];
  }
  return sum;
}

// Rates of the axes of ElasticStep.
template <class T>
void elastic_axis_rates(const flexible::FrameShape& shape, const LinkMotion<T>& parent,
                        const T* eta, const T* eta_rate, const std::vector<SpatialT<T>>& axes,
                        std::vector<SpatialT<T>>& rates) {
  const auto m = static_cast<int>(axes.size());
  Vec3T<T> theta = Vec3T<T>::Zero(), theta_rate = Vec3T<T>::Zero();
  for (int k = 0; k < m; ++k) {
    const Vec3T<T> psi = shape.psi.col(k).template cast<T>(), bent = times(shape.G, eta, m, k);
    theta += eta[k] * (psi + T(0.5) * bent);
    theta_rate += eta_rate[k] * (psi + bent);
  }
  const spatial::RotationCoefficients<T> w(theta.squaredNorm());
  const Mat3T<T> turning = spatial::turning_matrix<T>(w, theta);
  const T x_rate = T(2) * theta.dot(theta_rate);
  for (int k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Vec3T<T> psi = shape.psi.col(k).template cast<T>() + times(shape.G, eta, m, k);
    const T along = theta.dot(psi);
    const Vec3T<T> turn = w.a_x * x_rate * psi + w.b_x * x_rate * theta.cross(psi) +
                          w.b * theta_rate.cross(psi) +
                          (w.c_x * x_rate * along + w.c * theta_rate.dot(psi)) * theta +
                          w.c * along * theta_rate + turning * times(shape.G, eta_rate, m, k);
    const Vec3T<T> shift = times(shape.H, eta_rate, m, k);
    rates[at].ang = parent.omega.cross(axes[at].ang) + parent.R_WL * turn;
    rates[at].lin = parent.omega.cross(axes[at].lin) + parent.R_WL * shift;
  }
}

// The same for a frame that is guided by coordinates of its body.
template <class T>
void guided_axis_rates(const flexible::PackedFrame& shape, const LinkMotion<T>& parent,
                       const T* eta, const T* eta_rate, const std::vector<SpatialT<T>>& axes,
                       std::vector<SpatialT<T>>& rates) {
  for (SpatialT<T>& rate : rates) rate.lin = rate.ang = Vec3T<T>::Zero();
  Vec3T<T> theta_rate = Vec3T<T>::Zero();
  const auto each = [&](const auto& visit) { return guided_frame(shape, eta, eta_rate, visit); };
  const Vec3T<T> theta =
      each([&](int k, const GuidedAxis<T>& axis) { theta_rate += eta_rate[k] * axis.theta; }).theta;
  const spatial::RotationCoefficients<T> w(theta.squaredNorm());
  const Mat3T<T> turning = spatial::turning_matrix<T>(w, theta);
  const T x_rate = T(2) * theta.dot(theta_rate);
  each([&](int k, const GuidedAxis<T>& axis) {
    const Vec3T<T>& psi = axis.theta;
    const T along = theta.dot(psi);
    const Vec3T<T> turn = w.a_x * x_rate * psi + w.b_x * x_rate * theta.cross(psi) +
                          w.b * theta_rate.cross(psi) +
                          (w.c_x * x_rate * along + w.c * theta_rate.dot(psi)) * theta +
                          w.c * along * theta_rate + turning * axis.theta_rate;
    rates[static_cast<std::size_t>(k)].ang += parent.R_WL * turn;
    rates[static_cast<std::size_t>(k)].lin += parent.R_WL * axis.p_rate;
  });
  for (std::size_t k = 0; k < axes.size(); ++k) {
    rates[k].ang += parent.omega.cross(axes[k].ang);
    rates[k].lin += parent.omega.cross(axes[k].lin);
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

}  // namespace grapple::dynamics::internal
