#include "grapple/app/chosen_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"

namespace grapple::app {

namespace {

bool is_led(const model::State& state, int link) {
  return state.driven[static_cast<std::size_t>(link)] != 0;
}

ChosenJoint joint_named(const system::System& system, const model::State& state,
                        const std::string& name) {
  const model::Model& model = system.model();
  const int found = model.find_joint(name);
  if (found < 0) {
    std::vector<std::string> all;
    for (const model::Joint& joint : model.joints()) all.push_back(joint.name);
    throw Error("GR-619", "--joints",
                fmt::format("there is no joint '{}'{}", name, suggestion(name, all)));
  }
  const int at = model.joints()[static_cast<std::size_t>(found)].link;
  const model::Link& link = model.link(at);
  if (link.nv != 1) {
    throw Error("GR-619", "--joints",
                fmt::format("joint '{}' has {} degrees of freedom; joints with one are needed",
                            name, link.nv));
  }
  if (is_led(state, at)) {
    throw Error("GR-619", "--joints",
                fmt::format("joint '{}' is locked or follows a prescribed motion", name));
  }
  return {name, at, {link.q_index, link.v_index}};
}

// Those between the root of the tree and the frame, from the root on.
std::vector<ChosenJoint> joints_towards(const system::System& system, const model::State& state,
                                        const model::Frame& frame) {
  const model::Model& model = system.model();
  std::vector<ChosenJoint> joints;
  for (int i = frame.link; i != 0; i = model.link(i).parent) {
    const model::Link& link = model.link(i);
    const bool moves = link.kind != model::Link::Kind::kElasticFrame && link.nv == 1;
    if (moves && !is_led(state, i)) {
      joints.push_back({model.joint_of_link(i).name, i, {link.q_index, link.v_index}});
    }
    // The length of a beam that deploys is a joint of a frame on it.
    if (link.kind != model::Link::Kind::kFlexible) continue;
    for (int k = 1; k < model.link_count(); ++k) {
      const model::Link& guided = model.link(k);
      if (guided.parent != i || model.guided(guided) == nullptr || is_led(state, k)) continue;
      joints.push_back({model.joint_of_link(k).name, k, {guided.q_index, guided.v_index}});
    }
  }
  std::reverse(joints.begin(), joints.end());
  return joints;
}

}  // namespace

const model::Frame& frame_named(const system::System& system, const std::string& name) {
  const int found = system.model().find_frame(name);
  if (found >= 0) return system.model().frames()[static_cast<std::size_t>(found)];
  std::vector<std::string> all;
  for (const model::Frame& frame : system.model().frames()) all.push_back(frame.name);
  throw Error("GR-613", "--frame",
              fmt::format("there is no body or frame '{}'{}", name, suggestion(name, all)));
}

std::vector<ChosenJoint> chosen_joints(const system::System& system, const model::State& state,
                                       const model::Frame& frame, const std::string& names) {
  std::vector<ChosenJoint> joints;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    const std::size_t first = name.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    name = name.substr(first, name.find_last_not_of(' ') - first + 1);
    joints.push_back(joint_named(system, state, name));
  }
  if (names.empty()) joints = joints_towards(system, state, frame);
  if (joints.empty()) {
    throw Error(
        "GR-619", "--joints",
        fmt::format("no joint with one degree of freedom is left to move '{}'", frame.name));
  }
  return joints;
}

}  // namespace grapple::app
