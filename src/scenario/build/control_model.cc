#include "grapple/scenario/build/internal/control_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grapple/analysis/system_plant.h"
#include "grapple/base/error.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/language/internal/check.h"
#include "grapple/scenario/text/internal/override.h"

namespace grapple::scenario {

namespace {

void remove_key(Node& mapping, std::string_view key) {
  std::erase_if(mapping.entries, [&](const Entry& entry) { return entry.key == key; });
}

void put(Node& mapping, const std::string& key, Node value) {
  if (Node* found = mapping.find(key)) {
    *found = std::move(value);
    return;
  }
  const Mark mark = value.mark;
  mapping.entries.push_back({key, mark, std::move(value)});
}

void make_beam_rigid(Node& body, Diagnostics& faults) {
  for (const char* key : {"flexible_file", "finite_elements"}) {
    const Node* reduced = body.find(key);
    if (reduced == nullptr) continue;
    faults.add("GR-987", reduced->mark.text(),
               fmt::format("body '{}' comes from a {} and has no rigid form; a controller with "
                           "'model: rigid' cannot compute with it",
                           body.text_of("name"), key[1] == 'l' ? "file" : "mesh"));
  }
  Node* const beam = body.find("beam");
  if (beam == nullptr) return;
  // Keys that only tell how it bends.
  for (const char* key : {"modes", "motions", "damping", "elements", "shapes", "boundary",
                          "stiffening", "craig_bampton"}) {
    remove_key(*beam, key);
  }
  put(*beam, "method", Node::make_scalar("rigid", beam->mark));
  for (const char* key : {"modal_amplitudes", "modal_rates"}) remove_key(body, key);
}

// The rotor stays, fixed to the joint by its gear.
void make_transmission_rigid(Node& joint) {
  const Node* const flexible = joint.find("flexible");
  if (flexible == nullptr) return;
  Node motor;
  motor.kind = Node::Kind::kMapping;
  motor.mark = flexible->mark;
  if (const Node* given = joint.find("motor")) {
    motor = *given;
  } else {
    put(motor, "torque", Node::make_scalar("0", flexible->mark));
  }
  for (const char* key : {"rotor_inertia", "gear_ratio"}) {
    if (const Node* found = flexible->find(key)) put(motor, key, *found);
  }
  put(joint, "motor", std::move(motor));
  remove_key(joint, "flexible");
}

void make_rigid(Node& root, Diagnostics& faults) {
  if (Node* bodies = root.find("bodies")) {
    for (Node& body : bodies->items) make_beam_rigid(body, faults);
  }
  if (Node* joints = root.find("joints")) {
    for (Node& joint : joints->items) make_transmission_rigid(joint);
  }
}

constexpr std::array kOfARun{"controllers",    "sensors", "blocks",   "trajectories", "contacts",
                             "contact_groups", "events",  "measures", "score",        "cameras",
                             "instruments",    "tunable", "channels"};

// Operators that drive joints belong to the run; signals of the others may be read in the model.
void remove_drives(Node& root) {
  Node* const operators = root.find("operator");
  if (operators == nullptr) return;
  std::erase_if(operators->items, [](const Node& one) { return one.find("joint") != nullptr; });
}

}  // namespace

std::unique_ptr<control::Plant> control_model(const CheckedScenario& checked, ControlModel kind,
                                              const std::vector<std::string>& settings) {
  CheckedScenario own = checked;
  for (const char* section : kOfARun) remove_key(own.root, section);
  remove_drives(own.root);
  if (Node* simulate = own.root.find("simulate")) remove_key(*simulate, "record");
  Diagnostics faults;
  if (kind == ControlModel::kRigid) make_rigid(own.root, faults);
  for (const std::string& setting : settings) {
    try {
      apply_override(own.root, setting);
    } catch (const Error& fault) {
      faults.add(fault);
    }
  }
  check_scenario(own.root, faults);
  faults.throw_if_any();
  return analysis::make_plant(build(own).system);
}

}  // namespace grapple::scenario
