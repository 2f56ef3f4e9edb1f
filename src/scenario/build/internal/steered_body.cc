#include "grapple/scenario/build/internal/steered_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "grapple/force/joint_elements.h"
#include "grapple/scenario/build/internal/continuous_control.h"

namespace grapple::scenario {

namespace {

/// The first of the three angular rates of a body that floats freely; -1: it does not.
int floating_rate(const model::Model& model, const std::string& body) {
  const int found = model.find_body(body);
  const model::Link& link = model.link(model.bodies()[static_cast<std::size_t>(found)].link);
  if (link.type != model::JointType::kFree) return -1;
  for (const model::CoordinateBlock& block : model.coordinates()) {
    if (block.kind == model::CoordinateKind::kQuaternion && &model.link(block.link) == &link) {
      return block.v;
    }
  }
  return -1;
}

/// GR-832: the body named under `key` does not float.
void refuse_attitude(const Reader& reader, const char* key, Assembly& assembly) {
  assembly.faults.add("GR-832", reader.where(key),
                      fmt::format("body '{}' does not float freely; its orientation is that of its "
                                  "joint",
                                  reader.text(key)));
}

}  // namespace

bool add_attitude(const Reader& reader, Assembly& assembly, DrivenArm& driven,
                  system::SystemParts& parts) {
  control::ControlledArm& arm = driven.arm;
  const std::string body = reader.text("attitude");
  const int simulated = floating_rate(parts.model, body),
            own = floating_rate(arm.plant->model(), body);
  if (simulated < 0 || own < 0) {
    refuse_attitude(reader, "attitude", assembly);
    return false;
  }
  control::ControlledAttitude attitude{body, own, {}};
  for (int k = 0; k < 3; ++k) {
    const std::string effort = fmt::format("{}/torque_{}", body, "xyz"[k]);
    const std::string name = arm.name + "/" + effort;
    driven.action.rates.push_back(simulated + k);
    driven.action.efforts.push_back({effort, "N*m"});
    if (acts_continuously(reader)) continue;
    const int place = static_cast<int>(parts.signals.size());
    parts.signals.push_back({"controller/" + name, "N*m"});
    parts.elements.push_back(
        force::make_controlled_effort(name, simulated + k, element::Input::held(place)));
    attitude.outputs.push_back(parts.signals.back().name);
  }
  arm.attitude = std::move(attitude);
  return true;
}

bool add_steered_body(const Reader& reader, const CheckedScenario& checked, Assembly& assembly,
                      control::ControlledArm& arm) {
  const std::string body = reader.text("body");
  const model::Model& own = arm.plant->model();
  control::SteeredBody steered{body, floating_rate(own, body), {}};
  if (steered.rate < 0) {
    refuse_attitude(reader, "body", assembly);
    return false;
  }
  const std::vector<std::string> names =
      reader.has("thrusters") ? reader.texts("thrusters") : std::vector<std::string>{};
  for (const Reader& force : checked.reader().objects("forces")) {
    const std::string name = force.text("name");
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    const bool is_thruster = force.text("type") == "thruster";
    const std::string signal = is_thruster ? force.function("command").signal : "";
    if (signal.empty()) {
      assembly.faults.add("GR-939", reader.where("thrusters"),
                          fmt::format("'{}' must be a thruster whose 'command' is a signal, "
                                      "{{signal: NAME}}",
                                      name));
      return false;
    }
    steered.thrusters.push_back({name, assembly.frame(own, force.place("at")),
                                 read_axis(force, "direction", assembly.faults),
                                 force.number("thrust"), signal});
  }
  arm.steered = std::move(steered);
  return true;
}

}  // namespace grapple::scenario
