#include "grapple/constraint/row.h"

#include "grapple/base/assert.h"
#include "grapple/model/joint.h"

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
  for (int i = 1; i < model.link_count(); ++i) {
    const model::Link& link = model.link(i);
    const auto among = [&](int first, int count) {
      return term.v >= first && term.v < first + count;
    };
    if (among(link.v_index, link.nv)) return is_rotational(link.type, term.v - link.v_index);
    if (among(link.v_motor, link.motors)) return is_rotational(link.type, term.v - link.v_motor);
  }
  return false;  // a mode
}

}  // namespace grapple::constraint
