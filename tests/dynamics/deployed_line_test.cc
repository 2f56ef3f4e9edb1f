// A beam that deploys against what it stands for: particles placed one by one, a plain beam of the
// same length, and closed forms.
#include "grapple/flexible/deployed_line.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/flexible/beam_modes.h"
#include "grapple/model/state.h"

namespace grapple::dynamics {
namespace {

using flexible::DeployableBeamSpec;
using flexible::Stowage;
using model::Model;
using model::State;
using model::Workspace;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

DeployableBeamSpec boom(Stowage stowage) {
  DeployableBeamSpec spec;
  spec.name = "boom";
  spec.stowage = stowage;
  spec.start = 4.0;
  spec.shortest = 1.0;
  spec.longest = 10.0;
  spec.full_length = 12.0;
  spec.mass = 30.0;
  spec.rotary_x = 0.03;
  spec.bending_stiffness_y = 2e3;
  spec.bending_stiffness_z = 5e3;
  spec.bending_y = 1;
  spec.bending_z = 1;
  return spec;
}

Model floating(const DeployableBeamSpec& spec) {
  model::ModelBuilder builder;
  builder.add_flexible_body("boom", flexible::make_deployable_beam(spec));
  return builder.build();
}

// First mode of a clamped beam, tip value 2 (Blevins 1979), and its derivative.
constexpr double kRoot = 1.87510406871196, kSigma = 0.734095513758;
double phi(double xi) {
  const double x = kRoot * xi;
  return std::cosh(x) - std::cos(x) - kSigma * (std::sinh(x) - std::sin(x));
}
double phi_1(double xi) {
  const double x = kRoot * xi;
  return kRoot * (std::sinh(x) + std::sin(x) - kSigma * (std::cosh(x) - std::cos(x)));
}

// Particles of the boom at (l, eta_y, eta_z), in its own axes. Midpoints of equal pieces.
std::vector<Vec3> particles(const DeployableBeamSpec& spec, const Vec3& q, int count) {
  std::vector<double> shortening(static_cast<std::size_t>(count) + 1, 0.0);  // int phi_1^2
  for (int i = 0; i < count; ++i) {
    const double slope = phi_1((i + 0.5) / count);
    shortening[static_cast<std::size_t>(i) + 1] =
        shortening[static_cast<std::size_t>(i)] + slope * slope / count;
  }
  const auto h = [&](double xi) {
    const double place = xi * count;
    const auto below = static_cast<std::size_t>(std::min(place, count - 1.0));
    return shortening[below] +
           (place - static_cast<double>(below)) * (shortening[below + 1] - shortening[below]);
  };
  std::vector<Vec3> all;
  for (int i = 0; i < count; ++i) {
    const double label = (i + 0.5) / count;
    const double l = q[0];
    const bool telescope = spec.stowage == Stowage::kTelescope;
    const double x = telescope ? label * l : l - label * spec.full_length;
    const double xi = x / l;
    if (xi <= 0.0) {
      all.emplace_back(spec.stowage == Stowage::kDrum ? 0.0 : x, 0.0, 0.0);
      continue;
    }
    all.emplace_back(x - 0.5 * (q[1] * q[1] + q[2] * q[2]) * h(xi) / l, phi(xi) * q[1],
                     phi(xi) * q[2]);
  }
  return all;
}

class OfStowage : public testing::TestWithParam<Stowage> {};
INSTANTIATE_TEST_SUITE_P(Deployed, OfStowage,
                         testing::Values(Stowage::kTelescope, Stowage::kSleeve, Stowage::kDrum));

TEST_P(OfStowage, KineticEnergyIsThatOfItsParticles) {
  const DeployableBeamSpec spec = boom(GetParam());
  const Model model = floating(spec);
  State state(model);
  Workspace w(model);
  const Vec3 q(6.3, 0.4, -0.3), rate(0.7, 0.5, 0.9), omega(0.2, -0.3, 0.5), v(0.3, 0.1, -0.2);
  state.q.segment<3>(7) = q;
  state.v << v, omega, rate;
  forward_kinematics(model, state, w);
  const double found = kinetic_energy(model, state, w);

  constexpr int kCount = 40000;
  constexpr double kStep = 1e-5;
  const auto before = particles(spec, q - kStep * rate, kCount);
  const auto after = particles(spec, q + kStep * rate, kCount);
  const auto here = particles(spec, q, kCount);
  double expected = 0.0;
  int jumped = 0;  // particles that leave the drum within the difference
  for (std::size_t i = 0; i < here.size(); ++i) {
    Vec3 relative = (after[i] - before[i]) / (2.0 * kStep);
    const bool on_drum = GetParam() == Stowage::kDrum && here[i].isZero(0.0);
    if (GetParam() == Stowage::kDrum && before[i].isZero(0.0) != after[i].isZero(0.0)) ++jumped;
    const double mass = spec.mass / kCount;
    expected += 0.5 * mass * (v + omega.cross(here[i]) + relative).squaredNorm();
    if (on_drum) expected += 0.5 * mass * rate[0] * rate[0];
  }
  EXPECT_LE(jumped, 1);
  // The particles' own error: pieces of finite length, and one on the edge of the drum.
  EXPECT_NEAR(found / expected, 1.0, 2e-5);
}

// The projection of Newton's law on every coordinate, from energies alone: d/dt dT/dv - dT/dq by
// differences, on a boom that turns about a fixed hinge.
TEST_P(OfStowage, BiasIsThatOfLagrange) {
  const DeployableBeamSpec spec = boom(GetParam());
  model::ModelBuilder builder;
  builder.add_flexible_body("boom", flexible::make_deployable_beam(spec));
  builder.add_body("hub", {3.0, Vec3(0.1, 0.0, 0.2), Vec3(0.1, 0.2, 0.3).asDiagonal()});
  builder.add_joint({.name = "slide", .type = model::JointType::kPrismatic, .child = "hub"});
  const spatial::Mat3 tilted =
      Eigen::AngleAxisd(0.7, Vec3(0.3, -0.5, 0.8).normalized()).toRotationMatrix();
  builder.add_joint({.name = "hinge",
                     .type = model::JointType::kUniversal,
                     .parent = "hub",
                     .X_PF = {tilted, Vec3(0.3, 0.2, -0.1)},
                     .child = "boom",
                     .X_BM = {tilted, Vec3(0.1, -0.2, 0.3)}});
  const Model model = builder.build();
  const int nv = model.nv();
  VecX q(nv), v(nv);
  q << 0.3, 0.4, -0.6, 5.5, 0.3, -0.2;
  v << 0.2, 0.5, -0.4, 0.8, 0.6, -0.7;
  const auto kinetic = [&](const VecX& at, const VecX& with) {
    State s(model);
    Workspace w(model);
    s.q = at;
    s.v = with;
    forward_kinematics(model, s, w);
    return kinetic_energy(model, s, w);
  };
  const auto momentum = [&](const VecX& at) {
    State s(model);
    Workspace w(model);
    s.q = at;
    MatX M(nv, nv);
    crba(model, s, w, M);
    return VecX(M * v);
  };
  constexpr double kStep = 1e-4;
  VecX expected = (8.0 * (momentum(q + kStep * v) - momentum(q - kStep * v)) -
                   (momentum(q + 2.0 * kStep * v) - momentum(q - 2.0 * kStep * v))) /
                  (12.0 * kStep);
  for (int k = 0; k < nv; ++k) {
    const VecX d = kStep * VecX::Unit(nv, k);
    expected[k] -= (8.0 * (kinetic(q + d, v) - kinetic(q - d, v)) -
                    (kinetic(q + 2.0 * d, v) - kinetic(q - 2.0 * d, v))) /
                   (12.0 * kStep);
  }
  State state(model);
  Workspace w(model);
  state.q = q;
  state.v = v;
  rnea(model, state, VecX(VecX::Zero(nv)), w);
  EXPECT_LT((w.tau - expected).norm(), 1e-8 * expected.norm());
}

// At rest in its length it is a plain beam of that length: the same mass matrix and bias.
TEST(DeployedLine, FrozenItIsAPlainBeam) {
  for (const double length : {2.0, 4.0, 9.0}) {
    DeployableBeamSpec spec = boom(Stowage::kTelescope);
    spec.bending_y = 3;
    spec.bending_z = 2;
    flexible::ModalBeamSpec plain;
    flexible::BeamSection section;
    section.mass_per_length = spec.mass / length;
    section.rotary_inertia_x = spec.rotary_x / length;
    section.bending_stiffness_y = spec.bending_stiffness_y;
    section.bending_stiffness_z = spec.bending_stiffness_z;
    plain.beam = flexible::uniform_beam(length, section);
    plain.bending_y = 3;
    plain.bending_z = 2;
    model::ModelBuilder builder;
    builder.add_flexible_body("boom", flexible::make_modal_beam(plain));
    builder.add_body("load", {5.0, Vec3(0.1, 0.2, 0.0), spatial::Mat3::Identity()});
    builder.add_joint({.name = "tip",
                       .type = model::JointType::kRevolute,
                       .parent = "boom",
                       .parent_frame = "tip",
                       .child = "load"});
    const Model reference = builder.build();
    model::ModelBuilder with_load;
    with_load.add_flexible_body("boom", flexible::make_deployable_beam(spec));
    with_load.add_body("load", {5.0, Vec3(0.1, 0.2, 0.0), spatial::Mat3::Identity()});
    with_load.add_joint({.name = "tip",
                         .type = model::JointType::kRevolute,
                         .parent = "boom",
                         .parent_frame = "tip",
                         .child = "load"});
    const Model frozen = with_load.build();
    State a(reference), b(frozen);
    Workspace wa(reference), wb(frozen);
    const VecX eta = 0.02 * length * VecX::LinSpaced(5, 1.0, -0.5), eta_rate = 3.0 * eta;
    a.q.segment<5>(7) = eta;
    a.v << 0.1, 0.2, -0.3, 0.4, -0.5, 0.6, eta_rate, 0.7;
    b.q[7] = length;
    b.q.segment<5>(8) = eta;
    b.v << 0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.0, eta_rate, 0.7;
    for (int i = 1; i < frozen.link_count(); ++i) {
      b.driven[static_cast<std::size_t>(i)] = frozen.guided(frozen.link(i)) != nullptr;
    }
    VecX tau_a = VecX::Zero(reference.nv()), tau_b = VecX::Zero(frozen.nv());
    tau_a[8] = tau_b[9] = 3.0;
    aba(reference, a, tau_a, wa);
    aba(frozen, b, tau_b, wb);
    VecX without_length(reference.nv());
    without_length << wb.vdot.head<6>(), wb.vdot.tail(6);
    EXPECT_EQ(wb.vdot[6], 0.0);
    EXPECT_LT((without_length - wa.vdot).norm(), 1e-10 * wa.vdot.norm()) << length;
  }
}

}  // namespace
}  // namespace grapple::dynamics
