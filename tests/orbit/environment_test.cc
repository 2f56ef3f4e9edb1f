// Drag, sunlight, magnetic torque and thrusters against closed forms.
#include <gtest/gtest.h>

#include "grapple/orbit/drag.h"
#include "grapple/orbit/eclipse.h"
#include "grapple/orbit/magnetic_torque.h"
#include "grapple/orbit/solar_pressure.h"
#include "grapple/orbit/thruster.h"
#include "grapple/spatial/rotation.h"
#include "support.h"

namespace grapple::orbit::testing {
namespace {

model::Frame on_craft() { return {"", 1, {}}; }

System craft_with(std::unique_ptr<element::Element> element, const FreeState& start) {
  system::SystemParts parts;
  parts.model = free_body(100.0, Vec3::Constant(10.0));
  parts.elements.push_back(std::move(element));
  parts.q = start.q;
  parts.v = start.v;
  return System(std::move(parts));
}

ReferenceOrbit equatorial() {
  return {{.semi_major_axis = 6.778e6}, chen_earth(), Oblateness::kNone};
}

// The power booked is that of the forces: with nothing stored but kinetic energy, its rate.
void expect_power_is_booked(const System& system, double t) {
  const VecX x = system.initial_state();
  const Snapshot<double> s = evaluated(system, t, x);
  const Snapshot<Dual> along = evaluated_along(system, t, x, rate_of(system, s));
  double power = 0.0, gain = 0.0;
  for (const double watt : s.energies.supply) power += watt;
  for (const Dual& joule : along.energies.stored) gain += joule.d[0];
  EXPECT_NEAR(gain, power, 1e-12 * std::abs(power) + 1e-18);
  EXPECT_NE(power, 0.0);
}

FreeState drifting() {
  FreeState start(1);
  start.q.segment(3, 4) = spatial::quaternion_exp<double>(Vec3(0.2, -0.3, 0.4));
  start.v << 0.3, -0.2, 0.1, 0.02, 0.03, -0.01;
  return start;
}

TEST(Drag, IsHalfTheDensityTimesTheSquareOfTheSpeed) {
  const ReferenceOrbit orbit = equatorial();
  const Atmosphere still{.density = 3e-12,
                         .reference_altitude = 400e3,
                         .scale_height = 60e3,
                         .air = Atmosphere::Air::kStill};
  const std::vector<Plate> front{{2.0, Vec3::UnitY(), Vec3(0.0, 0.5, 0.1)}};
  const System system =
      craft_with(make_drag("drag", on_craft(), front, 2.2, still, orbit), FreeState(1));
  const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
  const double speed = orbit.at(0.0).V.norm(), force = 0.5 * 3e-12 * 2.2 * 2.0 * speed * speed;
  // The plate's centre is 0.1 mm higher than the reference point: 1e-9 of the scale height.
  EXPECT_NEAR(s.workspace.vdot[1], -force / 100.0, 1e-8 * force / 100.0);
  EXPECT_NEAR(s.workspace.vdot[3], 0.1 * force / 10.0, 1e-8 * force);
  EXPECT_NEAR(value(system, s, "drag/density"), 3e-12, 1e-20);
}

TEST(Drag, AirThatTurnsWithThePlanetIsMetSlower) {
  const ReferenceOrbit orbit = equatorial();
  const std::vector<Plate> front{{2.0, Vec3::UnitY(), Vec3::Zero()}};
  const System system = craft_with(
      make_drag("drag", on_craft(), front, 2.2, {.density = 3e-12}, orbit), FreeState(1));
  const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
  const double speed = orbit.at(0.0).V.norm() - 7.2921159e-5 * 6.778e6;
  EXPECT_NEAR(s.workspace.vdot[1] * 100.0, -0.5 * 3e-12 * 2.2 * 2.0 * speed * speed, 1e-16);
}

TEST(Drag, BackOfAPlateFeelsNothing) {
  const std::vector<Plate> back{{2.0, -Vec3::UnitY(), Vec3::Zero()}};
  const System system = craft_with(
      make_drag("drag", on_craft(), back, 2.2, Atmosphere{}, equatorial()), FreeState(1));
  EXPECT_EQ(evaluated(system, 0.0, system.initial_state()).workspace.vdot.norm(), 0.0);
}

TEST(Drag, BooksItsPower) {
  const std::vector<Plate> front{{2.0, Vec3::UnitY(), Vec3(0.2, 0.5, 0.1)}};
  expect_power_is_booked(
      craft_with(make_drag("drag", on_craft(), front, 2.2, Atmosphere{}, equatorial()), drifting()),
      10.0);
}

TEST(SolarPressure, PushesByAbsorptionAndReflection) {
  // The Sun along +x, the plate tilted by 30 degrees about z.
  const double angle = 30.0 * kDegree, c = std::cos(angle);
  const Vec3 n(c, std::sin(angle), 0.0);
  const Sunlight light{.pressure = 4.5e-6, .specular = 0.3, .diffuse = 0.2};
  const System system = craft_with(
      make_solar_pressure("sun", on_craft(), {{3.0, n, Vec3::Zero()}}, light, equatorial()),
      FreeState(1));
  const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
  const Vec3 force = -4.5e-6 * 3.0 * c * (0.7 * Vec3::UnitX() + 2.0 * (0.3 * c + 0.2 / 3.0) * n);
  EXPECT_LT((100.0 * s.workspace.vdot.head<3>() - force).norm(), 1e-20);
  EXPECT_EQ(value(system, s, "sun/sunlit"), 1.0);
}

TEST(SolarPressure, BooksItsPower) {
  const Sunlight light{.specular = 0.3, .diffuse = 0.2};
  expect_power_is_booked(
      craft_with(make_solar_pressure("sun", on_craft(), {{3.0, Vec3::UnitX(), Vec3(0.1, 0.2, 0.3)}},
                                     light, equatorial()),
                 drifting()),
      10.0);
}

TEST(Eclipse, ShadowBeginsWhereTheGeometrySays) {
  const double R = 6.378e6, r = 6.778e6;
  const Vec3 sun = Vec3::UnitX();
  // Behind the planet a cylinder ends at sin(phi) = R/r; the penumbra's half angle is that of the
  // Sun, 0.2665 degrees, about it.
  const double edge = std::numbers::pi - std::asin(R / r);
  const auto at = [&](double phi) { return Vec3(r * Vec3(std::cos(phi), std::sin(phi), 0.0)); };
  for (const Shadow shadow : {Shadow::kCylindrical, Shadow::kConical}) {
    EXPECT_EQ(sunlit_part<double>(shadow, at(0.0), sun, R), 1.0);
    EXPECT_EQ(sunlit_part<double>(shadow, at(edge - 0.02), sun, R), 1.0);
    EXPECT_EQ(sunlit_part<double>(shadow, at(edge + 0.02), sun, R), 0.0);
    EXPECT_NEAR(sunlit_part<double>(shadow, at(edge), sun, R), 0.5, 0.03);
    double last = 1.0;
    for (double phi = edge - 0.02; phi < edge + 0.02; phi += 1e-4) {
      const double lit = sunlit_part<double>(shadow, at(phi), sun, R);
      EXPECT_LE(lit, last);
      EXPECT_LT(last - lit, 0.03);  // continuous
      last = lit;
    }
    // The edges change sign where the light begins to fade and is gone.
    double outer = 0.0, inner = 0.0;
    for (double phi = edge - 0.02; phi < edge + 0.02; phi += 1e-5) {
      const ShadowEdges edges = shadow_edges(shadow, at(phi), sun, R);
      const double lit = sunlit_part<double>(shadow, at(phi), sun, R);
      EXPECT_EQ(edges.outer > 0.0, lit == 1.0) << phi - edge;
      EXPECT_EQ(edges.inner > 0.0, lit > 0.0) << phi - edge;
      if (edges.outer > 0.0) outer = phi;
      if (edges.inner > 0.0) inner = phi;
    }
    EXPECT_LT(outer, edge);
    EXPECT_GT(inner, edge);
  }
}

TEST(MagneticTorque, IsTheMomentTimesTheFieldOfADipole) {
  // In the equator's plane the field of an axial dipole points north and falls with the cube.
  const ReferenceOrbit orbit = equatorial();
  const DipoleField field{.strength = 3e-5};
  const System system =
      craft_with(make_magnetic_torque(
                     "coil", on_craft(),
                     {Function::constant(2.0), Function::constant(0.0), Function::constant(1.0)},
                     field, orbit),
                 FreeState(1));
  const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
  const double B = 3e-5 * std::pow(6.378e6 / 6.778e6, 3);
  EXPECT_NEAR(value(system, s, "coil/field_z"), B, 1e-19);
  EXPECT_NEAR(value(system, s, "coil/field_x"), 0.0, 1e-19);
  EXPECT_NEAR(value(system, s, "coil/torque_y"), -2.0 * B, 1e-18);
  EXPECT_NEAR(s.workspace.vdot[4], -2.0 * B / 10.0, 1e-19);
}

TEST(MagneticTorque, FieldAtThePoleIsTwiceThatAtTheEquator) {
  const ReferenceOrbit polar(
      {.semi_major_axis = 6.778e6, .inclination = 90.0 * kDegree, .true_anomaly = 90.0 * kDegree},
      chen_earth(), Oblateness::kNone);
  const System system =
      craft_with(make_magnetic_damper("coil", on_craft(), {.gain = 1e5}, {.strength = 3e-5}, polar),
                 FreeState(1));
  const Snapshot<double> s = evaluated(system, 0.0, system.initial_state());
  // Over the north pole it points down.
  EXPECT_NEAR(value(system, s, "coil/field_x"), -6e-5 * std::pow(6.378e6 / 6.778e6, 3), 1e-18);
}

TEST(MagneticTorque, DamperTakesEnergyAndIsLimited) {
  const ReferenceOrbit orbit({7e6, 0.0, 1.2, 0.1, 0.2, 0.3}, Planet{}, Oblateness::kNone);
  const DipoleField field{.tilt = 0.2, .longitude = 1.0};
  const System free =
      craft_with(make_magnetic_damper("coil", on_craft(), {.gain = 1e6}, field, orbit), drifting());
  const Snapshot<double> s = evaluated(free, 100.0, free.initial_state());
  EXPECT_LT(supply(s, element::Supply::kActuators), 0.0);
  expect_power_is_booked(free, 100.0);
  const System limited = craft_with(
      make_magnetic_damper("coil", on_craft(), {.gain = 1e6, .limit = 0.1}, field, orbit),
      drifting());
  const Snapshot<double> l = evaluated(limited, 100.0, limited.initial_state());
  for (const char* axis : {"x", "y", "z"}) {
    const std::string channel = std::string("coil/moment_") + axis;
    EXPECT_LE(std::abs(value(limited, l, channel)), 0.1);
    EXPECT_EQ(std::signbit(value(limited, l, channel)), std::signbit(value(free, s, channel)));
  }
}

struct Flight {
  double speed, propellant, time_on;
  std::vector<std::string> cautions;
};

// Pushed along x for 10 s of simulated time.
Flight flown(Thruster law, integrate::Method method) {
  System system = craft_with(make_thruster("jet", on_craft(), law), FreeState(1));
  run::Plan plan = tight(10.0, 1e-10);
  plan.integrator.method = method;
  plan.integrator.step = 1e-3;
  run::Session session(system, plan);
  session.start();
  session.advance_to(10.0);
  const double speed = session.state()[7];
  return {speed, law.specific_impulse > 0.0 ? session.get("jet/propellant") : 0.0,
          speed * 100.0 / law.thrust, system.cautions()};
}

TEST(Thruster, BurnsWhileTheCommandIsAboveTheThreshold) {
  Thruster law;
  law.thrust = 5.0;
  law.command = Function::expression("t");
  law.threshold = 3.0;
  law.specific_impulse = 200.0;
  law.propellant = 1.0;
  const Flight flight = flown(law, integrate::Method::kDormandPrince);
  EXPECT_NEAR(flight.time_on, 7.0, 1e-9);
  EXPECT_NEAR(flight.propellant, 1.0 - 5.0 * 7.0 / (200.0 * kStandardGravity), 1e-11);
  EXPECT_TRUE(flight.cautions.empty());
}

TEST(Thruster, GoesOutWhereTheCommandFalls) {
  Thruster law;
  law.thrust = 5.0;
  law.command = Function::expression("sin(t)");
  law.threshold = 0.5;
  // Above 0.5 from pi/6 to 5 pi/6, and from 13 pi/6 to 17 pi/6.
  const double pi = std::numbers::pi, expected = 2.0 * pi / 3.0 + 2.0 * pi / 3.0;
  EXPECT_NEAR(flown(law, integrate::Method::kDormandPrince).time_on, expected, 1e-8);
  EXPECT_NEAR(flown(law, integrate::Method::kAdams).time_on, expected, 1e-6);
  // Fixed steps end on no crossing: a step of 1 ms at each of the four.
  EXPECT_NEAR(flown(law, integrate::Method::kRungeKutta4).time_on, expected, 4e-3);
}

TEST(Thruster, PulseHasItsMinimum) {
  Thruster law;
  law.thrust = 5.0;
  law.command = Function::expression("sin(t)");
  law.threshold = 0.999;  // for 89 ms
  law.minimum_pulse = 0.4;
  EXPECT_NEAR(flown(law, integrate::Method::kDormandPrince).time_on, 0.8, 1e-8);
}

TEST(Thruster, EmptyTankGivesNoThrustAndSaysSo) {
  Thruster law;
  law.thrust = 5.0;
  law.command = Function::constant(1.0);
  law.specific_impulse = 200.0;
  law.propellant = 0.01;
  const double lasts = 0.01 * 200.0 * kStandardGravity / 5.0;
  const Flight flight = flown(law, integrate::Method::kDormandPrince);
  EXPECT_NEAR(flight.time_on, lasts, 1e-7 * lasts);
  EXPECT_NEAR(flight.propellant, 0.0, 1e-10);
  ASSERT_EQ(flight.cautions.size(), 1u);
  EXPECT_NE(flight.cautions[0].find("ran out of propellant at 3.92266 s"), std::string::npos)
      << flight.cautions[0];
}

}  // namespace
}  // namespace grapple::orbit::testing
