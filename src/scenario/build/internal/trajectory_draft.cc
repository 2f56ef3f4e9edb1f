#include "grapple/scenario/build/internal/trajectory_draft.h"

#include <set>

namespace grapple::scenario {

std::vector<LedJoint> led_joints(const Drafting& draft) {
  std::vector<LedJoint> joints;
  std::set<std::string> seen;
  const model::Model& model = draft.model;
  for (const std::string& name : draft.reader.texts("joints")) {
    const int found = model.find_joint(name);
    if (found < 0) return {};  // has a fault of its own
    const model::Link& link = model.link(model.joints()[static_cast<std::size_t>(found)].link);
    if (link.nv != 1) {
      draft.fault("GR-999", "joints",
                  fmt::format("joint '{}' has {} degrees of freedom; joints with one are needed",
                              name, link.nv));
      return {};
    }
    if (!seen.insert(name).second) {
      draft.fault("GR-999", "joints", fmt::format("joint '{}' stands in the list twice", name));
      return {};
    }
    joints.push_back({name, model::is_rotational(link.type, 0)});
  }
  return joints;
}

bool fits(const Drafting& draft, const char* key, const Quantity& given, const LedJoint& joint,
          int time) {
  const Dimension needed = joint.dimension(time);
  if (!given.has_unit || given.dimension == needed) return true;
  draft.assembly.faults.add("GR-310", draft.reader.where(key),
                            fmt::format("joint '{}' needs {}, found {}", joint.name,
                                        needed == dimension::kNone ? "an angle" : unit_text(needed),
                                        unit_text(given.dimension)));
  return false;
}

bool are_increasing(const Drafting& draft, const char* key, const std::vector<double>& times) {
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    if (times[k + 1] > times[k]) continue;
    draft.fault("GR-994", key,
                fmt::format("times must increase; time {} is {:g} s after {:g} s", k + 2,
                            times[k + 1], times[k]));
    return false;
  }
  return true;
}

bool jerk_can_be_kept(const Drafting& draft, control::LawKind kind, const char* key) {
  if (!draft.reader.has(key) || control::has_continuous_acceleration(kind)) return true;
  draft.fault("GR-996", key,
              fmt::format("the acceleration of profile '{}' jumps, which no limit of the jerk "
                          "allows; take s-curve, quintic or sine-on-ramp",
                          draft.reader.text("profile")));
  return false;
}

control::SplineEnds ends_of(const Reader& reader) {
  return reader.text("ends") == "natural" ? control::SplineEnds::kNatural
                                          : control::SplineEnds::kClamped;
}

void publish(const Drafting& draft, std::unique_ptr<element::SampledBlock> block,
             std::vector<element::Signal> signals, const std::vector<Dimension>& dimensions,
             system::SystemParts& parts) {
  draft.assembly.places[fmt::format("block '{}'", block->name())] = draft.reader.where();
  parts.blocks.push_back(std::move(block));
  for (std::size_t k = 0; k < signals.size(); ++k) {
    draft.assembly.signals[signals[k].name] = {static_cast<int>(parts.signals.size()),
                                               dimensions[k]};
    parts.signals.push_back(std::move(signals[k]));
  }
}

}  // namespace grapple::scenario
