#include "grapple/orbit/kepler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace grapple::orbit {
namespace {

// E - e sin E in more digits than doubles have.
long double mean_of(long double E, long double e) { return E - e * std::sin(E); }

TEST(Kepler, EquationIsSolvedToRoundOff) {
  for (const double e : {0.0, 1e-9, 0.01, 0.3, 0.7, 0.9, 0.99, 0.9999, 0.9999999}) {
    for (int k = -400; k <= 400; ++k) {
      const double M = 0.01 * k;
      const double E = eccentric_anomaly(M, e);
      // A rounding of E moves M by eps |E| (1 - e cos E); one of M itself by eps |M|.
      const auto slope = 1.0L - static_cast<long double>(e) * std::cos(static_cast<long double>(E));
      const double allowed =
          4e-16 * (std::abs(E) * static_cast<double>(slope) + std::abs(M)) + 1e-300;
      EXPECT_NEAR(static_cast<double>(mean_of(E, e) - static_cast<long double>(M)), 0.0, allowed)
          << "M " << M << " e " << e;
    }
  }
}

TEST(Kepler, WholeTurnsAreKept) {
  const double turn = 2.0 * std::numbers::pi;
  EXPECT_NEAR(eccentric_anomaly(1.0 + 5.0 * turn, 0.3), eccentric_anomaly(1.0, 0.3) + 5.0 * turn,
              2e-14);
  EXPECT_NEAR(mean_anomaly(-2.0 - 3.0 * turn, 0.3), mean_anomaly(-2.0, 0.3) - 3.0 * turn, 2e-14);
}

TEST(Kepler, MeanAnomalyOfTrueAnomalyIsTheInverse) {
  for (const double e : {0.0, 0.2, 0.8, 0.99}) {
    for (double f = -3.1; f < 3.1; f += 0.1) {
      const double E = eccentric_anomaly(mean_anomaly(f, e), e);
      const double back = 2.0 * std::atan2(std::sqrt(1.0 + e) * std::sin(0.5 * E),
                                           std::sqrt(1.0 - e) * std::cos(0.5 * E));
      // Near apogee of e = 0.99 an error of E grows tenfold in f.
      EXPECT_NEAR(back, f, 2e-14) << "e " << e;
    }
  }
}

}  // namespace
}  // namespace grapple::orbit
