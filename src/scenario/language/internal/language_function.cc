// Functions of time as mappings: expressions, manoeuvres, tables, signals.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario {

namespace {

const std::vector<std::string> kProfiles{"sine-on-ramp", "cycloidal", "bang-bang",
                                         "trapezoid",    "cubic",     "quintic"};

// What a manoeuvre has, alone or as one of `segments`.
std::vector<Field> manoeuvre_fields() {
  using namespace shapes;  // NOLINT: the table reads as a table
  return {
      field("to", {any_number()}, "Manoeuvre: the value it ends at and then holds.", "180 deg"),
      field("by", {any_number()}, "Manoeuvre: the change of the value, instead of `to`.",
            "-30 deg"),
      field("start", {number(dimension::kTime, kAny)},
            "Manoeuvre: when it begins; before, the first value holds. Left out: 0 s, or the end "
            "of the segment before.",
            "10 s"),
      field("ramp",
            {number(dimension::kNone, {.low = 0.0, .high = 0.5, .low_end = Range::End::kExcluded})},
            "Trapezoid: part of the duration in which the rate rises, and again falls. Left out: "
            "1/4.",
            "0.2"),
      field("acceleration_limit", {number(Dimensions{}, kPositive)},
            "Trapezoid: its acceleration, instead of `ramp`.", "2 deg/s^2")};
}

Field duration_field() {
  using namespace shapes;  // NOLINT: the table reads as a table
  return field("duration", {number(dimension::kTime, kPositive)}, "Manoeuvre: how long it takes.",
               "27.8 s");
}

std::shared_ptr<const Object> segment() {
  using namespace shapes;  // NOLINT: the table reads as a table
  Object result{"manoeuvre segment",
                "One of several manoeuvres in a row, from where the last one ended.",
                {field("profile", {choice(kProfiles)},
                       "Its profile. Left out: that of the function.", "quintic"),
                 duration_field().required()},
                {{Rule::Kind::kExactlyOne, {"to", "by"}, {}},
                 {Rule::Kind::kAtMostOne, {"ramp", "acceleration_limit"}, {}}},
                ""};
  for (Field& own : manoeuvre_fields()) result.fields.push_back(std::move(own));
  return make(std::move(result));
}

std::vector<Field> function_fields(std::size_t most_rows) {
  using namespace shapes;  // NOLINT: the table reads as a table
  std::vector<Field> fields{
      field("expression", {of(Kind::kString)},
            "Formula in t [s]; its value is in SI unless `unit` says otherwise.",
            "\"10*sin(2*pi*t)\""),
      field("unit", {of(Kind::kString)}, "Unit of the values.", "deg"),
      field("rate", {of(Kind::kString)}, "Exact first derivative of the expression.",
            "\"20*pi*cos(2*pi*t)\""),
      field("acceleration", {of(Kind::kString)}, "Exact second derivative of the expression.",
            "\"-40*pi^2*sin(2*pi*t)\""),
      field("profile", {choice(kProfiles)},
            "A manoeuvre from one value at rest to another: sine-on-ramp (or cycloidal, the same), "
            "bang-bang in acceleration, trapezoid in rate, cubic or quintic polynomial.",
            "sine-on-ramp"),
      field("from", {any_number()}, "Manoeuvre: the value it begins at. Left out: 0.", "0 deg")};
  for (Field& own : manoeuvre_fields()) fields.push_back(std::move(own));
  const std::vector<Field> rest{
      duration_field(),
      field("segments", {list(1, 1000, {object(segment())})},
            "Several manoeuvres in a row instead of one.",
            "[{to: 90 deg, duration: 10 s}, {by: -30 deg, start: 20 s, duration: 5 s}]"),
      field("times", {numbers(2, most_rows, {dimension::kTime}, kAny)}, "Increasing times.",
            "[0, 1, 5] s"),
      field("values", {numbers(2, most_rows, {}, kAny)}, "Values at these times.",
            "[0, 10, 0] deg"),
      field("table", {list(2, most_rows, {numbers(2, 2, {}, kAny)})}, "Rows [time, value].",
            "[[0, 0], [1, 10], [5, 0]]"),
      field("csv", {of(Kind::kString)},
            "A table in a file of comma-separated values with a row of names, counted from the "
            "directory of this one; at most 64 MB and a million rows.",
            "slew.csv"),
      field("column", {of(Kind::kString)},
            "Name of the column with the values; a unit in brackets behind the name, as in `angle "
            "[deg]`, need not be repeated and holds unless `unit` is given.",
            "angle"),
      field("time_column", {of(Kind::kString)},
            "Name of the column with the times, in seconds or in the unit behind its name. Left "
            "out: the first one.",
            "time"),
      field("interpolation", {choice({"linear", "spline", "hold"})},
            "Between the rows: straight lines, a natural cubic spline, or each value until the "
            "next. Outside, the end values hold.",
            "spline")
          .defaults("linear"),
      field("signal", {reference({"signals"})},
            "One of `signals`, which somebody sets while the run goes on; for motors, forces, "
            "rests of springs, rates and accelerations, set points.",
            "shoulder/torque")};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

}  // namespace

const Object& function_object() {
  using namespace shapes;  // NOLINT: the table reads as a table
  constexpr std::size_t kMany = 1'000'000;
  static const Object kObject{
      "function",
      "A function of time: an expression, a manoeuvre along a profile, or a table; or a signal in "
      "its place.",
      function_fields(kMany),
      {{Rule::Kind::kExactlyOne, {"expression", "profile", "times", "table", "csv", "signal"}, {}},
       {Rule::Kind::kTogether, {"times", "values"}, {}},
       {Rule::Kind::kTogether, {"csv", "column"}, {}},
       {Rule::Kind::kNeedsOneOf, {"time_column", "csv"}, {}},
       {Rule::Kind::kNeedsOneOf, {"rate", "expression"}, {}},
       {Rule::Kind::kNeedsOneOf, {"acceleration", "expression"}, {}},
       {Rule::Kind::kNeedsOneOf, {"profile", "to", "by", "segments"}, {}},
       {Rule::Kind::kAtMostOne, {"to", "by", "segments"}, {}},
       {Rule::Kind::kNeedsOneOf, {"from", "profile"}, {}},
       {Rule::Kind::kNeedsOneOf, {"segments", "profile"}, {}},
       {Rule::Kind::kNeedsOneOf, {"to", "duration"}, {}},
       {Rule::Kind::kNeedsOneOf, {"by", "duration"}, {}},
       {Rule::Kind::kNeedsOneOf, {"duration", "to", "by"}, {}},
       {Rule::Kind::kNeedsOneOf, {"start", "to", "by"}, {}},
       {Rule::Kind::kNeedsOneOf, {"ramp", "to", "by"}, {}},
       {Rule::Kind::kNeedsOneOf, {"acceleration_limit", "to", "by"}, {}},
       {Rule::Kind::kNeedsOneOf, {"to", "profile"}, {}},
       {Rule::Kind::kNeedsOneOf, {"by", "profile"}, {}},
       {Rule::Kind::kAtMostOne, {"ramp", "acceleration_limit"}, {}},
       {Rule::Kind::kNeedsOneOf, {"interpolation", "times", "table", "csv"}, {}},
       {Rule::Kind::kAtMostOne, {"signal", "unit"}, {}}},
      ""};
  return kObject;
}

}  // namespace grapple::scenario
