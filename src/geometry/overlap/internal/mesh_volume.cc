#include "grapple/geometry/overlap/internal/mesh_volume.h"

#include <algorithm>
#include <cmath>

#include "grapple/geometry/overlap/internal/cone_mesh.h"
#include "grapple/geometry/touch/internal/convex_distance.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

// What the triangles of one mesh have inside the other, in the frame of the other.
template <class T>
struct Share {
  VolumeMoments<T> moments;          // about `origin`
  Vec3T<T> area = Vec3T<T>::Zero();  // vector area
  Vec3T<T> origin = Vec3T<T>::Zero();
  bool has_origin = false;
  double gross_volume = 0.0, gross_area = 0.0;  // without signs: what rounding is measured against

  void add(SmallPolygon<T>& face, double sign) {
    if (!has_origin) origin = face.corners[0];
    has_origin = true;
    for (std::size_t k = 0; k < face.count; ++k) face.corners[k] -= origin;
    VolumeMoments<T> part;
    Vec3T<T> twice = Vec3T<T>::Zero();
    for (std::size_t k = 2; k < face.count; ++k) {
      part.add(face.corners[0], face.corners[k - 1], face.corners[k]);
      twice += Vec3T<T>(face.corners[k - 1] - face.corners[0])
                   .cross(Vec3T<T>(face.corners[k] - face.corners[0]));
    }
    moments.volume += T(sign) * part.volume;
    moments.first += T(sign) * part.first;
    moments.second += T(sign) * part.second;
    area += T(0.5 * sign) * twice;
    gross_volume += std::abs(value_of(part.volume));
    gross_area += 0.5 * std::sqrt(value_of(T(twice.squaredNorm())));
  }
};

template <class T>
void add_share(const ConeMesh& of, const ConeMesh& within, const Seen<T>& seen, Flush flush,
               Share<T>& share) {
  for (std::size_t k = 0; k < of.count(); ++k) {
    const PlacedTriangle<T> triangle(
        {seen.at(of.corner(k, 0)), seen.at(of.corner(k, 1)), seen.at(of.corner(k, 2))});
    within.clip(triangle, flush, within.flat(of.reach()),
                [&](SmallPolygon<T>& face, double sign) { share.add(face, sign); });
  }
}

class MeshVolume final : public VolumeQueryOf<MeshVolume> {
 public:
  MeshVolume(std::shared_ptr<const TriangleMesh> a, std::shared_ptr<const TriangleMesh> b,
             double size_b)
      : a_(std::move(a)), b_(std::move(b)), size_(std::min(0.5 * a_.reach(), size_b)) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Seen<T> seen = seen_from(b, a);
    Overlap<T> o;
    if (!fill_volume(seen, b, o)) distance(seen, b, o);
    return o;
  }
  double size() const override { return size_; }
  bool has_potential() const override { return false; }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const Vec3 between = a.p_WS + a.R_WS * a_.center() - b.p_WS - b.R_WS * b_.center();
    return between.norm() - a_.reach() - b_.reach();
  }

 private:
  // Both shares about the same point: where the first triangle of A enters B, or of B enters A.
  template <class T>
  bool fill_volume(const Seen<T>& seen, const Placement<T>& b, Overlap<T>& o) const {
    const Seen<T> back = seen.reversed();
    Share<T> of_A, of_B;  // in B's frame and in A's
    add_share(a_, b_, seen, Flush::kCounts, of_A);
    if (of_A.has_origin) {
      of_B.origin = back.p + back.R * of_A.origin;
      of_B.has_origin = true;
    }
    add_share(b_, a_, back, Flush::kLeftOut, of_B);
    VolumeMoments<T> sum = of_A.moments;
    sum.volume += of_B.moments.volume;
    sum.first += seen.R * of_B.moments.first;
    sum.second += seen.R * of_B.moments.second * seen.R.transpose();
    const Vec3T<T> area = seen.R * of_B.area;
    const T square = area.squaredNorm();
    // In a hollow of a mesh tetrahedra cancel but for rounding.
    const double least = kRounding * of_B.gross_area;
    if (!(value_of(sum.volume) > kRounding * (of_A.gross_volume + of_B.gross_volume)) ||
        !(square > T(least * least))) {
      return false;
    }
    using std::sqrt;
    const T size = sqrt(square);
    o.volume = sum.volume;
    o.gap = -o.volume / size;
    o.normal_W = b.R_WS * Vec3T<T>(area / size);
    o.centroid_W = b.p_WS + b.R_WS * Vec3T<T>(seen.p + seen.R * of_B.origin + sum.centroid());
    o.inertia_W = b.R_WS * sum.inertia() * b.R_WS.transpose();
    o.nearest_W = o.centroid_W;
    return true;
  }

  // Of the nearest triangles; its derivative is that of the nearest points as they are fixed in
  // their bodies.
  template <class T>
  void distance(const Seen<T>& seen, const Placement<T>& b, Overlap<T>& o) const {
    const auto value = [](const T& x) { return value_of(x); };
    const Seen<double> still{seen.R.unaryExpr(value), seen.p.unaryExpr(value)};
    Nearest nearest;
    try_triangle(still, nearest_by_box(still), nearest);  // a good first guess prunes the rest
    for (std::size_t k = 0; k < a_.count(); ++k) try_triangle(still, k, nearest);
    const Vec3 on_A = still.R.transpose() * (nearest.on_A - still.p);
    const Vec3T<T> point = seen.at(on_A), n = nearest.normal.cast<T>();
    o.gap = nearest.distance > 0.0 ? T(n.dot(Vec3T<T>(point - nearest.on_B.cast<T>()))) : T(0);
    o.normal_W = b.R_WS * n;
    o.nearest_W = b.p_WS + b.R_WS * point;
  }

  struct Nearest {
    double distance = std::numeric_limits<double>::infinity();
    Vec3 on_A = Vec3::Zero(), on_B = Vec3::Zero(), normal = Vec3::UnitZ();  // in B's frame
  };

  std::array<Vec3, 3> placed(const Seen<double>& still, std::size_t k) const {
    return {still.at(a_.corner(k, 0)), still.at(a_.corner(k, 1)), still.at(a_.corner(k, 2))};
  }
  static AxisBox box_of(const std::array<Vec3, 3>& corners) {
    AxisBox box;
    for (const Vec3& c : corners) box.hold(c);
    return box;
  }

  std::size_t nearest_by_box(const Seen<double>& still) const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < a_.count(); ++k) {
      const double square = box_of(placed(still, k)).square_to(b_.triangle_tree().whole());
      if (square < least) least = square, best = k;
    }
    return best;
  }

  void try_triangle(const Seen<double>& still, std::size_t k, Nearest& nearest) const {
    const std::array<Vec3, 3> at = placed(still, k);
    b_.triangle_tree().for_each_nearer(
        box_of(at), [&] { return nearest.distance; },
        [&](std::uint32_t i) { try_triangles(at, i, nearest); });
  }

  void try_triangles(const std::array<Vec3, 3>& a, std::size_t k, Nearest& nearest) const {
    const std::array<Vec3, 3> b = {b_.corner(k, 0), b_.corner(k, 1), b_.corner(k, 2)};
    const auto far = [](const std::array<Vec3, 3>& corners, const Vec3& d) -> Vec3 {
      const std::array<double, 3> up = {d.dot(corners[0]), d.dot(corners[1]), d.dot(corners[2])};
      return corners[static_cast<std::size_t>(std::max_element(up.begin(), up.end()) - up.begin())];
    };
    const ConvexClosest near = closest_points([&](const Vec3& d) { return far(a, d); },
                                              [&](const Vec3& d) { return far(b, d); }, a[0] - b[0],
                                              a_.reach() + b_.reach());
    const double gap = near.apart ? near.distance : 0.0;
    if (!(gap < nearest.distance)) return;
    nearest.distance = gap;
    if (!near.apart) return;
    nearest.on_A = near.a;
    nearest.on_B = near.b;
    nearest.normal = near.normal;
  }

  static constexpr double kRounding = 1e-13;

  ConeMesh a_, b_;
  double size_;
};

std::shared_ptr<const TriangleMesh> triangles_of(const Polyhedron& solid) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->corners = solid.corners;
  for (const std::vector<int>& face : solid.faces) {
    for (std::size_t k = 2; k < face.size(); ++k) {
      mesh->triangles.push_back({face[0], face[k - 1], face[k]});
    }
  }
  return mesh;
}

}  // namespace

Polyhedron faces_of(const TriangleMesh& mesh) {
  Polyhedron solid{mesh.corners, {}};
  for (const auto& [a, b, c] : mesh.triangles) solid.faces.push_back({a, b, c});
  return solid;
}

std::shared_ptr<const VolumeQuery> make_mesh_volume(const Mesh& a, const Shape& b) {
  if (const auto* mesh = std::get_if<Mesh>(&b)) {
    return std::make_shared<MeshVolume>(a.surface, mesh->surface,
                                        0.5 * ConeMesh(mesh->surface).reach());
  }
  const auto solid = polyhedron_of(b);
  if (solid == nullptr) return nullptr;
  return std::make_shared<MeshVolume>(a.surface, triangles_of(*solid), half_width(*solid));
}

}  // namespace grapple::geometry
