// Motion through the whole program against closed forms: switches, locks, prescribed motion, spin.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

double largest_change(const std::vector<double>& values) {
  double change = 0.0;
  for (const double value : values) change = std::max(change, std::abs(value - values.front()));
  return change;
}

// A cart of 2 kg under 4 N: a = 2 m/s^2 until it passes 1 m at t = 1 s with 2 m/s; the force goes
// off; at 3 m (t = 2 s) another force of -2 N comes on, a = -1 m/s^2: at t = 3 s it is at 4.5 m.
TEST(Events, EnableAndDisableForces) {
  const Scratch scratch;
  const auto results = results_of(scratch, R"(grapple: 1
name: switched
bodies: [{name: cart, mass: 2 kg}]
joints: [{name: rail, type: prismatic, axis: x, parent: world, child: cart, motor: {force: 0 N}}]
forces:
  - {name: push, type: point-force, at: cart, force: [4 N, 0, 0]}
  - {name: brake, type: point-force, at: cart, force: [-2 N, 0, 0]}
events:
  - {name: hold-brake, channel: joint/rail/rate, crosses: 1e-9, direction: rising, action: disable, target: brake}
  - {name: pass-one, channel: joint/rail/position, crosses: 1 m, direction: rising, action: disable, target: push}
  - {name: pass-three, channel: joint/rail/position, crosses: 3 m, direction: rising, action: enable, target: brake}
simulate: {duration: 3 s, tolerance: 1e-10, record: {every: 10 ms}}
)");
  // Until the first event, after 1e-9 s, both forces act.
  EXPECT_NEAR(results.channel("joint/rail/position").back(), 4.5, 1e-7);
  EXPECT_NEAR(results.channel("joint/rail/rate").back(), 1.0, 1e-7);
  const auto events = results.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_NEAR(events[1].time, 1.0, 1e-8);
  EXPECT_NEAR(events[2].time, 2.0, 1e-8);
}

// Two equal discs, the first spinning: when the clutch locks, both go at half the rate and half the
// energy is lost; released again, they keep it.
TEST(Events, LockingSharesTheMomentumAndBooksTheLoss) {
  const Scratch scratch;
  const auto results = results_of(scratch, R"(grapple: 1
name: clutch
bodies:
  - {name: first, mass: 1 kg, inertia: [1, 1, 2]}
  - {name: second, mass: 1 kg, inertia: [1, 1, 2]}
joints:
  - {name: bearing, type: revolute, axis: z, parent: world, child: first, rate: 6 rad/s}
  - {name: clutch, type: revolute, axis: z, parent: first, child: second, rate: -6 rad/s}
events:
  - {name: grip, channel: joint/bearing/position, crosses: 6 rad, direction: rising, action: lock, target: clutch}
  - {name: free, channel: joint/bearing/position, crosses: 9 rad, direction: rising, action: unlock, target: clutch}
simulate: {duration: 3 s, tolerance: 1e-10, record: {every: 10 ms}}
)");
  EXPECT_NEAR(results.channel("joint/bearing/rate").back(), 3.0, 1e-10);
  EXPECT_NEAR(results.channel("joint/clutch/rate").back(), 0.0, 1e-10);
  EXPECT_LT(largest_change(results.channel("momentum/angular_z")), 1e-10);
  EXPECT_NEAR(results.channel("work/locking").back(), -18.0, 1e-9);  // of 36 J
  ASSERT_EQ(results.events().size(), 2u);
  EXPECT_NEAR(results.events()[0].time, 1.0, 1e-9);
  EXPECT_NEAR(results.events()[1].time, 2.0, 1e-9);
}

// A floating base and a link that turns by a given angle: nothing acts from outside, so momentum
// stays zero, and the base turns against the link (examples/rigid/free-floating-ratio.yaml).
TEST(Motion, PrescribedAnglesKeepTheMomentumOfAFloatingSystem) {
  const Scratch scratch;
  const auto results = results_of(scratch, R"(grapple: 1
name: slew
bodies:
  - {name: base, mass: 100 kg, inertia: [30, 30, 40]}
  - {name: link, mass: 20 kg, inertia: [1, 6, 6]}
joints:
  - name: shoulder
    type: revolute
    axis: z
    parent: base
    child: link
    motion: {position: {expression: '90*smooth(t, 1, 9)', unit: deg
}
}
simulate: {duration: 10 s, tolerance: 1e-10, record: {every: 50 ms}}
)");
  const double angle = std::numbers::pi / 2.0;
  EXPECT_NEAR(results.channel("joint/shoulder/position").back(), angle, 1e-12);
  const double turn = 2.0 * std::atan2(results.channel("body/base/orientation_z").back(),
                                       results.channel("body/base/orientation_w").back());
  EXPECT_NEAR(turn, -6.0 / 46.0 * angle, 1e-9);
  // The link alone reaches 2 N*m*s; a hundred steps at tolerance 1e-10 leave some 1e-10 of it.
  for (const char* name : {"momentum/linear_x", "momentum/angular_z"}) {
    EXPECT_LT(largest_change(results.channel(name)), 2e-9) << name;
  }
  // Exact derivatives of the formula: the solver needs no more steps than the motion has shape.
  const auto summary = json_of(scratch / "out/summary.json");
  EXPECT_LT(summary.at("counts").at("steps").get<double>(), 2000.0);
}

TEST(Motion, ALockFromTheStartHoldsAndItsReleaseIsFelt) {
  const Scratch scratch;
  const auto results = results_of(scratch, R"(grapple: 1
name: release
environment: {gravity: 10 m/s^2}
bodies: [{name: stone, mass: 3 kg}]
joints: [{name: shaft, type: prismatic, axis: z, parent: world, child: stone,
          lock: [{at: 0 s, state: locked}, {at: 2 s, state: unlocked}]}]
simulate: {duration: 3 s, tolerance: 1e-10, record: {every: 100 ms}}
)");
  const std::vector<double> time = results.time(), z = results.channel("joint/shaft/position");
  for (std::size_t k = 0; k < time.size(); ++k) {
    const double fall = std::max(0.0, time[k] - 2.0);
    EXPECT_NEAR(z[k], -5.0 * fall * fall, 1e-10) << time[k];
  }
  EXPECT_NEAR(results.channel("joint/shaft/drive").front(), 30.0, 1e-10);  // it carries the weight
}

// One step of 1000 s is exact; so must be the ledger of the rows inside it.
TEST(Ledger, ClosesInsideLongStepsOfGeneralizedAlpha) {
  const Scratch scratch;
  const auto results = results_of(scratch, R"(grapple: 1
bodies: [{name: A, mass: 2 kg, inertia: "[1, 1, 1] kg*m^2"}]
forces: [{name: f, type: point-force, at: A, force: ["1", 0 N, 0 N]}]
simulate: {duration: 1000 s, integrator: generalized-alpha, record: {every: 10 s}}
)");
  EXPECT_LT(largest_change(results.channel("energy/residual")), 1e-9 * 250e3);
  EXPECT_NEAR(results.channel("body/A/velocity_x").back(), 500.0, 1e-9);
}

// A thousand turns about a tumbling axis: every recorded orientation is a unit quaternion.
TEST(Spin, QuaternionsStayUnitOverALongRun) {
  const Scratch scratch;
  const auto results = results_of(scratch, R"(grapple: 1
name: tumble
bodies:
  - {name: box, solid: {box: [0.3, 0.2, 0.05] m, mass: 3 kg}, angular_velocity: [0.5, 60, 1] rad/s}
simulate: {duration: 100 s, tolerance: 1e-8, record: {every: 100 ms, channels: ["joint/box/**", "body/box/**"]}}
)");
  for (const std::string stem : {"joint/box/position_q", "body/box/orientation_"}) {
    const auto w = results.channel(stem + "w"), x = results.channel(stem + "x"),
               y = results.channel(stem + "y"), z = results.channel(stem + "z");
    ASSERT_GE(w.size(), 1001u);
    for (std::size_t k = 0; k < w.size(); ++k) {
      EXPECT_NEAR(std::sqrt(w[k] * w[k] + x[k] * x[k] + y[k] * y[k] + z[k] * z[k]), 1.0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace grapple::program
