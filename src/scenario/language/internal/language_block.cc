// Sampled blocks of the user's own.
#include "grapple/scenario/language/internal/language.h"
#include "grapple/scenario/language/internal/shapes.h"

namespace grapple::scenario::language {

using namespace shapes;  // NOLINT: the table reads as a table

namespace {

std::shared_ptr<const Object> block_state() {
  return make({"block state",
               "A number the block keeps from sample to sample, recorded as block/NAME/STATE.",
               {field("initial", {any_number()}, "At the start, in SI.", "0").defaults("0"),
                field("next", {of(Kind::kString)},
                      "Formula of its next value; all formulas see the old values.", "x1 + T*x2"),
                field("rate", {of(Kind::kString)},
                      "Formula of its rate: one step of the classical Runge-Kutta method over the "
                      "period, the inputs held.",
                      "\"-4*x1 + e\""),
                field("unit", {of(Kind::kString)}, "Unit, in SI, of what is recorded.", "rad")},
               {{Rule::Kind::kExactlyOne, {"next", "rate"}, {}}},
               ""});
}

std::shared_ptr<const Object> block_output() {
  return make(
      {"block output",
       "A signal the block sets: block/NAME/OUTPUT, or one of `signals`.",
       {field("formula", {of(Kind::kString)},
              "Formula of inputs, states, the period T and the time t; blocks of formulas need it.",
              "\"-3*x1 + e\""),
        field("unit", {of(Kind::kString)}, "Unit of its value; none: a pure number or an angle.",
              "N*m"),
        field("to", {reference({"signals"})}, "Signal it sets instead of one of its own.",
              "shoulder/torque")},
       {},
       ""});
}

}  // namespace

std::shared_ptr<const Object> block() {
  return make(
      {"block",
       "A sampled block of your own: it reads channels, keeps states and sets signals. Blocks that "
       "are due at one moment see the model and all signals as they were before any of them acted.",
       {field("name", {of(Kind::kName)},
              "Name of the block; sensors, blocks and controllers share their names.", "notch")
            .required(),
        field("type", {choice({"formula", "plugin"})}, "How it is written.", "formula")
            .defaults("formula"),
        field("inputs", {named({of(Kind::kString)})},
              "What it reads: names for the formulas, and channels or signals.",
              "{q: joint/shoulder/position}"),
        field("states", {named({object(block_state())})}, "What it keeps from sample to sample.",
              "{x: {initial: 0, next: x + T*q}}")
            .only({"formula"}),
        field("library", {of(Kind::kString)},
              "Shared library with the block (docs/guide/your-own-controller.md), relative to this "
              "file; `--allow-plugins` must be said to run it.",
              "lead.so")
            .required()
            .only({"plugin"}),
        field("parameters", {named({any_number()})}, "Values of the library's parameters.",
              "{gain: 20 N*m/rad}")
            .only({"plugin"}),
        field("outputs", {named({object(block_output())})}, "What it sets.",
              "{u: {formula: -20*x, unit: N*m, to: shoulder/torque}}")
            .required(),
        field("period", {number(dimension::kTime, kPositive)}, "Time between samples.", "10 ms")
            .required(),
        field("offset", {number(dimension::kTime, kNonNegative)}, "Time of the first sample.",
              "0 s")
            .defaults("0"),
        field("delay", {number(dimension::kTime, kNonNegative)},
              "From a sample to the moment its outputs act.", "10 ms")
            .defaults("0")},
       {},
       "type"});
}

}  // namespace grapple::scenario::language
