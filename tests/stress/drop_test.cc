// A body of every shape falls on a plate of every shape, from centimetres to metres, on plates down
// to a millimetre: it ends on the side it came from, and the energy balance closes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "stress.h"

namespace grapple::stress {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  double logarithmic(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }

 private:
  std::mt19937 generator_;
};

std::string box_corners(double a, double b, double c) {
  std::string text;
  for (int k = 0; k < 8; ++k) {
    text += fmt::format("{}[{:.17g}, {:.17g}, {:.17g}]", k == 0 ? "" : ", ", k & 1 ? a : -a,
                        k & 2 ? b : -b, k & 4 ? c : -c);
  }
  return text;
}

// A box as a mesh of triangles, in a file.
std::string box_mesh(double a, double b, double c, const std::string& name) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / (name + ".obj");
  std::ofstream out(file);
  for (int k = 0; k < 8; ++k) {
    out << fmt::format("v {:.17g} {:.17g} {:.17g}\n", k & 1 ? a : -a, k & 2 ? b : -b,
                       k & 4 ? c : -c);
  }
  for (const char* face : {"1 3 4", "1 4 2", "5 6 8", "5 8 7", "1 2 6", "1 6 5", "3 7 8", "3 8 4",
                           "1 5 7", "1 7 3", "2 4 8", "2 8 6"}) {
    out << "f " << face << "\n";
  }
  return file.string();
}

struct Falling {
  const char* name;
  std::string shape;
  double reach;  // m, radius of a ball that holds it
  double thick;  // m, of a ball inside
};

Falling falling(int kind, Random& random) {
  const double r = random.uniform(0.02, 0.06);
  switch (kind) {
    case 0:
      return {"sphere", fmt::format("sphere: {:.17g}", r), r, r};
    case 1:
      return {"box", fmt::format("box: [{:.17g}, {:.17g}, {:.17g}]", 2 * r, 3 * r, r), 2 * r,
              0.5 * r};
    case 2:
      return {"cylinder", fmt::format("cylinder: {{radius: {:.17g}, length: {:.17g}}}", r, 3 * r),
              2 * r, r};
    case 3:
      return {"capsule", fmt::format("capsule: {{radius: {:.17g}, length: {:.17g}}}", r, 3 * r),
              2.5 * r, r};
    case 4:
      return {"cone", fmt::format("cone: {{radius: {:.17g}, length: {:.17g}}}", r, 2 * r), 2 * r,
              0.5 * r};
    case 5:
      return {"ellipsoid", fmt::format("ellipsoid: [{:.17g}, {:.17g}, {:.17g}]", r, 2 * r, 0.5 * r),
              2 * r, 0.5 * r};
    case 6:
      return {"polyhedron", "polyhedron: {corners: [" + box_corners(r, 0.5 * r, 1.5 * r) + "]}",
              2 * r, 0.5 * r};
    case 7:
      return {"mesh", fmt::format("mesh: {{file: {}}}", box_mesh(r, r, r, "drop-body")), 2 * r, r};
    default:  // two crossed bars
      return {"cells",
              fmt::format("cells: [{{box: [{0:.17g}, {1:.17g}, {1:.17g}]}}, {{box: [{1:.17g}, "
                          "{0:.17g}, {1:.17g}]}}]",
                          3 * r, r),
              2 * r, 0.5 * r};
  }
}
constexpr int kFalling = 9;

struct Plate {
  const char* name;
  std::string shape;
  double thick;  // m, half its thickness; infinite depth counts as 1
};

// Its upper side is the plane z = 0.
Plate plate(int kind, double half) {
  const double wide = 10.0;
  const std::string below = fmt::format("on: 'world at [0, 0, {:.17g}] m', ", -half);
  switch (kind) {
    case 0:
      return {"half-space", "half_space: z", 1.0};
    case 1:
      return {"box", below + fmt::format("box: [{0}, {0}, {1:.17g}]", wide, 2 * half), half};
    case 2:
      return {"cylinder",
              below + fmt::format("cylinder: {{radius: {}, length: {:.17g}}}", wide, 2 * half),
              half};
    case 3:
      return {"polyhedron",
              below + "polyhedron: {corners: [" + box_corners(wide, wide, half) + "]}", half};
    case 4:
      return {"mesh",
              below + fmt::format("mesh: {{file: {}}}", box_mesh(wide, wide, half, "drop-plate")),
              half};
    default:  // tiles side by side
      return {"cells",
              below + fmt::format("cells: [{{box: [{0}, {0}, {1:.17g}], position: [-{2}, 0, 0]}}, "
                                  "{{box: [{0}, {0}, {1:.17g}], position: [{2}, 0, 0]}}]",
                                  wide, 2 * half, 0.5 * wide),
              half};
  }
}
constexpr int kPlates = 6;

TEST(Drops, EndOnTheSideTheyCameFrom) {
  Tally tally("drops");
  const char* const methods[] = {"adaptive", "dormand-prince", "adams", "bdf", "generalized-alpha"};
  const int rounds = cases(1, 12);
  for (int round = 0; round < rounds; ++round) {
    for (int pair = 0; pair < kFalling * kPlates; ++pair) {
      if (cases(0, 1) == 0 && pair % 4 != 0) continue;  // the gist: a quarter
      if (pair == 7) continue;  // there is no point contact of a mesh with a half-space
      const auto seed = static_cast<unsigned>(1000 * round + pair);
      Random random(seed);
      const double half = 0.5 * random.logarithmic(1e-3, 0.05);
      const Falling body = falling(pair % kFalling, random);
      const Plate under = plate(pair / kFalling, half);
      const double height = random.logarithmic(0.02, 10.0), speed = random.uniform(0.0, 10.0);
      const double start = body.reach + height;
      const double impact = std::sqrt(speed * speed + 2.0 * 9.81 * start);
      // So stiff that the impact goes a twentieth of the thickness deep: 0.4 k d^2.5 = v^2/2.
      const double depth = 0.05 * std::min(body.thick, under.thick);
      const double stiffness = 1.25 * impact * impact / std::pow(depth, 2.5);
      const double fall = (impact - speed) / 9.81;
      const char* const method = methods[(pair + round) % 5];
      // A method of order two takes 1e5 steps for an impact at 1e-10.
      const double digits = random.uniform(3.0, (pair + round) % 5 == 4 ? 6.0 : 10.0);
      const double tolerance = std::pow(10.0, -digits);
      const std::string text = fmt::format(
          "grapple: 1\nenvironment: {{gravity: 9.81 m/s^2}}\n"
          "bodies: [{{name: a, solid: {{sphere: 5 cm, mass: 1 kg}}, position: [{:.3f}, {:.3f}, "
          "{:.17g}] m, velocity: [0, 0, {:.17g}] m/s, rotation: {{axis: [{:.3f}, {:.3f}, 0.3], "
          "angle: {:.3f}}}, angular_velocity: [{:.3f}, {:.3f}, {:.3f}] rad/s, shapes: [{{name: s, "
          "{}}}]}}]\nshapes: [{{name: plate, {}}}]\n"
          "contacts: [{{name: c, between: [a/s, plate], stiffness: {:.6g}, restitution: {:.2f}, "
          "friction: none}}]\n"
          "measures: [{{name: z, channel: body/a/position_z, kind: final}}, {{name: F, channel: "
          "contact/c/normal_force, kind: max}}]\n"
          "simulate: {{duration: {:.6g} s, integrator: {}, tolerance: {:g}, record: {{every: 10 "
          "ms}}}}\n",
          random.uniform(-1, 1), random.uniform(-1, 1), start, -speed, random.uniform(-1, 1),
          random.uniform(-1, 1), random.uniform(-3, 3), random.uniform(-5, 5),
          random.uniform(-5, 5), random.uniform(-5, 5), body.shape, under.shape, stiffness,
          random.uniform(0.3, 1.0), 1.2 * fall + 0.05, method, tolerance);
      const Ending ending = run_scenario(text);
      if (!ending.claims_to_be_right) {
        tally.refused(ending.reason);
        continue;
      }
      // Its centre is above the plate; the balance is judged as the program judges it.
      if (ending.measures.at("z") > 0.0 && ending.relative_residual < 1e-2) {
        tally.right();
      } else {
        tally.wrong(
            fmt::format("seed {}, {} on {} {:.1e} m thick, {} m/s, {} with tolerance {:g}: "
                        "z = {:.6g} m, residual {:.1e}",
                        seed, body.name, under.name, 2 * half, impact, method, tolerance,
                        ending.measures.at("z"), ending.relative_residual));
      }
    }
  }
}

}  // namespace
}  // namespace grapple::stress
