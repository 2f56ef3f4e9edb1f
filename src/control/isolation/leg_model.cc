#include "grapple/control/isolation/leg_model.h"

#include "grapple/control/linear/discretize.h"

namespace grapple::control {

LegModel leg_model(double bandwidth, double period) {
  using spatial::MatX;
  const MatX A{{0.0, 1.0}, {0.0, -bandwidth}}, B{{0.0}, {bandwidth}};
  const DiscreteModel held = zero_order_hold(A, B, period);
  // delta'' = -omega theta + omega u at the end of the period.
  return {held.A(0, 1), held.A(1, 1), -bandwidth * held.A(1, 1),
          held.B(0, 0), held.B(1, 0), bandwidth * (1.0 - held.B(1, 0))};
}

}  // namespace grapple::control
