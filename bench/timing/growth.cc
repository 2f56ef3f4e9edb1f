#include "timing/growth.h"

#include <cmath>

namespace grapple::bench {

double growth_exponent(const std::vector<int>& sizes, const std::vector<double>& costs) {
  double x_mean = 0.0;
  double y_mean = 0.0;
  const auto count = static_cast<double>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    x_mean += std::log(sizes[i]) / count;
    y_mean += std::log(costs[i]) / count;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double dx = std::log(sizes[i]) - x_mean;
    xx += dx * dx;
    xy += dx * (std::log(costs[i]) - y_mean);
  }
  return xy / xx;
}

}  // namespace grapple::bench
