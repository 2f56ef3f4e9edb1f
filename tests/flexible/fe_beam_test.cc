#include "grapple/flexible/fe_beam.h"

#include <cmath>
#include <functional>

#include "flexible/fe_support.h"

namespace grapple::flexible {
namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

double root_between(const std::function<double(double)>& f, double low, double high) {
  const double sign = f(low) < 0.0 ? 1.0 : -1.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (sign * f(middle) < 0.0 ? low : high) = middle;
  }
  return low;
}

// Clamped beam of length 1 with a point mass `ratio` (of the beam's) at a: the determinant of the
// free end's moment and shear, by transfer of (w, w', w'', w''') over the two parts.
double point_mass_determinant(double beta, double a, double ratio) {
  const auto transfer = [beta](double x) {
    const double b = beta, ch = std::cosh(b * x), sh = std::sinh(b * x), c = std::cos(b * x),
                 s = std::sin(b * x);
    Eigen::Matrix4d F;
    const double f0 = (ch + c) / 2, f1 = (sh + s) / (2 * b), f2 = (ch - c) / (2 * b * b),
                 f3 = (sh - s) / (2 * b * b * b), b4 = b * b * b * b;
    F << f0, f1, f2, f3, b4 * f3, f0, f1, f2, b4 * f2, b4 * f3, f0, f1, b4 * f1, b4 * f2, b4 * f3,
        f0;
    return F;
  };
  Eigen::Matrix4d jump = Eigen::Matrix4d::Identity();
  jump(3, 0) = ratio * std::pow(beta, 4);
  return (transfer(1 - a) * jump * transfer(a)).block<2, 2>(2, 2).determinant();
}

double observed_order(const std::function<double(int)>& error, int elements) {
  return std::log2(error(elements) / error(2 * elements));
}

// Relative error of the eigenvalue of a uniform beam of cubic elements of size h: (beta h)^4 / 720
// to leading order.
double predicted_error(double beta_L, int elements) {
  return std::pow(beta_L / elements, 4) / 720.0;
}

TEST(FiniteElementBeam, CantileverEigenvaluesConvergeFromAboveWithThePredictedFourthOrderError) {
  const double roots[] = {1.8751040687119611, 4.6940911329741744, 7.8547574382376126};
  for (int k = 0; k < 3; ++k) {
    for (const int n : {10, 20, 30}) {
      const double error = eigenvalue(planar_beam(n), k) / std::pow(roots[k], 4) - 1.0;
      // The next order is (beta h)^2 relative: largest 0.62 squared, times a small constant.
      EXPECT_NEAR(error / predicted_error(roots[k], n), 1.0, 0.05) << "mode " << k << ", n " << n;
    }
  }
}

TEST(FiniteElementBeam, CantileverWithTipMassConvergesWithFourthOrder) {
  const double exact = std::pow(
      root_between([](double b) { return point_mass_determinant(b, 1.0, 0.7); }, 0.5, 1.8), 4);
  const auto error = [exact](int n) {
    FiniteElementBeam spec = planar_beam(n);
    spec.tip_body.mass = 0.7 * 2.0 * spec.beam.length;
    return eigenvalue(spec, 0) - exact;
  };
  EXPECT_NEAR(observed_order(error, 4), 4.0, 0.05);
  EXPECT_LT(std::abs(error(10)) / exact, 1e-6);
}

TEST(FiniteElementBeam, InteriorPointMassConvergesWithFourthOrderWhereverItSits) {
  const double a = 0.37;  // no node of the asked mesh: one is added
  const double exact = std::pow(
      root_between([a](double b) { return point_mass_determinant(b, a, 2.0); }, 3.0, 4.6), 4);
  const auto error = [=](int n) {
    FiniteElementBeam spec = planar_beam(n);
    spec.lumped = {
        {a * spec.beam.length, {2.0 * 2.0 * spec.beam.length, Vec3::Zero(), Mat3::Zero()}}};
    return eigenvalue(spec, 1) - exact;
  };
  EXPECT_GT(error(16), 0.0);
  // The added node makes the mesh uneven, so the order is seen less cleanly.
  EXPECT_NEAR(observed_order(error, 8), 4.0, 0.5);
  EXPECT_LT(error(16) / exact, 2e-6);
}

TEST(FiniteElementBeam, FreeAndPinnedRootsGiveTheElasticModesOnly) {
  FiniteElementBeam spec = planar_beam(30);
  spec.reduction = ModalReduction{2};
  for (const auto& [root, exact] : {std::pair{FiniteElementRoot::kFree, 4.730040744862704},
                                    std::pair{FiniteElementRoot::kPinned, 3.926602312047919}}) {
    spec.root = root;
    const double error = eigenvalue(spec, 0) / std::pow(exact, 4) - 1.0;
    EXPECT_NEAR(error / predicted_error(exact, 30), 1.0, 0.05);
    EXPECT_EQ(unusable(finite_element_body(spec)), "");
  }
}

TEST(FiniteElementBeam, FreeModesCarryNoMomentum) {
  FiniteElementBeam spec = planar_beam(10);
  spec.reduction = ModalReduction{3};
  spec.root = FiniteElementRoot::kFree;
  const FlexibleBody free = finite_element_body(spec);
  // Orthogonal to rigid motion up to the eigensolver's round-off; clamped modes give 1.
  EXPECT_LT(free.C1.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(free.N0.cwiseAbs().maxCoeff(), 1e-10);
}

TEST(FiniteElementBeam, TorsionAndAxialFrequenciesAreThoseOfARod) {
  FiniteElementBeam spec = plain_beam(40);
  spec.motions = {FiniteElementMotion::kTorsion, FiniteElementMotion::kAxial};
  spec.reduction = ModalReduction{3};
  const FlexibleBody body = finite_element_body(spec);
  const BeamSection s = plain_section();
  const double torsion = M_PI / 2 / 1.5 * std::sqrt(s.torsion_stiffness / s.rotary_inertia_x);
  const double axial = M_PI / 2 / 1.5 * std::sqrt(s.axial_stiffness / s.mass_per_length);
  const VecX omega = clamped_frequencies(body);
  // Linear elements: relative error (pi/2)^2 / (24 n^2) = 6.4e-5.
  EXPECT_NEAR(omega[0] / torsion, 1.0, 7e-5);
  EXPECT_NEAR(omega[2] / axial, 1.0, 7e-5);
  EXPECT_EQ(body.mode_names, (std::vector<std::string>{"torsion_1", "torsion_2", "axial_1"}));
}

TEST(FiniteElementBeam, StaticDeflectionIsExactAtNodesAndBetweenThem) {
  FiniteElementBeam spec = plain_beam(3);
  const double L = spec.beam.length, P = 4.0, EI = plain_section().bending_stiffness_z;
  spec.frames = {{"tip", L, Mat3::Identity()},
                 {"middle", L / 2, Mat3::Identity()},
                 {"odd", 0.123 * L, Mat3::Identity()}};
  const FlexibleBody body = finite_element_body(spec);
  const VecX eta = body.stiffness.ldlt().solve(body.frames[0].phi.transpose() * Vec3(0.0, 0.0, P));
  EXPECT_NEAR((body.frames[0].phi * eta).z(), P * L * L * L / (3 * EI), 1e-14);
  for (const FrameShape& frame : body.frames) {
    const double x = frame.position.x();
    // Tip load bends the beam into a cubic, which the elements hold exactly.
    EXPECT_NEAR((frame.phi * eta).z(), P * x * x * (3 * L - x) / (6 * EI), 1e-14);
    EXPECT_NEAR((frame.psi * eta).y(), -P * x * (2 * L - x) / (2 * EI), 1e-14);
  }
}

TEST(FiniteElementBeam, ShearAddsItsStaticDeflectionExactly) {
  FiniteElementBeam spec = planar_beam(2);
  BeamSection section = plain_section();
  section.shear_stiffness_y = 900.0;
  spec.beam = uniform_beam(1.5, section);
  spec.theory = Theory::kTimoshenko;
  const FlexibleBody body = finite_element_body(spec);
  const FrameShape& tip = body.frames[1];
  const double L = 1.5, P = 4.0, EI = section.bending_stiffness_y;
  const VecX eta = body.stiffness.ldlt().solve(tip.phi.transpose() * Vec3(0, P, 0));
  EXPECT_NEAR((tip.phi * eta).y(), P * L * L * L / (3 * EI) + P * L / 900.0, 1e-14);
  EXPECT_NEAR((tip.psi * eta).z(), P * L * L / (2 * EI), 1e-14);
}

TEST(FiniteElementBeam, EveryTheoryAgreesWithAssumedModes) {
  const BeamMaterial steel = isotropic(2e11, 0.3, 7800.0);
  const Beam beam = uniform_beam(1.0, steel, Rectangle{0.15, 0.1});  // stocky: theories differ
  for (const Theory theory : {Theory::kEulerBernoulli, Theory::kRayleigh, Theory::kTimoshenko}) {
    FiniteElementBeam elements;
    elements.beam = beam;
    elements.elements = 20;
    elements.theory = theory;
    elements.motions = {FiniteElementMotion::kBendingY, FiniteElementMotion::kBendingZ};
    elements.reduction = ModalReduction{4};
    ModalBeamSpec modes;
    modes.beam = beam;
    modes.theory = theory;
    modes.bending_y = modes.bending_z = 3;
    const VecX a = clamped_frequencies(finite_element_body(elements));
    const VecX b = clamped_frequencies(make_modal_beam(modes));
    // Cubic elements: (beta h)^4 / 1440 of the second mode is 2e-6. With shear the static shapes
    // converge with h^2 only: 2.3e-4 here, a quarter of it with 40 elements.
    const double tolerance = theory == Theory::kTimoshenko ? 3e-4 : 5e-6;
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(a[k] / b[k], 1.0, tolerance) << k;
  }
}

TEST(FiniteElementBeam, TaperedConeHasItsClosedFormMassAndKirchhoffsFrequency) {
  const BeamMaterial steel{2e11, 8e10, 7800.0};
  FiniteElementBeam spec;
  spec.beam = linear_taper(1.0, steel, RoundBar{1e-3}, RoundBar{1e-6});
  spec.elements = 40;
  spec.motions = {FiniteElementMotion::kBendingY};
  spec.reduction = ModalReduction{1};
  const FlexibleBody body = finite_element_body(spec);
  const double r = 1e-3, t = 1e-6;
  EXPECT_NEAR(body.mass, 7800 * M_PI / 3 * (r * r + r * t + t * t), 1e-15);
  // Cone clamped at its base (Kirchhoff 1879): omega = 8.719 sqrt(EI/(rho A)) / L^2 of the base,
  // printed to four digits; L reaches to the apex beyond the cut.
  const double apex = 1.0 / (1.0 - t / r);
  const double base = std::sqrt(2e11 / 7800) * r / 2 / (apex * apex);
  EXPECT_NEAR(clamped_frequencies(body)[0] / base, 8.719, 0.001);
}

TEST(FiniteElementBeam, SectionJumpGetsANodeOfItsOwn) {
  FiniteElementBeam spec = planar_beam(4);
  BeamSection thin = plain_section();
  thin.bending_stiffness_y = 50.0;
  const BeamSection thick = plain_section();
  const double L = spec.beam.length, a = 0.6, b = L - a, P = 2.0;
  spec.beam = varying_beam(L, [=](double x) { return x < a ? thick : thin; }, {a});
  spec.frames = {{"tip", L, Mat3::Identity()}};
  const FlexibleBody body = finite_element_body(spec);
  EXPECT_EQ(body.modes, 2 * 5);
  const VecX eta = body.stiffness.ldlt().solve(body.frames[0].phi.transpose() * Vec3(0, P, 0));
  const double stiff = thick.bending_stiffness_y, soft = thin.bending_stiffness_y;
  // Curvature P (L - x) / EI integrated over each part.
  const double exact = P * (L * L * L - b * b * b) / (3 * stiff) + P * b * b * b / (3 * soft);
  EXPECT_NEAR((body.frames[0].phi * eta).y(), exact, 1e-12);
}

TEST(FiniteElementBeam, DampingRatioReachesTheBody) {
  FiniteElementBeam spec = planar_beam(5);
  spec.reduction = ModalReduction{2};
  spec.damping = ModalDamping{{0.02}};
  const FlexibleBody body = finite_element_body(spec);
  const VecX omega = clamped_frequencies(body);
  EXPECT_NEAR(body.damping(1, 1) / (2 * omega[1]), 0.02, 1e-10);
}

TEST(FiniteElementBeam, RejectsWhatCannotBeBuilt) {
  const auto id_of = [](const std::function<void(FiniteElementBeam&)>& spoil) {
    FiniteElementBeam spec = plain_beam(4);
    spoil(spec);
    return error_id([&] { finite_element_body(spec); });
  };
  using Spec = FiniteElementBeam;
  EXPECT_EQ(id_of([](Spec&) {}), "none");
  EXPECT_EQ(id_of([](Spec& s) { s.elements = 0; }), "GR-330");
  EXPECT_EQ(id_of([](Spec& s) { s.boundaries = {0.0, 1.0, 0.9, 1.5}; }), "GR-330");
  EXPECT_EQ(id_of([](Spec& s) { s.boundaries = {0.0, 1.0}; }), "GR-330");
  EXPECT_EQ(id_of([](Spec& s) { s.reduction = ModalReduction{21}; }), "GR-331");
  EXPECT_EQ(id_of([](Spec& s) { s.reduction = ModalReduction{0}; }), "GR-331");
  EXPECT_EQ(id_of([](Spec& s) { s.reduction = CraigBamptonReduction{{}, {4}, 16}; }), "GR-331");
  EXPECT_EQ(id_of([](Spec& s) {
              s.lumped = {{1.6, {1.0, Vec3::Zero(), Mat3::Zero()}}};
            }),
            "GR-332");
  EXPECT_EQ(id_of([](Spec& s) { s.tip_body.mass = -1.0; }), "GR-332");
  EXPECT_EQ(id_of([](Spec& s) { s.reduction = GuyanReduction{}; }), "GR-333");
  EXPECT_EQ(id_of([](Spec& s) { s.reduction = GuyanReduction{{}, {0}}; }), "GR-333");
  EXPECT_EQ(id_of([](Spec& s) { s.reduction = GuyanReduction{{"elbow"}, {}}; }), "GR-333");
  EXPECT_EQ(id_of([](Spec& s) { s.reduction = GuyanReduction{{}, {5}}; }), "GR-333");
  EXPECT_EQ(id_of([](Spec& s) { s.elements = 13; }), "GR-334");
  EXPECT_EQ(id_of([](Spec& s) { s.root = FiniteElementRoot::kFree; }), "GR-335");
  EXPECT_EQ(id_of([](Spec& s) { s.motions.clear(); }), "GR-336");
  EXPECT_EQ(id_of([](Spec& s) { s.frames = {{"far", 2.0, Mat3::Identity()}}; }), "GR-324");
  EXPECT_EQ(id_of([](Spec& s) {
              BeamSection section = plain_section();
              section.rotary_inertia_x = 0.0;
              s.beam = uniform_beam(1.5, section);
            }),
            "GR-336");
}

}  // namespace
}  // namespace grapple::flexible
