// What changes during a run, and the scratch the recursions use. Neither allocates after
// construction.
#pragma once

#include <cstdint>
#include <vector>

#include "grapple/model/model.h"
#include "grapple/spatial/types.h"

namespace grapple::model {

/// Positions and rates of joints, modes and motors, and which joints follow a known motion instead
/// of forces.
template <class T>
struct StateT {
  explicit StateT(const Model& model)
      : q(spatial::VecXT<T>::Zero(model.nq())),
        v(spatial::VecXT<T>::Zero(model.nv())),
        driven_vdot(spatial::VecXT<T>::Zero(model.nv())),
        driven(static_cast<std::size_t>(model.link_count()), 0) {
    for (const CoordinateBlock& block : model.coordinates()) {
      if (block.kind == CoordinateKind::kQuaternion) q[block.q] = T(1);
    }
    for (const Link& link : model.links()) {
      if (const flexible::GuidedCoordinate* guided = model.guided(link)) {
        q[link.q_index] = T(guided->start);
      }
    }
  }

  spatial::VecXT<T> q;            ///< size nq
  spatial::VecXT<T> v;            ///< size nv
  spatial::VecXT<T> driven_vdot;  ///< rates' derivatives of driven joints, size nv; others ignored
  /// Per link: 1 = its joint, or the motor side of a flexible joint, follows driven_vdot (locked:
  /// zero).
  std::vector<std::uint8_t> driven;
};
using State = StateT<double>;

/// Whether guided coordinate k of the body that is link i follows a known motion. Other modal
/// coordinates never do.
template <class T>
bool is_led(const Model& model, const StateT<T>& state, int i, int k) {
  if (k >= model.link(i).guided) return false;
  const CoordinateBlock& block = model.coordinates().of_rate(model.link(i).v_modal + k);
  return state.driven[static_cast<std::size_t>(block.link)] != 0;
}

/// Kinematics of one link, world axes; points are the origin of the link frame.
template <class T>
struct LinkMotion {
  spatial::Mat3T<T> R_WL = spatial::Mat3T<T>::Identity();
  spatial::Vec3T<T> p_WL = spatial::Vec3T<T>::Zero();
  spatial::Vec3T<T> r = spatial::Vec3T<T>::Zero();      ///< from the parent's origin
  spatial::Vec3T<T> omega = spatial::Vec3T<T>::Zero();  ///< angular velocity
  spatial::Vec3T<T> v = spatial::Vec3T<T>::Zero();      ///< velocity of the origin
  spatial::Vec3T<T> alpha = spatial::Vec3T<T>::Zero();  ///< angular acceleration
  spatial::Vec3T<T> a = spatial::Vec3T<T>::Zero();      ///< of the origin, minus gravity
  spatial::Vec3T<T> c_ang =
      spatial::Vec3T<T>::Zero();  ///< part of alpha free of any derivative of v
  spatial::Vec3T<T> c_lin = spatial::Vec3T<T>::Zero();
};

/// Articulated inertia [A B; B' C] and bias wrench of one link about its origin, world axes.
template <class T>
struct LinkInertia {
  spatial::Sym3T<T> A;
  spatial::Mat3T<T> B;
  spatial::Sym3T<T> C;
  spatial::Vec3T<T> p_ang;
  spatial::Vec3T<T> p_lin;
};

/// Inertia of one flexible body and what its elimination leaves for the outward sweep.
template <class T>
struct FlexibleScratch {
  explicit FlexibleScratch(const flexible::PackedBody& body)
      : P(static_cast<std::size_t>(body.modes)),
        N(P.size()),
        dJ(P.size()),
        modal_mass(body.E.begin(), body.E.end()),
        p_modal(P.size()),
        field_position(3 * static_cast<std::size_t>(body.field.points)),
        field_rate(field_position.size()),
        field_force(field_position.size()),
        field_shape(body.field.Phi.begin(), body.field.Phi.end()),
        field_factor(body.field.pairs.size()),
        coupling(P.size()),
        E(P.size() * P.size()),
        y(P.size()),
        led_coupling(static_cast<std::size_t>(body.guided)),
        led_bias(led_coupling.size()),
        led_row(led_coupling.size() * P.size()),
        line_coordinates(body.line ? P.size() : 0),
        line_masses(body.line ? static_cast<std::size_t>(body.line->points) : 0) {}

  // In link axes (dynamics/internal/flexible_inertia.h).
  spatial::Vec3T<T> c, p_ang, p_lin;
  spatial::Sym3T<T> J;
  std::vector<spatial::Vec3T<T>> P, N;
  std::vector<spatial::Sym3T<T>> dJ;
  std::vector<T> modal_mass;  ///< m x m, by rows
  std::vector<T> p_modal;
  // Of the body's mass field (flexible/mass_field.h): 3 x points, and 3 x modes x points.
  std::vector<T> field_position, field_rate, field_force;
  std::vector<T> field_shape;   ///< derivative of the position by each mode
  std::vector<T> field_factor;  ///< per pair of modes
  // In world axes.
  std::vector<spatial::SpatialT<T>>
      coupling;      ///< between modes and the link's motion; eliminated: L^-1 of it
  std::vector<T> E;  ///< lower triangle of m x m, by columns; eliminated: its Cholesky factor L
  std::vector<T> y;  ///< modal bias minus effort; eliminated: L^-1 of it
  // Of guided coordinates, before elimination: coupling, bias and rows of E.
  std::vector<spatial::SpatialT<T>> led_coupling;
  std::vector<T> led_bias, led_row;
  // Of a beam that deploys (dynamics/internal/deployed_inertia-inl.h).
  std::vector<T> line_coordinates, line_masses;
};

template <class T>
struct WorkspaceT {
  explicit WorkspaceT(const Model& model)
      : motion(static_cast<std::size_t>(model.link_count())),
        inertia(static_cast<std::size_t>(model.link_count())),
        S(static_cast<std::size_t>(model.nv())),
        S_dot(static_cast<std::size_t>(model.nv())),
        U(static_cast<std::size_t>(model.nv())),
        D(static_cast<std::size_t>(model.nv()) * 6),
        u(spatial::VecXT<T>::Zero(model.nv())),
        wrench(static_cast<std::size_t>(model.link_count())),
        vdot(spatial::VecXT<T>::Zero(model.nv())),
        tau(spatial::VecXT<T>::Zero(model.nv())) {
    for (const flexible::PackedBody& body : model.packed_bodies()) flexible.emplace_back(body);
    elastic_axes.resize(motion.size());
    elastic_axis_rates.resize(motion.size());
    for (std::size_t i = 0; i < motion.size(); ++i) {
      const Link& link = model.links()[i];
      if (link.kind != Link::Kind::kElasticFrame) continue;
      elastic_axes[i].resize(model.packed_frame(link).phi.size());
      elastic_axis_rates[i].resize(elastic_axes[i].size());
    }
  }

  std::vector<LinkMotion<T>> motion;
  std::vector<LinkInertia<T>> inertia;
  std::vector<spatial::SpatialT<T>> S;  ///< joint axes as motions of the link origin, world axes
  std::vector<spatial::SpatialT<T>> S_dot;  ///< their time derivatives, filled by joint_axis_rates
  std::vector<spatial::SpatialT<T>> U;
  std::vector<T> D;  ///< per degree of freedom a row of the joint's inverse inertia
  spatial::VecXT<T> u;
  std::vector<spatial::SpatialT<T>>
      wrench;              ///< external wrench on each link about its origin, world axes
  spatial::VecXT<T> vdot;  ///< result of aba
  spatial::VecXT<T> tau;   ///< result of rnea; after aba the effort of driven joints

  std::vector<FlexibleScratch<T>> flexible;  ///< per flexible body
  /// Per elastic frame: its motion per modal rate, world axes; empty for other links and for frames
  /// that do not move.
  std::vector<std::vector<spatial::SpatialT<T>>> elastic_axes;
  std::vector<std::vector<spatial::SpatialT<T>>>
      elastic_axis_rates;  ///< filled by joint_axis_rates

  void clear_wrenches() {
    for (auto& w : wrench) {
      w.ang.setZero();
      w.lin.setZero();
    }
  }
};
using Workspace = WorkspaceT<double>;

}  // namespace grapple::model
