// Shapes of a beam that move it where its joint holds it: the joint would hold the floating frame
// and not the beam, whose frequencies are then those of other supports.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

namespace {

using spatial::Vec3;

struct Turn {
  const char* shapes;
  const char* axis;
  Vec3 about;
};
const Turn kTurns[] = {{"bending_y", "z", Vec3::UnitZ()}, {"bending_z", "y", Vec3::UnitY()}};

std::optional<Reader> joint_under(const Reader& scenario, const std::string& body) {
  for (const Reader& joint : scenario.objects("joints")) {
    if (joint.place("child").body == body) return joint;
  }
  return std::nullopt;
}

// Whether a joint lets its child turn about an axis.
bool turns_about(const Reader& joint, const Vec3& axis, Diagnostics& faults) {
  const std::string type = joint.text("type");
  if (type == "spherical" || type == "free") return true;
  if (type == "fixed" || type == "prismatic" || type == "helical") return false;
  Vec3 rest = axis;
  for (const char* key : {"axis", "axis2"}) {
    if (!joint.available(key)) continue;
    const Vec3 own = read_axis(joint, key, faults).normalized();
    rest -= own.dot(rest) * own;  // the two axes of a universal joint stand at right angles
  }
  return rest.norm() < 1e-6;
}

bool is_held_at_tip(const Reader& scenario, const std::string& body, double length) {
  const auto at_tip = [&](const Place& place) {
    return place.body == body &&
           (place.frame == "tip" || std::abs(place.offset[0] - length) < 1e-6 * length);
  };
  const auto joints = scenario.objects("joints"), loops = scenario.objects("loops");
  return std::ranges::any_of(joints,
                             [&](const Reader& joint) { return at_tip(joint.place("parent")); }) ||
         std::ranges::any_of(loops, [&](const Reader& loop) {
           return loop.has("between") && std::ranges::any_of(loop.places("between"), at_tip);
         });
}

void check_root(const Reader& beam, const Reader& joint, const std::string& boundary,
                Diagnostics& faults) {
  const std::string type = joint.text("type");
  if (type == "free") return;
  const auto refuse = [&](const std::string& what) {
    faults.add("GR-348", beam.where("boundary"),
               fmt::format("the shapes of boundary '{}' {} the beam at its root, where joint '{}' "
                           "({}) holds it: the joint would hold the floating frame instead; leave "
                           "'boundary' out, or take another joint",
                           boundary, what, joint.text("name"), type));
  };
  if (boundary == "free-free") return refuse("move");
  if (!beam.has("modes") || !beam.is_mapping("modes")) return;
  const Reader modes = beam.object("modes");
  for (const Turn& turn : kTurns) {
    if (!modes.has(turn.shapes) || modes.integer(turn.shapes) == 0) continue;
    if (!turns_about(joint, turn.about, faults)) refuse(fmt::format("turn, about {},", turn.axis));
  }
}

}  // namespace

void check_boundaries(const Reader& scenario, Assembly& assembly) {
  for (const Reader& body : scenario.objects("bodies")) {
    if (!body.has("beam")) continue;
    const Reader beam = body.object("beam");
    if (!beam.has("boundary") || beam.text("method") != "modes") continue;
    const std::string boundary = beam.text("boundary"), name = body.text("name");
    if (boundary == "pinned-free" || boundary == "free-free") {
      const std::optional<Reader> joint = joint_under(scenario, name);
      if (joint) check_root(beam, *joint, boundary, assembly.faults);
    }
    if (boundary == "clamped-clamped" && !is_held_at_tip(scenario, name, beam.number("length"))) {
      assembly.faults.add("GR-348", beam.where("boundary"),
                          fmt::format("the shapes of boundary 'clamped-clamped' hold the tip of "
                                      "'{}', and no joint or loop is there; leave 'boundary' out",
                                      name));
    }
  }
}

}  // namespace grapple::scenario
