#include "grapple/control/shaping/input_shaper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "grapple/base/assert.h"

namespace grapple::control {

namespace {

class ShapedReference final : public JointReference {
 public:
  ShapedReference(std::shared_ptr<const JointReference> reference, Shaper shaper)
      : reference_(std::move(reference)), shaper_(std::move(shaper)) {
    GRAPPLE_ASSERT(reference_->size() <= kMostShapedJoints);
  }

  int size() const override { return reference_->size(); }

  void at(double t, std::span<Jet> wanted) const override {
    std::array<Jet, kMostShapedJoints> part;
    const std::span<Jet> own(part.data(), wanted.size());
    std::fill(wanted.begin(), wanted.end(), Jet{0.0, 0.0, 0.0});
    for (const Impulse& impulse : shaper_) {
      const double time = t - impulse.time;
      reference_->at(std::max(time, 0.0), own);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        wanted[k].value += impulse.part * own[k].value;
        if (time < 0.0) continue;  // at rest
        wanted[k].rate += impulse.part * own[k].rate;
        wanted[k].acceleration += impulse.part * own[k].acceleration;
      }
    }
  }

  std::vector<double> breakpoints(double begin, double end) const override {
    std::vector<double> times;
    for (const Impulse& impulse : shaper_) {
      times.push_back(impulse.time);
      for (const double t : reference_->breakpoints(begin - impulse.time, end - impulse.time)) {
        times.push_back(t + impulse.time);
      }
    }
    std::erase_if(times, [&](double t) { return t < begin || t > end; });
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

 private:
  std::shared_ptr<const JointReference> reference_;
  Shaper shaper_;
};

}  // namespace

Shaper make_shaper(ShaperKind kind, double omega, double damping, double tolerance) {
  GRAPPLE_ASSERT(omega > 0.0 && damping >= 0.0 && damping < 1.0);
  using std::numbers::pi;
  const double root = std::sqrt(1.0 - damping * damping);
  const double K = std::exp(-damping * pi / root), half = pi / (omega * root);
  Shaper shaper;
  switch (kind) {
    case ShaperKind::kZeroVibration:
      shaper = {{0.0, 1.0}, {half, K}};
      break;
    case ShaperKind::kZeroVibrationDerivative:
      shaper = {{0.0, 1.0}, {half, 2.0 * K}, {2.0 * half, K * K}};
      break;
    case ShaperKind::kExtraInsensitive:
      shaper = {{0.0, 1.0 + tolerance},
                {half, 2.0 * (1.0 - tolerance) * K},
                {2.0 * half, (1.0 + tolerance) * K * K}};
      break;
  }
  double sum = 0.0;
  for (const Impulse& impulse : shaper) sum += impulse.part;
  for (Impulse& impulse : shaper) impulse.part /= sum;
  return shaper;
}

Shaper convolved(const Shaper& a, const Shaper& b) {
  Shaper all;
  for (const Impulse& one : a) {
    for (const Impulse& other : b) {
      all.push_back({one.time + other.time, one.part * other.part});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Impulse& x, const Impulse& y) { return x.time < y.time; });
  return all;
}

double residual_vibration(const Shaper& shaper, double omega, double damping) {
  const double damped = omega * std::sqrt(1.0 - damping * damping);
  std::complex<double> sum = 0.0;
  for (const Impulse& impulse : shaper) {
    const double before = impulse.time - shaper.back().time;  // it decays until the last
    sum += impulse.part * std::exp(std::complex<double>(damping * omega, damped) * before);
  }
  return std::abs(sum);
}

std::shared_ptr<const JointReference> make_shaped_reference(
    std::shared_ptr<const JointReference> reference, Shaper shaper) {
  return std::make_shared<ShapedReference>(std::move(reference), std::move(shaper));
}

}  // namespace grapple::control
