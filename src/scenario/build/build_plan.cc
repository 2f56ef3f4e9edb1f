// The section `plan`: what `grapple plan` is to find.
#include <limits>

#include "grapple/control/planning/motion_plan.h"
#include "grapple/scenario/build/internal/trajectory_draft.h"

namespace grapple::scenario {

namespace {

// One number per joint.
bool read_each(const Drafting& draft, const char* key, int time,
               const std::vector<LedJoint>& joints, std::vector<double>& numbers) {
  if (!draft.reader.has(key)) return true;
  const std::vector<Quantity> given = draft.reader.numbers(key);
  if (given.size() != joints.size()) {
    draft.fault(
        "GR-994", key,
        fmt::format("{} numbers for {} joints; give one for each", given.size(), joints.size()));
    return false;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!fits(draft, key, given[j], joints[j], time)) return false;
    numbers[j] = given[j].value;
  }
  return true;
}

}  // namespace

std::optional<control::PlanTask> read_motion_plan(const Reader& scenario, Assembly& assembly,
                                                  const model::Model& model) {
  if (!scenario.has("plan")) return std::nullopt;
  const Reader reader = scenario.object("plan");
  const Drafting draft{reader, assembly, model, "plan"};
  const std::vector<LedJoint> joints = led_joints(draft);
  if (joints.empty()) return std::nullopt;
  control::PlanTask task;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  task.lower.assign(joints.size(), -kNone);
  task.upper.assign(joints.size(), kNone);
  task.rate_limit.assign(joints.size(), kNone);
  for (const LedJoint& joint : joints) {
    const auto at = static_cast<std::size_t>(model.find_joint(joint.name));
    const model::Link& link = model.link(model.joints()[at].link);
    task.names.push_back(joint.name);
    task.units.emplace_back(joint.turns ? "rad" : "m");
    task.joints.push_back({link.q_index, link.v_index});
  }
  if (!read_each(draft, "lower", 0, joints, task.lower) ||
      !read_each(draft, "upper", 0, joints, task.upper) ||
      !read_each(draft, "rate_limit", -1, joints, task.rate_limit)) {
    return std::nullopt;
  }
  const int reaction = model.find_joint(reader.text("reaction"));
  if (reaction < 0) return std::nullopt;  // has a fault of its own
  task.reaction_link = model.joints()[static_cast<std::size_t>(reaction)].link;
  task.frame = assembly.frame(model, reader.place("frame"));
  task.to_W = reader.vector3("to");
  task.duration = reader.number("duration");
  task.moment_weight = reader.number("moment_weight");
  task.force_weight = reader.number("force_weight");
  task.segments = static_cast<int>(reader.integer("segments"));
  return task;
}

}  // namespace grapple::scenario
