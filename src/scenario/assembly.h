// Work in progress of build(): what the parts of a scenario add to, and the faults they find.
// Internal to the room.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/model/model.h"
#include "grapple/scenario/build.h"
#include "grapple/scenario/reader.h"
#include "grapple/system/system.h"

namespace grapple::scenario {

struct Assembly {
  model::ModelBuilder builder;
  /// The same names and joint types with unit masses, every joint on the world: when the model
  /// itself has faults, the rest of the file is checked against this one.
  model::ModelBuilder stand_in;
  Diagnostics faults;
  /// File places of parts as the model names them: "body 'link1'" -> "arm.yaml:4:5".
  std::map<std::string, std::string> places;
  /// Poses of declared frames: name -> (body, pose on it).
  struct DeclaredFrame {
    std::string body;
    spatial::Pose X_BF;
  };
  std::map<std::string, DeclaredFrame> frames;
  std::vector<std::string> automatic_values;

  /// The body (or "world") a place refers to, and the pose of the place on it.
  DeclaredFrame resolve(const Place& place) const;
  /// The same as a frame on a link of the finished model.
  model::Frame frame(const model::Model& model, const Place& place) const;
};

/// Orientation from a `rotation` mapping; identity if the key is absent. No orientation is GR-311.
spatial::Mat3 read_rotation(const Reader& reader, std::string_view key, Diagnostics& faults);
/// Axis from x, y, z or a vector; zero vectors are GR-311.
spatial::Vec3 read_axis(const Reader& reader, std::string_view key, Diagnostics& faults);

void add_bodies(const Reader& scenario, Assembly& assembly);
void add_joints(const Reader& scenario, Assembly& assembly);

/// Start values, joint elements, motions and locks: what needs the finished model.
void set_initial_state(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
void add_joint_elements(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
void add_joint_motions(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                       record::RunPlan& plan);
void add_forces(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);

void plan_run(const Reader& scenario, const system::System& system, Assembly& assembly,
              record::RunPlan& plan);

}  // namespace grapple::scenario
