// The section `score` of a scenario (record/score/score.h says what it means).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/record/score/score.h"
#include "grapple/record/summary.h"
#include "grapple/scenario/language/reader.h"

namespace grapple::scenario {

/// `units`: of the measures, by name. Faults: GR-310 (a unit that is not the measure's), GR-943
/// (`full` and `none` are equal), GR-944 (a limit where there are points).
std::vector<record::ScoreTerm> read_score(const Reader& scenario,
                                          const std::map<std::string, std::string>& units,
                                          Diagnostics& faults);

/// The rules in a recorded scenario, and the measures of its summary.json (SI, or the unit of a
/// formula): what scoring a run again needs.
struct RecordedScore {
  std::vector<record::ScoreTerm> terms;
  std::vector<record::MeasureReport> measures;
};

/// Of a directory of results; by the rules of `rules`, another scenario file, if it is not empty.
/// Throws GR-507 (no results), GR-945 (no summary, or a damaged one), GR-946 (the scenario gives no
/// points), GR-947 (the rules name a measure that was not recorded).
RecordedScore recorded_score(const std::string& directory, const std::string& rules);

}  // namespace grapple::scenario
