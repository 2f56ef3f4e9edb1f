#include "grapple/constraint/cross_check.h"

namespace grapple::constraint {

namespace {

using spatial::MatX;
using spatial::VecX;

class Baumgarte final : public CrossCheck {
 public:
  explicit Baumgarte(double s) : s_(s) {}

  int solve(const ConstraintEquations& at, VecX& vdot, VecX& lambda) const override {
    const VecX b = at.b + 2.0 * s_ * at.rate + s_ * s_ * at.value;
    return solve_augmented(at.M, at.A, at.f, b, vdot, lambda);
  }

  VecX correction(const MatX& /*M*/, const MatX& /*A*/, const VecX& /*gap*/) const override {
    return {};
  }

 private:
  double s_;  ///< 1/s
};

}  // namespace

std::unique_ptr<CrossCheck> make_baumgarte(double s_per_second) {
  return std::make_unique<Baumgarte>(s_per_second);
}

}  // namespace grapple::constraint
