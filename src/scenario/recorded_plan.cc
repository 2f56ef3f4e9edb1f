#include "grapple/scenario/recorded_plan.h"

#include "grapple/record/scene.h"
#include "grapple/scenario/build/scene.h"
#include "grapple/scenario/first_step.h"

namespace grapple::scenario {

void complete_for_record(const CheckedScenario& checked, Simulation& simulation) {
  simulation.plan.scene = record::scene_json(scene_of(checked, simulation.system->model()));
  const std::string warning = step_warning(simulation);
  if (!warning.empty()) simulation.plan.warnings.push_back(warning);
}

}  // namespace grapple::scenario
