// Joint coordinates that bring a frame to a wanted pose: Levenberg-Marquardt with the damping of
// Sugihara (IEEE Trans. Robotics 27, 2011), lambda = |e|^2 + small, which passes singular positions
// and converges quadratically at a solution; joints at a limit that would pass it are held there
// for the step. Several starts: the given position first, then random ones within the limits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grapple/control/kinematics/resolved_rates.h"
#include "grapple/model/state.h"

namespace grapple::control {

struct WantedPose {
  spatial::Pose X_WF;
  /// Components that count: turns about world x, y, z, then position x, y, z.
  std::array<bool, 6> rows = {true, true, true, true, true, true};
};

struct IkOptions {
  /// Per joint; infinite: none. Random starts of joints without limits lie within half a turn, or
  /// within the reach of the arm.
  std::vector<double> lower, upper;
  double length = 1.0;       ///< m: the size of the arm; a turn of 1 rad weighs as much as this
  double tolerance = 1e-11;  ///< of the pose, in m and in rad times `length`
  int starts = 50;
  int iterations = 200;  ///< per start
  std::uint64_t seed = 1;
};

struct IkResult {
  bool reached = false;
  std::vector<double> q;        ///< coordinates of the joints: the solution, or the nearest found
  double position_error = 0.0;  ///< m
  double rotation_error = 0.0;  ///< rad
  double manipulability = 0.0;  ///< sqrt(det J J^T) there
  double smallest = 0.0;        ///< smallest singular value there
  int starts = 0, iterations = 0;     ///< starts used; iterations of all of them
  std::vector<std::size_t> at_limit;  ///< joints that are at a limit there
};

/// Moves state.q of the joints to the result; all other coordinates stay as they are in `state`.
IkResult inverse_kinematics(const model::Model& model, model::State& state,
                            model::Workspace& workspace, const model::Frame& frame,
                            std::span<const JointCoordinate> joints, const WantedPose& wanted,
                            const IkOptions& options);

}  // namespace grapple::control
