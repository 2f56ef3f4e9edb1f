#include "grapple/geometry/touch/internal/expanding_polytope.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapple::geometry {

namespace {

using spatial::Vec3;

constexpr std::size_t kMostCorners = 96, kMostTriangles = 2 * kMostCorners;

// Shares of the size. Rounding moves a corner by some 1e-16 of it and a plane through three corners
// by that times the aspect of the triangle; what is nearer to a plane than kFlush lies in it.
constexpr double kFlush = 1e-13, kEnough = 1e-12;

struct Triangle {
  std::array<std::size_t, 3> at{};      // counter-clockwise from outside
  std::array<std::size_t, 3> beside{};  // the triangle beyond the edge from at[k] to at[k + 1]
  std::array<std::size_t, 3> same{};    // the number of that edge there
  Vec3 normal = Vec3::Zero();           // unit, outward
  double distance = 0.0;                // of the origin behind it
  enum class State { kOpen, kClosed, kRemoved } state = State::kOpen;
};

class Polytope {
 public:
  explicit Polytope(double size) : size_(size) {}

  // Four corners to begin with; `corners` holds as many as A - B has dimensions, plus one.
  bool start(const std::array<SimplexCorner, 4>& corners) {
    for (const SimplexCorner& corner : corners) corners_[corner_count_++] = corner;
    const Vec3 edge = corners[1].w - corners[0].w;
    const bool inward =
        edge.cross(corners[2].w - corners[0].w).dot(corners[3].w - corners[0].w) > 0.0;
    if (inward) std::swap(corners_[1], corners_[2]);
    // Edges of 0 1 2 are 01, 12, 20; of 1 0 3: 10, 03, 31; of 2 1 3: 21, 13, 32; of 0 2 3: 02, 23,
    // 30.
    return add(0, 1, 2) && add(1, 0, 3) && add(2, 1, 3) && add(0, 2, 3) && link(0, 0, 1, 0) &&
           link(0, 1, 2, 0) && link(0, 2, 3, 0) && link(1, 1, 3, 2) && link(1, 2, 2, 1) &&
           link(2, 2, 3, 1);
  }

  // The open face with the least signed distance; kMostTriangles if all are closed.
  std::size_t nearest() const {
    std::size_t best = kMostTriangles;
    for (std::size_t k = 0; k < triangle_count_; ++k) {
      if (triangles_[k].state != Triangle::State::kOpen) continue;
      if (best == kMostTriangles || triangles_[k].distance < triangles_[best].distance) best = k;
    }
    return best;
  }
  const Triangle& triangle(std::size_t k) const { return triangles_[k]; }
  const SimplexCorner& corner(std::size_t k) const { return corners_[k]; }
  std::size_t triangle_count() const { return triangle_count_; }
  void close(std::size_t k) { triangles_[k].state = Triangle::State::kClosed; }

  bool has(const SimplexCorner& corner) const {
    for (std::size_t k = 0; k < corner_count_; ++k) {
      if ((corners_[k].w - corner.w).norm() <= kFlush * size_) return true;
    }
    return false;
  }

  // Takes in a corner that lies beyond a triangle; false if there is no storage left or the surface
  // would not close.
  bool grow(std::size_t seed, const SimplexCorner& corner) {
    if (corner_count_ == kMostCorners) return false;
    const std::size_t number = corner_count_;
    corners_[corner_count_++] = corner;
    rim_count_ = 0;
    remove(seed);
    for (std::size_t k = 0; k < 3; ++k) {
      remove_seen(triangles_[seed].beside[k], triangles_[seed].same[k], corner.w);
    }
    if (rim_count_ < 3 || rim_count_ > free_count_ + kMostTriangles - triangle_count_) return false;
    std::size_t first = 0, last = 0;
    for (std::size_t k = 0; k < rim_count_; ++k) {
      const Triangle& beyond = triangles_[rim_[k].triangle];
      const std::size_t from = beyond.at[(rim_[k].edge + 1) % 3], to = beyond.at[rim_[k].edge];
      if (!add(from, to, number)) return false;
      if (!link(added_, 0, rim_[k].triangle, rim_[k].edge)) return false;
      if (k == 0) first = added_;
      if (k > 0 && !link(added_, 2, last, 1)) return false;
      last = added_;
    }
    return link(first, 2, last, 1);
  }

 private:
  struct RimEdge {
    std::size_t triangle, edge;
  };

  void remove(std::size_t k) {
    triangles_[k].state = Triangle::State::kRemoved;
    free_[free_count_++] = k;
  }

  // Floods the part of the surface that faces w, from one triangle to the next across an edge, and
  // notes its rim in order.
  void remove_seen(std::size_t k, std::size_t edge, const Vec3& w) {
    const Triangle& t = triangles_[k];
    if (t.state == Triangle::State::kRemoved) return;
    if (!(t.normal.dot(w) > t.distance - kFlush * size_)) {
      if (rim_count_ < rim_.size()) rim_[rim_count_++] = {k, edge};
      return;
    }
    remove(k);
    for (const std::size_t next : {(edge + 1) % 3, (edge + 2) % 3}) {
      remove_seen(triangles_[k].beside[next], triangles_[k].same[next], w);
    }
  }

  bool add(std::size_t a, std::size_t b, std::size_t c) {
    const Vec3 &wa = corners_[a].w, &wb = corners_[b].w, &wc = corners_[c].w;
    const Vec3 normal = (wb - wa).cross(wc - wa);
    const double area = normal.norm();
    if (!(area > 0.0)) return false;
    added_ = free_count_ > 0 ? free_[--free_count_] : triangle_count_++;
    Triangle& t = triangles_[added_];
    t.at = {a, b, c};
    t.normal = normal / area;
    t.distance = t.normal.dot(wa);
    t.state = Triangle::State::kOpen;
    return true;
  }

  // False if the edges do not run between the same corners.
  bool link(std::size_t one, std::size_t edge, std::size_t two, std::size_t other) {
    Triangle &s = triangles_[one], &t = triangles_[two];
    s.beside[edge] = two;
    s.same[edge] = other;
    t.beside[other] = one;
    t.same[other] = edge;
    return s.at[edge] == t.at[(other + 1) % 3] && s.at[(edge + 1) % 3] == t.at[other];
  }

  double size_;
  std::array<SimplexCorner, kMostCorners> corners_;
  std::array<Triangle, kMostTriangles> triangles_;
  std::array<std::size_t, kMostTriangles> free_;
  std::array<RimEdge, kMostTriangles> rim_;
  std::size_t corner_count_ = 0, triangle_count_ = 0, free_count_ = 0, rim_count_ = 0, added_ = 0;
};

// Corners of A - B that span as many dimensions as it has.
struct Span {
  std::array<SimplexCorner, 4> corners;
  std::size_t count = 0;
};

// Whether the least height of a tetrahedron is a fair part of the size.
bool is_solid(const ConvexClosest& simplex, double size) {
  if (simplex.count != 4) return false;
  const auto edge = [&](std::size_t k) -> Vec3 {
    return simplex.corners[k].w - simplex.corners[0].w;
  };
  const Vec3 a = edge(1), b = edge(2), c = edge(3);
  const double widest = std::max(
      {a.cross(b).norm(), b.cross(c).norm(), c.cross(a).norm(), (b - a).cross(c - a).norm()});
  return std::abs(a.dot(b.cross(c))) > 1e-3 * size * widest;
}

// The farthest points along the axis of largest extent, then the farthest from their line, then the
// farthest from that plane.
Span spanned(const FarthestPair& farthest, double size) {
  Span span;
  double most = 0.0;
  for (int k = 0; k < 3; ++k) {
    const SimplexCorner high = farthest(Vec3::Unit(k)), low = farthest(-Vec3::Unit(k));
    const double extent = (high.w - low.w)[k];
    if (k > 0 && !(extent > most)) continue;
    most = extent;
    span.corners[0] = low;
    span.corners[1] = high;
  }
  span.count = most > kFlush * size ? 2 : 1;
  if (span.count == 1) return span;
  const Vec3 line = (span.corners[1].w - span.corners[0].w).normalized();
  const Vec3 u = line.unitOrthogonal(), v = line.cross(u);
  most = kFlush * size;
  for (const Vec3& d : {u, Vec3(-u), v, Vec3(-v)}) {
    const SimplexCorner next = farthest(d);
    const double out = line.cross(next.w - span.corners[0].w).norm();
    if (!(out > most)) continue;
    most = out;
    span.corners[2] = next;
    span.count = 3;
  }
  if (span.count == 2) return span;
  const Vec3 up = line.cross(span.corners[2].w - span.corners[0].w).normalized();
  most = kFlush * size;
  for (const Vec3& d : {up, Vec3(-up)}) {
    const SimplexCorner next = farthest(d);
    const double out = d.dot(next.w - span.corners[0].w);
    if (!(out > most)) continue;
    most = out;
    span.corners[3] = next;
    span.count = 4;
  }
  return span;
}

// A - B itself, where it is a point, a segment or flat: it parts across itself.
DeepestFace flat_difference(const Span& span) {
  DeepestFace face;
  face.converged = true;
  face.corners = span.corners;
  face.count = span.count;
  std::array<Vec3, 4> points;
  for (std::size_t k = 0; k < span.count; ++k) points[k] = span.corners[k].w;
  face.found = affine_weights(points, span.count, face.share) > 0.0;
  const Vec3 line = span.count > 1 ? Vec3(points[1] - points[0]) : Vec3(Vec3::UnitX());
  face.normal = span.count == 3 ? Vec3(line.cross(points[2] - points[0]).normalized())
                                : Vec3(line.normalized().unitOrthogonal());
  face.depth = -face.normal.dot(points[0]);
  return face;
}

DeepestFace face_of(const Polytope& polytope, const Triangle& triangle) {
  DeepestFace face;
  std::array<Vec3, 4> points;
  face.count = 3;
  for (std::size_t k = 0; k < 3; ++k) {
    face.corners[k] = polytope.corner(triangle.at[k]);
    points[k] = face.corners[k].w;
  }
  face.found = affine_weights(points, 3, face.share) > 0.0;
  face.normal = -triangle.normal;
  return face;
}

// Directions of faces that lie less deep than the best one is known to, far apart from each other.
void note_others(const Polytope& polytope, DeepestFace& best) {
  const auto is_new = [&](const Vec3& n) {
    constexpr double kSame = 0.98;  // cosine of 0.2 rad: what Newton steps reach from the best
    bool known = n.dot(best.normal) > kSame;
    for (std::size_t k = 0; k < best.other_count; ++k) known |= n.dot(best.others[k]) > kSame;
    return !known;
  };
  while (best.other_count < best.others.size()) {
    const Triangle* nearest = nullptr;
    for (std::size_t k = 0; k < polytope.triangle_count(); ++k) {
      const Triangle& t = polytope.triangle(k);
      if (t.state == Triangle::State::kRemoved || !(t.distance < best.depth)) continue;
      if (nearest != nullptr && !(t.distance < nearest->distance)) continue;
      if (is_new(-t.normal)) nearest = &t;
    }
    if (nearest == nullptr) return;
    best.others[best.other_count++] = -nearest->normal;
  }
}

}  // namespace

DeepestFace deepest_face(const FarthestPair& farthest, const ConvexClosest& start, double size) {
  const Span span = is_solid(start, size) ? Span{start.corners, 4} : spanned(farthest, size);
  if (span.count < 4) return flat_difference(span);
  Polytope polytope(size);
  if (!polytope.start(span.corners)) return {};
  // The farthest point along a normal bounds the depth from above, whatever rounding has made of
  // the face; of faces with the same bound the one nearest to the surface of A - B is kept.
  const double enough = kEnough * size;
  DeepestFace best;
  double slack = std::numeric_limits<double>::infinity();
  best.depth = slack;
  for (;;) {
    const std::size_t k = polytope.nearest();
    if (k == kMostTriangles) break;
    const Triangle& nearest = polytope.triangle(k);
    if (best.converged && best.depth - nearest.distance < enough) break;
    const SimplexCorner next = farthest(nearest.normal);
    const double support = nearest.normal.dot(next.w);
    const double beyond = support - nearest.distance;
    if (support < best.depth - enough || (support < best.depth + enough && beyond < slack)) {
      const DeepestFace face = face_of(polytope, nearest);
      if (face.found) {
        best = face;
        best.depth = support;
        best.converged = beyond < enough;
        slack = beyond;
      }
    }
    if (polytope.has(next)) {
      polytope.close(k);
    } else if (!polytope.grow(k, next)) {
      break;
    }
  }
  if (best.found && !best.converged) note_others(polytope, best);
  return best;
}

}  // namespace grapple::geometry
