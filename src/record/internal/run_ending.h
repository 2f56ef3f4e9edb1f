// How a run ended, in the words of its summary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/record/run.h"

namespace grapple::record {

RunStatus status_of(integrate::Status status);

std::vector<std::pair<std::string, double>> counts_of(const integrate::Statistics& statistics);

/// Why the solver gave up: its own words, the joint, and what is known of the place.
std::string cause_of_failure(const system::System& system, integrate::SystemProblem& problem,
                             const RunPlan& plan, const integrate::Result& result);

/// A balance that is wrong makes a run that reached its end suspect; a doubtful one warns.
void judge_energy(const RunPlan& plan, RunSummary& summary);

}  // namespace grapple::record
