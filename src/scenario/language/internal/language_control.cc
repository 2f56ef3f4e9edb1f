// Signals, controllers that set them, and channels made of others.
#include <fmt/format.h>

#include "grapple/control/arm_controller.h"
#include "grapple/control/controller_type.h"
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

std::shared_ptr<const Object> signal() {
  return make(
      {"signal",
       "A named input of the running model. It holds its value until it is set: by a "
       "controller, by somebody in a live run, or by the program around a session. It is "
       "recorded as the channel of its name.",
       {field("name", {of(Kind::kString)}, "Name, also of its channel.", "shoulder/torque")
            .required(),
        field("unit", {of(Kind::kString)}, "Unit of its values; none: a pure number.", "N*m"),
        field("value", {any_number()}, "What it holds at the start.", "0 N*m").defaults("0"),
        field("limits", {numbers(2, 2, {}, kAny)}, "Values beyond are refused.", "[-20, 20] N*m")},
       {},
       ""});
}

std::shared_ptr<const Object> channel() {
  return make(
      {"channel",
       "A channel made of others, recorded, measured and watched by events like any other. With "
       "`between` there are NAME/distance, closing_speed, position_x, velocity_x, ..., roll, "
       "pitch, "
       "yaw and angle: the second place as seen from the first.",
       {field("name", {of(Kind::kString)}, "Name of the channel.", "tip-error").required(),
        field("formula", {of(Kind::kString)},
              "Formula of channels, whose names stand in quotes (docs/formulas.md).",
              "\"'joint/shoulder/position'*180/pi\""),
        field("unit", {of(Kind::kString)}, "Unit of the formula's value, as it is shown.", "deg"),
        field("between", {list(2, 2, {place()})}, "Two places.", "[hand/palm, target]")},
       {{Rule::Kind::kExactlyOne, {"formula", "between"}, {}},
        {Rule::Kind::kNeedsOneOf, {"unit", "formula"}, {}}},
       ""});
}

namespace {

const Range& range_of(const control::Parameter& parameter) {
  switch (parameter.range) {
    case control::Parameter::Range::kNonNegative:
      return kNonNegative;
    case control::Parameter::Range::kPositive:
      return kPositive;
    case control::Parameter::Range::kAny:
      break;
  }
  return kAny;
}

Field field_of(const control::Parameter& parameter);

std::vector<Shape> shapes_of(const control::Parameter& parameter) {
  using Kind = control::Parameter::Kind;
  constexpr std::size_t kMostJoints = 100, kMostRows = 1000;
  Dimensions dimensions{parameter.turning};
  if (parameter.sliding != parameter.turning) dimensions.push_back(parameter.sliding);
  switch (parameter.kind) {
    case Kind::kInput:
      return {input(dimensions)};
    case Kind::kInputs:
      return {input(dimensions), list(1, kMostJoints, {input(dimensions)})};
    case Kind::kNumbers:
      return {number(dimensions, range_of(parameter)),
              numbers(1, kMostJoints, dimensions, range_of(parameter))};
    case Kind::kName:
      if (!parameter.choices.empty()) return {choice(parameter.choices)};
      return {of(scenario::Kind::kString)};
    case Kind::kNames:
      return {list(1, kMostJoints, {of(scenario::Kind::kString)})};
    case Kind::kRows:
      return {list(1, kMostRows, {numbers(1, kMostRows, dimensions, range_of(parameter))})};
    case Kind::kObject: {
      std::vector<Field> parts;
      for (const control::Parameter& part : parameter.parts) parts.push_back(field_of(part));
      return {object(make({parameter.key, parameter.doc, std::move(parts), {}, ""}))};
    }
    case Kind::kNumber:
      break;
  }
  return {number(dimensions, range_of(parameter))};
}

Field field_of(const control::Parameter& parameter) {
  Field made = field(parameter.key, shapes_of(parameter), parameter.doc, parameter.example)
                   .defaults(parameter.default_text);
  if (parameter.required) made.presence = Presence::kRequired;
  return made;
}
Field field_of(const control::Parameter& parameter, const std::string& type) {
  return field_of(parameter).only({type});
}

std::vector<Field> joint_controller_fields(const std::vector<std::string>& types) {
  return {
      field("joint", {reference({"joints"})},
            "The joint it measures; the length of a deployable beam is <beam>/length.", "shoulder")
          .required()
          .only(types),
      field("output", {reference({"signals"})},
            "Signal it sets instead of driving the joint by itself.", "shoulder/torque")
          .only(types)};
}

std::vector<Field> arm_controller_fields(const std::vector<std::string>& types) {
  std::vector<std::string> of_joints = types;  // those that steer a body may have none
  std::erase(of_joints, "attitude");
  std::vector<std::string> predicting = of_joints;
  std::erase(predicting, "lqr");  // its design counts with hold and delay
  return {field("joints", {list(1, 100, {reference({"joints"})})},
                "The joints it drives, each with one degree of freedom.", "[shoulder, elbow]")
              .required()
              .only(of_joints),
          field("joints", {list(1, 100, {reference({"joints"})})},
                "The joints of the wheels it drives, three or more.", "[wheel1, wheel2, wheel3]")
              .only({"attitude"}),
          field("body", {reference({"bodies"})}, "The body that floats and is to turn.", "craft")
              .required()
              .only({"attitude"}),
          field("thrusters", {list(1, 100, {reference({"forces"})})},
                "The thrusters it switches, by the signals of their commands.", "[jet1, jet2]")
              .only({"attitude"}),
          field("outputs", {list(1, 100, {reference({"signals"})})},
                "Signals it sets instead of driving the joints by itself, one per joint.",
                "[shoulder/torque, elbow/torque]")
              .only(types),
          field("trajectory", {reference({"trajectories"})},
                "What it follows: a trajectory of its joints in their order or, where it leads a "
                "frame, of a pose.",
                "approach")
              .only(of_joints),
          field("sensors", {list(1, 100, {reference({"sensors"})})},
                "Sensors it measures through; channels that none of them shows it knows exactly.",
                "[encoders, wrist]")
              .only(types),
          field("model", {choice({"same", "rigid"})},
                "What it computes with: the simulated model, or the same with rigid beams and "
                "transmissions. Contacts and controllers are never part of it.",
                "rigid")
              .defaults("same")
              .only(types),
          field("attitude", {reference({"bodies"})},
                "A body that floats, whose orientation it controls too, by torques on the body "
                "(wheels, control moment gyros, thrusters as they come).",
                "platform")
              .only({"computed-torque"}),
          field("prediction", {number(dimension::kTime, kNonNegative)},
                "Time by which it predicts the state with its model before it uses it: half a "
                "period, and the delay, make up for the hold of the efforts.",
                "0.5 ms")
              .defaults("0")
              .only(predicting),
          field("model_settings", {list(1, 100, {of(Kind::kString)})},
                "Changes of that model, as after --set: what the controller does not know.",
                "[\"bodies.payload.mass=90 kg\"]")
              .only(types)};
}

}  // namespace

std::shared_ptr<const Object> controller() {
  std::vector<std::string> of_a_joint, of_an_arm;
  std::string laws, arm_laws;
  for (const control::ControllerType& type : control::controller_types()) {
    of_a_joint.push_back(type.name);
    laws += fmt::format(" `{}`: {}.", type.name, type.doc);
  }
  for (const control::ArmControllerType& type : control::arm_controller_types()) {
    of_an_arm.push_back(type.name);
    arm_laws += fmt::format(" `{}`: {}.", type.name, type.doc);
  }
  std::vector<std::string> types = of_a_joint;
  types.insert(types.end(), of_an_arm.begin(), of_an_arm.end());
  std::vector<Field> fields{
      field("name", {of(Kind::kName)}, "Name of the controller.", "hold").required(),
      field("type", {choice(types)}, "Its law.", types.front()).defaults(types.front()),
      field("feedback", {choice({"joint", "motor"})},
            "What it measures of flexible joints: the joint's coordinate, or the motor's.", "motor")
          .defaults("joint"),
      field("period", {number(dimension::kTime, kPositive), choice({"continuous"})},
            "Time between samples; `continuous` (`computed-torque` only): it acts without samples, "
            "as a part of the equations of motion.",
            "10 ms")
          .required(),
      field("offset", {number(dimension::kTime, kNonNegative)}, "Time of the first sample.", "0 s")
          .defaults("0"),
      field("delay", {number(dimension::kTime, kNonNegative)},
            "From a sample to the effort it asks for.", "10 ms")
          .defaults("0")};
  for (auto&& group : {joint_controller_fields(of_a_joint), arm_controller_fields(of_an_arm)}) {
    fields.insert(fields.end(), group.begin(), group.end());
  }
  for (const control::ControllerType& type : control::controller_types()) {
    for (const control::Parameter& parameter : type.parameters) {
      fields.push_back(field_of(parameter, type.name));
    }
  }
  for (const control::ArmControllerType& type : control::arm_controller_types()) {
    for (const control::Parameter& parameter : type.parameters) {
      fields.push_back(field_of(parameter, type.name));
    }
  }
  return make({"controller",
               "A sampled controller. It drives its joints by motors of its own, or sets signals. "
               "Of one joint with one degree of freedom:" +
                   laws +
                   " Of several joints, with a model of the arm (docs/controllers.md):" + arm_laws,
               std::move(fields),
               {{Rule::Kind::kExactlyOne, {"weights", "poles", "gains"}, {"lqr"}}},
               "type"});
}

}  // namespace grapple::scenario::language
