// Loops of a scenario between two places; those between coordinates are in build_ratio.cc.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "grapple/dynamics/kinematics.h"
#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/build_ratio.h"
#include "grapple/spatial/rotation.h"

namespace grapple::scenario {

namespace {

using constraint::Constraint;
using spatial::Mat3;
using spatial::Vec3;

// Axes of F from the loop's axis, in the first place's axes.
Mat3 axes_of(const Reader& loop, const std::string& type, Diagnostics& faults) {
  if (type == "universal") {
    const Vec3 x = read_axis(loop, "axis", faults), y = read_axis(loop, "axis2", faults);
    const Vec3 z = x.cross(y);
    if (!(z.norm() > 1e-6)) {
      faults.add("GR-311", loop.where("axis2"),
                 fmt::format("the two axes of a universal loop must not be parallel{}",
                             loop.has("axis2") ? "" : "; 'axis2' is y where it is left out"));
      return Mat3::Identity();
    }
    Mat3 R;
    R << x, z.normalized().cross(x), z.normalized();
    return R;
  }
  return loop.available("axis") ? spatial::frame_with_z(read_axis(loop, "axis", faults))
                                : Mat3::Identity();
}

// Where both ends are at the start.
struct Ends {
  model::Frame F, M;
  dynamics::FrameMotion<double> at_F, at_M;

  Vec3 r_F() const { return at_F.R_WF.transpose() * (at_M.p_WF - at_F.p_WF); }
};

std::optional<double> length_of(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  const double length = loop.has("length") ? loop.number("length") : ends.r_F().norm();
  if (length > 0.0) return length;
  faults.add("GR-904", loop.where(),
             "the two ends coincide: a distance of zero is a spherical loop");
  return std::nullopt;
}

std::optional<Constraint> curve_loop(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  const std::string name = loop.text("name");
  if (loop.has("radius")) {
    return constraint::make_point_on_curve(name, ends.F, ends.M,
                                           constraint::Curve::circle(loop.number("radius")));
  }
  std::vector<Vec3> points;
  for (const std::vector<Quantity>& point : loop.number_lists("points")) {
    points.emplace_back(point[0].value, point[1].value, point[2].value);
  }
  const bool closed = loop.boolean("closed");
  const auto refuse = [&](const std::string& why) -> std::optional<Constraint> {
    faults.add("GR-905", loop.where("points"), why);
    return std::nullopt;
  };
  if (closed && points.size() < 3) return refuse("a closed curve needs at least three points");
  for (std::size_t k = closed ? 0 : 1; k < points.size(); ++k) {
    const std::size_t before = k == 0 ? points.size() - 1 : k - 1;
    if (points[k] != points[before]) continue;
    return refuse(fmt::format("points {} and {} of the curve coincide{}", before + 1, k + 1,
                              k == 0 ? " (a closed curve returns to the first by itself)" : ""));
  }
  constraint::Curve curve = constraint::Curve::through(
      points, closed ? constraint::Curve::Ends::kClosed : constraint::Curve::Ends::kOpen);
  if (curve.clearance() < 0.02) {
    return refuse(
        "the curve turns through so many directions that no normal stays across it; "
        "split it into simpler pieces, or smooth it");
  }
  return constraint::make_point_on_curve(name, ends.F, ends.M, std::move(curve));
}

std::optional<Constraint> motion_loop(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  constraint::GivenMotion motion;
  const auto read = [&](const char* key, std::vector<Function>& functions) {
    if (!loop.has(key)) return;
    for (TimeFunction& f : loop.functions(key)) functions.push_back(f.function);
  };
  read("position", motion.position);
  read("rotation", motion.rotation);
  if (motion.position.empty() && motion.rotation.empty()) {
    faults.add("GR-905", loop.where(), "a given motion needs a position, a rotation, or both");
    return std::nullopt;
  }
  return constraint::make_given_motion(loop.text("name"), ends.F, ends.M, std::move(motion));
}

// The axes on the second body are those of the first at the start.
void align(Ends& ends) {
  ends.M.X_LF.R = ends.M.X_LF.R * ends.at_M.R_WF.transpose() * ends.at_F.R_WF;
}

std::optional<Constraint> framed_loop(const Reader& loop, Ends ends,
                                      const model::Workspace& workspace, Diagnostics& faults) {
  const std::string name = loop.text("name"), type = loop.text("type");
  if (type == "motion") return motion_loop(loop, ends, faults);
  ends.F.X_LF.R = ends.F.X_LF.R * axes_of(loop, type, faults);
  ends.at_F = dynamics::frame_motion(ends.F, workspace);
  align(ends);
  if (type == "point-on-curve") {
    // Points are in the axes of the place itself.
    if (loop.has("points")) ends.F.X_LF.R = ends.F.X_LF.R * axes_of(loop, type, faults).transpose();
    return curve_loop(loop, ends, faults);
  }
  double size = 0.0;
  if (type == "distance") {
    const std::optional<double> length = length_of(loop, ends, faults);
    if (!length) return std::nullopt;
    size = *length;
  }
  if (type == "screw") size = loop.number("pitch");
  if (type == "rolling-sphere" || type == "rolling-disc") size = loop.number("radius");
  Constraint made = constraint::make_loop(name, constraint::loop_type(type), ends.F, ends.M, size);
  if (type == "screw") {
    if (size == 0.0) {
      faults.add("GR-905", loop.where("pitch"),
                 "a screw without pitch does not slide: use a revolute loop");
      return std::nullopt;
    }
    made.offset = ends.r_F().z();
  }
  if (type == "rolling-disc") {
    const Vec3 axle = axes_of(loop, type, faults).transpose() * read_axis(loop, "axis2", faults);
    if (!(axle.head<2>().norm() > 1e-6)) {
      faults.add("GR-905", loop.where("axis2"),
                 "the disc lies flat: its axle must not stand across the plane it rolls on");
      return std::nullopt;
    }
    for (constraint::Row& row : made.rows) row.b_M = axle;
  }
  return made;
}

std::optional<Constraint> loop_between_places(const Reader& loop, Assembly& assembly,
                                              const model::Model& model,
                                              const model::Workspace& workspace) {
  const std::vector<Place> places = loop.places("between");
  Ends ends{assembly.frame(model, places[0]), assembly.frame(model, places[1]), {}, {}};
  if (ends.F.link == ends.M.link) {
    assembly.faults.add("GR-904", loop.where("between"),
                        "both ends sit on the same body; a loop closes between two");
    return std::nullopt;
  }
  ends.at_F = dynamics::frame_motion(ends.F, workspace);
  ends.at_M = dynamics::frame_motion(ends.M, workspace);
  return framed_loop(loop, ends, workspace, assembly.faults);
}

constraint::CaptureLimits capture_of(const Reader& reader, const Constraint& loop) {
  const bool stays =
      loop.latching == constraint::Latching::kInPlace && constraint::can_close_in_place(loop);
  constraint::CaptureLimits limits =
      stays ? constraint::kCaptureInPlace : constraint::kCaptureAsGiven;
  if (!reader.has("capture")) return limits;
  const Reader capture = reader.object("capture");
  if (capture.has("distance")) limits.distance = capture.number("distance");
  if (capture.has("angle")) limits.angle = capture.number("angle");
  limits.speed = capture.number("speed");
  limits.angular_speed = capture.number("angular_speed");
  return limits;
}

void add_latches(const Reader& reader, Constraint& loop, int index, record::RunPlan& plan) {
  loop.active = reader.boolean("active");
  loop.latching = reader.text("closes") == "in-place" ? constraint::Latching::kInPlace
                                                      : constraint::Latching::kAsGiven;
  loop.capture = capture_of(reader, loop);
  for (const Reader& moment : reader.objects("latch")) {
    const bool latches = moment.text("state") == "latched";
    const double time = moment.number("at");
    if (time > 0.0) {
      plan.switches.push_back(
          {fmt::format("{} {}", latches ? "latch" : "release", loop.name),
           time,
           {latches ? run::Switch::Kind::kLatch : run::Switch::Kind::kRelease, index}});
    } else {
      loop.active = latches;
    }
  }
}

// Two loops of one type between the same two places hold the same thing twice.
void refuse_repeats(const std::vector<Reader>& loops, Diagnostics& faults) {
  const auto same_place = [](const Place& a, const Place& b) {
    return a.body == b.body && a.frame == b.frame && a.offset == b.offset;
  };
  for (std::size_t b = 1; b < loops.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const bool comparable = loops[a].text("type") == loops[b].text("type") &&
                              loops[a].has("between") && loops[b].has("between");
      if (!comparable) continue;
      const std::vector<Place> one = loops[a].places("between"), two = loops[b].places("between");
      const bool same = same_place(one[0], two[0]) && same_place(one[1], two[1]);
      const bool swapped = same_place(one[0], two[1]) && same_place(one[1], two[0]);
      if (!same && !swapped) continue;
      faults.add("GR-906", loops[b].where(),
                 fmt::format("loop '{}' repeats loop '{}': the same type between the same places; "
                             "remove one of them",
                             loops[b].text("name"), loops[a].text("name")));
    }
  }
}

}  // namespace

void add_loops(const Reader& scenario, Assembly& assembly, system::SystemParts& parts,
               record::RunPlan& plan) {
  const std::vector<Reader> loops = scenario.objects("loops");
  if (loops.empty()) return;
  refuse_repeats(loops, assembly.faults);
  model::State state(parts.model);
  if (parts.q.size() > 0) state.q = parts.q;
  model::Workspace workspace(parts.model);
  dynamics::forward_kinematics(parts.model, state, workspace);
  for (const Reader& loop : loops) {
    assembly.places[fmt::format("loop '{}'", loop.text("name"))] = loop.where();
    std::optional<Constraint> made =
        loop.has("between") ? loop_between_places(loop, assembly, parts.model, workspace)
                            : loop_between_coordinates(loop, parts.model, state.q, assembly.faults);
    if (!made) continue;
    add_latches(loop, *made, static_cast<int>(parts.constraints.size()), plan);
    parts.constraints.push_back(std::move(*made));
  }
}

// Rates that the loops do not allow are changed to the nearest that they do, in the sense of the
// kinetic energy; a crank's rate alone is what one types first.
void note_changed_rates(const system::System& system, const spatial::VecX& given,
                        Assembly& assembly) {
  constexpr double kWorthSaying = 1e-6;
  constexpr std::size_t kMostNamed = 4;
  const model::Model& model = system.model();
  const spatial::VecX x = system.initial_state();
  std::size_t count = 0;
  for (const model::Joint& joint : model.joints()) {
    const model::Link& link = model.links()[static_cast<std::size_t>(joint.link)];
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
      const double before = given.size() > 0 ? given[k] : 0.0, now = x[model.nq() + k];
      if (std::abs(now - before) <= kWorthSaying * std::max(1.0, std::abs(before))) continue;
      if (++count > kMostNamed) continue;
      assembly.start_notes.push_back(fmt::format(
          "joint '{}' starts at the rate {:.6g} instead of {:.6g} (SI), which the loops "
          "do not allow",
          joint.name, now, before));
    }
  }
  if (count > kMostNamed) {
    assembly.start_notes.push_back(
        fmt::format("and {} more rates were changed so", count - kMostNamed));
  }
}

void note_closing(const system::System& system, const spatial::VecX& given_rates,
                  Assembly& assembly) {
  if (!system.constraints().empty()) note_changed_rates(system, given_rates, assembly);
  constexpr double kWorthSaying = 1e-6;  // m or rad: more than rounding of what a file says
  if (system.initial_opening().size() == 0) return;
  Eigen::Index row = 0;
  for (const Constraint& loop : system.constraints()) {
    const auto count = static_cast<Eigen::Index>(loop.rows.size());
    const double off = system.initial_opening().segment(row, count).lpNorm<Eigen::Infinity>();
    row += count;
    if (!loop.active || off < kWorthSaying) continue;
    assembly.start_notes.push_back(
        fmt::format("loop '{}' was open by {:.3g} (m, or rad); the start was moved to close it",
                    loop.name, off));
  }
}

void add_reactions(const Reader& scenario, system::SystemParts& parts) {
  const Reader simulate = scenario.object("simulate");
  if (!simulate.has("record") || !simulate.object("record").has("reactions")) return;
  const Reader record = simulate.object("record");
  const std::vector<std::string> names =
      record.is_list("reactions") ? record.texts("reactions") : std::vector<std::string>{};
  for (const model::Joint& joint : parts.model.joints()) {
    const bool asked =
        names.empty() || std::find(names.begin(), names.end(), joint.name) != names.end();
    if (asked) parts.reactions.push_back(joint.link);
  }
}

}  // namespace grapple::scenario
