// Beams that deploy and rails, from a scenario file to its channels: conservation, closed forms,
// and models of another kind.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "grapple/analysis/equilibrium.h"
#include "grapple/analysis/natural_modes.h"
#include "grapple/flexible/quadrature.h"
#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

class Deployment : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-deployment-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return file_;
  }
  ~Deployment() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

const char* kAdrift = R"yaml(grapple: 1
bodies:
  - {name: hub, mass: 40 kg, com: [0.1, 0.2, 0] m, inertia: [5, 6, 7] kg*m^2, velocity: [0.1, 0.2, -0.1] m/s, angular_velocity: [0.05, 0.1, 0.2] rad/s}
  - name: boom
    beam: {length: 8 m, mass: 6 kg, EI_y: 400 N*m^2, EI_z: 900 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 2, bending_z: 1},
           tip_body: {mass: 2 kg, inertia: "[0.1, 0.1, 0.1] kg*m^2"}, deploys: {from: 3 m, rate: 0.15 m/s, stowage: STOWAGE}}
    modal_amplitudes: [0.05, 0.01, -0.04]
joints:
  - {name: wrist, type: revolute, axis: [0.3, 1, 0.2], parent: "hub at [0.5, 0.1, 0] m", child: boom, rate: 0.1 rad/s}
simulate: {duration: 5 s, tolerance: 1e-12, integrator: dormand-prince}
)yaml";

// Sliding freely while everything bends and turns: no energy, no momentum from nothing.
TEST_F(Deployment, FreeSlidingCreatesNeitherEnergyNorMomentum) {
  for (const char* stowage : {"telescope", "sleeve", "drum"}) {
    SCOPED_TRACE(stowage);
    Simulation sim(write(replaced(kAdrift, "STOWAGE", stowage)));
    const double energy = sim.get("energy/total");
    const double angular[] = {sim.get("momentum/angular_x"), sim.get("momentum/angular_y"),
                              sim.get("momentum/angular_z")};
    const double linear = sim.get("momentum/linear_x");
    const double bent = sim.get("energy/elastic");
    sim.advance_to(5.0);
    EXPECT_EQ(sim.ending(), "completed");
    EXPECT_GT(std::abs(sim.get("joint/boom/length/position") - 3.0), 0.5);  // it did slide
    EXPECT_GT(std::abs(sim.get("energy/elastic") - bent), 1e-4 * bent);
    EXPECT_NEAR(sim.get("energy/total"), energy, 1e-10 * energy);
    const double size = std::hypot(angular[0], angular[1], angular[2]);
    EXPECT_NEAR(sim.get("momentum/angular_x"), angular[0], 1e-12 * size);
    EXPECT_NEAR(sim.get("momentum/angular_y"), angular[1], 1e-12 * size);
    EXPECT_NEAR(sim.get("momentum/angular_z"), angular[2], 1e-12 * size);
    EXPECT_NEAR(sim.get("momentum/linear_x"), linear, 1e-12 * std::abs(linear));
  }
}

// J(l) spin = const with booms as good as rigid, once they have come to rest.
TEST_F(Deployment, ASpinningHubSlowsDownAsItsBoomsUnroll) {
  const std::filesystem::path example =
      std::filesystem::path(GRAPPLE_SOURCE_DIR) / "examples/deployment/spin-down.yaml";
  Simulation sim(example, {"parameters.EI=5e4 N*m^2", "simulate.duration=80 s"});
  const auto inertia = [](double length) {
    const double density = 0.8, whole = 12.0, rim = 0.5;
    return 150.0 + 2.0 * density *
                       ((std::pow(rim + length, 3) - std::pow(rim, 3)) / 3.0 +
                        (whole - length) * rim * rim);
  };
  sim.advance_to(80.0);
  const double expected = 0.5 * inertia(1.0) / inertia(10.0);
  EXPECT_NEAR(sim.get("body/hub/angular_velocity_z"), expected, 1e-6 * expected);
}

// omega = 1.8751^2 / l^2 sqrt(EI l / m) of a telescope, sqrt(EI / rho) of a beam that slides.
TEST_F(Deployment, FrequencyFollowsTheLength) {
  const char* boom = R"yaml(grapple: 1
bodies:
  - name: boom
    beam: {length: 10 m, mass: 5 kg, EI: 300 N*m^2, modes: {bending_y: 1}, deploys: {from: FROM m, stowage: STOWAGE, motion: {rate: 0 m/s}}}
joints: [{name: clamp, type: fixed, parent: world, child: boom}]
)yaml";
  for (const auto& [from, length] : {std::pair{"2", 2.0}, {"5", 5.0}, {"9", 9.0}}) {
    for (const char* stowage : {"telescope", "sleeve", "drum"}) {
      const scenario::Simulation made =
          scenario::built(replaced(replaced(boom, "FROM", from), "STOWAGE", stowage));
      const spatial::VecX x = made.system->initial_state();
      const auto modes = analysis::natural_modes(*made.system, 0.0,
                                                 {x.data(), static_cast<std::size_t>(x.size())});
      const double density = std::string(stowage) == "telescope" ? 5.0 / length : 0.5;
      const double expected = 1.8751040687 * 1.8751040687 / (length * length) *
                              std::sqrt(300.0 / density) / (2.0 * std::numbers::pi);
      EXPECT_NEAR(modes.front().frequency_hz, expected, 1e-8 * expected) << stowage << length;
    }
  }
}

// The axially moving beam (Tabarrok, Leech and Kim 1974) by a Galerkin method of its own: with the
// material derivative D = d/dt + (1 - xi) l'/l d/dxi and polynomials f = xi^2, xi^3, ...
//   int f [rho (D^2 y + g)] l dxi + EI/l^3 int f'' y'' dxi - rho l'' int (1 - xi) f' y' dxi = 0,
// the last term for the axial force that the acceleration of the whole beam makes.
class AxiallyMovingBeam {
 public:
  AxiallyMovingBeam(double EI, double density, double gravity)
      : EI_(EI), density_(density), gravity_(gravity) {}

  // l, l', l'' -> acceleration of the coordinates.
  spatial::VecX acceleration(const std::array<double, 3>& l, const spatial::VecX& a,
                             const spatial::VecX& rate) const {
    using spatial::MatX;
    MatX M = MatX::Zero(kShapes, kShapes), C = M, K = M;
    spatial::VecX load = spatial::VecX::Zero(kShapes);
    const double c = l[1] / l[0];
    for (const flexible::QuadraturePoint& q : rule_) {
      const double xi = 0.5 * (1.0 + q.x), w = 0.5 * q.weight, rest = 1.0 - xi;
      spatial::VecX f(kShapes), f1(kShapes), f2(kShapes);
      for (int k = 0; k < kShapes; ++k) {
        const double n = k + 2.0;
        f[k] = std::pow(xi, n);
        f1[k] = n * std::pow(xi, n - 1.0);
        f2[k] = n * (n - 1.0) * std::pow(xi, n - 2.0);
      }
      M += w * density_ * l[0] * f * f.transpose();
      C += w * density_ * l[0] * 2.0 * c * rest * f * f1.transpose();
      K += w * density_ * l[0] * f *
           (rest * (l[2] / l[0] - 2.0 * c * c) * f1 + c * c * rest * rest * f2).transpose();
      K += w * (EI_ / std::pow(l[0], 3) * f2 * f2.transpose() -
                density_ * l[2] * rest * f1 * f1.transpose());
      load += w * density_ * l[0] * gravity_ * f;
    }
    return M.ldlt().solve(-C * rate - K * a - load);
  }

  static constexpr int kShapes = 6;

 private:
  double EI_, density_, gravity_;
  std::vector<flexible::QuadraturePoint> rule_ = flexible::gauss_legendre(16);
};

// l = 2 + 3 s^3 (10 - 15 s + 6 s^2), s = t/3, and its derivatives.
std::array<double, 3> deploying(double t) {
  const double s = std::min(t / 3.0, 1.0);
  return {2.0 + 3.0 * s * s * s * (10.0 - 15.0 * s + 6.0 * s * s),
          30.0 * s * s * (1.0 - s) * (1.0 - s), 20.0 * s * (1.0 - 3.0 * s + 2.0 * s * s)};
}

TEST_F(Deployment, AFastDeploymentIsThatOfAnAxiallyMovingBeam) {
  const AxiallyMovingBeam reference(60.0, 0.5, 0.1);
  Simulation beam(write(R"yaml(grapple: 1
environment: {gravity: "[0, -0.1, 0] m/s^2"}
bodies:
  - name: boom
    beam: {length: 6 m, mass_per_length: 0.5 kg/m, EI: 60 N*m^2, rho_I: 1e-6 kg*m, modes: {bending_y: 4},
           deploys: {from: 2 m, stowage: sleeve, motion: {position: {expression: "2 + 3*smooth(t, 0, 3)", unit: m}}}}
joints: [{name: clamp, type: fixed, parent: world, child: boom}]
frames: [{name: tip, body: boom, position: [6, 0, 0] m}]
simulate: {duration: 5 s, tolerance: 1e-8}
)yaml"));
  spatial::VecX a = spatial::VecX::Zero(AxiallyMovingBeam::kShapes), v = a;
  constexpr int kSteps = 20000;  // rk4; the fastest coordinate has some 2000 rad/s
  constexpr double kStep = 5.0 / kSteps;
  double largest = 0.0, difference = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const double t = i * kStep;
    const auto f = [&](double time, const spatial::VecX& x, const spatial::VecX& rate) {
      return reference.acceleration(deploying(time), x, rate);
    };
    const spatial::VecX k1 = f(t, a, v);
    const spatial::VecX v2 = v + 0.5 * kStep * k1, k2 = f(t + 0.5 * kStep, a + 0.5 * kStep * v, v2);
    const spatial::VecX v3 = v + 0.5 * kStep * k2,
                        k3 = f(t + 0.5 * kStep, a + 0.5 * kStep * v2, v3);
    const spatial::VecX v4 = v + kStep * k3, k4 = f(t + kStep, a + kStep * v3, v4);
    a += kStep / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += kStep / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    if ((i + 1) % 800 != 0) continue;
    beam.advance_to((i + 1) * kStep);
    const double expected = a.sum();  // every shape is 1 at the tip
    largest = std::max(largest, std::abs(expected));
    difference = std::max(difference, std::abs(beam.get("frame/tip/position_y") - expected));
  }
  EXPECT_EQ(beam.ending(), "completed");
  EXPECT_GT(largest, 0.05);
  EXPECT_LT(difference, 0.01 * largest);
  std::printf("largest sag %.4f m, largest difference %.2e m\n", largest, difference);
}

// A light load that moves along a cantilever: q_k'' + omega_k^2 q_k = -P phi_k(s(t)) / m,
// integrated here by itself.
TEST_F(Deployment, ALoadMovingAlongABeamBendsItAsInTheTextbook) {
  Simulation sim(write(R"yaml(grapple: 1
bodies:
  - {name: truss, beam: {length: 10 m, mass: 100 kg, EI: 2e5 N*m^2, rho_I: 1e-3 kg*m, modes: {bending_y: 2}, stiffening: off}}
  - {name: cart, mass: 1 g, inertia: "[1e-6, 1e-6, 1e-6] kg*m^2"}
joints:
  - {name: clamp, type: fixed, parent: world, child: truss}
  - {name: along, type: rail, parent: truss, child: cart, position: 1 m, motion: {rate: 8 m/s}}
forces:
  - {name: load, type: point-force, at: cart, force: [0 N, -200 N, 0 N]}
simulate: {duration: 1 s, tolerance: 1e-9}
)yaml"));
  const double roots[] = {1.8751040687, 4.6940911330}, sigmas[] = {0.7340955138, 1.0184673188};
  const auto phi = [&](int k, double xi) {
    const double x = roots[k] * xi;
    return std::cosh(x) - std::cos(x) - sigmas[k] * (std::sinh(x) - std::sin(x));
  };
  double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0};
  constexpr int kSteps = 20000;
  const double dt = 1.0 / kSteps;
  const auto acceleration = [&](int k, double t, double at) {
    const double omega = roots[k] * roots[k] / 100.0 * std::sqrt(2e5 / 10.0);
    return -omega * omega * at - 200.0 / 100.0 * phi(k, (1.0 + 8.0 * t) / 10.0);
  };
  for (int i = 0; i < kSteps; ++i) {  // velocity Verlet: error 1e-7 here
    const double t = i * dt;
    for (int k = 0; k < 2; ++k) {
      const double a = acceleration(k, t, q[k]);
      q[k] += dt * v[k] + 0.5 * dt * dt * a;
      v[k] += 0.5 * dt * (a + acceleration(k, t + dt, q[k]));
    }
  }
  sim.advance_to(1.0);
  EXPECT_EQ(sim.ending(), "completed");
  EXPECT_NEAR(sim.get("joint/along/position"), 9.0, 1e-12);
  const double expected = 2.0 * q[0] + phi(1, 1.0) * q[1];
  EXPECT_GT(std::abs(expected), 0.1);
  EXPECT_NEAR(sim.get("frame/truss/tip/deflection_y"), expected, 0.002 * std::abs(expected));
}

// What a coordinate that slides has like any joint: motor, stop, lock by an event, resume to the
// bit.
TEST_F(Deployment, ALengthIsDrivenStoppedAndLatchedLikeAJoint) {
  Simulation sim(write(R"yaml(grapple: 1
signals: [{name: winch, unit: N, value: 20 N}]
bodies:
  - {name: hub, mass: 50 kg, inertia: "[5, 5, 5] kg*m^2"}
  - name: boom
    beam: {length: 6 m, mass: 4 kg, EI: 500 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 1},
           deploys: {from: 2 m, stowage: sleeve, motor: {force: {signal: winch}}, damper: 30 N*s/m,
                     limits: {lower: 1 m, upper: 5.9 m, stiffness: 1e4 N/m}}}
joints: [{name: seat, type: fixed, parent: hub, child: boom}]
events: [{name: out, channel: joint/boom/length/position, crosses: 5 m, action: lock, target: boom/length}]
simulate: {duration: 20 s, tolerance: 1e-9}
)yaml"));
  sim.advance_to(20.0);
  EXPECT_EQ(sim.ending(), "completed");
  EXPECT_NEAR(sim.get("joint/boom/length/position"), 5.0, 1e-6);
  EXPECT_EQ(sim.get("joint/boom/length/rate"), 0.0);
  EXPECT_EQ(sim.events().size(), 1u);
}

// Beyond its range there are no shapes: the run ends and says so.
// The spring would let the weight draw the beam out to 13.6 m; it has 12.
TEST_F(Deployment, AnEquilibriumOutsideTheRangeIsNone) {
  const auto sim = scenario::built(R"yaml(grapple: 1
environment: {gravity: "[1, 0, 0] m/s^2"}
bodies: [{name: b, beam: {length: 12 m, mass: 9.6 kg, EI: 5e3 N*m^2, modes: {bending_y: 1}, deploys: {from: 4 m, spring: {stiffness: 0.5 N/m, rest: 4 m}}}}]
joints: [{name: j, type: fixed, parent: world, child: b}]
simulate: {duration: 1 s}
)yaml");
  const spatial::VecX x = sim.system->initial_state();
  const analysis::EquilibriumResult found =
      analysis::equilibrium(*sim.system, 0.0, {x.data(), static_cast<std::size_t>(x.size())});
  EXPECT_FALSE(found.converged);
  EXPECT_NE(found.refusal.find("b/length"), std::string::npos) << found.refusal;
}

TEST_F(Deployment, LeavingTheRangeEndsTheRun) {
  Simulation sim(write(R"yaml(grapple: 1
bodies:
  - {name: hub, mass: 50 kg, inertia: "[5, 5, 5] kg*m^2"}
  - {name: boom, beam: {length: 6 m, mass: 4 kg, EI: 500 N*m^2, rho_I: 1e-4 kg*m, modes: {bending_y: 1}, deploys: {from: 5 m, rate: 0.5 m/s}}}
joints: [{name: seat, type: fixed, parent: hub, child: boom}]
simulate: {duration: 20 s}
)yaml"));
  sim.advance_to(20.0);
  EXPECT_TRUE(sim.ending().starts_with("failed")) << sim.ending();
  EXPECT_NEAR(sim.time(), 2.0, 1e-3);
}

}  // namespace
}  // namespace grapple
