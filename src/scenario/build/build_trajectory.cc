// Trajectories of a scenario: GR-994 (points and times that do not fit), GR-995 (limits that do not
// hold), GR-996 (nothing says how long it takes, or a limit that means nothing), GR-999 (joints).
#include <cmath>

#include "grapple/control/shaping/input_shaper.h"
#include "grapple/control/trajectory/joint_paths.h"
#include "grapple/control/trajectory/trajectory_block.h"
#include "grapple/scenario/build/internal/trajectory_draft.h"
#include "grapple/scenario/text/internal/csv_table.h"
#include "grapple/scenario/text/node.h"

namespace grapple::scenario {

namespace {

using control::Limits;

bool read_points(const Drafting& draft, const std::vector<LedJoint>& joints,
                 control::ViaPoints& via) {
  for (const auto& row : draft.reader.number_lists("points")) {
    if (row.size() != joints.size()) {
      draft.fault("GR-994", "points",
                  fmt::format("point {} has {} coordinates for {} joints; give one for each",
                              via.points.size() + 1, row.size(), joints.size()));
      return false;
    }
    std::vector<double> point;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!fits(draft, "points", row[j], joints[j], 0)) return false;
      point.push_back(row[j].value);
    }
    via.points.push_back(std::move(point));
  }
  return true;
}

bool read_times(const Drafting& draft, control::ViaPoints& via) {
  via.start = draft.reader.number("start");
  if (!draft.reader.has("times")) return true;
  for (const Quantity& time : draft.reader.numbers("times")) via.times.push_back(time.value);
  if (via.times.size() != via.points.size()) {
    draft.fault("GR-994", "times",
                fmt::format("{} times for {} points; give one for each", via.times.size(),
                            via.points.size()));
    return false;
  }
  if (draft.reader.has("start")) {
    draft.fault("GR-996", "start", "'times' says when it begins; leave out 'start'");
    return false;
  }
  return are_increasing(draft, "times", via.times);
}

bool read_limit(const Drafting& draft, const char* key, int time,
                const std::vector<LedJoint>& joints, double Limits::*member,
                std::vector<Limits>& limits) {
  if (!draft.reader.has(key)) return true;
  const std::vector<Quantity> given = draft.reader.numbers(key);
  if (given.size() != 1 && given.size() != joints.size()) {
    draft.fault("GR-994", key,
                fmt::format("{} limits for {} joints; give one for all, or one for each",
                            given.size(), joints.size()));
    return false;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Quantity& own = given[given.size() == 1 ? 0 : j];
    if (!fits(draft, key, own, joints[j], time)) return false;
    limits[j].*member = own.value;
  }
  return true;
}

bool read_limits(const Drafting& draft, const std::vector<LedJoint>& joints,
                 control::ViaPoints& via) {
  via.limits.assign(joints.size(), {});
  return read_limit(draft, "rate_limit", -1, joints, &Limits::rate, via.limits) &&
         read_limit(draft, "acceleration_limit", -2, joints, &Limits::acceleration, via.limits) &&
         read_limit(draft, "jerk_limit", -3, joints, &Limits::jerk, via.limits);
}

void report_limits(const Drafting& draft, const std::vector<LedJoint>& joints,
                   const control::ViaPoints& via, const control::BuiltReference& built) {
  using Kind = control::LimitFault::Kind;
  for (const control::LimitFault& fault : built.faults) {
    if (fault.kind == Kind::kDuration) {
      draft.fault("GR-995", "times",
                  fmt::format("from {:g} s to {:g} s are {:g} s; within the limits the way to "
                              "point {} takes at least {:.6g} s",
                              via.times[fault.stage], via.times[fault.stage + 1], fault.allowed,
                              fault.stage + 2, fault.found));
      continue;
    }
    const LedJoint& joint = joints[fault.joint];
    const int order = fault.kind == Kind::kRate ? 1 : fault.kind == Kind::kAcceleration ? 2 : 3;
    const char* what = order == 1 ? "rate" : order == 2 ? "acceleration" : "jerk";
    draft.fault("GR-995", "times",
                fmt::format("the {0} of joint '{1}' reaches {2:.6g} {4}, its limit is {3:.6g} {4}; "
                            "give more time, or leave out 'times'",
                            what, joint.name, fault.found, fault.allowed,
                            unit_text(joint.dimension(-order))));
  }
}

using JointReferencePointer = std::shared_ptr<const control::JointReference>;

// A law must be bounded by the limits of every joint that moves.
bool bounds_each(const Drafting& draft, const std::vector<LedJoint>& joints,
                 const control::ViaPoints& via, control::LawKind kind) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (control::bounds_duration(kind, via.limits[j])) continue;
    draft.fault(
        "GR-996", "profile",
        fmt::format("nothing says how long joint '{}' takes; give 'times' or {}", joints[j].name,
                    kind == control::LawKind::kTrapezoid ? "'acceleration_limit'"
                    : kind == control::LawKind::kSCurve  ? "'jerk_limit'"
                                                         : "limits"));
    return false;
  }
  return true;
}

JointReferencePointer joint_stages(const Drafting& draft, const std::vector<LedJoint>& joints,
                                   const control::ViaPoints& via) {
  const control::LawKind kind = control::law_kind(draft.reader.text("profile"));
  if (!jerk_can_be_kept(draft, kind, "jerk_limit")) return nullptr;
  if (via.times.empty() && !bounds_each(draft, joints, via, kind)) return nullptr;
  const auto synchronisation = draft.reader.text("synchronise") == "path"
                                   ? control::Synchronisation::kPath
                                   : control::Synchronisation::kTime;
  const control::BuiltReference built = make_stage_reference(via, kind, synchronisation);
  report_limits(draft, joints, via, built);
  return built.reference;
}

JointReferencePointer joint_spline(const Drafting& draft, const std::vector<LedJoint>& joints,
                                   const control::ViaPoints& via) {
  for (std::size_t j = 0; j < joints.size() && via.times.empty(); ++j) {
    if (std::isfinite(via.limits[j].rate) || std::isfinite(via.limits[j].acceleration)) continue;
    draft.fault("GR-996", "points",
                fmt::format("nothing says how long joint '{}' takes; give 'times', or "
                            "'rate_limit' and 'acceleration_limit'",
                            joints[j].name));
    return nullptr;
  }
  const auto degree = draft.reader.text("degree") == "quintic" ? control::SplineDegree::kQuintic
                                                               : control::SplineDegree::kCubic;
  const control::BuiltReference built = make_spline_reference(via, degree, ends_of(draft.reader));
  report_limits(draft, joints, via, built);
  return built.reference;
}

JointReferencePointer joint_functions(const Drafting& draft, const std::vector<LedJoint>& joints) {
  const std::vector<TimeFunction> given = draft.reader.functions("functions");
  if (given.size() != joints.size()) {
    draft.fault(
        "GR-994", "functions",
        fmt::format("{} functions for {} joints; give one for each", given.size(), joints.size()));
    return nullptr;
  }
  std::vector<Function> all;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Dimension own = given[j].dimension.value_or(joints[j].dimension(0));
    if (!fits(draft, "functions", {0.0, own, true}, joints[j], 0)) return nullptr;
    all.push_back(given[j].function);
  }
  return control::make_function_reference(std::move(all));
}

JointReferencePointer from_file(const Drafting& draft, const std::vector<LedJoint>& joints) {
  std::vector<std::string> columns;
  for (const LedJoint& joint : joints) columns.push_back(joint.name);
  if (draft.reader.has("columns")) columns = draft.reader.texts("columns");
  if (columns.size() != joints.size()) {
    draft.fault(
        "GR-994", "columns",
        fmt::format("{} columns for {} joints; give one for each", columns.size(), joints.size()));
    return nullptr;
  }
  const std::string where = draft.reader.where("file");
  const auto path = directory_of(where) / draft.reader.text("file");
  const std::string time = draft.reader.has("time_column") ? draft.reader.text("time_column") : "";
  const Interpolation interpolation = draft.reader.text("interpolation") == "linear"
                                          ? Interpolation::kLinear
                                          : Interpolation::kSpline;
  std::vector<Function> all;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    try {
      CsvTable table = read_csv_table(path, columns[j], time);
      if (!table.unit.empty()) {
        const Quantity unit = in_radians(parse_unit(table.unit));
        if (!fits(draft, "file", unit, joints[j], 0)) return nullptr;
        for (double& value : table.values) value *= unit.value;
      }
      all.push_back(
          Function::table(std::move(table.times), std::move(table.values), interpolation));
    } catch (const Error& error) {
      draft.assembly.faults.add(error.id(), where, error.diagnostics().front().message);
      return nullptr;
    }
  }
  return control::make_function_reference(std::move(all));
}

// The reference through the shapers of `shaping`.
JointReferencePointer shaped(const Reader& reader, JointReferencePointer reference) {
  if (!reader.has("shaping")) return reference;
  const std::vector<Reader> shapers = reader.is_mapping("shaping")
                                          ? std::vector<Reader>{reader.object("shaping")}
                                          : reader.objects("shaping");
  control::Shaper all{{}};
  for (const Reader& one : shapers) {
    const std::string type = one.text("type");
    const auto kind = type == "zv"    ? control::ShaperKind::kZeroVibration
                      : type == "zvd" ? control::ShaperKind::kZeroVibrationDerivative
                                      : control::ShaperKind::kExtraInsensitive;
    all = convolved(
        all, control::make_shaper(kind, one.number("frequency"), one.number("damping"),
                                  one.available("tolerance") ? one.number("tolerance") : 0.0));
  }
  return control::make_shaped_reference(std::move(reference), std::move(all));
}

void add_joint_trajectory(const Drafting& draft, const std::string& type,
                          system::SystemParts& parts) {
  const std::vector<LedJoint> joints = led_joints(draft);
  if (joints.empty()) return;
  JointReferencePointer reference;
  if (type == "joint-functions") {
    reference = joint_functions(draft, joints);
  } else if (type == "file") {
    reference = from_file(draft, joints);
  } else {
    control::ViaPoints via;
    if (!read_points(draft, joints, via) || !read_times(draft, via) ||
        !read_limits(draft, joints, via)) {
      return;
    }
    reference =
        type == "joints" ? joint_stages(draft, joints, via) : joint_spline(draft, joints, via);
  }
  if (reference == nullptr) return;
  reference = shaped(draft.reader, std::move(reference));
  std::vector<std::string> names, units;
  std::vector<Dimension> dimensions;
  for (const LedJoint& joint : joints) {
    names.push_back(joint.name);
    units.emplace_back(joint.turns ? "rad" : "m");
    for (const int time : {0, -1, -2}) dimensions.push_back(joint.dimension(time));
  }
  const std::string name = draft.reader.text("name");
  draft.assembly.joint_references[name] = reference;
  draft.assembly.reference_joints[name] = names;
  if (!draft.reader.has("period")) return;
  std::vector<element::Signal> signals = control::joint_signals(name, *reference, names, units);
  auto block = control::make_joint_publisher(
      "trajectory/" + name, {draft.reader.number("period"), 0.0, 0.0}, reference, signals);
  publish(draft, std::move(block), std::move(signals), dimensions, parts);
}

}  // namespace

void add_trajectories(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const Reader& trajectory : scenario.objects("trajectories")) {
    const Drafting draft{trajectory, assembly, parts.model,
                         fmt::format("trajectory '{}'", trajectory.text("name"))};
    const std::string type = trajectory.text("type");
    const bool of_poses = type == "line" || type == "circle" || type == "spline";
    of_poses ? add_pose_trajectory(draft, type, parts) : add_joint_trajectory(draft, type, parts);
  }
}

}  // namespace grapple::scenario
