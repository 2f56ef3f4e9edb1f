// Closed kinematic loops and other conditions on the motion.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

std::shared_ptr<const Object> loop_latch() {
  return make({"loop latch",
               "A moment at which a loop closes or opens.",
               {field("at", {number(dimension::kTime, kNonNegative)}, "Time.", "5 s").required(),
                field("state", {choice({"latched", "released"})}, "State from then on.", "latched")
                    .required()},
               {},
               ""});
}

std::shared_ptr<const Object> loop_capture() {
  return make(
      {"loop capture",
       "How far off what the loop says, and how fast, its ends may be where a latch takes them.",
       {field("distance", {number(dimension::kLength, kPositive)},
              "In the directions the loop holds; left out: 1 cm in place, 1 mm as given.", "5 cm"),
        field("angle", {number(dimension::kNone, kPositive)},
              "Of the axes the loop holds, 180 deg where they are opposed; left out: 0.1 rad in "
              "place, 1 mrad as given.",
              "4 deg"),
        field("speed", {number(dimension::kSpeed, kPositive)}, "Of what the latch would stop.",
              "0.1 m/s")
            .defaults("1 m/s"),
        field("angular_speed", {number(kTurningRate, kPositive)}, "The same for turning.",
              "1 deg/s")
            .defaults("1 rad/s")},
       {},
       ""});
}

std::shared_ptr<const Object> loop_coordinate() {
  return make({"loop coordinate",
               "A coordinate that a formula speaks of.",
               {field("symbol", {of(Kind::kName)}, "Its name in the formula.", "a").required(),
                field("channel", {of(Kind::kString)},
                      "The coordinate's position channel: of a joint (not of an orientation), of a "
                      "motor, of a mode.",
                      "joint/crank/position")
                    .required()},
               {},
               ""});
}

const std::vector<std::string>& axis_types() {
  static const std::vector<std::string> types{
      "fixed",     "revolute",       "prismatic",     "cylindrical",    "universal",
      "spherical", "planar",         "point-on-line", "point-on-plane", "distance",
      "screw",     "rolling-sphere", "rolling-disc",  "knife-edge",     "point-on-curve"};
  return types;
}

std::vector<std::string> with(std::vector<std::string> types,
                              const std::vector<std::string>& more) {
  types.insert(types.end(), more.begin(), more.end());
  return types;
}

std::vector<Field> place_fields() {
  return {
      field("between", {list(2, 2, {place()})}, "The two places.",
            "[coupler at [1, 0, 0] m, world at [2, 0, 0] m]")
          .required()
          .only(with(axis_types(), {"motion"})),
      field("axis", {choice({"x", "y", "z"}), numbers(3, 3, {dimension::kNone}, kAny)},
            "Axis in the axes of the first place: of turning or sliding; for planes and circles "
            "their normal; for universal the first axis; across the blade of a knife edge.",
            "z")
          .defaults("z")
          .only(axis_types()),
      field("axis2", {choice({"x", "y", "z"}), numbers(3, 3, {dimension::kNone}, kAny)},
            "Second axis of a universal loop, or axle of a rolling disc, in the axes of the first "
            "place at the start.",
            "y")
          .defaults("y")
          .only({"universal", "rolling-disc"}),
      field("length", {number(dimension::kLength, kPositive)},
            "Of a distance; left out: as at the start.", "1.2 m")
          .only({"distance"}),
      field("pitch", {number(dimension::kLength, kAny)}, "Advance of a screw per radian.", "2 mm")
          .required()
          .only({"screw"}),
      field("radius", {number(dimension::kLength, kPositive)},
            "Of the sphere or disc about the second place.", "0.3 m")
          .required()
          .only({"rolling-sphere", "rolling-disc"}),
      field("radius", {number(dimension::kLength, kPositive)},
            "Of a circle about the axis through the first place.", "0.3 m")
          .only({"point-on-curve"}),
      field("points", {list(2, 1000, {vector3(dimension::kLength)})},
            "A smooth curve through these points, in the axes of the first place.",
            "[[0, 0, 0], [1, 0, 0.2], [2, 0, 0]]")
          .only({"point-on-curve"}),
      field("closed", {of(Kind::kBoolean)}, "Whether the curve returns to its first point.", "true")
          .defaults("false")
          .only({"point-on-curve"})};
}

std::vector<Field> coordinate_fields() {
  return {field("position", {list(3, 3, {function({dimension::kLength})})},
                "Of the second place in the axes of the first, as functions of time.",
                "[\"0.1*sin(t)\", 0 m, 1 m]")
              .only({"motion"}),
          field("rotation", {list(3, 3, {function({dimension::kNone})})},
                "Rotation vector of the second place's axes in those of the first, as functions of "
                "time.",
                "[0, 0, \"0.2*t\"]")
              .only({"motion"}),
          field("joints", {list(2, 2, {reference({"joints"})})},
                "Two joints of one degree of freedom each.", "[motor, output]")
              .required()
              .only({"gear"}),
          field("ratio", {any_number()},
                "Rate of the second joint over that of the first; between a turning and a sliding "
                "joint a length (per radian) or its inverse.",
                "-0.25")
              .required()
              .only({"gear"}),
          field("coordinates", {list(1, 6, {object(loop_coordinate())})},
                "What the symbols of the formula stand for.",
                "[{symbol: a, channel: joint/crank/position}]")
              .required()
              .only({"formula"}),
          field("formula", {of(Kind::kString)},
                "Zero at all times: a smooth formula in the symbols (SI units, rad) and t.",
                "\"b - 0.1*sin(a)\"")
              .required()
              .only({"formula"})};
}

std::vector<Field> latch_fields() {
  return {
      field("active", {of(Kind::kBoolean)}, "Whether it holds at the start.", "false")
          .defaults("true"),
      field("latch", {list(1, 1000, {object(loop_latch())})},
            "Changes over time; events may latch and release it as well.",
            "[{at: 5 s, state: latched}]"),
      field("closes", {choice({"in-place", "as-given"})},
            "Where a latch in the middle of a run holds: the two places as they then are, or as "
            "the loop is given.",
            "as-given")
          .defaults("in-place"),
      field("capture", {object(loop_capture())},
            "What a latch in the middle of a run takes; beyond it misses and nothing changes.",
            "{distance: 5 cm, angle: 4 deg, speed: 0.1 m/s}")};
}

}  // namespace

std::shared_ptr<const Object> loop() {
  std::vector<Field> fields{
      field("name", {of(Kind::kName)}, "Name of the loop.", "rocker").required(),
      field("type", {choice(with(axis_types(), {"motion", "gear", "formula"}))},
            "What is held: as a joint; the second place on the axis, in the plane across it, or on "
            "a curve; the distance of the two; a screw; a sphere or thin disc that rolls on the "
            "plane without slip; an edge that does not move sideways; a given motion; two joint "
            "coordinates in a ratio; a formula of coordinates.",
            "revolute")
          .required()};
  for (const auto& part : {place_fields(), coordinate_fields(), latch_fields()}) {
    fields.insert(fields.end(), part.begin(), part.end());
  }
  Object result{"loop",
                "A condition on the motion. Most close a kinematic loop: the two places move "
                "against each other only as a joint of this type would let them. The axes on the "
                "second body are those of the first at the start (not for a given motion).",
                std::move(fields),
                {{Rule::Kind::kExactlyOne, {"radius", "points"}, {"point-on-curve"}}},
                "type"};
  return make(std::move(result));
}

}  // namespace grapple::scenario::language
