#include "grapple/record/internal/cause.h"

#include <fmt/format.h>

#include <cmath>

namespace grapple::record {

namespace {

using system::System;

// The normal forces of the contacts, the largest one of a group.
std::vector<double> contact_forces(const System& system, const system::Snapshot<double>& at) {
  std::vector<double> forces;
  for (const system::Channel& channel : system.channels()) {
    const bool is_force =
        channel.name.ends_with("/normal_force") || channel.name.ends_with("/largest_force");
    if (is_force) forces.push_back(system::channel_value(system, channel, at));
  }
  return forces;
}
std::vector<std::string> contact_names(const System& system) {
  std::vector<std::string> names;
  for (const system::Channel& channel : system.channels()) {
    if (channel.name.ends_with("/normal_force") || channel.name.ends_with("/largest_force")) {
      names.push_back(channel.name.substr(0, channel.name.rfind('/')));
    }
  }
  return names;
}

}  // namespace

std::string cause_of_collapse(const System& system, integrate::SystemProblem& problem,
                              const integrate::Result& result) {
  if (!(result.step_at_collapse > 0.0)) return "";
  const char* const advice =
      "try a larger tolerance, a rounded or slightly displaced shape, a softer or more damped "
      "contact, or a fixed step (rk4, semi-implicit-euler, velocity-verlet)";
  std::vector<double> x = result.x, rate(x.size());
  const std::vector<double> before = contact_forces(system, problem.evaluate(result.t, x));
  system.state_rate<double>(problem.snapshot(), rate);
  int worst = -1;
  double largest = 0.0, from = 0.0, to = 0.0;
  for (const double ahead : {1.0, 10.0, 100.0}) {
    const double h = ahead * result.step_at_collapse;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = result.x[k] + h * rate[k];
    const std::vector<double> after = contact_forces(system, problem.evaluate(result.t + h, x));
    for (std::size_t k = 0; k < after.size(); ++k) {
      const double change = std::abs(after[k] - before[k]);
      if (!(change > largest)) continue;
      largest = change;
      worst = static_cast<int>(k);
      from = before[k];
      to = after[k];
    }
  }
  if (worst < 0) {
    return "; a force or a constraint changes faster than time resolves; try a larger tolerance, "
           "or "
           "a stiff integrator (bdf, generalized-alpha)";
  }
  return fmt::format(
      "; '{}' changes fastest there, from {:.4g} N to {:.4g} N within a few steps: {}",
      contact_names(system)[static_cast<std::size_t>(worst)], from, to, advice);
}

std::string cause_of_refusal(const System& system, const integrate::SystemProblem& problem,
                             const integrate::IntegratorOptions& options,
                             const integrate::Result& result) {
  const bool wild = problem.refused_out_of_bounds();
  const char* const why =
      integrate::has_fixed_step(options)
          ? "the fixed step is too long for the stiffest force; take a smaller step or an "
            "integrator with error control"
          : "a force without bound acts on it";
  const model::Model& model = system.model();
  const int refused = problem.refused_link();
  if (refused < 0) {
    if (wild) return fmt::format("; the motion has grown out of all bounds: {}", why);
    const bool fixed =
        integrate::has_fixed_step(options) && result.status == integrate::Status::kFailed;
    return fixed ? fmt::format(
                       "; the fixed step of {:g} s may be too long for the stiffest force: "
                       "try a smaller one, or an integrator with error control",
                       options.step)
                 : "";
  }
  // The inertia a joint feels is that of its body and of all that hang on it.
  bool bends = false;
  for (int i = refused; i < model.link_count(); ++i) {
    int up = i;
    while (up > refused) up = model.link(up).parent;
    bends = bends || (up == refused && model.link(i).kind == model::Link::Kind::kFlexible);
  }
  const std::string& body = model.body_of_link(refused).name;
  if (bends && !wild) {
    return fmt::format(
        "; body '{}', or one that hangs on it, bends further than its shapes describe, so that its "
        "inertia is no longer positive: take more elements, or method chain or absolute-nodal",
        body);
  }
  return fmt::format("; the motion of body '{}' has grown out of all bounds: {}", body, why);
}

}  // namespace grapple::record
