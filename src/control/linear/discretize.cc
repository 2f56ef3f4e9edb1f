#include "grapple/control/linear/discretize.h"

#include <fmt/format.h>

#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "grapple/base/error.h"
#include "grapple/control/linear/internal/given.h"
#include "grapple/control/linear/lqr.h"

namespace grapple::control {

namespace {

constexpr const char* kDiscretisation = "discretisation";

void require_time(const char* name, double seconds) {
  if (std::isfinite(seconds) && seconds >= 0.0) return;
  throw Error(
      "GR-980", kDiscretisation,
      fmt::format("the {} is {:.6g} s, but must be finite and not negative", name, seconds));
}

// [A B; 0 0]: the input as states that hold.
MatX with_held_input(const MatX& A, const MatX& B) {
  const Eigen::Index n = A.rows(), m = B.cols();
  MatX F = MatX::Zero(n + m, n + m);
  F.topLeftCorner(n, n) = A;
  F.topRightCorner(n, m) = B;
  return F;
}

}  // namespace

DiscreteModel zero_order_hold(const MatX& A, const MatX& B, double period) {
  require_square(kDiscretisation, "A", A);
  require_size(kDiscretisation, "B", B, A.rows(), B.cols());
  require_time("period", period);
  const Eigen::Index n = A.rows();
  const MatX flow = (with_held_input(A, B) * period).exp();
  return {flow.topLeftCorner(n, n), flow.topRightCorner(n, B.cols())};
}

DelayedModel zero_order_hold(const MatX& A, const MatX& B, double period, double delay) {
  require_time("delay", delay);
  if (!(period > 0.0)) require_time("period", -1.0);
  const double ratio = delay / period, nearest = std::round(ratio);
  // A delay that is whole but for rounding is whole.
  const bool whole = std::abs(ratio - nearest) < 1e-9 * std::max(1.0, nearest);
  const double samples = whole ? nearest : std::ceil(ratio);
  constexpr double kMost = 1e4;
  if (samples > kMost) {
    throw Error(
        "GR-980", kDiscretisation,
        fmt::format("the delay is {:.6g} periods, at most {:.0f} are allowed", ratio, kMost));
  }
  const double part = whole ? 0.0 : (samples - ratio) * period;  // f T
  const DiscreteModel all = zero_order_hold(A, B, period), last = zero_order_hold(A, B, part);
  return {all.A, all.B - last.B, last.B, static_cast<int>(samples)};
}

DiscreteModel with_inputs_on_their_way(const DelayedModel& delayed) {
  const Eigen::Index n = delayed.A.rows(), m = delayed.late.cols(), d = delayed.samples;
  if (d == 0) return {delayed.A, delayed.late + delayed.early};
  DiscreteModel whole{MatX::Zero(n + d * m, n + d * m), MatX::Zero(n + d * m, m)};
  whole.A.topLeftCorner(n, n) = delayed.A;
  whole.A.block(0, n + (d - 1) * m, n, m) = delayed.late;
  if (d >= 2) {
    whole.A.block(0, n + (d - 2) * m, n, m) += delayed.early;
  } else {
    whole.B.topRows(n) = delayed.early;
  }
  whole.B.middleRows(n, m).setIdentity();
  for (Eigen::Index k = 1; k < d; ++k) {
    whole.A.block(n + k * m, n + (k - 1) * m, m, m).setIdentity();
  }
  return whole;
}

SampledCost sampled_cost(const MatX& A, const MatX& B, const Weights& weights, double period) {
  const Eigen::Index n = A.rows(), m = B.cols();
  require_square(kDiscretisation, "A", A);
  require_size(kDiscretisation, "B", B, n, m);
  require_size(kDiscretisation, "Q", weights.Q, n, n);
  require_size(kDiscretisation, "R", weights.R, m, m);
  if (weights.N.size() != 0) require_size(kDiscretisation, "N", weights.N, n, m);
  require_time("period", period);
  const MatX F = with_held_input(A, B);
  MatX cost = MatX::Zero(n + m, n + m);
  cost.topLeftCorner(n, n) = weights.Q;
  cost.bottomRightCorner(m, m) = weights.R;
  if (weights.N.size() != 0) {
    cost.topRightCorner(n, m) = weights.N;
    cost.bottomLeftCorner(m, n) = weights.N.transpose();
  }
  const double norm = (F * period).cwiseAbs().colwise().sum().maxCoeff();
  if (!std::isfinite(norm)) {
    throw Error("GR-980", kDiscretisation, "A or B times the period is not finite");
  }
  const int halvings = std::max(0, static_cast<int>(std::ceil(std::log2(std::max(norm, 1e-30)))));
  const double part = std::ldexp(period, -halvings);
  // exp([-F^T C; 0 F] h) = [ .  G; 0 Phi ],  integral = Phi^T G.
  MatX both = MatX::Zero(2 * (n + m), 2 * (n + m));
  both.topLeftCorner(n + m, n + m) = -F.transpose();
  both.topRightCorner(n + m, n + m) = cost;
  both.bottomRightCorner(n + m, n + m) = F;
  const MatX flow = (both * part).exp();
  MatX phi = flow.bottomRightCorner(n + m, n + m);
  MatX sum = phi.transpose() * flow.topRightCorner(n + m, n + m);
  for (int k = 0; k < halvings; ++k) {
    sum += (phi.transpose() * sum * phi).eval();
    phi = (phi * phi).eval();
  }
  sum = (0.5 * (sum + sum.transpose())).eval();
  return {{phi.topLeftCorner(n, n), phi.topRightCorner(n, m)},
          {sum.topLeftCorner(n, n), sum.bottomRightCorner(m, m), sum.topRightCorner(n, m)}};
}

RiccatiSolution sampled_lqr(const MatX& A, const MatX& B, const Weights& weights, double period) {
  const SampledCost sampled = sampled_cost(A, B, weights, period);
  return dlqr(sampled.model.A, sampled.model.B, sampled.weights);
}

}  // namespace grapple::control
