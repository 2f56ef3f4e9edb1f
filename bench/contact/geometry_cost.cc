#include "contact/geometry_cost.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/solid/convex_hull.h"
#include "grapple/geometry/touch/touch_sites.h"
#include "grapple/record/run.h"
#include "grapple/scenario/build/build.h"
#include "grapple/spatial/rotation.h"
#include "timing/turns.h"

namespace grapple::bench {

namespace {

using namespace geometry;  // NOLINT: the table reads as a table
using spatial::Mat3;
using spatial::Vec3;

// Twelve faces, inscribed radius 0.1.
Shape dodecahedron() {
  const double phi = 0.5 * (1.0 + std::sqrt(5.0));
  std::vector<Vec3> corners;
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      for (const double z : {-1.0, 1.0}) corners.emplace_back(x, y, z);
      corners.emplace_back(0.0, x / phi, y * phi);
      corners.emplace_back(x / phi, y * phi, 0.0);
      corners.emplace_back(x * phi, 0.0, y / phi);
    }
  }
  for (Vec3& c : corners) c *= 0.1 / 1.3764;
  return Convex{std::make_shared<const Polyhedron>(hull_of(corners, ""))};
}

// A ball of radius 0.1 in 1012 triangles, between circles of latitude.
Shape mesh_ball() {
  constexpr int kRound = 22, kHigh = 24;
  constexpr double kPi = 3.14159265358979323846;
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->corners = {{0, 0, -0.1}, {0, 0, 0.1}};
  for (int i = 1; i < kHigh; ++i) {
    const double up = kPi * (static_cast<double>(i) / kHigh - 0.5);
    for (int j = 0; j < kRound; ++j) {
      const double round = 2.0 * kPi * j / kRound;
      mesh->corners.emplace_back(0.1 * std::cos(up) * std::cos(round),
                                 0.1 * std::cos(up) * std::sin(round), 0.1 * std::sin(up));
    }
  }
  const auto at = [](int i, int j) { return 2 + (i - 1) * kRound + j % kRound; };
  for (int j = 0; j < kRound; ++j) {
    mesh->triangles.push_back({0, at(1, j + 1), at(1, j)});
    mesh->triangles.push_back({1, at(kHigh - 1, j), at(kHigh - 1, j + 1)});
    for (int i = 1; i + 1 < kHigh; ++i) {
      mesh->triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
      mesh->triangles.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
  }
  check_closed(*mesh, "");
  return Mesh{mesh};
}

// A over B, sunk by some of its size and turned a little.
template <class Query>
double cost(const Query& query, double height) {
  const Mat3 R = spatial::rotation_about(Vec3(1, 2, 3).normalized(), 0.4),
             upright = Mat3::Identity();
  const Vec3 origin = Vec3::Zero();
  double sum = 0.0;
  const double best = best_nanoseconds({[&](int k) {
    const Vec3 p(0.01, 0.02 + 1e-6 * (k % 100), height);
    sum += query(Placement<double>{R, p}, {upright, origin}).gap;
  }})[0];
  return std::isfinite(sum) ? best : NAN;
}

void print_volume(const std::string& name, const Shape& a, const Shape& b, double height) {
  fmt::print("| {} | {:.0f} |\n", name, cost(*overlap_pair(a, b).query, height));
}

void print_touch(const std::string& name, const Shape& a, const Shape& b, double height) {
  fmt::print("| {} | {:.0f} |\n", name, cost(*touch_sites(a, b).queries.front(), height));
}

}  // namespace

void print_geometry_costs() {
  fmt::print("\n| overlap, shallow | ns |\n|---|---|\n");
  print_volume("12 faces with 12 faces", dodecahedron(), dodecahedron(), 0.195);
  print_volume("12 faces with 12 faces, a third of the volume", dodecahedron(), dodecahedron(),
               0.1);
  print_volume("box with box", Box{{0.1, 0.1, 0.1}, 0.0}, Box{{0.1, 0.1, 0.1}, 0.0}, 0.21);
  print_volume("sphere with box", Sphere{0.1}, Box{{0.1, 0.1, 0.1}, 0.0}, 0.195);
  print_volume("cylinder with box", Cylinder{0.1, 0.1}, Box{{0.1, 0.1, 0.1}, 0.0}, 0.21);
  print_volume("ellipsoid with box", Ellipsoid{{0.15, 0.1, 0.1}}, Box{{0.1, 0.1, 0.1}, 0.0}, 0.195);
  print_volume("mesh of 1012 triangles with the same, 5 % deep", mesh_ball(), mesh_ball(), 0.19);
  print_volume("the same, a third of the volume", mesh_ball(), mesh_ball(), 0.1);
  print_volume("the same, 5 % apart", mesh_ball(), mesh_ball(), 0.21);
  print_volume("mesh of 1012 triangles with box", mesh_ball(), Box{{0.1, 0.1, 0.1}, 0.0}, 0.19);
  print_volume("mesh of 1012 triangles with cylinder", mesh_ball(), Cylinder{0.1, 0.1}, 0.19);
  print_volume("capsule with capsule", Capsule{0.1, 0.1}, Capsule{0.1, 0.1}, 0.39);
  print_volume("cylinder with cylinder", Cylinder{0.1, 0.1}, Cylinder{0.1, 0.1}, 0.21);
  print_volume("cone with cylinder", Cone{0.1, 0.2}, Cylinder{0.1, 0.1}, 0.115);
  print_volume("ellipsoid with ellipsoid", Ellipsoid{{0.15, 0.1, 0.1}}, Ellipsoid{{0.15, 0.1, 0.1}},
               0.19);
  print_volume("torus with cylinder", Torus{0.1, 0.03}, Cylinder{0.05, 0.1}, 0.115);
  print_volume("torus with box", Torus{0.1, 0.03}, Box{{0.1, 0.1, 0.1}, 0.0}, 0.15);
  print_volume("capsule in funnel", Capsule{0.02, 0.08}, Funnel{0.7854}, 0.12);
  print_volume("cylinder in funnel", Cylinder{0.02, 0.08}, Funnel{0.7854}, 0.11);
  print_volume("capsule in bore, tilted", Capsule{0.02, 0.08}, Bore{0.045}, 0.0);
  print_volume("cylinder in bore, tilted", Cylinder{0.02, 0.08}, Bore{0.045}, 0.0);
  fmt::print("\n| closest features | ns |\n|---|---|\n");
  print_touch("12 faces on 12 faces, apart", dodecahedron(), dodecahedron(), 0.25);
  print_touch("12 faces on 12 faces, touching", dodecahedron(), dodecahedron(), 0.199);
  print_touch("ellipsoid on ellipsoid, apart", Ellipsoid{{0.15, 0.1, 0.1}},
              Ellipsoid{{0.15, 0.1, 0.1}}, 0.25);
  print_touch("ellipsoid on ellipsoid, touching", Ellipsoid{{0.15, 0.1, 0.1}},
              Ellipsoid{{0.15, 0.1, 0.1}}, 0.2);
}

void print_battery_box() {
  namespace fs = std::filesystem;
  const fs::path results = fs::temp_directory_path() / "grapple-bench-battery-box";
  scenario::Simulation simulation = scenario::build(scenario::load_scenario(
      fs::path(GRAPPLE_BENCH_EXAMPLES) / "gonthier/battery-box.yaml",
      {"simulate.integrator=rk4", "simulate.step=250 us", "simulate.record.every=10 ms"}));
  record::RunOptions options;
  options.directory = results;
  const record::RunSummary summary = record::run(*simulation.system, simulation.plan, options);
  fs::remove_all(results);
  fmt::print("\nbattery box, 21 pairs of cells, rk4 with 250 us: {:.2f} s for 3 s\n",
             summary.timing.wall_seconds);
}

}  // namespace grapple::bench
