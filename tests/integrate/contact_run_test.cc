// Contact under every integrator: the asked rebound, rest without energy from nowhere.
#include <gtest/gtest.h>

#include <cmath>

#include "grapple/contact/contact_element.h"
#include "grapple/geometry/touch/touch_sites.h"
#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"

namespace grapple::integrate::testing {
namespace {

using spatial::Mat3;
using spatial::Vec3;
using spatial::VecX;
using system::System;

constexpr double kRadius = 0.1, kMass = 2.0;
// Gonthier's ball on a plane, 4.3 of the digest.
const contact::PowerLaw kLaw{1e6, 1.5, contact::DampingRule::kExact, {0.5, 0.0}, 1e-3};

System ball_over_floor(double gravity, double height, double fall) {
  model::ModelBuilder builder;
  builder.set_gravity({0, 0, -gravity});
  builder.add_body("ball", spatial::solid_sphere(kMass, kRadius));
  builder.add_frame("floor", "world", {});
  system::SystemParts parts;
  parts.model = builder.build();
  contact::PointContact pair{
      "contact/c",
      parts.model.frames()[1],
      parts.model.frames()[static_cast<std::size_t>(parts.model.find_frame("floor"))],
      {},
      contact::make_friction_law(
          contact::BristleFriction{0.45, 0.4, 1e5, 316.0, 0.0, 0.1, 0.01, 0.0})};
  pair.sites.push_back(
      {geometry::touch_sites(geometry::Sphere{kRadius}, geometry::HalfSpace{}).queries.front(),
       contact::make_normal_law(kLaw)});
  parts.elements.push_back(contact::make_point_contact(std::move(pair)));
  parts.q = VecX::Zero(7);
  parts.q[2] = height;
  parts.q[3] = 1.0;
  parts.v = VecX::Zero(6);
  parts.v[2] = -fall;
  return System(std::move(parts));
}

struct Expected {
  Method method;
  double steps_per_contact;  // of fixed steps
  double error;              // of the rebound, relative
};

// Watches that energy never rises above what it was.
class EnergyWatch final : public Observer {
 public:
  explicit EnergyWatch(SystemProblem& problem) : problem_(problem) {}
  Action step_accepted(double t, double /*step*/, std::span<double> x) override {
    const system::Snapshot<double>& s = problem_.evaluate(t, x);
    double energy = 0.0;
    for (const double part : s.energies.stored) energy += part;
    rise = std::max(rise, energy - lowest_);
    lowest_ = std::min(lowest_, energy);
    return Action::kContinue;
  }
  double rise = 0.0;

 private:
  SystemProblem& problem_;
  double lowest_ = 1e300;
};

TEST(ContactRun, EveryIntegratorReturnsTheAskedRestitution) {
  const double speed = 2.0;
  const double duration = contact::estimate_impact(kLaw, kMass, speed).duration;
  // Fixed steps: order 4, order 1 and order 2; adaptive ones: their tolerance of 1e-9.
  for (const Expected& m :
       {Expected{Method::kRungeKutta4, 50, 1e-5}, Expected{Method::kSemiImplicitEuler, 1000, 2e-3},
        Expected{Method::kVelocityVerlet, 200, 2e-4}, Expected{Method::kDormandPrince, 0, 1e-7},
        Expected{Method::kBdf, 0, 1e-6}}) {
    System system = ball_over_floor(0.0, kRadius + 0.01, speed);
    SystemProblem problem(system, {});
    IntegratorOptions options;
    options.method = m.method;
    options.relative_tolerance = 1e-9;
    if (m.steps_per_contact > 0) options.step = duration / m.steps_per_contact;
    const auto stepper = make_stepper(problem, options);
    const VecX x = system.initial_state();
    Observer observer;
    const Result result =
        simulate(problem, *stepper, {x.data(), static_cast<std::size_t>(x.size())},
                 {.t_end = 0.01 / speed + 3.0 * duration}, problem.crossings(), observer);
    ASSERT_EQ(result.status, Status::kCompleted) << result.failure.cause;
    EXPECT_NEAR(result.x[7 + 2] / speed, 0.5, 0.5 * m.error) << method_name(m.method);
  }
}

// A fixed step of a fiftieth of the contact: events at touch and release keep late detection from
// feeding energy in.
TEST(ContactRun, ABallDroppedAtFixedStepsComesToRestAndNeverGainsEnergy) {
  System system = ball_over_floor(9.81, kRadius + 0.05, 0.0);
  SystemProblem problem(system, {});
  IntegratorOptions options;
  options.method = Method::kRungeKutta4;
  options.step = contact::estimate_impact(kLaw, kMass, 1.0).duration / 50.0;
  const auto stepper = make_stepper(problem, options);
  const VecX x = system.initial_state();
  EnergyWatch watch(problem);
  const Result result = simulate(problem, *stepper, {x.data(), static_cast<std::size_t>(x.size())},
                                 {.t_end = 2.0}, problem.crossings(), watch);
  ASSERT_EQ(result.status, Status::kCompleted) << result.failure.cause;
  EXPECT_LT(watch.rise, 1e-9 * kMass * 9.81 * 0.05);  // rounding of the sum and the method's order
  const double depth = std::pow(kMass * 9.81 / kLaw.stiffness, 1.0 / 1.5);
  EXPECT_NEAR(kRadius - result.x[2], depth, 1e-6 * depth);
}

}  // namespace
}  // namespace grapple::integrate::testing
