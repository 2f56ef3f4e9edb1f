#include "grapple/scenario/language/internal/names.h"

#include <fmt/format.h>

#include "grapple/base/nearest_name.h"
#include "grapple/control/sensor.h"
#include "grapple/scenario/text/values.h"

namespace grapple::scenario {

namespace {

void report_twice(const Node& item, const std::string& name, Diagnostics& faults) {
  faults.add("GR-211", item.find("name")->mark.text(),
             fmt::format("the name '{}' is used twice", name));
}

}  // namespace

Names::Names(const Node& root, Diagnostics& faults) {
  lists_["world"] = {"world"};
  for (const char* list :
       {"bodies",    "frames", "joints",      "forces",         "loops",
        "materials", "shapes", "contacts",    "contact_groups", "events",
        "measures",  "score",  "cameras",     "operator",       "signals",
        "sensors",   "blocks", "controllers", "channels",       "trajectories"}) {
    collect(root, list, faults);
  }
  collect_written_signals(root);
  collect_body_frames(root, faults);
  collect_trajectory_signals(root);
  collect_operator_signals(root);
}

// Those that drive no joint are there for others to read (force/operator_drive.h).
void Names::collect_operator_signals(const Node& root) {
  const Node* operators = root.find("operator");
  if (!operators) return;
  for (const Node& one : operators->items) {
    if (one.find("joint") != nullptr) continue;
    lists_["signals"].insert("operator/" + one.text_of("name") + "/command");
  }
}

// As control/trajectory/trajectory_block.h names them.
void Names::collect_trajectory_signals(const Node& root) {
  const Node* trajectories = root.find("trajectories");
  if (!trajectories) return;
  Set& signals = lists_["signals"];
  for (const Node& trajectory : trajectories->items) {
    if (trajectory.find("period") == nullptr) continue;
    const std::string stem = "trajectory/" + trajectory.text_of("name") + "/";
    if (const Node* joints = trajectory.find("joints")) {
      for (const Node& joint : joints->items) {
        for (const char* what : {"position", "rate", "acceleration"}) {
          signals.insert(stem + joint.scalar + "/" + what);
        }
      }
      continue;
    }
    signals.insert(stem + "orientation_w");
    for (const char* what : {"position", "orientation", "velocity", "angular_velocity",
                             "acceleration", "angular_acceleration"}) {
      for (const char* axis : {"_x", "_y", "_z"}) signals.insert(stem + what + axis);
    }
  }
}

void Names::collect(const Node& root, const std::string& list, Diagnostics& faults) {
  Set& names = lists_[list];
  const Node* node = root.find(list);
  if (!node || !node->is_sequence()) return;
  for (const Node& item : node->items) {
    const std::string name = item.text_of("name");
    if (name.empty()) continue;
    // Bodies and frames share one set of names: a place may mean either.
    // So do sensors, blocks and controllers, all of them sampled blocks.
    const bool taken = (list == "frames" && lists_["bodies"].contains(name)) ||
                       (list == "blocks" && lists_["sensors"].contains(name)) ||
                       (list == "controllers" &&
                        (lists_["sensors"].contains(name) || lists_["blocks"].contains(name)));
    if (!names.insert(name).second || taken) report_twice(item, name, faults);
  }
}

void Names::collect_written_signals(const Node& root) {
  if (const Node* sensors = root.find("sensors")) {
    for (const Node& sensor : sensors->items) {
      const std::string stem = "sensor/" + sensor.text_of("name") + "/";
      for (const std::string& output : control::sensor_outputs(sensor.text_of("type"))) {
        lists_["signals"].insert(stem + output);
      }
      if (sensor.find("limits")) lists_["signals"].insert(stem + "saturated");
    }
  }
  const Node* blocks = root.find("blocks");
  if (!blocks) return;
  for (const Node& block : blocks->items) {
    const Node* outputs = block.find("outputs");
    if (!outputs) continue;
    for (const Entry& output : outputs->entries) {
      if (output.value.find("to")) continue;
      lists_["signals"].insert("block/" + block.text_of("name") + "/" + output.key);
    }
  }
}

void Names::collect_body_frames(const Node& root, Diagnostics& faults) {
  const Node* bodies = root.find("bodies");
  if (!bodies) return;
  for (const Node& body : bodies->items) {
    Set& names = frames_of_body_[body.text_of("name")];
    const Node* beam = body.find("beam");
    if (beam) names.insert({"root", "tip"});
    if (beam && beam->find("deploys")) lists_["joints"].insert(body.text_of("name") + "/length");
    // A file's frames are known only when it is read; the model checks them.
    if (body.find("flexible_file")) open_bodies_.insert(body.text_of("name"));
    if (const Node* mesh = body.find("finite_elements")) {
      names.insert("root");
      const Node* interfaces = mesh->find("interfaces");
      for (const Node& one : interfaces ? interfaces->items : std::vector<Node>{}) {
        const std::string name = one.text_of("name");
        if (!name.empty() && !names.insert(name).second) report_twice(one, name, faults);
      }
    }
    collect_body_shapes(body, faults);
    const Node* frames = body.find("frames");
    if (!frames) continue;
    for (const Node& frame : frames->items) {
      const std::string name = frame.text_of("name");
      if (!name.empty() && !names.insert(name).second) report_twice(frame, name, faults);
    }
  }
}

void Names::collect_body_shapes(const Node& body, Diagnostics& faults) {
  const Node* shapes = body.find("shapes");
  if (!shapes) return;
  for (const Node& shape : shapes->items) {
    const std::string name = shape.text_of("name");
    const std::string full = body.text_of("name") + "/" + name;
    if (!name.empty() && !lists_["shapes"].insert(full).second) report_twice(shape, name, faults);
  }
}

void Names::check_reference(const Node& node, const std::vector<std::string>& lists,
                            Diagnostics& faults) const {
  std::vector<std::string> valid;
  for (const std::string& list : lists) {
    const Set& names = lists_.at(list);
    if (names.contains(node.scalar)) return;
    valid.insert(valid.end(), names.begin(), names.end());
  }
  faults.add("GR-210", node.mark.text(),
             fmt::format("{} is not in {}{}", described(node), fmt::join(lists, " or "),
                         suggestion(node.scalar, valid)));
}

void Names::check_place(const Node& node, Diagnostics& faults) const {
  Place place;
  try {
    place = read_place(node);
  } catch (const Error& fault) {
    faults.add(fault);
    return;
  }
  if (place.frame.empty()) {
    Node name = Node::make_scalar(place.body, node.mark);
    check_reference(name, {"bodies", "frames", "world"}, faults);
    return;
  }
  const auto body = frames_of_body_.find(place.body);
  if (body == frames_of_body_.end()) {
    check_reference(Node::make_scalar(place.body, node.mark), {"bodies"}, faults);
  } else if (!body->second.contains(place.frame) && !open_bodies_.contains(place.body)) {
    faults.add("GR-210", node.mark.text(),
               fmt::format("body '{}' has no frame '{}'{}", place.body, place.frame,
                           suggestion(place.frame, {body->second.begin(), body->second.end()})));
  }
}

}  // namespace grapple::scenario
