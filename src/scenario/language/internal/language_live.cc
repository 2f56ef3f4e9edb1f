// What a person sees and may change while a run is watched live (grapple view FILE), and how the
// run is judged.
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
       "Something driven by hand in a live run, by keys or a gamepad: a `joint`, a signal that "
       "goes from -`full` to `full`, or a signal that counts `choices`. The signal is "
       "`operator/NAME/command`. With nobody there the command is zero; a rate command then holds "
       "the joint still.",
       {field("name", {of(Kind::kName)}, "Name of the input.", "shoulder-stick").required(),
        field("joint", {reference({"joints"})}, "Joint with one degree of freedom.", "shoulder"),
        field("full", {number(Dimensions{}, kPositive)},
              "Makes it a signal with this unit: its value at full command.", "5 cm/s"),
        field("choices", {list(2, 9, {of(Kind::kName)})},
              "Makes it a signal that is 0 for the first of these, 1 for the second, and stays "
              "there until another is chosen.",
              "[base, effector, payload]"),
        field("effort", {number(kEffort, kPositive)},
              "Effort at full command, or largest effort of a rate command.", "20 N*m"),
        field("rate", {number(kRate, kPositive)},
              "Makes the command a rate: the joint's rate at full command.", "5 deg/s"),
        field("gain", {number(kJointDamping, kPositive)},
              "Effort per difference between commanded and actual rate.", "300 N*m*s/rad"),
        field("keys", {list(2, 9, {of(Kind::kString)})},
              "Keys for the negative and the positive direction, or one for each choice, as "
              "browsers name them.",
              "[ArrowLeft, ArrowRight]")
            .required(),
        field("gamepad_axis", {integer(kNonNegative)}, "Axis of a gamepad, from 0.", "0"),
        field("gamepad_direction", {choice({"normal", "reversed"})},
              "Whether that axis counts the other way round, as those that go down do.", "reversed")
            .defaults("normal"),
        field("gamepad_buttons", {list(2, 9, {integer(kNonNegative)})},
              "Buttons of a gamepad in the order of `keys`, from 0; triggers count by how far they "
              "are pressed.",
              "[6, 7]")},
       {{Rule::Kind::kExactlyOne, {"joint", "full", "choices"}, {}},
        {Rule::Kind::kTogether, {"joint", "effort"}, {}},
        {Rule::Kind::kTogether, {"rate", "gain"}, {}},
        {Rule::Kind::kNeedsOneOf, {"rate", "joint"}, {}}},
       ""});
}

std::shared_ptr<const Object> score_term() {
  return make(
      {"score term",
       "Points for one measure: the whole `weight` at `full` or better, nothing at `none` or "
       "worse, in proportion between. A measure that was not met has no points.",
       {field("name", {of(Kind::kName)}, "Name of the term.", "time").required(),
        field("measure", {reference({"measures"})}, "Which of `measures`.", "latched").required(),
        field("weight", {number(dimension::kNone, kPositive)}, "Points at best.", "40").required(),
        field("full", {any_number()}, "Value, or better, with all points.", "60 s").required(),
        field("none", {any_number()}, "Value, or worse, without points.", "120 s").required(),
        field("limit", {any_number()},
              "Value beyond which the whole run has no points; not before `none`.", "200 s")},
       {},
       ""});
}

std::shared_ptr<const Object> camera() {
  return make(
      {"camera",
       "A camera that rides on a frame: it looks along the frame's x, up is its z.",
       {field("name", {of(Kind::kName)}, "Name of the camera.", "end-effector").required(),
        field("on", {place()}, "Body or frame with a name of its own.", "hand/camera").required(),
        field("field_of_view",
              {number(dimension::kNone, {.low = 0.0,
                                         .high = 3.0,
                                         .low_end = Range::End::kExcluded,
                                         .high_end = Range::End::kIncluded})},
              "Angle from the lower to the upper edge of its picture.", "60 deg")
            .defaults("50 deg")},
       {},
       ""});
}

std::shared_ptr<const Object> instrument() {
  return make(
      {"instrument",
       "A channel that a live run shows as a gauge, the size of its value against `limit`.",
       {field("channel", {of(Kind::kString)}, "Channel.", "contact/touch/normal_force").required(),
        field("label", {of(Kind::kString)}, "Words beside it; left out: the channel.",
              "contact force"),
        field("limit", {any_number()}, "Value at the end of the gauge.", "200 N").required()},
       {},
       ""});
}

}  // namespace grapple::scenario::language
