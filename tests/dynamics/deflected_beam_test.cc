// Beams of every maker, bent as far as their shapes allow: the inertia from the compressed field is
// that of every station, and the beam on a free hinge keeps a positive one. There the smallest
// inertia is what clamped modes leave of a rigid turn, J - N E^-1 N', which shrinks as modes are
// added: whatever the kinetic energy leaves out must be compared with that.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <functional>

#include "grapple/dynamics/internal/flexible_inertia.h"
#include "grapple/flexible/beam_modes.h"
#include "grapple/flexible/fe_beam.h"
#include "grapple/spatial/symmetric_eigen.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using flexible::DeflectedInertia;
using flexible::FlexibleBody;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

const spatial::MassProperties kPayload{
    0.4, {0.03, -0.02, 0.04}, Vec3(0.01, 0.012, 0.015).asDiagonal()};

flexible::Beam boom() {
  flexible::BeamSection section;
  section.mass_per_length = 1.0;
  section.bending_stiffness_y = section.bending_stiffness_z = 100.0;
  section.torsion_stiffness = 80.0;
  section.rotary_inertia_x = 2e-3;
  section.rotary_inertia_y = section.rotary_inertia_z = 1e-3;
  return flexible::uniform_beam(2.0, section);
}

struct Maker {
  std::string name;
  std::function<FlexibleBody(DeflectedInertia)> make;
};

Maker modal(int y, int z, int torsion, const spatial::MassProperties& tip) {
  return {"modes " + std::to_string(y) + (tip.mass > 0.0 ? " with tip" : ""),
          [=](DeflectedInertia inertia) {
            flexible::ModalBeamSpec spec;
            spec.beam = boom();
            spec.bending_y = y, spec.bending_z = z, spec.torsion = torsion;
            spec.tip_body = tip;
            if (tip.mass > 0.0) spec.boundary = flexible::Boundary::kClampedWithTipBody;
            spec.inertia = inertia;
            return flexible::make_modal_beam(spec);
          }};
}

Maker elements(const std::string& name, int count, flexible::FiniteElementReduction reduction,
               const spatial::MassProperties& tip) {
  return {name, [=](DeflectedInertia inertia) {
            flexible::FiniteElementBeam spec;
            spec.beam = boom();
            spec.elements = count;
            spec.reduction = reduction;
            spec.tip_body = tip;
            spec.theory = flexible::Theory::kRayleigh;
            spec.inertia = inertia;
            return flexible::finite_element_body(spec);
          }};
}

std::vector<Maker> makers() {
  flexible::CraigBamptonReduction bampton;
  bampton.frames = {"tip"};
  bampton.modes = 3;
  return {modal(2, 2, 1, {}),
          modal(4, 0, 0, {}),
          modal(8, 0, 0, {}),
          modal(2, 2, 1, kPayload),
          elements("natural modes", 4, flexible::ModalReduction{6}, kPayload),
          elements("Craig-Bampton", 6, bampton, kPayload),
          elements("whole mesh", 3, flexible::WholeMesh{}, {}),
          elements("one element", 1, flexible::WholeMesh{}, kPayload)};
}

struct Evaluated {
  MatX hinge;  // mass matrix of a turn about z and the modes
  MatX all;    // of every rigid motion and the modes
  VecX bias;

  Evaluated(const FlexibleBody& body, const VecX& eta, const VecX& rate, const Vec3& omega) {
    const int m = body.modes;
    const flexible::PackedBody packed = flexible::pack(body);
    model::FlexibleScratch<double> f(packed);
    flexible_inertia(packed, eta.data(), f);
    flexible_bias<double>(packed, rate.data(), omega, f);
    MatX N(3, m), P(3, m);
    for (int k = 0; k < m; ++k) {
      N.col(k) = f.N[static_cast<std::size_t>(k)];
      P.col(k) = f.P[static_cast<std::size_t>(k)];
    }
    const MatX E = Eigen::Map<const MatX>(f.modal_mass.data(), m, m);
    const spatial::Mat3 c = spatial::skew<double>(f.c);
    all.resize(6 + m, 6 + m);
    all << f.J.matrix(), c, N, c.transpose(), body.mass * spatial::Mat3::Identity(), P,
        N.transpose(), P.transpose(), E;
    hinge.resize(1 + m, 1 + m);
    hinge << f.J.zz, N.row(2), N.row(2).transpose(), E;
    bias.resize(6 + m);
    bias << f.p_ang, f.p_lin, Eigen::Map<const VecX>(f.p_modal.data(), m);
  }
};

// Coordinates whose largest section rotation is `rotation`.
VecX bent(const flexible::PackedBody& packed, double rotation, test::RandomTree& random) {
  VecX eta = random.efforts(packed.modes);
  double largest = 0.0;
  for (const auto& psi : packed.sections) {
    Vec3 theta = Vec3::Zero();
    for (std::size_t k = 0; k < psi.size(); ++k)
      theta += eta[static_cast<Eigen::Index>(k)] * psi[k];
    largest = std::max(largest, theta.norm());
  }
  return rotation / largest * eta;
}

TEST(DeflectedBeam, CompressedInertiaIsThatOfEveryStation) {
  for (const Maker& maker : makers()) {
    const FlexibleBody fast = maker.make(DeflectedInertia::kCompressed);
    const FlexibleBody slow = maker.make(DeflectedInertia::kEveryStation);
    for (unsigned seed = 0; seed < 10; ++seed) {
      test::RandomTree random(seed);
      const VecX eta = bent(flexible::pack(fast), 0.3, random), rate = random.efforts(fast.modes);
      const Vec3 omega = random.vector(2.0);
      const Evaluated a(fast, eta, rate, omega), b(slow, eta, rate, omega);
      EXPECT_LT((a.all - b.all).norm(), 1e-11 * b.all.norm()) << maker.name;
      EXPECT_LT((a.bias - b.bias).norm(), 1e-11 * b.bias.norm()) << maker.name;
      // Against the smallest inertia of the hinge, some 1e-6 of the largest.
      const VecX ratios = spatial::symmetric_eigenvalues(a.hinge, b.hinge);
      EXPECT_LT((ratios.array() - 1.0).abs().maxCoeff(), 1e-8) << maker.name << ", seed " << seed;
    }
  }
}

// Fails for integrals truncated at second order, from slopes of a few hundredths on.
TEST(DeflectedBeam, OnAFreeHingeItsInertiaIsPositiveHoweverFarItBends) {
  for (const Maker& maker : makers()) {
    FlexibleBody body = maker.make(DeflectedInertia::kCompressed);
    for (const double rotation : {0.02, 0.1, 0.3, 1.0}) {
      for (unsigned seed = 0; seed < 10; ++seed) {
        test::RandomTree random(seed);
        const VecX eta = bent(flexible::pack(body), rotation, random);
        const Evaluated at(body, eta, VecX::Zero(body.modes), Vec3::Zero());
        EXPECT_EQ(Eigen::LLT<MatX>(at.hinge).info(), Eigen::Success)
            << maker.name << ", " << rotation << ", seed " << seed;
      }
    }
  }
}

// Functions: constant, x, one per mode, and one per pair of modes of a plane; both planes share.
// Twist with bending adds one per pair of a torsion and a bending mode.
TEST(DeflectedBeam, FewEntriesHoldAModalBeam) {
  const auto points = [](const Maker& maker) {
    const flexible::PackedBody body = flexible::pack(maker.make(DeflectedInertia::kCompressed));
    const std::array<int, 3>& used = body.field.position_reach;
    return *std::max_element(used.begin(), used.end());
  };
  EXPECT_LE(points(modal(1, 1, 0, {})), 2 + 1 + 1);
  EXPECT_LE(points(modal(2, 2, 1, {})), 2 + 2 + 3 + 2);
  EXPECT_LE(points(modal(4, 4, 0, {})), 2 + 4 + 10);
  EXPECT_LE(points(modal(8, 8, 0, {})), 2 + 8 + 36);
}

}  // namespace
}  // namespace grapple::dynamics
