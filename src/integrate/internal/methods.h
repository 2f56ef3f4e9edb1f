// The makers of the integration methods, one per file; users call make_stepper (stepper.h).
#pragma once

#include <memory>

#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

std::unique_ptr<Stepper> make_runge_kutta4(Problem& problem, const IntegratorOptions& options);
std::unique_ptr<Stepper> make_semi_implicit_euler(Problem& problem,
                                                  const IntegratorOptions& options);
std::unique_ptr<Stepper> make_velocity_verlet(Problem& problem, const IntegratorOptions& options);
/// Dormand-Prince and BDF in turns.
std::unique_ptr<Stepper> make_switching(Problem& problem, const IntegratorOptions& options);
/// Orders 5 and 8.
std::unique_ptr<Stepper> make_dormand_prince(Problem& problem, const IntegratorOptions& options);
std::unique_ptr<Stepper> make_dormand_prince8(Problem& problem, const IntegratorOptions& options);
/// Adams or BDF, after options.method.
std::unique_ptr<Stepper> make_cvode(Problem& problem, const IntegratorOptions& options);
/// The problem must have a second_order().
std::unique_ptr<Stepper> make_generalized_alpha(Problem& problem, const IntegratorOptions& options);

}  // namespace grapple::integrate
