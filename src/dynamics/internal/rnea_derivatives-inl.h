// What the two files of rnea_derivatives.h share.
#pragma once

#include "grapple/dynamics/rnea_derivatives.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/rotation.h"

namespace grapple::dynamics {

/// One body or elastic frame at a time in dual numbers.
struct LocalDuals {
  explicit LocalDuals(const model::Model& model)
      : state(model), workspace(model), vdot(spatial::VecXT<spatial::Dual>::Zero(model.nv())) {}

  model::StateT<spatial::Dual> state;
  model::WorkspaceT<spatial::Dual> workspace;
  spatial::VecXT<spatial::Dual> vdot;
};

inline Vec6 cross_motion(const Vec6& a, const Vec6& b) {
  Vec6 r;
  r.head<3>() = a.head<3>().cross(b.head<3>());
  r.tail<3>() = a.head<3>().cross(b.tail<3>()) + a.tail<3>().cross(b.head<3>());
  return r;
}

inline Vec6 cross_force(const Vec6& a, const Vec6& F) {
  Vec6 r;
  r.head<3>() = a.head<3>().cross(F.head<3>()) + a.tail<3>().cross(F.tail<3>());
  r.tail<3>() = a.head<3>().cross(F.tail<3>());
  return r;
}

inline Mat6 motion_matrix(const Vec6& a) {
  Mat6 m;
  const spatial::Mat3 w = spatial::skew<double>(a.head<3>()),
                      v = spatial::skew<double>(a.tail<3>());
  m << w, spatial::Mat3::Zero(), v, w;
  return m;
}

/// Inertia of a body with first moment and inertia about its origin, taken about a point at -arm
/// from there; world axes.
inline Mat6 inertia_about(double mass, const spatial::Vec3& first_moment, const spatial::Mat3& J,
                          const spatial::Vec3& arm) {
  const spatial::Mat3 h = spatial::skew<double>(first_moment), d = spatial::skew<double>(arm);
  const spatial::Mat3 moment = h + mass * d;
  Mat6 I;
  I << J - h * d - d * h - mass * d * d, moment, moment.transpose(),
      mass * spatial::Mat3::Identity();
  return I;
}

/// I, G and F of a flexible body and its Modes; `point` is the common point.
void flexible_body_derivatives(const model::Model& model, int link, const model::State& state,
                               const spatial::VecX& vdot, const model::Workspace& workspace,
                               const spatial::Vec3& point, RneaDerivatives& out);

/// V and a of an elastic frame, and its axes.
void elastic_frame_derivatives(const model::Model& model, int link, const model::State& state,
                               const spatial::VecX& vdot, const model::Workspace& workspace,
                               const spatial::Vec3& point, RneaDerivatives& out);

}  // namespace grapple::dynamics
