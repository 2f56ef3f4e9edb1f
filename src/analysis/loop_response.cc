#include "grapple/analysis/loop_response.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/assert.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;
using spatial::VecX;
using std::numbers::pi;

bool is_stable_with(const HybridModel& model, const LoopChange& change) {
  return loop_poles(closed_loop(model, change)).verdict != LoopPoles::Verdict::kUnstable;
}

// The first change at which the loop stops being stable, between `begin` (stable) and `end`, found
// in `steps` steps and then halved; with(value) makes the change, at(part) the value.
template <class With, class At>
std::optional<double> first_loss(const HybridModel& model, const With& with, const At& at) {
  constexpr int kSteps = 60, kHalvings = 45;
  for (int k = 1; k <= kSteps; ++k) {
    const double part = static_cast<double>(k) / kSteps;
    if (is_stable_with(model, with(at(part)))) continue;
    double stable = static_cast<double>(k - 1) / kSteps, unstable = part;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (stable + unstable);
      (is_stable_with(model, with(at(middle))) ? stable : unstable) = middle;
    }
    return at(0.5 * (stable + unstable));
  }
  return std::nullopt;
}

}  // namespace

std::complex<double> transfer_function(const LiftedLoop& loop, int output, double omega) {
  const Eigen::Index n = loop.M.rows();
  GRAPPLE_ASSERT(output >= 0 && output < loop.outputs && loop.B.cols() == loop.moments);
  Eigen::VectorXcd in(loop.moments);
  for (int k = 0; k < loop.moments; ++k) in[k] = std::polar(1.0, omega * k * loop.step());
  const std::complex<double> z = std::polar(1.0, omega * loop.period);
  const Eigen::MatrixXcd pencil = z * Eigen::MatrixXcd::Identity(n, n) - loop.M;
  const Eigen::VectorXcd state = pencil.partialPivLu().solve(loop.B * in);
  const Eigen::VectorXcd out = loop.C * state + loop.D * in;
  std::complex<double> sum = 0.0;
  for (int j = 0; j < loop.moments; ++j) {
    sum += std::polar(1.0, -omega * j * loop.step()) * out[j * loop.outputs + output];
  }
  return sum / static_cast<double>(loop.moments);
}

std::vector<double> response_frequencies(const LiftedLoop& loop, double low, double high,
                                         int count) {
  const double highest = pi / loop.step();
  std::vector<std::complex<double>> resonances;
  double slowest = highest;
  for (const LoopPole& pole : loop_poles(loop).poles) {
    resonances.push_back(pole.s);
    const double size = std::abs(pole.s);
    if (size > 1e-6 * highest) slowest = std::min(slowest, size);
  }
  const double top = high > 0.0 ? std::min(high, highest) : highest;
  const double bottom = low > 0.0 ? low : std::min(0.05 * slowest, 0.01 * top);
  return control::frequency_grid(std::min(bottom, top), top, count, resonances);
}

LoopMargins loop_margins(const HybridModel& model, const LoopBreak& at,
                         const std::vector<double>& omegas) {
  const LiftedLoop open = broken_loop(model, at);
  LoopMargins found;
  found.closed = loop_poles(closed_loop(model)).verdict;
  found.by_frequency =
      control::margins([&](double omega) { return -transfer_function(open, 0, omega); }, omegas);
  if (found.closed == LoopPoles::Verdict::kUnstable) return found;
  constexpr double kBeyond = 3.0;  // how far past what the frequencies say is searched
  const control::Margins& seen = found.by_frequency;
  const auto gain = [&](double factor) { return LoopChange{at.block, factor, 0.0}; };
  const double most = std::isfinite(seen.gain_up) ? kBeyond * seen.gain_up : 100.0;
  found.gain_up = first_loss(model, gain, [&](double part) { return std::pow(most, part); });
  if (seen.gain_down > 0.0) {
    const double least = seen.gain_down / kBeyond;
    found.gain_down = first_loss(model, gain, [&](double part) { return std::pow(least, part); });
  }
  if (std::isfinite(seen.delay)) {
    found.delay = first_loss(
        model,
        [&](double seconds) {
          return LoopChange{at.block, 1.0, seconds};
        },
        [&](double part) { return kBeyond * seen.delay * part; });
  }
  return found;
}

MatX loop_step_response(const LiftedLoop& loop, int moments) {
  GRAPPLE_ASSERT(loop.B.cols() == loop.moments && moments >= 0);
  MatX y(moments, loop.outputs);
  VecX s = VecX::Zero(loop.M.rows());
  const VecX ones = VecX::Ones(loop.moments);
  for (int k = 0; k < moments;) {
    const VecX out = loop.C * s + loop.D * ones;
    for (int j = 0; j < loop.moments && k < moments; ++j, ++k) {
      y.row(k) = out.segment(j * loop.outputs, loop.outputs).transpose();
    }
    s = (loop.M * s + loop.B * ones).eval();
  }
  return y;
}

}  // namespace grapple::analysis
