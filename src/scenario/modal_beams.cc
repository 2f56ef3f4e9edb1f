#include "grapple/scenario/modal_beams.h"

#include "grapple/scenario/build/internal/assembly.h"
#include "grapple/scenario/build/internal/beam_keys.h"

namespace grapple::scenario {

namespace {

bool is_clamped(flexible::Boundary boundary) {
  return boundary == flexible::Boundary::kClampedFree ||
         boundary == flexible::Boundary::kClampedWithTipBody;
}

}  // namespace

std::vector<analysis::ModalBeam> modal_beams(const CheckedScenario& checked) {
  using Tip = analysis::ModalBeam::Tip;
  const Reader scenario = checked.reader();
  Assembly assembly;
  plan_flexible_bodies(scenario, assembly);
  const Materials materials = read_materials(scenario, assembly.faults);
  std::vector<analysis::ModalBeam> beams;
  for (const Reader& body : scenario.objects("bodies")) {
    if (!body.has("beam")) continue;
    const Reader beam = body.object("beam");
    if (beam.text("method") != "modes" || !is_clamped(read_boundary(beam))) continue;
    const std::string name = body.text("name");
    // The other model has no length that changes and no rail.
    if (beam.has("deploys") || !assembly.flexible.at(name).rails.empty()) continue;
    const auto reduced = [=, plan = assembly.flexible.at(name)](const auto& wanted) {
      return boundary_mode_beam(beam, name, plan, wanted, materials);
    };
    beams.push_back({name, beam.has("tip_body") ? Tip::kWithBody : Tip::kFree, reduced});
  }
  return beams;
}

}  // namespace grapple::scenario
