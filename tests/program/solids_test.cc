// Contacts of solids through the whole program: overlaps at the start, meshes from files, bodies
// that slide from cell to cell, and every new shape at rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// 9 % of the radius deep at the start: what was never an impact is damped as the slowest one, so
// the ball leaves at no more than that speed, however much the springs hold.
TEST(Start, AnOverlapIsResolvedWithoutAnExplosion) {
  for (const char* contact : {"stiffness: 1e9", "model: volumetric, foundation: 1e11 N/m^3"}) {
    const Scratch scratch;
    const auto results = results_of(scratch, std::string(R"(grapple: 1
bodies:
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, position: [0, 0, 0.091] m, shapes: [{name: skin, sphere: 0.1 m}]}
shapes: [{name: floor, half_space: z}]
contacts: [{name: touch, between: [ball/skin, floor], )") +
                                                 contact + R"(, restitution: 0.5, friction: none}]
simulate: {duration: 0.5 s, integrator: bdf, tolerance: 1e-8, record: {every: 1 ms}}
)");
    EXPECT_LT(largest(results.channel("body/ball/velocity_z")), 1.01e-3) << contact;
    EXPECT_GT(results.channel("body/ball/position_z").back(), 0.091) << contact;
  }
}

// A box slides over a floor of ten tiles: what the tiles do together is what one slab does.
// Damping, bristles and dwell pass from tile to tile, so that friction and the normal force have no
// steps.
TEST(Cells, ABoxSlidesOverTilesAsOverOneSlab) {
  std::string tiles;
  for (int k = 0; k < 10; ++k) {
    tiles += "      - {position: [" + std::to_string(0.1 * k + 0.05) +
             ", 0, -0.05] m, box: \"[0.1, 1, 0.1] m\"}\n";
  }
  const auto run = [](const std::string& floor, const Scratch& scratch) {
    return results_of(scratch, R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: box, solid: {box: [0.12, 0.1, 0.1] m, mass: 2 kg}, position: [0.12, 0, 0.04999] m, velocity: [1, 0, 0] m/s, shapes: [{name: hull, box: "[0.12, 0.1, 0.1] m"}]}
shapes:
  - name: floor
)" + floor + R"(contacts:
  - {name: slide, between: [box/hull, floor], model: volumetric, foundation: 1e8 N/m^3, restitution: 0.5, slow_impact: 10 mm/s, friction: {kinetic: 0.2}}
simulate: {duration: 0.4 s, tolerance: 1e-8, record: {every: 2 ms}}
)");
  };
  const Scratch one, many;
  const auto slab =
      run("    on: \"world at [0.5, 0, -0.05] m\"\n    box: \"[1, 1, 0.1] m\"\n", one);
  const auto tiled = run("    cells:\n" + tiles, many);
  const auto x = slab.channel("body/box/position_x"),
             tiled_x = tiled.channel("body/box/position_x");
  EXPECT_GT(x.back(), 0.35);  // over more than two joints
  // Each tile has its own centroid and slip; the box pitches by friction, so tiles press unequally.
  EXPECT_NEAR(tiled_x.back(), x.back(), 1e-4);
  const auto t = tiled.time(), force = tiled.channel("contact/slide/normal_force");
  const auto rub = tiled.channel("contact/slide/friction_force");
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (t[k] < 0.1) continue;  // still settling
    EXPECT_NEAR(force[k], 2.0 * 9.81, 0.02 * 2.0 * 9.81) << t[k];
    EXPECT_NEAR(rub[k], 0.2 * force[k], 0.01 * 2.0 * 9.81) << t[k];
  }
}

// An angle from an OBJ file stands on a slab; its weight is carried, its ledger closes.
TEST(Meshes, AnAngleFromAFileStandsOnASlab) {
  const Scratch scratch;
  scratch.file(
      "angle.obj",
      "v 0 0 -100\nv 400 0 -100\nv 400 100 -100\nv 100 100 -100\nv 100 400 -100\nv 0 400 -100\n"
      "v 0 0 100\nv 400 0 100\nv 400 100 100\nv 100 100 100\nv 100 400 100\nv 0 400 100\n"
      "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n"
      "f 7 8 9 10\nf 7 10 11 12\nf 4 3 2 1\nf 6 5 4 1\n");
  const auto results = results_of(scratch, R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: angle, mass: 3 kg, com: [0.1357, 0.1357, 0] m, inertia: [0.06, 0.06, 0.1] kg*m^2, position: [0, 0, 0.1] m, shapes: [{name: hull, mesh: {file: angle.obj, scale: 0.001}}]}
shapes: [{name: slab, box: "[2, 2, 0.2] m", on: "world at [0, 0, -0.1] m"}]
contacts: [{name: stand, between: [angle/hull, slab], model: volumetric, foundation: 1e8 N/m^3, restitution: 0.3, slow_impact: 10 mm/s, friction: {kinetic: 0.3}}]
simulate: {duration: 0.3 s, tolerance: 1e-7, record: {every: 5 ms}}
)");
  EXPECT_NEAR(results.channel("contact/stand/force_z").back(), 3.0 * 9.81, 1e-2);
  EXPECT_NEAR(results.channel("contact/stand/volume").back(), 3.0 * 9.81 / 1e8, 1e-10);
}

// Each convex body dropped on a box comes to rest under its weight.
TEST(Convex, BodiesComeToRestOnABox) {
  for (const char* shape :
       {"ellipsoid: \"[0.2, 0.15, 0.1] m\"", "capsule: {radius: 0.1 m, length: 0.3 m, axis: x}"}) {
    const Scratch scratch;
    const auto results = results_of(scratch, std::string(R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: body, mass: 2 kg, inertia: [0.02, 0.03, 0.04] kg*m^2, position: [0, 0, 0.1] m, shapes: [{name: skin, )") +
                                                 shape + R"(}]}
shapes: [{name: block, box: "[2, 2, 0.2] m", on: "world at [0, 0, -0.1] m"}]
contacts: [{name: rest, between: [body/skin, block], stiffness: 1e6, restitution: 0.3, friction: {kinetic: 0.4}}]
simulate: {duration: 1 s, integrator: bdf, tolerance: 1e-8, record: {every: 10 ms}}
)");
    EXPECT_NEAR(results.channel("contact/rest/force_z").back(), 2.0 * 9.81, 1e-2) << shape;
  }
}

// A peg turned in a bore is stopped at both ends at once and turned back, with e times its rate,
// while it stays where it is.
TEST(Rounds, APegTurnedInABoreIsStoppedAtBothEnds) {
  const Scratch scratch;
  const auto results = results_of(scratch, R"(grapple: 1
bodies:
  - {name: peg, solid: {cylinder: {radius: 20 mm, length: 120 mm, axis: z}, mass: 1 kg}, angular_velocity: [0.2, 0, 0] rad/s, shapes: [{name: skin, cylinder: {radius: 20 mm, length: 120 mm, axis: z}}]}
shapes: [{name: hole, bore: {radius: 20.2 mm, axis: z}}]
contacts: [{name: wedge, between: [peg/skin, hole], model: volumetric, foundation: 1e10 N/m^3, restitution: 0.5, slow_impact: 1 mm/s, friction: none}]
simulate: {duration: 30 ms, tolerance: 1e-7, record: {every: 0.5 ms}}
)");
  EXPECT_EQ(largest(results.channel("contact/wedge/touching_patches")), 2.0);
  EXPECT_LT(largest(results.channel("body/peg/position_y")), 1e-7);
  // Centroids wander along the peg during the impact, so that e is kept to some percent only.
  EXPECT_NEAR(results.channel("body/peg/angular_velocity_x").back(), -0.1, 0.01);
  const auto summary = json_of(scratch / "out/summary.json");
  EXPECT_LT(std::abs(summary.at("energy").at("relative_residual").get<double>()), 1e-6);
}

// Put down on a drum, a stack of flat ends, a ring on a post and a cylinder on a mesh carry their
// weights: k_v V = m g.
TEST(Rounds, BodiesOfEveryKindAreCarried) {
  const Scratch scratch;
  scratch.file("block.obj",
               "v -200 -200 -200\nv 200 -200 -200\nv 200 200 -200\nv -200 200 -200\n"
               "v -200 -200 0\nv 200 -200 0\nv 200 200 0\nv -200 200 0\n"
               "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  for (const auto& [body, ground] :
       {std::pair{
            "cylinder: {radius: 0.1 m, length: 0.1 m, axis: z}",
            "on: \"world at [0, 0, -0.1] m\", cylinder: {radius: 0.15 m, length: 0.2 m, axis: z}"},
        std::pair{"cylinder: {radius: 0.1 m, length: 0.1 m, axis: z}",
                  "mesh: {file: block.obj, scale: 0.001}"},
        std::pair{"torus: {radius: 0.1 m, tube: 5 cm, axis: z}",
                  "on: \"world at [0, 0, -0.1] m\", box: \"[0.6, 0.6, 0.2] m\""}}) {
    const auto results = results_of(scratch, std::string(R"(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: body, mass: 2 kg, inertia: [0.02, 0.03, 0.04] kg*m^2, position: [0, 0, 0.05] m, shapes: [{name: skin, )") +
                                                 body + "}]}\nshapes: [{name: ground, " + ground +
                                                 R"(}]
contacts: [{name: rest, between: [body/skin, ground], model: volumetric, foundation: 1e8 N/m^3, restitution: 0.1, slow_impact: 10 mm/s, friction: {kinetic: 0.4}}]
simulate: {duration: 0.3 s, integrator: bdf, tolerance: 1e-7, record: {every: 10 ms}}
)");
    EXPECT_NEAR(results.channel("contact/rest/normal_force").back(), 2.0 * 9.81, 0.02)
        << body << ground;
    // The last of the motion is still being damped.
    EXPECT_NEAR(results.channel("contact/rest/volume").back(), 2.0 * 9.81e-8, 1e-9) << body;
  }
}

}  // namespace
}  // namespace grapple::program
