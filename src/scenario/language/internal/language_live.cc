// What a person may change while a run is watched live (grapple view FILE).
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

std::shared_ptr<const Object> tunable() {
  return make(
      {"tunable",
       "A parameter with a slider in a live run. A change takes hold between two steps; the "
       "energy it adds or takes is booked as external work. `grapple run` ignores it.",
       {field("parameter", {of(Kind::kString)}, "Which of `parameters`, a number.", "stiffness")
            .required(),
        field("from", {any_number()}, "Lower end of the slider.", "10 N*m/rad").required(),
        field("to", {any_number()}, "Upper end of the slider.", "500 N*m/rad").required()},
       {},
       ""});
}

std::shared_ptr<const Object> operator_input() {
  return make(
      {"operator",
       "A joint driven by hand in a live run, by two keys or an axis of a gamepad. With nobody "
       "there the command is zero; a rate command then holds the joint still.",
       {field("name", {of(Kind::kName)}, "Name of the input.", "shoulder-stick").required(),
        field("joint", {reference({"joints"})}, "Joint with one degree of freedom.", "shoulder")
            .required(),
        field("effort", {number(kEffort, kPositive)},
              "Effort at full command, or largest effort of a rate command.", "20 N*m")
            .required(),
        field("rate", {number(kRate, kPositive)},
              "Makes the command a rate: the joint's rate at full command.", "5 deg/s"),
        field("gain", {number(kJointDamping, kPositive)},
              "Effort per difference between commanded and actual rate.", "300 N*m*s/rad"),
        field("keys", {list(2, 2, {of(Kind::kString)})},
              "Keys for the negative and the positive direction, as browsers name them.",
              "[ArrowLeft, ArrowRight]")
            .required(),
        field("gamepad_axis", {integer(kNonNegative)}, "Axis of a gamepad, from 0.", "0")},
       {{Rule::Kind::kTogether, {"rate", "gain"}, {}}},
       ""});
}

}  // namespace grapple::scenario::language
