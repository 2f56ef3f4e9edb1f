// King (1988), Tables 3.2 and 3.3: first frequency of link 1 of a planar two-link arm whose second
// link is frozen and carries a payload. The printed numbers follow from the mass of a round bar of
// radius 6 mm with the stiffness of a square one of 12 mm (an inference from all eight rows).
#include <cmath>
#include <numbers>

#include "flexible/fe_support.h"

namespace grapple::flexible {
namespace {

using spatial::Mat3;
using spatial::Vec3;

constexpr double kPi = std::numbers::pi;
constexpr double kLength = 1.22;
constexpr double kLinkMass = 2780.0 * kPi * 0.006 * 0.006 * kLength;  // printed as 0.384 kg

BeamSection link_section() {
  BeamSection section;
  section.mass_per_length = kLinkMass / kLength;
  section.bending_stiffness_y = 6.9e10 * std::pow(0.012, 4) / 12.0;
  return section;
}

// Link 2 and the payload at its end as one rigid body at the tip of link 1.
TipBody outboard(double payload, double q2) {
  const double link = kLinkMass, mass = link + payload;
  const double along = (link * kLength / 2 + payload * kLength) / mass;
  const double about_tip = link * kLength * kLength / 3 + payload * kLength * kLength;
  const double about_com = about_tip - mass * along * along;
  const Vec3 axis(std::cos(q2), std::sin(q2), 0.0);
  return {mass, along * axis, about_com * (Mat3::Identity() - axis * axis.transpose())};
}

double elements_hz(double payload, double q2) {
  FiniteElementBeam spec;
  spec.beam = uniform_beam(kLength, link_section());
  spec.elements = 8;
  spec.motions = {FiniteElementMotion::kBendingY};
  spec.tip_body = outboard(payload, q2);
  return clamped_frequencies(finite_element_body(spec))[0] / (2 * kPi);
}

// One clamped-free mode; the outboard body is not part of the boundary condition.
double one_mode_hz(double payload, double q2) {
  ModalBeamSpec spec;
  spec.beam = uniform_beam(kLength, link_section());
  spec.bending_y = 1;
  spec.tip_body = outboard(payload, q2);
  const FlexibleBody body = make_modal_beam(spec);
  return std::sqrt(body.stiffness(0, 0) / body.E(0, 0)) / (2 * kPi);
}

struct Row {
  double payload, q2;
  double elements_hz, last_digit, one_mode_hz;
};
const Row kRows[] = {
    {0.0, 0.0, 1.88, 0.01, 2.02},    {0.2, 0.0, 1.33, 0.01, 1.47},
    {0.4, 0.0, 1.09, 0.01, 1.21},    {0.6, 0.0, 0.943, 0.001, 1.05},
    {0.8, 0.0, 0.844, 0.001, 0.943}, {0.0, kPi / 2, 2.50, 0.01, 2.66},
    {0.0, kPi, 5.14, 0.01, 5.15},
};

TEST(KingTables, FiniteElementsGiveThePrintedDigits) {
  for (const Row& row : kRows) {
    // Half a unit of the last printed digit; row 4 (0.94350 Hz) sits on the edge.
    EXPECT_NEAR(elements_hz(row.payload, row.q2), row.elements_hz, 0.51 * row.last_digit)
        << "payload " << row.payload << " kg, q2 " << row.q2;
  }
}

TEST(KingTables, OneAssumedModeIsWithinHalfAPercent) {
  for (const Row& row : kRows) {
    EXPECT_NEAR(one_mode_hz(row.payload, row.q2) / row.one_mode_hz, 1.0, 0.005)
        << "payload " << row.payload << " kg, q2 " << row.q2;
  }
}

// The digits an independent prototype gave for the same inputs.
TEST(KingTables, FiniteElementsAgreeWithTheIndependentPrototype) {
  const double prototype[] = {1.878, 1.333, 1.089, 0.9435, 0.8440, 2.504, 5.145};
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    // Half a unit of the prototype's fourth digit.
    EXPECT_NEAR(elements_hz(kRows[i].payload, kRows[i].q2), prototype[i], 5.1e-4);
  }
}

}  // namespace
}  // namespace grapple::flexible
