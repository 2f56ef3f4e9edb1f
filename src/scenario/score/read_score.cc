#include "grapple/scenario/score/read_score.h"

#include <fmt/format.h>

#include <optional>

namespace grapple::scenario {

namespace {

// In the unit of the measure; GR-310 if its dimension differs.
std::optional<double> value_in(const Reader& term, const char* key, const std::string& unit,
                               Diagnostics& faults) {
  Quantity value = term.quantity(key);
  if (!value.has_unit) return value.value;
  if (unit == "rad/s") value = in_radians(value);
  const Quantity own = parse_unit(unit);
  if (value.dimension == own.dimension) return value.value / own.value;
  faults.add("GR-310", term.where(key),
             fmt::format("measure '{}' is in {}; found {}", term.text("measure"), unit,
                         unit_text(value.dimension)));
  return std::nullopt;
}

// Whether `value` lies on the side of `none` seen from `full`, at `none` or beyond.
bool is_worse(double value, const record::ScoreTerm& term) {
  return term.none > term.full ? value >= term.none : value <= term.none;
}

std::optional<record::ScoreTerm> read_term(const Reader& reader, const std::string& unit,
                                           Diagnostics& faults) {
  record::ScoreTerm term;
  term.name = reader.text("name");
  term.measure = reader.text("measure");
  term.weight = reader.number("weight");
  const std::optional<double> full = value_in(reader, "full", unit, faults);
  const std::optional<double> none = value_in(reader, "none", unit, faults);
  if (!full || !none) return std::nullopt;
  term.full = *full;
  term.none = *none;
  if (term.full == term.none) {
    faults.add("GR-943", reader.where("none"),
               fmt::format("'full' and 'none' are both {:g} {}; points fall from the one to the "
                           "other, so they must differ",
                           term.full, unit));
    return std::nullopt;
  }
  if (!reader.has("limit")) return term;
  term.limit = value_in(reader, "limit", unit, faults);
  if (!term.limit) return std::nullopt;
  if (!is_worse(*term.limit, term)) {
    faults.add("GR-944", reader.where("limit"),
               fmt::format("a limit of {:g} {} breaks runs that get points: full points are at "
                           "{:g}, none at {:g}; the limit must not lie before the latter",
                           *term.limit, unit, term.full, term.none));
    return std::nullopt;
  }
  return term;
}

}  // namespace

std::vector<record::ScoreTerm> read_score(const Reader& scenario,
                                          const std::map<std::string, std::string>& units,
                                          Diagnostics& faults) {
  std::vector<record::ScoreTerm> terms;
  for (const Reader& reader : scenario.objects("score")) {
    const auto unit = units.find(reader.text("measure"));
    if (unit == units.end()) continue;  // a measure with a fault, of which enough is said
    if (auto term = read_term(reader, unit->second, faults)) terms.push_back(std::move(*term));
  }
  return terms;
}

}  // namespace grapple::scenario
