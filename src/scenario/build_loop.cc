// Closed loops of a scenario.
#include <fmt/format.h>

#include "grapple/dynamics/kinematics.h"
#include "grapple/scenario/assembly.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {

namespace {

using spatial::Mat3;
using spatial::Vec3;

// Axes of F from the loop's axis, in the first place's axes.
Mat3 axes_of(const Reader& loop, const std::string& type, Diagnostics& faults) {
  if (type == "universal") {
    const Vec3 x = read_axis(loop, "axis", faults), y = read_axis(loop, "axis2", faults);
    const Vec3 z = x.cross(y);
    if (!(z.norm() > 1e-6)) {
      faults.add("GR-311", loop.where("axis2"),
                 "the two axes of a universal loop must not be parallel");
      return Mat3::Identity();
    }
    Mat3 R;
    R << x, z.normalized().cross(x), z.normalized();
    return R;
  }
  return loop.available("axis") ? spatial::frame_with_z(read_axis(loop, "axis", faults))
                                : Mat3::Identity();
}

// The impulse that stops a joint would have to respect the loops.
void refuse_locks(const Reader& scenario, Diagnostics& faults) {
  const char* const words =
      "locking a joint while it moves is not there yet in systems with closed loops";
  for (const Reader& joint : scenario.objects("joints")) {
    if (joint.has("lock")) faults.add("GR-902", joint.where("lock"), words);
  }
  for (const Reader& event : scenario.objects("events")) {
    if (event.text("action") == "lock") faults.add("GR-902", event.where("action"), words);
  }
}

}  // namespace

void add_loops(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  if (scenario.objects("loops").empty()) return;
  refuse_locks(scenario, assembly.faults);
  model::State state(parts.model);
  if (parts.q.size() > 0) state.q = parts.q;
  model::Workspace workspace(parts.model);
  dynamics::forward_kinematics(parts.model, state, workspace);
  for (const Reader& loop : scenario.objects("loops")) {
    const std::string name = loop.text("name"), type = loop.text("type");
    assembly.places[fmt::format("loop '{}'", name)] = loop.where();
    const std::vector<Place> ends = loop.places("between");
    model::Frame F = assembly.frame(parts.model, ends[0]);
    model::Frame M = assembly.frame(parts.model, ends[1]);
    if (F.link == M.link) {
      assembly.faults.add("GR-904", loop.where("between"),
                          "both ends sit on the same body; a loop closes between two");
      continue;
    }
    F.X_LF.R = F.X_LF.R * axes_of(loop, type, assembly.faults);
    // The axes on the second body are those of the first at the start.
    const Mat3 R_WF = dynamics::frame_motion(F, workspace).R_WF;
    const Mat3 R_WM = dynamics::frame_motion(M, workspace).R_WF;
    M.X_LF.R = M.X_LF.R * R_WM.transpose() * R_WF;
    double length = 0.0;
    if (type == "distance") {
      const Vec3 between =
          dynamics::frame_motion(M, workspace).p_WF - dynamics::frame_motion(F, workspace).p_WF;
      length = loop.has("length") ? loop.number("length") : between.norm();
      if (!(length > 0.0)) {
        assembly.faults.add("GR-904", loop.where(),
                            "the two ends coincide: a distance of zero is a spherical loop");
        continue;
      }
    }
    parts.loops.push_back(constraint::make_loop(name, constraint::loop_type(type), F, M, length));
  }
}

}  // namespace grapple::scenario
