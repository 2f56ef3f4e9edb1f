// A gravity field on the bodies of the tree, expanded to first order about one point of each body:
// at a material point p the acceleration is g + G (p - x), G symmetric. With mass m, centre of mass
// c and second moment S_c = int (p - c)(p - c)^T dm of the body at this state, W_k = int b_k (p -
// c)^T dm, and x = c:
//   force           m g
//   torque about c  int (p - c) x G (p - c) dm  =  sum_j S_c e_j x G e_j
//   mode k          P_k . g + G : W_k                       (P_k = int b_k dm, 2 sym W_k =
//   dS_c/dq_k
//                                                            + ...: only sym W_k is needed)
// They are minus the derivatives of U = -m g.c - 1/2 G : S_c at constant g, G and x. S follows from
// the inertia: S = 1/2 tr(J) 1 - J. What the expansion leaves out is the second derivative of the
// acceleration times half the square of the distance from x.
#pragma once

#include "grapple/model/state.h"

namespace grapple::dynamics {

/// Mass, centre of mass and second moment of one body at a state.
template <class T>
struct BodyMoments {
  T mass{0};                                           ///< kg
  spatial::Vec3T<T> p_WC = spatial::Vec3T<T>::Zero();  ///< centre of mass
  spatial::Vec3T<T> arm = spatial::Vec3T<T>::Zero();   ///< to it from the link origin, world axes
  spatial::Vec3T<T> v_WC = spatial::Vec3T<T>::Zero();  ///< its velocity
  spatial::Sym3T<T> second{};                          ///< S about it, world axes, kg m^2
};

/// Needs forward_kinematics. A link without mass has zeros.
template <class T>
BodyMoments<T> body_moments(const model::Model& model, int link, const model::StateT<T>& state,
                            const model::WorkspaceT<T>& workspace);

/// An acceleration and its gradient at the centre of mass of a body, world axes.
template <class T>
struct LinearField {
  spatial::Vec3T<T> g = spatial::Vec3T<T>::Zero();  ///< m/s^2
  spatial::Sym3T<T> G{};                            ///< 1/s^2
};

/// Adds force and torque of the field on one body to workspace.wrench and the modal efforts to tau
/// (size nv). `moments`: of body_moments at this state.
template <class T>
void field_efforts(const model::Model& model, int link, const BodyMoments<T>& moments,
                   const LinearField<T>& field, model::WorkspaceT<T>& workspace,
                   spatial::VecXT<T>& tau);

/// A : B of two symmetric matrices.
template <class T>
T double_product(const spatial::Sym3T<T>& a, const spatial::Sym3T<T>& b) {
  return a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + T(2) * (a.xy * b.xy + a.xz * b.xz + a.yz * b.yz);
}

}  // namespace grapple::dynamics
