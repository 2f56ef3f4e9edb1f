#include "grapple/contact/restitution.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/bracketed_root.h"

namespace grapple::contact {

namespace {

// log of the equation, written so that small d keeps its digits. As a function of d it is zero at
// 0, then negative, then grows without bound as d -> 1/e.
double mismatch(double d, double e) { return std::log1p(d) - std::log1p(-e * d) - d * (1.0 + e); }

double exact_number(double e) {
  if (e == 1.0) return 0.0;
  // The root of the series, d = 3/2 (1 - e^2)/(1 + e^3), lies below the true one.
  const double low = 1.5 * (1.0 - e * e) / (1.0 + e * e * e) * 0.5;
  return bracket_change([e](double d) { return mismatch(d, e) < 0.0; }, low, 1.0 / e).a;
}

}  // namespace

double damping_number(DampingRule rule, double e) {
  GRAPPLE_ASSERT(e >= kLeastRestitution && e <= 1.0);
  switch (rule) {
    case DampingRule::kExact:
      return exact_number(e);
    case DampingRule::kHuntCrossley:
      return 1.5 * (1.0 - e);
    case DampingRule::kLankaraniNikravesh:
      return 0.75 * (1.0 - e * e);
    case DampingRule::kFlores:
      return 1.6 * (1.0 - e) / e;
  }
  return 0.0;
}

double restitution_obtained(double d) {
  GRAPPLE_ASSERT(d >= 0.0);
  if (d == 0.0) return 1.0;
  // In e the mismatch grows: -log(1 - e d) gains more than d e loses.
  const double high = std::min(1.0, 1.0 / d);
  return bracket_change([d](double e) { return mismatch(d, e) < 0.0; }, 0.0, high).a;
}

double restitution_at(const Restitution& restitution, double impact_speed) {
  return std::clamp(restitution.at_rest - restitution.slope * impact_speed, kLeastRestitution, 1.0);
}

double damping_factor(DampingRule rule, const Restitution& restitution, double slow_impact,
                      double impact_speed) {
  return damping_number(rule, restitution_at(restitution, impact_speed)) /
         std::max(impact_speed, slow_impact);
}

}  // namespace grapple::contact
