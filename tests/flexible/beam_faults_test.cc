// Sections, damping, frames, and what a wrong beam is told.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numbers>

#include "flexible/beam_support.h"
#include "grapple/base/error.h"

namespace grapple::flexible::test {
namespace {

using spatial::MatX;

ModalBeamSpec one_mode() {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.name = "link1";
  spec.bending_y = 1;
  return spec;
}

std::string text_of(const ModalBeamSpec& spec) {
  try {
    make_modal_beam(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

template <class Change>
std::string fault(Change change) {
  ModalBeamSpec spec = one_mode();
  change(spec);
  return text_of(spec);
}

void with_section(ModalBeamSpec& spec, const std::function<void(BeamSection&)>& change) {
  BeamSection s = plain_section();
  change(s);
  spec.beam = uniform_beam(kLength, s);
}

bool starts(const std::string& text, const std::string& id) {
  return text.rfind(id + " beam 'link1'", 0) == 0;
}

TEST(BeamFaults, EveryWrongBeamHasItsId) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Spec = ModalBeamSpec;
  EXPECT_EQ(text_of(one_mode()), "accepted");
  for (double length : {0.0, -1.0, nan}) {
    EXPECT_TRUE(starts(fault([=](Spec& s) { s.beam.length = length; }), "GR-320"));
  }
  EXPECT_TRUE(
      starts(fault([](Spec& s) { with_section(s, [](auto& b) { b.bending_stiffness_y = -1; }); }),
             "GR-321"));
  EXPECT_TRUE(
      starts(fault([](Spec& s) { with_section(s, [](auto& b) { b.bending_stiffness_y = 0; }); }),
             "GR-321"));
  EXPECT_TRUE(starts(
      fault([](Spec& s) { with_section(s, [](auto& b) { b.mass_per_length = 0; }); }), "GR-321"));
  EXPECT_TRUE(starts(fault([](Spec& s) {
                       with_section(s, [](auto& b) { b.rotary_inertia_x = 0; });
                       s.torsion = 1;
                     }),
                     "GR-321"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.beam.breaks = {3.0}; }), "GR-321"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.bending_y = 0; }), "GR-322"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.torsion = -2; }), "GR-322"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.bending_y = 201; }), "GR-323"));
  EXPECT_TRUE(starts(fault([](Spec& s) {
                       s.bending_y = 61;
                       s.beam.uniformity = Uniformity::kVarying;
                     }),
                     "GR-323"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.frames = {{"camera", 2.6, {}}}; }), "GR-324"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.frames = {{"camera", -1e-9, {}}}; }), "GR-324"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.frames = {{"a", 1, {}}, {"a", 2, {}}}; }), "GR-324"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.polynomials.bending_y = {{0, 1, 1}}; }), "GR-325"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.polynomials.axial = {{1, 1}}; }), "GR-325"));
  EXPECT_TRUE(starts(fault([=](Spec& s) { s.polynomials.bending_y = {{0, 0, nan}}; }), "GR-325"));
  EXPECT_TRUE(starts(fault([](Spec& s) {
                       s.polynomials.bending_y = {{0, 0, 1}};
                       s.boundary = Boundary::kClampedClamped;
                     }),
                     "GR-325"));
  EXPECT_TRUE(starts(fault([](Spec& s) {
                       s.polynomials.bending_y = {{0, 0, 1}, {0, 0, 2}};
                     }),
                     "GR-326"));
  EXPECT_TRUE(starts(fault([](Spec& s) {
                       s.polynomials.bending_y = {{0, 1}};
                       s.boundary = Boundary::kPinnedFree;
                     }),
                     "GR-326"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.tip_body.mass = -1.0; }), "GR-327"));
  EXPECT_TRUE(starts(fault([](Spec& s) {
                       s.polynomials.bending_y = {{0, 0, 1}};
                       s.theory = Theory::kTimoshenko;
                     }),
                     "GR-329"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.damping = ModalDamping{{-0.1}}; }), "GR-328"));
  EXPECT_TRUE(starts(fault([](Spec& s) { s.damping = ModalDamping{{0.1, 0.1}}; }), "GR-328"));
  EXPECT_EQ(fault([](Spec& s) {
              s.damping = RayleighDamping{1.0, 0.5, 2.0, 0.01};
            }).substr(0, 6),
            "GR-328");
}

TEST(BeamFaults, TheTextSaysWhatWasFoundAndWhatIsAllowed) {
  EXPECT_EQ(fault([](ModalBeamSpec& s) {
              s.frames = {{"camera", 2.6, {}}};
            }),
            "GR-324 beam 'link1': frame 'camera' is at x = 2.6 m, outside the beam (0 to 2.5 m)");
}

TEST(BeamSections, RoundBarTubeAndRectangle) {
  const BeamMaterial m = isotropic(2.0e11, 0.3, 7800.0);
  const BeamSection bar = section_of(m, RoundBar{0.01});
  EXPECT_NEAR(bar.bending_stiffness_y, 2.0e11 * std::numbers::pi * 1e-8 / 4.0, 1e-9);
  EXPECT_NEAR(bar.torsion_stiffness, bar.bending_stiffness_y / 1.3, 1e-9);  // 2 G / E = 1 / 1.3
  EXPECT_NEAR(bar.shear_stiffness_y / (m.shear * std::numbers::pi * 1e-4), 6 * 1.3 / 8.8, 1e-12);
  const BeamSection thin = section_of(m, Tube{0.01, 0.01 - 1e-9});
  // Thin tube: I = A r^2 / 2, shear coefficient 2 (1 + nu) / (4 + 3 nu).
  EXPECT_NEAR(thin.bending_stiffness_z / thin.axial_stiffness, 0.5e-4, 1e-10);
  EXPECT_NEAR(thin.shear_stiffness_z / (thin.axial_stiffness / 2.6), 2.6 / 4.9, 1e-6);
  const BeamSection plate = section_of(m, Rectangle{0.01, 0.03});
  EXPECT_NEAR(plate.bending_stiffness_y, 2.0e11 * 0.03 * 1e-6 / 12.0, 1e-9);  // thin along y
  EXPECT_NEAR(plate.bending_stiffness_z, 9.0 * plate.bending_stiffness_y, 1e-9);
  // Timoshenko and Goodier, table of the torsion of rectangles: 0.263 for 3 : 1, 0.1406 for 1 : 1.
  EXPECT_NEAR(plate.torsion_stiffness / (m.shear * 0.03 * 1e-6), 0.263, 5e-4);
  const BeamSection square = section_of(m, Rectangle{0.01, 0.01});
  EXPECT_NEAR(square.torsion_stiffness / (m.shear * 1e-8), 0.1406, 5e-5);
}

TEST(BeamDamping, EveryKindGivesTheRatiosItPromises) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.bending_y = spec.bending_z = 2;
  BeamSection s = plain_section();
  s.bending_stiffness_z = s.bending_stiffness_y;  // equal frequencies must not mix the planes
  spec.beam = uniform_beam(kLength, s);
  const auto ratio = [](const FlexibleBody& b, int k) {
    return b.damping(k, k) / (2.0 * std::sqrt(b.E(k, k) * b.stiffness(k, k)));
  };
  spec.damping = ModalDamping{{0.01, 0.02, 0.03, 0.04}};
  const FlexibleBody modal = make_modal_beam(spec);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(ratio(modal, k), 0.01 * (k + 1), 1e-14);
  EXPECT_LT(coupling(modal.damping), 1e-12);

  const double w1 = std::sqrt(modal.stiffness(0, 0) / modal.E(0, 0));
  const double w2 = std::sqrt(modal.stiffness(1, 1) / modal.E(1, 1));
  spec.damping = RayleighDamping{w1, 0.01, w2, 0.02};
  const FlexibleBody rayleigh = make_modal_beam(spec);
  EXPECT_NEAR(ratio(rayleigh, 0), 0.01, 1e-14);
  EXPECT_NEAR(ratio(rayleigh, 1), 0.02, 1e-14);

  spec.damping = KelvinVoigtDamping{1e-3};
  EXPECT_NEAR(ratio(make_modal_beam(spec), 0), 0.5e-3 * w1, 1e-14);
}

TEST(BeamDamping, OneRatioHoldsForCoupledModes) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.bending_y = spec.bending_z = spec.torsion = 2;
  spec.tip_body = {3.0, {0.2, 0.3, 0.1}, spatial::Vec3(0.5, 0.6, 0.7).asDiagonal()};
  spec.damping = ModalDamping{{0.02}};
  const FlexibleBody b = make_modal_beam(spec);
  EXPECT_GT(coupling(b.E), 1e-2);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> modes(b.stiffness, b.E);
  const MatX D = modes.eigenvectors().transpose() * b.damping * modes.eigenvectors();
  for (int k = 0; k < b.modes; ++k) {
    EXPECT_NEAR(D(k, k), 0.04 * std::sqrt(modes.eigenvalues()[k]), 1e-11 * D(k, k) + 1e-12);
  }
  EXPECT_LT(coupling(D), 1e-9);
}

TEST(BeamFrames, InteriorFramesCarryShapesSlopesAndShortening) {
  ModalBeamSpec spec = plain_spec(Boundary::kClampedFree);
  spec.bending_y = spec.bending_z = 2;
  const double h = 1e-4;
  spec.frames = {{"after", 1.0 + h, spatial::Mat3::Identity()},
                 {"at", 1.0, spatial::Mat3::Identity()},
                 {"before", 1.0 - h, spatial::Mat3::Identity()}};
  const FlexibleBody b = make_modal_beam(spec);
  ASSERT_EQ(b.frames.size(), 5u);
  EXPECT_EQ(b.frames[0].name, "after");
  const FrameShape &after = frame(b, "after"), &at = frame(b, "at"), &before = frame(b, "before");
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR((after.phi(1, k) - before.phi(1, k)) / (2 * h), at.psi(2, k), 1e-6);
    EXPECT_NEAR((after.phi(2, 2 + k) - before.phi(2, 2 + k)) / (2 * h), -at.psi(1, 2 + k), 1e-6);
    EXPECT_NEAR((after.H[0](k, k) - before.H[0](k, k)) / (2 * h), -std::pow(at.psi(2, k), 2), 1e-5);
  }
  EXPECT_EQ(at.H[0](0, 2), 0.0);
  EXPECT_EQ(frame(b, "root").H[0].norm(), 0.0);
}

}  // namespace
}  // namespace grapple::flexible::test
