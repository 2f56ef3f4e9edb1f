#include "grapple/analysis/internal/sites_impact.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace grapple::analysis {

namespace {

using spatial::MatX;
using spatial::VecX;

VecX forces(const contact::PowerLaw& law, const VecX& depth) {
  return depth.unaryExpr(
      [&](double d) { return d > 0.0 ? law.stiffness * std::pow(d, law.exponent) : 0.0; });
}

// The highest frequency of the springs as they are now: of K^1/2 W K^1/2, K their tangents.
double frequency(const contact::PowerLaw& law, const MatX& W, const VecX& depth) {
  const VecX root = depth.unaryExpr([&](double d) {
    return d > 0.0 ? std::sqrt(law.exponent * law.stiffness * std::pow(d, law.exponent - 1.0))
                   : 0.0;
  });
  const MatX scaled = root.asDiagonal() * W * root.asDiagonal();
  const VecX values = Eigen::SelfAdjointEigenSolver<MatX>(scaled).eigenvalues();
  return std::sqrt(std::max(0.0, values.maxCoeff()));
}

struct SiteMotion {
  VecX depth, speed;
};

SiteMotion moved(const SiteMotion& from, double h, const contact::PowerLaw& law, const MatX& W) {
  // Classical Runge-Kutta of d' = v, v' = -W f(d).
  const VecX k1 = -W * forces(law, from.depth);
  const VecX v2 = from.speed + 0.5 * h * k1;
  const VecX k2 = -W * forces(law, from.depth + 0.5 * h * from.speed);
  const VecX v3 = from.speed + 0.5 * h * k2;
  const VecX k3 = -W * forces(law, from.depth + 0.5 * h * v2);
  const VecX v4 = from.speed + h * k3;
  const VecX k4 = -W * forces(law, from.depth + h * v3);
  return {from.depth + h / 6.0 * (from.speed + 2.0 * v2 + 2.0 * v3 + v4),
          from.speed + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)};
}

}  // namespace

SitesImpact impact_of_sites(const contact::PowerLaw& law, const MatX& mobility, const VecX& behind,
                            const VecX& speed) {
  const auto n = static_cast<double>(behind.size());
  const double v = speed[0];
  const contact::ImpactEstimate alone = contact::estimate_impact(law, 1.0 / mobility(0, 0), v);
  if (behind.size() == 1) return {alone, 1.0 / mobility(0, 0)};
  // The sum of n sites is at most n times as stiff as one.
  const double h = alone.duration / (200.0 * std::sqrt(n));
  SitesImpact found;
  double energy = 0.0;
  SiteMotion at{-behind, speed};
  VecX deepest = at.depth;
  constexpr int kMostSteps = 20000;
  for (int k = 0; k < kMostSteps; ++k) {
    at = moved(at, h, law, mobility);
    const VecX f = forces(law, at.depth);
    const double stored = f.dot(at.depth) / (law.exponent + 1.0);
    energy = std::max(energy, stored);
    if (f.sum() > found.impact.force) deepest = at.depth;
    found.impact.force = std::max(found.impact.force, f.sum());
    found.impact.depth = std::max(found.impact.depth, at.depth.maxCoeff());
    // Over when nothing touches and nothing else will in the time of one impact.
    const VecX soon = at.depth + alone.duration * at.speed;
    if ((at.depth.array() > 0.0).any() || (soon.array() > 0.0).any()) continue;
    found.impact.duration = h * (k + 1);
    break;
  }
  if (found.impact.duration == 0.0) found.impact.duration = h * kMostSteps;
  found.impact.frequency = frequency(law, mobility, deepest);
  found.reduced_mass = 2.0 * energy / (v * v);
  return found;
}

}  // namespace grapple::analysis
