// What a failed run can say about its cause beyond the solver's own words.
#pragma once

#include <string>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"

namespace grapple::record {

/// After steps that have shrunk to nothing: the contact whose force changes most over one of them,
/// and what may help; empty if that was not the failure.
std::string cause_of_collapse(const system::System& system, integrate::SystemProblem& problem,
                              const integrate::Result& result);

/// After an evaluation that was refused: whether a flexible body that lost its inertia bends too
/// far, or the motion has grown out of all bounds, or that a fixed step may do that. Empty: nothing
/// to say.
std::string cause_of_refusal(const system::System& system, const integrate::SystemProblem& problem,
                             const integrate::IntegratorOptions& options,
                             const integrate::Result& result);

}  // namespace grapple::record
