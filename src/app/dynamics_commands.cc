// `grapple dynamics`, `grapple jacobian`: what a controller computes with, at one state.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
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

// Where the rates of the one body begin that floats freely and carries all others; -1: none.
int floating_base(const model::Model& model) {
  int base = -1;
  for (const model::Body& body : model.bodies()) {
    const model::Link& link = model.link(body.link);
    if (link.parent != 0) continue;
    if (base >= 0 || link.type != model::JointType::kFree) return -1;
    base = link.v_index;
  }
  return base;
}

// Umetani and Yoshida (1989): J_m - J_b M_bb^-1 M_bm, with the base's rates from the momentum,
// which stays zero. Columns of the base are zero.
MatX generalized_jacobian(const MatX& J, const MatX& M, int base) {
  const MatX carried = M.middleRows<6>(base);
  MatX all = J - J.middleCols<6>(base) * carried.middleCols<6>(base).ldlt().solve(carried);
  all.middleCols<6>(base).setZero();
  return all;
}

int frame_named(const System& system, const std::string& name) {
  const int found = system.model().find_frame(name);
  if (found >= 0) return found;
  std::vector<std::string> all;
  for (const model::Frame& frame : system.model().frames()) all.push_back(frame.name);
  throw Error("GR-613", "--frame",
              fmt::format("there is no body or frame '{}'{}", name, suggestion(name, all)));
}

const std::vector<std::string> kTwist{"angular velocity x", "angular velocity y",
                                      "angular velocity z", "velocity x",
                                      "velocity y",         "velocity z"};

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
      "M v' + bias = effort + drives and constraints (SI)\n\n  {:<34} {:>14} {:>14} {:>14}\n",
      "coordinate", "bias", "effort", "acceleration");
  for (int k = 0; k < system.model().nv(); ++k) {
    fmt::print("  {:<34} {:>14.7g} {:>14.7g} {:>14.7g}\n", names[static_cast<std::size_t>(k)],
               bias[k], effort[k], acceleration[k]);
  }
  print_matrix("M", M, names);
  const std::string warning = block_warning(system);
  if (!warning.empty()) fmt::print("warning: {}\n", warning);
  Json json = Json::object();
  json["scenario"] = simulation.plan.name;
  json["coordinates"] = names;
  json["mass_matrix"] = matrix_json(M);
  json["bias"] = list_json(bias);
  json["effort"] = list_json(effort);
  json["acceleration"] = list_json(acceleration);
  write_json(arguments.json, json);
  return kSuccess;
}

int jacobian_command(const AnalysisArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, arguments.time);
  const System& system = *simulation.system;
  const auto& frame =
      system.model().frames()[static_cast<std::size_t>(frame_named(system, arguments.frame))];
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
  if (const int base = floating_base(system.model()); base >= 0) {
    const MatX free = generalized_jacobian(J, mass_matrix(system, at), base);
    print_matrix("J of the floating arm, its momentum zero", free, kTwist);
    json["generalized_jacobian"] = matrix_json(free);
  }
  write_json(arguments.json, json);
  return kSuccess;
}

}  // namespace grapple::app
