// The poles of a sampled loop: the eigenvalues z of the map M over one period H (sampled_loop.h). A
// disturbance changes by the factor z in H.
#pragma once

#include <complex>
#include <vector>

#include "grapple/analysis/sampled_loop.h"

namespace grapple::analysis {

struct LoopPole {
  std::complex<double> z;  ///< per period H
  std::complex<double> s;  ///< ln(z) / H, 1/s; -infinity for z = 0
  double frequency_hz = 0.0;
  double damping_ratio = 0.0;  ///< -Re s / |s|
};
struct LoopPoles {
  std::vector<LoopPole> poles;  ///< largest |z| first; without those at 0
  int at_zero = 0;              ///< |z| below 1e-10: gone within a period
  int idle = 0;                 ///< memories that nothing changes, or that act on nothing
  double largest = 0.0;         ///< largest |z|
  enum class Verdict { kStable, kNeutral, kUnstable } verdict = Verdict::kStable;
};
/// Neutral: the largest |z| is 1 within 1e-7.
LoopPoles loop_poles(const LiftedLoop& loop);
const char* verdict_name(LoopPoles::Verdict verdict);

}  // namespace grapple::analysis
