#include "grapple/model/joint.h"
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

constexpr std::size_t kMostCoordinates = 7;

// The names of the joint types for which `fits` holds.
template <class Fits>
std::vector<std::string> types_that(Fits fits) {
  std::vector<std::string> names;
  for (const model::JointTraits& joint : model::kJointTraits) {
    if (fits(joint)) names.emplace_back(joint.name);
  }
  return names;
}

using Joint = model::JointTraits;
// A rail is a joint of the language alone: in the tree it is a coordinate of the body it is on.
constexpr char kRail[] = "rail";
std::vector<std::string> with_rail(std::vector<std::string> types) {
  types.emplace_back(kRail);
  return types;
}

const auto kMovable = with_rail(types_that([](const Joint& joint) { return joint.nv > 0; }));
const auto kTurning =
    types_that([](const Joint& joint) { return joint.nv == 1 && joint.axes[0].turns(); });
const auto kSliding = with_rail(
    types_that([](const Joint& joint) { return joint.nv == 1 && !joint.axes[0].turns(); }));
const auto kOriented = types_that([](const Joint& joint) { return joint.quaternion >= 0; });
const auto kVectors =
    types_that([](const Joint& joint) { return joint.nv > 0 && joint.quaternion < 0; });
// A free joint's position may be given without its orientation.
const auto kPlaced =
    with_rail(types_that([](const Joint& joint) { return joint.nv > 0 && joint.quaternion != 0; }));
const auto kWithAxis =
    types_that([](const Joint& joint) { return joint.given_axes != model::GivenAxes::kNone; });
const auto kWithTwoAxes =
    types_that([](const Joint& joint) { return joint.given_axes == model::GivenAxes::kXY; });

// One value for every coordinate, or a list with one each.
std::vector<Shape> per_coordinate(const Dimensions& dimensions, const Range& range) {
  return {number(dimensions, range), numbers(1, kMostCoordinates, dimensions, range)};
}

std::vector<Shape> rest_shapes() {
  std::vector<Shape> shapes = per_coordinate(kCoordinate, kAny);
  shapes.push_back(input(kCoordinate));
  return shapes;
}

std::shared_ptr<const Object> spring() {
  return make(
      {"joint spring",
       "Linear spring on the joint's coordinate: effort = -stiffness (q - rest).",
       {field("stiffness", per_coordinate(kJointStiffness, kNonNegative), "Stiffness.",
              "100 N*m/rad")
            .required(),
        field(
            "rest", rest_shapes(),
            "Coordinate where it is relaxed; of an orientation: its rotation vector. A mapping is "
            "a function of time or a signal, for joints with one coordinate.",
            "0 deg")
            .defaults("0")},
       {},
       ""});
}

std::shared_ptr<const Object> damper() {
  return make({"joint damper",
               "Linear damper on the joint's coordinate: effort = -coefficient rate.",
               {field("coefficient", per_coordinate(kJointDamping, kNonNegative),
                      "Damping coefficient.", "0.5 N*m*s/rad")
                    .required()},
               {},
               ""});
}

std::shared_ptr<const Object> friction() {
  return make(
      {"joint friction",
       "Dry and viscous friction: effort = -dry tanh(rate / transition_rate) - viscous rate. With "
       "`breakaway` it sticks: bristles hold any effort below it without creeping, and slide at "
       "`dry` (docs/sensors-and-actuators.md).",
       {field("dry", per_coordinate(kEffort, kNonNegative), "Coulomb friction torque or force.",
              "0.2 N*m")
            .defaults("0"),
        field("viscous", per_coordinate(kJointDamping, kNonNegative), "Viscous coefficient.",
              "0.01 N*m*s/rad")
            .defaults("0"),
        field("transition_rate", per_coordinate(kRate, kPositive),
              "Rate over which dry friction changes sign.", "0.1 deg/s")
            .defaults("1e-3"),
        field("breakaway", per_coordinate(kEffort, kPositive),
              "Effort at which a joint at rest breaks away; left out: friction that creeps.",
              "0.3 N*m"),
        field("presliding", per_coordinate(kCoordinate, kPositive),
              "How far the bristles bend before they break away; left out: 1e-4 rad or m.",
              "0.01 deg"),
        field("stribeck_rate", per_coordinate(kRate, kPositive),
              "Rate over which friction falls from breakaway to dry; left out: 1e-3 rad/s or m/s.",
              "0.1 deg/s"),
        field("bristle_damping", per_coordinate(kJointDamping, kNonNegative),
              "Damping of the bristles while they stick; left out: 10 ms times their stiffness, "
              "breakaway / presliding.",
              "20 N*m*s/rad"),
        field("side", {choice({"joint", "motor"})},
              "Of a flexible joint with `breakaway`: where the friction acts.", "motor")
            .defaults("joint")},
       {{Rule::Kind::kAtMostOne, {"transition_rate", "breakaway"}, {}},
        {Rule::Kind::kNeedsOneOf, {"presliding", "breakaway"}, {}},
        {Rule::Kind::kNeedsOneOf, {"stribeck_rate", "breakaway"}, {}},
        {Rule::Kind::kNeedsOneOf, {"bristle_damping", "breakaway"}, {}},
        {Rule::Kind::kNeedsOneOf, {"side", "breakaway"}, {}}},
       ""});
}

std::shared_ptr<const Object> limits() {
  return make(
      {"joint limits",
       "Compliant stops of the joint's coordinates.",
       {field("lower", per_coordinate(kCoordinate, kAny), "Lower stop; none on orientations.",
              "-90 deg"),
        field("upper", per_coordinate(kCoordinate, kAny),
              "Upper stop; of an orientation: the largest angle of rotation.", "90 deg"),
        field("stiffness", per_coordinate(kJointStiffness, kPositive), "Stiffness of the stops.",
              "1e4 N*m/rad")
            .required(),
        field("damping", per_coordinate({{.time = 1}, {.length = -1, .time = 1}}, kNonNegative),
              "Damping factor d of the stops after Hunt and Crossley: with a penetration p, "
              "effort = stiffness p (1 + d p'), never pulling.",
              "0.5 s/rad")
            .defaults("0")},
       {{Rule::Kind::kNeedsOneOf, {"stiffness", "lower", "upper"}, {}}},
       ""});
}

std::vector<Shape> function_or_list(const Dimensions& dimensions) {
  return {function(dimensions), list(1, kMostCoordinates, {function(dimensions)})};
}

std::vector<Shape> input_or_list(const Dimensions& dimensions) {
  return {input(dimensions), list(1, kMostCoordinates, {input(dimensions)})};
}

std::shared_ptr<const Object> motor() {
  return make({"joint motor",
               "A motor on the joint's coordinate.",
               {field("torque", input_or_list({dimension::kTorque, dimension::kForce}),
                      "Motor torque before the gear; a list has one function per coordinate (N for "
                      "sliding ones).",
                      "\"2*sin(t)\""),
                field("force", input_or_list({dimension::kTorque, dimension::kForce}),
                      "Motor force before the gear: another word for torque.", "10 N"),
                field("gear_ratio", per_coordinate({dimension::kNone}, kAny),
                      "Motor turns per turn of the joint; multiplies the torque.", "100")
                    .defaults("1"),
                field("rotor_inertia",
                      per_coordinate({dimension::kInertia, dimension::kMass}, kNonNegative),
                      "Inertia of the rotor about its own axis; times gear_ratio squared it adds "
                      "to the joint's.",
                      "1e-4 kg*m^2")
                    .defaults("0"),
                field("time_constant", per_coordinate({dimension::kTime}, kPositive),
                      "Lag of the torque behind its command, of first order; the torque starts at "
                      "0.",
                      "5 ms"),
                field("rate_limit",
                      per_coordinate({{.length = 2, .mass = 1, .time = -3},
                                      {.length = 1, .mass = 1, .time = -3}},
                                     kPositive),
                      "Largest rate of the torque before the gear.", "50 N*m/s"),
                field("limit", per_coordinate(kEffort, kPositive),
                      "Largest torque before the gear: commands beyond are cut.", "2 N*m"),
                field("speed_limit", per_coordinate(kRate, kPositive),
                      "No-load speed of the motor, before the gear: the torque that drives falls "
                      "with the speed from `limit` at rest to 0 there.",
                      "3000 rpm")},
               {{Rule::Kind::kExactlyOne, {"torque", "force"}, {}},
                {Rule::Kind::kNeedsOneOf, {"rate_limit", "time_constant"}, {}},
                {Rule::Kind::kNeedsOneOf, {"speed_limit", "limit"}, {}}},
               ""});
}

std::shared_ptr<const Object> hysteresis() {
  return make(
      {"joint hysteresis",
       "A spring in the transmission that slips at its yield, after Bouc and Wen: effort = "
       "stiffness "
       "z; z' = twist' (1 - |stiffness z / yield|^exponent) while loading, z' = twist' while "
       "unloading.",
       {field("stiffness", per_coordinate(kJointStiffness, kPositive), "Stiffness before it slips.",
              "2000 N*m/rad")
            .required(),
        field("yield", per_coordinate(kEffort, kPositive), "Largest torque or force.", "5 N*m")
            .required(),
        field("exponent", {number(dimension::kNone, {.low = 1.0, .high = 100.0})},
              "Sharpness of the knee; large: elastic, then plastic.", "2")
            .defaults("1")},
       {},
       ""});
}

std::shared_ptr<const Object> transmission() {
  return make(
      {"flexible drive",
       "A transmission that gives between motor and link. With the twist w = motor - link, both "
       "behind the gear, and x = w beyond the backlash: effort on the link = stiffness x + "
       "cubic_stiffness x^3 + damping x' (+ hysteresis), the opposite on the motor. Motor, motion, "
       "lock and operator then act on the motor side.",
       {field("stiffness", per_coordinate(kJointStiffness, kPositive), "Stiffness.", "1e4 N*m/rad")
            .required(),
        field("cubic_stiffness",
              per_coordinate({dimension::kTorque, {.length = -2, .mass = 1, .time = -2}},
                             kNonNegative),
              "Stiffening with the cube of the twist.", "1e6 N*m/rad^3")
            .defaults("0"),
        field("damping", per_coordinate(kJointDamping, kNonNegative),
              "Damping; with backlash only while the teeth touch, never pulling.", "2 N*m*s/rad")
            .defaults("0"),
        field("backlash", per_coordinate(kCoordinate, kNonNegative),
              "Whole width of the free play, on the side of the link.", "0.2 deg")
            .defaults("0"),
        field("hysteresis", {object(hysteresis())}, "Slip inside the transmission.",
              "{stiffness: 2000 N*m/rad, yield: 5 N*m}"),
        field("rotor_inertia",
              per_coordinate({dimension::kInertia, dimension::kMass}, kNonNegative),
              "Inertia of the rotor about its own axis; here or under motor.", "1e-4 kg*m^2")
            .defaults("0"),
        field("gear_ratio", per_coordinate({dimension::kNone}, kAny),
              "Motor turns per turn of the joint; here or under motor.", "100")
            .defaults("1"),
        field("twist", per_coordinate(kCoordinate, kAny), "Initial twist.", "1 deg").defaults("0"),
        field("twist_rate", per_coordinate(kRate, kAny), "Initial rate of the twist.", "0 deg/s")
            .defaults("0")},
       {},
       ""});
}

std::shared_ptr<const Object> motion() {
  return make(
      {"joint motion",
       "Prescribed motion of the joint; a list has one function per coordinate.",
       {field("position", function_or_list(kCoordinate), "Position as a function of time.",
              "{expression: \"30*smooth(t, 0, 2)\", unit: deg}"),
        field("rate", input_or_list(kRate), "Rate; the position starts at the initial one.",
              "5 deg/s"),
        field("acceleration", input_or_list({kAngularAcceleration, dimension::kAcceleration}),
              "Acceleration; position and rate start at the initial ones.", "0.1 rad/s^2")},
       {{Rule::Kind::kExactlyOne, {"position", "rate", "acceleration"}, {}}},
       ""});
}

std::shared_ptr<const Object> lock() {
  return make({"joint lock",
               "A brake that acts from a time on.",
               {field("at", {number(dimension::kTime, kNonNegative)}, "Time of the change.", "5 s")
                    .required(),
                field("state", {choice({"locked", "unlocked"})}, "State from then on.", "locked")
                    .required()},
               {},
               ""});
}

std::shared_ptr<const Object> brake() {
  return make(
      {"joint brake",
       "A brake that a signal sets: at its samples the joint is locked where the signal is at "
       "least "
       "0.5, and released where it is below.",
       {field("signal", {reference({"signals"})}, "A signal without unit.", "arm/brake").required(),
        field("period", {number(dimension::kTime, kPositive)}, "Time between samples.", "10 ms")
            .required(),
        field("offset", {number(dimension::kTime, kNonNegative)}, "Time of the first sample.",
              "0 s")
            .defaults("0")},
       {},
       ""});
}

Field place_field(const std::string& key, const std::string& doc, const std::string& example) {
  return field(key, {place()}, doc, example).required();
}

std::vector<Field> geometry_fields() {
  return {
      field("name", {of(Kind::kName)}, "Name of the joint.", "shoulder").required(),
      field("type", {choice(with_rail(types_that([](const Joint&) { return true; })))},
            "Type of the joint. A rail slides along a beam that may bend: its coordinate is the "
            "place x on the beam, and what it carries follows the beam's slope and curvature.",
            "revolute")
          .required(),
      place_field("parent", "Where the joint sits on its parent, or the world.",
                  "spacecraft at [1, 0, 0] m"),
      place_field("child", "Where the joint sits on its child.", "link1"),
      field("axis", axis_shapes(),
            "Axis in the parent frame at zero position; for planar the normal, for universal the "
            "first axis.",
            "z")
          .defaults("z")
          .only(kWithAxis),
      field("axis2", axis_shapes(), "Second axis of a universal joint, perpendicular to the first.",
            "y")
          .defaults("y")
          .only(kWithTwoAxes),
      field("pitch", {number(dimension::kLength, kAny)}, "Advance per radian.", "2 mm")
          .required()
          .only({"helical"}),
      field("range", {numbers(2, 2, {dimension::kLength}, kAny)},
            "Places on the beam between which a rail runs; left out: the whole beam.",
            "[10, 110] m")
          .only({kRail})};
}

std::vector<Field> state_fields() {
  return {
      field("position",
            {number(kCoordinate, kAny), numbers(1, kMostCoordinates, kCoordinate, kAny)},
            "Initial coordinate, or a list with one per coordinate.", "67.3 deg")
          .defaults("0")
          .only(kPlaced),
      field("angle", {number(dimension::kNone, kAny)}, "Initial angle: another word for position.",
            "30 deg")
          .only(kTurning),
      field("displacement", {number(dimension::kLength, kAny)},
            "Initial displacement: another word for position.", "10 cm")
          .only(kSliding),
      field("rate", {number(kRate, kAny), numbers(1, kMostCoordinates, kRate, kAny)},
            "Initial rate, or a list with one per coordinate.", "0.911 deg/s")
          .defaults("0")
          .only(kMovable),
      field("rotation", {object(rotation())}, "Initial orientation.", "{axis: z, angle: 30 deg}")
          .only(kOriented)};
}

std::vector<Field> effort_fields() {
  return {
      field("spring", {object(spring())}, "Spring on the coordinates.", "{stiffness: 100 N*m/rad}")
          .only(kMovable),
      field("damper",
            {number(kJointDamping, kNonNegative),
             numbers(1, kMostCoordinates, kJointDamping, kNonNegative), object(damper())},
            "Damper on the coordinates.", "0.5 N*m*s/rad")
          .only(kMovable),
      field("friction", {object(friction())}, "Friction on the coordinates.", "{dry: 0.2 N*m}")
          .only(kMovable),
      field("limits", {object(limits())}, "Compliant stops.",
            "{lower: -90 deg, upper: 90 deg, stiffness: 1e4 N*m/rad}")
          .only(kMovable),
      field("motor", {object(motor())}, "Motor on the coordinates.", "{torque: 2 N*m}")
          .only(kMovable),
      field("flexible", {object(transmission())}, "Transmission that gives between motor and link.",
            "{stiffness: 1e4 N*m/rad, rotor_inertia: 1e-4 kg*m^2, gear_ratio: 100}")
          .only(kVectors),
      field("motion", {object(motion())}, "Prescribed motion.", "{rate: 5 deg/s}").only(kMovable),
      field("brake", {object(brake())}, "Brake set by a signal.",
            "{signal: arm/brake, period: 10 ms}")
          .only(kMovable),
      field("lock", {list(1, 1000, {object(lock())})}, "Brake: changes over time.",
            "[{at: 5 s, state: locked}]")
          .only(kMovable)};
}

}  // namespace

// What a coordinate that slides may have, of a beam that deploys.
std::vector<Field> slide_fields() {
  std::vector<Field> fields;
  for (Field one : effort_fields()) {
    if (one.key == "flexible") continue;
    one.only_for.clear();
    fields.push_back(std::move(one));
  }
  return fields;
}

std::shared_ptr<const Object> joint() {
  Object result{"joint", "Connects a child body to a parent body or the world.", {}, {}, "type"};
  for (auto&& group : {geometry_fields(), state_fields(), effort_fields()}) {
    result.fields.insert(result.fields.end(), group.begin(), group.end());
  }
  result.rules = {{Rule::Kind::kAtMostOne, {"position", "angle", "displacement"}, {}}};
  return make(std::move(result));
}

}  // namespace grapple::scenario::language
