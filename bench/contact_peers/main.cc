// What five engines make of the same contacts, in their own ordinary settings. Prints the tables of
// docs/contact-comparison.md.
#include <fmt/core.h>

#include <cmath>
#include <ctime>
#include <exception>
#include <numbers>
#include <optional>
#include <vector>

#include "contact_peers/world.h"
#include "crowd/heap.h"

namespace grapple::bench {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double kGravity = 9.81;
const Engine kGrapple{"Grapple", make_grapple_world};
const std::vector<Engine> kEngines = {kGrapple,
                                      {"MuJoCo", make_mujoco_world},
                                      {"Bullet", make_bullet_world},
                                      {"ODE", make_ode_world},
                                      {"Simbody", make_simbody_world}};

BodyAbove ball(double radius, double mass) {
  BodyAbove b;
  b.half_edges.setConstant(radius);
  b.mass = mass;
  b.position = {0.0, 0.0, radius};
  return b;
}

BodyAbove box(const Vector3d& edges, double mass) {
  BodyAbove b;
  b.shape = BodyAbove::Shape::kBox;
  b.half_edges = 0.5 * edges;
  b.mass = mass;
  b.position = {0.0, 0.0, b.half_edges.z()};
  return b;
}

Vector3d slope_gravity(double degrees) {
  const double a = degrees * pi / 180.0;
  return kGravity * Vector3d(std::sin(a), 0.0, -std::cos(a));
}

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A ball of 1 kg at 1 m/s against the plane, weightless: rebound over impact speed.
double restitution_obtained(const Engine& engine, double asked) {
  WorldSpec spec;
  spec.gravity.setZero();
  spec.restitution = asked;
  spec.bodies = {ball(0.1, 1.0)};
  spec.bodies[0].position.z() = 0.15;
  spec.bodies[0].velocity.z() = -1.0;
  const auto world = engine.make(spec);
  world->advance(1.0);
  return world->velocity(0).z();
}

// Steel ball of 10 mm radius at 1 m/s on steel, elastic: peak force. Only engines that know E.
double hertz_force(const Engine& engine) {
  WorldSpec spec;
  spec.gravity.setZero();
  spec.restitution = 1.0;
  spec.young = 206e9;
  const double mass = 7850.0 * 4.0 / 3.0 * pi * 1e-6;
  spec.bodies = {ball(0.01, mass)};
  spec.bodies[0].position.z() = 0.0101;
  spec.bodies[0].velocity.z() = -1.0;
  const auto world = engine.make(spec);
  world->advance(1e-3);
  return mass * world->largest_acceleration();
}

struct Slide {
  double creep = 0.0, acceleration = 0.0;
};

// A cube of 0.2 m on a slope of 30 degrees: what it creeps in 100 s with mu 0.7, from 1 s on, and
// how it accelerates with mu 0.3. Nothing falls here: an engine whose damping depends on the speed
// of impacts is told of slow ones. (Told of 1 m/s, Simbody's cube hops down the slope: with a given
// dissipation its slow touches are elastic.)
Slide slide(const Engine& engine) {
  WorldSpec spec;
  spec.gravity = slope_gravity(30.0);
  spec.restitution = 0.1;
  spec.impact_speed = 0.01;
  spec.patch = WorldSpec::Patch::kArea;
  spec.bodies = {box(Vector3d::Constant(0.2), 1.0)};
  spec.friction = 0.7;
  const auto held = engine.make(spec);
  held->advance(1.0);
  const double start = held->position(0).x();
  held->advance(101.0);
  spec.friction = 0.3;
  const auto sliding = engine.make(spec);
  sliding->advance(0.5);
  const double v = sliding->velocity(0).x(), t = sliding->time();
  sliding->advance(1.5);
  return {held->position(0).x() - start, (sliding->velocity(0).x() - v) / (sliding->time() - t)};
}

struct Roll {
  double time = 0.0, speed = 0.0;
};

// A ball put down sliding at 2 m/s, mu 0.2: when it rolls (its slip, a straight line, continued to
// zero), and how fast.
Roll roll(const Engine& engine) {
  WorldSpec spec;
  spec.friction = 0.2;
  spec.restitution = 0.1;
  spec.bodies = {ball(0.1, 1.0)};
  spec.bodies[0].velocity.x() = 2.0;
  const auto world = engine.make(spec);
  const auto slip = [&] { return world->velocity(0).x() - 0.1 * world->angular_velocity(0).y(); };
  world->advance(0.1);
  const double t1 = world->time(), s1 = slip();
  world->advance(0.25);
  const double t2 = world->time(), s2 = slip();
  world->advance(1.0);
  return {t2 + s2 * (t2 - t1) / (s1 - s2), world->velocity(0).x()};
}

// Of a ball of 1 kg and 0.1 m on a foundation of 1e9 N/m^3: k_v pi d^2 (R - d/3) = weight.
double static_depth() {
  double d = 1e-4;
  for (int k = 0; k < 20; ++k) d = std::sqrt(kGravity / (1e9 * pi * (0.1 - d / 3.0)));
  return d;
}

// The torque that slows a ball spinning at 10 rad/s on the spot, over mu times weight times the
// radius of its patch on an elastic foundation of 1e9 N/m^3.
double spin_lever(const Engine& engine) {
  WorldSpec spec;
  spec.friction = 0.2;
  spec.restitution = 0.1;
  spec.patch = WorldSpec::Patch::kArea;
  spec.bodies = {ball(0.1, 1.0)};
  const double depth = static_depth();
  spec.bodies[0].position.z() -= depth;
  spec.bodies[0].angular_velocity.z() = 10.0;
  const auto world = engine.make(spec);
  world->advance(0.5);
  const double t = world->time(), w = world->angular_velocity(0).z();
  world->advance(1.0);
  const double rate = (w - world->angular_velocity(0).z()) / (world->time() - t);
  return 0.4 * 0.1 * 0.1 * rate / (0.2 * kGravity * std::sqrt(0.2 * depth - depth * depth));
}

struct Drop {
  double cost_ms = 0.0;  // per simulated second
  double rest_height = 0.0, rest_speed = 0.0;
};

Drop drop(const Engine& engine) {
  WorldSpec spec;
  spec.friction = 0.3;
  spec.restitution = 0.5;
  spec.impact_speed = 1.4;
  spec.aim = WorldSpec::Aim::kSpeed;
  spec.patch = WorldSpec::Patch::kArea;
  spec.bodies = {box({0.5, 0.4, 0.3}, 100.0)};
  spec.bodies[0].position.z() = 0.26;
  spec.bodies[0].orientation =
      Eigen::Quaterniond(Eigen::AngleAxisd(2.0 * pi / 180.0, Vector3d::UnitX())) *
      Eigen::Quaterniond(Eigen::AngleAxisd(2.0 * pi / 180.0, Vector3d::UnitY()));
  double best = HUGE_VAL;
  Drop result;
  for (int turn = 0; turn < 3; ++turn) {
    const auto world = engine.make(spec);
    const double start = seconds();
    world->advance(3.0);
    best = std::min(best, seconds() - start);
    result.rest_height = world->position(0).z();
    result.rest_speed = world->velocity(0).norm();
  }
  result.cost_ms = 1e3 * best / 3.0;
  return result;
}

struct Cost {
  double ms_per_step = 0.0, step_us = 0.0;
};

// A thousand balls of 0.1 m, ten of them along each edge of a box, settled for 0.3 s.
Cost heap(const Engine& engine) {
  constexpr int kSide = 10;
  WorldSpec spec;
  spec.friction = 0.3;
  spec.restitution = 0.5;
  spec.half_width = 0.105 * kSide;
  for (int k = 0; k < kSide * kSide * kSide; ++k) {
    BodyAbove b = ball(0.1, 1.0);
    const int x = k % kSide, y = k / kSide % kSide, z = k / (kSide * kSide);
    b.position = {0.21 * (x - 4.5) + 0.002 * (k % 3), 0.21 * (y - 4.5) + 0.002 * (k % 5),
                  0.1 + 0.201 * z};
    spec.bodies.push_back(b);
  }
  const auto world = engine.make(spec);
  // Simbody takes minutes for a tenth of a second.
  const double settling = engine.name == "Simbody" ? 0.02 : 0.3;
  world->advance(settling);
  const long steps = world->steps();
  const double start = seconds(), t = world->time();
  world->advance(world->time() + (engine.name == "Simbody" ? 0.002 : 0.05));
  const double count = static_cast<double>(world->steps() - steps);
  return {1e3 * (seconds() - start) / count, 1e6 * (world->time() - t) / count};
}

// Ours is the example with a thousand balls.
Cost our_heap() {
  Heap heap(10);
  heap.advance(3000);
  constexpr int kSteps = 500;
  const double start = seconds();
  heap.advance(kSteps);
  return {1e3 * (seconds() - start) / kSteps, 1e6 * kHeapStep};
}

void print_header() {
  fmt::print("| | exact |");
  for (const Engine& engine : kEngines) fmt::print(" {} |", engine.name);
  fmt::print("\n|---|---|");
  for (std::size_t k = 0; k < kEngines.size(); ++k) fmt::print("---|");
  fmt::print("\n");
}

// What an engine cannot be asked is a dash; what it answers by an exception, its words.
template <class Measure>
void print_row(const char* what, const char* exact, Measure&& measure) {
  fmt::print("| {} | {} |", what, exact);
  for (const Engine& engine : kEngines) {
    try {
      fmt::print(" {} |", measure(engine));
    } catch (const std::exception& error) {
      fmt::print(" failed: {} |", error.what());
    }
    std::fflush(stdout);
  }
  fmt::print("\n");
}

void print_accuracy() {
  for (const double asked : {0.9, 0.5, 0.1}) {
    print_row(
        fmt::format("restitution asked {}", asked).c_str(), fmt::format("{}", asked).c_str(),
        [asked](const Engine& e) { return fmt::format("{:.6f}", restitution_obtained(e, asked)); });
  }
  print_row("Hertz peak force from E and nu [N]", "1737.06", [](const Engine& e) {
    const bool knows = e.name == "Grapple" || e.name == "Simbody";
    return knows ? fmt::format("{:.2f}", hertz_force(e)) : std::string("-");
  });
  std::vector<Slide> slides;
  std::vector<Roll> rolls;
  const auto index = [](const Engine& e) {
    std::size_t k = 0;
    while (kEngines[k].name != e.name) ++k;
    return k;
  };
  print_row("creep in 100 s, 30 deg, mu 0.7 [m]", "0", [&](const Engine& e) {
    return fmt::format("{:.1e}", (slides.emplace_back() = slide(e)).creep);
  });
  print_row("acceleration, 30 deg, mu 0.3 [m/s^2]", "2.356287", [&](const Engine& e) {
    return fmt::format("{:.6f}", slides.at(index(e)).acceleration);
  });
  print_row("sliding to rolling [s]", "0.291248", [&](const Engine& e) {
    return fmt::format("{:.6f}", (rolls.emplace_back() = roll(e)).time);
  });
  print_row("rolling speed [m/s]", "1.428571",
            [&](const Engine& e) { return fmt::format("{:.6f}", rolls.at(index(e)).speed); });
  print_row("spin torque / (mu N a)", "0.533333",
            [](const Engine& e) { return fmt::format("{:.4f}", spin_lever(e)); });
}

void print_cost() {
  std::vector<Drop> drops;
  const auto index = [](const Engine& e) {
    std::size_t k = 0;
    while (kEngines[k].name != e.name) ++k;
    return k;
  };
  print_row("box drop, cost of a second [ms]", "", [&](const Engine& e) {
    return fmt::format("{:.2f}", (drops.emplace_back() = drop(e)).cost_ms);
  });
  print_row("its speed after 3 s [m/s]", "0",
            [&](const Engine& e) { return fmt::format("{:.1e}", drops.at(index(e)).rest_speed); });
  std::vector<Cost> heaps;
  print_row("1000 balls, cost of a step [ms]", "", [&](const Engine& e) {
    heaps.emplace_back() = e.name == "Grapple" ? our_heap() : heap(e);
    return fmt::format("{:.2f}", heaps.back().ms_per_step);
  });
  print_row("length of that step [us]", "",
            [&](const Engine& e) { return fmt::format("{:.0f}", heaps.at(index(e)).step_us); });
  print_row("1000 balls, cost of a second [s]", "", [&](const Engine& e) {
    const Cost& cost = heaps.at(index(e));
    return fmt::format("{:.2f}", 1e3 * cost.ms_per_step / cost.step_us);
  });
}

}  // namespace
}  // namespace grapple::bench

int main() {
  grapple::bench::print_header();
  grapple::bench::print_accuracy();
  grapple::bench::print_cost();
}
