#include "grapple/constraint/kind/screw.h"

#include <array>
#include <cmath>
#include <numbers>

#include "grapple/spatial/dual_functions.h"

namespace grapple::constraint {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

}  // namespace

std::span<const Row> Screw::rows() const {
  constexpr Row kDistance{Row::Level::kPosition, Row::Measure::kDistance};
  constexpr Row kDirection{Row::Level::kPosition, Row::Measure::kDirection};
  static constexpr std::array<Row, 5> kRows{kDistance, kDistance, kDirection, kDirection,
                                            kDistance};
  return kRows;
}

std::string Screw::row_name(std::size_t row) const {
  if (row < 2) return along_name(static_cast<int>(row));
  return row < 4 ? across_name(kParallel[row - 2]) : "screw";
}

std::span<const AxisPair> Screw::across() const { return kParallel; }

template <class T>
void Screw::evaluate(const FramePairMotion<T>& at, RowMotions<T>& out) const {
  using std::atan2;
  const Direction<T> x = at.F.direction(Vec3::UnitX()), y = at.F.direction(Vec3::UnitY());
  const Direction<T> z_M = at.M.direction(Vec3::UnitZ()), b = at.M.direction(Vec3::UnitX());
  out[0] = at.along(x);
  out[1] = at.along(y);
  out[2] = at.across(x, z_M);
  out[3] = at.across(y, z_M);

  const Product<T> c(x, b), s(y, b);
  const T square = c.value * c.value + s.value * s.value;
  const T turn_rate = (c.value * s.rate - s.value * c.rate) / square;
  const T growth = T(2) * (c.value * c.rate + s.value * s.rate);
  const T turn_acceleration =
      (c.value * s.acceleration - s.value * c.acceleration - growth * turn_rate) / square;
  const T per_turn(pitch);
  RowMotion<T>& row = out[4];
  row = at.along(at.F.direction(Vec3::UnitZ()));
  row.value -= T(offset) + per_turn * atan2(s.value, c.value);
  const double lead = 2.0 * std::numbers::pi * pitch;
  row.value -= T(lead * std::round(spatial::value_of(row.value) / lead));
  row.rate -= per_turn * turn_rate;
  row.acceleration -= per_turn * turn_acceleration;
  const Vec3T<T> turn_torque =
      (b.value.cross(y.value) * c.value - b.value.cross(x.value) * s.value) / square;
  row.torque_M = turn_torque * (-per_turn);
}

void Screw::close_in_place(const TreeMotion<double>& tree) {
  frames.close_in_place(tree);
  offset = 0.0;
}

LatchedValues Screw::latched() const {
  LatchedValues values = frames.latched();
  values.offset = offset;
  return values;
}

void Screw::set_latched(const LatchedValues& values) {
  frames.set_latched(values);
  offset = values.offset;
}

template void Screw::evaluate(const FramePairMotion<double>&, RowMotions<double>&) const;
template void Screw::evaluate(const FramePairMotion<spatial::Dual>&,
                              RowMotions<spatial::Dual>&) const;

}  // namespace grapple::constraint
