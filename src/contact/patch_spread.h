// Where the pressure of a volumetric patch is, for its limit surface (contact/limit_surface.h):
// second moments and fullness from the overlap, the outline of flat faces and lying cylinders from
// the shape. And the turning radius of what spins on it.
#pragma once

#include <numbers>
#include <optional>

#include "grapple/contact/limit_surface.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/spatial/mass_properties.h"

namespace grapple::contact {

/// A shape whose patches are rectangles while it lies flat (box) or on its side (cylinder,
/// capsule).
struct PatchOutline {
  enum class Kind { kOther, kBox, kCylinder };
  enum class Side { kA, kB };
  Kind kind = Kind::kOther;
  Side side = Side::kA;
};

/// The outline that decides the patches of two shapes: the smaller box, or the round body on
/// something flat.
PatchOutline outline_of(const geometry::Shape& a, const geometry::Shape& b);

/// Mass and inertia about the centre of mass, in the axes of the shape; none: it does not move.
using Turning = std::optional<spatial::MassProperties>;

/// `R_WS`: axes of the shape with the outline.
template <class T>
contact::PatchSpread<T> spread_of(const geometry::Overlap<T>& overlap, PatchOutline::Kind outline,
                                  const spatial::Mat3T<T>& R_WS) {
  using spatial::Mat3T;
  using spatial::Vec3T;
  contact::PatchSpread<T> spread;
  const Vec3T<T>& n = overlap.normal_W;
  const Mat3T<T> across = Mat3T<T>::Identity() - n * n.transpose();
  const Mat3T<T> all = T(0.5) * overlap.inertia_W.trace() * Mat3T<T>::Identity() -
                       overlap.inertia_W;  // integral of r r'
  spread.moments = across * all * across / overlap.volume;
  // sigma_1 sigma_2 from the invariants of a matrix of rank two.
  const T trace = spread.moments.trace();
  const T both = T(0.5) * (trace * trace - T((spread.moments * spread.moments).trace()));
  const T area = T(4.0 * std::numbers::pi) * spatial::root_of(both);
  spread.fullness =
      area > T(0) && overlap.gap < T(0) ? T(overlap.volume / (area * -overlap.gap)) : T(1);
  if (outline == PatchOutline::Kind::kOther) return spread;
  int axis = 2;  // of the cylinder; of the box the one nearest to the normal
  const auto squared = [&](int k) {
    const T c = n.dot(R_WS.col(k));
    return T(c * c);
  };
  if (outline == PatchOutline::Kind::kBox) {
    for (const int k : {0, 1}) {
      if (squared(k) > squared(axis)) axis = k;
    }
  }
  // 1 within 2 degrees of lying, 0 beyond 6: a box on its edge has another patch.
  const T off = outline == PatchOutline::Kind::kBox ? T(T(1) - squared(axis)) : squared(axis);
  const T x = (T(0.011) - off) / T(0.011 - 0.0012);
  if (!(x > T(0))) return spread;
  spread.rectangle = x < T(1) ? T(x * x * (T(3) - T(2) * x)) : T(1);
  const int along = outline == PatchOutline::Kind::kBox ? (axis + 1) % 3 : axis;
  spread.side = across * R_WS.col(along);
  spread.side /= spatial::length_of<T>(spread.side);
  return spread;
}

/// Root of inertia about n over mass, of both together: 1/m = 1/m_A + 1/m_B, likewise 1/I. 0:
/// neither moves.
template <class T>
T turning_radius(const Turning& a, const spatial::Mat3T<T>& R_WA, const Turning& b,
                 const spatial::Mat3T<T>& R_WB, const spatial::Vec3T<T>& n) {
  T lightness(0), ease(0);
  const auto add = [&](const Turning& body, const spatial::Mat3T<T>& R) {
    if (!body || !(body->mass > 0.0)) return;
    const spatial::Vec3T<T> n_S = R.transpose() * n;
    const T inertia = n_S.dot(body->inertia_com_B.template cast<T>() * n_S);
    if (!(inertia > T(0))) return;
    lightness += T(1.0 / body->mass);
    ease += T(1) / inertia;
  };
  add(a, R_WA);
  add(b, R_WB);
  return ease > T(0) ? spatial::root_of(T(lightness / ease)) : T(0);
}

}  // namespace grapple::contact
