// The controller type `lqr` as a user gets it, through scenario files: gains against closed forms
// and an independent solution, poles and margins against simulations, schedules.
#include <cmath>
#include <numbers>

#include "scenario/lqr_support.h"
#include "support/counted_malloc.h"

namespace grapple {
namespace {

// q'' = u / I at the cost (q/p)^2 + (u/U)^2: K = [U/p, sqrt(2 I U/p)] in the limit of short
// periods.
TEST_F(Lqr, GainsOfTheDoubleIntegratorAreTheClosedForm) {
  const double I = 0.5, p = 0.1, U = 3.0;
  const auto gains = [&](const char* period) -> MatX {
    return -block_of(
                held_model(rigid_joint("weights: {position: 0.1 rad, effort: 3 N*m}, period: " +
                                       std::string(period))),
                "law")
                .out_in;
  };
  const MatX coarse = gains("0.2 ms"), fine = gains("0.1 ms");
  const Eigen::RowVector2d wanted(U / p, std::sqrt(2.0 * I * U / p));
  // First order in the period: extrapolated to none.
  const MatX limit = 2.0 * fine - coarse;
  EXPECT_NEAR(limit(0, 0) / wanted[0], 1.0, 1e-6);
  EXPECT_NEAR(limit(0, 1) / wanted[1], 1.0, 1e-6);
  EXPECT_LT((fine - wanted).norm(), 0.01 * wanted.norm());
}

// The same at a period of 50 ms: the cost between samples as polynomials, the Riccati equation
// iterated until it stands still, which shares nothing with the Schur method.
TEST_F(Lqr, GainsAtALongPeriodSolveTheRiccatiEquation) {
  const double I = 0.5, p = 0.1, U = 3.0, T = 0.05;
  Eigen::Matrix2d A, Q;
  A << 1, T, 0, 1;
  const Eigen::Vector2d B(0.5 * T * T / I, T / I);
  Q << T, T * T / 2, T * T / 2, T * T * T / 3;
  Q /= p * p;
  const Eigen::Vector2d N = Eigen::Vector2d(std::pow(T, 3) / 6, std::pow(T, 4) / 8) / (I * p * p);
  const double R = T / (U * U) + std::pow(T, 5) / (20 * I * I * p * p);
  Eigen::Matrix2d X = Q;
  Eigen::RowVector2d K;
  for (int k = 0; k < 5000; ++k) {
    K = (B.transpose() * X * A + N.transpose()) / (R + B.dot(X * B));
    X = (A.transpose() * X * A + Q - (A.transpose() * X * B + N) * K).eval();
  }
  const MatX found =
      -block_of(held_model(rigid_joint("weights: {position: 0.1 rad, effort: 3 N*m}, "
                                       "period: 50 ms")),
                "law")
           .out_in;
  // The gains come back through differences of the block: nine digits.
  EXPECT_LT((found - K).norm(), 1e-8 * K.norm());
}

// A delay of one and a half periods: the efforts on their way are states, and the loop that runs
// has the poles of the design, found here by iteration.
TEST_F(Lqr, CountsWithTheDelay) {
  const double I = 0.5, p = 0.1, U = 3.0, T = 0.02, f = 0.5 * T;
  MatX A = MatX::Zero(4, 4), B = MatX::Zero(4, 1);
  A(0, 0) = A(1, 1) = 1.0;
  A(0, 1) = T;
  // u(k-2) acts during the first half of the period, u(k-1) during the second.
  A.block(0, 3, 2, 1) = Eigen::Vector2d((T - f) * (0.5 * (T - f) + f), T - f) / I;
  A.block(0, 2, 2, 1) = Eigen::Vector2d(0.5 * f * f, f) / I;
  A(3, 2) = 1.0;
  B(2, 0) = 1.0;
  MatX Q = MatX::Zero(4, 4);
  Q(0, 0) = T / (p * p);
  const double R = T / (U * U);
  MatX X = Q, K;
  for (int k = 0; k < 5000; ++k) {
    K = (B.transpose() * X * A) / (R + (B.transpose() * X * B)(0, 0));
    X = (A.transpose() * X * A + Q - A.transpose() * X * B * K).eval();
  }
  const HybridModel model = held_model(
      rigid_joint("weights: {position: 0.1 rad, effort: 3 N*m}, period: 20 ms, delay: 30 ms"));
  std::vector<Complex> found = poles_of(model);
  const Eigen::VectorXcd wanted = Eigen::EigenSolver<MatX>(A - B * K).eigenvalues();
  std::vector<Complex> design;
  for (const Complex z : wanted) {
    if (std::abs(z) > 1e-9) design.push_back(z);
  }
  EXPECT_LT(take_out(design, found), 1e-7);
  for (const Complex z : found) EXPECT_LT(std::abs(z), 1e-3) << z;
}

TEST_F(Lqr, PolesAreWhereTheyAreWanted) {
  const HybridModel model = held_model(rigid_joint("poles: [[-3, 4], [-3, -4]], period: 10 ms"));
  std::vector<Complex> found = poles_of(model);
  const Complex s(-3.0, 4.0);
  EXPECT_LT(take_out({std::exp(0.01 * s), std::exp(0.01 * std::conj(s))}, found), 1e-8);
}

// The slowest pole of `linearize --closed` is the decay that a run shows, about a posture held
// against gravity.
TEST_F(Lqr, PolesAreTheDecayThatARunShows) {
  std::string text = text_of(example("lqr-flexible-link"), "    set_points", "    #");
  text.replace(text.find("child: hub}"), 11, "child: hub, angle: -14.99 deg}");
  text.replace(text.find("duration: 2 s"), 13, "duration: 2 s, tolerance: 1e-11");
  const HybridModel model = held_model(text);
  const auto poles = analysis::loop_poles(analysis::closed_loop(model)).poles;
  Simulation sim(write(text));
  // The slowest pole, or pair, is alone after a while: y+ = a y + b y-, from four samples.
  const double T = 0.004;
  const int n = 200, step = 25;
  std::vector<double> y;
  for (int k = 0; k < 4; ++k) {
    sim.advance_to((n + k * step) * T);
    y.push_back(sim.get("joint/shoulder/position") + 15.0 * std::numbers::pi / 180.0);
  }
  if (poles[0].z.imag() == 0.0) {
    EXPECT_NEAR(y[3] / y[2], std::pow(poles[0].z.real(), step), 0.01);
  } else {
    const double d = y[1] * y[1] - y[0] * y[2];
    const double b = (y[1] * y[3] - y[2] * y[2]) / d, a = (y[0] * y[3] - y[1] * y[2]) / -d;
    const Complex z = std::pow(poles[0].z, step);
    EXPECT_NEAR(a, 2.0 * z.real(), 0.01);
    EXPECT_NEAR(b, -std::norm(z), 0.01);
  }
}

// The delay that `grapple response --break` allows: 2 % less and the run calms down, 2 % more and
// it does not.
TEST_F(Lqr, TheDelayMarginIsSeenInRuns) {
  const std::string controller = "gains: [[30, 5.5]], period: 10 ms";
  const HybridModel model = held_model(rigid_joint(controller));
  const analysis::LoopMargins margins = analysis::loop_margins(
      model, {0, 0},
      analysis::response_frequencies(analysis::broken_loop(model, {0, 0}), 0.0, 0.0, 200));
  ASSERT_TRUE(margins.delay.has_value());
  for (const double share : {0.98, 1.02}) {
    std::string text = rigid_joint(
        controller + ", delay: " + std::to_string(1e3 * share * *margins.delay) + " ms");
    text.replace(text.find("child: arm}"), 11, "child: arm, angle: 1 deg}");
    text.replace(text.find("joints: [axle], "), 16, "joints: [axle], posture: 0 rad, ");
    Simulation sim(write(text + "simulate: {duration: 30 s}\n"));
    const auto largest = [&](double from, double to) {
      double size = 0.0;
      for (double t = from; t <= to; t += 0.05) {
        sim.advance_to(t);
        size = std::max(size, std::abs(sim.get("joint/axle/position")));
      }
      return size;
    };
    const double early = largest(5.0, 8.0), late = largest(22.0, 25.0);
    if (share < 1.0) {
      EXPECT_LT(late, early);
    } else {
      EXPECT_GT(late, early);
    }
  }
}

// Weight is carried by the efforts of rest: the arm arrives without an integral part.
TEST_F(Lqr, HoldsAndRaisesAnArmInGravity) {
  Simulation sim(example("lqr-flexible-link"));
  sim.advance_to(0.25);
  // It starts unbent and drops into its deflection of 0.03 m.
  EXPECT_NEAR(sim.get("joint/shoulder/position"), 0.0, 0.02);
  sim.advance_to(2.0);
  EXPECT_NEAR(sim.get("joint/shoulder/position"), -std::numbers::pi / 6.0, 1e-4);
}

TEST_F(Lqr, FollowsAScheduleOfPostures) {
  const std::string text = text_of(example("gain-schedule"));
  Simulation sim(write(text));
  double sag = 0.0;
  for (double t = 0.0; t <= 2.0; t += 0.02) {
    sim.advance_to(t);
    sag = std::max(sag, std::abs(sim.get("joint/shoulder/position") + std::numbers::pi / 9.0));
  }
  EXPECT_LT(sag, 0.02);
  EXPECT_NEAR(sim.get("joint/elbow/position"), 110.0 * std::numbers::pi / 180.0, 2e-3);
  // At a posture of the schedule the gains are those of a design there alone.
  std::string at_node = text;
  at_node.replace(at_node.find("angle: 10 deg"), 13, "angle: 40 deg");
  std::string alone = at_node;
  const std::size_t schedule = alone.find("    schedule");
  alone.replace(schedule, alone.find('\n', schedule) + 1 - schedule, "");
  const MatX scheduled = block_of(held_model(at_node), "law").out_in;
  const MatX single = block_of(held_model(alone), "law").out_in;
  EXPECT_LT((scheduled.leftCols(4) - single.leftCols(4)).norm(), 1e-4 * single.norm());
}

// A base that floats: its pose takes no part in the design, and the joint is held.
TEST_F(Lqr, HoldsAnArmOnAFloatingBase) {
  Simulation sim(write(R"(grapple: 1
bodies:
  - {name: hull, mass: 10 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: link, beam: {length: 1 m, mass: 0.4 kg, EI: 8 N*m^2, modes: {bending_y: 2}}}
joints:
  - {name: axle, type: revolute, axis: z, parent: hull, child: link, angle: 3 deg}
controllers:
  - {name: law, type: lqr, joints: [axle], posture: 0 rad, weights: {position: 1 deg, energy: 0.1 N*m, effort: 1 N*m},
     period: 5 ms}
simulate: {duration: 5 s}
)"));
  sim.advance_to(4.0);
  EXPECT_NEAR(sim.get("joint/axle/position"), 0.0, 1e-4);
  EXPECT_NEAR(sim.get("body/link/mode/bending_y_1/position"), 0.0, 1e-4);
}

// Every block of the examples, called as the driver calls it.
TEST_F(Lqr, UpdatesAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const char* name : {"lqr-flexible-link", "lqg-flexible-link", "gain-schedule"}) {
    const scenario::Simulation built = scenario::built(text_of(example(name)));
    const auto& blocks = built.system->blocks();
    const auto law = std::ranges::find_if(blocks, [](const auto& b) { return b->name() == "law"; });
    ASSERT_NE(law, blocks.end());
    std::vector<double> in((*law)->reads().size(), 0.1), out((*law)->writes().size()),
        memory((*law)->memory().size());
    std::vector<element::Request> requests;
    (*law)->start(memory);
    element::Sample sample{0.4, in, out, memory, requests};
    (*law)->update(sample);
    const long before = allocations.load();
    (*law)->update(sample);
    EXPECT_EQ(allocations.load(), before) << name;
  }
}

TEST_F(Lqr, NamesTheMotionThatIsOutOfReach) {
  const std::string text = R"(grapple: 1
bodies:
  - {name: link, beam: {length: 1 m, mass: 0.4 kg, EI: 8 N*m^2, modes: {bending_y: 1, bending_z: 1}}}
joints:
  - {name: axle, type: revolute, axis: z, parent: world, child: link}
controllers:
  - {name: law, type: lqr, joints: [axle], weights: {position: 1 deg, energy: 0.1 N*m, effort: 1 N*m}, period: 5 ms@}
)";
  const auto with = [&](const std::string& more) {
    std::string whole = text;
    return whole.replace(whole.find('@'), 1, more);
  };
  EXPECT_NE(refusal(with("")).find("GR-930"), std::string::npos);
  EXPECT_NE(refusal(with("")).find("body/link/mode/bending_z_1"), std::string::npos)
      << refusal(with(""));
  EXPECT_EQ(refusal(with(", modes: [\"body/*/mode/bending_y_*\"]")), "");
}

// A rod held out by gravity compensation and a PD law: the loop is that of the held rod, not of one
// that falls. z from the exact discretisation of theta'' + k theta = u / I.
TEST_F(Lqr, ClosedLoopsAreLinearisedAboutTheEffortsThatAreHeld) {
  const std::string text = R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: rod, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}
joints:
  - {name: hinge, type: revolute, axis: y, parent: world, child: rod, angle: 60 deg}
controllers:
  - {name: hold, joint: hinge, set_point: SET, proportional: 20 N*m/rad, derivative: 3 N*m*s/rad, period: 10 ms}
)";
  const double I = 1.0 / 3.0, weight = 0.5 * 9.81, T = 0.01, P = 20.0, D = 3.0;
  // Positive turns x towards -z: theta'' = (weight cos theta + u) / I.
  const double theta = 60.0 * std::numbers::pi / 180.0, effort = -weight * std::cos(theta);
  const double set = theta + effort / P;
  std::string held = text;
  held.replace(held.find("SET"), 3, std::to_string(set) + " rad");
  const HybridModel model = held_model(held);
  std::vector<Complex> found = poles_of(model);
  const double w = std::sqrt(weight * std::sin(theta) / I);
  Eigen::Matrix2d Phi;
  Phi << std::cos(w * T), std::sin(w * T) / w, -w * std::sin(w * T), std::cos(w * T);
  const Eigen::Vector2d Gamma((1 - std::cos(w * T)) / (w * w * I), std::sin(w * T) / (w * I));
  const Eigen::Matrix2d loop = Phi - Gamma * Eigen::RowVector2d(P, D);
  const Eigen::VectorXcd wanted = Eigen::EigenSolver<MatX>(loop).eigenvalues();
  EXPECT_LT(take_out({wanted[0], wanted[1]}, found), 1e-6);

  // From a start elsewhere, the steady state of the loop is that pose.
  held.replace(held.find("angle: 60 deg"), 13, "angle: 70 deg");
  const scenario::Simulation built = scenario::built(held);
  const VecX x = built.system->initial_state();
  const analysis::SteadyLoop steady =
      analysis::steady_loop(*built.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())});
  ASSERT_TRUE(steady.converged);
  EXPECT_NEAR(steady.x[0], theta, 1e-6);  // as many digits as the set point has
}

}  // namespace
}  // namespace grapple
