// Whether the energy balance of a finished run can be believed, in absolute terms: a tolerance says
// what was asked for, not what came out.
#pragma once

#include <string>

#include "grapple/integrate/options.h"
#include "grapple/record/summary.h"

namespace grapple::record {

/// Parts of the energy moved.
inline constexpr double kDoubtfulBalance = 1e-3, kWrongBalance = 0.05;

struct EnergyVerdict {
  enum class Kind { kCloses, kDoubtful, kWrong } kind = Kind::kCloses;
  std::string text;  ///< how far off, since when, which part, what to do; empty if it closes
};

/// By the largest residual of the run; one that is not finite is wrong.
EnergyVerdict judge(const EnergyLedger& ledger, const integrate::IntegratorOptions& options);

}  // namespace grapple::record
