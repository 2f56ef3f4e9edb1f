#include "grapple/geometry/mesh_volume.h"

#include <algorithm>
#include <cmath>

#include "grapple/geometry/convex_distance.h"
#include "grapple/geometry/convex_hull.h"
#include "grapple/geometry/face_planes.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

// Four corners, the first of them common to all; faces outward.
template <class T>
struct Tetrahedron {
  std::array<Vec3T<T>, 4> corners, normals;
  std::array<T, 4> levels;
  double sign = 1.0;  // of its volume as given

  // Corners of the face opposite to each corner, outward for a positive volume.
  static constexpr std::array<std::array<int, 3>, 4> kFaces = {
      {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

  Tetrahedron(const Vec3T<T>& o, const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c)
      : corners{o, a, b, c} {
    const T volume = Vec3T<T>(a - o).dot(Vec3T<T>(b - o).cross(Vec3T<T>(c - o)));
    sign = value_of(volume) < 0.0 ? -1.0 : 1.0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto& p = at(k, 0);
      normals[k] = T(sign) * Vec3T<T>(at(k, 1) - p).cross(Vec3T<T>(at(k, 2) - p));
      levels[k] = normals[k].dot(p);
    }
  }
  const Vec3T<T>& at(std::size_t face, std::size_t corner) const {
    return corners[static_cast<std::size_t>(kFaces[face][corner])];
  }
};

class MeshVolume final : public VolumeQueryOf<MeshVolume> {
 public:
  MeshVolume(std::shared_ptr<const TriangleMesh> mesh, const Polyhedron& solid, FacePlanes planes)
      : mesh_(std::move(mesh)), solid_(solid), planes_(std::move(planes)) {
    inside_ = centroid_of(faces_of(*mesh_));
    for (const Vec3& c : mesh_->corners) reach_ = std::max(reach_, (c - inside_).norm());
    for (const Vec3& c : solid_.corners) {
      solid_reach_ = std::max(solid_reach_, (c - planes_.center).norm());
    }
  }

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Mat3T<T> R = b.R_WS.transpose() * a.R_WS;
    const Vec3T<T> p = b.R_WS.transpose() * Vec3T<T>(a.p_WS - b.p_WS);
    const auto in_B = [&](const Vec3& c) { return Vec3T<T>(p + R * c.cast<T>()); };
    Overlap<T> o;
    Sum<T> sum;
    const Vec3T<T> top = in_B(inside_);
    for (const auto& triangle : mesh_->triangles) {
      add(Tetrahedron<T>(top, in_B(corner(triangle[0])), in_B(corner(triangle[1])),
                         in_B(corner(triangle[2]))),
          sum);
    }
    const T square = sum.area.squaredNorm();
    if (sum.moments.volume > T(0) && square > T(0)) {
      using std::sqrt;
      const T size = sqrt(square);
      o.volume = sum.moments.volume;
      o.gap = -o.volume / size;
      o.normal_W = b.R_WS * Vec3T<T>(-sum.area / size);
      o.centroid_W = b.p_WS + b.R_WS * Vec3T<T>(sum.origin + sum.moments.centroid());
      o.inertia_W = b.R_WS * sum.moments.inertia() * b.R_WS.transpose();
      o.nearest_W = o.centroid_W;
      return o;
    }
    distance(R, p, b, o);
    return o;
  }
  double size() const override { return std::min(0.5 * reach_, planes_.size); }
  bool has_potential() const override { return false; }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const Vec3 between = a.p_WS + a.R_WS * inside_ - b.p_WS - b.R_WS * planes_.center;
    return between.norm() - reach_ - solid_reach_;
  }

 private:
  template <class T>
  struct Sum {
    VolumeMoments<T> moments;          // about `origin`
    Vec3T<T> area = Vec3T<T>::Zero();  // vector area of the triangles inside the solid
    Vec3T<T> origin = Vec3T<T>::Zero();
    bool has_origin = false;
  };

  const Vec3& corner(int k) const { return mesh_->corners[static_cast<std::size_t>(k)]; }

  // Whether a plane of the solid has all of the tetrahedron in front.
  template <class T>
  bool misses(const Tetrahedron<T>& tet) const {
    for (std::size_t k = 0; k < planes_.normals.size(); ++k) {
      const Vec3T<T> n = planes_.normals[k].template cast<T>();
      bool below = false;
      for (const Vec3T<T>& c : tet.corners) below |= n.dot(c) < T(planes_.levels[k]);
      if (!below) return true;
    }
    return false;
  }

  template <class T>
  void add(const Tetrahedron<T>& tet, Sum<T>& sum) const {
    if (misses(tet)) return;
    Polygon<T> here, spare;
    for (std::size_t k = 0; k < 4; ++k) {
      here.count = 0;
      // Outward: a negative tetrahedron has its corners the other way round.
      for (const std::size_t c : {0, 1, 2}) here.add(tet.at(k, tet.sign > 0.0 ? c : 2 - c));
      for (std::size_t i = 0; i < planes_.normals.size() && here.count > 0; ++i) {
        trim<T>(planes_.normals[i].template cast<T>(), T(planes_.levels[i]), here, spare);
      }
      if (here.count == 0) continue;
      if (k == 0) sum.area += T(tet.sign) * vector_area(here);
      add_face(here, tet.sign, sum);
    }
    for (const std::vector<int>& face : solid_.faces) {
      here.count = 0;
      for (const int c : face) {
        here.add(solid_.corners[static_cast<std::size_t>(c)].template cast<T>());
      }
      for (std::size_t k = 0; k < 4 && here.count > 0; ++k) {
        trim(tet.normals[k], tet.levels[k], here, spare);
      }
      if (here.count > 0) add_face(here, tet.sign, sum);
    }
  }

  template <class T>
  static void trim(const Vec3T<T>& normal, const T& level, Polygon<T>& here, Polygon<T>& spare) {
    cut<T>(here, normal, level, spare);
    std::copy_n(spare.corners.begin(), spare.count, here.corners.begin());
    here.count = spare.count;
  }

  template <class T>
  static void add_face(Polygon<T>& face, double sign, Sum<T>& sum) {
    if (!sum.has_origin) sum.origin = face.corners[0];
    sum.has_origin = true;
    for (std::size_t k = 0; k < face.count; ++k) face.corners[k] -= sum.origin;
    VolumeMoments<T> part;
    part.add(face);
    sum.moments.volume += T(sign) * part.volume;
    sum.moments.first += T(sign) * part.first;
    sum.moments.second += T(sign) * part.second;
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

  // Of the nearest triangle; its derivative is that of the nearest points as they are fixed in
  // their bodies.
  template <class T>
  void distance(const Mat3T<T>& R, const Vec3T<T>& p, const Placement<T>& b, Overlap<T>& o) const {
    const auto value = [](const T& x) { return value_of(x); };
    const Mat3 R_now = R.unaryExpr(value);
    const Vec3 p_now = p.unaryExpr(value);
    double least = std::numeric_limits<double>::infinity();
    Vec3 on_A = Vec3::Zero(), on_B = Vec3::Zero(), normal = Vec3::UnitZ();
    for (const auto& t : mesh_->triangles) {
      const std::array<Vec3, 3> at = {p_now + R_now * corner(t[0]), p_now + R_now * corner(t[1]),
                                      p_now + R_now * corner(t[2])};
      const Vec3 middle = (at[0] + at[1] + at[2]) / 3.0;
      const double around =
          std::max({(at[0] - middle).norm(), (at[1] - middle).norm(), (at[2] - middle).norm()});
      if ((middle - planes_.center).norm() - around - solid_reach_ > least) continue;
      const auto far_a = [&](const Vec3& d) -> Vec3 {
        const std::array<double, 3> up = {d.dot(at[0]), d.dot(at[1]), d.dot(at[2])};
        return at[static_cast<std::size_t>(std::max_element(up.begin(), up.end()) - up.begin())];
      };
      const auto far_b = [&](const Vec3& d) -> Vec3 { return planes_.farthest(d); };
      const ConvexClosest near =
          closest_points(far_a, far_b, middle - planes_.center, solid_reach_ + around);
      const double gap = near.apart ? near.distance : 0.0;
      if (!(gap < least)) continue;
      least = gap;
      if (!near.apart) continue;
      on_A = R_now.transpose() * (near.a - p_now);
      on_B = near.b;
      normal = near.normal;
    }
    const Vec3T<T> point = p + R * on_A.cast<T>(), n = normal.cast<T>();
    o.gap = least > 0.0 ? T(n.dot(Vec3T<T>(point - on_B.cast<T>()))) : T(0);
    o.normal_W = b.R_WS * n;
    o.nearest_W = b.p_WS + b.R_WS * point;
  }

  std::shared_ptr<const TriangleMesh> mesh_;
  Polyhedron solid_;
  FacePlanes planes_;
  Vec3 inside_ = Vec3::Zero();
  double reach_ = 0.0, solid_reach_ = 0.0;
};

}  // namespace

Polyhedron faces_of(const TriangleMesh& mesh) {
  Polyhedron solid{mesh.corners, {}};
  for (const auto& [a, b, c] : mesh.triangles) solid.faces.push_back({a, b, c});
  return solid;
}

std::shared_ptr<const VolumeQuery> make_mesh_volume(const Mesh& a, const Shape& b) {
  const auto solid = polyhedron_of(b);
  if (solid == nullptr) return nullptr;
  return std::make_shared<MeshVolume>(a.surface, *solid, *face_planes(b));
}

}  // namespace grapple::geometry
