#include "grapple/geometry/polyhedron_pair.h"

#include <cmath>
#include <vector>

#include "grapple/base/assert.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3T;
using spatial::Vec3;
using spatial::Vec3T;

// Faces with their planes, and the directions of its edges, each once.
struct Solid {
  Polyhedron shape;
  std::vector<Vec3> normals;
  std::vector<double> levels;
  std::vector<Vec3> edges;
  double size = 0.0;

  explicit Solid(const Polyhedron& polyhedron) : shape(polyhedron) {
    for (const std::vector<int>& face : shape.faces) {
      GRAPPLE_ASSERT(face.size() >= 3);
      const Vec3 a = corner(face[0]), b = corner(face[1]), c = corner(face[2]);
      normals.push_back((b - a).cross(c - a).normalized());
      levels.push_back(normals.back().dot(a));
      for (std::size_t k = 0; k < face.size(); ++k) {
        add_edge((corner(face[(k + 1) % face.size()]) - corner(face[k])).normalized());
      }
    }
    for (const Vec3& c : shape.corners) size = std::max(size, c.norm());
  }

  const Vec3& corner(int k) const { return shape.corners[static_cast<std::size_t>(k)]; }
  void add_edge(const Vec3& direction) {
    for (const Vec3& known : edges) {
      if (known.cross(direction).norm() < 1e-12) return;
    }
    edges.push_back(direction);
  }
};

// A solid's frame seen from another: x_there = R x_here + p.
template <class T>
struct Seen {
  Mat3T<T> R;
  Vec3T<T> p;
};

// B's frame throughout.
template <class T>
struct Separation {
  T gap{0};
  Vec3T<T> normal = Vec3T<T>::Zero(), nearest = Vec3T<T>::Zero();
};

class PolyhedronPair final : public VolumeQueryOf<PolyhedronPair> {
 public:
  PolyhedronPair(const Polyhedron& a, const Polyhedron& b, double size)
      : a_(a), b_(b), size_(size) {
    for (const Solid* solid : {&a_, &b_}) {
      const Solid& other = solid == &a_ ? b_ : a_;
      for (const std::vector<int>& face : solid->shape.faces) {
        GRAPPLE_ASSERT(face.size() + other.normals.size() < kMostPolygonCorners);
      }
    }
  }

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Seen<T> seen{b.R_WS.transpose() * a.R_WS, b.R_WS.transpose() * (a.p_WS - b.p_WS)};
    const Separation<T> apart = separation(seen);
    Overlap<T> o;
    o.gap = apart.gap;
    o.normal_W = b.R_WS * apart.normal;
    o.nearest_W = b.p_WS + b.R_WS * apart.nearest;
    if (!(o.gap < T(0))) return o;
    // A corner of the overlap on B's surface as origin: a thin overlap has one side of no height.
    Vec3T<T> origin = seen.p;
    Sum<T> sum;
    if (!first_corner(seen, origin)) return o;
    add_faces_of_A(seen, origin, sum);
    add_faces_of_B(seen, origin, sum);
    const T square = sum.area.squaredNorm();
    if (!(sum.moments.volume > T(0)) || !(square > T(0))) return o;
    using std::sqrt;
    o.volume = sum.moments.volume;
    o.normal_W = b.R_WS * Vec3T<T>(sum.area / sqrt(square));
    o.centroid_W = b.p_WS + b.R_WS * Vec3T<T>(origin + sum.moments.centroid());
    o.inertia_W = b.R_WS * sum.moments.inertia() * b.R_WS.transpose();
    return o;
  }
  double size() const override { return size_; }
  bool has_potential() const override { return false; }

 private:
  template <class T>
  struct Sum {
    VolumeMoments<T> moments;
    Vec3T<T> area = Vec3T<T>::Zero();  // of B's share of the surface
  };

  // What the planes of the other solid leave of a face.
  template <class T>
  static void cut_by_B(const Solid& b, Polygon<T>& polygon) {
    for (std::size_t k = 0; k < b.normals.size() && polygon.count > 0; ++k) {
      polygon = cut<T>(polygon, b.normals[k].template cast<T>(), T(b.levels[k]));
    }
  }
  template <class T>
  void cut_by_A(const Seen<T>& seen, Polygon<T>& polygon) const {
    for (std::size_t k = 0; k < a_.normals.size() && polygon.count > 0; ++k) {
      const Vec3T<T> normal = seen.R * a_.normals[k].template cast<T>();
      polygon = cut<T>(polygon, normal, T(T(a_.levels[k]) + normal.dot(seen.p)));
    }
  }

  template <class T>
  Polygon<T> face_of_B(const Seen<T>& seen, std::size_t face) const {
    Polygon<T> polygon;
    if (shared_with_A(seen, face)) return polygon;
    for (const int k : b_.shape.faces[face]) polygon.add(b_.corner(k).template cast<T>());
    cut_by_A(seen, polygon);
    return polygon;
  }

  // A face in the plane of a face of A that looks the same way: A's counts, or it would count
  // twice.
  template <class T>
  bool shared_with_A(const Seen<T>& seen, std::size_t face) const {
    for (std::size_t k = 0; k < a_.normals.size(); ++k) {
      const Vec3T<T> normal = seen.R * a_.normals[k].template cast<T>();
      const T level = T(a_.levels[k]) + normal.dot(seen.p);
      const T miss = (normal - b_.normals[face].template cast<T>()).squaredNorm();
      if (miss < T(1e-26) &&
          std::abs(spatial::value_of(level) - b_.levels[face]) < 1e-13 * b_.size) {
        return true;
      }
    }
    return false;
  }

  template <class T>
  Polygon<T> face_of_A(const Seen<T>& seen, std::size_t face) const {
    Polygon<T> polygon;
    for (const int k : a_.shape.faces[face]) {
      polygon.add(seen.p + seen.R * a_.corner(k).template cast<T>());
    }
    cut_by_B(b_, polygon);
    return polygon;
  }

  template <class T>
  bool first_corner(const Seen<T>& seen, Vec3T<T>& corner) const {
    for (std::size_t k = 0; k < b_.normals.size(); ++k) {
      const Polygon<T> polygon = face_of_B(seen, k);
      if (polygon.count == 0) continue;
      corner = polygon.corners[0];
      return true;
    }
    return false;
  }

  template <class T>
  void add_faces_of_A(const Seen<T>& seen, const Vec3T<T>& origin, Sum<T>& sum) const {
    for (std::size_t k = 0; k < a_.normals.size(); ++k) {
      Polygon<T> polygon = face_of_A(seen, k);
      shift(origin, polygon);
      sum.moments.add(polygon);
    }
  }
  template <class T>
  void add_faces_of_B(const Seen<T>& seen, const Vec3T<T>& origin, Sum<T>& sum) const {
    for (std::size_t k = 0; k < b_.normals.size(); ++k) {
      Polygon<T> polygon = face_of_B(seen, k);
      shift(origin, polygon);
      sum.moments.add(polygon);
      for (std::size_t i = 2; i < polygon.count; ++i) {
        const Vec3T<T>& c = polygon.corners[0];
        sum.area +=
            T(0.5) * Vec3T<T>(polygon.corners[i - 1] - c).cross(Vec3T<T>(polygon.corners[i] - c));
      }
    }
  }

  template <class T>
  static void shift(const Vec3T<T>& origin, Polygon<T>& polygon) {
    for (std::size_t k = 0; k < polygon.count; ++k) polygon.corners[k] -= origin;
  }

  template <class T>
  Separation<T> separation(const Seen<T>& seen) const {
    Separation<T> best;
    best.gap = T(-1e300);
    for (const Vec3& n : b_.normals) try_axis(seen, Vec3T<T>(n.template cast<T>()), best);
    for (const Vec3& n : a_.normals) try_axis(seen, Vec3T<T>(seen.R * n.template cast<T>()), best);
    for (const Vec3& edge_a : a_.edges) {
      const Vec3T<T> along = seen.R * edge_a.template cast<T>();
      for (const Vec3& edge_b : b_.edges) {
        using std::sqrt;
        const Vec3T<T> axis = along.cross(Vec3T<T>(edge_b.template cast<T>()));
        const T square = axis.squaredNorm();
        if (square > T(1e-12)) try_axis(seen, Vec3T<T>(axis / sqrt(square)), best);
      }
    }
    return best;
  }

  // The gap along an axis, taken from B towards A.
  template <class T>
  void try_axis(const Seen<T>& seen, Vec3T<T> axis, Separation<T>& best) const {
    if (axis.dot(seen.p) < T(0)) axis = -axis;
    T lowest_a(1e300), highest_b(-1e300);
    const Vec3T<T> axis_A = seen.R.transpose() * axis;
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < a_.shape.corners.size(); ++k) {
      const T up = axis_A.dot(Vec3T<T>(a_.shape.corners[k].template cast<T>()));
      if (!(up < lowest_a)) continue;
      lowest_a = up;
      nearest = k;
    }
    for (const Vec3& corner : b_.shape.corners) {
      const T up = axis.dot(Vec3T<T>(corner.template cast<T>()));
      if (up > highest_b) highest_b = up;
    }
    const T gap = lowest_a + axis.dot(seen.p) - highest_b;
    if (!(gap > best.gap)) return;
    best = {gap, axis, seen.p + seen.R * a_.shape.corners[nearest].template cast<T>()};
  }

  Solid a_, b_;
  double size_;
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_polyhedron_pair(const Polyhedron& a, const Polyhedron& b,
                                                        double size) {
  return std::make_shared<PolyhedronPair>(a, b, size);
}

}  // namespace grapple::geometry
