// What the tests of this module share: systems in orbit, run to a time.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include "grapple/orbit/orbit_gravity.h"
#include "grapple/orbit/orbit_observer.h"
#include "grapple/run/session.h"
#include "system/support.h"

namespace grapple::orbit::testing {

using namespace system::testing;  // NOLINT: the tests of systems and these share their words
using system::Snapshot;
using system::System;

inline constexpr double kDegree = std::numbers::pi / 180.0;

/// 400 km as the source has it (Chen 1999, section 4.1).
inline Planet chen_earth() { return {.mu = 3.986e14, .radius = 6.378e6}; }
inline ReferenceOrbit circular(double altitude = 400e3) {
  return {{.semi_major_axis = 6.378e6 + altitude}, chen_earth(), Oblateness::kNone};
}

/// Free bodies with an element for the orbit and one that shows each body, "orbit/NAME".
inline system::System in_orbit(Model model, const ReferenceOrbit& orbit, const VecX& q,
                               const VecX& v, FieldUse field = FieldUse::kFull) {
  system::SystemParts parts;
  parts.elements.push_back(make_orbit_gravity("orbit", orbit, {.field = field}));
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    parts.elements.push_back(
        make_orbit_observer("orbit/" + model.bodies()[b].name, orbit, static_cast<int>(b)));
  }
  parts.model = std::move(model);
  parts.q = q;
  parts.v = v;
  return system::System(std::move(parts));
}

inline run::Plan tight(double duration, double tolerance = 1e-12) {
  run::Plan plan;
  plan.duration = duration;
  plan.integrator.method = integrate::Method::kDormandPrince;
  plan.integrator.relative_tolerance = tolerance;
  plan.integrator.absolute_tolerance = 1e-2 * tolerance;
  return plan;
}

/// x at the end of a run.
inline VecX run_to(system::System& system, double duration, double tolerance = 1e-12) {
  const run::Plan plan = tight(duration, tolerance);
  run::Session session(system, plan);
  session.start();
  session.advance_to(duration);
  const std::span<const double> x = session.state();
  return Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// One free body at the reference point.
inline Model free_body(double mass, const Vec3& moments) {
  ModelBuilder builder;
  builder.add_body("craft", lump(mass, Vec3::Zero(), moments));
  return builder.build();
}

/// q and v of free bodies: poses, velocities in world axes, angular velocities in body axes.
struct FreeState {
  VecX q, v;
  explicit FreeState(int bodies) : q(VecX::Zero(7 * bodies)), v(VecX::Zero(6 * bodies)) {
    for (int b = 0; b < bodies; ++b) q[7 * b + 3] = 1.0;
  }
};

}  // namespace grapple::orbit::testing
