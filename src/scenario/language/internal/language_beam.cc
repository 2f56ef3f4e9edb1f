// Beams that bend, as a body's `beam`, and reduced bodies from files.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

constexpr Dimension kBendingStiffness{.length = 3, .mass = 1, .time = -2};
constexpr Dimension kMassPerLength{.length = -1, .mass = 1};
constexpr Dimension kRotaryInertia{.length = 1, .mass = 1};

std::shared_ptr<const Object> tube() {
  return make({"tube",
               "A round tube.",
               {field("outer", {number(dimension::kLength, kPositive)}, "Outer radius.", "10 cm")
                    .required(),
                field("inner", {number(dimension::kLength, kPositive)}, "Inner radius.", "9 cm")
                    .required()},
               {},
               ""});
}

std::shared_ptr<const Object> mode_counts() {
  const auto count = [](const char* key, const char* doc) {
    return field(key, {integer(kNonNegative)}, doc, "2").defaults("0");
  };
  return make({"modes",
               "Numbers of modes by kind.",
               {count("bending_y", "Bending with displacement along y."),
                count("bending_z", "Bending with displacement along z."),
                count("torsion", "Twist about x."), count("axial", "Stretch along x.")},
               {},
               ""});
}

std::shared_ptr<const Object> rayleigh() {
  return make({"Rayleigh damping",
               "Damping a M + b K through two points.",
               {field("frequencies", {numbers(2, 2, kTurningRate, kPositive)},
                      "Two circular frequencies; 1 Hz is 2 pi rad/s.", "[5, 50] rad/s")
                    .required(),
                field("ratios", {numbers(2, 2, {dimension::kNone}, kNonNegative)},
                      "Damping ratios there.", "[1, 1] %")
                    .required()},
               {},
               ""});
}

std::shared_ptr<const Object> damping() {
  return make({"beam damping",
               "Structural damping.",
               {field("ratios", {numbers(1, 1000, {dimension::kNone}, kNonNegative)},
                      "Damping ratio per mode.", "[1, 2, 2] %"),
                field("rayleigh", {object(rayleigh())}, "Damping a M + b K through two points.",
                      "{frequencies: \"[5, 50] rad/s\", ratios: \"[1, 1] %\"}"),
                field("kelvin_voigt", {number(dimension::kTime, kNonNegative)},
                      "Time constant: damping = time constant times stiffness.", "1 ms")},
               {{Rule::Kind::kExactlyOne, {"ratios", "rayleigh", "kelvin_voigt"}, {}}},
               ""});
}

std::shared_ptr<const Object> end_body() {
  return make({"end body",
               "A rigid body fixed to the end of the beam.",
               {field("mass", {number(dimension::kMass, kPositive)}, "Mass.", "5 kg").required(),
                field("com", {vector3(dimension::kLength)},
                      "Centre of mass from the end of the axis.", "[0.1, 0, 0] m")
                    .defaults("[0, 0, 0] m"),
                field("inertia", {numbers(3, 3, {dimension::kInertia}, kNonNegative)},
                      "Moments of inertia about the centre of mass.", "[0.1, 0.1, 0.1] kg*m^2")
                    .defaults("[0, 0, 0] kg*m^2")},
               {},
               ""});
}

std::vector<Field> cross_section_fields() {
  return {field("round", {number(dimension::kLength, kPositive)},
                "Section: radius of a full round bar.", "4 mm"),
          field("tube", {object(tube())}, "Section: a round tube.", "{outer: 10 cm, inner: 9 cm}"),
          field("rectangle", {numbers(2, 2, {dimension::kLength}, kPositive)},
                "Section: sizes along y and z.", "[3, 12] mm")};
}

std::shared_ptr<const Object> tip_section() {
  return make({"tip section",
               "Section at the tip of a tapered beam, of the same kind as at the root; its sizes "
               "change linearly along the beam.",
               cross_section_fields(),
               {{Rule::Kind::kExactlyOne, {"round", "tube", "rectangle"}, {}}},
               ""});
}

std::shared_ptr<const Object> mode_shapes() {
  const auto shapes = [](const char* key, const char* doc) {
    return field(key, {list(1, 60, {numbers(1, 40, {dimension::kNone}, kAny)})}, doc,
                 "[[0, 0, 1], [0, 0, 0, 1]]");
  };
  return make(
      {"mode shapes",
       "Assumed shapes as polynomials of x/length: one list of coefficients per shape, the "
       "constant first.",
       {shapes("bending_y", "Displacement along y."), shapes("bending_z", "Displacement along z."),
        shapes("torsion", "Twist about x."), shapes("axial", "Stretch along x."),
        field("use", {choice({"natural-modes", "as-given"})},
              "Coordinates: the natural modes within the span of the shapes, or the shapes "
              "themselves.",
              "as-given")
            .defaults("natural-modes")},
       {},
       ""});
}

std::shared_ptr<const Object> deployment() {
  Object result{
      "deployment",
      "How a beam deploys. The shapes scale with its length; all else as in a prismatic joint.",
      {field("from", {number(dimension::kLength, kPositive)}, "Deployed length at the start.",
             "7.5 m")
           .required(),
       field("stowage", {choice({"telescope", "sleeve", "drum"})},
             "Where the rest of the beam is: nowhere, its mass stretching evenly with the length "
             "(telescope); straight behind the root, sliding forward (sleeve); on a drum at the "
             "root (drum).",
             "sleeve")
           .defaults("telescope"),
       field("shortest", {number(dimension::kLength, kPositive)},
             "Shortest length the run may reach; left out: 1 % of the beam.", "0.5 m"),
       field("rate", {number(kRate, kAny)}, "Rate of the length at the start.", "1 cm/s")
           .defaults("0")},
      {},
      ""};
  for (const Field& one : slide_fields()) result.fields.push_back(one);
  return make(std::move(result));
}

std::vector<Field> section_fields() {
  return {
      field("length", {number(dimension::kLength, kPositive)}, "Length, along x of the body frame.",
            "8.13 m")
          .required(),
      field("material", {reference({"materials"}), object(material_of_beam())},
            "Material of a beam given by its section: one of `materials`, or its numbers.",
            "aluminium"),
      field("taper_to", {object(tip_section())},
            "Section at the tip, if it differs from the root's; the sizes change linearly.",
            "{round: 2 mm}"),
      field("mass", {number(dimension::kMass, kPositive)}, "Mass, spread evenly.", "163 kg"),
      field("mass_per_length", {number(kMassPerLength, kPositive)}, "Mass per length.", "1.2 kg/m"),
      field("EI", {number(kBendingStiffness, kPositive)}, "Bending stiffness in both planes.",
            "88100 N*m^2"),
      field("EI_y", {number(kBendingStiffness, kPositive)},
            "Bending stiffness for displacement along y (E times the moment of area about z).",
            "1.4e4 N*m^2"),
      field("EI_z", {number(kBendingStiffness, kPositive)},
            "Bending stiffness for displacement along z.", "1.4e4 N*m^2"),
      field("GJ", {number(kBendingStiffness, kPositive)}, "Torsional stiffness.", "5e4 N*m^2"),
      field("EA", {number(dimension::kForce, kPositive)}, "Axial stiffness.", "2.8e7 N"),
      field("GA", {number(dimension::kForce, kPositive)},
            "Shear stiffness (with the shear coefficient), for Timoshenko theory.", "1e7 N"),
      field("rho_I", {number(kRotaryInertia, kPositive)},
            "Rotary inertia of the section per length, for bending in both planes; twice it for "
            "twist.",
            "6e-4 kg*m")};
}

std::vector<Field> method_fields() {
  return {
      field("method", {choice({"modes", "elements", "lumped", "chain", "absolute-nodal", "rigid"})},
            "How the beam is modelled: assumed modes; Hermite finite elements, whole or reduced to "
            "natural modes; rigid segments joined by springs, for large deflection; elements "
            "chained at their nodes, each a body of its own, for large deflection with stretch and "
            "shear; a line in absolute nodal coordinates, for large deflection without shear "
            "and twist; or a rigid body of the same mass, inertia, frames and places.",
            "modes")
          .defaults("modes"),
      field(
          "modes", {integer(kPositive), object(mode_counts())},
          "Assumed modes: a number is for bending in each of the two planes. With elements: number "
          "of natural modes kept (left out: the whole mesh).",
          "{bending_y: 2, bending_z: 2, torsion: 1}"),
      field("shapes", {object(mode_shapes())}, "Assumed modes: polynomials instead.",
            "{bending_y: [[0, 0, 1], [0, 0, 0, 1]]}"),
      field("elements", {integer({1.0, 1000.0})}, "Number of elements, or of pieces.", "8"),
      field("craig_bampton", {integer(kNonNegative)},
            "With elements: keep the frames' nodes and this many modes of the rest.", "4"),
      field("motions", {list(1, 4, {choice({"bending_y", "bending_z", "torsion", "axial"})})},
            "With elements, a chain or a line: the motions of the mesh. A line moves in space if "
            "this is "
            "left out.",
            "[bending_y, torsion]")
          .defaults("[bending_y, bending_z, torsion]"),
      field("boundary",
            {choice({"clamped-free", "clamped-with-tip-body", "pinned-free", "free-free",
                     "clamped-clamped"})},
            "Boundary condition of the assumed modes. Left out: clamped-free, or with the tip body "
            "if "
            "there is one.",
            "clamped-free"),
      field("theory", {choice({"euler-bernoulli", "rayleigh", "timoshenko"})},
            "Beam theory: rotary inertia from rayleigh on, shear with timoshenko.", "timoshenko")
          .defaults("euler-bernoulli"),
      field("stiffening", {choice({"on", "off"})},
            "Geometric stiffening by loads along the beam (second-order shortening).", "on")
          .defaults("on"),
      field("inertia", {choice({"compressed", "exact"})},
            "Inertia of the deflected beam, in both cases that of its position field at every "
            "amplitude: from an orthonormal basis of the field, found once (compressed), or summed "
            "over every station of its mass (exact), slower, as a check of the former.",
            "exact")
          .defaults("compressed"),
      damping_field(),
      field("deploys", {object(deployment())},
            "The beam slides out of its root: its deployed length is a coordinate, known as the "
            "joint NAME/length. `length` is then that of the whole beam.",
            "{from: 7.5 m, motion: {rate: 1 cm/s}}"),
      field("tip_body", {object(end_body())}, "A rigid body at the tip.", "{mass: 5 kg}"),
      field("hub", {object(end_body())}, "A rigid body at the root.", "{mass: 5 kg}")};
}

}  // namespace

Field damping_field() {
  return field(
      "damping", {number(dimension::kNone, kNonNegative), object(damping())},
      "Structural damping: a ratio for all modes, or a mapping; left out: that of the material "
      "it names, or none.",
      "1 %");
}

std::shared_ptr<const Object> beam() {
  Object result{
      "beam",
      "A beam that bends, twists and stretches: along x of the body frame, from the root at "
      "the origin. The frames `root` and `tip` are there by themselves.",
      {},
      {},
      ""};
  for (auto&& group : {section_fields(), cross_section_fields(), method_fields()}) {
    result.fields.insert(result.fields.end(), group.begin(), group.end());
  }
  result.rules = {{Rule::Kind::kAtMostOne, {"round", "tube", "rectangle"}, {}},
                  {Rule::Kind::kExactlyOne, {"material", "mass", "mass_per_length"}, {}},
                  {Rule::Kind::kNeedsOneOf, {"material", "round", "tube", "rectangle"}, {}},
                  {Rule::Kind::kNeedsOneOf, {"round", "material"}, {}},
                  {Rule::Kind::kNeedsOneOf, {"tube", "material"}, {}},
                  {Rule::Kind::kNeedsOneOf, {"rectangle", "material"}, {}},
                  {Rule::Kind::kNeedsOneOf, {"taper_to", "material"}, {}},
                  // A section and its material determine what these would say again.
                  {Rule::Kind::kAtMostOne, {"material", "EI"}, {}},
                  {Rule::Kind::kAtMostOne, {"material", "EI_y"}, {}},
                  {Rule::Kind::kAtMostOne, {"material", "EI_z"}, {}},
                  {Rule::Kind::kAtMostOne, {"material", "GJ"}, {}},
                  {Rule::Kind::kAtMostOne, {"material", "EA"}, {}},
                  {Rule::Kind::kAtMostOne, {"material", "GA"}, {}},
                  {Rule::Kind::kAtMostOne, {"material", "rho_I"}, {}},
                  {Rule::Kind::kAtMostOne, {"EI", "EI_y"}, {}},
                  {Rule::Kind::kAtMostOne, {"EI", "EI_z"}, {}},
                  {Rule::Kind::kAtMostOne, {"modes", "craig_bampton"}, {}}};
  return make(std::move(result));
}

}  // namespace grapple::scenario::language
