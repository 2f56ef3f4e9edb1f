#include "grapple/integrate/options.h"

#include <fmt/format.h>

#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"

namespace grapple::integrate {

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{
      "rk4",      "semi-implicit-euler", "dormand-prince", "adams", "bdf", "generalized-alpha",
      "adaptive", "dormand-prince-8",    "velocity-verlet"};
  return names;
}

std::string_view alpha_scheme_name(AlphaScheme scheme) {
  switch (scheme) {
    case AlphaScheme::kGeneralized:
      return "generalized";
    case AlphaScheme::kHht:
      return "hht";
    case AlphaScheme::kNewmark:
      return "newmark";
  }
  GRAPPLE_ASSERT(false);
  return "";
}

AlphaScheme alpha_scheme_from_name(std::string_view name) {
  for (const AlphaScheme scheme :
       {AlphaScheme::kGeneralized, AlphaScheme::kHht, AlphaScheme::kNewmark}) {
    if (alpha_scheme_name(scheme) == name) return scheme;
  }
  GRAPPLE_ASSERT(false);
  return AlphaScheme::kGeneralized;
}

bool has_fixed_step(const IntegratorOptions& options) {
  switch (options.method) {
    case Method::kRungeKutta4:
    case Method::kSemiImplicitEuler:
    case Method::kVelocityVerlet:
      return true;
    case Method::kGeneralizedAlpha:
      return options.alpha.steps == StepControl::kFixed;
    case Method::kAdaptive:
    case Method::kDormandPrince:
    case Method::kDormandPrince8:
    case Method::kAdams:
    case Method::kBdf:
      return false;
  }
  return false;
}

bool has_chord(const IntegratorOptions& options) {
  return options.method == Method::kSemiImplicitEuler || options.method == Method::kVelocityVerlet;
}

std::string_view method_name(Method method) {
  const auto index = static_cast<std::size_t>(method);
  GRAPPLE_ASSERT(index < method_names().size());
  return method_names()[index];
}

Method method_from_name(std::string_view name) {
  const std::vector<std::string>& names = method_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Method>(i);
  }
  throw Error("GR-702", "",
              fmt::format("unknown integrator '{}'{}", name, suggestion(name, names)));
}

double absolute_tolerance(const IntegratorOptions& options) {
  return options.absolute_tolerance > 0.0 ? options.absolute_tolerance
                                          : 0.01 * options.relative_tolerance;
}

void check(const IntegratorOptions& options) {
  Diagnostics faults;
  const auto require = [&faults](bool valid, std::string_view name, double value,
                                 std::string_view allowed) {
    if (!valid) {
      faults.add("GR-701", "integrator",
                 fmt::format("{} is {:g}; it must be {}", name, value, allowed));
    }
  };
  // Below 1e-14 round-off of the right-hand side alone exceeds the tolerance.
  require(options.relative_tolerance >= 1e-14 && options.relative_tolerance <= 0.1,
          "relative tolerance", options.relative_tolerance, "between 1e-14 and 0.1");
  require(std::isfinite(options.absolute_tolerance), "absolute tolerance",
          options.absolute_tolerance, "finite (0: automatic)");
  require(options.step > 0.0 && std::isfinite(options.step), "step", options.step,
          "positive and finite");
  require(options.max_step > 0.0, "largest step", options.max_step, "positive");
  require(options.initial_step >= 0.0 && std::isfinite(options.initial_step), "initial step",
          options.initial_step, "positive and finite (0: automatic)");
  // At 4 units in the last place a step may still change the time.
  require(options.min_step >= 1e-15 && options.min_step < 1.0, "smallest relative step",
          options.min_step, "between 1e-15 and 1");
  require(options.max_steps > 0, "number of steps allowed", static_cast<double>(options.max_steps),
          "positive");
  const AlphaOptions& alpha = options.alpha;
  const bool hht = alpha.scheme == AlphaScheme::kHht;
  require(alpha.spectral_radius >= (hht ? 0.5 : 0.0) && alpha.spectral_radius <= 1.0,
          "spectral radius", alpha.spectral_radius,
          hht ? "between 0.5 and 1 for hht" : "between 0 and 1");
  if (alpha.scheme == AlphaScheme::kNewmark) {
    require(alpha.newmark_gamma >= 0.5 && alpha.newmark_gamma <= 1.0, "gamma of newmark",
            alpha.newmark_gamma, "between 0.5 and 1");
    const double least = 0.25 * (alpha.newmark_gamma + 0.5) * (alpha.newmark_gamma + 0.5);
    require(alpha.newmark_beta >= least * (1.0 - 1e-12) && alpha.newmark_beta <= 1.0,
            "beta of newmark", alpha.newmark_beta, "between (gamma + 1/2)^2 / 4 and 1");
  }
  faults.throw_if_any();
}

}  // namespace grapple::integrate
