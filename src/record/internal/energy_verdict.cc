#include "grapple/record/internal/energy_verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace grapple::record {

namespace {

std::string advice(const integrate::IntegratorOptions& options) {
  if (integrate::has_fixed_step(options)) {
    return fmt::format(
        "take a step well below {:g} s, or an integrator with error control, and compare",
        options.step);
  }
  return fmt::format("tighten the tolerance of {:g} or set max_step, and compare",
                     options.relative_tolerance);
}

}  // namespace

EnergyVerdict judge(const EnergyLedger& ledger, const integrate::IntegratorOptions& options) {
  const double off = ledger.largest_relative_residual;
  EnergyVerdict verdict;
  if (off <= kDoubtfulBalance) return verdict;
  verdict.kind =
      off <= kWrongBalance ? EnergyVerdict::Kind::kDoubtful : EnergyVerdict::Kind::kWrong;
  const std::string size = std::isfinite(off)
                               ? fmt::format("by {:.2g} % of the {:.3g} J that were moved",
                                             100.0 * off, ledger.moved_joule)
                               : "by more than a number can say";
  const EnergyLedger::Origin& origin = ledger.origin;
  verdict.text = fmt::format(
      "the energy balance is off {}; most of that arose between {:.4g} s and {:.4g} s, when '{}' "
      "changed most{}; {}",
      size, origin.from, origin.to, origin.account,
      origin.contact.empty() ? "" : fmt::format(" and '{}' pressed hardest", origin.contact),
      advice(options));
  return verdict;
}

}  // namespace grapple::record
