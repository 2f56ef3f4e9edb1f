// Which way the run goes through the equations of closed loops.
#include <fmt/format.h>

#include "grapple/scenario/build/internal/assembly.h"

namespace grapple::scenario {

namespace {

std::shared_ptr<const constraint::CrossCheck> made(const Reader& simulate,
                                                   const std::string& method) {
  if (method == "orthogonal-decomposition") return constraint::make_orthogonal_decomposition();
  if (method == "optimal-partition") return constraint::make_optimal_partition();
  return constraint::make_baumgarte(simulate.number("baumgarte_rate"));
}

// The way the integrator goes by itself, in words.
std::string way_of(const std::string& integrator) {
  if (integrator == "generalized-alpha") return "solved within each implicit step";
  if (integrator == "bdf") return "by multipliers, with projection of the solver's history";
  return "by multipliers, with projection after each step";
}

}  // namespace

void read_loop_method(const Reader& scenario, Assembly& assembly, system::SystemParts& parts) {
  const Reader simulate = scenario.object("simulate");
  const std::string method = simulate.text("loop_method");
  const auto refuse = [&](const char* key, const std::string& why) {
    assembly.faults.add("GR-920", simulate.where(key), why);
  };
  if (simulate.has("baumgarte_rate") && method != "baumgarte") {
    refuse("baumgarte_rate", "'baumgarte_rate' belongs to loop_method baumgarte");
  }
  const std::string integrator = simulate.text("integrator");
  if (method == "default") {
    if (scenario.objects("loops").empty()) return;
    assembly.automatic_values.push_back("closed loops " + way_of(integrator));
    return;
  }
  if (scenario.objects("loops").empty()) {
    refuse("loop_method", fmt::format("loop_method {} needs closed loops; there are none", method));
  }
  if (integrator == "generalized-alpha" || integrator == "bdf") {
    refuse("loop_method",
           fmt::format("integrator {} has its own way through closed loops; loop_method goes with "
                       "adaptive, rk4, semi-implicit-euler and velocity-verlet",
                       integrator));
  }
  parts.cross_check = made(simulate, method);
}

}  // namespace grapple::scenario
