// Which arcs of a ring of one solid lie inside another, and what they add to the surface integrals
// of their common volume: with r from a common origin and the vector area dA,
//   V = 1/3 int r.dA,   int r dV = 1/4 int r r.dA,   int r r' dV = 1/5 int r r' r.dA.
#pragma once

#include <array>
#include <cstdint>

#include "grapple/geometry/overlap/internal/flush.h"
#include "grapple/geometry/overlap/internal/ring_solid.h"
#include "grapple/geometry/solid/polyhedron.h"

namespace grapple::geometry {

/// One solid seen from another: x_other = R x_own + p.
template <class T>
struct RingView {
  const RingSolid& own;
  const RingSolid& other;
  spatial::Mat3T<T> R;
  spatial::Vec3T<T> p;
  Flush flush;

  RingPoints<T> seen(const RingPoints<T>& ring) const {
    return {p + R * ring.center, R * ring.cosine, R * ring.sine};
  }
  RingView<double> still() const {
    const auto value = [](const T& x) { return spatial::value_of(x); };
    return {own, other, R.unaryExpr(value), p.unaryExpr(value), flush};
  }
};

/// Where a ring enters or leaves: the number of the other's function that vanishes, or
/// kOwnPlane + number for a plane of its own solid, which bounds the face the ring lies in.
struct ArcEnd {
  RingAngle at;
  std::size_t label;
};
inline constexpr std::size_t kOwnPlane = 100000;

struct Arcs {
  static constexpr std::size_t kMost = 32;
  std::array<std::array<ArcEnd, 2>, kMost> at;  ///< where it enters and leaves, in rising angles
  std::size_t count = 0;
  bool is_full = false;
  double angle = 0.0;           ///< of all together
  std::uint64_t signature = 0;  ///< of the labels of their ends, in any order

  bool is_empty() const { return count == 0 && !is_full; }
  bool is_uniform() const { return count == 0; }
};

Arcs arcs_inside(const RingView<double>& view, const RingSurface& surface, double s);

template <class T>
struct RingSums {
  VolumeMoments<T> moments;
  spatial::Vec3T<T> area = spatial::Vec3T<T>::Zero();
  double size = 0.0;                             ///< of the area, not as a vector
  spatial::Mat3 spread = spatial::Mat3::Zero();  ///< int r dA': V 1 of a closed surface

  void add(const RingSums& o, const T& w) {
    moments.volume += w * o.moments.volume;
    moments.first += w * o.moments.first;
    moments.second += w * o.moments.second;
    area += w * o.area;
    size += spatial::value_of(w) * o.size;
    spread += spatial::value_of(w) * o.spread;
  }
  void add_point(const spatial::Vec3T<T>& r, const spatial::Vec3T<T>& dA, const T& w) {
    const T flux = w * r.dot(dA);
    moments.volume += flux / T(3);
    moments.first += (flux / T(4)) * r;
    moments.second += (flux / T(5)) * (r * r.transpose());
    area += w * dA;
    const auto value = [](const T& x) { return spatial::value_of(x); };
    const spatial::Vec3 now = spatial::value_of(w) * dA.unaryExpr(value);
    size += now.norm();
    spread += r.unaryExpr(value) * now.transpose();
  }
};

/// Of the ring at s with the given arcs, per unit of s, in the frame of its solid. `origin` in the
/// same frame.
template <class T>
RingSums<T> ring_sums(const RingView<T>& view, const RingSurface& surface, const T& s,
                      const Arcs& arcs, const spatial::Vec3T<T>& origin);

/// Where on the ring the other solid is nearest by its level, and that level. `rounds` of golden
/// sections refine the angle. Beyond the ring's own face the distance from that face counts if it
/// is larger (kBound: a function whose slope is at most one) or is added tenfold (kWithin: the
/// least lies on the face, unless an edge is sharper than 6 degrees).
enum class FaceRule { kBound, kWithin };
struct RingMinimum {
  double level = 0.0;
  RingAngle at;
};
RingMinimum nearest_on_ring(const RingView<double>& view, const RingSurface& surface, double s,
                            FaceRule rule, int rounds);

}  // namespace grapple::geometry
