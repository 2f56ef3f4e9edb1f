#include "grapple/scenario/first_step.h"

#include <fmt/format.h>

#include <vector>

#include "grapple/analysis/contact_estimate.h"
#include "grapple/base/error.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/record/scene.h"
#include "grapple/scenario/build/scene.h"

namespace grapple::scenario {

void check_first_step(const CheckedScenario& checked, const Simulation& simulation) {
  system::System& system = *simulation.system;
  record::scene_json(scene_of(checked, system.model()));
  integrate::SystemProblem problem(system, {});
  const spatial::VecX x = system.initial_state();
  const auto size = static_cast<std::size_t>(x.size());
  std::vector<double> rate(size);
  if (problem.derivative(0.0, {x.data(), size}, rate)) return;
  const int link = problem.refused_link();
  std::string why = system.refusal(problem.snapshot());
  if (why.empty() && link >= 0) {
    why = fmt::format(
        "body '{}', or one that hangs on it, is bent further than its shapes describe, so that "
        "its inertia is no longer positive: start closer to its rest, or take more elements, or "
        "method chain or absolute-nodal",
        system.model().body_of_link(link).name);
  }
  if (why.empty()) why = "a force or an acceleration is not finite";
  throw Error("GR-618", checked.reader().where(), "a run could not make its first step: " + why);
}

std::string step_warning(const Simulation& simulation) {
  const integrate::IntegratorOptions& chosen = simulation.plan.integrator;
  const bool is_explicit = chosen.method != integrate::Method::kGeneralizedAlpha;
  if (!integrate::has_fixed_step(chosen) || !is_explicit) return "";
  return analysis::step_warning(*simulation.system, simulation.contacts, chosen.step);
}

}  // namespace grapple::scenario
