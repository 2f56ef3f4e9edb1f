#include "grapple/system/channel.h"

#include <algorithm>
#include <array>

#include "grapple/dynamics/energy.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/root.h"
#include "grapple/spatial/rotation.h"
#include "grapple/system/internal/coordinate_channels.h"
#include "grapple/system/internal/reaction.h"
#include "grapple/system/system.h"

namespace grapple::system {

namespace {

constexpr int kRelativeStride = 4;  ///< above the components of a vector

using model::Link;
using spatial::Dual;
using spatial::Vec3T;
using Kind = Channel::Kind;

constexpr std::array<const char*, 3> kXyz = {"_x", "_y", "_z"};
constexpr std::array<const char*, 4> kWxyz = {"_w", "_x", "_y", "_z"};

enum class Place { kRigid, kElastic };

void list_frame(const std::string& stem, int index, Place place, std::vector<Channel>& all) {
  const auto vector = [&](const char* name, const char* unit, Kind kind) {
    for (int k = 0; k < 3; ++k) {
      all.push_back({stem + name + kXyz[static_cast<std::size_t>(k)], unit, kind, index, k});
    }
  };
  vector("position", "m", Kind::kFramePosition);
  for (int k = 0; k < 4; ++k) {
    all.push_back({stem + "orientation" + kWxyz[static_cast<std::size_t>(k)], "1",
                   Kind::kFrameOrientation, index, k});
  }
  vector("velocity", "m/s", Kind::kFrameVelocity);
  vector("angular_velocity", "rad/s", Kind::kFrameAngularVelocity);
  vector("acceleration", "m/s^2", Kind::kFrameAcceleration);
  vector("angular_acceleration", "rad/s^2", Kind::kFrameAngularAcceleration);
  if (place == Place::kElastic) vector("deflection", "m", Kind::kFrameDeflection);
}

// What prescribed motions put in. Their efforts are among the channels of every joint.
void list_drive_powers(const System& system, std::vector<Channel>& all) {
  const model::Model& model = system.model();
  for (const JointMotion& motion : system.motions()) {
    const Link& link = model.link(motion.link);
    for (int k = 0; k < link.nv; ++k) {
      all.push_back({coordinate_channel_name(model, link.v_index + k, "drive_power"), "W",
                     Kind::kDrivePower, link.v_actuated() + k, 0});
    }
  }
}

void list_constraints(const System& system, std::vector<Channel>& all) {
  for (std::size_t l = 0; l < system.constraints().size(); ++l) {
    const std::string stem = "loop/" + system.constraints()[l].name + "/";
    const auto index = static_cast<int>(l);
    if (!constraint::between_frames(system.constraints()[l])) {
      all.push_back({stem + "multiplier", "1", Kind::kConstraintMultiplier, index, 0});
    }
    for (int k = 0; k < 3 && constraint::between_frames(system.constraints()[l]); ++k) {
      const char* axis = kXyz[static_cast<std::size_t>(k)];
      all.push_back({stem + "force" + axis, "N", Kind::kConstraintForce, index, k});
      all.push_back({stem + "torque" + axis, "N*m", Kind::kConstraintTorque, index, k});
    }
    const char* unit = constraint::between_frames(system.constraints()[l]) ? "m" : "1";
    all.push_back({stem + "error", unit, Kind::kConstraintError, index, 0});
    all.push_back({stem + "latched", "1", Kind::kConstraintLatched, index, 0});
  }
}

void list_reactions(const System& system, std::vector<Channel>& all) {
  for (const int link : system.reactions()) {
    const std::string stem = "joint/" + system.model().joint_of_link(link).name + "/reaction_";
    for (int k = 0; k < 3; ++k) {
      const char* axis = kXyz[static_cast<std::size_t>(k)];
      all.push_back({stem + "force" + axis, "N", Kind::kReactionForce, link, k});
      all.push_back({stem + "torque" + axis, "N*m", Kind::kReactionTorque, link, k});
    }
  }
}

template <class T>
constraint::TreeMotion<T> tree_of(const System& system, const Snapshot<T>& s) {
  return {system.model(), s.t, s.state, s.workspace};
}

// In the axes of the loop's first place.
template <class T>
T constraint_force(const System& system, const Channel& c, const Snapshot<T>& s) {
  const auto at = static_cast<std::size_t>(c.index);
  find_shared_constraint_forces(system, s);
  const constraint::TreeMotion<T> tree = tree_of(system, s);
  const spatial::SpatialT<T> wrench =
      constraint::constraint_wrench(tree, system.constraints(), at, s.constraints);
  const constraint::FramePair& frames = *constraint::frames_of(system.constraints()[at]);
  const spatial::Mat3T<T> R_WF = dynamics::frame_motion(frames.F, s.workspace).R_WF;
  const Vec3T<T> part = c.kind == Kind::kConstraintForce ? wrench.lin : wrench.ang;
  return R_WF.col(c.component).dot(part);
}

// Of the one row between coordinates: N or N m on a coordinate per unit of its coefficient.
template <class T>
T constraint_multiplier(const System& system, std::size_t constraint, const Snapshot<T>& s) {
  find_shared_constraint_forces(system, s);
  const int row = constraint::row_count(std::span(system.constraints()).first(constraint));
  return system.constraints()[constraint].active ? s.constraints.lambda[row] : T(0);
}

// In the axes of the joint's frame on the parent.
template <class T>
T reaction(const System& system, const Channel& c, const Snapshot<T>& s) {
  find_reactions(system, s);
  const Link& link = system.model().link(c.index);
  const spatial::Mat3T<T> R_WF =
      s.workspace.motion[static_cast<std::size_t>(link.parent)].R_WL * link.R_PF.cast<T>();
  const spatial::SpatialT<T>& wrench = s.reactions[static_cast<std::size_t>(c.index)];
  const Vec3T<T>& part = c.kind == Kind::kReactionForce ? wrench.lin : wrench.ang;
  return R_WF.col(c.component).dot(part);
}

// Distance of the two origins in the directions the constraint holds.
template <class T>
T constraint_error(const System& system, std::size_t index, const Snapshot<T>& s) {
  const constraint::Constraint& constraint = system.constraints()[index];
  constraint::ConstraintMotion<T> motion;
  constraint::evaluate(tree_of(system, s), constraint, motion);
  const std::span<const constraint::Row> rows = constraint::rows_of(constraint);
  T sum(0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].measure == constraint::Row::Measure::kDirection) continue;
    sum += motion.rows[k].value * motion.rows[k].value;
  }
  return spatial::root_of(sum);
}

// Behind all others, since they are made of them.
void list_derived(const System& system, std::vector<Channel>& all) {
  for (std::size_t k = 0; k < system.relative_frames().size(); ++k) {
    const std::string stem = system.relative_frames()[k].name + "/";
    const auto index = static_cast<int>(k);
    const auto add = [&](const std::string& name, const char* unit, Relative quantity,
                         int component) {
      all.push_back({stem + name, unit, Kind::kRelative, index,
                     kRelativeStride * static_cast<int>(quantity) + component});
    };
    add("distance", "m", Relative::kDistance, 0);
    add("closing_speed", "m/s", Relative::kClosingSpeed, 0);
    for (int i = 0; i < 3; ++i) {
      const char* axis = kXyz[static_cast<std::size_t>(i)];
      add(std::string("position") + axis, "m", Relative::kPosition, i);
      add(std::string("velocity") + axis, "m/s", Relative::kVelocity, i);
    }
    add("roll", "rad", Relative::kRoll, 0);
    add("pitch", "rad", Relative::kPitch, 0);
    add("yaw", "rad", Relative::kYaw, 0);
    add("angle", "rad", Relative::kAngle, 0);
  }
  for (std::size_t k = 0; k < system.formula_channels().size(); ++k) {
    const FormulaChannel& channel = system.formula_channels()[k];
    all.push_back({channel.name, channel.unit, Kind::kFormula, static_cast<int>(k), 0});
  }
}

void list_totals(std::vector<Channel>& all) {
  for (int k = 0; k < element::kStoredCount; ++k) {
    all.push_back({"energy/" + std::string(element::kStoredNames[static_cast<std::size_t>(k)]), "J",
                   Kind::kStored, k, 0});
  }
  all.push_back({"energy/total", "J", Kind::kTotalEnergy, 0, 0});
  for (int k = 0; k < element::kSupplyCount; ++k) {
    all.push_back({"work/" + std::string(element::kSupplyNames[static_cast<std::size_t>(k)]), "J",
                   Kind::kWork, k, 0});
  }
  all.push_back({"energy/residual", "J", Kind::kResidual, 0, 0});
  for (int k = 0; k < 3; ++k) {
    const char* axis = kXyz[static_cast<std::size_t>(k)];
    all.push_back({std::string("momentum/linear") + axis, "N*s", Kind::kLinearMomentum, 0, k});
    all.push_back({std::string("momentum/angular") + axis, "N*m*s", Kind::kAngularMomentum, 0, k});
    all.push_back({std::string("center_of_mass/position") + axis, "m", Kind::kCenterOfMass, 0, k});
  }
}

template <class T>
dynamics::MassMoments<T> totals(const System& system, const Snapshot<T>& s) {
  return dynamics::mass_moments(system.model(), s.state, s.workspace, spatial::Vec3::Zero());
}

// Where a frame would be on its body if nothing bent; guided coordinates move it along.
template <class T>
Vec3T<T> rest_place(const model::Model& model, const model::Frame& frame, const Snapshot<T>& s) {
  Vec3T<T> p_L = frame.p_rest_L.cast<T>();
  const model::Link& link = model.link(frame.link);
  if (link.kind != model::Link::Kind::kElasticFrame) return p_L;
  const flexible::FlexibleBody& body = model.flexible_body(link);
  const auto& phi = body.frames[static_cast<std::size_t>(link.elastic_frame)].phi;
  for (std::size_t k = 0; k < body.guided.size(); ++k) {
    const auto at = static_cast<int>(k);
    p_L += (s.state.q[link.q_modal + at] - T(body.guided[k].start)) *
           Vec3T<T>(phi.col(at).template cast<T>());
  }
  return p_L;
}

// How far a frame has moved from where it would be if nothing bent, in the axes of the body it
// deflects from. Summed along the links between them: world positions far from the origin would
// cost digits.
template <class T>
T deflection(const model::Model& model, const model::Frame& frame, int component,
             const Snapshot<T>& s) {
  const auto motion = [&s](int link) -> const model::LinkMotion<T>& {
    return s.workspace.motion[static_cast<std::size_t>(link)];
  };
  Vec3T<T> r_W = motion(frame.link).R_WL * frame.X_LF.p.cast<T>();
  for (int i = frame.link; i != frame.rest_link; i = model.link(i).parent) r_W += motion(i).r;
  const Vec3T<T> moved_L =
      motion(frame.rest_link).R_WL.transpose() * r_W - rest_place(model, frame, s);
  const spatial::Pose& X_LB = model.body_of_link(frame.rest_link).X_LB;
  return (X_LB.R.transpose().cast<T>() * moved_L)[component];
}

template <class T>
T frame_value(const System& system, const Channel& c, const Snapshot<T>& s) {
  const model::Frame& frame = system.model().frames()[static_cast<std::size_t>(c.index)];
  const dynamics::FrameMotion<T> motion = dynamics::frame_motion(frame, s.workspace);
  switch (c.kind) {
    case Kind::kFramePosition:
      return motion.p_WF[c.component];
    case Kind::kFrameOrientation:
      return spatial::quaternion_of<T>(motion.R_WF)[c.component];
    case Kind::kFrameVelocity:
      return motion.v[c.component];
    case Kind::kFrameAngularVelocity:
      return motion.omega[c.component];
    case Kind::kFrameDeflection:
      return deflection(system.model(), frame, c.component, s);
    default:
      break;
  }
  if (frame.link == 0) return T(0);
  const model::LinkMotion<T>& link = s.workspace.motion[static_cast<std::size_t>(frame.link)];
  if (c.kind == Kind::kFrameAngularAcceleration) return link.alpha[c.component];
  const Vec3T<T> arm = link.R_WL * frame.X_LF.p.template cast<T>();
  const Vec3T<T> a = link.a + system.model().gravity().template cast<T>() + link.alpha.cross(arm) +
                     link.omega.cross(link.omega.cross(arm));
  return a[c.component];
}

// An element tells all of its outputs at once, and is asked once per evaluation: where shapes
// overlap that costs as much as the force itself.
template <class T>
T element_value(const System& system, const Channel& c, const Snapshot<T>& s) {
  const auto at = static_cast<std::size_t>(c.index);
  if (system.modes().enabled[at] == 0) return T(0);
  const auto first = static_cast<std::size_t>(system.output_start(c.index));
  const auto last = static_cast<std::size_t>(system.output_start(c.index + 1));
  if (s.reported_known[at] == 0) {
    auto& lent = const_cast<Snapshot<T>&>(s);  // report only reads
    system.elements()[at]->report(evaluation_of(system, lent, c.index),
                                  std::span<T>(s.reported).subspan(first, last - first));
    s.reported_known[at] = 1;
  }
  return s.reported[first + static_cast<std::size_t>(c.component)];
}

template <class T>
T sum(const std::array<T, element::kStoredCount>& parts) {
  T total(0);
  for (const T& part : parts) total += part;
  return total;
}

}  // namespace

std::vector<Channel> list_channels(const System& system) {
  const model::Model& model = system.model();
  std::vector<Channel> all;
  list_coordinate_channels(model, all);
  for (std::size_t f = 1; f < model.frames().size(); ++f) {
    const std::string& name = model.frames()[f].name;
    const char* kind = model.find_body(name) >= 0 ? "body/" : "frame/";
    const Place place = model.frames()[f].rest_link >= 0 ? Place::kElastic : Place::kRigid;
    list_frame(kind + name + "/", static_cast<int>(f), place, all);
  }
  for (std::size_t e = 0; e < system.elements().size(); ++e) {
    const std::vector<element::Output> outputs = system.elements()[e]->outputs();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      all.push_back({outputs[k].name, outputs[k].unit, Kind::kElement, static_cast<int>(e),
                     static_cast<int>(k)});
    }
    const std::vector<element::Output> states = system.elements()[e]->states();
    for (std::size_t k = 0; k < states.size(); ++k) {
      all.push_back({states[k].name, states[k].unit, Kind::kElementState,
                     system.z_start(static_cast<int>(e)) + static_cast<int>(k), 0});
    }
  }
  for (std::size_t k = 0; k < system.signals().size(); ++k) {
    const element::Signal& signal = system.signals()[k];
    all.push_back({signal.name, signal.unit, Kind::kSignal, static_cast<int>(k), 0});
  }
  for (std::size_t b = 0; b < system.blocks().size(); ++b) {
    const std::vector<element::Output> memory = system.blocks()[b]->memory();
    for (std::size_t k = 0; k < memory.size(); ++k) {
      all.push_back({"block/" + system.blocks()[b]->name() + "/" + memory[k].name, memory[k].unit,
                     Kind::kBlockMemory, static_cast<int>(system.block_memory_start(b) + k), 0});
    }
  }
  list_drive_powers(system, all);
  list_reactions(system, all);
  list_constraints(system, all);
  list_totals(all);
  list_derived(system, all);
  return all;
}

Depth depth_of(const System& system, const Channel& channel) {
  switch (channel.kind) {
    case Kind::kPosition:
    case Kind::kRate:
    case Kind::kElementState:
    case Kind::kSignal:
    case Kind::kBlockMemory:
    case Kind::kWork:
    case Kind::kConstraintLatched:
      return Depth::kState;
    case Kind::kFramePosition:
    case Kind::kFrameOrientation:
    case Kind::kFrameVelocity:
    case Kind::kFrameAngularVelocity:
    case Kind::kFrameDeflection:
    case Kind::kRelative:
    case Kind::kConstraintError:
    case Kind::kLinearMomentum:
    case Kind::kAngularMomentum:
    case Kind::kCenterOfMass:
    case Kind::kElement:  // Element::report reads no more
      return Depth::kKinematics;
    case Kind::kFormula: {
      Depth deepest = Depth::kState;
      for (const int input :
           system.formula_channels()[static_cast<std::size_t>(channel.index)].places) {
        const Channel& read = system.channels()[static_cast<std::size_t>(input)];
        deepest = std::max(deepest, depth_of(system, read));
      }
      return deepest;
    }
    default:
      return Depth::kForces;
  }
}

template <class T>
T channel_value(const System& system, const Channel& c, const Snapshot<T>& s) {
  const auto at = static_cast<std::size_t>(c.index);
  switch (c.kind) {
    case Kind::kPosition:
      return s.state.q[c.index];
    case Kind::kRate:
      return s.state.v[c.index];
    case Kind::kAcceleration:
      return s.workspace.vdot[c.index];
    case Kind::kEffort:
      return s.tau[c.index] + s.drive[c.index];
    case Kind::kDrive:
      return s.drive[c.index];
    case Kind::kDrivePower:
      return s.drive[c.index] * s.state.v[c.index];
    case Kind::kElement:
      return element_value(system, c, s);
    case Kind::kElementState:
      return s.z[c.index];
    case Kind::kSignal:
      return T(system.modes().signals[at]);
    case Kind::kBlockMemory:
      return T(system.modes().blocks[at]);
    case Kind::kRelative:
      return relative_value(system.relative_frames()[at],
                            static_cast<Relative>(c.component / kRelativeStride),
                            c.component % kRelativeStride, s);
    case Kind::kFormula:
      return formula_value(system, system.formula_channels()[at], s);
    case Kind::kConstraintForce:
    case Kind::kConstraintTorque:
      return constraint_force(system, c, s);
    case Kind::kConstraintMultiplier:
      return constraint_multiplier(system, at, s);
    case Kind::kConstraintError:
      return constraint_error(system, at, s);
    case Kind::kConstraintLatched:
      return T(system.constraints()[at].active ? 1.0 : 0.0);
    case Kind::kReactionForce:
    case Kind::kReactionTorque:
      return reaction(system, c, s);
    case Kind::kStored:
      return s.energies.stored[at];
    case Kind::kTotalEnergy:
      return sum(s.energies.stored);
    case Kind::kWork:
      return s.work[at];
    case Kind::kResidual: {
      T residual = sum(s.energies.stored) - T(system.initial_energy());
      for (const T& work : s.work) residual -= work;
      return residual;
    }
    case Kind::kLinearMomentum:
      return totals(system, s).linear[c.component];
    case Kind::kAngularMomentum:
      return totals(system, s).angular[c.component];
    case Kind::kCenterOfMass: {
      const dynamics::MassMoments<T> all = totals(system, s);
      return all.first_moment[c.component] / all.mass;
    }
    default:
      return frame_value(system, c, s);
  }
}

template double channel_value(const System&, const Channel&, const Snapshot<double>&);
template Dual channel_value(const System&, const Channel&, const Snapshot<Dual>&);

}  // namespace grapple::system
