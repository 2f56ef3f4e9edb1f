// A line in absolute nodal coordinates: its forces follow from its energy, the energy does not know
// where the line is, and small motion is that of a beam.
#include "grapple/force/line_elasticity.h"

#include <gtest/gtest.h>

#include <numbers>

#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/force/force_elements.h"
#include "system/support.h"

namespace grapple::system::testing {
namespace {

using flexible::AbsoluteNodalBeam;
using flexible::LinePlane;
using flexible::NodalBody;

constexpr double kLength = 2.0, kEI = 10.0, kEA = 1e4, kMassPerLength = 1.5;

NodalBody line(LinePlane plane, int elements) {
  flexible::BeamSection section;
  section.mass_per_length = kMassPerLength;
  section.axial_stiffness = kEA;
  section.bending_stiffness_y = section.bending_stiffness_z = kEI;
  AbsoluteNodalBeam spec;
  spec.beam = flexible::uniform_beam(kLength, section);
  spec.elements = elements;
  spec.plane = plane;
  return flexible::absolute_nodal_body(spec);
}

JointSpec clamp(const Mat3& R_WB) {
  JointSpec spec = joint("clamp", JointType::kFixed, "world", "line", R_WB);
  spec.X_BM = {};
  return spec;
}

// Clamped to the world with its axis along an arbitrary direction.
System cantilever(const NodalBody& body, double time_constant, const Mat3& R_WB,
                  std::vector<std::unique_ptr<element::Element>> loads = {}) {
  ModelBuilder builder;
  builder.add_flexible_body("line", body.body);
  builder.add_joint(clamp(R_WB));
  Model model = builder.build();
  loads.push_back(
      force::make_line_elasticity(model, model.bodies()[0].link, body.strains, time_constant));
  return system_of(std::move(model), std::move(loads));
}

struct Bent {
  NodalBody body;
  System system;
  VecX x;
  explicit Bent(LinePlane plane, double time_constant = 0.0)
      : body(line(plane, 3)), system(cantilever(body, time_constant, Mat3::Identity())) {
    test::RandomTree random(7);
    VecX q(system.model().nq()), v(system.model().nv());
    for (int k = 0; k < q.size(); ++k) q[k] = random.uniform(-0.3, 0.3);
    for (int k = 0; k < v.size(); ++k) v[k] = random.uniform(-1.0, 1.0);
    x = state_with(system, q, v);
  }
};

class Line : public ::testing::TestWithParam<LinePlane> {};
INSTANTIATE_TEST_SUITE_P(Planes, Line,
                         ::testing::Values(LinePlane::kY, LinePlane::kZ, LinePlane::kSpatial));

TEST_P(Line, ForcesAreTheNegativeGradientOfTheEnergy) {
  const Bent bent(GetParam());
  const Snapshot<double> at = evaluated(bent.system, 0.0, bent.x);
  for (int k = 0; k < bent.system.model().nv(); ++k) {
    const double slope = derivative(
        [&](double h) {
          VecX moved = bent.x;
          moved[k] += h;
          return stored(evaluated(bent.system, 0.0, moved), element::Stored::kElastic);
        },
        1e-3);
    // Order 8 differences of an energy of about 1e3 J.
    EXPECT_NEAR(at.tau[k], -slope, 1e-7 * (1.0 + std::abs(slope)));
  }
}

TEST_P(Line, StiffnessAtRestIsTheSlopeOfTheForces) {
  const Bent bent(GetParam());
  const VecX rest = bent.system.initial_state();
  const int n = bent.system.model().nv();
  for (int k = 0; k < n; ++k) {
    const VecX slope = derivative(
        [&](double h) {
          VecX moved = rest;
          moved[k] += h;
          return VecX(evaluated(bent.system, 0.0, moved).tau);
        },
        1e-4);
    EXPECT_LT((bent.body.body.stiffness.col(k) + slope).norm(), 1e-6 * (1.0 + slope.norm())) << k;
  }
}

// Damping takes what it must: the elastic and kinetic energy fall by its power.
TEST_P(Line, KelvinVoigtDampingIsInTheLedger) {
  const Bent bent(GetParam(), 0.01);
  const Snapshot<double> at = evaluated(bent.system, 0.0, bent.x);
  const VecX rate = rate_of(bent.system, at);
  const double change = derivative(
      [&](double h) {
        const Snapshot<double> moved = evaluated(bent.system, 0.0, bent.x + h * rate);
        return stored(moved, element::Stored::kElastic) + stored(moved, element::Stored::kKinetic);
      },
      1e-5);
  EXPECT_LT(supply(at, element::Supply::kDamping), -1.0);
  EXPECT_NEAR(change, supply(at, element::Supply::kDamping), 1e-6 * std::abs(change));
}

// A line in space bent in a plane has the same energy in every plane through its axis.
TEST(LineInSpace, DoesNotKnowItsRoll) {
  const Bent bent(LinePlane::kSpatial);
  const double reference = stored(evaluated(bent.system, 0.0, bent.x), element::Stored::kElastic);
  const Mat3 R = spatial::rotation_about(Vec3::UnitX(), 0.7);
  VecX rolled = bent.x;
  for (int k = 1; k + 3 <= bent.system.model().nq(); k += 3) {
    rolled.segment<3>(k) = R * Vec3(bent.x.segment<3>(k));
  }
  EXPECT_NEAR(stored(evaluated(bent.system, 0.0, rolled), element::Stored::kElastic), reference,
              1e-12 * reference);
}

// Outside its first element the line may turn as a whole: only the first element then bends.
TEST(LineInPlane, TurnedStraightPartStoresNothing) {
  const NodalBody body = line(LinePlane::kY, 4);
  const System system = cantilever(body, 0.0, Mat3::Identity());
  VecX x = system.initial_state();
  const auto energy_of_part = [&](int from_element) {
    double energy = 0.0;
    for (const flexible::LinePoint& point : body.strains) {
      // Points of later elements have no term of the root or of earlier nodes.
      const bool later = std::all_of(point.terms.begin(), point.terms.end(), [&](const auto& term) {
        return term.coordinate >= 1 + 4 * (from_element - 1);
      });
      if (!later) continue;
      Vec3 g = Vec3::UnitX(), b = Vec3::Zero();
      for (const auto& term : point.terms) {
        g[term.component] += term.slope * x[term.coordinate];
        b[term.component] += term.bend * x[term.coordinate];
      }
      energy += 0.5 * point.stretch_stiffness * std::pow(g.norm() - 1.0, 2) +
                0.5 * point.bending_stiffness * g.cross(b).squaredNorm() / std::pow(g.norm(), 4);
    }
    return energy;
  };
  const double angle = 2.5, h = kLength / 4;
  for (int node = 1; node <= 4; ++node) {
    const double s = (node - 1) * h;
    x.segment<4>(1 + 4 * (node - 1)) << h + s * std::cos(angle) - node * h, s * std::sin(angle),
        std::cos(angle) - 1.0, std::sin(angle);
  }
  EXPECT_LT(energy_of_part(1 + 1), 1e-20 * kEA);
  EXPECT_GT(stored(evaluated(system, 0.0, x), element::Stored::kElastic), 1.0);
}

// beta L = 1.87510407 (benchmark page): Hermite cubics converge from above with the fourth order.
TEST(LineInSpace, VibratesAsACantilever) {
  const System system = cantilever(line(LinePlane::kSpatial, 8), 0.0,
                                   spatial::rotation_about(Vec3(1, 2, 3).normalized(), 1.0));
  const VecX x = system.initial_state();
  const std::vector<analysis::Mode> modes = analysis::natural_modes(system, 0.0, view(x));
  const double exact = std::pow(1.87510407 / kLength, 2) * std::sqrt(kEI / kMassPerLength) /
                       (2.0 * std::numbers::pi);
  EXPECT_NEAR(modes[0].frequency_hz, exact, 2e-5 * exact);
  EXPECT_NEAR(modes[1].frequency_hz, exact, 2e-5 * exact);
}

// A rod under its end load stretches by F / EA of its length, along whatever direction it points.
TEST(LineInSpace, StretchesAsARod) {
  const Mat3 R = spatial::rotation_about(Vec3(1, -2, 0.5).normalized(), 2.0);
  const NodalBody body = line(LinePlane::kSpatial, 2);
  ModelBuilder builder;
  builder.add_flexible_body("line", body.body);
  builder.add_joint(clamp(R));
  const Model model = builder.build();
  const Vec3 pull = 50.0 * Vec3::UnitX();
  std::vector<std::unique_ptr<element::Element>> loads;
  const auto tip = static_cast<std::size_t>(model.find_frame("line/tip"));
  loads.push_back(force::make_point_force(
      "force/pull", model.frames()[tip],
      {Function::constant(pull.x()), Function::constant(pull.y()), Function::constant(pull.z())},
      force::Axes::kFrame));
  const System system = cantilever(body, 0.0, R, std::move(loads));
  const VecX x = system.initial_state();
  const analysis::EquilibriumResult found = analysis::equilibrium(system, 0.0, view(x));
  ASSERT_TRUE(found.converged);
  const Snapshot<double> at = evaluated(system, 0.0, found.x);
  EXPECT_NEAR(value(system, at, "frame/line/tip/deflection_x"), kLength * 50.0 / kEA, 1e-9);
}

}  // namespace
}  // namespace grapple::system::testing
