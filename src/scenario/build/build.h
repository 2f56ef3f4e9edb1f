// From a checked scenario to a system and a plan of its run. Faults that only the whole model shows
// carry GR-3xx and the place in the file.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "grapple/contact/normal_law.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/geometry/overlap/volume_query.h"
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

/// A joint driven by hand in a live run.
struct OperatorControl {
  std::string name;
  int signal = 0;                   ///< its command
  std::array<std::string, 2> keys;  ///< negative, positive direction
  int gamepad_axis = -1;            ///< -1: none
};

/// A contact as built, for `grapple check` (contact_estimate.h).
struct ContactPlan {
  std::string name, where;  ///< place in the file
  std::string group;        ///< the group it stands for as an example; empty: none
  contact::PowerLaw law;    ///< of its stiffest site
  double modulus = 0.0;     ///< Pa, E* if the stiffness follows the point of contact; else 0
  model::Frame a, b;
  std::vector<std::shared_ptr<const geometry::TouchQuery>> sites;     ///< of a point contact
  std::vector<std::shared_ptr<const geometry::VolumeQuery>> patches;  ///< of a volumetric one
  double foundation = 0.0;                                            ///< N/m^3
  double friction_damping = 0.0;  ///< s/m: damping force over normal force and speed, sticking
  double load_per_mass = 0.0;     ///< m/s^2, in rest: gravity
  double deep = 0.0;              ///< m, an overlap at the start beyond this is refused
  bool has_stand_in = false;      ///< one of its shapes has a fault: nothing is known of its start
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
  std::vector<ContactPlan> contacts;
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
