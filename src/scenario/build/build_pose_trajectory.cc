// Trajectories of poses: lines, circles, splines; in the world or relative to a frame.
#include <cmath>

#include "grapple/control/trajectory/pose_paths.h"
#include "grapple/control/trajectory/trajectory_block.h"
#include "grapple/scenario/build/internal/trajectory_draft.h"

namespace grapple::scenario {

namespace {

using control::Limits;
using spatial::Pose;
using spatial::Vec3;

struct GivenPoses {
  std::vector<Pose> poses;
  std::vector<double> times;  ///< empty: none
};

bool read_poses(const Drafting& draft, GivenPoses& given) {
  for (const Reader& pose : draft.reader.objects("poses")) {
    given.poses.push_back(
        {read_rotation(pose, "rotation", draft.assembly.faults), pose.vector3("position")});
    if (pose.has("time")) given.times.push_back(pose.number("time"));
  }
  if (!given.times.empty() && given.times.size() != given.poses.size()) {
    draft.fault("GR-994", "poses",
                fmt::format("{} of {} poses have a 'time'; give one for each, or none",
                            given.times.size(), given.poses.size()));
    return false;
  }
  if (!given.times.empty() && draft.reader.has("duration")) {
    draft.fault("GR-996", "duration", "the poses have times; leave out 'duration'");
    return false;
  }
  if (!given.times.empty() && draft.reader.has("start")) {
    draft.fault("GR-996", "start", "the poses have times; leave out 'start'");
    return false;
  }
  return are_increasing(draft, "poses", given.times);
}

double limit_or_none(const Reader& reader, const char* key) {
  return reader.has(key) ? reader.number(key) : std::numeric_limits<double>::infinity();
}

// Limits of s' and s'' from those along the path, of a way with this length and turn.
Limits limits_of_way(const Reader& reader, double length, double angle) {
  Limits limits;
  if (length > 0.0) {
    limits.rate = limit_or_none(reader, "speed_limit") / length;
    limits.acceleration = limit_or_none(reader, "path_acceleration_limit") / length;
    limits.jerk = limit_or_none(reader, "path_jerk_limit") / length;
  }
  if (angle > 0.0) {
    limits.rate = std::min(limits.rate, limit_or_none(reader, "turn_rate_limit") / angle);
    limits.acceleration =
        std::min(limits.acceleration, limit_or_none(reader, "turn_acceleration_limit") / angle);
  }
  return limits;
}

// The law of one stage; nothing if nothing says how long it takes, or too little time is given.
std::optional<control::TimeLaw> law_of_stage(const Drafting& draft, double length, double angle,
                                             double duration, std::size_t stage) {
  const control::LawKind kind = control::law_kind(draft.reader.text("profile"));
  const bool is_line = draft.reader.text("type") == "line";
  const Limits limits = limits_of_way(draft.reader, length, is_line ? angle : 0.0);
  const double way = length > 0.0 || angle > 0.0 ? 1.0 : 0.0;
  const control::TimeLaw shortest = control::shortest_law(kind, way, limits);
  if (!(duration > 0.0)) {
    if (way == 0.0 || control::bounds_duration(kind, limits)) return shortest;
    draft.fault("GR-996", "profile",
                fmt::format("nothing says how long stage {} takes; give 'duration', times, or "
                            "limits that bound profile '{}' along its way ({:g} m, {:g} rad)",
                            stage + 1, draft.reader.text("profile"), length, angle));
    return std::nullopt;
  }
  if (shortest.duration > duration * (1.0 + 1e-9)) {
    draft.fault("GR-995", draft.reader.has("duration") ? "duration" : "poses",
                fmt::format("stage {} has {:g} s; within the limits it takes at least {:.6g} s",
                            stage + 1, duration, shortest.duration));
    return std::nullopt;
  }
  return control::law_of_duration(kind, way, limits, duration);
}

std::unique_ptr<control::PosePath> line_path(const Drafting& draft) {
  GivenPoses given;
  if (!read_poses(draft, given)) return nullptr;
  const Reader& reader = draft.reader;
  if (reader.has("duration") && given.poses.size() != 2) {
    draft.fault("GR-996", "duration",
                fmt::format("'duration' is for two poses, there are {}; give each a 'time'",
                            given.poses.size()));
    return nullptr;
  }
  if (!jerk_can_be_kept(draft, control::law_kind(reader.text("profile")), "path_jerk_limit")) {
    return nullptr;
  }
  std::vector<control::TimeLaw> laws;
  for (std::size_t k = 0; k + 1 < given.poses.size(); ++k) {
    const control::PoseDistance way = control::distance_between(given.poses[k], given.poses[k + 1]);
    double duration = reader.has("duration") ? reader.number("duration") : 0.0;
    if (!given.times.empty()) duration = given.times[k + 1] - given.times[k];
    const auto law = law_of_stage(draft, way.length, way.angle, duration, k);
    if (!law) return nullptr;
    laws.push_back(*law);
  }
  const double start = given.times.empty() ? reader.number("start") : given.times.front();
  return control::make_line_path(std::move(given.poses), std::move(laws), start);
}

std::unique_ptr<control::PosePath> circle_path(const Drafting& draft) {
  const Reader& reader = draft.reader;
  control::Circle circle;
  circle.centre = reader.vector3("centre");
  circle.axis = read_axis(reader, "axis", draft.assembly.faults).normalized();
  circle.begin = {read_rotation(reader, "rotation", draft.assembly.faults),
                  reader.vector3("begin")};
  circle.angle = reader.number("angle");
  if (reader.text("orientation") == "turning") {
    circle.orientation = control::Circle::Orientation::kTurning;
  }
  const Vec3 arm = circle.begin.p - circle.centre;
  const double radius = arm.norm(), along = std::abs(arm.dot(circle.axis));
  if (!(radius > 0.0) || along > 1e-9 * radius) {
    draft.fault("GR-997", "begin",
                radius > 0.0
                    ? fmt::format("it lies {:g} m off the plane through the centre square to the "
                                  "axis; move 'begin' or 'centre' by that along the axis",
                                  along)
                    : "it lies at the centre; a circle needs a radius");
    return nullptr;
  }
  if (!jerk_can_be_kept(draft, control::law_kind(reader.text("profile")), "path_jerk_limit")) {
    return nullptr;
  }
  const double duration = reader.has("duration") ? reader.number("duration") : 0.0;
  const double angle = std::abs(circle.angle);
  const auto law = law_of_stage(draft, radius * angle, angle, duration, 0);
  return law ? control::make_circle_path(circle, *law, reader.number("start")) : nullptr;
}

std::unique_ptr<control::PosePath> spline_path(const Drafting& draft) {
  GivenPoses given;
  if (!read_poses(draft, given)) return nullptr;
  const Reader& reader = draft.reader;
  if (given.times.empty() && !reader.has("duration")) {
    draft.fault("GR-996", "poses",
                "nothing says how long it takes; give 'duration', or each pose "
                "a 'time'");
    return nullptr;
  }
  for (std::size_t k = 0; k + 1 < given.poses.size(); ++k) {
    const control::PoseDistance way = control::distance_between(given.poses[k], given.poses[k + 1]);
    if (given.times.empty() && !(way.length > 0.0 || way.angle > 0.0)) {
      draft.fault(
          "GR-997", "poses",
          fmt::format("poses {} and {} are equal; leave one out, or give times", k + 1, k + 2));
      return nullptr;
    }
  }
  const control::SplineEnds ends =
      given.times.empty() ? control::SplineEnds::kNatural : ends_of(reader);
  if (!control::has_rotation_spline(given.poses, given.times, ends)) {
    draft.fault("GR-997", "poses",
                "there is no smooth turn through these orientations; neighbours must be well below "
                "half a turn apart: add poses between them");
    return nullptr;
  }
  if (!given.times.empty()) {
    return control::make_timed_spline_path(given.poses, given.times, ends);
  }
  const control::LawKind kind = control::law_kind(reader.text("profile"));
  return control::make_spline_path(
      given.poses, control::law_of_duration(kind, 1.0, {}, reader.number("duration")),
      reader.number("start"));
}

// "frame/target/port/" of the channels; "" of the world; nothing if there are none.
std::optional<std::string> channel_stem(const Drafting& draft) {
  if (!draft.reader.has("relative_to")) return "";
  const Place place = draft.reader.place("relative_to");
  if (place.body == "world" && place.frame.empty() && place.offset == std::array<double, 3>{}) {
    return "";
  }
  const std::string name = place.frame.empty() ? place.body : place.body + "/" + place.frame;
  const model::Model& model = draft.model;
  if (place.offset != std::array<double, 3>{} || model.find_frame(name) < 0) {
    draft.fault("GR-998", "relative_to",
                fmt::format("'{}' must be a body or a frame with a name of its own; declare one "
                            "under 'frames' there",
                            name));
    return std::nullopt;
  }
  return (model.find_body(name) >= 0 ? "body/" : "frame/") + name + "/";
}

}  // namespace

void add_pose_trajectory(const Drafting& draft, const std::string& type,
                         system::SystemParts& parts) {
  std::unique_ptr<control::PosePath> path = type == "line"     ? line_path(draft)
                                            : type == "circle" ? circle_path(draft)
                                                               : spline_path(draft);
  const std::optional<std::string> stem = channel_stem(draft);
  if (path == nullptr || !stem) return;
  const auto reference = control::make_pose_reference(std::move(path), *stem);
  const std::string name = draft.reader.text("name");
  draft.assembly.pose_references[name] = reference;
  if (!draft.reader.has("period")) return;
  std::vector<element::Signal> signals = control::pose_signals(name, *reference);
  std::vector<Dimension> dimensions;
  for (const element::Signal& signal : signals) {
    dimensions.push_back(parse_unit(signal.unit).dimension);
  }
  auto block = control::make_pose_publisher(
      "trajectory/" + name, {draft.reader.number("period"), 0.0, 0.0}, reference, signals);
  publish(draft, std::move(block), std::move(signals), dimensions, parts);
}

}  // namespace grapple::scenario
