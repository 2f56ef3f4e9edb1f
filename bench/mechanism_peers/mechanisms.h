// Three problems of the IFToMM library (pendulum, squeezer, Bricard mechanism), each solved by an
// engine of its own kind.
#pragma once

#include <string>

namespace grapple::bench {

enum class Problem { kPendulum, kSqueezer, kBricard };

struct Solution {
  double seconds = 0.0;  ///< stepping alone, best of three
  /// What the library judges: energy drift [J]; x, y of F at 0.05 s [m]; the point at 1 s [m].
  double result[3] = {};
};

/// With the scenario's default tolerance, or one given.
Solution solve_in_grapple(Problem problem, const std::string& tolerance);
/// Runge, Kutta and Merson at the given accuracy.
Solution solve_in_simbody(Problem problem, double accuracy);

}  // namespace grapple::bench
