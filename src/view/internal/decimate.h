// Fewer points that draw the same picture: each bucket of rows keeps its smallest and its largest
// value where they are, so no peak is lost however long the run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace grapple::view {

/// Rows to keep, ascending: the first, the last, and the extremes of (most - 2) / 2 buckets of
/// equal numbers of rows. All rows if there are at most `most` (at least 4) of them. Values that
/// are not numbers are no extremes.
std::vector<std::size_t> extreme_rows(std::span<const double> values, std::size_t most);

/// About `most` (at least 2) rows spread evenly over time, the first and the last among them.
std::vector<std::size_t> even_rows(std::span<const double> time, std::size_t most);

}  // namespace grapple::view
