// `grapple ik`: joint coordinates that bring a frame to a wanted pose.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "grapple/app/analysis.h"
#include "grapple/app/chosen_joints.h"
#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/control/kinematics/inverse_kinematics.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;

// A body that starts where the options say, so that they are read as in a scenario.
control::WantedPose wanted_pose(const IkArguments& arguments) {
  std::string text = "grapple: 1\nbodies:\n  - {name: wanted, mass: 1, inertia: [1, 1, 1]";
  text += ", position: \"" + arguments.position + "\"";
  if (!arguments.rotation.empty()) text += ", rotation: " + arguments.rotation;
  text += "}\nsimulate: {duration: 1}\n";
  control::WantedPose wanted;
  try {
    const scenario::CheckedScenario checked =
        scenario::load_scenario_text(text, "--position, --rotation", {});
    const scenario::Simulation pose = scenario::build(checked);
    system::Snapshot<double> at(*pose.system);
    const spatial::VecX x = pose.system->initial_state();
    pose.system->kinematics(0.0, span_of(x), at);
    const auto motion = dynamics::frame_motion(frame_named(*pose.system, "wanted"), at.workspace);
    wanted.X_WF = {motion.R_WF, motion.p_WF};
  } catch (const Error& error) {
    throw Error(error.id(), "--position, --rotation", error.diagnostics().front().message);
  }
  if (arguments.rotation.empty()) wanted.rows = {false, false, false, true, true, true};
  return wanted;
}

// Of `limits` in the scenario, and the ranges of lengths and rails.
void read_limits(const scenario::Reader& scenario, const model::Model& model,
                 const std::vector<ChosenJoint>& joints, control::IkOptions& options) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (const ChosenJoint& joint : joints) {
    double lower = -kNone, upper = kNone;
    if (const flexible::GuidedCoordinate* guided = model.guided(model.link(joint.link))) {
      lower = guided->lower, upper = guided->upper;
    }
    for (const scenario::Reader& own : scenario.objects("joints")) {
      if (own.text("name") != joint.name || !own.has("limits")) continue;
      const scenario::Reader limits = own.object("limits");
      if (limits.has("lower")) lower = std::max(lower, limits.numbers("lower")[0].value);
      if (limits.has("upper")) upper = std::min(upper, limits.numbers("upper")[0].value);
    }
    options.lower.push_back(lower);
    options.upper.push_back(upper);
  }
}

// Distances between the joints and to the frame, added up: what the arm can reach at most.
double reach_of(const model::Workspace& workspace, const model::Frame& frame,
                const std::vector<ChosenJoint>& joints) {
  double reach = 0.0;
  spatial::Vec3 last = dynamics::frame_motion(frame, workspace).p_WF;
  for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
    const spatial::Vec3& p = workspace.motion[static_cast<std::size_t>(joint->link)].p_WL;
    reach += (p - last).norm();
    last = p;
  }
  return reach > 0.0 ? reach : 1.0;
}

bool turns(const model::Model& model, const ChosenJoint& joint) {
  return model::is_rotational(model.link(joint.link).type, 0);
}

std::string key_of_start(const scenario::Reader& scenario, const std::string& joint) {
  for (const scenario::Reader& own : scenario.objects("joints")) {
    if (own.text("name") != joint) continue;
    for (const char* word : {"angle", "displacement"}) {
      if (own.has(word)) return "joints." + joint + "." + word;
    }
    return "joints." + joint + ".position";
  }
  return "";
}

void write_start(const IkArguments& arguments, const scenario::Reader& scenario,
                 const std::vector<ChosenJoint>& joints, const std::vector<double>& q) {
  if (arguments.write.empty()) return;
  std::vector<std::string> settings = arguments.scenario.settings;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::string key = key_of_start(scenario, joints[j].name);
    if (key.empty()) {
      fmt::print("'{}' is no entry of `joints`: set its start by hand\n", joints[j].name);
      continue;
    }
    settings.push_back(fmt::format("{}={}", key, q[j]));
  }
  const scenario::CheckedScenario moved =
      scenario::load_scenario(arguments.scenario.file, settings);
  record::write_file_atomically(arguments.write, moved.resolved_text);
  fmt::print("scenario with this start in {}\n", arguments.write);
}

void print_joints(const model::Model& model, const std::vector<ChosenJoint>& joints,
                  const control::IkResult& result) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const bool limited =
        std::find(result.at_limit.begin(), result.at_limit.end(), j) != result.at_limit.end();
    const char* note = limited ? "  at its limit" : "";
    if (turns(model, joints[j])) {
      fmt::print("  {:<24} {:>20.15g} rad  {:>14.8g} deg{}\n", joints[j].name, result.q[j],
                 result.q[j] * 180.0 / std::numbers::pi, note);
    } else {
      fmt::print("  {:<24} {:>20.15g} m{}\n", joints[j].name, result.q[j], note);
    }
  }
}

Json result_json(const std::string& name, const IkArguments& arguments,
                 const std::vector<ChosenJoint>& joints, const control::IkResult& result) {
  Json json = Json::object();
  json["scenario"] = name;
  json["frame"] = arguments.frame;
  json["reached"] = result.reached;
  Json& values = json["joints"] = Json::object();
  for (std::size_t j = 0; j < joints.size(); ++j) values[joints[j].name] = result.q[j];
  json["position_error"] = result.position_error;
  json["rotation_error"] = result.rotation_error;
  json["manipulability"] = result.manipulability;
  json["smallest_singular_value"] = result.smallest;
  json["starts"] = result.starts;
  json["iterations"] = result.iterations;
  return json;
}

}  // namespace

int ik_command(const IkArguments& arguments) {
  const scenario::CheckedScenario checked =
      scenario::load_scenario(arguments.scenario.file, arguments.scenario.settings);
  const scenario::Simulation simulation = scenario::build(checked);
  const system::System& system = *simulation.system;
  const model::Model& model = system.model();
  if (!system.constraints().empty()) {
    throw Error("GR-620", arguments.scenario.file,
                "the scenario has closed loops; ik moves open chains (grapple jacobian gives the "
                "reduced Jacobian, grapple assemble closes loops)");
  }
  const model::Frame frame = frame_named(system, arguments.frame);
  const control::WantedPose wanted = wanted_pose(arguments);
  system::Snapshot<double> at(system);
  const spatial::VecX x = system.initial_state();
  system.kinematics(0.0, span_of(x), at);
  const std::vector<ChosenJoint> joints = chosen_joints(system, at.state, frame, arguments.joints);
  std::vector<control::JointCoordinate> coordinates;
  for (const ChosenJoint& joint : joints) coordinates.push_back(joint.at);
  control::IkOptions options;
  options.starts = arguments.starts;
  options.length = reach_of(at.workspace, frame, joints);
  options.tolerance = 1e-12 * std::max(1.0, options.length);
  read_limits(checked.reader(), model, joints, options);
  const control::IkResult result = control::inverse_kinematics(model, at.state, at.workspace, frame,
                                                               coordinates, wanted, options);
  fmt::print("'{}': {} after {} start{}, {} steps\n", arguments.frame,
             result.reached ? "reached" : "NOT reached", result.starts,
             result.starts == 1 ? "" : "s", result.iterations);
  print_joints(model, joints, result);
  fmt::print("off by {:.3g} m", result.position_error);
  if (!arguments.rotation.empty()) fmt::print(" and {:.3g} rad", result.rotation_error);
  fmt::print("\nmanipulability sqrt(det J J^T) {:.6g}, smallest singular value {:.6g} (SI)\n",
             result.manipulability, result.smallest);
  write_json(arguments.json, result_json(simulation.plan.name, arguments, joints, result));
  if (!result.reached) {
    const Diagnostic finding{
        "GR-620", arguments.scenario.file,
        fmt::format("'{}' does not get to the wanted pose: the nearest of {} starts is {:.6g} m "
                    "and {:.6g} rad away{}",
                    arguments.frame, result.starts, result.position_error, result.rotation_error,
                    result.at_limit.empty() ? "" : ", with joints at their limits")};
    fmt::print(stderr, "{}\n", finding.text());
    return kRunFailed;
  }
  write_start(arguments, checked.reader(), joints, result.q);
  return kSuccess;
}

}  // namespace grapple::app
