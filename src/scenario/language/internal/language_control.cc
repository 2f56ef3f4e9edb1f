// Signals, controllers that set them, and channels made of others.
#include <fmt/format.h>

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

Field field_of(const control::Parameter& parameter, const std::string& type) {
  const Dimensions dimensions{parameter.turning, parameter.sliding};
  const Shape shape = parameter.kind == control::Parameter::Kind::kInput
                          ? input(dimensions)
                          : number(dimensions, range_of(parameter));
  return field(parameter.key, {shape}, parameter.doc, parameter.example)
      .defaults(parameter.default_text)
      .only({type});
}

}  // namespace

std::shared_ptr<const Object> controller() {
  std::vector<std::string> types;
  std::string laws;
  for (const control::ControllerType& type : control::controller_types()) {
    types.push_back(type.name);
    laws += fmt::format(" `{}`: {}.", type.name, type.doc);
  }
  std::vector<Field> fields{
      field("name", {of(Kind::kName)}, "Name of the controller.", "hold").required(),
      field("type", {choice(types)}, "Its law.", types.front()).defaults(types.front()),
      field("joint", {reference({"joints"})},
            "The joint it measures; the length of a deployable beam is <beam>/length.", "shoulder")
          .required(),
      field("feedback", {choice({"joint", "motor"})},
            "What it measures of a flexible joint: the joint's coordinate, or the motor's.",
            "motor")
          .defaults("joint"),
      field("period", {number(dimension::kTime, kPositive)}, "Time between samples.", "10 ms")
          .required(),
      field("offset", {number(dimension::kTime, kNonNegative)}, "Time of the first sample.", "0 s")
          .defaults("0"),
      field("delay", {number(dimension::kTime, kNonNegative)},
            "From a sample to the effort it asks for.", "10 ms")
          .defaults("0"),
      field("output", {reference({"signals"})},
            "Signal it sets instead of driving the joint by itself.", "shoulder/torque")};
  for (const control::ControllerType& type : control::controller_types()) {
    for (const control::Parameter& parameter : type.parameters) {
      fields.push_back(field_of(parameter, type.name));
    }
  }
  return make({"controller",
               "A sampled controller of a joint with one degree of freedom. It drives the joint by "
               "a motor of its own, or sets the signal `output`." +
                   laws,
               std::move(fields),
               {},
               "type"});
}

}  // namespace grapple::scenario::language
