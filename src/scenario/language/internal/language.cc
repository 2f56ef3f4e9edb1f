#include "grapple/scenario/language/internal/language.h"

#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario {

namespace language {

using namespace shapes;  // NOLINT: the table reads as a table

std::vector<Shape> axis_shapes() { return {choice({"x", "y", "z"}), vector3(dimension::kNone)}; }

std::shared_ptr<const Object> rotation() {
  return make(
      {"rotation",
       "An orientation: a turn about an axis, three Euler angles, or a unit quaternion.",
       {field("axis", axis_shapes(), "Axis of the turn.", "z"),
        field("angle", {number(dimension::kNone, kAny)}, "Angle of the turn.", "30 deg"),
        field("euler_xyz", {vector3(dimension::kNone)},
              "Turn about x, then about the new y, then about the new z.", "[10, 0, 90] deg"),
        field("quaternion", {numbers(4, 4, {dimension::kNone}, kAny)},
              "[w, x, y, z]; it is normalised.", "[1, 0, 0, 0]")},
       {{Rule::Kind::kExactlyOne, {"axis", "euler_xyz", "quaternion"}, {}},
        {Rule::Kind::kTogether, {"axis", "angle"}, {}}},
       ""});
}

namespace {

Field rotation_field(std::string doc) {
  return field("rotation", {object(rotation())}, std::move(doc), "{axis: z, angle: 30 deg}");
}

std::shared_ptr<const Object> environment() {
  return make({"environment",
               "What surrounds the bodies.",
               {field("gravity",
                      {choice({"none"}), number(dimension::kAcceleration, kAny),
                       vector3(dimension::kAcceleration)},
                      "Acceleration of gravity: none, a number (it then points along -z of the "
                      "world), or a vector in the world frame.",
                      "9.81 m/s^2")
                    .defaults("none")},
               {},
               ""});
}

std::shared_ptr<const Object> cylinder() {
  return make(
      {"cylinder",
       "A full cylinder, centred on its centre of mass.",
       {field("radius", {number(dimension::kLength, kPositive)}, "Radius.", "0.1 m").required(),
        field("length", {number(dimension::kLength, kPositive)}, "Length.", "1 m").required(),
        field("axis", {choice({"x", "y", "z"})}, "Body axis the cylinder lies along.", "z")
            .defaults("z")},
       {},
       ""});
}

std::shared_ptr<const Object> rod() {
  return make(
      {"rod",
       "A thin rod.",
       {field("length", {number(dimension::kLength, kPositive)}, "Length.", "1 m").required(),
        field("axis", {choice({"x", "y", "z"})}, "Body axis the rod lies along.", "x")
            .defaults("x"),
        field("from", {choice({"end", "centre"})},
              "Where the body's origin is: at one end (the rod extends along +axis) or at the "
              "centre.",
              "end")
            .defaults("centre")},
       {},
       ""});
}

std::shared_ptr<const Object> solid() {
  return make({"solid",
               "A homogeneous solid that gives the body its mass, centre of mass and inertia.",
               {field("box", {numbers(3, 3, {dimension::kLength}, kPositive)},
                      "Edge lengths along x, y, z.", "[0.1, 0.2, 1] m"),
                field("sphere", {number(dimension::kLength, kPositive)}, "Radius of a full sphere.",
                      "0.1 m"),
                field("cylinder", {object(cylinder())}, "A full cylinder.",
                      "{radius: 5 cm, length: 1 m, axis: z}"),
                field("rod", {object(rod())}, "A thin rod.", "{length: 1 m, axis: x, from: end}"),
                field("mass", {number(dimension::kMass, kPositive)}, "Mass of the solid.", "12 kg"),
                field("density", {number(kDensity, kPositive)},
                      "Density of the solid (not for a rod).", "2700 kg/m^3"),
                field("material", {reference({"materials"})},
                      "What it is made of: gives the density if neither mass nor density is given, "
                      "and the contact properties of the body's shapes that name no material.",
                      "steel")},
               {{Rule::Kind::kExactlyOne, {"box", "sphere", "cylinder", "rod"}, {}},
                {Rule::Kind::kAtMostOne, {"mass", "density"}, {}},
                {Rule::Kind::kNeedsOneOf, {"box", "mass", "density", "material"}, {}},
                {Rule::Kind::kNeedsOneOf, {"sphere", "mass", "density", "material"}, {}},
                {Rule::Kind::kNeedsOneOf, {"cylinder", "mass", "density", "material"}, {}},
                {Rule::Kind::kNeedsOneOf, {"rod", "mass"}, {}},
                {Rule::Kind::kAtMostOne, {"rod", "density"}, {}}},
               ""});
}

std::shared_ptr<const Object> nested_frame() {
  return make({"frame of a body",
               "A frame fixed to the body it stands in; `body/name` refers to it.",
               {field("name", {of(Kind::kName)}, "Name of the frame.", "tip").required(),
                field("position", {vector3(dimension::kLength)},
                      "Origin of the frame in the body frame; on a beam it is fixed to the section "
                      "at x, on the axis or beside it.",
                      "[1, 0, 0] m")
                    .defaults("[0, 0, 0] m"),
                rotation_field("Orientation of the frame in the body frame.")},
               {},
               ""});
}

}  // namespace

std::shared_ptr<const Object> frame() {
  return make(
      {"frame",
       "A frame fixed to a body; other parts refer to it by its name.",
       {field("name", {of(Kind::kName)}, "Name of the frame.", "gripper").required(),
        field("body", {reference({"bodies", "world"})}, "Body the frame is fixed to.", "link2")
            .required(),
        field("position", {vector3(dimension::kLength)}, "Origin of the frame in the body frame.",
              "[1, 0, 0] m")
            .defaults("[0, 0, 0] m"),
        rotation_field("Orientation of the frame in the body frame.")},
       {},
       ""});
}

std::shared_ptr<const Object> body() {
  return make(
      {"body",
       "A body, rigid or flexible. A body that is no joint's child floats freely (a free joint to "
       "the world).",
       {field("name", {of(Kind::kName)}, "Name of the body.", "spacecraft").required(),
        field("mass", {number(dimension::kMass, kPositive)}, "Mass.", "1e5 kg"),
        field("com", {vector3(dimension::kLength)},
              "Centre of mass in the body frame; with a solid: where its centre sits.",
              "[0.5, 0, 0] m")
            .defaults("[0, 0, 0] m"),
        field("inertia",
              {numbers(3, 3, {dimension::kInertia}, kNonNegative),
               numbers(6, 6, {dimension::kInertia}, kAny)},
              "Moments of inertia about the centre of mass in body axes: [xx, yy, zz] or "
              "[xx, yy, zz, xy, xz, yz]. The last three are the off-diagonal elements of the "
              "matrix.",
              "[8e5, 8e5, 8e5] kg*m^2"),
        field("solid", {object(solid())}, "A homogeneous solid instead of mass and inertia.",
              "{box: [1, 1, 2] m, density: 2700 kg/m^3}"),
        field("beam", {object(beam())}, "A beam that bends, instead of mass and inertia.",
              "{length: 8.13 m, mass: 163 kg, EI: 88100 N*m^2, modes: 1, damping: 1 %}"),
        field("flexible_file", {of(Kind::kString)},
              "A reduced flexible body from a JSON file (docs/flexible-body-file.md), relative to "
              "this one.",
              "boom.json"),
        field("finite_elements", {object(finite_elements())},
              "A flexible body reduced from a mesh of finite elements (docs/finite-elements.md).",
              "{mesh: {file: bracket.msh}, material: steel, root: wall, interfaces: [{name: eye, "
              "group: hole}]}"),
        field("position", {vector3(dimension::kLength)},
              "Initial position in the world, for a body that floats freely.", "[0, 0, 1] m")
            .defaults("[0, 0, 0] m"),
        rotation_field("Initial orientation in the world, for a body that floats freely."),
        field("velocity", {vector3(dimension::kSpeed)},
              "Initial velocity of the body's origin, in the world, for a body that floats freely.",
              "[0, 0, -1] m/s")
            .defaults("[0, 0, 0] m/s"),
        field("angular_velocity", {numbers(3, 3, kTurningRate, kAny)},
              "Initial angular velocity in body axes, for a body that floats freely.",
              "[0, 0, 5] deg/s")
            .defaults("[0, 0, 0] rad/s"),
        field("modal_amplitudes", {numbers(1, 10000, {dimension::kNone}, kAny)},
              "Initial amplitudes of the modes of a flexible body, one per mode; left out: zero.",
              "[0, 1e-5]"),
        field("modal_rates", {numbers(1, 10000, {dimension::kAngularRate}, kAny)},
              "Initial rates of the modes, one per mode; left out: zero.", "[0.4, 0] 1/s"),
        field("frames", {list_of(nested_frame())}, "Frames fixed to the body.",
              "[{name: tip, position: \"[1, 0, 0] m\"}]"),
        field("shapes", {list_of(body_shape())}, "Shapes fixed to the body, for contacts.",
              "[{name: skin, sphere: 0.1 m, material: steel}]"),
        field(
            "copies", {object(copies())},
            "Makes a grid of bodies like this one, `name.1`, `name.2`, ...; it must float freely.",
            "{grid: [10, 10, 10], spacing: \"[22, 22, 22] mm\"}")},
       {{Rule::Kind::kExactlyOne,
         {"mass", "solid", "beam", "flexible_file", "finite_elements"},
         {}},
        {Rule::Kind::kAtMostOne, {"inertia", "solid"}, {}},
        {Rule::Kind::kAtMostOne, {"inertia", "beam"}, {}},
        {Rule::Kind::kAtMostOne, {"inertia", "flexible_file"}, {}},
        {Rule::Kind::kAtMostOne, {"inertia", "finite_elements"}, {}}},
       ""});
}

}  // namespace language

const Object& scenario_object() {
  using namespace shapes;  // NOLINT: the table reads as a table
  static const Object kObject{
      "scenario",
      "The top level of a scenario file.",
      {field("grapple", {integer({.low = 1.0, .high = 1.0})}, "Version of this language.", "1")
           .required(),
       field("name", {of(Kind::kString)}, "Short name of the scenario.", "two-link-arm"),
       field("description", {of(Kind::kString)}, "What the scenario shows.",
             "\"A double pendulum\""),
       field("include", {of(Kind::kString), list(1, 1000, {of(Kind::kString)})},
             "Files whose content is merged in, relative to this one: mappings merge, lists of "
             "named items append, otherwise this file wins.",
             "common.yaml"),
       field("parameters", {of(Kind::kObject)},
             "Named values for ${name} and ${formula} anywhere in the file.", "{length: 2 m}"),
       field("environment", {object(language::environment())}, "What surrounds the bodies.",
             "{gravity: 9.81 m/s^2}"),
       field("orbit", {object(language::orbit())}, "The orbit the run takes place in.",
             "{altitude: 400 km, carries: [spacecraft]}"),
       field("bodies", {list_of(language::body())}, "The bodies.", "[{name: ball, mass: 1 kg}]"),
       field("frames", {list_of(language::frame())}, "Frames fixed to bodies.",
             "[{name: tip, body: link}]"),
       field("joints", {list_of(language::joint())}, "The joints.",
             "[{name: hinge, type: revolute, parent: world, child: link, axis: y}]"),
       field("forces", {list_of(language::force())}, "Applied forces and force elements.",
             "[{name: push, type: point-force, at: ball, force: [1 N, 0, 0]}]"),
       field("signals", {list_of(language::signal())},
             "Named inputs that somebody sets while the run goes on.",
             "[{name: shoulder/torque, unit: N*m}]"),
       field("sensors", {list_of(language::sensor())},
             "What measures: sampled blocks that read channels and set signals `sensor/NAME/...`.",
             "[{name: enc, type: encoder, joint: hinge, quantum: 0.01 deg, period: 1 ms}]"),
       field("blocks", {list_of(language::block())},
             "Sampled blocks of your own, as formulas or from a shared library.",
             "[{name: half, inputs: {q: joint/hinge/position}, outputs: {u: {formula: q/2}}, "
             "period: 10 ms}]"),
       field("trajectories", {list_of(language::trajectory())},
             "Wanted motions of joints and frames, which controllers follow.",
             "[{name: slew, type: joints, joints: [hinge], points: [[0], [1]], times: [0, 2] s}]"),
       field("plan", {object(language::motion_plan())},
             "A motion to be planned by `grapple plan`; a run does not need it.",
             "{joints: [shoulder, elbow], frame: hand, to: \"[1, 1, 0] m\", duration: 60 s, "
             "reaction: shoulder}"),
       field("controllers", {list_of(language::controller())},
             "Sampled controllers, which read channels and set signals.",
             "[{name: hold, joint: hinge, proportional: 100 N*m/rad, period: 10 ms}]"),
       field("channels", {list_of(language::channel())}, "Channels made of others.",
             "[{name: gap, between: [hand/palm, target]}]"),
       field("loops", {list_of(language::loop())}, "Closed kinematic loops.",
             "[{name: rocker, type: revolute, between: [coupler, world at [2, 0, 0] m]}]"),
       field("materials", {list_of(language::material())}, "Materials of bodies and shapes.",
             "[{name: steel, density: 7850 kg/m^3, young: 206 GPa, poisson: 0.3}]"),
       field("shapes", {list_of(language::shape())}, "Shapes for contacts.",
             "[{name: floor, half_space: z, material: steel}]"),
       field("contacts", {list_of(language::contact())}, "Pairs of shapes that may touch.",
             "[{name: landing, between: [ball/skin, floor]}]"),
       field("contact_groups", {list_of(language::contact_group())},
             "Groups of shapes that may all touch each other, and walls.",
             "[{name: grains, members: [\"grain.*/skin\"], walls: [floor]}]"),
       field("events", {list_of(language::event())}, "What happens when a channel crosses a value.",
             "[{name: landed, channel: body/ball/position_z, action: stop}]"),
       field("measures", {list_of(language::measure())}, "Single numbers for the summary.",
             "[{name: peak, channel: joint/hinge/rate, kind: max}]"),
       field("score", {list_of(language::score_term())},
             "Points for what the measures come to; their sum is the score of a run.",
             "[{name: time, measure: latched, weight: 40, full: 60 s, none: 120 s}]"),
       field("cameras", {list_of(language::camera())}, "Cameras that ride on frames.",
             "[{name: wrist, on: hand/camera}]"),
       field("instruments", {list_of(language::instrument())},
             "Channels that a live run shows as gauges.",
             "[{channel: contact/touch/normal_force, limit: 200 N}]"),
       field("tunable", {list_of(language::tunable())}, "Parameters with sliders in a live run.",
             "[{parameter: stiffness, from: 10, to: 500}]"),
       field("operator", {list_of(language::operator_input())},
             "What is driven by hand in a live run: joints, and signals that others read.",
             "[{name: stick, joint: hinge, effort: 2 N*m, keys: [a, d]}]"),
       field("simulate", {object(language::simulate())}, "How to simulate.", "{duration: 10 s}")
           .required()},
      {},
      ""};
  return kObject;
}

}  // namespace grapple::scenario
