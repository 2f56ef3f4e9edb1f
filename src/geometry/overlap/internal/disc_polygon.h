// What a disc about the origin and a convex polygon have in common: area, moments, and the arcs of
// the circle inside the polygon. Summed over the edges of the polygon (Green): an edge adds the
// triangle from the centre to its part inside the circle, and sectors for its parts outside.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "grapple/geometry/solid/polyhedron.h"
#include "grapple/spatial/dual.h"

namespace grapple::geometry {

template <class T>
struct Vec2 {
  T x{0}, y{0};
};

template <class T>
struct DiscMoments {
  T area{0}, x{0}, y{0}, xx{0}, xy{0}, yy{0};  ///< integrals of 1, x, y, x^2, x y, y^2
  T arc{0}, arc_x{0}, arc_y{0};                ///< integrals of 1, cos, sin over the angle of arcs
};

/// A convex polygon, counter-clockwise, that stays on the stack.
template <class T>
class FlatPolygon {
 public:
  /// A square that holds the disc.
  explicit FlatPolygon(const T& radius) {
    const T half = T(1.25) * radius;
    at_[0][0] = {-half, -half}, at_[0][1] = {half, -half};
    at_[0][2] = {half, half}, at_[0][3] = {-half, half};
    count_ = 4;
  }
  std::size_t count() const { return count_; }
  const Vec2<T>& operator[](std::size_t k) const { return at_[which_][k]; }

  /// Keeps n . r <= level.
  void trim(const T& nx, const T& ny, const T& level) {
    const auto& from = at_[which_];
    auto& to = at_[1 - which_];
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const Vec2<T>&here = from[k], &next = from[k + 1 == count_ ? 0 : k + 1];
      const T above = nx * here.x + ny * here.y - level, then = nx * next.x + ny * next.y - level;
      if (!(above > T(0))) to[kept++] = here;
      if ((above > T(0)) == (then > T(0))) continue;
      const T share = above / (above - then);
      to[kept++] = {here.x + share * (next.x - here.x), here.y + share * (next.y - here.y)};
    }
    count_ = kept;
    which_ = 1 - which_;
  }

 private:
  std::array<std::array<Vec2<T>, kMostFaces + 8>, 2> at_;
  std::size_t count_ = 0, which_ = 0;
};

template <class T>
void add_triangle(const Vec2<T>& p, const Vec2<T>& q, DiscMoments<T>& m) {
  const T twice = p.x * q.y - p.y * q.x;
  const T sx = p.x + q.x, sy = p.y + q.y;
  m.area += T(0.5) * twice;
  m.x += twice * sx / T(6);
  m.y += twice * sy / T(6);
  m.xx += twice / T(12) * (p.x * p.x + q.x * q.x + p.x * q.x);
  m.yy += twice / T(12) * (p.y * p.y + q.y * q.y + p.y * q.y);
  m.xy += twice / T(24) * (T(2) * (p.x * p.y + q.x * q.y) + p.x * q.y + q.x * p.y);
}

/// The sector between the directions of p and q, less than half a turn.
template <class T>
void add_sector(const Vec2<T>& p, const Vec2<T>& q, const T& r, DiscMoments<T>& m) {
  using std::atan2;
  using std::sqrt;
  const T p2 = p.x * p.x + p.y * p.y, q2 = q.x * q.x + q.y * q.y;
  if (!(p2 > T(0)) || !(q2 > T(0))) return;
  const T lp = sqrt(p2), lq = sqrt(q2);
  const T c1 = p.x / lp, s1 = p.y / lp, c2 = q.x / lq, s2 = q.y / lq;
  const T angle = atan2(T(c1 * s2 - s1 * c2), T(c1 * c2 + s1 * s2));
  const T r2 = r * r, r3 = r2 * r, r4 = r2 * r2;
  const T mixed = s2 * c2 - s1 * c1;
  m.arc += angle;
  m.arc_x += s2 - s1;
  m.arc_y += c1 - c2;
  m.area += T(0.5) * r2 * angle;
  m.x += r3 / T(3) * (s2 - s1);
  m.y += r3 / T(3) * (c1 - c2);
  m.xx += r4 / T(8) * (angle + mixed);
  m.yy += r4 / T(8) * (angle - mixed);
  m.xy += r4 / T(8) * (s2 * s2 - s1 * s1);
}

template <class T>
void add_edge(const Vec2<T>& p, const Vec2<T>& q, const T& r, DiscMoments<T>& m) {
  using std::sqrt;
  const Vec2<T> d{q.x - p.x, q.y - p.y};
  const T a = d.x * d.x + d.y * d.y, b = p.x * d.x + p.y * d.y;
  const T c = p.x * p.x + p.y * p.y - r * r, root = b * b - a * c;
  if (!(a > T(0))) return;
  if (!(root > T(0))) return add_sector(p, q, r, m);
  const T w = sqrt(root);
  T in = (-b - w) / a, out = (w - b) / a;
  if (!(in < T(1)) || !(out > T(0))) return add_sector(p, q, r, m);
  const auto at = [&](const T& s) { return Vec2<T>{p.x + s * d.x, p.y + s * d.y}; };
  const bool starts_inside = !(in > T(0)), ends_inside = !(out < T(1));
  const Vec2<T> enter = starts_inside ? p : at(in), leave = ends_inside ? q : at(out);
  if (!starts_inside) add_sector(p, enter, r, m);
  add_triangle(enter, leave, m);
  if (!ends_inside) add_sector(leave, q, r, m);
}

template <class T>
DiscMoments<T> whole_disc(const T& radius) {
  constexpr double kPi = std::numbers::pi;
  DiscMoments<T> m;
  const T square = radius * radius;
  m.arc = T(2.0 * kPi);
  m.area = T(kPi) * square;
  m.xx = m.yy = T(0.25 * kPi) * square * square;
  return m;
}

template <class T>
DiscMoments<T> common_to(const FlatPolygon<T>& polygon, const T& radius) {
  DiscMoments<T> m;
  for (std::size_t k = 0; k < polygon.count(); ++k) {
    add_edge(polygon[k], polygon[k + 1 == polygon.count() ? 0 : k + 1], radius, m);
  }
  return m;
}

}  // namespace grapple::geometry
