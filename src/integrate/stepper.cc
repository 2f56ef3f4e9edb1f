#include "grapple/integrate/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "grapple/base/assert.h"
#include "grapple/base/saved_numbers.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace {

constexpr std::size_t kCommonMemory = 11;

}  // namespace

Stepper::Stepper(Problem& problem, const IntegratorOptions& options)
    : problem_(problem), options_(options), x_(static_cast<std::size_t>(problem.size()), 0.0) {
  check(options);
}

void Stepper::start(double t, std::span<const double> x) {
  t_grid_ = t;
  statistics_ = {};
  restart(t, x);
}

void Stepper::restart(double t, std::span<const double> x) {
  GRAPPLE_ASSERT(x.size() == size());
  t_ = t_previous_ = t;
  next_step_ = 0.0;
  failure_ = {};
  std::copy(x.begin(), x.end(), x_.begin());
  problem_.project(t_, x_);
  reset();
}

void Stepper::pass_kink() { reset_derivative(); }

std::vector<double> Stepper::save() {
  std::vector<double> memory = copy_memory();
  forget_unsaved();
  return memory;
}

std::vector<double> Stepper::copy_memory() {
  std::vector<double> memory{t_,
                             t_grid_,
                             next_step_,
                             static_cast<double>(statistics_.steps),
                             static_cast<double>(statistics_.rejected),
                             static_cast<double>(statistics_.evaluations),
                             static_cast<double>(statistics_.jacobians),
                             static_cast<double>(statistics_.linear_setups),
                             statistics_.smallest_step,
                             statistics_.largest_step,
                             static_cast<double>(size())};
  GRAPPLE_ASSERT(memory.size() == kCommonMemory);
  memory.insert(memory.end(), x_.begin(), x_.end());
  save_method(memory);
  return memory;
}

void Stepper::restore(std::span<const double> memory) {
  SavedNumbers saved(memory, kSaved);
  t_ = t_previous_ = saved.number();
  t_grid_ = saved.number();
  next_step_ = saved.number();
  if (!std::isfinite(t_) || !(t_grid_ <= t_) || !std::isfinite(next_step_) || next_step_ < 0.0) {
    refuse_saved(kSaved);
  }
  statistics_.steps = saved.count();
  statistics_.rejected = saved.count();
  statistics_.evaluations = saved.count();
  statistics_.jacobians = saved.count();
  statistics_.linear_setups = saved.count();
  statistics_.smallest_step = saved.number();
  statistics_.largest_step = saved.number();
  const auto own = static_cast<std::int64_t>(size());
  saved.whole(own, own);
  failure_ = {};
  saved.copy_to(x_);
  restore_method(saved.rest());
}

int Stepper::first_non_finite(std::span<const double> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return static_cast<int>(i);
  }
  return -1;
}

bool Stepper::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  ++statistics_.evaluations;
  if (!problem_.derivative(t, x, xdot)) {
    blamed_ = first_non_finite(x);
    return false;
  }
  blamed_ = first_non_finite(xdot);
  return blamed_ < 0;
}

bool Stepper::fail_evaluation(double t) {
  std::string what =
      blamed_ < 0 ? "the problem refused" : fmt::format("component {} is not finite", blamed_);
  return fail(fmt::format("the right-hand side cannot be evaluated at t = {:.9g} s: {}", t, what),
              blamed_);
}

bool Stepper::fail(std::string cause, int component) {
  failure_ = {std::move(cause), component};
  return false;
}

double Stepper::smallest_step(double t) const {
  return options_.min_step * std::max(std::abs(t), 1e-3);
}

void Stepper::accept(double t_previous, double t, Landing landing) {
  t_previous_ = t_previous;
  t_ = t;
  problem_.project(t_, x_);
  ++statistics_.steps;
  if (landing == Landing::kCut) return;
  const double h = t - t_previous;
  Statistics& s = statistics_;
  s.smallest_step = s.smallest_step == 0.0 ? h : std::min(s.smallest_step, h);
  s.largest_step = std::max(s.largest_step, h);
}

std::unique_ptr<Stepper> make_stepper(Problem& problem, const IntegratorOptions& options) {
  switch (options.method) {
    case Method::kRungeKutta4:
      return make_runge_kutta4(problem, options);
    case Method::kSemiImplicitEuler:
      return make_semi_implicit_euler(problem, options);
    case Method::kVelocityVerlet:
      return make_velocity_verlet(problem, options);
    case Method::kAdaptive:
      return make_switching(problem, options);
    case Method::kDormandPrince:
      return make_dormand_prince(problem, options);
    case Method::kDormandPrince8:
      return make_dormand_prince8(problem, options);
    case Method::kAdams:
    case Method::kBdf:
      return make_cvode(problem, options);
    case Method::kGeneralizedAlpha:
      return make_generalized_alpha(problem, options);
  }
  GRAPPLE_ASSERT(false);
  return nullptr;
}

}  // namespace grapple::integrate
