// `grapple dynamics`, `grapple jacobian`: what a controller computes with, at one state.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "grapple/analysis/linearize.h"
#include "grapple/analysis/loop_motions.h"
#include "grapple/app/analysis.h"
#include "grapple/app/chosen_joints.h"
#include "grapple/app/commands.h"
#include "grapple/app/error_ellipsoid.h"
#include "grapple/control/kinematics/generalized_jacobian.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/jacobian.h"

namespace grapple::app {

namespace {

using Json = nlohmann::ordered_json;
using spatial::MatX;
using spatial::VecX;
using system::Snapshot;
using system::System;

Json list_json(const VecX& values) { return std::vector<double>(values.begin(), values.end()); }

MatX mass_matrix(const System& system, Snapshot<double>& at) {
  MatX M(system.model().nv(), system.model().nv());
  dynamics::crba(system.model(), at.state, at.workspace, M);
  return M;
}

const std::vector<std::string> kTwist{"angular velocity x", "angular velocity y",
                                      "angular velocity z", "velocity x",
                                      "velocity y",         "velocity z"};

const char* kind_name(model::CoordinateKind kind) {
  switch (kind) {
    case model::CoordinateKind::kModal:
      return "mode";
    case model::CoordinateKind::kMotor:
      return "motor";
    case model::CoordinateKind::kPlain:
    case model::CoordinateKind::kQuaternion:
      break;
  }
  return "joint";
}

std::vector<std::string> coordinate_kinds(const model::Model& model) {
  std::vector<std::string> kinds;
  for (int v = 0; v < model.nv(); ++v) {
    kinds.emplace_back(kind_name(model.coordinates().of_rate(v).kind));
  }
  return kinds;
}

// Of small motions about the state, in the coordinates that are free and independent:
//   M_r x'' + D x' + K x = 0,  from the exact linearisation x'' = A_q x + A_v x'.
struct SmallMotions {
  std::vector<std::string> names;
  MatX K, D;
};

SmallMotions small_motions(const System& system, double t, const VecX& x, const MatX& M) {
  const analysis::LinearModel linear = analysis::linearize(system, t, span_of(x), {}, {});
  const int n = linear.positions, nv = system.model().nv();
  const std::vector<std::string> all = coordinate_names(system);
  SmallMotions result;
  for (int k = 0; k < n; ++k) {
    result.names.push_back(
        all[static_cast<std::size_t>(linear.coordinates[static_cast<std::size_t>(k)])]);
  }
  const MatX rates = linear.expand.block(nv, n, nv, n);
  const MatX reduced = rates.transpose() * M * rates;
  result.K = -reduced * linear.A.block(n, 0, n, n);
  result.D = -reduced * linear.A.block(n, n, n, n);
  return result;
}

// The columns of the chosen joints.
MatX columns_of(const MatX& J, const std::vector<ChosenJoint>& joints) {
  MatX columns(J.rows(), static_cast<Eigen::Index>(joints.size()));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    columns.col(static_cast<Eigen::Index>(j)) = J.col(joints[j].at.v);
  }
  return columns;
}

double manipulability(const VecX& singular_values) { return singular_values.prod(); }

// What the frame does where loops hold: columns of independent coordinates.
void add_loops(const System& system, const Snapshot<double>& at, const MatX& J,
               const std::vector<std::string>& names, Json& json) {
  const analysis::LoopMotions motions = analysis::loop_motions(system, at);
  const MatX reduced = J * motions.all;
  std::vector<std::string> independent;
  for (const int k : motions.independent) {
    independent.push_back(names[static_cast<std::size_t>(k)]);
  }
  fmt::print("\nloops leave {} independent coordinate{}: {}\n", independent.size(),
             independent.size() == 1 ? "" : "s", fmt::join(independent, ", "));
  print_matrix("J of the closed loops", reduced, kTwist);
  json["independent"] = independent;
  json["reduced_jacobian"] = matrix_json(reduced);
  if (reduced.cols() == 0) return;
  const VecX values = Eigen::JacobiSVD<MatX>(reduced).singularValues();
  fmt::print("\nsingular values of it (SI): {:.6g}\n", fmt::join(values, ", "));
  json["reduced_singular_values"] = list_json(values);
}

// --joints: the columns of some, with their own singular values. --errors: what they do to the
// frame.
void add_chosen(const System& system, const Snapshot<double>& at, const model::Frame& frame,
                const AnalysisArguments& arguments, const MatX& J, Json& json) {
  const std::vector<ChosenJoint> joints = chosen_joints(system, at.state, frame, arguments.joints);
  const MatX columns = columns_of(J, joints);
  const VecX values = Eigen::JacobiSVD<MatX>(columns).singularValues();
  std::vector<std::string> labels;
  for (const ChosenJoint& joint : joints) labels.push_back(joint.name);
  fmt::print("\nof the joints {}", fmt::join(labels, ", "));
  print_matrix("J", columns, kTwist);
  fmt::print("\nsingular values (SI): {:.6g}; their product, the manipulability: {:.6g}\n",
             fmt::join(values, ", "), manipulability(values));
  json["joints"] = labels;
  json["joint_jacobian"] = matrix_json(columns);
  json["joint_singular_values"] = list_json(values);
  json["manipulability"] = manipulability(values);
  if (arguments.errors.empty()) return;
  add_error_ellipsoids(columns, joint_errors(arguments.errors, joints, system.model()), json);
}

}  // namespace

int dynamics_command(const AnalysisArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, arguments.time);
  const System& system = *simulation.system;
  const std::optional<VecX> x = operating_point(system, arguments);
  if (!x) return kRunFailed;
  const std::vector<std::string> names = coordinate_names(system);
  Snapshot<double> moving(system), held(system);
  system.evaluate<double>(arguments.time, span_of(*x), moving);
  const VecX acceleration = moving.workspace.vdot;
  // What zero accelerations need besides the efforts that act on coordinates.
  system.inverse<double>(arguments.time, span_of(*x), VecX::Zero(system.model().nv()), held);
  const VecX bias = held.workspace.tau, effort = held.tau;
  const MatX M = mass_matrix(system, moving);
  fmt::print(
      "M v' + bias = effort + drives and constraints (SI)\n\n  {:<34} {:<6} {:>14} {:>14} {:>14}\n",
      "coordinate", "of", "bias", "effort", "acceleration");
  const std::vector<std::string> kinds = coordinate_kinds(system.model());
  for (int k = 0; k < system.model().nv(); ++k) {
    fmt::print("  {:<34} {:<6} {:>14.7g} {:>14.7g} {:>14.7g}\n", names[static_cast<std::size_t>(k)],
               kinds[static_cast<std::size_t>(k)], bias[k], effort[k], acceleration[k]);
  }
  print_matrix("M", M, names);
  const SmallMotions small = small_motions(system, arguments.time, *x, M);
  print_matrix("K, stiffness of small motions in the free coordinates", small.K, small.names);
  print_matrix("D, damping of small motions in the free coordinates", small.D, small.names);
  const std::string warning = block_warning(system);
  if (!warning.empty()) fmt::print("warning: {}\n", warning);
  Json json = Json::object();
  json["scenario"] = simulation.plan.name;
  json["coordinates"] = names;
  json["kinds"] = kinds;
  json["mass_matrix"] = matrix_json(M);
  json["free_coordinates"] = small.names;
  json["stiffness_matrix"] = matrix_json(small.K);
  json["damping_matrix"] = matrix_json(small.D);
  json["bias"] = list_json(bias);
  json["effort"] = list_json(effort);
  json["acceleration"] = list_json(acceleration);
  write_json(arguments.json, json);
  return kSuccess;
}

int jacobian_command(const AnalysisArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, arguments.time);
  const System& system = *simulation.system;
  const model::Frame& frame = frame_named(system, arguments.frame);
  const std::optional<VecX> x = operating_point(system, arguments);
  if (!x) return kRunFailed;
  Snapshot<double> at(system);
  system.evaluate<double>(arguments.time, span_of(*x), at);
  MatX J(6, system.model().nv());
  dynamics::frame_jacobian(system.model(), frame, at.workspace, J);
  const VecX values = Eigen::JacobiSVD<MatX>(J).singularValues();
  const spatial::Vec3 p = dynamics::frame_motion(frame, at.workspace).p_WF;
  const std::vector<std::string> names = coordinate_names(system);
  fmt::print("'{}' at [{:.9g}, {:.9g}, {:.9g}] m; columns: {}\n", arguments.frame, p.x(), p.y(),
             p.z(), fmt::join(names, ", "));
  print_matrix("J", J, kTwist);
  fmt::print("\nsingular values (SI): {:.6g}\n", fmt::join(values, ", "));
  Json json = Json::object();
  json["scenario"] = simulation.plan.name;
  json["frame"] = arguments.frame;
  json["position"] = {p.x(), p.y(), p.z()};
  json["coordinates"] = names;
  json["rows"] = kTwist;
  json["jacobian"] = matrix_json(J);
  json["singular_values"] = list_json(values);
  if (!arguments.joints.empty() || !arguments.errors.empty()) {
    add_chosen(system, at, frame, arguments, J, json);
  }
  if (!system.constraints().empty()) add_loops(system, at, J, names, json);
  if (const int base = control::floating_base(system.model()); base >= 0) {
    const MatX free = control::generalized_jacobian(J, mass_matrix(system, at), base);
    print_matrix("J of the floating arm, its momentum zero", free, kTwist);
    json["generalized_jacobian"] = matrix_json(free);
  }
  write_json(arguments.json, json);
  return kSuccess;
}

}  // namespace grapple::app
