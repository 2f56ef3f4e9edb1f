#include "grapple/geometry/overlap/internal/ring_distance.h"

#include <cmath>
#include <limits>

namespace grapple::geometry {

namespace {

using spatial::Vec3;

// The best so far, and how it was found.
class NearestSearch {
 public:
  explicit NearestSearch(const RingView<double>& view) : view_(view) {}

  const Vec3& point() const { return point_; }

  // On a grid of rings; then between the neighbours of each that is nearer than both.
  void search(const RingSurface& surface) {
    constexpr int kGrid = 12;
    const RingSurface& s = surface;
    std::array<double, kGrid + 1> level;
    const auto at = [&](int k) { return s.low + (s.high - s.low) * k / kGrid; };
    for (int k = 0; k <= kGrid; ++k) {
      level[static_cast<std::size_t>(k)] = try_ring(surface, at(k), kRough);
    }
    for (int k = 0; k <= kGrid; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const bool below_last = k == 0 || level[i] <= level[i - 1];
      const bool below_next = k == kGrid || level[i] < level[i + 1];
      const double gain = surface.speed() * (s.high - s.low) / kGrid;  // at most
      if (!below_last || !below_next || level[i] - gain > least_) continue;
      narrow(surface, at(std::max(0, k - 1)), at(std::min(kGrid, k + 1)));
    }
  }

 private:
  static constexpr int kRough = 6, kFine = 34;  // rounds: steps of 1e-8 of the ring at last

  double try_ring(const RingSurface& surface, double s, int rounds) {
    const RingMinimum found = nearest_on_ring(view_, surface, s, FaceRule::kWithin, rounds);
    if (found.level < least_) {
      least_ = found.level;
      point_ = surface.ring<double>(s).points.at(found.at.c, found.at.s);
    }
    return found.level;
  }

  void narrow(const RingSurface& surface, double low, double high) {
    constexpr double kGolden = 0.6180339887498949;
    double x1 = high - kGolden * (high - low), x2 = low + kGolden * (high - low);
    double f1 = try_ring(surface, x1, kFine), f2 = try_ring(surface, x2, kFine);
    for (int k = 0; k < kFine; ++k) {
      if (f1 < f2) {
        high = x2, x2 = x1, f2 = f1;
        x1 = high - kGolden * (high - low), f1 = try_ring(surface, x1, kFine);
      } else {
        low = x1, x1 = x2, f1 = f2;
        x2 = low + kGolden * (high - low), f2 = try_ring(surface, x2, kFine);
      }
    }
  }

  const RingView<double>& view_;
  double least_ = std::numeric_limits<double>::infinity();
  Vec3 point_ = Vec3::Zero();
};

}  // namespace

Vec3 nearest_point(const RingView<double>& view) {
  NearestSearch search(view);
  for (const RingSurface& surface : view.own.surfaces()) search.search(surface);
  return search.point();
}

}  // namespace grapple::geometry
