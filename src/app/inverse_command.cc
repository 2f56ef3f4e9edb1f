// `grapple inverse`: the efforts that a known motion needs, over time: inverse dynamics along the
// prescribed motions, or along a trajectory of joints.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/control/continuous/continuous_controller.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

namespace {

using spatial::VecX;
using system::Snapshot;
using system::System;

// The joints a trajectory moves; empty: the prescribed motions.
struct LedMotion {
  const control::JointReference* reference = nullptr;
  std::vector<const model::Link*> links;
};

LedMotion motion_of(const scenario::Simulation& simulation, const InverseArguments& arguments) {
  LedMotion motion;
  if (arguments.trajectory.empty()) return motion;
  const auto found = simulation.joint_references.find(arguments.trajectory);
  if (found == simulation.joint_references.end()) {
    std::vector<std::string> names;
    for (const auto& [name, reference] : simulation.joint_references) names.push_back(name);
    throw Error("GR-621", "--trajectory",
                fmt::format("there is no trajectory of joints '{}'{}", arguments.trajectory,
                            suggestion(arguments.trajectory, names)));
  }
  motion.reference = found->second.get();
  const model::Model& model = simulation.system->model();
  for (const std::string& name : simulation.reference_joints.at(arguments.trajectory)) {
    const int joint = model.find_joint(name);
    motion.links.push_back(&model.link(model.joints()[static_cast<std::size_t>(joint)].link));
  }
  return motion;
}

// Every coordinate must be known: led, locked, or of the trajectory (then the others are held).
void refuse_unknown_motion(const System& system, const Snapshot<double>& at,
                           const LedMotion& motion, const InverseArguments& arguments) {
  if (!system.constraints().empty()) {
    throw Error("GR-621", arguments.scenario.file,
                "the scenario has closed loops, whose forces are not determined by the motion "
                "alone; grapple run records the drives of prescribed motions");
  }
  for (const auto& element : system.elements()) {
    if (!control::is_continuous_controller(*element)) continue;
    throw Error("GR-621", arguments.scenario.file,
                fmt::format("{} acts continuously, as a part of the model: nothing would be left "
                            "for the drives to do; leave it out, or give it a period",
                            element->name()));
  }
  if (!arguments.trajectory.empty()) {
    for (const model::Link* link : motion.links) {
      const auto at_link = static_cast<std::size_t>(link - system.model().links().data());
      if (at.state.driven[at_link] == 0) continue;
      throw Error("GR-621", "--trajectory",
                  fmt::format("joint '{}' of the trajectory is locked or follows a prescribed "
                              "motion; it cannot follow both",
                              system.model().joint_of_link(static_cast<int>(at_link)).name));
    }
    return;
  }
  std::vector<int> free;
  dynamics::find_free_rows(system.model(), at.state, free);
  if (free.empty()) return;
  const std::vector<std::string> names = coordinate_names(system);
  throw Error("GR-621", arguments.scenario.file,
              fmt::format("{} of {} coordinates follow forces, the first is {}: their motion is "
                          "not known beforehand; give a --trajectory (the others are then held), "
                          "or prescribe or lock them",
                          free.size(), names.size(), names[static_cast<std::size_t>(free[0])]));
}

// "joint/shoulder/effort" of "joint/shoulder/position".
std::string effort_column(const System& system, int v, const std::string& position) {
  std::string stem = position.substr(0, position.rfind('/') + 1);
  const std::string tail = position.substr(position.rfind('/') + 1);
  const std::size_t mark = tail.find('_');
  const std::string suffix = mark == std::string::npos ? "" : tail.substr(mark);
  const model::RateUnit unit = model::unit_of_rate(system.model(), v);
  const char* name = unit == model::RateUnit::kAngular  ? "N*m"
                     : unit == model::RateUnit::kLinear ? "N"
                                                        : "J";
  return fmt::format("{}drive{} [{}]", stem, suffix, name);
}

// State and accelerations at time t.
void lead(const LedMotion& motion, const System& system, double t, const VecX& start, VecX& x,
          VecX& vdot, Snapshot<double>& at) {
  x = start;
  vdot.setZero();
  if (motion.reference == nullptr) {
    system.impose(t, span_of(x), at);
    vdot = at.state.driven_vdot;
    return;
  }
  std::vector<Jet> wanted(motion.links.size());
  motion.reference->at(t, wanted);
  const int nq = system.model().nq();
  x.segment(nq, system.model().nv()).setZero();
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    const model::Link& link = *motion.links[j];
    x[link.q_index] = wanted[j].value;
    x[nq + link.v_index] = wanted[j].rate;
    vdot[link.v_index] = wanted[j].acceleration;
    if (link.motors == 0) continue;  // the motor turns with its joint: no twist between them
    x[link.q_motor] = wanted[j].value;
    x[nq + link.v_motor] = wanted[j].rate;
    vdot[link.v_motor] = wanted[j].acceleration;
  }
}

}  // namespace

int inverse_command(const InverseArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, 0.0);
  const System& system = *simulation.system;
  const LedMotion motion = motion_of(simulation, arguments);
  Snapshot<double> at(system);
  const VecX start = system.initial_state();
  system.impose(0.0, span_of(start), at);
  refuse_unknown_motion(system, at, motion, arguments);
  const double duration = simulation.plan.duration;
  constexpr double kMostRows = 1e7;
  const double step = arguments.step > 0.0 ? arguments.step : duration / 1000.0;
  if (!(duration / step <= kMostRows)) {
    throw Error("GR-621", "--step",
                fmt::format("{:g} s in steps of {:g} s are more than {:g} rows", duration, step,
                            kMostRows));
  }
  const auto rows = static_cast<long>(std::floor(duration / step * (1.0 + 1e-12)));
  const std::vector<std::string> names = coordinate_names(system);
  std::string table = "time [s]";
  const int nv = system.model().nv();
  for (int v = 0; v < nv; ++v) {
    table += "," + effort_column(system, v, names[static_cast<std::size_t>(v)]);
  }
  table += '\n';
  VecX x = start, vdot = VecX::Zero(nv), largest = VecX::Zero(nv);
  for (long k = 0; k <= rows; ++k) {
    const double t = static_cast<double>(k) * step;
    lead(motion, system, t, start, x, vdot, at);
    system.inverse<double>(t, span_of(x), vdot, at);
    const VecX drive = at.workspace.tau - at.tau;
    if (!drive.allFinite()) {
      throw Error("GR-621", arguments.scenario.file,
                  fmt::format("the efforts are not finite at {:g} s", t));
    }
    largest = largest.cwiseMax(drive.cwiseAbs());
    table += fmt::format("{}", t);
    for (int v = 0; v < nv; ++v) table += fmt::format(",{}", drive[v]);
    table += '\n';
  }
  record::write_file_atomically(arguments.out, table);
  fmt::print("{} rows in {}; largest efforts (SI)\n", rows + 1, arguments.out);
  for (int v = 0; v < nv; ++v) {
    fmt::print("  {:<40} {:>14.7g}\n", effort_column(system, v, names[static_cast<std::size_t>(v)]),
               largest[v]);
  }
  return kSuccess;
}

}  // namespace grapple::app
