#include "grapple/constraint/row.h"

#include "grapple/base/assert.h"

namespace grapple::constraint {

std::span<const Row> distance_and_direction_rows(std::size_t distances, std::size_t directions) {
  constexpr Row kDistance{Row::Level::kPosition, Row::Measure::kDistance};
  constexpr Row kDirection{Row::Level::kPosition, Row::Measure::kDirection};
  static constexpr std::array<Row, kMostRows> kAll{kDistance,  kDistance,  kDistance,
                                                   kDirection, kDirection, kDirection};
  GRAPPLE_ASSERT(distances <= 3 && directions <= 3);
  return std::span(kAll).subspan(3 - distances, distances + directions);
}

bool turns(const model::Model& model, const Term& term) {
  return model::unit_of_rate(model, term.v) == model::RateUnit::kAngular;
}

}  // namespace grapple::constraint
