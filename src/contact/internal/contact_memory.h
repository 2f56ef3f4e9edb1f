// What a contact latches between steps, of every site or patch: whether it touches, the speed and
// damping of its impact, and the depth or volume in which it was found.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace grapple::contact {

/// Places in the memory of one site or patch.
enum Memory : std::size_t { kTouching, kImpactSpeed, kLatched, kFound, kSince, kMemoryCount };

inline bool is_touching(std::span<const double> own) { return own[kTouching] != 0.0; }

inline void latch_release(std::span<double> own) { std::fill(own.begin(), own.end(), 0.0); }

/// `damping`: what the normal law latches at that approach speed [m/s].
inline void latch_impact(double impact_speed, double damping, std::span<double> own) {
  own[kTouching] = 1.0;
  own[kImpactSpeed] = impact_speed;
  own[kLatched] = damping;
}

/// The depth [m] or volume [m^3] that relaxation gives back from time t on; 0: none.
inline void latch_found(double found, double t, std::span<double> own) {
  own[kFound] = std::max(0.0, found);
  own[kSince] = found > 0.0 ? t : 0.0;
}

/// Numerical constraint relaxation (Gonthier 2007, 3.4): the depth or volume in which a contact was
/// found is not counted at first and given back with a time constant,
///   d_r = d - d_0 exp(-(t - t_0)/tau).
struct Relaxation {
  double held = 0.0;  ///< m or m^3, not counted now
  double rate = 0.0;  ///< per s, at which it is given back

  Relaxation() = default;
  Relaxation(double found, double since, double time_constant)
      : held(found > 0.0 ? found * std::exp(-since / time_constant) : 0.0),
        rate(held > 0.0 ? held / time_constant : 0.0) {}
};
inline Relaxation relaxation_at(double t, double time_constant, std::span<const double> own) {
  return {own[kFound], t - own[kSince], time_constant};
}

/// How far a located touch may lie from gap 0: the time of an event is known to some 1e-14, a
/// position to its rounding. `distance`: of the point from the origin, m.
inline double event_slack(double t, double approach, double distance) {
  return 1e-13 * std::max(1.0, std::abs(t)) * approach + 1e-15 * distance;
}

}  // namespace grapple::contact
