// Where the modes of flexible bodies start.
#include <fmt/format.h>

#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

void set_modal_start(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  for (const Reader& body : scenario.objects("bodies")) {
    const auto at = static_cast<std::size_t>(parts.model.find_body(body.text("name")));
    const model::Link& link = parts.model.link(parts.model.bodies()[at].link);
    const auto set = [&](const char* key, double* first) {
      if (!body.has(key)) return;
      const auto plan = assembly.flexible.find(body.text("name"));
      if (plan != assembly.flexible.end() && plan->second.kind == FlexiblePlan::Kind::kRigidBeam) {
        assembly.automatic_values.push_back(
            fmt::format("body '{}' is rigid: '{}' is not used", body.text("name"), key));
        return;
      }
      const std::vector<Quantity> given = body.numbers(key);
      if (static_cast<int>(given.size()) == link.modes - link.guided) {
        for (const Quantity& number : given) *first++ = number.value;
        return;
      }
      assembly.faults.add("GR-314", body.where(key),
                          fmt::format("'{}' has {} numbers; body '{}' has {} modes", key,
                                      given.size(), body.text("name"), link.modes - link.guided));
    };
    set("modal_amplitudes", parts.q.data() + link.q_modal + link.guided);
    set("modal_rates", parts.v.data() + link.v_modal + link.guided);
  }
}

}  // namespace grapple::scenario
