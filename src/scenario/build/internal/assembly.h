// Work in progress of build(): what the parts of a scenario add to, and the faults they find.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/contact/contact_group.h"
#include "grapple/contact/normal_law.h"
#include "grapple/control/reference.h"
#include "grapple/flexible/absolute_nodal.h"
#include "grapple/flexible/beam.h"
#include "grapple/flexible/rail.h"
#include "grapple/model/model.h"
#include "grapple/orbit/reference_orbit.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/build/internal/read_material.h"
#include "grapple/scenario/language/reader.h"
#include "grapple/system/system.h"

namespace grapple::control {
class Sensor;
}

namespace grapple::scenario {

/// What is known of a flexible body before it is made: where others attach to it.
struct FlexiblePlan {
  /// kReduced: comes with its own frames, from a file or a mesh of finite elements.
  enum class Kind { kBeam, kLumpedBeam, kChainedBeam, kRigidBeam, kReduced };
  Kind kind = Kind::kBeam;
  /// Whether the section at the root moves in the body frame (pinned-free and free-free modes).
  enum class Root { kHeld, kMoves };
  Root root = Root::kHeld;
  double length = 0.0;
  bool deploys = false;                     ///< its length is a coordinate
  int pieces = 0;                           ///< of a lumped or chained beam
  std::vector<flexible::BeamFrame> frames;  ///< of a beam, besides root and tip
  /// A frame beside the axis, fixed to the section at x.
  struct Bracket {
    std::string name;
    std::string section;  ///< frame of that section: "root", "tip" or one of `frames`
    double x = 0.0;
    spatial::Pose X_SF;
  };
  std::vector<Bracket> brackets;
  std::vector<std::string> own_names;       ///< those of both declared under `frames`, not the body
  std::vector<std::string> reduced_frames;  ///< of a reduced body, once it is made
  /// Joints that slide along it, and the frames their shapes are taken from.
  struct Rail {
    flexible::RailSpec spec;
    std::vector<std::string> frames;
  };
  std::vector<Rail> rails;
  std::vector<flexible::BeamFrame> rail_frames;
  /// Frames that only show the beam's shape (scene.cc); none in a run.
  std::vector<flexible::BeamFrame> stations;

  /// The piece that holds x: lumped from 0 (the root's half) to `pieces`, chained from 0 to
  /// `pieces` - 1.
  int piece_at(double x) const;
  /// Where that piece begins: x of its body frame.
  double piece_start(int piece) const;
  /// Whether its frames stand on several bodies, or on one that does not bend.
  bool is_of_rigid_or_several() const {
    return kind == Kind::kLumpedBeam || kind == Kind::kChainedBeam || kind == Kind::kRigidBeam;
  }
};
/// "boom" for piece 0 (it bears the beam's name), "boom.1", ...
std::string piece_name(const std::string& body, int piece);
/// "node3": the elastic frame at the end of a chained element.
std::string node_name(int node);

/// A contact as built, for the check of its start.
struct ContactPlan {
  analysis::ContactDescription contact;
  std::string where;          ///< place in the file
  std::string group;          ///< the group it stands for as an example; empty: none
  bool has_stand_in = false;  ///< one of its shapes has a fault: nothing is known of its start
};

/// A contact group as built, for the check of its start.
struct GroupPlan {
  std::string name, where;  ///< place in the file
  contact::ContactGroup group;
  bool has_stand_in = false;  ///< one of its shapes has a fault: nothing is known of its start
};

struct Assembly {
  model::ModelBuilder builder;
  /// The same names and joint types with unit masses, every joint on the world: when the model
  /// itself has faults, the rest of the file is checked against this one.
  model::ModelBuilder stand_in;
  Diagnostics faults;
  Materials materials;
  /// Bodies and frames whose beam or solid names a material.
  std::map<std::string, std::string> material_of_place;
  /// File places of parts as the model names them: "body 'link1'" -> "arm.yaml:4:5".
  std::map<std::string, std::string> places;
  /// A frame on a body, or on one of a flexible body's elastic frames if `elastic` is not empty.
  struct DeclaredFrame {
    std::string body;
    spatial::Pose X_BF;
    std::string elastic;
  };
  std::map<std::string, DeclaredFrame> frames;
  std::map<std::string, FlexiblePlan> flexible;  ///< by body
  /// Springs between the pieces of lumped beams, by joint.
  struct LumpedSpring {
    std::string joint;
    std::vector<double> stiffness, damping;  ///< twist, bending about y, about z
  };
  std::vector<LumpedSpring> lumped_springs;
  /// Strain energy of beams in absolute nodal coordinates, by body.
  struct LineStrains {
    std::vector<flexible::LinePoint> points;
    double time_constant = 0.0;
  };
  std::map<std::string, LineStrains> line_strains;
  /// The signals declared so far, in the order of SystemParts::signals, and their dimensions.
  std::map<std::string, std::pair<int, Dimension>> signals;
  /// The trajectories, by name; which joints a joint reference is for, in its order.
  std::map<std::string, std::shared_ptr<const control::JointReference>> joint_references;
  std::map<std::string, std::vector<std::string>> reference_joints;
  std::map<std::string, std::shared_ptr<const control::PoseReference>> pose_references;
  /// Per sensor: the channels it measures, and the signals that show them.
  std::map<std::string, std::map<std::string, std::string>> measured;
  /// What is known of the sensors when the system is there to be asked (build_sensor.cc).
  struct SensorPlan {
    std::string name, where;
    std::string channel;                    ///< of a sensor of any channel; empty: of another kind
    Dimension dimension;                    ///< of that channel, as the user says
    const control::Sensor* made = nullptr;  ///< owned by the system
  };
  std::vector<SensorPlan> sensors;
  /// Of signals given in other units than SI (RunPlan::shown_units).
  std::map<std::string, std::string> shown_units;
  /// Of a run in orbit, and the direction to the Sun in axes E.
  std::optional<orbit::ReferenceOrbit> orbit;
  spatial::Vec3 sun_E = spatial::Vec3::UnitX();
  std::vector<ContactPlan> contacts;
  std::vector<GroupPlan> groups;
  std::vector<std::string> automatic_values;
  std::vector<std::string> start_notes;  ///< what closing the loops changed
  std::vector<std::string> hints;
  /// A flexible body could not be made, its fault is noted: there is no model to check the rest on.
  bool incomplete = false;

  /// The body (or "world") a place refers to, and the pose of the place on it.
  DeclaredFrame resolve(const Place& place) const;
  /// The same as a frame on a link of the finished model.
  model::Frame frame(const model::Model& model, const Place& place) const;

 private:
  DeclaredFrame on_flexible_body(const Place& place, const FlexiblePlan& plan,
                                 const spatial::Vec3& offset) const;
};

/// Orientation from a `rotation` mapping; identity if the key is absent. No orientation is GR-311.
spatial::Mat3 read_rotation(const Reader& reader, std::string_view key, Diagnostics& faults);
/// x, y or z.
spatial::Vec3 unit_axis(const std::string& letter);
/// Axis from x, y, z or a vector; zero vectors are GR-311.
spatial::Vec3 read_axis(const Reader& reader, std::string_view key, Diagnostics& faults);

/// Plans the flexible bodies: their kinds, lengths, and every frame and place that sits on one
/// (GR-341: off the beam's length).
void plan_flexible_bodies(const Reader& scenario, Assembly& assembly);
/// GR-210: places on reduced bodies, whose frames are known when they are made.
void check_frames_of_reduced(const Reader& scenario, Assembly& assembly);
void check_boundaries(const Reader& scenario, Assembly& assembly);
/// The body of `flexible_file`, `finite_elements` or of a `beam` that is one body, with the plan's
/// frames and stations.
flexible::FlexibleBody one_flexible_body(const Reader& body, const FlexiblePlan& plan,
                                         Assembly& assembly);
/// Adds a body with `beam`, `flexible_file` or `finite_elements` to the builder.
void add_flexible_body(const Reader& body, Assembly& assembly);
/// Elasticity of flexible bodies and springs of lumped ones.
void add_elasticity(const Assembly& assembly, system::SystemParts& parts);

/// The joints of a scenario and the lengths of its beams that deploy: their keys, their name and
/// their link.
struct BuiltJoint {
  Reader keys;
  std::string name;
  int link = 0;
};
std::vector<BuiltJoint> built_joints(const Reader& scenario, const model::Model& model);

void add_bodies(const Reader& scenario, Assembly& assembly);
void add_joints(const Reader& scenario, Assembly& assembly);

/// Signals: GR-955 (unit, value and limits that do not fit each other).
void add_signals(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
/// Sensors: GR-310 (units), GR-960 (what cannot be measured there), GR-961 (limits, counts).
void add_sensors(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
/// Their signals hold the true values until the first samples; GR-950, GR-310 (a channel that is
/// not there, or has another unit).
void start_sensors(system::System& system, Assembly& assembly);
/// Blocks of formulas and plug-ins: GR-962 (names), GR-13x (formulas), GR-964 ... GR-966
/// (plug-ins).
void add_blocks(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
/// Channels made of others: GR-130 ... GR-132 (formulas), GR-957 (too many inputs).
void add_channels(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
/// Controllers: GR-832 (a joint with more than one degree of freedom), GR-310 (units), GR-985 ...
/// GR-989 (controllers of several joints).
void add_controllers(const CheckedScenario& checked, Assembly& assembly,
                     system::SystemParts& parts);
/// Trajectories: references for controllers, and blocks that publish them as signals.
void add_trajectories(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
/// The motion of `plan`; nothing if there is none, or it has faults.
std::optional<control::PlanTask> read_motion_plan(const Reader& scenario, Assembly& assembly,
                                                  const model::Model& model);
/// A function as given, or the signal that stands in its place; GR-310 if its unit is not one of
/// `allowed`.
element::Input input_of(const TimeFunction& given, const std::string& where,
                        std::initializer_list<Dimension> allowed, Assembly& assembly);

/// Start values, joint elements, motions and locks: what needs the finished model.
void set_initial_state(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
void add_joint_elements(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
void add_joint_motions(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                       record::RunPlan& plan);
void add_forces(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
void set_modal_start(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
/// The orbit: GR-970 (below the surface), GR-971 (with uniform gravity), GR-972 (carries a body
/// that is not free), GR-311 (no direction to the Sun).
void read_orbit(const Reader& scenario, Assembly& assembly);
/// Its gravity and the bodies it shows; the rates of those it carries.
void add_orbit(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
/// Loops: GR-904 (ends), GR-905 ... GR-908 (what one holds).
void add_loops(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
               record::RunPlan& plan);
/// Says how far the start was moved to close the loops.
void note_closing(const system::System& system, const spatial::VecX& given_rates,
                  Assembly& assembly);
/// Joints with reaction channels.
/// Ends the name of the fixed joint between a rail and what slides along it.
inline constexpr std::string_view kSeatOnRail = "/seat";
void add_reactions(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);
void read_loop_method(const Reader& scenario, Assembly& assembly, system::SystemParts& parts);

void add_tunables(const Node& root, const Reader& scenario, Assembly& assembly,
                  Simulation& simulation);
void add_operators(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                   Simulation& simulation);

/// Where a shape of a body sits.
Place place_of_body_shape(const Reader& body, const Reader& shape);
/// Materials, shapes and contacts: GR-401 ... GR-407.
void add_contacts(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                  record::RunPlan& plan);
/// Contact groups: GR-440 ... GR-444.
struct ContactShapes;
void add_contact_groups(const Reader& scenario, const ContactShapes& shapes, Assembly& assembly,
                        system::SystemParts& parts, record::RunPlan& plan);
/// Times at which the contact or group built last is switched on and off.
void add_contact_switches(const Reader& contact, system::SystemParts& parts, record::RunPlan& plan);
/// GR-408: members of a group that start too deep in each other or in a wall.
void check_start_of_groups(const system::System& system, Assembly& assembly);
/// GR-408: a contact that starts too deep.
void check_start_of_contacts(const system::System& system, Assembly& assembly);

/// GR-910: locks to come that fight given motions.
void check_locks(const Reader& scenario, system::System& system, Diagnostics& faults);
void plan_run(const Reader& scenario, const system::System& system, Assembly& assembly,
              record::RunPlan& plan);

}  // namespace grapple::scenario
