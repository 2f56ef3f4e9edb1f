// What the readers of trajectories and plans share: the joints they move, their units, their
// faults.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "grapple/control/trajectory/polynomial_path.h"
#include "grapple/control/trajectory/time_law.h"
#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

/// One coordinate of a trajectory.
struct LedJoint {
  std::string name;
  bool turns = true;

  Dimension dimension(int time) const {
    Dimension own = turns ? dimension::kNone : dimension::kLength;
    own.time = time;
    return own;
  }
};

struct Drafting {
  const Reader& reader;
  Assembly& assembly;
  const model::Model& model;
  std::string what;  ///< "trajectory 'slew'", for messages

  void fault(const char* id, const char* key, const std::string& message) const {
    assembly.faults.add(id, reader.where(key), fmt::format("{}: {}", what, message));
  }
};

/// The joints under the key `joints`; none if one of them cannot be led (GR-999).
std::vector<LedJoint> led_joints(const Drafting& draft);
/// Whether a quantity can be the coordinate of a joint, its rate (time -1) or its acceleration
/// (-2); GR-310 if not.
bool fits(const Drafting& draft, const char* key, const Quantity& given, const LedJoint& joint,
          int time);
/// GR-994 if not.
bool are_increasing(const Drafting& draft, const char* key, const std::vector<double>& times);
/// GR-996 if there is a limit of the jerk and the profile's acceleration jumps.
bool jerk_can_be_kept(const Drafting& draft, control::LawKind kind, const char* key);
control::SplineEnds ends_of(const Reader& reader);
/// Adds the block of a trajectory and the signals it sets, with their dimensions.
void publish(const Drafting& draft, std::unique_ptr<element::SampledBlock> block,
             std::vector<element::Signal> signals, const std::vector<Dimension>& dimensions,
             system::SystemParts& parts);

/// A trajectory of type line, circle or spline: GR-995, GR-996, GR-997, GR-998.
void add_pose_trajectory(const Drafting& draft, const std::string& type,
                         system::SystemParts& parts);

}  // namespace grapple::scenario
