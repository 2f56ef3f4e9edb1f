// Margins of a loop with the transfer function L(i omega), closed by negative feedback: 1 + L = 0
// is the boundary of stability. At a phase crossover (L real and negative) the gain may change by
// the factor 1/|L|; at a gain crossover (|L| = 1) the phase may lag by its distance from -180 deg
// more, which an extra delay of phase / omega does. They are margins of stability if the closed
// loop is stable.
#pragma once

#include <complex>
#include <functional>
#include <limits>
#include <vector>

namespace grapple::control {

struct Crossover {
  double omega = 0.0;  ///< rad/s
  double value = 0.0;  ///< factor of the gain, or phase margin in rad, in -pi ... pi
};

struct Margins {
  std::vector<Crossover> phase_crossovers;  ///< value: 1/|L|
  std::vector<Crossover> gain_crossovers;   ///< value: arg L + pi
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double gain_up = kNone;      ///< smallest factor above 1
  double gain_down = 0.0;      ///< largest factor below 1; 0: none
  double phase = kNone;        ///< rad, of the smallest size; infinite: |L| is nowhere 1
  double delay = kNone;        ///< s, the smallest (phase, or 2 pi + a negative one) / omega
  double delay_omega = 0.0;    ///< rad/s, where
  double largest_sensitivity;  ///< max |1 / (1 + L)|, on the grid
};

/// omegas: rising, rad/s, > 0, close enough to follow L; crossovers between two of them are
/// refined.
Margins margins(const std::function<std::complex<double>(double)>& loop,
                const std::vector<double>& omegas);

/// `count` frequencies from low to high with equal ratios, and others densely around `resonances`
/// (poles s, rad/s).
std::vector<double> frequency_grid(double low, double high, int count,
                                   const std::vector<std::complex<double>>& resonances = {});

}  // namespace grapple::control
