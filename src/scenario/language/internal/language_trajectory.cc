// Trajectories: what controllers follow.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

constexpr std::size_t kMostJoints = 64, kMostPoints = 10000;
constexpr Dimension kJerk{.length = 1, .time = -3};
constexpr Dimension kAngularJerk{.time = -3};

std::shared_ptr<const Object> pose_of_trajectory() {
  return make(
      {"pose of a trajectory",
       "A pose on the way, in the world or in the frame the trajectory is relative to.",
       {field("position", {vector3(dimension::kLength)}, "Position.", "[1, 0, 0.5] m").required(),
        field("rotation", {object(rotation())}, "Orientation. Left out: that of the frame.",
              "{axis: z, angle: 30 deg}"),
        field("time", {number(dimension::kTime, kAny)}, "When it is reached.", "4 s")},
       {},
       ""});
}

std::shared_ptr<const Object> shaper() {
  return make({"input shaper",
               "Divides a motion of joints into delayed parts whose vibrations cancel "
               "(docs/trajectories.md).",
               {field("type", {choice({"zv", "zvd", "ei"})},
                      "Zero vibration; zero vibration and derivative, insensitive to errors of the "
                      "frequency; extra insensitive.",
                      "zvd")
                    .required(),
                field("frequency", {number(kTurningRate, kPositive)},
                      "Undamped frequency of the vibration.", "1.4 Hz")
                    .required(),
                field("damping", {number(dimension::kNone, {.low = 0.0, .high = 0.9})},
                      "Its damping ratio.", "0.01")
                    .defaults("0"),
                field("tolerance", {number(dimension::kNone, {.low = 0.0, .high = 0.5})},
                      "Part of the vibration that may stay at this frequency.", "0.05")
                    .defaults("0.05")
                    .only({"ei"})},
               {},
               "type"});
}

std::vector<Field> joint_fields() {
  const std::vector<std::string> points{"joints", "joint-spline"};
  const auto limit = [&](const char* key, const Dimensions& dimensions, const char* doc,
                         const char* example) {
    return field(key,
                 {number(dimensions, kPositive), numbers(1, kMostJoints, dimensions, kPositive)},
                 doc, example)
        .only(points);
  };
  return {
      field("joints", {list(1, kMostJoints, {reference({"joints"})})},
            "Joints with one degree of freedom, in the order of the coordinates.",
            "[shoulder, elbow]")
          .required()
          .only({"joints", "joint-spline", "joint-functions", "file"}),
      field("points", {list(2, kMostPoints, {numbers(1, kMostJoints, kCoordinate, kAny)})},
            "Via points: each a list with the coordinates of all joints.",
            "[\"[0, 0] deg\", \"[30, 45] deg\"]")
          .required()
          .only(points),
      field("times", {numbers(2, kMostPoints, {dimension::kTime}, kAny)},
            "When each point is reached, increasing. Left out: as soon as the limits allow.",
            "[0, 2, 5] s")
          .only(points),
      limit("rate_limit", kRate, "Largest rate: one for all joints, or one each.", "30 deg/s"),
      limit("acceleration_limit", {kAngularAcceleration, dimension::kAcceleration},
            "Largest acceleration: one for all joints, or one each.", "20 deg/s^2"),
      limit("jerk_limit", {kAngularJerk, kJerk},
            "Largest rate of the acceleration: one for all joints, or one each.", "100 deg/s^3"),
      field("synchronise", {choice({"time", "path"})},
            "How joints move from point to point: each as fast as the slowest needs, so that they "
            "end together in the shortest time; or all along the straight line between the points.",
            "time")
          .defaults("time")
          .only({"joints"}),
      field("degree", {choice({"cubic", "quintic"})},
            "Cubic splines have continuous accelerations, quintic ones continuous jerks too.",
            "quintic")
          .defaults("cubic")
          .only({"joint-spline"}),
      field("functions", {list(1, kMostJoints, {function(kCoordinate)})},
            "One function of time per joint.", "[{profile: quintic, to: 30 deg, duration: 4 s}]")
          .required()
          .only({"joint-functions"}),
      field("file", {of(Kind::kString)},
            "A file of comma-separated values with a row of names, counted from the directory of "
            "this one.",
            "plan.csv")
          .required()
          .only({"file"}),
      field("columns", {list(1, kMostJoints, {of(Kind::kString)})},
            "Columns of the joints; units stand in brackets behind their names. Left out: those "
            "with the names of the joints.",
            "[shoulder, elbow]")
          .only({"file"}),
      field("time_column", {of(Kind::kString)}, "Column of the times. Left out: the first one.",
            "time")
          .only({"file"}),
      field("interpolation", {choice({"spline", "linear"})},
            "Between the rows: a natural cubic spline, or straight lines (whose rates jump).",
            "linear")
          .defaults("spline")
          .only({"file"}),
      field("shaping", {object(shaper()), list(1, 4, {object(shaper())})},
            "Input shaping: one shaper, or one per mode. Limits hold for the motion before it; it "
            "takes the length of the shapers longer.",
            "{type: zvd, frequency: 1.4 Hz}")
          .only({"joints", "joint-spline", "joint-functions", "file"})};
}

std::vector<Field> pose_fields() {
  const std::vector<std::string> paths{"line", "circle", "spline"};
  const std::vector<std::string> limited{"line", "circle"};
  return {
      field("relative_to", {place()},
            "The frame the poses are in, which may move: a body, or a named frame. Left out: the "
            "world.",
            "target/port")
          .only(paths),
      field("poses", {list(2, kMostPoints, {object(pose_of_trajectory())})}, "Poses on the way.",
            "[{position: \"[1, 0, 0] m\"}, {position: \"[1, 1, 0] m\"}]")
          .required()
          .only({"line", "spline"}),
      field("centre", {vector3(dimension::kLength)}, "Centre of the circle.", "[1, 0, 0] m")
          .required()
          .only({"circle"}),
      field("axis", axis_shapes(), "Axis of the circle; the turn about it is positive.", "z")
          .defaults("z")
          .only({"circle"}),
      field("begin", {vector3(dimension::kLength)},
            "Where it begins, square to the axis from the centre.", "[1.5, 0, 0] m")
          .required()
          .only({"circle"}),
      field("rotation", {object(rotation())}, "Orientation at the begin.",
            "{axis: z, angle: 30 deg}")
          .only({"circle"}),
      field("angle", {number(dimension::kNone, kAny)}, "Angle of the arc.", "360 deg")
          .required()
          .only({"circle"}),
      field("orientation", {choice({"fixed", "turning"})},
            "Whether the frame keeps its orientation or turns with the circle.", "turning")
          .defaults("fixed")
          .only({"circle"}),
      field("duration", {number(dimension::kTime, kPositive)},
            "How long the whole way takes, from rest to rest.", "10 s")
          .only(paths),
      field("speed_limit", {number(dimension::kSpeed, kPositive)},
            "Largest speed along the path; without `duration` and times the way then takes the "
            "shortest time.",
            "5 cm/s")
          .only(limited),
      field("path_acceleration_limit", {number(dimension::kAcceleration, kPositive)},
            "Largest acceleration along the path (a circle also has v^2/r across it).", "2 cm/s^2")
          .only(limited),
      field("path_jerk_limit", {number(kJerk, kPositive)},
            "Largest rate of the acceleration along the path.", "1 cm/s^3")
          .only(limited),
      field("turn_rate_limit", {number(kTurningRate, kPositive)},
            "Largest rate of the turn from pose to pose.", "3 deg/s")
          .only({"line"}),
      field("turn_acceleration_limit", {number(kAngularAcceleration, kPositive)},
            "Largest acceleration of the turn from pose to pose.", "1 deg/s^2")
          .only({"line"})};
}

}  // namespace

std::shared_ptr<const Object> motion_plan() {
  return make(
      {"plan",
       "A motion from the start, at rest, that brings a frame to a place at rest and exerts as "
       "little as possible on a joint: the integral of moment_weight T^2 + force_weight F^2 is "
       "least, with T [N m] and F [N] the moment and force in that joint (docs/trajectories.md).",
       {field("joints", {list(1, kMostJoints, {reference({"joints"})})},
              "Joints that move, with one degree of freedom each; all others stay as they start.",
              "[shoulder, elbow]")
            .required(),
        field("frame", {place()}, "What is brought to `to`.", "hand").required(),
        field("to", {vector3(dimension::kLength)}, "Where it ends, in the world.",
              "[12.61, 5.12, 0] m")
            .required(),
        field("duration", {number(dimension::kTime, kPositive)}, "How long the motion takes.",
              "60 s")
            .required(),
        field("reaction", {reference({"joints"})}, "The joint whose moment and force count.",
              "shoulder")
            .required(),
        field("moment_weight", {number(dimension::kNone, kNonNegative)},
              "Weight of the squared moment, in SI.", "10")
            .defaults("1"),
        field("force_weight", {number(dimension::kNone, kNonNegative)},
              "Weight of the squared force, in SI.", "1")
            .defaults("1"),
        field("lower", {numbers(1, kMostJoints, kCoordinate, kAny)},
              "Least coordinates, one per joint.", "[-180 deg, -180 deg, 0 m]"),
        field("upper", {numbers(1, kMostJoints, kCoordinate, kAny)},
              "Largest coordinates, one per joint.", "[180 deg, 180 deg, 3.75 m]"),
        field("rate_limit", {numbers(1, kMostJoints, kRate, kPositive)},
              "Largest rates, one per joint.", "[5 deg/s, 5 deg/s, 0.2 m/s]"),
        field("segments", {integer({.low = 1.0, .high = 200.0})},
              "Intervals of the B-splines that the coordinates are made of.", "10")
            .defaults("10")},
       {},
       ""});
}

std::shared_ptr<const Object> trajectory() {
  std::vector<Field> fields{
      field("name", {of(Kind::kName)}, "Name of the trajectory.", "approach").required(),
      field("type",
            {choice(
                {"joints", "joint-spline", "joint-functions", "line", "circle", "spline", "file"})},
            "From rest to rest through points of joints, a spline through them, a function of time "
            "per joint; lines from pose to pose at rest, an arc, a spline through poses; joints "
            "from a table in a file.",
            "joints")
          .required(),
      field("period", {number(dimension::kTime, kPositive)},
            "Publishes it: time between samples of the signals trajectory/NAME/... Left out: it is "
            "only for controllers that name it.",
            "10 ms"),
      field("start", {number(dimension::kTime, kAny)},
            "When it begins, where no times are given; before, it rests at its first point.", "1 s")
          .defaults("0")
          .only({"joints", "joint-spline", "line", "circle", "spline"}),
      field("profile",
            {choice({"sine-on-ramp", "cycloidal", "bang-bang", "trapezoid", "cubic", "quintic",
                     "s-curve"})},
            "How it runs from rest to rest (docs/trajectories.md).", "trapezoid")
          .defaults("sine-on-ramp")
          .only({"joints", "line", "circle", "spline"}),
      field("ends", {choice({"clamped", "natural"})},
            "Splines in time: at rest at both ends, or without curvature there.", "natural")
          .defaults("clamped")
          .only({"joint-spline", "spline"})};
  for (Field& own : joint_fields()) fields.push_back(std::move(own));
  for (Field& own : pose_fields()) fields.push_back(std::move(own));
  return make({"trajectory",
               "What a controller follows: wanted coordinates of joints, or the wanted pose of a "
               "frame, with rates and accelerations. With `period` it is published as signals.",
               std::move(fields),
               {},
               "type"});
}

}  // namespace grapple::scenario::language
