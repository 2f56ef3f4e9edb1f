// Patches that slide, spin and roll: Coulomb's law summed over the patch, and rolling resistance.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

using std::numbers::pi;

struct Friction {
  double force = 0.0;   // per mu N, along the sliding velocity
  double torque = 0.0;  // per mu N, m
};

// Over a disc of radius R under the pressure (1 - (r/R)^2)^power, sliding at v along x and spinning
// at w: u/|u| at the middles of rings and sectors of equal angle. An integral of its own, without
// anything of src/contact.
Friction sum_over_disc(double R, double power, double v, double w, int cells) {
  Friction sum;
  double load = 0.0;
  for (int i = 0; i < cells; ++i) {
    const double r = (i + 0.5) / cells;
    const double weight = r * std::pow(1.0 - r * r, power);
    for (int j = 0; j < cells; ++j) {
      const double angle = 2.0 * pi * (j + 0.5) / cells;
      const double x = R * r * std::cos(angle), y = R * r * std::sin(angle);
      const double u = v - w * y, across = w * x, speed = std::hypot(u, across);
      load += weight;
      sum.force += weight * u / speed;
      sum.torque += weight * (x * across - y * u) / speed;
    }
  }
  return {sum.force / load, sum.torque / load};
}

// A ball that spins at 10 rad/s and slides, on the parabolic pressure of an elastic foundation. The
// cap differs from a paraboloid by depth/radius = 1e-3; the sum of 600 x 600 is good to 1e-5.
CaseReport contensou() {
  CaseReport report;
  const double a = std::sqrt(2.0 * 0.1 * 1e-4 - 1e-8);
  for (const double v : {1e-4, 0.03, 0.045, 10.0}) {
    const std::vector<std::string> settings = {
        fmt::format("bodies.ball.velocity=[{}, 0, 0] m/s", v), "simulate.duration=1 us",
        "simulate.record.every=1 us"};
    const ExampleRun run = run_example("contact/spinning-ball.yaml", settings);
    report.seconds += run.summary.timing.solver_seconds;
    const auto first = [&](const char* channel) {
      return run.results.channel(std::string("contact/spin/") + channel).front();
    };
    const double load = 0.2 * first("normal_force");
    const Friction exact = sum_over_disc(a, 1.0, v, 10.0, 600);
    report.comparisons.push_back({fmt::format("force / (mu N), v {} m/s", v), exact.force,
                                  first("friction_force") / load, 1e-3});
    report.comparisons.push_back({fmt::format("torque / (mu N a), v {} m/s", v), exact.torque / a,
                                  -first("spin_torque") / (load * a), 1e-3});
  }
  return report;
}

// What the ellipse of the source makes of the same: 1.4 to 2 times the torque where both motions
// count. The reference is its own formula, to show that it is kept.
CaseReport contensou_ellipse() {
  CaseReport report;
  for (const double v : {0.03, 10.0}) {
    const ExampleRun run = run_example(
        "contact/spinning-ball.yaml",
        {fmt::format("bodies.ball.velocity=[{}, 0, 0] m/s", v), "simulate.duration=1 us",
         "simulate.record.every=1 us", "parameters.surface=ellipse"});
    report.seconds += run.summary.timing.solver_seconds;
    const auto first = [&](const char* channel) {
      return run.results.channel(std::string("contact/spin/") + channel).front();
    };
    const double lever = first("lever"), mean = std::hypot(v, lever * 10.0);
    const double load = 0.2 * first("normal_force");
    report.comparisons.push_back({fmt::format("ellipse: force / (mu N), v {} m/s", v), v / mean,
                                  first("friction_force") / load, 1e-9});
    report.comparisons.push_back({fmt::format("ellipse: torque / (mu N r), v {} m/s", v),
                                  lever * 10.0 / mean, -first("spin_torque") / (load * lever),
                                  1e-9});
  }
  return report;
}

// The disc of examples/contact/sliding-disc.yaml, by a Runge-Kutta method and the sum over its
// face.
struct DiscOnFloor {
  double x = 0.0, angle = 0.0, v = 2.0, w = 20.0;

  static constexpr double kRadius = 0.1, kFriction = 0.3 * kGravity;
  static std::array<double, 2> slowing(double v, double w) {
    const Friction f = sum_over_disc(kRadius, 0.0, v, w, 60);
    return {-kFriction * f.force, -kFriction * f.torque / (0.5 * kRadius * kRadius)};
  }
  void step(double h) {
    const auto k1 = slowing(v, w);
    const auto k2 = slowing(v + 0.5 * h * k1[0], w + 0.5 * h * k1[1]);
    const auto k3 = slowing(v + 0.5 * h * k2[0], w + 0.5 * h * k2[1]);
    const auto k4 = slowing(v + h * k3[0], w + h * k3[1]);
    x += h * v + h * h / 6.0 * (k1[0] + k2[0] + k3[0]);
    angle += h * w + h * h / 6.0 * (k1[1] + k2[1] + k3[1]);
    v += h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]);
    w += h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]);
  }
};

CaseReport sliding_disc() {
  const ExampleRun run = run_example("contact/sliding-disc.yaml");
  const auto at = [&](const char* channel) { return run.results.channel(channel)[1]; };  // 5 ms
  const double v = at("body/disc/velocity_x"), w = at("body/disc/angular_velocity_z");
  const double load = 0.3 * at("contact/rub/normal_force");
  const Friction exact = sum_over_disc(0.1, 0.0, v, w, 600);
  DiscOnFloor disc;
  for (int k = 0; k < 240; ++k) disc.step(2.5e-3);  // 0.6 s: it still slides
  const std::vector<double> t = run.results.time();
  std::size_t late = 0;
  while (late + 1 < t.size() && t[late] < 0.6 - 1e-9) ++late;
  const auto at_late = [&](const char* channel) { return run.results.channel(channel)[late]; };
  // The sum over 60 x 60 is good to 1e-4; the disc settles by nanometres and its bristles bend by
  // 0.1 mm.
  return {{{"torque / (mu N R) at 5 ms", exact.torque / 0.1,
            -at("contact/rub/spin_torque") / (load * 0.1), 1e-3},
           {"force / (mu N) at 5 ms", exact.force, at("contact/rub/friction_force") / load, 1e-3},
           {"speed at 0.6 s [m/s]", disc.v, at_late("body/disc/velocity_x"), 2e-3},
           {"spin at 0.6 s [rad/s]", disc.w, at_late("body/disc/angular_velocity_z"), 2e-2},
           {"way in 0.6 s [m]", disc.x, at_late("body/disc/position_x"), 2e-3},
           {"ledger, relative", 0.0, run.summary.energy->relative_residual, 1e-6}},
          run.summary.timing.solver_seconds};
}

double slowed(const ExampleRun& run, double from, double to) {
  const std::vector<double> t = run.results.time(),
                            v = run.results.channel("body/roller/velocity_x");
  double first = NAN, last = NAN;
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (t[k] <= from + 1e-9) first = v[k];
    if (t[k] <= to + 1e-9) last = v[k];
  }
  return (first - last) / (to - from);
}

// Rolling friction b N takes b g/(3/2 R); the loss of the closing side, by the strip of half width
// c under the cylinder, parabolic pressure, M = loss 3/16 N c; nothing without loss.
CaseReport rolling_cylinder() {
  const double R = 0.05, mass = 2.0, length = 0.2, k_v = 1e10, loss = 1.0 - 0.3 * 0.3;
  const double by_lever = 2e-4 * kGravity / (1.5 * R);
  const double half = std::cbrt(1.5 * R * mass * kGravity / (k_v * length));
  const double by_loss = loss * 3.0 / 16.0 * half * kGravity / (1.5 * R);
  const std::string file = "contact/rolling-cylinder.yaml";
  const ExampleRun down = run_example(file), dropped = run_example(file, {"parameters.drop=5 mm"});
  const ExampleRun fast = run_example(file, {"parameters.speed=3 m/s"});
  const ExampleRun rest = run_example(file, {"contacts.roll.rolling={loss: 0.91}"});
  const ExampleRun free = run_example(file, {"contacts.roll.rolling=none"});
  CaseReport report;
  for (const ExampleRun* run : {&down, &dropped, &fast, &rest, &free}) {
    report.seconds += run->summary.timing.solver_seconds;
  }
  report.comparisons = {
      // The cylinder's depth is 2e-4 of its radius: its lever is R to that.
      {"lever, put down [m/s^2]", by_lever, slowed(down, 1.0, 3.0), 2e-3 * by_lever},
      {"lever, dropped from 5 mm [m/s^2]", by_lever, slowed(dropped, 1.0, 3.0), 2e-3 * by_lever},
      {"lever, at 3 m/s [m/s^2]", by_lever, slowed(fast, 1.0, 3.0), 2e-3 * by_lever},
      // 0.42 for the 0.4193 of this strip.
      {"loss 1 - e^2 [m/s^2]", by_loss, slowed(rest, 1.0, 3.0), 5e-3 * by_loss},
      {"no loss [m/s^2]", 0.0, slowed(free, 1.0, 3.0), 1e-5},
      {"ledger, relative", 0.0, down.summary.energy->relative_residual, 1e-6}};
  return report;
}

}  // namespace

std::vector<ValidationCase> patch_cases() {
  return {
      {"contensou", "Coulomb's law summed over the patch", contensou},
      {"contensou-ellipse", "formula of Gonthier 2007, 4.4 (an approximation)", contensou_ellipse},
      {"sliding-disc", "Coulomb's law summed over the disc, re-integrated", sliding_disc},
      {"rolling-cylinder", "closed form", rolling_cylinder}};
}

}  // namespace grapple::app
