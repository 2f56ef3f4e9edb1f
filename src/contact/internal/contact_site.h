// Kinematics and force at one site of a point contact.
#pragma once

#include <optional>
#include <span>

#include "grapple/contact/friction_law.h"
#include "grapple/contact/hertz_patch.h"
#include "grapple/contact/internal/contact_memory.h"
#include "grapple/contact/normal_law.h"
#include "grapple/element/element.h"
#include "grapple/geometry/touch/gap_shape.h"

namespace grapple::contact {

using dynamics::FrameMotion;

template <class T>
geometry::Placement<T> place_of(const FrameMotion<T>& f) {
  return {f.R_WF, f.p_WF};
}

template <class T>
spatial::Vec3T<T> velocity_at(const FrameMotion<T>& f, const spatial::Vec3T<T>& p_W) {
  return f.v + f.omega.cross(spatial::Vec3T<T>(p_W - f.p_WF));
}

/// Relative motion at the point of contact, of A over B.
template <class T>
struct ContactKinematics {
  geometry::Witness<T> witness;
  spatial::Vec3T<T> velocity;  ///< of A relative to B at the point
  T approach;                  ///< m/s, positive while the gap closes

  ContactKinematics(const geometry::Witness<T>& w, const FrameMotion<T>& a, const FrameMotion<T>& b)
      : witness(w),
        velocity(velocity_at(a, w.point_W) - velocity_at(b, w.point_W)),
        approach(-w.normal_W.dot(velocity)) {}
  ContactKinematics(const geometry::TouchQuery& query, const FrameMotion<T>& a,
                    const FrameMotion<T>& b)
      : ContactKinematics(query(place_of(a), place_of(b)), a, b) {}
};

/// How much stiffer the site is at the present point of contact than where its normal law was made,
/// ratio = k/k_0 after Hertz, and how that changes:  d ln ratio/dt.
template <class T>
struct Stiffening {
  T ratio;
  geometry::RateForm<T> log_rate;

  /// `rest`: k_0/E*.
  Stiffening(const geometry::GapShape& shape, double rest, const ContactKinematics<T>& m,
             const FrameMotion<T>& a, const FrameMotion<T>& b) {
    const contact::HertzPatch<T> patch = contact::hertz_patch<T>(
        shape.curvature(place_of(a), place_of(b), m.witness), m.witness.normal_W);
    ratio = patch.stiffness / T(rest);
    log_rate = shape.rate(place_of(a), place_of(b), m.witness, patch.spread);
    log_rate.force_W *= T(-0.25);
    log_rate.torque_W *= T(-0.25);
  }
};

/// Force of a site on A.
template <class T>
struct SiteForce {
  contact::NormalForce<T> normal{};
  spatial::Vec3T<T> friction_W = spatial::Vec3T<T>::Zero();
  spatial::Vec3T<T> slip_W = spatial::Vec3T<T>::Zero();
  T stick{0};
  T relaxing_power{0};  ///< W, what giving depth back puts into the spring
  /// Where stiffness changes along the surface, the energy falls that way too: -U d ln ratio, at
  /// the point.
  geometry::RateForm<T> drift_W;

  SiteForce() = default;
  /// The shapes overlap. `latched`: what the normal law remembers; `state` and `state_rate`: the
  /// friction law's.
  SiteForce(const ContactKinematics<T>& m, const contact::NormalLaw& law,
            const contact::FrictionLaw& friction, const spatial::Mat3T<T>& R_WB, double latched,
            const Relaxation& relaxation, const std::optional<Stiffening<T>>& stiffening,
            std::span<const T> state, std::span<T> state_rate)
      : slip_W(m.velocity + m.approach * m.witness.normal_W) {
    const T depth = -m.witness.gap - T(relaxation.held);
    if (!(depth > T(0))) return;  // above where it was found: no elastic force
    normal = law(contact::Penetration<T>{depth, m.approach, latched});
    if (stiffening) {
      normal.force *= stiffening->ratio;
      normal.elastic *= stiffening->ratio;
      normal.energy *= stiffening->ratio;
      drift_W.force_W = -normal.energy * stiffening->log_rate.force_W;
      drift_W.torque_W = -normal.energy * stiffening->log_rate.torque_W;
    }
    relaxing_power = normal.elastic * T(relaxation.rate);
    const contact::FrictionForce<T> tangential =
        friction(contact::Sliding<T>{normal.force, R_WB.transpose() * m.witness.normal_W,
                                     R_WB.transpose() * slip_W, state, state_rate});
    friction_W = R_WB * tangential.on_A_B;
    stick = tangential.stick;
  }

  spatial::Vec3T<T> total_W(const ContactKinematics<T>& m) const {
    return normal.force * m.witness.normal_W + friction_W + drift_W.force_W;
  }
  T damping_power(const ContactKinematics<T>& m) const {
    return (normal.elastic - normal.force) * m.approach;
  }
  T friction_power() const { return friction_W.dot(slip_W); }

  /// Adds the force to the links of A and B, and its energy to the ledger.
  void act(const ContactKinematics<T>& m, int link_a, int link_b, element::Evaluation<T>& e) const {
    const spatial::Vec3T<T> on_A = total_W(m), &torque = drift_W.torque_W;
    e.add_wrench(link_a, m.witness.point_W, on_A, torque);
    e.add_wrench(link_b, m.witness.point_W, spatial::Vec3T<T>(-on_A), spatial::Vec3T<T>(-torque));
    e.energies.store(element::Stored::kContact, normal.energy);
    e.energies.add_power(element::Supply::kDamping, damping_power(m));
    e.energies.add_power(element::Supply::kFriction, friction_power());
    e.energies.add_power(element::Supply::kExternal, relaxing_power);
  }
};

}  // namespace grapple::contact
