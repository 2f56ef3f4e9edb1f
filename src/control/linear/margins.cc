#include "grapple/control/linear/margins.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"

namespace grapple::control {

namespace {

using Loop = std::function<std::complex<double>(double)>;

// Bisection: f changes its sign between a and b.
template <class Function>
double sign_change(const Function& f, double a, double b) {
  const bool positive_at_b = f(b) > 0.0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) break;
    ((f(middle) > 0.0) == positive_at_b ? b : a) = middle;
  }
  return 0.5 * (a + b);
}

void note_gain_crossover(const Loop& loop, double a, double b, Margins& found) {
  const double omega = sign_change([&](double w) { return std::abs(loop(w)) - 1.0; }, a, b);
  const double phase = std::arg(-loop(omega));
  found.gain_crossovers.push_back({omega, phase});
  if (std::abs(phase) < std::abs(found.phase)) found.phase = phase;
  const double lag = phase >= 0.0 ? phase : phase + 2.0 * std::numbers::pi;
  if (lag / omega < found.delay) {
    found.delay = lag / omega;
    found.delay_omega = omega;
  }
}

void note_phase_crossover(const Loop& loop, double a, double b, Margins& found) {
  const double omega = sign_change([&](double w) { return loop(w).imag(); }, a, b);
  const std::complex<double> value = loop(omega);
  // Where the phase jumps by 180 deg at a pole, the sign changes through infinity.
  if (!(std::abs(value.imag()) < 1e-3 * std::abs(value)) || value.real() >= 0.0) return;
  const double factor = 1.0 / std::abs(value);
  found.phase_crossovers.push_back({omega, factor});
  if (factor >= 1.0) found.gain_up = std::min(found.gain_up, factor);
  if (factor < 1.0) found.gain_down = std::max(found.gain_down, factor);
}

}  // namespace

Margins margins(const Loop& loop, const std::vector<double>& omegas) {
  Margins found{};
  found.largest_sensitivity = 0.0;
  std::complex<double> before;
  for (std::size_t k = 0; k < omegas.size(); ++k) {
    const std::complex<double> now = loop(omegas[k]);
    const double sensitivity = 1.0 / std::abs(1.0 + now);
    if (std::isfinite(sensitivity)) {
      found.largest_sensitivity = std::max(found.largest_sensitivity, sensitivity);
    }
    if (k > 0) {
      const double a = omegas[k - 1], b = omegas[k];
      if ((std::abs(before) > 1.0) != (std::abs(now) > 1.0)) note_gain_crossover(loop, a, b, found);
      if ((before.imag() > 0.0) != (now.imag() > 0.0)) note_phase_crossover(loop, a, b, found);
    }
    before = now;
  }
  return found;
}

std::vector<double> frequency_grid(double low, double high, int count,
                                   const std::vector<std::complex<double>>& resonances) {
  GRAPPLE_ASSERT(low > 0.0 && high >= low && count >= 1);
  std::vector<double> grid;
  for (int k = 0; k < count; ++k) {
    const double part = count > 1 ? static_cast<double>(k) / (count - 1) : 0.0;
    grid.push_back(k + 1 == count && count > 1 ? high : low * std::pow(high / low, part));
  }
  for (const std::complex<double>& s : resonances) {
    const double width = std::max(std::abs(s.real()), 1e-6 * std::abs(s));
    constexpr int kBeside = 8;
    for (int k = -kBeside; k <= kBeside; ++k) {
      const double away = k == 0 ? 0.0 : std::copysign(std::exp2(std::abs(k) - 5.0), k);
      const double omega = std::abs(s.imag()) + away * width;
      if (omega > low && omega < high) grid.push_back(omega);
    }
  }
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

}  // namespace grapple::control
