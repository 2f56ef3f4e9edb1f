#include "grapple/analysis/loop_poles.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "grapple/control/linear/eigenvalues.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;

constexpr double kNeutral = 1e-7;
// Smaller |z| are rounding beside the others: such motions are gone within a period.
constexpr double kGone = 1e-10;

// States that a row or column with nothing but the diagonal sets apart: their eigenvalues are
// exact, and chains of them would otherwise blur each other.
struct SetApart {
  struct Alone {
    int state;
    double eigenvalue;
    bool undriven;  // nothing else changes it
  };
  std::vector<int> rest;
  std::vector<Alone> alone;

  explicit SetApart(const MatX& M) : rest(static_cast<std::size_t>(M.rows())) {
    std::iota(rest.begin(), rest.end(), 0);
    for (bool found = true; found;) {
      found = false;
      for (std::size_t k = 0; k < rest.size() && !found; ++k) {
        const int i = rest[k];
        const auto empty = [&](auto entry) {
          return std::ranges::all_of(rest, [&](int j) { return j == i || entry(j) == 0.0; });
        };
        const bool undriven = empty([&](int j) { return M(i, j); });
        if (!undriven && !empty([&](int j) { return M(j, i); })) continue;
        alone.push_back({i, M(i, i), undriven});
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
        found = true;
      }
    }
  }
};

LoopPole pole_of(std::complex<double> z, double period) {
  LoopPole pole{z, std::log(z) / period, 0.0, 1.0};
  const double size = std::abs(pole.s);
  pole.frequency_hz = size / (2.0 * std::numbers::pi);
  pole.damping_ratio = size > 0.0 ? -pole.s.real() / size : 0.0;
  return pole;
}

}  // namespace

LoopPoles loop_poles(const LiftedLoop& loop) {
  const SetApart apart(loop.M);
  LoopPoles found;
  std::vector<std::complex<double>> values = control::eigenvalues(loop.M(apart.rest, apart.rest));
  for (const SetApart::Alone& one : apart.alone) {
    // A number of a controller that nothing drives (a count, a source of noise, a gain of 0), or
    // that drives nothing and stays.
    const bool outside = one.undriven ? one.eigenvalue != 0.0 : one.eigenvalue == 1.0;
    if (one.state >= loop.continuous && outside) {
      ++found.idle;
    } else {
      values.emplace_back(one.eigenvalue);
    }
  }
  std::ranges::stable_sort(values, [](auto a, auto b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
  });
  for (const std::complex<double>& z : values) {
    found.largest = std::max(found.largest, std::abs(z));
    if (std::abs(z) < kGone) {
      ++found.at_zero;
    } else {
      found.poles.push_back(pole_of(z, loop.period));
    }
  }
  using Verdict = LoopPoles::Verdict;
  found.verdict = found.largest > 1.0 + kNeutral   ? Verdict::kUnstable
                  : found.largest < 1.0 - kNeutral ? Verdict::kStable
                                                   : Verdict::kNeutral;
  return found;
}

const char* verdict_name(LoopPoles::Verdict verdict) {
  switch (verdict) {
    case LoopPoles::Verdict::kStable:
      return "stable";
    case LoopPoles::Verdict::kNeutral:
      return "neutral";
    case LoopPoles::Verdict::kUnstable:
      break;
  }
  return "unstable";
}

}  // namespace grapple::analysis
