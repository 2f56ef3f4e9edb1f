// How far the two ends of an open constraint are from what the constraint holds, and what a latch
// may take:
//   distance       of the origins, in the directions the constraint holds, m
//   angle          of the smallest turn that the constraint's rows forbid, rad, 0 to pi (so that
//   axes
//                  that are opposed are pi off, not 0 as in the rows)
//   speed          of what the latch would stop, m/s
//   angular_speed  the same for turning, rad/s
// Coordinates and formulas count as angles where their (last) coordinate turns, else as distances.
#pragma once

#include "grapple/constraint/constraint.h"

namespace grapple::constraint {

/// Of `constraint` as given (not where an earlier latch held it).
struct Misalignment {
  double distance = 0.0, angle = 0.0;
};
Misalignment misalignment(const TreeMotion<double>& tree, const Constraint& constraint);

/// Of `constraint` as it would hold: the rates its rows would bring to zero.
struct Mismatch {
  double speed = 0.0, angular_speed = 0.0;
};
Mismatch mismatch(const TreeMotion<double>& tree, const Constraint& constraint);

bool within(const CaptureLimits& seen, const CaptureLimits& allowed);

}  // namespace grapple::constraint
