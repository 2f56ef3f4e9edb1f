#include "grapple/geometry/overlap/internal/polyhedron_pair.h"

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
  Vec3 center = Vec3::Zero();
  double reach = 0.0;  // of the corners from the centre

  explicit Solid(const Polyhedron& polyhedron) : shape(polyhedron) {
    GRAPPLE_ASSERT(shape.faces.size() <= kMostFaces);
    for (const std::vector<int>& face : shape.faces) {
      GRAPPLE_ASSERT(face.size() >= 3 && face.size() <= kMostFaces);
      const Vec3 a = corner(face[0]), b = corner(face[1]), c = corner(face[2]);
      normals.push_back((b - a).cross(c - a).normalized());
      levels.push_back(normals.back().dot(a));
      for (std::size_t k = 0; k < face.size(); ++k) {
        add_edge((corner(face[(k + 1) % face.size()]) - corner(face[k])).normalized());
      }
    }
    GRAPPLE_ASSERT(shape.corners.size() <= kMostPolygonCorners);
    for (const Vec3& c : shape.corners) center += c / static_cast<double>(shape.corners.size());
    for (const Vec3& c : shape.corners) reach = std::max(reach, (c - center).norm());
  }

  const Vec3& corner(int k) const { return shape.corners[static_cast<std::size_t>(k)]; }
  void add_edge(const Vec3& direction) {
    for (const Vec3& known : edges) {
      if (known.cross(direction).norm() < 1e-12) return;
    }
    edges.push_back(direction);
  }
};

// A solid's planes and corners in the frame of another: x_there = R x_here + p.
template <class T>
struct SeenSolid {
  Mat3T<T> R;
  Vec3T<T> p;
  std::array<Vec3T<T>, kMostFaces> normals;
  std::array<T, kMostFaces> levels;
  std::array<Vec3T<T>, kMostPolygonCorners> corners;

  SeenSolid(const Solid& solid, const Mat3T<T>& turn, const Vec3T<T>& shift) : R(turn), p(shift) {
    for (std::size_t k = 0; k < solid.normals.size(); ++k) {
      normals[k] = R * solid.normals[k].template cast<T>();
      levels[k] = T(solid.levels[k]) + normals[k].dot(p);
    }
    for (std::size_t k = 0; k < solid.shape.corners.size(); ++k) {
      corners[k] = p + R * solid.shape.corners[k].template cast<T>();
    }
  }
};

// B's frame throughout.
template <class T>
struct Separation {
  T gap{-1e300};
  Vec3T<T> normal = Vec3T<T>::Zero(), nearest = Vec3T<T>::Zero();
};

// A face on its way through the planes of the other solid.
template <class T>
class Trimmed {
 public:
  void start() { at_[0].count = 0, which_ = 0; }
  void add(const Vec3T<T>& corner) { at_[which_].add(corner); }
  const Polygon<T>& polygon() const { return at_[which_]; }
  bool empty() const { return polygon().count == 0; }
  void trim(const Vec3T<T>& normal, const T& level) {
    bool crossed = false;
    for (std::size_t k = 0; k < polygon().count && !crossed; ++k) {
      crossed = normal.dot(polygon().corners[k]) > level;
    }
    if (!crossed) return;
    cut<T>(at_[which_], normal, level, at_[1 - which_]);
    which_ = 1 - which_;
  }
  void shift(const Vec3T<T>& origin) {
    for (std::size_t k = 0; k < at_[which_].count; ++k) at_[which_].corners[k] -= origin;
  }

 private:
  std::array<Polygon<T>, 2> at_;
  std::size_t which_ = 0;
};

class PolyhedronPair final : public VolumeQueryOf<PolyhedronPair> {
 public:
  PolyhedronPair(const Polyhedron& a, const Polyhedron& b, double size)
      : a_(a), b_(b), size_(size) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const SeenSolid<T> seen(a_, b.R_WS.transpose() * a.R_WS,
                            b.R_WS.transpose() * (a.p_WS - b.p_WS));
    Overlap<T> o;
    Sum<T> sum;
    if (!(face_gap(seen) > 0.0) && shared(seen, sum)) {
      o.volume = sum.moments.volume;
      const Vec3T<T> normal = sum.area / length_of(sum.area);
      const Separation<T> depth = along(seen, normal);
      o.gap = depth.gap;
      o.normal_W = b.R_WS * normal;
      o.nearest_W = b.p_WS + b.R_WS * depth.nearest;
      o.centroid_W = b.p_WS + b.R_WS * Vec3T<T>(sum.origin + sum.moments.centroid());
      o.inertia_W = b.R_WS * sum.moments.inertia() * b.R_WS.transpose();
      return o;
    }
    const Separation<T> apart = separation(seen);
    o.gap = apart.gap;
    o.normal_W = b.R_WS * apart.normal;
    o.nearest_W = b.p_WS + b.R_WS * apart.nearest;
    return o;
  }
  double size() const override { return size_; }
  bool has_potential() const override { return false; }
  // Balls round the solids, balls and the planes of the other, then corners and planes.
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const Vec3 between = a.p_WS + a.R_WS * a_.center - b.p_WS - b.R_WS * b_.center;
    const double balls = between.norm() - a_.reach - b_.reach;
    if (balls > 0.0) return balls;
    const double planes = std::max(
        ball_gap(b_, b.R_WS.transpose() * (a.p_WS + a.R_WS * a_.center - b.p_WS), a_.reach),
        ball_gap(a_, a.R_WS.transpose() * (b.p_WS + b.R_WS * b_.center - a.p_WS), b_.reach));
    if (planes > 0.0) return planes;
    const SeenSolid<double> seen(a_, b.R_WS.transpose() * a.R_WS,
                                 b.R_WS.transpose() * (a.p_WS - b.p_WS));
    return face_gap(seen);
  }

 private:
  template <class T>
  struct Sum {
    VolumeMoments<T> moments;          // about `origin`
    Vec3T<T> area = Vec3T<T>::Zero();  // vector area of B's share of the surface
    Vec3T<T> origin = Vec3T<T>::Zero();
    bool has_origin = false;
  };

  // The distance of a ball from the face plane of a solid it is farthest in front of.
  static double ball_gap(const Solid& solid, const Vec3& center, double radius) {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < solid.normals.size(); ++k) {
      most = std::max(most, solid.normals[k].dot(center) - solid.levels[k] - radius);
    }
    return most;
  }

  template <class T>
  static T length_of(const Vec3T<T>& v) {
    using std::sqrt;
    return sqrt(v.squaredNorm());
  }

  // The distance of one solid from the first face plane of the other that has all of it in front;
  // minus infinity if there is none.
  template <class T>
  double face_gap(const SeenSolid<T>& seen) const {
    using spatial::value_of;
    for (std::size_t k = 0; k < b_.normals.size(); ++k) {
      double least = std::numeric_limits<double>::infinity();
      const Vec3T<T> normal = b_.normals[k].template cast<T>();
      for (std::size_t c = 0; c < a_.shape.corners.size() && least > 0.0; ++c) {
        least = std::min(least, value_of(normal.dot(seen.corners[c])) - b_.levels[k]);
      }
      if (least > 0.0) return least;
    }
    for (std::size_t k = 0; k < a_.normals.size(); ++k) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < b_.shape.corners.size() && least > 0.0; ++c) {
        const Vec3T<T> corner = b_.shape.corners[c].template cast<T>();
        least = std::min(least, value_of(T(seen.normals[k].dot(corner) - seen.levels[k])));
      }
      if (least > 0.0) return least;
    }
    return -std::numeric_limits<double>::infinity();
  }

  // The common volume. Its moments are taken about a corner of it on B's surface: a thin overlap
  // then has one side of no height, and a small one small coordinates.
  template <class T>
  bool shared(const SeenSolid<T>& seen, Sum<T>& sum) const {
    Trimmed<T> face;
    for (std::size_t k = 0; k < b_.normals.size(); ++k) {
      if (shared_with_A(seen, k)) continue;
      face.start();
      for (const int c : b_.shape.faces[k]) face.add(b_.corner(c).template cast<T>());
      for (std::size_t i = 0; i < a_.normals.size() && !face.empty(); ++i) {
        face.trim(seen.normals[i], seen.levels[i]);
      }
      if (face.empty()) continue;
      if (!sum.has_origin) sum.origin = face.polygon().corners[0];
      sum.has_origin = true;
      face.shift(sum.origin);
      sum.moments.add(face.polygon());
      sum.area += vector_area(face.polygon());
    }
    if (!sum.has_origin) return false;
    for (std::size_t k = 0; k < a_.normals.size(); ++k) {
      face.start();
      for (const int c : a_.shape.faces[k]) face.add(seen.corners[static_cast<std::size_t>(c)]);
      for (std::size_t i = 0; i < b_.normals.size() && !face.empty(); ++i) {
        if (!are_one_plane(seen, k, i))
          face.trim(b_.normals[i].template cast<T>(), T(b_.levels[i]));
      }
      if (face.empty()) continue;
      face.shift(sum.origin);
      sum.moments.add(face.polygon());
    }
    return sum.moments.volume > T(0) && sum.area.squaredNorm() > T(0);
  }

  template <class T>
  static Vec3T<T> vector_area(const Polygon<T>& face) {
    Vec3T<T> area = Vec3T<T>::Zero();
    for (std::size_t k = 2; k < face.count; ++k) {
      area += T(0.5) * Vec3T<T>(face.corners[k - 1] - face.corners[0])
                           .cross(Vec3T<T>(face.corners[k] - face.corners[0]));
    }
    return area;
  }

  // A face in the plane of a face of A that looks the same way: A's counts, or it would count
  // twice.
  template <class T>
  bool shared_with_A(const SeenSolid<T>& seen, std::size_t face) const {
    for (std::size_t k = 0; k < a_.normals.size(); ++k) {
      if (are_one_plane(seen, k, face)) return true;
    }
    return false;
  }

  // Where two planes nearly coincide, rounding decides where one cuts a face in the other: of both
  // faces the same part could be left out, and the surface would not be closed. Within the root of
  // the rounding they count as one; the volume is then as exact as their place is.
  template <class T>
  bool are_one_plane(const SeenSolid<T>& seen, std::size_t of_a, std::size_t of_b) const {
    constexpr double kSame = 2e-8;
    const double miss = std::abs(spatial::value_of(seen.levels[of_a]) - b_.levels[of_b]);
    if (miss > kSame * b_.reach) return false;
    return (seen.normals[of_a] - b_.normals[of_b].template cast<T>()).squaredNorm() <
           T(kSame * kSame);
  }

  template <class T>
  Separation<T> separation(const SeenSolid<T>& seen) const {
    Separation<T> best;
    for (const Vec3& n : b_.normals) try_axis(seen, Vec3T<T>(n.template cast<T>()), best);
    for (std::size_t k = 0; k < a_.normals.size(); ++k) {
      try_axis(seen, Vec3T<T>(-seen.normals[k]), best);
    }
    for (const Vec3& edge_a : a_.edges) {
      const Vec3T<T> along_a = seen.R * edge_a.template cast<T>();
      for (const Vec3& edge_b : b_.edges) {
        const Vec3T<T> axis = along_a.cross(Vec3T<T>(edge_b.template cast<T>()));
        if (!(axis.squaredNorm() > T(1e-12))) continue;
        const Vec3T<T> unit = axis / length_of(axis);
        try_axis(seen, unit, best);
        try_axis(seen, Vec3T<T>(-unit), best);
      }
    }
    return best;
  }

  template <class T>
  void try_axis(const SeenSolid<T>& seen, const Vec3T<T>& axis, Separation<T>& best) const {
    const Separation<T> found = along(seen, axis);
    if (found.gap > best.gap) best = found;
  }

  // The gap along an axis from B towards A.
  template <class T>
  Separation<T> along(const SeenSolid<T>& seen, const Vec3T<T>& axis) const {
    T lowest_a(1e300), highest_b(-1e300);
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < a_.shape.corners.size(); ++k) {
      const T up = axis.dot(seen.corners[k]);
      if (!(up < lowest_a)) continue;
      lowest_a = up;
      nearest = k;
    }
    for (const Vec3& corner : b_.shape.corners) {
      const T up = axis.dot(Vec3T<T>(corner.template cast<T>()));
      if (up > highest_b) highest_b = up;
    }
    return {lowest_a - highest_b, axis, seen.corners[nearest]};
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
