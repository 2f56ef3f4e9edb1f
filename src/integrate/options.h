// What the user chooses about time integration, and what the integrator counts.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace grapple::integrate {

enum class Method {
  kRungeKutta4,        ///< "rk4": explicit, fixed step, order 4
  kSemiImplicitEuler,  ///< "semi-implicit-euler": fixed step, order 1, bounded energy error
  kDormandPrince,      ///< "dormand-prince": explicit, adaptive, order 5
  kAdams,              ///< "adams": SUNDIALS CVODE, adaptive order 1-12, smooth non-stiff problems
  kBdf,                ///< "bdf": SUNDIALS CVODE, adaptive order 1-5, stiff problems
  kGeneralizedAlpha,   ///< "generalized-alpha": implicit, order 2, constraints solved in the step
  kAdaptive,           ///< "adaptive": dormand-prince, and bdf where that turns stiff
  kDormandPrince8,     ///< "dormand-prince-8": explicit, adaptive, order 8, smooth motions
  kVelocityVerlet,     ///< "velocity-verlet": fixed step, order 2, bounded energy error
};

/// "dormand-prince".
std::string_view method_name(Method method);
/// The inverse; throws Error GR-702 with the nearest valid name.
Method method_from_name(std::string_view name);
const std::vector<std::string>& method_names();

/// Which of the alpha methods; all are of second order (Newmark's only with gamma = 1/2).
enum class AlphaScheme {
  kGeneralized,  ///< "generalized": Chung and Hulbert, any spectral radius
  kHht,          ///< "hht": Hilber, Hughes and Taylor, spectral radius 1/2 to 1
  kNewmark,      ///< "newmark": by gamma and beta; 1/2 and 1/4 are the trapezoidal rule
};
std::string_view alpha_scheme_name(AlphaScheme scheme);
/// The name must be one of these.
AlphaScheme alpha_scheme_from_name(std::string_view name);

enum class StepControl {
  kAdaptive,  ///< by an error estimate
  kFixed,     ///< IntegratorOptions::step
};

/// Of generalized-alpha.
struct AlphaOptions {
  AlphaScheme scheme = AlphaScheme::kGeneralized;

  /// What is left per step of an oscillation far faster than the step: 1 keeps all of it, 0 kills
  /// it at once. 0.8 removes it within some tens of steps and leaves motions of 100 steps per
  /// period their energy to 1e-4 per period.
  double spectral_radius = 0.8;

  double newmark_gamma = 0.5;  ///< above 1/2: damping, and only first order
  double newmark_beta = 0.25;  ///< at least (gamma + 1/2)^2 / 4, for stability at every step

  StepControl steps = StepControl::kAdaptive;
};

struct IntegratorOptions {
  /// One-step while it can be, so events and restarts are cheap; a Jacobian only where it pays.
  Method method = Method::kAdaptive;

  /// Local error allowed per step and coordinate, relative to the coordinate. 1e-8 keeps the global
  /// error of a typical slew (1e3 steps) below the modelling error with five digits to spare.
  double relative_tolerance = 1e-8;

  /// Local error allowed per step and coordinate where the coordinate is near zero, in its SI unit.
  /// <= 0: automatic, 0.01 * relative_tolerance, so that coordinates down to 1 % of a unit (1 cm of
  /// deflection, 0.6 deg) still get the relative tolerance, and no step is wasted on digits below.
  double absolute_tolerance = 0.0;

  AlphaOptions alpha{};

  /// Step of rk4, semi-implicit-euler, velocity-verlet and generalized-alpha with fixed steps [s].
  /// 1 ms is a usual servo period.
  double step = 1e-3;

  /// Largest step of the adaptive methods [s] (1 % more to land on a given time). Unlimited:
  /// breakpoints, not small steps, are the way to make an integrator see a kink.
  double max_step = std::numeric_limits<double>::infinity();

  /// First step of the adaptive methods [s]. 0: estimated from the first two derivatives.
  double initial_step = 0.0;

  /// An adaptive step below min_step * max(|t|, 1e-3 s) is a failure. 1e-14 is the last size at
  /// which t + h still has two digits of h.
  double min_step = 1e-14;

  /// Accepted steps in one run; guards an unattended run against a model that only ever crawls.
  std::int64_t max_steps = 1'000'000'000;
};

/// Whether the method takes steps of options.step.
bool has_fixed_step(const IntegratorOptions& options);
/// Whether the dense output is the chord between the ends of a step.
bool has_chord(const IntegratorOptions& options);

/// The absolute tolerance in force (resolves the automatic value).
double absolute_tolerance(const IntegratorOptions& options);

/// Throws Error GR-701 with every option that is out of range.
void check(const IntegratorOptions& options);

struct Statistics {
  std::int64_t steps = 0;          ///< accepted
  std::int64_t rejected = 0;       ///< error too large, not evaluable, or Newton not converged
  std::int64_t evaluations = 0;    ///< of the right-hand side, difference Jacobians included
  std::int64_t jacobians = 0;      ///< given or by differences
  std::int64_t linear_setups = 0;  ///< factorisations
  std::int64_t events = 0;         ///< located
  double smallest_step = 0.0;      ///< [s]; steps cut to land on a given time do not count
  double largest_step = 0.0;       ///< [s]
};

}  // namespace grapple::integrate
