// Frequencies, damping and shapes that can be written down.
#include "grapple/analysis/natural_modes.h"

#include <gtest/gtest.h>

#include <numbers>

#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "system/support.h"

namespace grapple::analysis::testing {

using namespace system::testing;
namespace {

using std::numbers::pi;
using Kind = Mode::Kind;

const Mat3 kAlongX = spatial::frame_with_z(Vec3::UnitX());

// n blocks in a row, each on a slide from the one before, or each from the ground.
enum class Slides { kFromGround, kFromNeighbour };
Model blocks(int n, double mass, Slides slides) {
  ModelBuilder builder;
  for (int k = 0; k < n; ++k) {
    const std::string name = "m" + std::to_string(k);
    builder.add_body(name, lump(mass, Vec3::Zero(), Vec3::Ones()));
    const bool chained = slides == Slides::kFromNeighbour && k > 0;
    builder.add_joint(joint("s" + std::to_string(k), JointType::kPrismatic,
                            chained ? "m" + std::to_string(k - 1) : "world", name, kAlongX));
  }
  return builder.build();
}

std::vector<Mode> modes_of(const system::System& system) {
  return natural_modes(system, 0.0, view(system.initial_state()));
}

// Fixed-free chain: w_k = 2 sqrt(k/m) sin((2k-1) pi / (2 (2n+1))).
TEST(NaturalModes, SpringMassChain) {
  const int n = 12;
  const double mass = 2.0, stiffness = 300.0;
  Model model = blocks(n, mass, Slides::kFromNeighbour);
  std::vector<std::unique_ptr<element::Element>> springs;
  for (int k = 1; k <= n; ++k)
    springs.push_back(force::make_joint_spring(model, k, {stiffness}, {0.0}));
  const std::vector<Mode> modes = modes_of(system_of(std::move(model), std::move(springs)));
  ASSERT_EQ(modes.size(), static_cast<std::size_t>(n));
  double worst = 0.0;
  for (int k = 1; k <= n; ++k) {
    const Mode& mode = modes[static_cast<std::size_t>(k - 1)];
    const double omega =
        2.0 * std::sqrt(stiffness / mass) * std::sin((2 * k - 1) * pi / (2.0 * (2 * n + 1)));
    worst = std::max(worst, std::abs(mode.frequency_hz * 2 * pi / omega - 1.0));
    EXPECT_EQ(mode.kind, Kind::kOscillating);
    EXPECT_EQ(mode.damping_ratio, 0.0);
    EXPECT_NEAR(mode.shape.cwiseAbs().maxCoeff(), 1.0, 1e-15);
  }
  EXPECT_LT(worst, 1e-12);
  std::printf("chain of %d: worst relative frequency error %.1e\n", n, worst);
}

// Two blocks joined by a spring, otherwise free: one rigid motion and sqrt(k (1/m + 1/m)).
TEST(NaturalModes, FreeFreePairHasOneRigidMode) {
  for (const double damping : {0.0, 0.6}) {
    Model model = blocks(2, 2.0, Slides::kFromNeighbour);
    auto parts = elements(force::make_joint_spring(model, 2, {50.0}, {0.0}),
                          force::make_joint_damper(model, 2, {damping}));
    const std::vector<Mode> modes = modes_of(system_of(std::move(model), std::move(parts)));
    ASSERT_EQ(modes.size(), 2u) << damping;
    EXPECT_EQ(modes[0].kind, Kind::kRigid);
    EXPECT_EQ(modes[0].frequency_hz, 0.0);
    // All move together: the second slide, measured from the first block, stands still.
    EXPECT_NEAR(std::abs(modes[0].shape[0]), 1.0, 1e-9);
    EXPECT_NEAR(std::abs(modes[0].shape[1]), 0.0, 1e-9);
    const double omega = std::sqrt(50.0);
    EXPECT_NEAR(modes[1].frequency_hz, omega / (2 * pi), 1e-12);
    EXPECT_NEAR(modes[1].damping_ratio, damping / (2.0 * omega), 1e-12);
  }
}

TEST(NaturalModes, FreeBodyHasSixRigidModes) {
  ModelBuilder builder;
  builder.add_body("rock", lump(3.0, {0.1, 0.2, 0.3}, {1, 2, 2.5}));
  const system::System system = system_of(builder.build(), {});
  const std::vector<Mode> modes = modes_of(system);
  ASSERT_EQ(modes.size(), 6u);
  for (const Mode& mode : modes) EXPECT_EQ(mode.kind, Kind::kRigid);
}

TEST(NaturalModes, DampedOscillatorBelowAndAboveCritical) {
  const double mass = 2.0, stiffness = 50.0, omega = 5.0;
  for (const double ratio : {1e-6, 0.03, 0.7}) {
    Model model = slider(mass);
    auto parts = elements(force::make_joint_spring(model, 1, {stiffness}, {0.0}),
                          force::make_joint_damper(model, 1, {2.0 * ratio * mass * omega}));
    const std::vector<Mode> modes = modes_of(system_of(std::move(model), std::move(parts)));
    ASSERT_EQ(modes.size(), 1u);
    EXPECT_EQ(modes[0].kind, Kind::kOscillating);
    EXPECT_NEAR(modes[0].frequency_hz, omega / (2 * pi), 1e-13);
    EXPECT_NEAR(modes[0].damping_ratio, ratio, 1e-14);
    EXPECT_NEAR(modes[0].eigenvalue.imag(), omega * std::sqrt(1 - ratio * ratio), 1e-12);
  }
  Model model = slider(mass);
  auto parts = elements(force::make_joint_spring(model, 1, {stiffness}, {0.0}),
                        force::make_joint_damper(model, 1, {2.0 * 1.25 * mass * omega}));
  const std::vector<Mode> modes = modes_of(system_of(std::move(model), std::move(parts)));
  ASSERT_EQ(modes.size(), 2u);  // omega (1.25 -+ 0.75)
  EXPECT_EQ(modes[0].kind, Kind::kDecaying);
  EXPECT_EQ(modes[1].kind, Kind::kDecaying);
  EXPECT_NEAR(modes[0].eigenvalue.real(), -2.5, 1e-12);
  EXPECT_NEAR(modes[1].eigenvalue.real(), -10.0, 1e-12);
  EXPECT_EQ(modes[0].damping_ratio, 1.0);
}

// A stiff joint beside a soft, lightly damped one: neither its damping nor its frequency is lost.
TEST(NaturalModes, SoftModeBesideAVeryStiffOne) {
  Model model = blocks(2, 1.0, Slides::kFromGround);
  auto parts = elements(force::make_joint_spring(model, 1, {1e11}, {0.0}),
                        force::make_joint_spring(model, 2, {1.0}, {0.0}),
                        force::make_joint_damper(model, 2, {1e-2}));
  system::System system = system_of(std::move(model), std::move(parts));
  std::vector<Mode> modes = modes_of(system);
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_EQ(modes[0].kind, Kind::kOscillating);
  EXPECT_NEAR(modes[0].frequency_hz * 2 * pi, 1.0, 1e-9);
  EXPECT_NEAR(modes[0].damping_ratio, 5e-3, 1e-9);
  EXPECT_NEAR(modes[1].frequency_hz * 2 * pi, std::sqrt(1e11), 1e-3);

  system.enable(2, 0);  // the same without the damper
  modes = modes_of(system);
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_EQ(modes[0].kind, Kind::kOscillating);
  EXPECT_NEAR(modes[0].frequency_hz * 2 * pi, 1.0, 1e-9);
}

TEST(NaturalModes, InvertedPendulumIsUnstable) {
  const double m = 2.0, l = 0.7, I = 0.3, g = 9.81;
  const double root = std::sqrt(m * g * l / (I + m * l * l));
  for (const double damping : {0.0, 0.1}) {
    Model model = pendulum(m, l, I, g);
    auto damper = force::make_joint_damper(model, 1, {damping});
    const system::System system = system_of(std::move(model), elements(std::move(damper)));
    const VecX x = state_with(system, VecX::Constant(1, pi), VecX::Zero(1));
    const std::vector<Mode> modes = natural_modes(system, 0.0, view(x));
    int unstable = 0;
    for (const Mode& mode : modes) {
      if (mode.kind != Kind::kUnstable) continue;
      ++unstable;
      const double c = damping / (I + m * l * l);
      EXPECT_NEAR(mode.eigenvalue.real(), -c / 2 + std::sqrt(c * c / 4 + root * root), 1e-12);
    }
    EXPECT_EQ(unstable, 1);
  }
}

// Two equal pendulums and a weak spring between the bobs: in phase sqrt(g/l), against phase
// sqrt(g/l + 2 k / m).
TEST(NaturalModes, CoupledPendulums) {
  const double m = 1.5, l = 0.8, g = 9.81, k = 2.0, gap = 0.5;
  ModelBuilder builder;
  builder.set_gravity({0, -g, 0});
  for (int b = 0; b < 2; ++b) {
    const std::string name(1, "ab"[b]);
    builder.add_body(name, lump(m, {0, -l, 0}, Vec3::Zero()));
    builder.add_joint(
        joint("j" + name, JointType::kRevolute, "world", name, Mat3::Identity(), {gap * b, 0, 0}));
    builder.add_frame("bob_" + name, name, {Mat3::Identity(), {0, -l, 0}});
  }
  Model model = builder.build();
  const auto frame = [&](const char* name) {
    return model.frames()[static_cast<std::size_t>(model.find_frame(name))];
  };
  auto spring =
      force::make_spring_damper("spring/weak", frame("bob_a"), frame("bob_b"), {k, 0.0, gap, {}});
  const std::vector<Mode> modes =
      modes_of(system_of(std::move(model), elements(std::move(spring))));
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_NEAR(modes[0].frequency_hz * 2 * pi, std::sqrt(g / l), 1e-12);
  EXPECT_NEAR(modes[1].frequency_hz * 2 * pi, std::sqrt(g / l + 2 * k / m), 1e-12);
  EXPECT_NEAR((modes[0].shape[0] / modes[0].shape[1]).real(), 1.0, 1e-9);
  EXPECT_NEAR((modes[1].shape[0] / modes[1].shape[1]).real(), -1.0, 1e-9);
}

TEST(NaturalModes, LockedJointIsNotAMode) {
  Model model = blocks(2, 2.0, Slides::kFromNeighbour);
  auto parts = elements(force::make_joint_spring(model, 1, {50.0}, {0.0}),
                        force::make_joint_spring(model, 2, {50.0}, {0.0}));
  system::SystemParts all{std::move(model), {}, {}, std::move(parts), {}, {2}};
  const system::System system(std::move(all));
  const std::vector<Mode> modes = modes_of(system);
  ASSERT_EQ(modes.size(), 1u);
  EXPECT_NEAR(modes[0].frequency_hz, std::sqrt(50.0 / 4.0) / (2 * pi), 1e-13);
  EXPECT_EQ(modes[0].shape[1], 0.0);
}

// Bushing to the ground: six frequencies sqrt(k/m), sqrt(k/J).
TEST(NaturalModes, BodyOnABushing) {
  ModelBuilder builder;
  builder.add_body("box", lump(4.0, Vec3::Zero(), {1, 2, 2.5}));
  Model model = builder.build();
  auto bushing = force::make_bushing("bushing/m", model.frames()[0], model.frames()[1],
                                     {{100, 200, 300, 500, 4000, 9000}, {}});
  const std::vector<Mode> modes =
      modes_of(system_of(std::move(model), elements(std::move(bushing))));
  const double squares[6] = {25, 50, 75, 500, 2000, 3600};
  ASSERT_EQ(modes.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(modes[k].frequency_hz, std::sqrt(squares[k]) / (2 * pi), 1e-12);
  }
}

// Fast top (Lagrange) hanging in a gimbal-free ball joint: nutation and precession frequencies.
TEST(NaturalModes, SpinningPendulumSplitsIntoPrecessionAndNutation) {
  const double m = 2.0, l = 0.6, g = 9.81, spin = 20.0, J = 0.5, along = 0.8;
  ModelBuilder builder;
  builder.set_gravity({0, 0, -g});
  builder.add_body("bob", lump(m, {0, 0, -l}, {J, J, along}));
  builder.add_joint(joint("ball", JointType::kSpherical, "world", "bob"));
  const system::System system = system_of(builder.build(), {});
  const VecX x = state_with(system, Eigen::Vector4d(1, 0, 0, 0), Vec3(0, 0, spin));
  const double across = J + m * l * l;
  // World-fixed complex tilt: across w^2 - along spin w - m g l = 0. Body-fixed tangents see w -
  // spin.
  const double half = along * spin / (2 * across);
  const double root = std::sqrt(half * half + m * g * l / across);
  std::vector<double> expected = {std::abs(half + root - spin), std::abs(half - root - spin)};
  std::vector<double> found;
  for (const Mode& mode : natural_modes(system, 0.0, view(x))) {
    if (mode.kind == Kind::kRigid) continue;
    EXPECT_LT(std::abs(mode.damping_ratio), 1e-9);
    found.push_back(mode.frequency_hz * 2 * pi);
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0], expected[0], 1e-10);
  EXPECT_NEAR(found[1], expected[1], 1e-10);
}

// A light arm of stiff joints on a heavy floating base: exactly six motions without stiffness.
TEST(NaturalModes, ArmOnAHeavyFloatingBaseHasSixRigidModes) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    for (const double damping : {0.0, 3.0}) {
      test::RandomTree random(seed);
      ModelBuilder builder;
      builder.add_body("base", lump(1e5, Vec3::Zero(), {8e5, 7e5, 9e5}));
      for (int k = 0; k < 7; ++k) {
        const std::string name = "l" + std::to_string(k);
        builder.add_body(name, random.mass_properties());
        builder.add_joint(joint("j" + std::to_string(k), JointType::kRevolute,
                                k == 0 ? "base" : "l" + std::to_string(k - 1), name,
                                random.pose().R, random.vector(1.0), random.vector(1.0)));
      }
      Model model = builder.build();
      std::vector<std::unique_ptr<element::Element>> parts;
      for (int k = 2; k <= 8; ++k) {
        parts.push_back(force::make_joint_spring(model, k, {random.uniform(1e3, 1e5)}, {0.0}));
        parts.push_back(force::make_joint_damper(model, k, {damping}));
      }
      const std::vector<Mode> modes = modes_of(system_of(std::move(model), std::move(parts)));
      ASSERT_EQ(modes.size(), 13u) << seed << " " << damping;
      for (std::size_t k = 0; k < 13; ++k) {
        EXPECT_EQ(modes[k].kind == Kind::kRigid, k < 6) << seed << " " << damping << " " << k;
      }
    }
  }
}

TEST(NaturalModes, NothingFreeNoModes) {
  system::SystemParts parts{slider(1.0), {}, {}, {}, {}, {1}};
  const system::System system(std::move(parts));
  EXPECT_TRUE(modes_of(system).empty());
}

}  // namespace
}  // namespace grapple::analysis::testing
