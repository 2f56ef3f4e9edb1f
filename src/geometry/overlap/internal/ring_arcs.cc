#include "grapple/geometry/overlap/internal/ring_arcs.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace grapple::geometry {

namespace {

using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;
constexpr double kTurn = 2.0 * std::numbers::pi;

struct Crossings {
  std::array<ArcEnd, 4 * kMostFaces> at;
  std::size_t count = 0;

  void add(RingAngle angle, std::size_t label) {
    if (count == at.size()) return;
    if (angle.angle < 0.0) angle.angle += kTurn;
    if (angle.angle >= kTurn) angle.angle -= kTurn;
    at[count++] = {angle, label};
  }
};

// Every angle at which the ring goes through a surface of the other, or over an edge of its face.
Crossings crossings_of(const RingView<double>& view, const RingSurface& surface,
                       const RingPoints<double>& own, const RingPoints<double>& seen) {
  Crossings all;
  for (std::size_t k = 0; k < view.other.function_count(); ++k) {
    if (view.other.is_idle(k, seen)) continue;
    const RingRoots roots = roots_on_ring(view.other.function<double>(k, seen));
    for (std::size_t i = 0; i < roots.count; ++i) {
      const Vec3 at = seen.at(roots.at[i].c, roots.at[i].s);
      if (view.other.may_bound(k, at)) all.add(roots.at[i], k);
    }
  }
  const std::size_t planes = view.own.planes().normals.size();
  for (std::size_t k = 0; k < planes; ++k) {
    if (k == surface.own_plane) continue;
    const RingRoots roots = roots_on_ring(view.own.function<double>(k, own));
    for (std::size_t i = 0; i < roots.count; ++i) {
      const Vec3 at = own.at(roots.at[i].c, roots.at[i].s);
      if (view.own.may_bound(k, at)) all.add(roots.at[i], kOwnPlane + k);
    }
  }
  std::sort(all.at.begin(), all.at.begin() + static_cast<std::ptrdiff_t>(all.count),
            [](const ArcEnd& x, const ArcEnd& y) { return x.at.angle < y.at.angle; });
  return all;
}

// Points of its own solid's face only.
bool on_face(const RingView<double>& view, const RingSurface& surface, const Vec3& p) {
  const FacePlanes& planes = view.own.planes();
  for (std::size_t k = 0; k < planes.normals.size(); ++k) {
    if (k != surface.own_plane && planes.normals[k].dot(p) > planes.levels[k]) return false;
  }
  return true;
}

// A point on a surface of the other counts as inside by what lies just behind and before it.
class InsideTest {
 public:
  InsideTest(const RingView<double>& view, const RingSurface& surface, const Ring<double>& ring,
             const RingPoints<double>& seen)
      : view_(view), surface_(surface), ring_(ring), seen_(seen) {}

  bool operator()(double c, double s) const {
    if (!on_face(view_, surface_, ring_.points.at(c, s))) return false;
    const Vec3 at = seen_.at(c, s), area = ring_.area_at(c, s);
    const double size = area.norm();
    const double least = kBehind * std::max(view_.own.reach(), view_.other.reach());
    const Vec3 step = size > 0.0 ? Vec3(view_.R * area * (least / size)) : Vec3(Vec3::Zero());
    if (!view_.other.contains(at - step)) return false;
    return view_.flush == Flush::kCounts || view_.other.contains(at + step);
  }

 private:
  static constexpr double kBehind = 1e-13;  // of the larger solid: coinciding surfaces

  const RingView<double>& view_;
  const RingSurface& surface_;
  const Ring<double>& ring_;
  const RingPoints<double>& seen_;
};

// The same for any order of the ends.
std::uint64_t mixed(std::size_t enter, std::size_t leave) {
  std::uint64_t x = (static_cast<std::uint64_t>(enter) << 32U) + leave + 1;
  x *= 0x9E3779B97F4A7C15ULL;
  return x ^ (x >> 29U);
}

struct GaussNode {
  double u, weight;
};
constexpr std::array<GaussNode, 4> kEight = {{{0.1834346424956498, 0.3626837833783620},
                                              {0.5255324099163290, 0.3137066458778873},
                                              {0.7966664774136267, 0.2223810344533745},
                                              {0.9602898564975363, 0.1012285362903763}}};
constexpr std::array<GaussNode, 6> kTwelve = {{{0.1252334085114689, 0.2491470458134028},
                                               {0.3678314989981802, 0.2334925365383548},
                                               {0.5873179542866175, 0.2031674267230659},
                                               {0.7699026741943047, 0.1600783285433462},
                                               {0.9041172563704749, 0.1069393259953184},
                                               {0.9815606342467193, 0.0471753363865118}}};

template <class T, class Nodes>
void add_gauss(const Nodes& nodes, const Ring<T>& ring, const T& from, const T& to,
               const Vec3T<T>& origin, RingSums<T>& sums) {
  using std::cos;
  using std::sin;
  const T middle = T(0.5) * (from + to), half = T(0.5) * (to - from);
  const T cm = cos(middle), sm = sin(middle);
  for (const GaussNode& node : nodes) {
    const SmallTurn<T> turn(half * T(node.u));
    for (const double side : {-1.0, 1.0}) {
      const T c = cm * turn.c - T(side) * sm * turn.s, s = sm * turn.c + T(side) * cm * turn.s;
      sums.add_point(ring.points.at(c, s) - origin, ring.area_at(c, s), half * T(node.weight));
    }
  }
}

// Polynomials of fourth degree in cos and sin: to 1e-11 of their size at least.
template <class T>
void add_arc(const Ring<T>& ring, const T& from, const T& to, const Vec3T<T>& origin,
             RingSums<T>& sums) {
  const double length = value_of(to) - value_of(from);
  if (length < 1.0) return add_gauss(kEight, ring, from, to, origin, sums);
  if (length < 0.5 * kTurn) return add_gauss(kTwelve, ring, from, to, origin, sums);
  const T middle = T(0.5) * (from + to);
  add_gauss(kTwelve, ring, from, middle, origin, sums);
  add_gauss(kTwelve, ring, middle, to, origin, sums);
}

// The angle with its derivatives, where the pose has some.
template <class T>
T exact_angle(const RingView<T>& view, const Ring<T>& ring, const ArcEnd& end) {
  if constexpr (std::is_same_v<T, double>) {
    return end.at.angle;
  } else {
    const RingFunction<T> f =
        end.label < kOwnPlane ? view.other.template function<T>(end.label, view.seen(ring.points))
                              : view.own.template function<T>(end.label - kOwnPlane, ring.points);
    const T c(end.at.c), s(end.at.s);
    const double slope = value_of(f.slope(c, s));
    if (!(std::abs(slope) > 0.0)) return T(end.at.angle);
    T miss = f.value(c, s);
    miss -= T(value_of(miss));
    return T(end.at.angle) - miss / T(slope);
  }
}

}  // namespace

namespace {

void make_full(Arcs& arcs) {
  arcs.is_full = true;
  arcs.angle = kTurn;
  arcs.signature = 1;
}

// The direction halfway from a to b, `length` further on.
std::array<double, 2> halfway(const RingAngle& a, const RingAngle& b, double length) {
  if (std::abs(length - 0.5 * kTurn) < 0.02) return {-a.s, a.c};  // nearly: a quarter turn on
  const double c = a.c + b.c, s = a.s + b.s;
  const double scale = (length > 0.5 * kTurn ? -1.0 : 1.0) / std::sqrt(c * c + s * s);
  return {scale * c, scale * s};
}

// The crossings with what lies between each and the next.
class Stretches {
 public:
  Stretches(const Crossings& crossings, const InsideTest& inside) : at_(crossings) {
    for (std::size_t k = 0; k < count(); ++k) {
      const auto [c, s] = halfway(at_.at[k].at, at_.at[next(k)].at, length(k));
      in_[k] = length(k) > 1e-14 && inside(c, s);
      inside_count_ += in_[k] ? 1 : 0;
    }
  }

  std::size_t count() const { return at_.count; }
  std::size_t next(std::size_t k) const { return k + 1 < count() ? k + 1 : 0; }
  bool all_inside() const { return inside_count_ == count(); }
  bool in(std::size_t k) const { return in_[k]; }
  double length(std::size_t k) const {
    return at_.at[next(k)].at.angle - at_.at[k].at.angle + (k + 1 < count() ? 0.0 : kTurn);
  }

 private:
  const Crossings& at_;
  std::array<bool, 4 * kMostFaces> in_;
  std::size_t inside_count_ = 0;
};

}  // namespace

Arcs arcs_inside(const RingView<double>& view, const RingSurface& surface, double s) {
  const Ring<double> ring = surface.ring<double>(s);
  const RingPoints<double> seen = view.seen(ring.points);
  const InsideTest inside(view, surface, ring, seen);
  Arcs arcs;
  const Crossings crossings = crossings_of(view, surface, ring.points, seen);
  if (crossings.count == 0) {
    if (inside(1.0, 0.0)) make_full(arcs);
    return arcs;
  }
  const Stretches stretches(crossings, inside);
  if (stretches.all_inside()) {
    make_full(arcs);
    return arcs;
  }
  const std::size_t count = stretches.count();
  for (std::size_t k = 0; k < count && arcs.count < Arcs::kMost; ++k) {
    if (!stretches.in(k) || stretches.in((k + count - 1) % count)) continue;
    double length = 0.0;
    std::size_t last = k;
    for (; stretches.in(last); last = stretches.next(last)) length += stretches.length(last);
    const ArcEnd start = crossings.at[k];
    ArcEnd end = crossings.at[last];
    end.at.angle = start.at.angle + length;
    arcs.at[arcs.count++] = {start, end};
    arcs.angle += length;
    arcs.signature += mixed(start.label, end.label);
  }
  return arcs;
}

template <class T>
RingSums<T> ring_sums(const RingView<T>& view, const RingSurface& surface, const T& s,
                      const Arcs& arcs, const Vec3T<T>& origin) {
  RingSums<T> sums;
  if (arcs.is_empty()) return sums;
  const Ring<T> ring = surface.ring<T>(s);
  if (arcs.is_full) {
    static const RingSteps<8> steps;
    for (std::size_t k = 0; k < 8; ++k) {
      const T c(steps.at[k].c), n(steps.at[k].s);
      sums.add_point(ring.points.at(c, n) - origin, ring.area_at(c, n), T(kTurn / 8));
    }
    return sums;
  }
  for (std::size_t k = 0; k < arcs.count; ++k) {
    add_arc<T>(ring, exact_angle(view, ring, arcs.at[k][0]), exact_angle(view, ring, arcs.at[k][1]),
               origin, sums);
  }
  return sums;
}

template RingSums<double> ring_sums(const RingView<double>&, const RingSurface&, const double&,
                                    const Arcs&, const Vec3&);
template RingSums<spatial::Dual> ring_sums(const RingView<spatial::Dual>&, const RingSurface&,
                                           const spatial::Dual&, const Arcs&,
                                           const Vec3T<spatial::Dual>&);

RingMinimum nearest_on_ring(const RingView<double>& view, const RingSurface& surface, double s,
                            FaceRule rule, int rounds) {
  constexpr std::size_t kSteps = 16;
  static const RingSteps<kSteps> steps;
  const Ring<double> ring = surface.ring<double>(s);
  const RingPoints<double> seen = view.seen(ring.points);
  const FacePlanes& planes = view.own.planes();
  const auto level = [&](double c, double n) {
    const double to_other = view.other.level(seen.at(c, n));
    double beyond = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < planes.normals.size(); ++k) {
      if (k == surface.own_plane) continue;
      beyond = std::max(beyond, planes.normals[k].dot(ring.points.at(c, n)) - planes.levels[k]);
    }
    return rule == FaceRule::kBound ? std::max(to_other, beyond)
                                    : to_other + 10.0 * std::max(0.0, beyond);
  };
  RingMinimum best{std::numeric_limits<double>::infinity(), {}};
  for (const RingAngle& at : steps.at) {
    const double here = level(at.c, at.s);
    if (here < best.level) best = {here, at};
  }
  if (rounds == 0) return best;
  const RingAngle base = best.at;
  const auto at = [&](double by) {
    const RingAngle turned = base.turned(by);
    return level(turned.c, turned.s);
  };
  constexpr double kGolden = 0.6180339887498949;
  double low = -kTurn / kSteps, high = kTurn / kSteps;
  double x1 = high - kGolden * (high - low), x2 = low + kGolden * (high - low);
  double f1 = at(x1), f2 = at(x2);
  for (int k = 0; k < rounds; ++k) {
    if (f1 < f2) {
      high = x2, x2 = x1, f2 = f1;
      x1 = high - kGolden * (high - low), f1 = at(x1);
    } else {
      low = x1, x1 = x2, f1 = f2;
      x2 = low + kGolden * (high - low), f2 = at(x2);
    }
  }
  if (f1 < best.level) best = {f1, base.turned(x1)};
  if (f2 < best.level) best = {f2, base.turned(x2)};
  return best;
}

}  // namespace grapple::geometry
