#include "grapple/scenario/build/internal/coordinates.h"

#include <fmt/format.h>

namespace grapple::scenario {

bool CoordinateReader::check_count(const Reader& reader, std::string_view key,
                                   std::size_t found) const {
  if (found == 1 || found == static_cast<std::size_t>(count())) return true;
  faults_.add("GR-314", reader.where(key),
              fmt::format("a {} joint has {} coordinate{}; '{}' gives {} values (allowed: one for "
                          "all, or one each)",
                          joint_type_name(type_), count(), count() == 1 ? "" : "s", key, found));
  return false;
}

void CoordinateReader::check_unit(const Reader& reader, std::string_view key, int k,
                                  const Dimension& found, const CoordinateDimension& wanted) const {
  const Dimension& expected = is_rotational(type_, k) ? wanted.turning : wanted.sliding;
  if (found == expected) return;
  const auto words = [](const Dimension& d) {
    return d == dimension::kNone ? std::string("no unit or an angle") : unit_text(d);
  };
  faults_.add("GR-310", reader.where(key),
              fmt::format("coordinate {} of a {} joint {}; '{}' needs {}, found {}", k + 1,
                          joint_type_name(type_), is_rotational(type_, k) ? "turns" : "slides", key,
                          words(expected), words(found)));
}

std::vector<double> CoordinateReader::numbers(const Reader& reader, std::string_view key,
                                              const CoordinateDimension& dimension) const {
  std::vector<double> values(static_cast<std::size_t>(count()), 0.0);
  const std::vector<Quantity> given = reader.numbers(key);
  if (!check_count(reader, key, given.size())) return values;
  for (int k = 0; k < count(); ++k) {
    const Quantity& quantity = given.size() == 1 ? given[0] : given[static_cast<std::size_t>(k)];
    if (quantity.has_unit) check_unit(reader, key, k, quantity.dimension, dimension);
    values[static_cast<std::size_t>(k)] = quantity.value;
  }
  return values;
}

std::vector<element::Input> CoordinateReader::inputs(const Reader& reader, std::string_view key,
                                                     const CoordinateDimension& dimension,
                                                     Assembly& assembly) const {
  std::vector<element::Input> values(static_cast<std::size_t>(count()));
  const std::vector<TimeFunction> given = reader.functions(key);
  if (!check_count(reader, key, given.size())) return values;
  for (int k = 0; k < count(); ++k) {
    const TimeFunction& f = given.size() == 1 ? given[0] : given[static_cast<std::size_t>(k)];
    if (f.dimension) check_unit(reader, key, k, *f.dimension, dimension);
    const Dimension& wanted = is_rotational(type_, k) ? dimension.turning : dimension.sliding;
    values[static_cast<std::size_t>(k)] = input_of(f, reader.where(key), {wanted}, assembly);
  }
  return values;
}

}  // namespace grapple::scenario
