#include "grapple/record/internal/run_ending.h"

#include "grapple/record/internal/cause.h"
#include "grapple/record/internal/energy_verdict.h"

namespace grapple::record {

using system::System;

namespace {

// The solver blames a component of the state; when the system refused to be evaluated, the joint
// whose effort was not finite is to blame.
int blamed_component(const System& system, const integrate::SystemProblem& problem,
                     const integrate::Failure& failure) {
  if (failure.component >= 0 || problem.refused_coordinate() < 0) return failure.component;
  return system.model().nq() + problem.refused_coordinate();
}

// States and quadratures have no name here.
std::string name_of_component(const System& system, int component) {
  const model::Model& model = system.model();
  const int rate = component - model.nq();
  if (component < 0 || rate >= model.nv()) return "";
  const model::CoordinateBlock& block =
      rate < 0 ? model.coordinates().of_position(component) : model.coordinates().of_rate(rate);
  if (block.kind == model::CoordinateKind::kModal) {
    return " (a mode of body '" + model.body_of_link(block.link).name + "')";
  }
  return " (joint '" + model.joint_of_link(block.link).name + "')";
}

std::string refused_by_element(const System& system, const integrate::SystemProblem& problem) {
  const std::string why = system.refusal(problem.snapshot());
  return why.empty() ? "" : "; " + why;
}

// Whether the last evaluation was close to a singular position of the loops: two rows within three
// hundredths of a radian of being one.
std::string near_singular(const System& system, const integrate::SystemProblem& problem) {
  const auto& rows = problem.snapshot().constraints;
  const bool lost = rows.rank < system.constraint_rank();
  if (system.constraints().empty() || (!lost && rows.smallest_pivot > 1e-3)) return "";
  return "; the loops are near a singular position, where branches of the motion meet and a "
         "tighter tolerance seldom helps: try a larger one, start a little beside it, let a "
         "spring, a stop or a driven joint choose the branch, or stop the run before it by an "
         "event";
}

}  // namespace

RunStatus status_of(integrate::Status status) {
  switch (status) {
    case integrate::Status::kCompleted:
      return RunStatus::kCompleted;
    case integrate::Status::kStopped:
      return RunStatus::kStoppedByEvent;
    case integrate::Status::kInterrupted:
      return RunStatus::kInterrupted;
    case integrate::Status::kFailed:
      return RunStatus::kFailed;
  }
  return RunStatus::kFailed;
}

std::vector<std::pair<std::string, double>> counts_of(const integrate::Statistics& s) {
  return {{"steps", static_cast<double>(s.steps)},
          {"rejected", static_cast<double>(s.rejected)},
          {"evaluations", static_cast<double>(s.evaluations)},
          {"jacobians", static_cast<double>(s.jacobians)},
          {"linear_setups", static_cast<double>(s.linear_setups)},
          {"events_located", static_cast<double>(s.events)},
          {"smallest_step_s", s.smallest_step},
          {"largest_step_s", s.largest_step}};
}

std::string cause_of_failure(const System& system, integrate::SystemProblem& problem,
                             const RunPlan& plan, const integrate::Result& result) {
  const std::string singular = near_singular(system, problem);
  std::string cause = result.failure.cause +
                      name_of_component(system, blamed_component(system, problem, result.failure)) +
                      cause_of_refusal(system, problem, plan.integrator, result) +
                      (singular.empty() ? cause_of_collapse(system, problem, result) : singular) +
                      refused_by_element(system, problem);
  if (result.failed_event >= 0 && result.failed_event < problem.channel_crossing_count()) {
    cause += " (event '" + plan.events[static_cast<std::size_t>(result.failed_event)].name + "')";
  }
  return cause;
}

void judge_energy(const RunPlan& plan, RunSummary& summary) {
  if (!is_complete(summary.status)) return;
  const EnergyVerdict verdict = judge(*summary.energy, plan.integrator);
  if (verdict.kind == EnergyVerdict::Kind::kCloses) return;
  if (verdict.kind == EnergyVerdict::Kind::kWrong && summary.status != RunStatus::kSuspect) {
    summary.status = RunStatus::kSuspect;
    summary.cause = verdict.text;
    return;
  }
  summary.warnings.push_back(verdict.text);
}

}  // namespace grapple::record
