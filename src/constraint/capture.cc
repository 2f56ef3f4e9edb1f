#include "grapple/constraint/capture.h"

#include <cmath>

namespace grapple::constraint {

namespace {

// Distances that a kind's rows hold, together.
template <BetweenFrames Kind>
double distance_off(const Kind& kind, const FramePairMotion<double>& at) {
  if constexpr (requires { kind.gap(at); }) {
    return std::abs(kind.gap(at));
  } else {
    RowMotions<double> rows;
    kind.evaluate(at, rows);
    double square = 0.0;
    for (std::size_t k = 0; k < kind.rows().size(); ++k) {
      const Row& row = kind.rows()[k];
      if (row.measure == Row::Measure::kDirection || !holds_position(row)) continue;
      square += rows[k].value * rows[k].value;
    }
    return std::sqrt(square);
  }
}

template <BetweenFrames Kind>
double turn_off(const Kind& kind, const FramePairMotion<double>& at) {
  if constexpr (requires { kind.angle_off(at); }) {
    return kind.angle_off(at);
  } else if constexpr (requires { kind.across(); }) {
    return angle_off(at.R_FM(), kind.across());
  } else {
    return 0.0;
  }
}

}  // namespace

Misalignment misalignment(const TreeMotion<double>& tree, const Constraint& constraint) {
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> Misalignment {
        if constexpr (BetweenFrames<Kind>) {
          const FramePairMotion<double> at(kind.frames, tree);
          return {distance_off(kind, at), turn_off(kind, at)};
        } else {
          // A clutch takes hold at any angle.
          if (ClosesInPlace<Kind> && constraint.latching == Latching::kInPlace) return {};
          RowMotions<double> rows;
          kind.evaluate(tree, rows);
          const double off = std::abs(rows[0].value);
          return kind.is_angle(tree.model) ? Misalignment{0.0, off} : Misalignment{off, 0.0};
        }
      },
      constraint.kind);
}

Mismatch mismatch(const TreeMotion<double>& tree, const Constraint& constraint) {
  const bool all_turn = std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (BetweenFrames<Kind>) {
          return false;
        } else {
          return kind.is_angle(tree.model);
        }
      },
      constraint.kind);
  ConstraintMotion<double> motion;
  evaluate(tree, constraint, motion);
  const std::span<const Row> rows = rows_of(constraint);
  double sliding = 0.0, turning = 0.0;  // squared
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool is_turn = all_turn || rows[k].measure == Row::Measure::kDirection;
    (is_turn ? turning : sliding) += motion.rows[k].rate * motion.rows[k].rate;
  }
  return {std::sqrt(sliding), std::sqrt(turning)};
}

bool within(const CaptureLimits& seen, const CaptureLimits& allowed) {
  return seen.distance <= allowed.distance && seen.angle <= allowed.angle &&
         seen.speed <= allowed.speed && seen.angular_speed <= allowed.angular_speed;
}

}  // namespace grapple::constraint
