// Which moments of a run count as one: the driver ends steps at samples, breakpoints and outputs,
// and whoever is due there must agree with it on what "now" is.
#pragma once

#include <algorithm>
#include <cmath>

namespace grapple {

/// Times closer to t [s] than this are t: some hundred units in its last place.
inline double time_resolution(double t) { return 1e-13 * std::max(std::abs(t), 1e-3); }

/// Whether something planned for `time` is to be done at t.
inline bool is_due(double time, double t) { return time <= t + time_resolution(t); }

}  // namespace grapple
