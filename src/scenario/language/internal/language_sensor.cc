// Sensors: what they measure and how well.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

constexpr std::size_t kMostOfAGroup = 6;
using Names = std::vector<std::string>;
const Names kWithLimits{"channel",  "encoder", "joint-torque", "force-torque",
                        "position", "strain",  "gyro",         "camera"};

// One value for every component, or a list with one each; units are checked when it is known what
// is measured.
std::vector<Shape> per_component(const Range& range) {
  return {number(Dimensions{}, range), numbers(1, kMostOfAGroup, {}, range)};
}

// `limited`: the types that have what is rounded and cut; empty: no matter.
std::vector<Field> error_fields(const Names& limited) {
  return {field("noise", per_component(kNonNegative),
                "Standard deviation of the noise of a sample, normal and white.", "0.01 deg")
              .defaults("0"),
          field("bias", per_component(kAny), "What is added always.", "0.1 deg").defaults("0"),
          field("drift", per_component(kNonNegative),
                "A random walk that is added: its standard deviation after one second; it grows "
                "with the square root of time.",
                "0.001 deg")
              .defaults("0"),
          field("scale_error", per_component(kAny), "Share of the value that is added.", "0.1 %")
              .defaults("0")
              .only(limited),
          field("quantum", per_component(kNonNegative), "Resolution: values are multiples of it.",
                "0.005 deg")
              .defaults("0")
              .only(limited),
          field("limits", {numbers(2, 2, {}, kAny)},
                "Range: values beyond are cut, and the signal `sensor/NAME/saturated` is 1.",
                "[-50, 50] N*m")
              .only(limited)};
}

std::shared_ptr<const Object> more_errors() {
  return make({"sensor errors",
               "Errors of the second kind of quantity a sensor measures.",
               error_fields({}),
               {},
               ""});
}

}  // namespace

std::shared_ptr<const Object> sensor() {
  std::vector<Field> fields{
      field("name", {of(Kind::kName)},
            "Name of the sensor; sensors, blocks and controllers share their names.", "enc")
          .required(),
      field("type",
            {choice({"channel", "encoder", "joint-torque", "force-torque", "position", "strain",
                     "gyro", "star-tracker", "camera"})},
            "What it measures.", "encoder")
          .required(),
      field("channel", {of(Kind::kString)}, "The channel it measures.", "gap/distance")
          .required()
          .only({"channel"}),
      field("unit", {of(Kind::kString)}, "Unit of that channel; none: a pure number or an angle.",
            "m")
          .only({"channel"}),
      field("joint", {reference({"joints"})}, "The joint it is in.", "shoulder")
          .required()
          .only({"encoder", "joint-torque", "force-torque"}),
      field("side", {choice({"joint", "motor"})},
            "Which coordinate of a flexible joint: the link's, or the motor's behind the gear.",
            "motor")
          .defaults("joint")
          .only({"encoder"}),
      field("frame", {place()}, "The body or frame it is fixed to.", "spacecraft")
          .required()
          .only({"gyro", "star-tracker", "camera"}),
      field("frame", {place()}, "The body or frame whose origin is measured.", "hand/palm")
          .required()
          .only({"position"}),
      field("frame", {place()},
            "Axes of the components, its origin the point of the torques; left out: the joint's "
            "frame on its parent, and its place on the child.",
            "hand/flange")
          .only({"force-torque"}),
      field("in", {place()}, "The frame in whose axes, from whose origin.", "camera-base")
          .defaults("world")
          .only({"position"}),
      field("target", {place()}, "The body or frame it looks for.", "target/fixture")
          .required()
          .only({"camera"}),
      field("axis", axis_shapes(), "Direction it looks along, in its frame.", "z")
          .defaults("z")
          .only({"camera"}),
      field("range", {number(dimension::kLength, kPositive)},
            "Largest distance; left out: any distance.", "20 m")
          .only({"camera"}),
      field("field_of_view",
            {number(dimension::kNone,
                    {.low = 0.0, .high = 6.2832, .low_end = Range::End::kExcluded})},
            "Whole opening angle of the cone it sees; left out: all around.", "40 deg")
          .only({"camera"}),
      field("beam", {reference({"bodies"})}, "The beam, described by modes.", "boom")
          .required()
          .only({"strain"}),
      field("at", {number(dimension::kLength, kNonNegative)}, "Place x along the beam.", "0.5 m")
          .required()
          .only({"strain"}),
      field("fibre", {numbers(2, 2, {dimension::kLength}, kAny)},
            "Place y, z in the section: strain = -y w_y'' - z w_z''.", "[0, 0.02] m")
          .required()
          .only({"strain"})};
  for (Field& one : error_fields(kWithLimits)) fields.push_back(std::move(one));
  fields.push_back(field("torque", {object(more_errors())},
                         "Errors of the torques; those above are of the forces.",
                         "{noise: 0.01 N*m}")
                       .only({"force-torque"}));
  fields.push_back(field("orientation", {object(more_errors())},
                         "Errors of the orientation; those above are of the position.",
                         "{noise: 0.2 deg}")
                       .only({"camera"}));
  fields.push_back(
      field("seed", {integer({.low = 0.0, .high = 9e15})},
            "Chooses the noise: the same seed and name give the same noise to the bit.", "1")
          .defaults("0"));
  fields.push_back(
      field("period", {number(dimension::kTime, kPositive)}, "Time between samples.", "1 ms")
          .required());
  fields.push_back(
      field("offset", {number(dimension::kTime, kNonNegative)}, "Time of the first sample.", "0 s")
          .defaults("0"));
  fields.push_back(field("delay", {number(dimension::kTime, kNonNegative)},
                         "From a sample to the moment its value can be read.", "0.2 s")
                       .defaults("0"));
  return make({"sensor",
               "A sampled block that measures and sets the signals `sensor/NAME/...`, with errors: "
               "(1 + scale_error) x + bias + drift + noise, rounded to the quantum, cut to the "
               "limits. Outputs: `channel`: value; `encoder`: position, rate; `joint-torque`: "
               "torque; `force-torque`: force_x ... torque_z; `position`, `gyro`: x, y, z; "
               "`strain`: strain; `star-tracker`: w, x, y, z; `camera`: position_x ... "
               "rotation_z, valid.",
               std::move(fields),
               {},
               "type"});
}

}  // namespace grapple::scenario::language
