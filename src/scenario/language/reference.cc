#include <fmt/format.h>

#include "grapple/scenario/language/internal/schema_walk.h"
#include "grapple/scenario/language/schema.h"

namespace grapple::scenario {

namespace {

constexpr const char* kIntroduction = R"(# Scenario reference

This page is generated from the table the program checks files against; edit `src/scenario/language*.cc`, not this page.

A scenario is a YAML file. Unknown keys are errors, and all errors of a file are reported at once with line and column.

## Values

- **Numbers** carry units: `8.13 m`, `30 deg`, `5e-3 kg*m^2/s^2`; bare numbers are SI. Units: m g t s min h day A K rad deg
  rev rpm % Hz N Pa J W V ohm H T with the prefixes G M k c (length only) m u n, joined by `*`, `/`, `^` and parentheses.
  1 Hz counts one cycle per second: where a rate of turning is asked for it is 1 rev/s = 2 pi rad/s, elsewhere it is refused;
  1/s is rad/s.
  Angles have no dimension, so N*m/rad and N*m agree.
- **Several numbers** share one unit: `[1, 0, 0] m`; or each has its own: `[1 m, 2 cm, 0]`.
- **Quotes**: a unit behind brackets (`[1, 0, 0] m`, `link1 at [1, 0, 0] m`), and `${...}` inside `{ }` or `[ ]`, are taken
  without quotes here; YAML itself wants them: `"[1, 0, 0] m"`. With them, as in all examples, any YAML library reads the file.
- **Functions of time** are a number, a formula in `t` (seconds; SI) or a mapping, see *function* below. Formulas know
  `+ - * / ^ ?: < > == && ||`, pi, sin cos tan asin acos atan atan2 sinh cosh tanh exp ln log10 sqrt abs min max sign,
  `step(x)` (0 for x < 0, else 1), `pulse(t, on, off)` and `smooth(t, t0, t1)` (0 to 1 with no jump in acceleration).
  Inside `{ }` or `[ ]` put quotes around a formula that contains a comma. More in [formulas.md](formulas.md).
- **Places** are `body`, `body/frame`, a frame's name or `world`, optionally shifted: `link1 at [1, 0, 0] m`.
- **Names** consist of letters, digits, `_`, `-` and `.`.

## Parameters, includes, settings

`parameters: {length: 2 m}` defines values; `${length}` puts in the text, unit included, and `${2*pi*length}` the value of a
formula on SI numbers (so write no unit behind a formula other than the SI one). `include: common.yaml` merges another file
in. `--set joints.shoulder.angle=30 deg` on the command line replaces a value; list items go by name or `[index]`.

)";

std::string in_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string value_text(const Field& field) {
  std::vector<std::string> texts;
  for (const Shape& shape : field.shapes) texts.push_back(shape.text());
  return fmt::format("{}", fmt::join(texts, "; or "));
}

std::string presence_text(const Field& field) {
  if (field.presence == Presence::kRequired) return "required";
  return field.default_text.empty() ? "" : fmt::format("`{}`", field.default_text);
}

std::string row(const Field& field) {
  const std::string only =
      field.only_for.empty() ? "" : fmt::format(" *Only for {}.*", fmt::join(field.only_for, ", "));
  return fmt::format("| `{}` | {} | {} | {}{} | `{}` |\n", field.key, in_cell(value_text(field)),
                     in_cell(presence_text(field)), in_cell(field.doc), only,
                     in_cell(field.example));
}

std::string section(const Object& object) {
  std::string text = fmt::format("## {}\n\n{}\n\n", object.name, object.doc);
  text += "| key | value | default | meaning | example |\n|---|---|---|---|---|\n";
  for (const Field& field : object.fields) text += row(field);
  text += '\n';
  for (const Rule& rule : object.rules) {
    const std::string only = rule.only_for.empty() ? ""
                                                   : fmt::format(" (for {} {})", object.selector,
                                                                 fmt::join(rule.only_for, ", "));
    text += fmt::format("- {}{}\n", rule.text(), only);
  }
  if (!object.rules.empty()) text += '\n';
  return text;
}

}  // namespace

std::string reference_markdown() {
  std::string text = kIntroduction;
  for (const Object* object : all_objects()) text += section(*object);
  text.pop_back();
  return text;
}

}  // namespace grapple::scenario
