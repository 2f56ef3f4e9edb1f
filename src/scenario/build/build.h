// From a checked scenario to a system and a plan of its run. Faults that only the whole model shows
// carry GR-3xx and the place in the file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grapple/analysis/contact_estimate.h"
#include "grapple/control/planning/motion_plan.h"
#include "grapple/control/reference.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/record/run.h"
#include "grapple/scenario/scenario.h"
#include "grapple/system/system.h"

namespace grapple::scenario {

/// A parameter with a slider in a live run; SI.
struct Tunable {
  std::string parameter;
  double value = 0.0, from = 0.0, to = 0.0;
  std::string unit;  ///< as in --set
};

/// What somebody sets by hand in a live run.
struct OperatorControl {
  std::string name;
  int signal = 0;                         ///< its command
  double full = 1.0;                      ///< value of the signal at full command
  std::vector<std::string> choices = {};  ///< not empty: the signal counts these, and stays
  std::vector<std::string> keys = {};     ///< negative, positive direction; or one per choice
  int gamepad_axis = -1;                  ///< -1: none
  int axis_sign = 1;                      ///< -1: the axis counts the other way round
  std::vector<int> gamepad_buttons = {};  ///< as `keys`; empty: none

  /// The signal for a command: -1 ... 1 of a direction, the number of a choice; cut to that.
  double value_of(double command) const;
};

/// A channel that a live run shows as a gauge; in the channel's unit.
struct Instrument {
  std::string channel, label;
  double limit = 0.0;
};

struct Simulation {
  std::unique_ptr<system::System> system;
  record::RunPlan plan;
  /// The method of forward dynamics the system uses, and why.
  dynamics::Choice forward_dynamics;
  /// Values chosen by Grapple because the file leaves them out, in words.
  std::vector<std::string> automatic_values;
  std::vector<std::string> start_notes;  ///< what closing the loops changed of the start
  /// What looks like a mistake but may be meant, in words.
  std::vector<std::string> hints;
  std::vector<Tunable> tunables;
  std::vector<OperatorControl> operators;
  std::vector<Instrument> instruments;
  std::vector<analysis::ContactDescription> contacts;  ///< for estimates
  /// Trajectories of joints by name, and the joints of each in its order.
  std::map<std::string, std::shared_ptr<const control::JointReference>> joint_references;
  std::map<std::string, std::vector<std::string>> reference_joints;
  std::optional<control::PlanTask> motion_plan;  ///< of `grapple plan`
};

/// Throws Error with every fault found: GR-301 ... GR-307 (model), GR-309 (no body), GR-310 (a unit
/// that does not fit the coordinate), GR-311 (axes), GR-312 (a start given twice), GR-313 (motion
/// fights a lock or motor), GR-314 (number of coordinates), GR-315 (unknown channel), GR-316 (stops
/// out of order), GR-317 (nothing to switch), GR-318 (both ends on one body), GR-319 (too many
/// steps or rows), GR-401 ... GR-408 (contacts), GR-443, GR-444 (contact groups), GR-506 (a pattern
/// without channels), GR-701 (integrator options), GR-830 to GR-832 (tunables, operators), GR-901
/// ... GR-910 (loops).
Simulation build(const CheckedScenario& scenario,
                 system::ConstraintStart loops = system::ConstraintStart::kClosed);

}  // namespace grapple::scenario
