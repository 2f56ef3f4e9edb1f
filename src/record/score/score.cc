#include "grapple/record/score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/printable.h"

namespace grapple::record {

namespace {

std::string value_text(const TermScore& term) {
  if (!term.result.found) return "not met";
  return fmt::format("{:.6g} {}", term.result.value, term.unit);
}

std::string total_line(const std::string& what, const Score& score) {
  return fmt::format("  {:<28} {:>9.4g} of {:.4g}{}\n", what, score.points, score.most,
                     score.broken() ? "   (a limit is broken)" : "");
}

}  // namespace

bool Score::broken() const {
  return std::any_of(terms.begin(), terms.end(), [](const TermScore& term) { return term.broken; });
}

double points_for(const ScoreTerm& term, const MeasureResult& result) {
  if (!result.found || !std::isfinite(result.value)) return 0.0;
  const double share = (term.none - result.value) / (term.none - term.full);
  return term.weight * std::clamp(share, 0.0, 1.0);
}

bool is_beyond_limit(const ScoreTerm& term, const MeasureResult& result) {
  if (!term.limit || !result.found) return false;
  return term.none > term.full ? result.value > *term.limit : result.value < *term.limit;
}

Score score_of(const std::vector<ScoreTerm>& terms, const std::vector<MeasureReport>& measures) {
  Score score;
  for (const ScoreTerm& term : terms) {
    TermScore found{term, "", {}, 0.0, false};
    const auto measure =
        std::find_if(measures.begin(), measures.end(),
                     [&](const MeasureReport& one) { return one.name == term.measure; });
    if (measure != measures.end()) {
      found.unit = measure->unit;
      found.result = measure->result;
      found.points = points_for(term, measure->result);
      found.broken = is_beyond_limit(term, measure->result);
    }
    score.points += found.points;
    score.most += term.weight;
    score.terms.push_back(std::move(found));
  }
  if (score.broken()) score.points = 0.0;
  return score;
}

std::string score_text(const Score& score) {
  std::string text = "\nscore\n";
  for (const TermScore& term : score.terms) {
    text += fmt::format(
        "  {:<28} {:>9.4g} of {:<8.4g} {}{}\n", printable(term.term.name), term.points,
        term.term.weight, value_text(term),
        term.broken ? fmt::format(", beyond the limit of {:g} {}", *term.term.limit, term.unit)
                    : "");
  }
  return text + total_line("total", score);
}

std::string comparison_text(const std::vector<Score>& scores,
                            const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t k = 0; k < scores.front().terms.size(); ++k) {
    const TermScore& first = scores.front().terms[k];
    text += fmt::format("{} (of {:g})\n", printable(first.term.name), first.term.weight);
    for (std::size_t run = 0; run < scores.size(); ++run) {
      const TermScore& term = scores[run].terms[k];
      text += fmt::format("  {:<28} {:>9.4g}   {}", printable(labels[run]), term.points,
                          value_text(term));
      if (run > 0) text += fmt::format("   ({:+.4g})", term.points - first.points);
      text += term.broken ? "   beyond its limit\n" : "\n";
    }
  }
  text += "total\n";
  for (std::size_t run = 0; run < scores.size(); ++run) {
    text += total_line(printable(labels[run]), scores[run]);
  }
  return text;
}

}  // namespace grapple::record
