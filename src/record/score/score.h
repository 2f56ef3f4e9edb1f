// The score of a run: points for what its measures came to. A term is worth
//   points = weight s,   s = (none - value) / (none - full), cut to 0 ... 1:
// its whole weight at `full` or better, nothing at `none` or worse, in proportion between. `none`
// above `full`: less is better; below it: more is better. A measure that was not met has no points.
// A value beyond `limit` breaks the run: its total is zero, whatever else was achieved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grapple/record/measures.h"

namespace grapple::record {

/// Values are in the unit of the measure.
struct ScoreTerm {
  std::string name;
  std::string measure;
  double weight = 0.0;                         ///< points at best
  double full = 0.0, none = 0.0;               ///< differ
  std::optional<double> limit = std::nullopt;  ///< on the side of `none`
};

struct TermScore {
  ScoreTerm term;
  std::string unit;  ///< of the measure
  MeasureResult result;
  double points = 0.0;
  bool broken = false;  ///< beyond its limit
};

struct Score {
  std::vector<TermScore> terms;
  double points = 0.0;  ///< their sum; zero if a limit is broken
  double most = 0.0;    ///< sum of the weights

  bool broken() const;
};

/// Points of one term for a value of its measure.
double points_for(const ScoreTerm& term, const MeasureResult& result);
bool is_beyond_limit(const ScoreTerm& term, const MeasureResult& result);

/// Every term names one of the measures; one that does not has no points.
Score score_of(const std::vector<ScoreTerm>& terms, const std::vector<MeasureReport>& measures);

/// A table for people: value and points of each term, and the total.
std::string score_text(const Score& score);
/// Several of them side by side under `labels`, with the differences to the first. All have the
/// same terms.
std::string comparison_text(const std::vector<Score>& scores,
                            const std::vector<std::string>& labels);

}  // namespace grapple::record
