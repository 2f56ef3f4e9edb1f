#include "grapple/scenario/language/internal/check.h"

#include <gtest/gtest.h>

#include <numbers>

#include "support.h"

namespace grapple::scenario {
namespace {

const std::string kHead = "grapple: 1\n";

std::string bodies(const std::string& body) { return kHead + "bodies:\n  - {" + body + "}\n"; }
std::string joint(const std::string& keys) {
  return kHead + "bodies: [{name: a, mass: 1 kg, frames: [{name: tip}]}]\njoints:\n  - {" + keys +
         "}\n";
}
std::string force(const std::string& keys) {
  return kHead + "bodies: [{name: a, mass: 1 kg}]\nforces:\n  - {name: f, " + keys + "}\n";
}

TEST(Language, AcceptsAFullScenario) {
  EXPECT_EQ(message_of(R"yaml(
grapple: 1
name: everything
description: "All sections once"
parameters: {length: 2 m}
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: spacecraft, mass: 1e5 kg, inertia: [8e5, 8e5, 8e5] kg*m^2, velocity: [0, 0, 1] mm/s}
  - name: link1
    solid: {rod: {length: ${length}, axis: x, from: end}, mass: 12 kg}
    frames: [{name: tip, position: [${length}, 0, 0], rotation: {axis: z, angle: 90 deg}}]
  - {name: ball, solid: {sphere: 10 cm, density: 2700 kg/m^3}, rotation: {euler_xyz: [1, 2, 3] deg}}
  - {name: box, solid: {box: [1, 2, 3] m, mass: 1 t}, rotation: {quaternion: [1, 0, 0, 0]}}
  - {name: drum, solid: {cylinder: {radius: 1 m, length: 2 m}, mass: 1 kg}}
frames:
  - {name: dock, body: spacecraft, position: [1, 0, 0] m}
joints:
  - {name: shoulder, type: revolute, axis: z, parent: spacecraft at [1, 0, 0] m, child: link1,
     angle: 67.3 deg, rate: 0.911 deg/s, spring: {stiffness: 10 N*m/rad, rest: 5 deg},
     damper: 1 N*m*s/rad, friction: {dry: 1 N*m}, motor: {torque: "2*sin(t)", gear_ratio: 10},
     limits: {lower: -1 rad, upper: 1 rad, stiffness: 100}, lock: [{at: 5 s, state: locked}]}
  - {name: slide, type: prismatic, parent: link1/tip, child: ball, displacement: 1 cm,
     damper: {coefficient: 3 N*s/m}, motion: {position: {times: [0, 1, 2] s, values: [0, 1, 0] cm,
     interpolation: spline}}}
  - {name: wrist, type: universal, axis: x, axis2: [0, 1, 0], parent: dock, child: box,
     position: [1, 2] deg, rate: [0, 0], motion: {rate: [1 deg/s, "0.1*t"]}}
forces:
  - {name: push, type: point-force, at: ball at [0, 0, 1] cm, force: [1 N, "sin(t)", {table: [[0, 0],
     [1 s, 5 N]]}], expressed_in: frame}
  - {name: twist, type: torque, at: box, torque: [0, 0, {expression: "t", unit: N*m}]}
  - {name: cable, type: spring-damper, between: [world, link1/tip], stiffness: 1 kN/m, length: 1 m}
  - {name: mount, type: bushing, between: [drum, world], stiffness: [1, 1, 1, 2, 2, 2]}
events:
  - {name: landed, channel: body/ball/position_z, direction: falling, action: stop}
  - {name: caught, channel: joint/slide/position, crosses: 1 cm, action: lock, target: shoulder}
measures:
  - {name: peak, channel: joint/shoulder/rate, kind: max}
  - {name: late, channel: joint/shoulder/rate, kind: at, time: 1 s}
  - {name: when, channel: joint/shoulder/rate, kind: first_time, above: 1 deg/s}
simulate: {duration: 50 s, integrator: adaptive, tolerance: 1e-8, record: {every: 10 ms}, seed: 3}
)yaml"),
            "");
}

TEST(Language, TheSmallestScenarioIsTwoLines) {
  EXPECT_EQ(ids_of("grapple: 1\nsimulate: {duration: 1 s}\n"), "");
}

TEST(Language, AllFaultsAreReportedAtOnceWithTheirPlaces) {
  const std::string text = message_of(
      "grapple: 1\nbodies:\n  - {name: a, mas: 1 kg}\n  - {name: b, mass: -1 kg}\n"
      "simulate: {duration: 5 m}\n");
  EXPECT_NE(text.find("GR-201 test.yaml:3:15: unknown key 'mas' in body (did you mean 'mass'?)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("GR-209 test.yaml:3:5"), std::string::npos) << text;
  EXPECT_NE(text.find("GR-205 test.yaml:4:21"), std::string::npos) << text;
  EXPECT_NE(text.find("GR-204 test.yaml:5:22"), std::string::npos) << text;
}

TEST(Language, EmptyAndOddTopLevelsAreErrors) {
  for (const char* text : {"", "  \n# only a comment\n", "~\n", "---\n"}) {
    EXPECT_EQ(ids_of(text), "GR-101") << text;
  }
  EXPECT_EQ(ids_of("- 1\n"), "GR-109");
  EXPECT_EQ(ids_of("just text\n"), "GR-109");
  EXPECT_EQ(ids_of("name: x\n"), "GR-200");
  EXPECT_EQ(ids_of("grapple: 2\n"), "GR-205");
  EXPECT_EQ(ids_of("grapple: one\n"), "GR-203");
  EXPECT_EQ(ids_of("grapple: 1\nbodies: 3\n"), "GR-203");
  EXPECT_EQ(ids_of("grapple: 1\nbodies: [3]\n"), "GR-203");
  EXPECT_EQ(ids_of("grapple: 1\nbodies: {a: 1}\n"), "GR-203");
}

TEST(Language, BodiesAreChecked) {
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg")), "");
  EXPECT_EQ(ids_of(bodies("mass: 1 kg")), "GR-200");
  EXPECT_EQ(ids_of(bodies("name: a/b, mass: 1 kg")), "GR-208");
  EXPECT_EQ(ids_of(bodies("name: world, mass: 1 kg")), "GR-208");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 m")), "GR-204");
  EXPECT_EQ(ids_of(bodies("name: a, mass: nan")), "GR-120");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kgg")), "GR-121");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 0")), "GR-205");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, com: [1, 2]")), "GR-207");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, com: [1, 2, 3] kg")), "GR-204");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, com: [1, 2, x]")), "GR-120");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, com: 5 m")), "GR-203");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, inertia: [1, 2, 3, 0, 0, 0] kg*m^2")), "");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, inertia: [1, 2, 3, 4] kg*m^2")), "GR-203");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, inertia: [1, 1, 1] kg*m")), "GR-204");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1 kg, solid: {sphere: 1 m, mass: 1 kg}")), "GR-209");
  EXPECT_EQ(ids_of(bodies("name: a, solid: {sphere: 1 m}")), "GR-209");
  EXPECT_EQ(ids_of(bodies("name: a, solid: {sphere: 1 m, box: [1, 1, 1], mass: 1}")), "GR-209");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1, rotation: {axis: z}")), "GR-209");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1}\n  - {name: a, mass: 1")), "GR-211");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1, frames: [{name: x}, {name: x}]")), "GR-211");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1}\nframes:\n  - {name: a, body: a")), "GR-211");
  EXPECT_EQ(ids_of(bodies("name: a, mass: 1}\nframes:\n  - {name: c, body: bb")), "GR-210");
}

TEST(Language, JointsAreChecked) {
  const std::string pair = "name: j, parent: world, child: a, ";
  EXPECT_EQ(ids_of(joint(pair + "type: revolute")), "");
  EXPECT_NE(message_of(joint(pair + "type: revolut")).find("did you mean 'revolute'"),
            std::string::npos);
  EXPECT_EQ(ids_of(joint(pair + "type: revolut, pitch: 1 mm")), "GR-206");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, pitch: 1 mm")), "GR-202");
  EXPECT_EQ(ids_of(joint(pair + "type: helical")), "GR-200");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, axis: w")), "GR-206");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, axis: [0, 0, 1]")), "");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, angle: 1, position: 1")), "GR-209");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, rate: 1 kg")), "GR-204");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, motor: {torque: 1, force: 1}")), "GR-209");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, motor: {torque: sinn(t)}")), "GR-131");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, motor: {torque: 5 Nmm}")), "GR-121");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, motion: {position: 1, rate: 1}")), "GR-209");
  EXPECT_EQ(ids_of(joint(pair + "type: revolute, lock: [{at: 1 s, state: shut}]")), "GR-206");
  EXPECT_EQ(ids_of(joint("name: j, type: fixed, parent: world, child: a/tip")), "");
  EXPECT_EQ(ids_of(joint("name: j, type: fixed, parent: world, child: a/top")), "GR-210");
  EXPECT_EQ(ids_of(joint("name: j, type: fixed, parent: world, child: b")), "GR-210");
  EXPECT_EQ(ids_of(joint("name: j, type: fixed, parent: world at [1, 0] m, child: a")), "GR-212");
  EXPECT_EQ(ids_of(joint("name: j, type: fixed, parent: world at [1, 0, 0] s, child: a")),
            "GR-212");
  EXPECT_EQ(ids_of(joint("name: j, type: fixed, parent: wor ld, child: a/")), "GR-212 GR-212");
}

TEST(Language, FunctionsAreChecked) {
  const auto torque = [](const std::string& value) {
    return ids_of(force("type: torque, at: a, torque: [0, 0, " + value + "]"));
  };
  EXPECT_EQ(torque("{expression: \"t\", unit: N*m, rate: \"1\"}"), "");
  EXPECT_EQ(torque("{expression: \"t\", rate: \"2\"}"), "GR-133");
  EXPECT_EQ(torque("{expression: \"1) + (t\", unit: N*m}"), "GR-130");
  EXPECT_EQ(torque("{expression: \"t\", unit: kg}"), "GR-204");
  EXPECT_EQ(torque("{expression: \"t\", table: [[0, 0], [1, 1]]}"), "GR-209");
  EXPECT_EQ(torque("{times: [0, 1] s}"), "GR-209");
  EXPECT_EQ(torque("{times: [0, 1] s, values: [1, 2, 3]}"), "GR-134");
  EXPECT_EQ(torque("{times: [1, 0] s, values: [1, 2]}"), "GR-134");
  EXPECT_EQ(torque("{times: [0, 1] kg, values: [1, 2]}"), "GR-204");
  EXPECT_EQ(torque("{table: [[0, 0], [1, 1, 1]]}"), "GR-207");
  EXPECT_EQ(torque("{table: [[0, 0 N*m], [1, 1 N]]}"), "GR-204");
  EXPECT_EQ(torque("{expresion: \"t\"}"), "GR-201 GR-209");
}

TEST(Language, ForcesEventsAndMeasuresAreChecked) {
  EXPECT_EQ(ids_of(force("type: point-force, at: a, force: [1, 2]")), "GR-207");
  EXPECT_EQ(ids_of(force("type: point-force, at: a")), "GR-200");
  EXPECT_EQ(ids_of(force("type: point-force, at: a, torque: [1, 2, 3]")), "GR-202 GR-200");
  EXPECT_EQ(ids_of(force("type: spring-damper, between: [a]")), "GR-207");
  EXPECT_EQ(ids_of(force("type: spring-damper, between: [a, world], stiffness: [1, 2]")), "GR-203");
  EXPECT_EQ(ids_of(force("type: bushing, between: [a, world], stiffness: 5")), "GR-203");
  const std::string event = "grapple: 1\nevents: [{name: e, channel: x, ";
  EXPECT_EQ(ids_of(event + "action: stop}]"), "");
  EXPECT_EQ(ids_of(event + "action: lock}]"), "GR-200");
  EXPECT_EQ(ids_of(event + "action: lock, target: j}]"), "GR-210");
  EXPECT_EQ(ids_of(event + "action: stop, target: j}]"), "GR-202");
  const std::string measure = "grapple: 1\nmeasures: [{name: m, channel: x, ";
  EXPECT_EQ(ids_of(measure + "kind: duration, below: 1}]"), "");
  EXPECT_EQ(ids_of(measure + "kind: duration}]"), "GR-209");
  EXPECT_EQ(ids_of(measure + "kind: max, above: 1}]"), "GR-202");
  EXPECT_EQ(ids_of(measure + "kind: at}]"), "GR-200");
}

TEST(Language, AFloodOfFaultsIsCutOff) {
  std::string text = "grapple: 1\nbodies:\n";
  for (int i = 0; i < 5000; ++i) text += "  - {nam: x}\n";
  try {
    load_scenario_text(text, "test.yaml", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_GE(error.diagnostics().size(), kMostFaults);
    EXPECT_LE(error.diagnostics().size(), kMostFaults + 10);
  }
}

TEST(Reader, GivesSiValuesAndDefaults) {
  const CheckedScenario scenario = load_scenario_text(
      kHead +
          "bodies: [{name: a, mass: 2 t, com: [1, 2, 3] cm}]\njoints: [{name: j, type: revolute, "
          "parent: world, child: a at [1, 0, 0] m, damper: 2 N*s/m, motor: {torque: 5 kN*m}}]\n"
          "simulate: {duration: 1 min}\n",
      "test.yaml", {});
  const Reader root = scenario.reader();
  const Reader body = root.objects("bodies").front();
  EXPECT_EQ(body.number("mass"), 2000.0);
  EXPECT_NEAR((body.vector3("com") - Eigen::Vector3d(0.01, 0.02, 0.03)).norm(), 0.0, 1e-17);
  EXPECT_EQ(body.vector3("position").norm(), 0.0);
  EXPECT_FALSE(body.has("position"));
  EXPECT_TRUE(body.available("position"));
  EXPECT_FALSE(body.available("inertia"));
  const Reader j = root.objects("joints").front();
  EXPECT_EQ(j.text("axis"), "z");
  EXPECT_EQ(j.place("child").body, "a");
  EXPECT_EQ(j.place("child").offset[0], 1.0);
  EXPECT_EQ(j.quantity("damper").dimension, (Dimension{.mass = 1, .time = -1}));
  EXPECT_FALSE(j.is_mapping("damper"));
  EXPECT_EQ(j.numbers("rate").size(), 1u);
  const TimeFunction torque = j.object("motor").function("torque");
  EXPECT_EQ(torque.function(0.3), 5000.0);
  EXPECT_EQ(torque.dimension, dimension::kTorque);
  EXPECT_EQ(root.object("simulate").text("integrator"), "adaptive");
  EXPECT_EQ(root.object("simulate").integer("seed"), 1);
  EXPECT_TRUE(root.objects("forces").empty());
  EXPECT_EQ(body.where("mass"), "test.yaml:2:26");
}

}  // namespace
}  // namespace grapple::scenario
