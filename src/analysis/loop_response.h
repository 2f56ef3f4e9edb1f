// What a sampled loop answers to: transfer functions at frequencies, margins, step responses.
// At the frequency omega the inputs of one period are a_j = exp(i omega j h) at its moments j h; of
// what comes out, the part of the same frequency counts:
//   G(omega) = 1/r sum_jk exp(-i omega j h) [C (z - M)^-1 B + D]_jk exp(i omega k h),  z = exp(i
//   omega H).
// With one rate (r = 1) that is the transfer function of the discrete loop, exactly; with several
// rates the loop also answers at other frequencies, and margins read from G are approximate. Those
// found by poles are exact for any rates: the gain, or the delay, of the block is changed until a
// pole leaves the unit circle.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "grapple/analysis/loop_poles.h"
#include "grapple/analysis/sampled_loop.h"
#include "grapple/control/linear/margins.h"

namespace grapple::analysis {

/// omega: rad/s, below pi / step() to be meaningful. output: of one moment.
std::complex<double> transfer_function(const LiftedLoop& loop, int output, double omega);

/// Frequencies for it, rad/s, from `low` to `high` (0: chosen from the poles, and the highest that
/// the moments resolve), dense around resonances.
std::vector<double> response_frequencies(const LiftedLoop& loop, double low, double high,
                                         int count);

struct LoopMargins {
  LoopPoles::Verdict closed = LoopPoles::Verdict::kStable;  ///< margins of stability only if stable
  control::Margins by_frequency;  ///< of L = -G, the return ratio with negative feedback
  /// By poles, of all outputs of the block; nothing where none is found.
  std::optional<double> gain_up, gain_down;  ///< factors
  std::optional<double> delay;               ///< s, added
};
LoopMargins loop_margins(const HybridModel& model, const LoopBreak& at,
                         const std::vector<double>& omegas);

/// The answer to a step of size 1 at time 0 from rest: a row per moment from 0 on, a column per
/// output.
spatial::MatX loop_step_response(const LiftedLoop& loop, int moments);

}  // namespace grapple::analysis
