// Controllers of a scenario: of a joint, and of several joints with a model of their own.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "grapple/base/assert.h"
#include "grapple/control/arm_block.h"
#include "grapple/control/arm_controller.h"
#include "grapple/control/controller_type.h"
#include "grapple/control/flexible_loop.h"
#include "grapple/force/joint_elements.h"
#include "grapple/record/channel_info.h"
#include "grapple/scenario/build/controller/controller_parameters.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/continuous_control.h"
#include "grapple/scenario/build/internal/control_model.h"
#include "grapple/scenario/build/internal/steered_body.h"

namespace grapple::scenario {

namespace {

using Schedule = element::SampledBlock::Schedule;

std::optional<Schedule> read_schedule(const Reader& reader, Diagnostics& faults) {
  if (acts_continuously(reader)) {
    if (!check_continuous(reader, faults)) return std::nullopt;
    return Schedule{1.0, 0.0, 0.0};  // which nothing reads
  }
  const Schedule schedule{reader.number("period"), reader.number("offset"), reader.number("delay")};
  constexpr double kMostOnTheirWay = 1e5;
  if (schedule.delay <= kMostOnTheirWay * schedule.period) return schedule;
  faults.add("GR-319", reader.where("delay"),
             fmt::format("{:g} s are more than {:g} periods of {:g} s; 'delay' must be shorter",
                         schedule.delay, kMostOnTheirWay, schedule.period));
  return std::nullopt;
}

/// A joint as the simulated model has it: its link, or -1 with a fault noted.
int drivable_link(const Reader& reader, const char* key, const std::string& joint, bool sets_signal,
                  const system::SystemParts& parts, Diagnostics& faults) {
  const int link =
      parts.model.joints()[static_cast<std::size_t>(parts.model.find_joint(joint))].link;
  const int freedom = parts.model.link(link).nv;
  if (freedom != 1) {
    faults.add("GR-832", reader.where(key),
               fmt::format("joint '{}' has {} degrees of freedom; a controller drives joints with "
                           "one",
                           joint, freedom));
    return -1;
  }
  const bool led = std::any_of(parts.motions.begin(), parts.motions.end(),
                               [&](const system::JointMotion& m) { return m.link == link; });
  if (led && !sets_signal) {
    faults.add("GR-313", reader.where(key),
               fmt::format("joint '{}' follows a prescribed motion; a controller would have no say",
                           joint));
    return -1;
  }
  return link;
}

/// The signal of a controller's effort on a joint, with the motor that it drives.
std::string add_effort(const std::string& controller, const std::string& signal, int link,
                       const char* unit, system::SystemParts& parts) {
  const int place = static_cast<int>(parts.signals.size());
  parts.signals.push_back({"controller/" + signal, unit});
  parts.elements.push_back(
      force::make_controlled_motor(parts.model, link, controller, element::Input::held(place)));
  return parts.signals.back().name;
}

/// What the maker of a controller refuses, at the controller's place.
void add_faults(const Error& error, const Reader& reader, Assembly& assembly) {
  for (const Diagnostic& fault : error.diagnostics()) {
    assembly.faults.add(fault.id, fault.where.empty() ? reader.where() : fault.where,
                        fmt::format("controller '{}': {}", reader.text("name"), fault.message));
  }
}

void add_controller(const Reader& reader, Assembly& assembly, system::SystemParts& parts) {
  Diagnostics& faults = assembly.faults;
  const std::string joint = reader.text("joint");
  const int link = drivable_link(reader, "joint", joint, reader.has("output"), parts, faults);
  if (link < 0) return;
  const model::Link& on = parts.model.link(link);
  const bool of_motor = reader.text("feedback") == "motor";
  if (of_motor && on.v_actuated() == on.v_index) {
    faults.add("GR-832", reader.where("feedback"),
               fmt::format("joint '{}' has no motor side of its own: it is not flexible", joint));
    return;
  }
  const bool turns = model::is_rotational(on.type, 0);
  control::ControlledJoint law;
  law.name = reader.text("name");
  const std::optional<Schedule> schedule = read_schedule(reader, faults);
  if (!schedule) return;
  law.schedule = *schedule;
  const std::string stem = "joint/" + joint + (of_motor ? "/motor/" : "/");
  law.position = stem + "position";
  law.rate = stem + "rate";
  law.position_unit = turns ? "rad" : "m";
  law.effort_unit = turns ? "N*m" : "N";
  const control::ControllerType& type = control::controller_type(reader.text("type"));
  const control::ParameterValues values =
      read_parameters(reader, type.parameters, {{joint, turns}}, assembly);
  law.output = reader.has("output") ? reader.text("output")
                                    : add_effort(law.name, law.name + "/effort", link,
                                                 law.effort_unit.c_str(), parts);
  assembly.places[fmt::format("block '{}'", law.name)] = reader.where();
  try {
    parts.blocks.push_back(type.make(law, values));
  } catch (const Error& error) {
    add_faults(error, reader, assembly);
  }
}

/// The trajectory and the sensors of a controller of several joints.
bool follow_and_measure(const Reader& reader, Assembly& assembly, control::ControlledArm& arm) {
  if (reader.has("sensors")) {
    std::map<std::string, std::string> shown;
    for (const std::string& sensor : reader.texts("sensors")) {
      for (const auto& [channel, signal] : assembly.measured[sensor]) {
        if (shown.contains(channel) && !reader.has("estimator")) {  // which weighs both
          assembly.faults.add("GR-934", reader.where("sensors"),
                              fmt::format("controller '{}': '{}' and another of its sensors show "
                                          "'{}'; one of them would have no effect",
                                          arm.name, sensor, channel));
          return false;
        }
        shown[channel] = signal;
        // The orientation of a body that floats is the coordinate of its joint.
        const std::size_t at = channel.find("/orientation_");
        if (channel.starts_with("body/") && at != std::string::npos) {
          shown["joint/" + channel.substr(5, at - 5) + "/position_q" + channel.substr(at + 13)] =
              signal;
        }
      }
    }
    // Coordinates that are read at their motors are measured there.
    for (auto& [channel, source] : arm.measured) {
      if (const auto found = shown.find(source); found != shown.end()) source = found->second;
    }
    arm.measured.insert(shown.begin(), shown.end());
    for (const std::string& sensor : reader.texts("sensors")) {
      const auto found = std::ranges::find(assembly.sensors, sensor, &Assembly::SensorPlan::name);
      if (found != assembly.sensors.end()) arm.sensors.push_back(found->made);
    }
  }
  if (!reader.has("trajectory")) return true;
  const std::string name = reader.text("trajectory");
  if (const auto pose = assembly.pose_references.find(name);
      pose != assembly.pose_references.end()) {
    arm.path = pose->second;
    return true;
  }
  const auto joints = assembly.joint_references.find(name);
  if (joints == assembly.joint_references.end()) return false;  // its own fault is noted
  const std::vector<std::string>& order = assembly.reference_joints[name];
  if (order != reader.texts("joints")) {
    assembly.faults.add("GR-985", reader.where("trajectory"),
                        fmt::format("trajectory '{}' leads the joints {}; give the controller the "
                                    "same, in this order",
                                    name, fmt::join(order, ", ")));
    return false;
  }
  arm.trajectory = joints->second;
  return true;
}

/// What a controller of several joints drives in the simulated model and in its own, or nothing
/// with a fault noted.
std::optional<DrivenArm> read_arm(const Reader& reader, const CheckedScenario& checked,
                                  Assembly& assembly, system::SystemParts& parts) {
  Diagnostics& faults = assembly.faults;
  DrivenArm driven;
  control::ControlledArm& arm = driven.arm;
  arm.name = reader.text("name");
  const std::optional<Schedule> schedule = read_schedule(reader, faults);
  if (!schedule) return std::nullopt;
  arm.schedule = *schedule;
  const std::vector<std::string> joints =
      reader.has("joints") ? reader.texts("joints") : std::vector<std::string>{};
  const std::vector<std::string> outputs =
      reader.has("outputs") ? reader.texts("outputs") : std::vector<std::string>{};
  if (!outputs.empty() && outputs.size() != joints.size()) {
    faults.add(
        "GR-986", reader.where("outputs"),
        fmt::format("{} signals for {} joints; give one each", outputs.size(), joints.size()));
    return std::nullopt;
  }
  std::vector<int> links;
  for (const std::string& joint : joints) {
    links.push_back(drivable_link(reader, "joints", joint, !outputs.empty(), parts, faults));
    if (links.back() < 0) return std::nullopt;
  }
  const ControlModel kind =
      reader.text("model") == "rigid" ? ControlModel::kRigid : ControlModel::kSame;
  try {
    arm.plant = control_model(
        checked, kind,
        reader.has("model_settings") ? reader.texts("model_settings") : std::vector<std::string>{});
  } catch (const Error& error) {
    for (const Diagnostic& fault : error.diagnostics()) {
      const bool set_here = fault.where.starts_with("--set");
      faults.add(fault.id, set_here ? reader.where("model_settings") : fault.where,
                 fmt::format("in the model of controller '{}': {}", arm.name, fault.message));
    }
    return std::nullopt;
  }
  if (reader.available("prediction")) arm.prediction = reader.number("prediction");
  const model::Model& own = arm.plant->model();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const int found = own.find_joint(joints[k]);
    GRAPPLE_ASSERT(found >= 0);
    const model::Link& link = own.link(own.joints()[static_cast<std::size_t>(found)].link);
    control::ControlledCoordinate joint{joints[k], link.v_actuated(),
                                        model::is_rotational(link.type, 0), ""};
    const char* const unit = joint.turns ? "N*m" : "N";
    driven.action.rates.push_back(parts.model.link(links[k]).v_actuated());
    driven.action.efforts.push_back({joints[k] + "/effort", unit});
    joint.output = !outputs.empty() ? outputs[k]
                   : acts_continuously(reader)
                       ? ""
                       : add_effort(arm.name + "/" + joints[k],
                                    arm.name + "/" + joints[k] + "/effort", links[k], unit, parts);
    // A rigid model knows one coordinate of a flexible joint: the link's, or the motor's.
    if (reader.text("feedback") == "motor" && parts.model.link(links[k]).motors > 0 &&
        link.motors == 0) {
      for (const char* quantity : {"position", "rate"}) {
        arm.measured[fmt::format("joint/{}/{}", joints[k], quantity)] =
            fmt::format("joint/{}/motor/{}", joints[k], quantity);
      }
    }
    arm.joints.push_back(std::move(joint));
  }
  if (reader.has("attitude") && !add_attitude(reader, assembly, driven, parts)) return std::nullopt;
  if (reader.has("body") && !add_steered_body(reader, checked, assembly, arm)) return std::nullopt;
  if (!follow_and_measure(reader, assembly, arm)) return std::nullopt;
  return driven;
}

// Stems of the modes that fit a pattern. Throws Error GR-988 if a pattern fits none.
std::vector<std::string> modes_that_fit(const control::Plant& plant,
                                        const std::vector<std::string>& patterns) {
  std::vector<std::string> fitting, all;
  for (const int rate : control::modal_rates(plant, {})) {
    all.push_back(control::modal_stem(plant, rate));
  }
  for (const std::string& pattern : patterns) {
    const std::size_t before = fitting.size();
    for (const std::string& stem : all) {
      if (record::glob_matches(pattern, stem)) fitting.push_back(stem);
    }
    if (fitting.size() > before) continue;
    throw Error("GR-988", "",
                fmt::format("no mode fits '{}'; its model has {}", pattern, fmt::join(all, ", ")));
  }
  return fitting;
}

// Throws Error GR-989: some laws count with loops, the prediction does not.
void refuse_loops(const control::ControlledArm& arm, const control::ArmControllerType& type) {
  arm.plant->tell_start(0.0);
  arm.plant->evaluate();
  const bool loops = arm.plant->rows().size() > 0 && arm.plant->rows().norm() > 0.0;
  if (!loops || (type.loops == control::LoopSupport::kCounted && arm.prediction == 0.0)) return;
  std::string counting;
  for (const control::ArmControllerType& other : control::arm_controller_types()) {
    if (other.loops != control::LoopSupport::kCounted) continue;
    counting += fmt::format("{}'{}'", counting.empty() ? "" : " and ", other.name);
  }
  throw Error("GR-989", "",
              fmt::format("its model has closed loops, which only {} without 'prediction' count "
                          "with",
                          counting));
}

// GR-989: a sensor that shows nothing the controller reads.
void check_sensors(const Reader& reader, const element::SampledBlock& block, Assembly& assembly) {
  if (!reader.has("sensors")) return;
  const std::vector<std::string> reads = block.reads();
  for (const std::string& sensor : reader.texts("sensors")) {
    const bool used = std::any_of(reads.begin(), reads.end(), [&](const std::string& read) {
      return read.starts_with("sensor/" + sensor + "/");
    });
    if (used) continue;
    assembly.faults.add("GR-989", reader.where("sensors"),
                        fmt::format("controller '{}': sensor '{}' shows nothing that it reads",
                                    block.name(), sensor));
  }
}

void add_arm_controller(const Reader& reader, const control::ArmControllerType& type,
                        const CheckedScenario& checked, Assembly& assembly,
                        system::SystemParts& parts) {
  std::optional<DrivenArm> driven = read_arm(reader, checked, assembly, parts);
  if (!driven) return;
  const control::ControlledArm* const arm = &driven->arm;
  refuse_idle_keys(reader, assembly);
  std::vector<NamedJoint> joints;
  for (const control::ControlledCoordinate& joint : arm->joints) {
    joints.push_back({joint.joint, joint.turns});
  }
  control::ParameterValues values = read_parameters(reader, type.parameters, joints, assembly);
  assembly.places[fmt::format("block '{}'", arm->name)] = reader.where();
  try {
    if (!values.names("modes").empty()) {
      values.set("modes", modes_that_fit(*arm->plant, values.names("modes")));
    }
    refuse_loops(*arm, type);
    if (acts_continuously(reader)) {
      driven->action.reads = coordinates_read(*arm, parts.model);
      for (const control::SampledInput& input : values.inputs("set_points")) {
        driven->action.functions.push_back(input.function);
      }
      parts.elements.push_back(
          control::make_continuous_controller(type.make(*arm, values), std::move(driven->action)));
      return;
    }
    parts.blocks.push_back(type.make(*arm, values));
    check_sensors(reader, *parts.blocks.back(), assembly);
    if (const auto* made = dynamic_cast<const control::ArmBlock*>(parts.blocks.back().get())) {
      for (std::string& note : made->notes()) assembly.automatic_values.push_back(std::move(note));
    }
  } catch (const Error& error) {
    add_faults(error, reader, assembly);
  }
}

}  // namespace

void add_controllers(const CheckedScenario& checked, Assembly& assembly,
                     system::SystemParts& parts) {
  const Reader scenario = checked.reader();
  for (const Reader& controller : scenario.objects("controllers")) {
    const auto* const type = control::find_arm_controller_type(controller.text("type"));
    if (type == nullptr) {
      add_controller(controller, assembly, parts);
    } else {
      add_arm_controller(controller, *type, checked, assembly, parts);
    }
  }
}

}  // namespace grapple::scenario
