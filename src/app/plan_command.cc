// `grapple plan`: a motion that exerts little on its base, as a table for a trajectory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "grapple/app/analysis.h"
#include "grapple/app/commands.h"
#include "grapple/base/error.h"
#include "grapple/control/planning/motion_plan.h"
#include "grapple/record/atomic_file.h"

namespace grapple::app {

namespace {

using control::MotionPlan;
using control::PlanTask;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 6> kReaction{"moment_x [N*m]", "moment_y [N*m]", "moment_z [N*m]",
                                               "force_x [N]",    "force_y [N]",    "force_z [N]"};

double component(const control::PlanRow& row, std::size_t k) {
  return k < 3 ? row.reaction.ang[static_cast<int>(k)] : row.reaction.lin[static_cast<int>(k) - 3];
}

// The coordinates first, then what the joint exerts.
std::string table_of(const PlanTask& task, const MotionPlan& plan) {
  std::string table = "time [s]";
  for (std::size_t j = 0; j < task.names.size(); ++j) {
    table += fmt::format(",{} [{}]", task.names[j], task.units[j]);
  }
  for (const char* name : kReaction) table += fmt::format(",{}", name);
  table += '\n';
  for (const control::PlanRow& row : plan.rows) {
    table += fmt::format("{}", row.t);
    for (const Jet& joint : row.joints) table += fmt::format(",{}", joint.value);
    for (std::size_t k = 0; k < kReaction.size(); ++k) {
      table += fmt::format(",{}", component(row, k));
    }
    table += '\n';
  }
  return table;
}

struct Extremes {
  double least = 0.0, largest = 0.0;
};

Extremes extremes_of(const MotionPlan& plan, std::size_t k) {
  Extremes seen{component(plan.rows.front(), k), component(plan.rows.front(), k)};
  for (const control::PlanRow& row : plan.rows) {
    seen.least = std::min(seen.least, component(row, k));
    seen.largest = std::max(seen.largest, component(row, k));
  }
  return seen;
}

Json plan_json(const std::string& name, const PlanTask& task, const MotionPlan& plan) {
  Json json = Json::object();
  json["scenario"] = name;
  json["converged"] = plan.converged;
  json["cost"] = plan.cost;
  json["first_cost"] = plan.first_cost;
  json["miss"] = plan.miss;
  json["iterations"] = plan.iterations;
  for (const MotionPlan::Stage& stage : plan.stages) {
    json["stages"].push_back({{"segments", stage.segments}, {"cost", stage.cost}});
  }
  for (std::size_t k = 0; k < kReaction.size(); ++k) {
    const Extremes seen = extremes_of(plan, k);
    json["reaction"][kReaction[k]] = {seen.least, seen.largest};
  }
  for (std::size_t j = 0; j < task.names.size(); ++j) {
    Extremes seen{plan.rows.front().joints[j].value, plan.rows.front().joints[j].value};
    for (const control::PlanRow& row : plan.rows) {
      seen.least = std::min(seen.least, row.joints[j].value);
      seen.largest = std::max(seen.largest, row.joints[j].value);
    }
    json["joints"][task.names[j]] = {{"end", plan.rows.back().joints[j].value},
                                     {"least", seen.least},
                                     {"largest", seen.largest}};
  }
  return json;
}

}  // namespace

int plan_command(const PlanArguments& arguments) {
  const scenario::Simulation simulation = load(arguments.scenario, 0.0);
  if (!simulation.motion_plan) {
    throw Error("GR-622", arguments.scenario.file,
                "there is no section `plan`; it says which joints move, what is brought where, "
                "and what is to be small");
  }
  const system::System& system = *simulation.system;
  if (!system.constraints().empty()) {
    throw Error("GR-622", arguments.scenario.file,
                "the scenario has closed loops; a plan moves open chains");
  }
  const PlanTask& task = *simulation.motion_plan;
  system::Snapshot<double> at(system);
  const spatial::VecX x = system.initial_state();
  system.kinematics(0.0, span_of(x), at);
  const MotionPlan plan = control::plan_motion(system.model(), at.state, task, arguments.rows);
  if (plan.rows.empty() || !plan.converged) {
    const Diagnostic finding{"GR-623", arguments.scenario.file,
                             fmt::format("no motion found: {}", plan.obstacle)};
    fmt::print(stderr, "{}\n", finding.text());
    if (plan.rows.empty()) return kRunFailed;
  }
  record::write_file_atomically(arguments.out, table_of(task, plan));
  fmt::print("{}: cost {:.6g} (first motion {:.6g}), {} steps, end off by {:.2g} m\n",
             plan.converged ? "planned" : "NOT converged", plan.cost, plan.first_cost,
             plan.iterations, plan.miss);
  for (const MotionPlan::Stage& stage : plan.stages) {
    fmt::print("  {:>3} segments              {:>12.6g}\n", stage.segments, stage.cost);
  }
  for (std::size_t j = 0; j < task.names.size(); ++j) {
    fmt::print("  {:<24} {:>12.6g} to {:>12.6g} {}\n", task.names[j],
               plan.rows.front().joints[j].value, plan.rows.back().joints[j].value, task.units[j]);
  }
  for (std::size_t k = 0; k < kReaction.size(); ++k) {
    const Extremes seen = extremes_of(plan, k);
    fmt::print("  {:<24} {:>12.6g} to {:>12.6g}\n", kReaction[k], seen.least, seen.largest);
  }
  fmt::print("motion in {}\n", arguments.out);
  write_json(arguments.json, plan_json(simulation.plan.name, task, plan));
  return plan.converged ? kSuccess : kRunFailed;
}

}  // namespace grapple::app
