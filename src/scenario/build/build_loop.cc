// Loops of a scenario between two places; those between coordinates are in build_ratio.cc.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  constraint::FramePair frames;
  dynamics::FrameMotion<double> at_F, at_M;

  Vec3 r_F() const { return at_F.R_WF.transpose() * (at_M.p_WF - at_F.p_WF); }
  // Turns F by R within its place; the axes on the second body are those of the first at the start.
  void align(const Mat3& R, const model::Workspace& workspace) {
    frames.F.X_LF.R = frames.F.X_LF.R * R;
    at_F = dynamics::frame_motion(frames.F, workspace);
    frames.M.X_LF.R = frames.M.X_LF.R * at_M.R_WF.transpose() * at_F.R_WF;
  }
};

// One reader per kind; nothing if it is at fault.
using Made = std::optional<constraint::ConstraintKind>;

Made distance(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  const double length = loop.has("length") ? loop.number("length") : ends.r_F().norm();
  if (length > 0.0) return constraint::Distance{ends.frames, length};
  faults.add("GR-904", loop.where(),
             "the two ends coincide: a distance of zero is a spherical loop");
  return std::nullopt;
}

Made screw(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  const double pitch = loop.number("pitch");
  if (pitch != 0.0) return constraint::Screw{ends.frames, pitch, ends.r_F().z()};
  faults.add("GR-905", loop.where("pitch"),
             "a screw without pitch does not slide: use a revolute loop");
  return std::nullopt;
}

Made rolling_sphere(const Reader& loop, const Ends& ends, Diagnostics&) {
  return constraint::Rolling{ends.frames, loop.number("radius")};
}

Made rolling_disc(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  const Vec3 axle =
      axes_of(loop, "rolling-disc", faults).transpose() * read_axis(loop, "axis2", faults);
  if (axle.head<2>().norm() > 1e-6) {
    return constraint::Rolling{ends.frames, loop.number("radius"), axle};
  }
  faults.add("GR-905", loop.where("axis2"),
             "the disc lies flat: its axle must not stand across the plane it rolls on");
  return std::nullopt;
}

Made knife_edge(const Reader&, const Ends& ends, Diagnostics&) {
  return constraint::KnifeEdge{ends.frames};
}

Made point_on_curve(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  if (loop.has("radius")) {
    return constraint::PointOnCurve{ends.frames, constraint::Curve::circle(loop.number("radius"))};
  }
  std::vector<Vec3> points;
  for (const std::vector<Quantity>& point : loop.number_lists("points")) {
    points.emplace_back(point[0].value, point[1].value, point[2].value);
  }
  const bool closed = loop.boolean("closed");
  const auto refuse = [&](const std::string& why) -> Made {
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
  // Points are in the axes of the place itself.
  constraint::FramePair frames = ends.frames;
  frames.F.X_LF.R = frames.F.X_LF.R * axes_of(loop, "point-on-curve", faults).transpose();
  return constraint::PointOnCurve{frames, std::move(curve)};
}

Made prescribed_motion(const Reader& loop, const Ends& ends, Diagnostics& faults) {
  const auto read = [&](const char* key) -> std::optional<std::array<Function, 3>> {
    if (!loop.has(key)) return std::nullopt;
    const std::vector<TimeFunction> given = loop.functions(key);
    return std::array{given[0].function, given[1].function, given[2].function};
  };
  constraint::PrescribedMotion motion{ends.frames, read("position"), read("rotation")};
  if (motion.position || motion.rotation) return motion;
  faults.add("GR-905", loop.where(), "a given motion needs a position, a rotation, or both");
  return std::nullopt;
}

Made loop_closure(const Reader& loop, const Ends& ends, Diagnostics&) {
  return constraint::LoopClosure{ends.frames, constraint::loop_type(loop.text("type"))};
}

Made kind_between_frames(const Reader& loop, Ends ends, const model::Workspace& workspace,
                         Diagnostics& faults) {
  struct KindReader {
    const char* type;
    Made (*read)(const Reader&, const Ends&, Diagnostics&);
  };
  static constexpr KindReader kReaders[] = {
      {"distance", distance},         {"screw", screw},
      {"rolling-disc", rolling_disc}, {"rolling-sphere", rolling_sphere},
      {"knife-edge", knife_edge},     {"point-on-curve", point_on_curve}};
  const std::string type = loop.text("type");
  if (type == "motion") return prescribed_motion(loop, ends, faults);
  ends.align(axes_of(loop, type, faults), workspace);
  for (const KindReader& kind : kReaders) {
    if (type == kind.type) return kind.read(loop, ends, faults);
  }
  return loop_closure(loop, ends, faults);
}

Made kind_between_places(const Reader& loop, Assembly& assembly, const model::Model& model,
                         const model::Workspace& workspace) {
  const std::vector<Place> places = loop.places("between");
  Ends ends{{assembly.frame(model, places[0]), assembly.frame(model, places[1])}, {}, {}};
  if (ends.frames.F.link == ends.frames.M.link) {
    assembly.faults.add("GR-904", loop.where("between"),
                        "both ends sit on the same body; a loop closes between two");
    return std::nullopt;
  }
  ends.at_F = dynamics::frame_motion(ends.frames.F, workspace);
  ends.at_M = dynamics::frame_motion(ends.frames.M, workspace);
  return kind_between_frames(loop, ends, workspace, assembly.faults);
}

constraint::CaptureLimits capture_of(const Reader& reader, const Constraint& made) {
  const bool stays =
      made.latching == constraint::Latching::kInPlace && constraint::can_close_in_place(made);
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
    Made kind = loop.has("between")
                    ? kind_between_places(loop, assembly, parts.model, workspace)
                    : kind_between_coordinates(loop, parts.model, state.q, assembly.faults);
    if (!kind) continue;
    Constraint made{loop.text("name"), std::move(*kind)};
    add_latches(loop, made, static_cast<int>(parts.constraints.size()), plan);
    parts.constraints.push_back(std::move(made));
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
    const auto count = static_cast<Eigen::Index>(constraint::rows_of(loop).size());
    const double off = system.initial_opening().segment(row, count).lpNorm<Eigen::Infinity>();
    row += count;
    if (!loop.active || off < kWorthSaying) continue;
    assembly.start_notes.push_back(
        fmt::format("loop '{}' was open by {:.3g} (m, or rad); the start was moved to close it",
                    loop.name, off));
  }
}

void add_reactions(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  const Reader simulate = scenario.object("simulate");
  if (!simulate.has("record") || !simulate.object("record").has("reactions")) return;
  const Reader record = simulate.object("record");
  const std::vector<std::string> names =
      record.is_list("reactions") ? record.texts("reactions") : std::vector<std::string>{};
  const auto asked = [&](const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const model::Joint& joint : parts.model.joints()) {
    // A length is a coordinate inside a body; what a rail carries is fixed to a seat on it.
    const model::Link& link = parts.model.link(joint.link);
    if (parts.model.guided(link) != nullptr) {
      if (!names.empty() && asked(joint.name) && parts.model.flexible_body(link).line != nullptr) {
        assembly.faults.add(
            "GR-373", record.where("reactions"),
            fmt::format("a deployed length has no reaction of its own; found '{}'; name "
                        "the joint that carries the beam",
                        joint.name));
      }
      continue;
    }
    const std::string_view name = joint.name;
    const bool seat = name.ends_with(kSeatOnRail);
    const std::string_view given = seat ? name.substr(0, name.size() - kSeatOnRail.size()) : name;
    const bool known = std::ranges::find(parts.reactions, joint.link) != parts.reactions.end();
    if (asked(std::string(given)) && !known) parts.reactions.push_back(joint.link);
  }
}

}  // namespace grapple::scenario
