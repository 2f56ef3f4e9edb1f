#include "grapple/geometry/overlap/volume_query.h"

#include <numbers>

#include "grapple/base/assert.h"
#include "grapple/geometry/overlap/internal/ball_round_volume.h"
#include "grapple/geometry/overlap/internal/ball_volume.h"
#include "grapple/geometry/overlap/internal/cylinder_volume.h"
#include "grapple/geometry/overlap/internal/mesh_volume.h"
#include "grapple/geometry/overlap/internal/polyhedron_pair.h"
#include "grapple/geometry/overlap/internal/ring_volume.h"
#include "grapple/geometry/overlap/internal/round_mesh_volume.h"
#include "grapple/geometry/overlap/internal/round_volume.h"
#include "grapple/geometry/overlap/internal/torus_on_polyhedron.h"
#include "grapple/geometry/solid/polyhedron.h"
#include "grapple/spatial/sym3.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3T;
using spatial::Vec3;
using spatial::Vec3T;
using std::numbers::pi;

// The cap of depth d, by its area pi (2 R u - u^2) at height u over the lowest point; that keeps
// all digits when d is small.
class SphereInHalfSpace final : public VolumeQueryOf<SphereInHalfSpace> {
 public:
  explicit SphereInHalfSpace(Sphere sphere) : radius_(sphere.radius) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o;
    o.normal_W = b.R_WS.col(2);
    const T R(radius_);
    o.gap = o.normal_W.dot(Vec3T<T>(a.p_WS - b.p_WS)) - R;
    o.nearest_W = a.p_WS - R * o.normal_W;
    if (!(o.gap < T(0))) return o;
    const T d = o.gap > T(-2) * R ? T(-o.gap) : T(T(2) * R);
    o.volume = T(pi) * d * d * (R - d / T(3));
    const T first = T(pi) * d * d * d * (R * T(2.0 / 3.0) - d / T(4));
    const T second = T(pi) * d * d * d * d * (R / T(2) - d / T(5));
    const T height = first / o.volume, along = second - first * height;
    o.centroid_W = a.p_WS - (R - height) * o.normal_W;
    const T round = T(pi / 30.0) * d * d * d * (T(20) * R * R - T(15) * R * d + T(3) * d * d);
    const T across = T(0.5) * round + along;
    const Mat3T<T> nn = o.normal_W * o.normal_W.transpose();
    o.inertia_W = across * Mat3T<T>::Identity() + (round - across) * nn;
    o.potential = -o.gap * o.volume - first;
    return o;
  }
  double size() const override { return radius_; }

 private:
  double radius_;
};

// The part of a polyhedron, convex or not, below the plane.
class PolyhedronInHalfSpace final : public VolumeQueryOf<PolyhedronInHalfSpace> {
 public:
  PolyhedronInHalfSpace(Polyhedron solid, double size) : solid_(std::move(solid)), size_(size) {
    for (const std::vector<int>& face : solid_.faces) {
      GRAPPLE_ASSERT(face.size() < kMostPolygonCorners);
    }
  }

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o;
    o.normal_W = b.R_WS.col(2);
    const Vec3T<T> up_A = a.R_WS.transpose() * o.normal_W;
    const std::size_t lowest =
        lowest_corner(up_A.unaryExpr([](const T& x) { return spatial::value_of(x); }));
    o.nearest_W = a.p_WS + a.R_WS * solid_.corners[lowest].cast<T>();
    o.gap = o.normal_W.dot(Vec3T<T>(o.nearest_W - b.p_WS));
    if (!(o.gap < T(0))) return o;
    const VolumeMoments<T> moments = below(lowest, o.gap, up_A);
    if (!(moments.volume > T(0))) return o;  // the depth is lost in rounding
    o.volume = moments.volume;
    o.centroid_W = o.nearest_W - o.gap * o.normal_W + a.R_WS * moments.centroid();
    o.inertia_W = spatial::rotated<T>(a.R_WS, spatial::Sym3T<T>::from(moments.inertia())).matrix();
    o.potential = -up_A.dot(moments.first);
    return o;
  }
  double size() const override { return size_; }
  double gap(const Placement<double>& a, const Placement<double>& b) const override {
    const Vec3 normal = b.R_WS.col(2);
    const Vec3& lowest = solid_.corners[lowest_corner(a.R_WS.transpose() * normal)];
    return normal.dot(a.p_WS + a.R_WS * lowest - b.p_WS);
  }

 private:
  std::size_t lowest_corner(const Vec3& up_A) const {
    std::size_t lowest = 0;
    double height = up_A.dot(solid_.corners[0]);
    for (std::size_t k = 1; k < solid_.corners.size(); ++k) {
      const double own = up_A.dot(solid_.corners[k]);
      if (own < height) {
        height = own;
        lowest = k;
      }
    }
    return lowest;
  }

  // In the axes of A about the foot of the lowest corner on the plane: the cut adds nothing, and a
  // small overlap has small coordinates, so that its moments keep their digits however small it is.
  template <class T>
  VolumeMoments<T> below(std::size_t lowest, const T& gap, const Vec3T<T>& up_A) const {
    VolumeMoments<T> moments;
    Polygon<T> kept;
    const Vec3T<T> foot_to_lowest = gap * up_A;
    const auto from_foot = [&](int k) -> Vec3T<T> {
      const Vec3 from_lowest = solid_.corners[static_cast<std::size_t>(k)] - solid_.corners[lowest];
      return foot_to_lowest + from_lowest.cast<T>();
    };
    for (const std::vector<int>& face : solid_.faces) {
      kept.count = 0;
      Vec3T<T> previous = from_foot(face.back());
      T previous_above = up_A.dot(previous);
      for (const int k : face) {
        const Vec3T<T> here = from_foot(k);
        const T above = up_A.dot(here);
        if ((above > T(0)) != (previous_above > T(0))) {
          kept.add(previous + (previous_above / (previous_above - above)) * (here - previous));
        }
        if (!(above > T(0))) kept.add(here);
        previous = here;
        previous_above = above;
      }
      moments.add(kept);
    }
    return moments;
  }

  Polyhedron solid_;
  double size_;
};

std::shared_ptr<const VolumeQuery> mesh_query(const Mesh& mesh, const Shape& b) {
  if (!std::holds_alternative<HalfSpace>(b)) return make_mesh_volume(mesh, b);
  double reach = 0.0;
  for (const Vec3& corner : mesh.surface->corners) {
    reach = std::max(reach, (corner - mesh.surface->corners.front()).norm());
  }
  return std::make_shared<PolyhedronInHalfSpace>(faces_of(*mesh.surface), 0.25 * reach);
}

std::shared_ptr<const VolumeQuery> query_of(const Shape& a, const Shape& b) {
  const auto solid_a = polyhedron_of(a), solid_b = polyhedron_of(b);
  if (solid_a != nullptr && solid_b != nullptr) {
    return make_polyhedron_pair(*solid_a, *solid_b,
                                std::min(half_width(*solid_a), half_width(*solid_b)));
  }
  if (const auto* mesh = std::get_if<Mesh>(&a)) return mesh_query(*mesh, b);
  if (const auto* mesh = std::get_if<Mesh>(&b)) return make_round_mesh_volume(a, *mesh);
  if (const auto* ball = std::get_if<Sphere>(&a)) {
    if (const auto* other = std::get_if<Sphere>(&b)) return make_ball_on_ball(*ball, *other);
    if (const auto* bore = std::get_if<Bore>(&b)) return make_ball_in_bore(*ball, *bore);
    if (auto round = make_ball_round_volume(*ball, b)) return round;
  }
  if (!std::holds_alternative<HalfSpace>(b)) return make_round_volume(a, b);
  if (const auto* sphere = std::get_if<Sphere>(&a)) {
    return std::make_shared<SphereInHalfSpace>(*sphere);
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&a)) {
    return make_cylinder_in_half_space(*cylinder);
  }
  if (solid_a == nullptr) return make_round_volume(a, b);
  return std::make_shared<PolyhedronInHalfSpace>(*solid_a, half_width(*solid_a));
}

}  // namespace

Polyhedron box_polyhedron(const Vec3& half_edges) {
  Polyhedron box;
  for (int k = 0; k < 8; ++k) {
    const Vec3 sign(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
    box.corners.push_back(sign.cwiseProduct(half_edges));
  }
  box.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return box;
}

double half_width(const Polyhedron& solid) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<int>& face : solid.faces) {
    const auto at = [&](std::size_t k) -> const Vec3& {
      return solid.corners[static_cast<std::size_t>(face[k])];
    };
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
    double width = 0.0;
    for (const Vec3& corner : solid.corners) width = std::max(width, normal.dot(at(0) - corner));
    least = std::min(least, width);
  }
  return 0.5 * least;
}

OverlapPair overlap_pair(const Shape& a, const Shape& b) {
  if (auto query = query_of(a, b)) return {PairOrder::kAsGiven, std::move(query)};
  if (auto query = query_of(b, a)) return {PairOrder::kSwapped, std::move(query)};
  if (auto query = make_torus_on_polyhedron(a, b)) return {PairOrder::kAsGiven, std::move(query)};
  if (auto query = make_torus_on_polyhedron(b, a)) return {PairOrder::kSwapped, std::move(query)};
  if (auto query = make_ring_volume(a, b)) return {PairOrder::kAsGiven, std::move(query)};
  return {PairOrder::kSwapped, make_ring_volume(b, a)};
}

std::string known_overlaps() {
  return "any two of sphere, capsule, cylinder, cone, ellipsoid, torus, box and polyhedron; these "
         "on half-space, bar or spike and in bore or funnel; mesh on all of the first but the "
         "torus, "
         "on half-space and on mesh; sphere on edge; cells of these";
}

}  // namespace grapple::geometry
