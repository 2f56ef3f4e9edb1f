// The volume in which two shapes A and B overlap, with the moments an elastic foundation needs. All
// in world axes; exact, and smooth in the pose.
//
// To write one, derive from VolumeQueryOf<YourQuery> and give it
//   template <class T> Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const;
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "grapple/geometry/solid/shape.h"
#include "grapple/geometry/touch/touch_query.h"
#include "grapple/geometry/touch/touch_sites.h"

namespace grapple::geometry {

template <class T>
struct Overlap {
  T gap{0};  ///< m, > 0 apart: distance to the nearest point; < 0: minus the largest depth
  spatial::Vec3T<T> normal_W = spatial::Vec3T<T>::Zero();   ///< unit, from B towards A
  spatial::Vec3T<T> nearest_W = spatial::Vec3T<T>::Zero();  ///< point of A where the gap is
  T volume{0};  ///< V, m^3; what follows is meaningful only where it is above zero
  spatial::Vec3T<T> centroid_W = spatial::Vec3T<T>::Zero();  ///< of the volume
  /// integral of (r.r 1 - r r') over the volume, r from the centroid, m^5.
  spatial::Mat3T<T> inertia_W = spatial::Mat3T<T>::Zero();
  /// P with dP/dt = -V normal . (velocity of A's material at the centroid - velocity of B's): what
  /// makes the force V normal at the centroid conservative, m^4.
  T potential{0};
  double error = 0.0;  ///< bound on that of the volume, where it comes by quadrature, m^3
};

class VolumeQuery {
 public:
  virtual ~VolumeQuery() = default;
  virtual Overlap<double> operator()(const Placement<double>& a,
                                     const Placement<double>& b) const = 0;
  virtual Overlap<spatial::Dual> operator()(const Placement<spatial::Dual>& a,
                                            const Placement<spatial::Dual>& b) const = 0;
  /// Length against which an overlap at the start is deep, m.
  virtual double size() const = 0;
  /// Whether `potential` is given. Without one, V normal at the centroid is not quite a gradient.
  virtual bool has_potential() const { return true; }
  /// The gap alone, where that is cheaper than the whole overlap.
  virtual double gap(const Placement<double>& a, const Placement<double>& b) const {
    return (*this)(a, b).gap;
  }
  /// A lower bound of the gap that costs next to nothing: pairs far apart are left alone by it.
  virtual double gap_at_least(const Placement<double>& /*a*/,
                              const Placement<double>& /*b*/) const {
    return -std::numeric_limits<double>::infinity();
  }
};

template <class Derived>
class VolumeQueryOf : public VolumeQuery {
 public:
  Overlap<double> operator()(const Placement<double>& a, const Placement<double>& b) const final {
    return static_cast<const Derived&>(*this).find(a, b);
  }
  Overlap<spatial::Dual> operator()(const Placement<spatial::Dual>& a,
                                    const Placement<spatial::Dual>& b) const final {
    return static_cast<const Derived&>(*this).find(a, b);
  }
};

/// The volume of a pair; no query: this pair is not known.
struct OverlapPair {
  PairOrder order = PairOrder::kAsGiven;
  std::shared_ptr<const VolumeQuery> query;
};
OverlapPair overlap_pair(const Shape& a, const Shape& b);

/// How the normal of an overlap is found: the direction in which the volume shrinks fastest, or the
/// principal axis of its inertia nearest to that one (the source's).
enum class NormalRule { kArea, kInertia };

/// Every pair of parts of two shapes, A always the first shape; a long body in a bore has two, one
/// for each half of it. None if one of the pairs is not known.
std::vector<std::shared_ptr<const VolumeQuery>> overlap_patches(const Shape& a, const Shape& b,
                                                                NormalRule rule);

/// "sphere, box or cylinder on half-space; box on box": every pair overlap_pair knows, for
/// messages.
std::string known_overlaps();

}  // namespace grapple::geometry
