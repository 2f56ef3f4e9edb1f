#include "grapple/flexible/reduction.h"

#include "flexible/fe_support.h"

namespace grapple::flexible {
namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

// Everything that can couple: offset tip body, a lump, interior frame, stiffening, damping.
FiniteElementBeam rich_beam(int elements) {
  FiniteElementBeam spec = plain_beam(elements);
  spec.tip_body = {0.8, Vec3(0.1, -0.05, 0.07), 0.01 * Mat3::Identity()};
  spec.lumped = {{0.75, {0.3, Vec3::Zero(), Mat3::Zero()}}};
  spec.frames = {{"tip", 1.5, Mat3::Identity()}, {"middle", 0.75, Mat3::Identity()}};
  spec.damping = KelvinVoigtDamping{1e-3};
  return spec;
}

double difference(const MatX& a, const MatX& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

double difference(const Quadratic3& a, const Quadratic3& b) {
  double most = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(a[c].size(), b[c].size());
    if (a[c].size() > 0) most = std::max(most, difference(a[c], b[c]));
  }
  return most;
}

void expect_same(const FlexibleBody& a, const FlexibleBody& b, double tolerance) {
  ASSERT_EQ(a.modes, b.modes);
  EXPECT_LT(difference(a.C1, b.C1), tolerance);
  EXPECT_LT(difference(a.C2, b.C2), tolerance);
  EXPECT_LT(difference(a.N0, b.N0), tolerance);
  EXPECT_LT(difference(a.E, b.E), tolerance);
  EXPECT_LT(difference(a.stiffness, b.stiffness), tolerance);
  EXPECT_LT(difference(a.damping, b.damping), tolerance);
  for (std::size_t k = 0; k < a.J1.size(); ++k) {
    EXPECT_LT(difference(a.J1[k], b.J1[k]), tolerance);
    EXPECT_LT(difference(a.N1[k], b.N1[k]), tolerance);
  }
  for (std::size_t k = 0; k < a.J2.size(); ++k) EXPECT_LT(difference(a.J2[k], b.J2[k]), tolerance);
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_LT(difference(a.frames[i].phi, b.frames[i].phi), tolerance);
    EXPECT_LT(difference(a.frames[i].psi, b.frames[i].psi), tolerance);
    EXPECT_LT(difference(a.frames[i].H, b.frames[i].H), tolerance);
  }
}

TEST(Reduction, CraigBamptonWithAllModesIsTheWholeBody) {
  FiniteElementBeam spec = rich_beam(2);
  const FlexibleBody whole = finite_element_body(spec);
  spec.reduction = CraigBamptonReduction{{"tip"}, {}, whole.modes - 5};
  const FlexibleBody reduced = finite_element_body(spec);
  ASSERT_EQ(reduced.modes, whole.modes);
  const VecX ratio = clamped_frequencies(reduced).cwiseQuotient(clamped_frequencies(whole)) -
                     VecX::Ones(whole.modes);
  EXPECT_LT(ratio.cwiseAbs().maxCoeff(), 1e-9);
  // The same by way of the whole body: two independent orders of integrating and reducing. The
  // coordinates of large generalized stiffness (1e8 N/m) set the size of the round-off.
  const MatX T = craig_bampton(whole.E, whole.stiffness, {5, 6, 7, 8, 9}, whole.modes - 5);
  expect_same(transform(whole, T, reduced.mode_names), reduced, 1e-9);
  const FlexibleBody back =
      transform(transform(whole, T, whole.mode_names), T.inverse(), whole.mode_names);
  expect_same(back, whole, 1e-9);
}

TEST(Reduction, CraigBamptonFrequenciesConvergeFromAbove) {
  FiniteElementBeam spec = rich_beam(6);
  const VecX whole = clamped_frequencies(finite_element_body(spec));
  double previous = 1e300;
  for (const int modes : {0, 2, 5, 10, 25}) {
    spec.reduction = CraigBamptonReduction{{"tip"}, {}, modes};
    const VecX reduced = clamped_frequencies(finite_element_body(spec));
    const double error = reduced[3] / whole[3] - 1.0;
    for (Eigen::Index k = 0; k < reduced.size(); ++k) EXPECT_GT(reduced[k], whole[k] * (1 - 1e-10));
    EXPECT_LE(error, previous * (1 + 1e-9) + 1e-12);
    previous = error;
  }
  EXPECT_LT(previous, 1e-9);
}

TEST(Reduction, GuyanCarriesStaticLoadsOnKeptNodesExactly) {
  FiniteElementBeam spec = rich_beam(5);
  const FlexibleBody whole = finite_element_body(spec);
  spec.reduction = GuyanReduction{{"tip", "middle"}, {}};
  const FlexibleBody reduced = finite_element_body(spec);
  EXPECT_EQ(reduced.modes, 10);
  const Vec3 force(0.0, 3.0, -2.0);
  const auto tip = [&](const FlexibleBody& b) {
    return Vec3(b.frames[0].phi * b.stiffness.ldlt().solve(b.frames[1].phi.transpose() * force));
  };
  EXPECT_LT((tip(reduced) - tip(whole)).norm(), 1e-12 * tip(whole).norm());
  // The first frequency of a static reduction to two nodes errs by well below a percent, upwards.
  const double ratio = clamped_frequencies(reduced)[0] / clamped_frequencies(whole)[0];
  EXPECT_GT(ratio, 1.0);
  EXPECT_LT(ratio, 1.001);
}

TEST(Reduction, NaturalModesAreTheLowestOfTheWholeBodyAndDiagonal) {
  FiniteElementBeam spec = rich_beam(4);
  const FlexibleBody whole = finite_element_body(spec);
  spec.reduction = ModalReduction{6};
  const FlexibleBody modal = finite_element_body(spec);
  expect_same(keep_lowest_modes(whole, 6), modal, 1e-9);
  EXPECT_LT((modal.E - MatX::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-10);
  const VecX omega = clamped_frequencies(whole);
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(std::sqrt(modal.stiffness(k, k)) / omega[k], 1.0, 1e-9);
  }
}

TEST(Reduction, EqualPlanesDoNotMix) {
  FiniteElementBeam spec = plain_beam(6);
  BeamSection section = plain_section();
  section.bending_stiffness_z = section.bending_stiffness_y;
  spec.beam = uniform_beam(1.5, section);
  spec.frames = {{"tip", 1.5, Mat3::Identity()}};
  spec.reduction = ModalReduction{4};
  const FlexibleBody body = finite_element_body(spec);
  EXPECT_EQ(body.mode_names,
            (std::vector<std::string>{"bending_y_1", "bending_z_1", "bending_y_2", "bending_z_2"}));
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(body.frames[0].phi.col(k).cwiseAbs().minCoeff(), 0.0);
    EXPECT_EQ((body.frames[0].phi.col(k).array() != 0.0).count(), 1);
  }
}

TEST(Reduction, FineMeshesKeepTheirDigits) {
  FiniteElementBeam spec = planar_beam(100);
  spec.reduction = ModalReduction{3};
  // The mesh errs by 2e-10; the rounding of the stiffness entries (1e-16 of entries 1e10 times the
  // eigenvalue) is what is left. The direct problem K v = lambda M v would lose four digits more.
  EXPECT_NEAR(eigenvalue(spec, 0) / std::pow(1.8751040687119611, 4), 1.0, 2e-7);
}

TEST(Reduction, RejectsWhatCannotBeReduced) {
  const MatX M = MatX::Identity(3, 3);
  MatX K(3, 3);
  K << 1, -1, 0, -1, 2, -1, 0, -1, 1;
  EXPECT_EQ(error_id([&] { guyan(K, {}); }), "GR-333");
  EXPECT_EQ(error_id([&] { lowest_modes(M, K, 4); }), "GR-331");
  EXPECT_EQ(error_id([&] { craig_bampton(M, K, {0}, 3); }), "GR-331");
  EXPECT_EQ(lowest_modes(M, K, 3).eigenvalues[0], 0.0);
  // Held at one end the chain is stiff; a coordinate tied to nothing is not.
  EXPECT_EQ(error_id([&] { guyan(K, {0}); }), "none");
  EXPECT_EQ(error_id([&] { guyan(MatX(VecX{{1.0, 0.0}}.asDiagonal()), {0}); }), "GR-333");
}

}  // namespace
}  // namespace grapple::flexible
