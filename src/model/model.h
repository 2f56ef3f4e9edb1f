// The immutable tree of bodies and joints. Link 0 is the world; every other link is one body with
// its inboard joint, parents before children. Inside, a link is described in the child frame M of
// its joint (the link frame L), so that joint axes are coordinate axes; the user's body frame B is
// a fixed frame on the link.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/flexible/flexible_body.h"
#include "grapple/flexible/packed_body.h"
#include "grapple/model/coordinate_map.h"
#include "grapple/model/joint.h"
#include "grapple/spatial/mass_properties.h"
#include "grapple/spatial/sym3.h"
#include "grapple/spatial/types.h"

namespace grapple::model {

/// Constants of one link in its own frame L, laid out for the recursions. An elastic frame is a
/// massless link that moves with the material of a flexible body, its parent; joints and forces
/// attach to it as to any link.
struct Link {
  enum class Kind : std::uint8_t { kRigid, kFlexible, kElasticFrame };
  Kind kind = Kind::kRigid;
  int parent = 0;  ///< link index, 0 = world
  int body = -1;   ///< index of the body it is, or is on
  /// Index of its joint. An elastic frame may stand for a guided coordinate of its body: then type,
  /// q_index, v_index, nq and nv describe that coordinate as a joint, whose axis moves nothing but
  /// what the modal axes of the frames say.
  int joint = -1;
  JointType type = JointType::kFixed;
  int q_index = 0, v_index = 0;
  int nq = 0, nv = 0;  ///< of the joint alone
  int flexible =
      -1;  ///< index of the flexible data of this body, or of the body an elastic frame is on
  int elastic_frame = -1;    ///< index of its shape there
  bool bears_links = false;  ///< whether other links hang on it
  int modes = 0;             ///< modal coordinates; they follow the joint's in q and in v
  int guided = 0;  ///< the first so many of them are guided ones (flexible::GuidedCoordinate)
  int q_modal = 0, v_modal = 0;
  int motors =
      0;  ///< motor coordinates: nv of a flexible joint, else 0; behind all joints and modes
  int q_motor = 0, v_motor = 0;
  double pitch = 0.0;  ///< helical: m per rad
  double mass = 0.0;
  spatial::Mat3 R_PF = spatial::Mat3::Identity();  ///< joint frame in the parent's link frame
  spatial::Vec3 p_PF = spatial::Vec3::Zero();
  spatial::Vec3 first_moment_L = spatial::Vec3::Zero();  ///< mass times centre of mass
  spatial::Sym3 inertia_L;                               ///< about the origin of L, L axes

  /// The coordinates a motor turns, a lock holds and a prescribed motion leads (nv of them): those
  /// of the motors in a flexible joint, else the joint's own.
  int q_actuated() const { return motors > 0 ? q_motor : q_index; }
  int v_actuated() const { return motors > 0 ? v_motor : v_index; }
  /// Axes by which the joint itself moves the link.
  int axis_count() const { return kind == Kind::kElasticFrame ? 0 : nv; }
};

/// A named frame fixed on a link.
struct Frame {
  std::string name;
  int link = 0;
  spatial::Pose X_LF = {};
  /// Where it would be if nothing bent, on the link of the body it deflects from; -1: a frame that
  /// does not deflect.
  int rest_link = -1;
  spatial::Vec3 p_rest_L = spatial::Vec3::Zero();
};

struct Body {
  std::string name;
  int link = 0;
  spatial::Pose X_LB;  ///< the user's body frame on the link
  spatial::MassProperties mass_properties_B;
};

struct Joint {
  std::string name;
  int link = 0;  ///< the link this joint carries
};

/// The motor side of one degree of freedom of a flexible joint: its own coordinate, the motor's
/// angle (or travel) divided by the gear ratio, moves against the inertia
/// reflected_inertia()[v_index]. The rotor's kinetic energy is that of its spin about its axis
/// alone (Spong 1987).
struct Drive {
  int link = 0;        ///< whose joint it turns
  int coordinate = 0;  ///< which degree of freedom of that joint
  int q_index = 0, v_index = 0;
};

class Model {
 public:
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  /// World included: bodies are links 1 ... link_count()-1.
  int link_count() const { return static_cast<int>(links_.size()); }

  /// All coordinates, by blocks.
  const CoordinateMap& coordinates() const { return coordinates_; }
  const std::vector<Link>& links() const { return links_; }
  const Link& link(int i) const { return links_[static_cast<std::size_t>(i)]; }
  /// A body and its inboard joint have the same index; those of guided coordinates follow.
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<Joint>& joints() const { return joints_; }
  /// In the order of their coordinates, which are the last of q and of v.
  const std::vector<Drive>& drives() const { return drives_; }
  /// Flexible bodies, each in the axes of its link frame and about its origin.
  const std::vector<flexible::FlexibleBody>& flexible_bodies() const { return flexible_bodies_; }
  const flexible::FlexibleBody& flexible_body(const Link& link) const {
    return flexible_bodies_[static_cast<std::size_t>(link.flexible)];
  }
  /// The same for the recursions.
  const std::vector<flexible::PackedBody>& packed_bodies() const { return packed_bodies_; }
  const flexible::PackedBody& packed_body(const Link& link) const {
    return packed_bodies_[static_cast<std::size_t>(link.flexible)];
  }
  const flexible::PackedFrame& packed_frame(const Link& elastic_frame) const {
    return packed_body(elastic_frame).frames[static_cast<std::size_t>(elastic_frame.elastic_frame)];
  }
  /// The guided coordinate an elastic frame stands for, or none.
  const flexible::GuidedCoordinate* guided(const Link& link) const {
    if (link.kind != Link::Kind::kElasticFrame || link.nv == 0) return nullptr;
    return &flexible_body(link).guided[static_cast<std::size_t>(link.q_index - link.q_modal)];
  }
  /// Frames added by name, and one per body with the body's name, and "world".
  const std::vector<Frame>& frames() const { return frames_; }

  /// The body a link is, or is on, and that body's joint. Not for the world.
  const Body& body_of_link(int i) const { return bodies_[static_cast<std::size_t>(link(i).body)]; }
  const Joint& joint_of_link(int i) const {
    return joints_[static_cast<std::size_t>(link(i).joint)];
  }

  /// Index or -1.
  int find_joint(std::string_view name) const;
  int find_body(std::string_view name) const;
  int find_frame(std::string_view name) const;

  /// Inertia of the drive reflected to each degree of freedom (gear ratio squared times rotor
  /// inertia), size nv; in a flexible joint it stands at the motor's own coordinate.
  const spatial::VecX& reflected_inertia() const { return reflected_inertia_; }
  /// Uniform gravity, world axes, m/s^2.
  const spatial::Vec3& gravity() const { return gravity_; }
  double total_mass() const;

 private:
  friend class TreeAssembly;
  std::vector<Link> links_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<Drive> drives_;
  CoordinateMap coordinates_;
  std::vector<Frame> frames_;
  std::vector<flexible::FlexibleBody> flexible_bodies_;
  std::vector<flexible::PackedBody> packed_bodies_;
  spatial::VecX reflected_inertia_;
  spatial::Vec3 gravity_ = spatial::Vec3::Zero();
  int nq_ = 0, nv_ = 0;
};

/// What a joint is made from; names refer to bodies ("world" for the ground).
struct JointSpec {
  std::string name;
  JointType type = JointType::kRevolute;
  std::string parent = "world";
  /// A frame of a flexible parent the joint moves with; empty: the body frame.
  std::string parent_frame = {};
  spatial::Pose X_PF = {};  ///< joint frame on the parent body, or on parent_frame
  std::string child = {};
  spatial::Pose X_BM = {};  ///< joint frame on the child body
  double pitch = 0.0;
  std::vector<double> reflected_inertia = {};  ///< per degree of freedom; empty = none
  /// How the drive holds the joint: rigidly, or through a transmission that gives, so that each
  /// degree of freedom has a motor coordinate of its own with the reflected inertia (all positive).
  /// Not for orientations.
  enum class Transmission : std::uint8_t { kRigid, kFlexible };
  Transmission transmission = Transmission::kRigid;
};

/// What a named frame is made from.
struct FrameSpec {
  std::string name;
  std::string body = "world";
  /// A frame of a flexible body it moves with; empty: the body frame.
  std::string elastic_frame = {};
  spatial::Pose X_BF = {};  ///< on the body, or on elastic_frame
  /// The body whose deflection it shows (the root piece of a beam made of pieces), and its place
  /// there if nothing bent; empty: none.
  std::string deflects_from = {};
  spatial::Vec3 p_rest_B = spatial::Vec3::Zero();
};

/// Collects bodies, joints and frames in any order; `build` sorts the tree and reports every fault
/// at once.
class ModelBuilder {
 public:
  void set_gravity(const spatial::Vec3& gravity_W) { gravity_ = gravity_W; }
  void add_body(std::string name, const spatial::MassProperties& mass_properties_B);
  /// A body that bends: data in its body frame. Its frames are named "body/frame".
  void add_flexible_body(std::string name, flexible::FlexibleBody body_B);
  void add_joint(JointSpec joint);
  /// A frame on a body (or on "world").
  void add_frame(std::string name, std::string body, const spatial::Pose& X_BF);
  void add_frame(FrameSpec frame);

  /// A body without a joint floats: it gets a free joint to the world with the body's own name.
  /// Throws Error with all of GR-301 (duplicate name), GR-302 (unknown body), GR-303 (two inboard
  /// joints), GR-304 (cycle), GR-305 (unphysical mass properties), GR-306 (a motion without
  /// inertia), GR-360 (a flexible joint without motor inertia, or of an orientation).
  Model build() const;

 private:
  friend class TreeAssembly;
  struct BodySpec {
    std::string name;
    spatial::MassProperties mass_properties_B;
    std::optional<flexible::FlexibleBody> flexible_B;
  };
  std::vector<BodySpec> bodies_;
  std::vector<JointSpec> joints_;
  std::vector<FrameSpec> frames_;
  spatial::Vec3 gravity_ = spatial::Vec3::Zero();
};

}  // namespace grapple::model
