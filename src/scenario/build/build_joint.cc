// Joints of a scenario: geometry, start, springs, dampers, friction, stops, motors, motions and
// locks.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "grapple/force/joint_elements.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/build_actuator.h"
#include "grapple/scenario/build/internal/build_transmission.h"
#include "grapple/scenario/build/internal/coordinates.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {

namespace {

using model::JointType;
using model::Link;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

JointType type_of(const Reader& joint) {
  const std::string name = joint.text("type");
  return *std::find_if(model::kAllJointTypes.begin(), model::kAllJointTypes.end(),
                       [&](JointType type) { return joint_type_name(type) == name; });
}

Mat3 joint_axes(const Reader& joint, JointType type, Diagnostics& faults) {
  switch (traits(type).given_axes) {
    case model::GivenAxes::kNone:
      return Mat3::Identity();
    case model::GivenAxes::kZ:
      return spatial::frame_with_z(read_axis(joint, "axis", faults));
    case model::GivenAxes::kXY:
      break;
  }
  const Vec3 first = read_axis(joint, "axis", faults);
  const Vec3 second = read_axis(joint, "axis2", faults);
  if (std::abs(first.dot(second)) > 1e-9) {
    faults.add("GR-311", joint.where("axis2"),
               fmt::format("the two axes of a universal joint must be perpendicular{}",
                           joint.has("axis2") ? "" : "; 'axis2' is y where it is left out"));
    return Mat3::Identity();
  }
  Mat3 R;
  R << first, second, first.cross(second);
  return R;
}

int link_named(const model::Model& model, const std::string& joint) {
  return model.joints()[static_cast<std::size_t>(model.find_joint(joint))].link;
}

// What slides along a rail is fixed to the frame that does; the coordinate is the body's.
model::JointSpec seat_on_rail(const Reader& joint, const model::JointSpec& spec) {
  model::JointSpec seat = spec;
  seat.name = spec.name + std::string(kSeatOnRail);
  seat.type = JointType::kFixed;
  seat.parent_frame = joint.text("name");
  seat.reflected_inertia.clear();
  return seat;
}

std::vector<double> reflected_inertia(const Reader& joint, JointType type, Diagnostics& faults) {
  if (!joint.has("motor")) return {};
  const Reader motor = joint.object("motor");
  const CoordinateReader read(type, faults);
  std::vector<double> inertia = read.numbers(motor, "rotor_inertia", coordinate::kInertia);
  const std::vector<double> ratio = read.numbers(motor, "gear_ratio", {{}, {}});
  for (std::size_t k = 0; k < inertia.size(); ++k) inertia[k] *= ratio[k] * ratio[k];
  return inertia;
}

void set_joint_start(const Reader& joint, const Link& link, Diagnostics& faults,
                     system::SystemParts& parts) {
  const CoordinateReader read(link.type, faults);
  const int offset = quaternion_offset(link.type);
  const char* key = joint.has("angle")          ? "angle"
                    : joint.has("displacement") ? "displacement"
                                                : "position";
  if (joint.has(key)) {
    // Orientations start from `rotation`; their `position` is the translation alone.
    const int plain = vector_count(link.type);
    const std::vector<Quantity> given = joint.numbers(key);
    if (static_cast<int>(given.size()) != plain) {
      faults.add(
          "GR-314", joint.where(key),
          fmt::format("a {} joint has {} position coordinate{} here; '{}' gives {}",
                      joint_type_name(link.type), plain, plain == 1 ? "" : "s", key, given.size()));
      return;
    }
    for (int k = 0; k < plain; ++k) {
      const Quantity& quantity = given[static_cast<std::size_t>(k)];
      const Dimension expected =
          is_rotational(link.type, k) ? dimension::kNone : dimension::kLength;
      if (quantity.has_unit && quantity.dimension != expected) {
        faults.add("GR-310", joint.where(key),
                   fmt::format("coordinate {} of a {} joint needs {}, found {}", k + 1,
                               joint_type_name(link.type),
                               expected == dimension::kNone ? "an angle" : "a length",
                               unit_text(quantity.dimension)));
      }
      parts.q[link.q_index + k] = quantity.value;
    }
  }
  if (offset >= 0 && joint.has("rotation")) {
    parts.q.segment<4>(link.q_index + offset) =
        spatial::quaternion_of<double>(read_rotation(joint, "rotation", faults));
  }
  if (joint.has("rate")) {
    const std::vector<double> rates = read.numbers(joint, "rate", coordinate::kRate);
    for (int k = 0; k < link.nv; ++k)
      parts.v[link.v_index + k] = rates[static_cast<std::size_t>(k)];
  }
}

void set_floating_start(const Reader& body, const Link& link, Diagnostics& faults,
                        system::SystemParts& parts) {
  parts.q.segment<3>(link.q_index) = body.vector3("position");
  parts.q.segment<4>(link.q_index + 3) =
      spatial::quaternion_of<double>(read_rotation(body, "rotation", faults));
  parts.v.segment<3>(link.v_index) = body.vector3("velocity");
  parts.v.segment<3>(link.v_index + 3) = body.vector3("angular_velocity");
}

void add_spring(const Reader& joint, const CoordinateReader& read, int link, Assembly& assembly,
                system::SystemParts& parts) {
  const Reader spring = joint.object("spring");
  std::vector<double> stiffness = read.numbers(spring, "stiffness", coordinate::kStiffness);
  if (!spring.is_mapping("rest")) {
    parts.elements.push_back(
        force::make_joint_spring(parts.model, link, std::move(stiffness),
                                 read.numbers(spring, "rest", coordinate::kPosition)));
    return;
  }
  if (stiffness.size() > 1) {
    assembly.faults.add("GR-314", spring.where("rest"),
                        "a rest that moves is for joints with one coordinate");
    return;
  }
  parts.elements.push_back(force::make_moving_joint_spring(
      parts.model, link, std::move(stiffness),
      read.inputs(spring, "rest", coordinate::kPosition, assembly)));
}

void add_damper(const Reader& joint, const CoordinateReader& read, int link,
                system::SystemParts& parts) {
  std::vector<double> coefficient =
      joint.is_mapping("damper")
          ? read.numbers(joint.object("damper"), "coefficient", coordinate::kDamping)
          : read.numbers(joint, "damper", coordinate::kDamping);
  parts.elements.push_back(force::make_joint_damper(parts.model, link, std::move(coefficient)));
}

void add_friction(const Reader& joint, const std::string& name, const CoordinateReader& read,
                  int link, Assembly& assembly, system::SystemParts& parts) {
  const Reader friction = joint.object("friction");
  if (friction.has("breakaway")) return add_stiction(joint, name, read, link, assembly, parts);
  force::JointFriction law{read.numbers(friction, "dry", coordinate::kEffort),
                           read.numbers(friction, "viscous", coordinate::kDamping),
                           read.numbers(friction, "transition_rate", coordinate::kRate)};
  if (!friction.has("transition_rate") &&
      std::any_of(law.dry.begin(), law.dry.end(), [](double dry) { return dry > 0.0; })) {
    assembly.automatic_values.push_back(
        fmt::format("joint '{}': friction transition rate {:g} (SI); dry friction creeps below it",
                    name, law.transition_rate[0]));
  }
  parts.elements.push_back(force::make_joint_friction(parts.model, link, std::move(law)));
}

// The stops of a length or a rail must lie within its range. A stop that pushes from the start is
// reported.
void check_stop_range(const Reader& limits, int index, const force::JointStop& law,
                      Assembly& assembly, const system::SystemParts& parts) {
  const Link& link = parts.model.link(index);
  const std::string& name = parts.model.joint_of_link(index).name;
  const auto place_of = [&](const char* key) {
    return limits.has(key) ? limits.where(key) : limits.where();
  };
  if (const flexible::GuidedCoordinate* guided = parts.model.guided(link)) {
    for (const auto& [key, at] :
         {std::pair("lower", law.lower[0]), std::pair("upper", law.upper[0])}) {
      if (!std::isfinite(at) || (at >= guided->lower && at <= guided->upper)) continue;
      assembly.faults.add(
          "GR-316", place_of(key),
          fmt::format("the stops of '{}' must lie within its range, {:g} to {:g} m; "
                      "found {:g} m",
                      name, guided->lower, guided->upper, at));
    }
  }
  if (quaternion_offset(link.type) >= 0) return;
  for (int k = 0; k < link.nv; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double start = parts.q[link.q_index + k];
    if (start >= law.lower[at] && start <= law.upper[at]) continue;
    assembly.automatic_values.push_back(
        fmt::format("joint '{}': starts at {:g} (SI), beyond its {} stop, which pushes from the "
                    "start",
                    name, start, start < law.lower[at] ? "lower" : "upper"));
  }
}

void add_stop(const Reader& joint, const CoordinateReader& read, int link, Assembly& assembly,
              system::SystemParts& parts) {
  const Reader limits = joint.object("limits");
  const auto n = static_cast<std::size_t>(parts.model.link(link).nv);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  force::JointStop law{std::vector<double>(n, -kNone), std::vector<double>(n, kNone),
                       read.numbers(limits, "stiffness", coordinate::kStiffness),
                       read.numbers(limits, "damping", coordinate::kStopDamping)};
  if (limits.has("lower")) law.lower = read.numbers(limits, "lower", coordinate::kPosition);
  if (limits.has("upper")) law.upper = read.numbers(limits, "upper", coordinate::kPosition);
  const int offset = quaternion_offset(parts.model.link(link).type);
  for (std::size_t k = 0; k < n; ++k) {
    const bool turns_freely = offset >= 0 && static_cast<int>(k) >= offset;
    if (turns_freely) law.lower[k] = -kNone;
    if (!(law.lower[k] < law.upper[k]) || (turns_freely && !(law.upper[k] > 0.0))) {
      assembly.faults.add("GR-316", limits.where("upper"),
                          fmt::format("the upper stop must lie above the lower one; found {:g} and "
                                      "{:g} (SI)",
                                      law.upper[k], law.lower[k]));
      return;
    }
  }
  check_stop_range(limits, link, law, assembly, parts);
  parts.elements.push_back(force::make_joint_stop(parts.model, link, std::move(law)));
}

void add_motor(const Reader& joint, const CoordinateReader& read, int link, Assembly& assembly,
               system::SystemParts& parts) {
  const Reader motor = joint.object("motor");
  if (has_dynamics(motor)) return add_actuator(joint, read, link, assembly, parts);
  const char* key = motor.has("torque") ? "torque" : "force";
  parts.elements.push_back(force::make_joint_motor(
      parts.model, link, read.inputs(motor, key, coordinate::kEffort, assembly),
      gear_ratio_of(joint, read)));
}

// A start given beside a motion must be the motion's own: one of the two would be ignored.
void check_motion_start(const Reader& joint, const std::string& name, const Link& link,
                        const system::JointMotion& motion, Assembly& assembly,
                        const system::SystemParts& parts) {
  if (link.nq != link.nv || link.motors > 0 || motion.level == system::MotionLevel::kAcceleration)
    return;
  constexpr double kSame = 1e-6;
  const auto compare = [&](const char* key, int k, double given, double moved) {
    if (!std::isfinite(moved) ||
        std::abs(given - moved) <= kSame * std::max(1.0, std::abs(given))) {
      return;
    }
    assembly.faults.add("GR-312", joint.where(key),
                        fmt::format("'{}' starts joint '{}' at {:g} and its motion at {:g} (SI, "
                                    "coordinate {}); remove one of the two or make them agree",
                                    key, name, given, moved, k + 1));
  };
  for (std::size_t k = 0; k < motion.functions.size(); ++k) {
    if (motion.functions[k].is_held()) continue;
    const int at = static_cast<int>(k);
    const Jet jet = motion.functions[k].jet({});
    const bool position = motion.level == system::MotionLevel::kPosition;
    for (const char* key : {"angle", "displacement", "position", "from"}) {
      if (position && joint.has(key)) compare(key, at, parts.q[link.q_index + at], jet.value);
    }
    if (joint.has("rate")) {
      compare("rate", at, parts.v[link.v_index + at], position ? jet.rate : jet.value);
    }
  }
}

void add_motion(const Reader& joint, const std::string& name, int index, Assembly& assembly,
                system::SystemParts& parts) {
  const Reader motion = joint.object("motion");
  const CoordinateReader read(parts.model.link(index).type, assembly.faults);
  const std::size_t faults_before = assembly.faults.found().size();
  system::JointMotion made;
  made.link = index;
  if (motion.has("position")) {
    made.level = system::MotionLevel::kPosition;
    made.functions = read.inputs(motion, "position", coordinate::kPosition, assembly);
  } else if (motion.has("rate")) {
    made.level = system::MotionLevel::kRate;
    made.functions = read.inputs(motion, "rate", coordinate::kRate, assembly);
  } else {
    made.level = system::MotionLevel::kAcceleration;
    made.functions = read.inputs(motion, "acceleration", coordinate::kAcceleration, assembly);
  }
  for (const char* other : {"motor", "lock"}) {
    if (!joint.has(other)) continue;
    assembly.faults.add(
        "GR-313", joint.where(other),
        fmt::format("joint '{}' follows a prescribed motion; its {} would have no say "
                    "(remove one of the two)",
                    name, other));
  }
  if (assembly.faults.found().size() == faults_before) {
    check_motion_start(joint, name, parts.model.link(index), made, assembly, parts);
  }
  parts.motions.push_back(std::move(made));
}

void add_locks(const Reader& joint, const std::string& name, int link, system::SystemParts& parts,
               record::RunPlan& plan) {
  for (const Reader& lock : joint.objects("lock")) {
    const bool locks = lock.text("state") == "locked";
    const double time = lock.number("at");
    if (time > 0.0) {
      plan.switches.push_back(
          {fmt::format("{} {}", locks ? "lock" : "unlock", name),
           time,
           {locks ? run::Switch::Kind::kLock : run::Switch::Kind::kUnlock, link}});
    } else if (locks) {
      parts.locked.push_back(link);
    }
  }
}

}  // namespace

std::vector<BuiltJoint> built_joints(const Reader& scenario, const model::Model& model) {
  std::vector<BuiltJoint> all;
  for (const Reader& joint : scenario.objects("joints")) {
    const std::string name = joint.text("name");
    all.push_back({joint, name, link_named(model, name)});
  }
  for (const Reader& body : scenario.objects("bodies")) {
    if (!body.has("beam") || !body.object("beam").has("deploys")) continue;
    const std::string name = body.text("name") + "/length";
    all.push_back({body.object("beam").object("deploys"), name, link_named(model, name)});
  }
  return all;
}

void add_joints(const Reader& scenario, Assembly& assembly) {
  for (const Reader& joint : scenario.objects("joints")) {
    model::JointSpec spec;
    spec.name = joint.text("name");
    const bool rail = joint.text("type") == "rail";
    spec.type = rail ? JointType::kPrismatic : type_of(joint);
    assembly.places[fmt::format("joint '{}'", spec.name)] = joint.where();
    const Pose axes{rail ? Mat3::Identity() : joint_axes(joint, spec.type, assembly.faults),
                    Vec3::Zero()};
    const Assembly::DeclaredFrame parent = assembly.resolve(joint.place("parent"));
    Place on_child = joint.place("child");
    // A joint carries the body frame, whatever the section at the root does in it.
    const auto plan = assembly.flexible.find(on_child.body);
    const bool floats =
        plan != assembly.flexible.end() && plan->second.root == FlexiblePlan::Root::kMoves;
    if (floats && on_child.frame == "root") on_child.frame.clear();
    const Assembly::DeclaredFrame child = assembly.resolve(on_child);
    spec.parent = parent.body;
    spec.parent_frame = parent.elastic;
    spec.child = child.body;
    if (!child.elastic.empty()) {
      assembly.faults.add(
          "GR-342", joint.where("child"),
          fmt::format("the joint that carries a flexible body sits at its root; found "
                      "'{}' of '{}'",
                      child.elastic, child.body));
    }
    spec.X_PF = parent.X_BF * axes;
    spec.X_BM = child.X_BF * axes;
    if (spec.type == JointType::kHelical) spec.pitch = joint.number("pitch");
    if (joint.has("flexible")) {
      add_drive(joint, assembly, spec);
    } else {
      spec.reflected_inertia = reflected_inertia(joint, spec.type, assembly.faults);
    }
    model::JointSpec on_world = spec;
    on_world.parent = "world";
    on_world.parent_frame.clear();
    on_world.X_PF = {};
    assembly.stand_in.add_joint(std::move(on_world));
    assembly.builder.add_joint(rail ? seat_on_rail(joint, spec) : std::move(spec));
  }
}

void set_initial_state(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  const model::State rest(parts.model);
  parts.q = rest.q;
  parts.v = rest.v;
  std::vector<std::string> children;
  for (const auto& [keys, name, index] : built_joints(scenario, parts.model)) {
    const Link& link = parts.model.link(index);
    set_joint_start(keys, link, assembly.faults, parts);
    if (keys.has("flexible")) set_motor_start(keys, link, assembly.faults, parts);
    if (keys.has("child")) children.push_back(assembly.resolve(keys.place("child")).body);
  }
  for (const Reader& body : scenario.objects("bodies")) {
    const std::string name = body.text("name");
    if (std::find(children.begin(), children.end(), name) == children.end()) {
      const int at = parts.model.find_body(name);
      const Link& link = parts.model.link(parts.model.bodies()[static_cast<std::size_t>(at)].link);
      set_floating_start(body, link, assembly.faults, parts);
      continue;
    }
    for (const char* key : {"position", "rotation", "velocity", "angular_velocity"}) {
      if (!body.has(key)) continue;
      assembly.faults.add(
          "GR-312", body.where(key),
          fmt::format("body '{}' hangs on a joint, which sets where it starts; give "
                      "the joint a position or rate instead of '{}'",
                      name, key));
    }
  }
}

void add_joint_elements(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const auto& [joint, name, index] : built_joints(scenario, parts.model)) {
    const Link& link = parts.model.link(index);
    const CoordinateReader read(link.type, assembly.faults);
    if (joint.has("spring")) add_spring(joint, read, index, assembly, parts);
    if (joint.has("damper")) add_damper(joint, read, index, parts);
    if (joint.has("friction")) add_friction(joint, name, read, index, assembly, parts);
    if (joint.has("limits")) add_stop(joint, read, index, assembly, parts);
    if (joint.has("flexible")) add_transmission(joint, read, index, parts);
    if (joint.has("motor")) add_motor(joint, read, index, assembly, parts);
    if (joint.has("brake")) add_brake(joint, name, assembly, parts);
  }
}

void add_joint_motions(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
                       record::RunPlan& plan) {
  for (const auto& [joint, name, index] : built_joints(scenario, parts.model)) {
    if (joint.has("motion")) add_motion(joint, name, index, assembly, parts);
    if (joint.has("lock")) add_locks(joint, name, index, parts, plan);
  }
}

}  // namespace grapple::scenario
