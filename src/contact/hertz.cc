#include "grapple/contact/hertz.h"

#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"
#include "grapple/base/bracketed_root.h"

namespace grapple::contact {

namespace {

// Eccentricity of the patch; the right-hand side grows with e, so that halving finds it.
double eccentricity(double ratio) {
  const auto of = [](double e) {
    const double K = std::comp_ellint_1(e), E = std::comp_ellint_2(e);
    return (E / (1.0 - e * e) - K) / (K - E);
  };
  // Below e = 1e-4 the stiffness is that of a circle: it changes with the fourth power of e.
  constexpr double kLow = 1e-4, kHigh = 1.0 - 1e-15;
  if (of(kLow) >= ratio) return 0.0;
  return bracket_change([&](double e) { return of(e) < ratio; }, kLow, kHigh).a;
}

}  // namespace

double compliance(const Elasticity& material) {
  return (1.0 - material.poisson * material.poisson) / material.young;
}

double effective_modulus(const Elasticity& a, const Elasticity& b) {
  return 1.0 / (compliance(a) + compliance(b));
}

double hertz_stiffness(double effective_modulus_Pa, const geometry::GapCurvature& gap) {
  GRAPPLE_ASSERT(gap.smaller > 0.0 && gap.larger >= gap.smaller && std::isfinite(gap.larger));
  const double e = eccentricity(gap.larger / gap.smaller);
  const double K = std::comp_ellint_1(e), E = std::comp_ellint_2(e);
  const double sum = 0.5 * (gap.larger + gap.smaller);
  return 2.0 * std::numbers::pi / 3.0 * effective_modulus_Pa * std::sqrt(E) /
         (std::sqrt(sum * (1.0 - e * e)) * std::pow(K, 1.5));
}

}  // namespace grapple::contact
