// How a cost grows with a size.
#pragma once

#include <vector>

namespace grapple::bench {

/// Least-squares slope of log(cost) over log(size): 1 is linear growth.
double growth_exponent(const std::vector<int>& sizes, const std::vector<double>& costs);

}  // namespace grapple::bench
