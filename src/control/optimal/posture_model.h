// A plant about rest at a posture: given positions of the driven joints, the others where they stay
// by themselves. With s the coordinates of the design, c those on which nothing depends (the pose
// of a base that floats without gravity),
//   M s'' + D s' + K s = u_r,   M = M_ss - M_sc M_cc^-1 M_cs,
// K and D the derivatives of the bias (exact), deviations from the posture. Weight is in K: the
// model is that of an arm held by its equilibrium efforts.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "grapple/control/plant.h"

namespace grapple::control {

/// Rates of the plant's model and the positions their coordinates are given.
using GivenPositions = std::vector<std::pair<int, double>>;

struct PostureModel {
  std::vector<int> coordinates;     ///< rates of the design: driven joints, then the others
  std::vector<std::string> states;  ///< names of A: positions, rates
  int joints = 0;                   ///< the first of `coordinates`
  spatial::VecX positions;          ///< of the coordinates, at the posture
  spatial::VecX efforts;            ///< of the joints, that hold it
  spatial::MatX M, K, D;            ///< of the coordinates
  spatial::MatX A, B;               ///< first-order form, inputs: efforts of the joints

  /// All that is free besides the joints and c, modes left out of the design among them.
  std::vector<int> passive;
  spatial::VecX passive_positions;
  spatial::MatX passive_compliance;       ///< inverse of their stiffness; pseudo-inverse
  spatial::MatX passive_by_acceleration;  ///< quasi-static deflection per acceleration of joints
  spatial::MatX inertia;                  ///< effort per acceleration of joints
};

/// modes: modal rates that take part. Throws Error GR-932 if the posture cannot be held, or if a
/// joint does not move by forces; GR-930 if an orientation takes part.
PostureModel posture_model(Plant& plant, const std::vector<int>& joints,
                           const std::vector<int>& modes, const GivenPositions& given);

/// Position of a coordinate of the plant that is no orientation.
double& position_of(Plant& plant, int rate);

/// Throws Error GR-930 with the name of a motion that does not decay and that the columns of B
/// cannot move, `why` behind it.
void require_reached(const PostureModel& model, const spatial::MatX& B, const std::string& why);
/// The same of motions that the rows of C do not see.
void require_seen(const PostureModel& model, const spatial::MatX& C, const std::string& why);

}  // namespace grapple::control
