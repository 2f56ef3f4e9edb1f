#include "grapple/geometry/overlap/internal/ring_scan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grapple::geometry {

namespace {

using spatial::Vec3;
// How well a break is known. The integrals miss its square at a corner, its power 3/2 at a root.
constexpr double kSingle = 1e-3;  // of the interval it was found in: one change, to all appearance
constexpr double kCorner = 1e-6;  // of the same
constexpr double kRoot = 1e-10;   // of the same
constexpr double kSharp = 1e-14;  // of the surface, where the arcs jump
constexpr double kJump = 0.02;    // rad

// Heights of the other solid over the plane z = 0 of the surface's frame, before it is stretched.
RingRange heights_of(const RingView<double>& view, const RingSurface& surface) {
  const Vec3 up = surface.R_SF.col(2), up_other = view.R * up;
  const auto height = [&](const Vec3& direction) {
    const Vec3 far = view.R.transpose() * (view.other.farthest<double>(direction) - view.p);
    return (up.dot(far)) / surface.stretch.z() - up.dot(surface.p_SF);
  };
  return {height(-up_other), height(up_other)};
}

}  // namespace

RingRange range_within_reach(const RingView<double>& view, const RingSurface& surface) {
  RingRange range{surface.low, surface.high};
  if (!view.other.is_finite()) return range;
  RingRange heights = heights_of(view, surface);
  // Flat ends of the other are to lie between the limits, not on them.
  const double margin = 1e-3 * (heights.high - heights.low);
  heights.low -= margin, heights.high += margin;
  if (surface.kind == RingSurface::Kind::kDisc) {
    if (heights.low > 0.0 || heights.high < 0.0) return {0.0, 0.0};
    const Vec3 center = view.R.transpose() * (view.other.center() - view.p) - surface.p_SF;
    const Vec3 across = center - surface.R_SF.col(2).dot(center) * surface.R_SF.col(2);
    const double reach = 1.001 * view.other.reach();
    range.low = std::max(range.low, across.norm() - reach);
    range.high = std::min(range.high, across.norm() + reach);
  } else if (surface.kind == RingSurface::Kind::kStraight) {
    range.low = std::max(range.low, heights.low);
    range.high = std::min(range.high, heights.high);
  } else if (!(surface.base > 0.0)) {
    const auto angle = [&](double height) {
      return std::asin(std::clamp(height / surface.tube, -1.0, 1.0));
    };
    if (heights.low > surface.tube || heights.high < -surface.tube) return {0.0, 0.0};
    range.low = std::max(range.low, angle(heights.low));
    range.high = std::min(range.high, angle(heights.high));
  }
  return range;
}

RingScan::RingScan(const RingView<double>& view, const RingSurface& surface)
    : view_(view), surface_(surface) {
  const RingRange range = range_within_reach(view, surface);
  low_ = range.low, high_ = range.high;
}

RingScan::RingScan(const RingView<double>& view, const RingSurface& surface, int grid,
                   Search search)
    : RingScan(view, surface) {
  search_ = search;
  if (!(low_ < high_)) return;
  add({low_, false, 0.0, 0});
  scan(grid);
  add({high_, false, 0.0, 0});
  std::sort(breaks_.begin(), breaks_.begin() + static_cast<std::ptrdiff_t>(count_),
            [](const RingBreak& x, const RingBreak& y) { return x.at < y.at; });
}

// A bound from below, by equal steps round the ring.
double RingScan::coarse_distance(double s) const {
  constexpr double kHalfStep = std::numbers::pi / 16;
  const RingPoints<double> ring = surface_.ring<double>(s).points;
  return nearest_on_ring(view_, surface_, s, FaceRule::kBound, 0).level -
         kHalfStep * std::max(ring.cosine.norm(), ring.sine.norm());
}

void RingScan::scan(int grid) {
  Place last = place(low_);
  for (int k = 1; k <= grid; ++k) {
    const Place next = place(k == grid ? high_ : low_ + (high_ - low_) * k / grid);
    if (last.arcs.signature != next.arcs.signature) {
      locate(last, next, last.s, next.s);
    } else if (next.arcs.is_empty() && search_ == Search::kBetween) {
      look_between(last, next);
    }
    last = next;
  }
}

// Halves until there is one change only, to all appearance.
void RingScan::locate(const Place& low, const Place& high, double from, double to) {
  if (low.arcs.signature == high.arcs.signature || count_ + 2 > breaks_.size()) return;
  if (high.s - low.s < kSingle * (to - from)) return add(refined(low, high, to - from));
  const Place middle = place(0.5 * (low.s + high.s));
  locate(low, middle, from, to);
  locate(middle, high, from, to);
}

// An arc or a gap that begins grows with the root of the distance, which tells where it began;
// where labels change hands, or arcs vanish at once, halving does.
RingBreak RingScan::refined(Place low, Place high, double scale) const {
  const bool begins = low.arcs.count != high.arcs.count;
  const bool upward = low.arcs.count < high.arcs.count;  // the root is in `high`
  double enough = (begins ? kRoot : kCorner) * scale, earlier = NAN, earlier_square = NAN;
  for (int round = 0; round < 60 && high.s - low.s > enough; ++round) {
    const double change = std::abs(low.arcs.angle - high.arcs.angle), square = change * change;
    const double inner = upward ? high.s : low.s;
    const double begin = inner - square * (earlier - inner) / (earlier_square - square);
    if (begins && begin > low.s && begin < high.s && inner != earlier) {
      earlier = inner, earlier_square = square;
      const double beside = 1e-2 * (inner - begin);
      take(place(begin + beside), low, high);
      if (begin - beside > low.s && begin - beside < high.s) {
        take(place(begin - beside), low, high);
      }
    } else {
      earlier = inner, earlier_square = square;
      take(place(0.5 * (low.s + high.s)), low, high);
    }
    if (change < kJump) continue;
    enough = kSharp * (high_ - low_);
  }
  return break_between(low, high);
}

RingBreak RingScan::between(double low, double high) const {
  return refined(place(low), place(high), high - low);
}

void RingScan::take(const Place& found, Place& low, Place& high) {
  (found.arcs.signature == low.arcs.signature ? low : high) = found;
}

// No ring of these two meets the other; one between them may, where they come nearest.
void RingScan::look_between(const Place& low, const Place& high) {
  const double width = high.s - low.s, reach = surface_.speed() * width;
  if (coarse_distance(low.s) + coarse_distance(high.s) >= reach) return;
  const double at_low = distance(low.s), at_high = distance(high.s);
  if (at_low + at_high >= reach) return;
  const double inward = 1e-4 * width;
  if (!(distance(low.s + inward) <= at_low) || !(distance(high.s - inward) <= at_high)) return;
  constexpr double kGolden = 0.6180339887498949;
  double a = low.s, b = high.s;
  double x1 = b - kGolden * (b - a), x2 = a + kGolden * (b - a);
  double f1 = distance(x1), f2 = distance(x2);
  for (int k = 0; k < 40; ++k) {
    const bool first = f1 < f2;
    const Place found = (first ? f1 : f2) < 0.0 ? place(first ? x1 : x2) : Place{};
    if (!found.arcs.is_empty()) {
      locate(low, found, low.s, found.s);
      locate(found, high, found.s, high.s);
      return;
    }
    if (std::min(f1, f2) > surface_.speed() * (b - a)) return;
    if (first) {
      b = x2, x2 = x1, f2 = f1;
      x1 = b - kGolden * (b - a), f1 = distance(x1);
    } else {
      a = x1, x1 = x2, f1 = f2;
      x2 = a + kGolden * (b - a), f2 = distance(x2);
    }
  }
}

RingBreak RingScan::break_between(const Place& low, const Place& high) const {
  RingBreak found{0.5 * (low.s + high.s), false, 0.0, 0};
  if (!(std::abs(low.arcs.angle - high.arcs.angle) > kJump)) return found;
  const Arcs& more = low.arcs.angle > high.arcs.angle ? low.arcs : high.arcs;
  const Arcs& less = low.arcs.angle > high.arcs.angle ? high.arcs : low.arcs;
  // The middle of an arc that is not there on the other side.
  found.angle = more.is_full ? 0.0 : 0.5 * (more.at[0][0].at.angle + more.at[0][1].at.angle);
  if (more.is_full && less.count > 0) {
    found.angle = less.at[0][1].at.angle + std::numbers::pi - 0.5 * less.angle;
  }
  const double c = std::cos(found.angle), s = std::sin(found.angle);
  const double step = 1e-7 * (high_ - low_);  // far beyond rounding
  const auto seen = [&](double at) { return view_.seen(surface_.ring<double>(at).points); };
  const RingPoints<double> before = seen(found.at - step), after = seen(found.at + step);
  for (std::size_t k = 0; k < view_.other.function_count(); ++k) {
    const double one = view_.other.function<double>(k, before).value(c, s);
    const double two = view_.other.function<double>(k, after).value(c, s);
    if ((one < 0.0) == (two < 0.0) || !std::isfinite(one)) continue;
    if (!view_.other.may_bound(k, seen(found.at).at(c, s))) continue;
    found.jumps = true;
    found.label = k;
    return found;
  }
  return found;
}

}  // namespace grapple::geometry
