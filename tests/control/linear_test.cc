// Discretisation, pole placement, frequency responses and margins of linear systems.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <unsupported/Eigen/MatrixFunctions>

#include "grapple/base/error.h"
#include "grapple/control/linear/discretize.h"
#include "grapple/control/linear/lqr.h"
#include "grapple/control/linear/margins.h"
#include "grapple/control/linear/pbh.h"
#include "grapple/control/linear/place.h"
#include "grapple/control/linear/state_space.h"

namespace {

using namespace grapple::control;
using Eigen::MatrixXd;
using Complex = std::complex<double>;
using std::numbers::pi;

MatrixXd normal_matrix(std::mt19937& random, int rows, int cols) {
  std::normal_distribution<double> normal;
  MatrixXd m(rows, cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) m(i, j) = normal(random);
  }
  return m;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const grapple::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Discretize, DoubleIntegratorHasItsClosedForm) {
  const double T = 0.01;
  const DiscreteModel d = zero_order_hold(MatrixXd{{0, 1}, {0, 0}}, MatrixXd{{0}, {1}}, T);
  EXPECT_LT((d.A - MatrixXd{{1, T}, {0, 1}}).norm(), 1e-16);
  EXPECT_LT((d.B - MatrixXd{{T * T / 2}, {T}}).norm(), 1e-17);
}

TEST(Discretize, DelayedInputActsForTheRestOfThePeriod) {
  // x'' = u, u(k-1) for the first 0.3 T, u(k) after it; Astrom and Wittenmark 1997, example 2.8.
  const double T = 0.1, tau = 0.03;
  const MatrixXd A{{0, 1}, {0, 0}}, B{{0}, {1}};
  const DelayedModel d = zero_order_hold(A, B, T, tau);
  EXPECT_EQ(d.samples, 1);
  const double rest = T - tau;
  EXPECT_LT((d.early - MatrixXd{{rest * rest / 2}, {rest}}).norm(), 1e-16);
  EXPECT_LT((d.late - MatrixXd{{tau * (T - tau / 2)}, {tau}}).norm(), 1e-16);
}

TEST(Discretize, WholeAndLongDelaysMatchASimulationInFineSteps) {
  std::mt19937 random(7);
  const MatrixXd A = normal_matrix(random, 3, 3), B = normal_matrix(random, 3, 2);
  const double T = 0.2;
  const int fine = 10;                             // steps per period
  for (const int late : {0, 3, 10, 17, 20, 34}) {  // delay in fine steps
    const double delay = T * late / fine;
    const DiscreteModel whole = with_inputs_on_their_way(zero_order_hold(A, B, T, delay));
    const DiscreteModel step = zero_order_hold(A, B, T / fine);
    const MatrixXd inputs = normal_matrix(random, 2, 6);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(whole.A.rows()), y = Eigen::VectorXd::Zero(3);
    for (int k = 0; k < 6; ++k) {
      x = (whole.A * x + whole.B * inputs.col(k)).eval();
      for (int i = 0; i < fine; ++i) {
        const int acting = k * fine + i - late;
        const Eigen::VectorXd u =
            acting < 0 ? Eigen::VectorXd::Zero(2) : Eigen::VectorXd(inputs.col(acting / fine));
        y = (step.A * y + step.B * u).eval();
      }
      EXPECT_LT((x.head(3) - y).norm(), 1e-13 * (1.0 + y.norm())) << "delay " << delay;
    }
  }
}

TEST(SampledCost, EqualsTheIntegralByGaussQuadrature) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    const int n = 2 + static_cast<int>(seed % 4), m = 1 + static_cast<int>(seed % 2);
    const MatrixXd A = 3.0 * normal_matrix(random, n, n), B = normal_matrix(random, n, m);
    const MatrixXd F = normal_matrix(random, n + m, n + m);
    const MatrixXd whole = F.transpose() * F;
    const double T = 0.3;
    const SampledCost found = sampled_cost(
        A, B,
        {whole.topLeftCorner(n, n), whole.bottomRightCorner(m, m), whole.topRightCorner(n, m)}, T);
    // Composite Gauss rule of 3 points: the error falls with the sixth power of T/40.
    MatrixXd sum = MatrixXd::Zero(n + m, n + m), held = MatrixXd::Zero(n + m, n + m);
    held << A, B, MatrixXd::Zero(m, n + m);
    const double nodes[] = {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}, shares[] = {5, 8, 5};
    for (int part = 0; part < 40; ++part) {
      for (int g = 0; g < 3; ++g) {
        const double s = T / 40 * (part + 0.5 + 0.5 * nodes[g]);
        const MatrixXd flow = (held * s).exp();
        sum += T / 40 * shares[g] / 18 * flow.transpose() * whole * flow;
      }
    }
    EXPECT_LT((found.weights.Q - sum.topLeftCorner(n, n)).norm(), 1e-9 * sum.norm());
    EXPECT_LT((found.weights.R - sum.bottomRightCorner(m, m)).norm(), 1e-9 * sum.norm());
    EXPECT_LT((found.weights.N - sum.topRightCorner(n, m)).norm(), 1e-9 * sum.norm());
    const DiscreteModel held_model = zero_order_hold(A, B, T);
    EXPECT_LT((found.model.A - held_model.A).norm(), 1e-12 * held_model.A.norm());
    EXPECT_LT((found.model.B - held_model.B).norm(), 1e-12 * held_model.A.norm());
  }
}

TEST(SampledCost, StiffModesDoNotSpoilIt) {
  // x' = -a x: the integral of x^2 over T is (1 - exp(-2 a T)) / (2 a), here with a T = 1e4, where
  // exp(+a T) would overflow.
  const SampledCost found =
      sampled_cost(MatrixXd{{-1e6}}, MatrixXd{{0.0}}, {MatrixXd{{1.0}}, MatrixXd{{1.0}}}, 0.01);
  EXPECT_NEAR(found.weights.Q(0, 0), 0.5e-6, 1e-12 * 0.5e-6);
}

TEST(SampledLqr, TendsToTheContinuousRegulatorWithThePeriod) {
  const MatrixXd A{{0, 1}, {0, 0}}, B{{0}, {1}}, Q = MatrixXd::Identity(2, 2), R{{1.0}};
  const MatrixXd K = lqr(A, B, {Q, R}).K;
  double last = 8.0 * K.norm();
  for (const double T : {0.1, 0.01, 0.001}) {
    const double off = (sampled_lqr(A, B, {Q, R}, T).K - K).norm();
    EXPECT_LT(off, last / 8);  // first order in T: a tenth each time
    last = off;
  }
}

TEST(Place, RandomPairsGetTheWantedPoles) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const int n = 2 + static_cast<int>(seed % 8), m = 1 + static_cast<int>(seed % 3);
    const MatrixXd A = normal_matrix(random, n, n), B = normal_matrix(random, n, m);
    std::vector<Complex> wanted;
    std::uniform_real_distribution<double> size(0.5, 3.0);
    while (static_cast<int>(wanted.size()) < n) {
      const double re = -size(random), im = size(random);
      if (n - static_cast<int>(wanted.size()) >= 2 && wanted.size() % 4 == 0) {
        wanted.push_back({re, im});
        wanted.push_back({re, -im});
      } else {
        wanted.push_back(re);
      }
    }
    const Placement found = place(A, B, wanted);
    EXPECT_LT(found.miss, 1e-6) << "seed " << seed;
    // By the characteristic polynomial: det(z - A + B K) vanishes relative to its product of sizes.
    for (const Complex& z : wanted) {
      const Eigen::MatrixXcd pencil =
          z * Eigen::MatrixXcd::Identity(n, n) - (A - B * found.K).cast<Complex>();
      const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXcd>(pencil).singularValues();
      EXPECT_LT(singular[n - 1], 1e-8 * singular[0] + 1e-8) << "seed " << seed;
    }
  }
}

TEST(Place, SingleInputEqualsAckermann) {
  // x'' = u with poles -2 and -3: K = [6 5]; Ackermann's formula for a chain of three.
  const Placement two = place(MatrixXd{{0, 1}, {0, 0}}, MatrixXd{{0}, {1}}, {-2.0, -3.0});
  EXPECT_LT((two.K - MatrixXd{{6, 5}}).norm(), 1e-12);
  const MatrixXd A{{1, 2, 0}, {0, -1, 1}, {3, 0, 0.5}}, B{{0}, {1}, {1}};
  MatrixXd reach(3, 3);
  reach << B, A * B, A * A * B;
  const MatrixXd one = MatrixXd::Identity(3, 3);
  const MatrixXd polynomial = (A + one) * (A * A + 4 * A + 13 * one);  // -1, -2 +- 3i
  const MatrixXd ackermann = (MatrixXd(1, 3) << 0, 0, 1).finished() * reach.inverse() * polynomial;
  const Placement three = place(A, B, {-1.0, {-2, 3}, {-2, -3}});
  EXPECT_LT((three.K - ackermann).norm(), 1e-10 * ackermann.norm());
}

TEST(Place, EqualPolesNeedAsManyInputs) {
  const MatrixXd A = MatrixXd::Zero(2, 2);
  EXPECT_LT((place(A, MatrixXd::Identity(2, 2), {-1.0, -1.0}).K - MatrixXd::Identity(2, 2)).norm(),
            1e-14);
  const std::string told = error_of([] {
    place(MatrixXd{{0, 1}, {0, 0}}, MatrixXd{{0}, {1}}, {-1.0, -1.0});
  });
  EXPECT_TRUE(told.starts_with("GR-984")) << told;
  EXPECT_TRUE(error_of([&] {
                place(A, MatrixXd::Identity(2, 2), {{-1, 1}, {-1, 2}});
              }).starts_with("GR-984"));
  EXPECT_TRUE(error_of([&] { place(A, MatrixXd::Identity(2, 2), {-1.0}); }).starts_with("GR-980"));
  const std::string fixed = error_of([] {
    place(MatrixXd{{1, 0}, {0, 2}}, MatrixXd{{1}, {0}}, {-1.0, -3.0});
  });
  EXPECT_TRUE(fixed.starts_with("GR-982")) << fixed;
  EXPECT_NE(fixed.find("eigenvalue 2"), std::string::npos) << fixed;
}

TEST(Place, MoreInputsGiveBetterConditionedVectors) {
  // A chemical reactor, example 1 of Kautsky, Nichols, Van Dooren (1985), n 4, m 2. The bound is
  // our own: with one input the vectors are given, and their condition is that of the poles alone.
  const MatrixXd A{{1.380, -0.2077, 6.715, -5.676},
                   {-0.5814, -4.290, 0, 0.6750},
                   {1.067, 4.273, -6.654, 5.893},
                   {0.0480, 4.273, 1.343, -2.104}};
  const MatrixXd B{{0, 0}, {5.679, 0}, {1.136, -3.146}, {1.136, 0}};
  const Placement found = place(A, B, {-0.2, -0.5, -5.0566, -8.6659});
  EXPECT_LT(found.condition, 4.0);
  EXPECT_GT(place(A, B.col(0), {-0.2, -0.5, -5.0566, -8.6659}).condition, 4.0 * found.condition);
  EXPECT_LT(found.miss, 1e-12);
}

TEST(Pbh, MarginFallsWithTheDistanceFromAnUncontrollablePair) {
  for (const double off : {1e-3, 1e-6, 0.0}) {
    const MatrixXd A{{1, 0}, {0, 1 + off}}, B{{1}, {1}};
    for (const EigenvalueReach& mode : controllability(A, B)) {
      EXPECT_NEAR(mode.margin, off / 4, 0.3 * off + 1e-15);
    }
  }
}

TEST(Margins, IntegratorWithDelayHasItsClosedForm) {
  // L = k exp(-s tau) / s: crossover at k, phase margin pi/2 - k tau, gain margin pi / (2 k tau),
  // delay margin pi / (2 k) - tau.
  const double k = 3.0, tau = 0.2;
  const auto loop = [&](double w) { return k * std::polar(1.0, -w * tau) / Complex(0.0, w); };
  const Margins found = margins(loop, frequency_grid(0.01, 100.0, 400));
  EXPECT_NEAR(found.phase, pi / 2 - k * tau, 1e-12);
  EXPECT_NEAR(found.gain_up, pi / (2 * k * tau), 1e-12);
  EXPECT_NEAR(found.delay, pi / (2 * k) - tau, 1e-12);
  EXPECT_NEAR(found.delay_omega, k, 1e-12);
  EXPECT_EQ(found.gain_down, 0.0);
}

TEST(Margins, ConditionallyStableLoopHasAMarginDownwards) {
  // L = k (s + 1)^2 / s^3: 1 + L = s^3 + k (s+1)^2 is stable for 2 k^2 > k, k > 1/2 (Routh).
  const double k = 2.0;
  const auto loop = [&](double w) {
    const Complex s(0.0, w);
    return k * (s + 1.0) * (s + 1.0) / (s * s * s);
  };
  const Margins found = margins(loop, frequency_grid(0.01, 100.0, 400));
  EXPECT_NEAR(found.gain_down, 0.25, 1e-12);
  EXPECT_EQ(found.gain_up, Margins::kNone);
}

TEST(StateSpace, FrequencyResponseStepAndNormOfAFirstOrderLag) {
  // x+ = a x + (1 - a) u, y = x: G = (1-a)/(z-a), step 1 - a^k, H2^2 = (1-a)^2/(1-a^2).
  const double a = 0.7, T = 0.05;
  const StateSpace lag{MatrixXd{{a}}, MatrixXd{{1 - a}}, MatrixXd{{1}}, MatrixXd{{0}}, T};
  const Complex z = std::polar(1.0, 9.0 * T);
  EXPECT_LT(std::abs(frequency_response(lag, 9.0)(0, 0) - (1 - a) / (z - a)), 1e-15);
  const MatrixXd step = step_response(lag, 0, 20);
  for (int k = 0; k < 20; ++k) EXPECT_NEAR(step(0, k), 1 - std::pow(a, k), 1e-15);
  EXPECT_NEAR(h2_norm(lag), (1 - a) / std::sqrt(1 - a * a), 1e-14);
  // Continuous: 1 / (s + 2) has the norm 1/2.
  const StateSpace slow{MatrixXd{{-2}}, MatrixXd{{1}}, MatrixXd{{1}}, MatrixXd{{0}}};
  EXPECT_NEAR(h2_norm(slow), 0.5, 1e-15);
  EXPECT_LT(std::abs(frequency_response(slow, 3.0)(0, 0) - 1.0 / Complex(2, 3)), 1e-15);
}

}  // namespace
