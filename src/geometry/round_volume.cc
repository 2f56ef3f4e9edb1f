#include "grapple/geometry/round_volume.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/geometry/convex_distance.h"
#include "grapple/geometry/disc_polygon.h"
#include "grapple/geometry/edge_distance.h"
#include "grapple/geometry/face_planes.h"
#include "grapple/geometry/gauss_kronrod.h"
#include "grapple/geometry/round_solid.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

// Everything integrated over the slices.
template <class T>
struct SliceSums {
  VolumeMoments<T> moments;
  Vec3T<T> area = Vec3T<T>::Zero();  // vector area of the round surface inside the planes
  double error = 0.0;                // of the volume

  void add(const SliceSums& other, const T& weight) {
    moments.volume += weight * other.moments.volume;
    moments.first += weight * other.moments.first;
    moments.second += weight * other.moments.second;
    area += weight * other.area;
  }
};

// The planes in the frame the slices are taken in, and the profile.
template <class T>
class Slicer {
 public:
  Slicer(const RoundSolid& solid, const SeenPlanes<T>& planes) : solid_(solid), planes_(planes) {
    for (std::size_t k = 0; k < planes.count; ++k) {
      const Vec3T<T>& n = planes.normals[k];
      widths_[k] = root_of(T(n.x() * n.x() + n.y() * n.y()));
    }
  }

  SliceSums<T> sum() {
    SliceSums<T> total;
    for (const ProfilePiece& piece : solid_.pieces()) add_piece(piece, T(1), total);
    for (const ProfilePiece& piece : solid_.hole()) add_piece(piece, T(-1), total);
    if (solid_.hole().empty()) {
      add_end(solid_.pieces().front(), solid_.low(), T(-1), total);
      add_end(solid_.pieces().back(), solid_.high(), T(1), total);
    }
    return total;
  }

 private:
  static constexpr double kEnough = 1e-8;  // of the volume; the better rule is some digits nearer

  DiscMoments<T> slice(const ProfilePiece& piece, const T& t) const {
    const T radius = piece.radius(t);
    if (!(radius > T(0))) return {};
    std::array<std::size_t, kMostFaces> cutting;
    std::size_t cuts = 0;
    for (std::size_t k = 0; k < planes_.count; ++k) {
      const T room = planes_.levels[k] - planes_.normals[k].z() * t, reach = widths_[k] * radius;
      if (!(room > -reach)) return {};
      if (room < reach) cutting[cuts++] = k;
    }
    if (cuts == 0) return whole_disc(radius);
    FlatPolygon<T> polygon(radius);
    for (std::size_t i = 0; i < cuts && polygon.count() > 0; ++i) {
      const Vec3T<T>& n = planes_.normals[cutting[i]];
      polygon.trim(n.x(), n.y(), T(planes_.levels[cutting[i]] - n.z() * t));
    }
    return common_to(polygon, radius);
  }

  SliceSums<T> integrand(const ProfilePiece& piece, const T& t) const {
    const DiscMoments<T> m = slice(piece, t);
    SliceSums<T> s;
    s.moments.volume = m.area;
    s.moments.first = {m.x, m.y, t * m.area};
    s.moments.second << m.xx, m.xy, t * m.x, m.xy, m.yy, t * m.y, t * m.x, t * m.y, t * t * m.area;
    const T r = piece.radius(t);
    s.area = {r * m.arc_x, r * m.arc_y, -piece.radius_times_slope(t) * m.arc};
    return s;
  }

  void add_end(const ProfilePiece& piece, double height, const T& side, SliceSums<T>& total) {
    if (!(piece.radius(height) > 0.0)) return;
    total.area.z() += side * slice(piece, T(height)).area;
  }

  void add_piece(const ProfilePiece& piece, const T& sign, SliceSums<T>& total) {
    breaks_.clear(T(piece.low), T(piece.high));
    for (std::size_t k = 0; k < planes_.count; ++k) touch_plane(piece, k);
    for (std::size_t k = 0; k < planes_.corner_count; ++k) breaks_.add(planes_.corners[k].z());
    for (const auto& [from, to] : *planes_.edges) {
      pierce(piece, planes_.corners[from], planes_.corners[to]);
    }
    for (std::size_t k = 0; k < planes_.line_count; ++k) {
      const T far(10.0 * (solid_.high() - solid_.low()) + 10.0 * piece.radius(0.0));
      const Vec3T<T> reach = far * planes_.line_directions[k];
      pierce(piece, planes_.line_points[k] - reach, planes_.line_points[k] + reach);
    }
    breaks_.sort();
    const double rough = rough_volume(piece);
    if (!(rough > 0.0)) return;
    SliceSums<T> part;
    for (std::size_t k = 0; k + 1 < breaks_.count(); ++k) {
      const T middle = T(0.5) * (breaks_[k] + breaks_[k + 1]);
      if (!(slice(piece, middle).area > T(0))) continue;
      part.error += integrate<T>(
          breaks_[k], breaks_[k + 1], kEnough * rough, part,
          [&](const T& t) { return integrand(piece, t); },
          [](const SliceSums<T>& s) { return value_of(s.moments.volume); });
    }
    total.add(part, sign);
    total.error += part.error;
  }

  // By one slice in the middle of each interval: what errors are measured against.
  double rough_volume(const ProfilePiece& piece) const {
    double sum = 0.0;
    for (std::size_t k = 0; k + 1 < breaks_.count(); ++k) {
      const T middle = T(0.5) * (breaks_[k] + breaks_[k + 1]);
      sum += value_of(slice(piece, middle).area) * value_of(T(breaks_[k + 1] - breaks_[k]));
    }
    return sum;
  }

  // Heights at which the line a plane draws on the slice is tangent to the circle:
  // (l - n_z t)^2 = (n_x^2 + n_y^2) r^2.
  void touch_plane(const ProfilePiece& piece, std::size_t k) {
    const Vec3T<T>& n = planes_.normals[k];
    const T &l = planes_.levels[k], w2 = n.x() * n.x() + n.y() * n.y();
    if (piece.kind == ProfilePiece::Kind::kQuadratic) {
      return breaks_.add(roots_of<T>(n.z() * n.z() - w2 * T(piece.c2),
                                     T(T(-2) * l * n.z() - w2 * T(piece.c1)),
                                     T(l * l - w2 * T(piece.c0))));
    }
    // r = R +- s with s^2 = a^2 - t^2: (+-(l - n_z t)/w - R)^2 = a^2 - t^2.
    if (!(w2 > T(1e-24))) return breaks_.add(T(l / n.z()));
    const T w = root_of(w2), R(piece.ring_radius), a(piece.tube_radius);
    for (const double side : {1.0, -1.0}) {
      const T p = T(side) * l / w - R, q = T(-side) * n.z() / w;
      breaks_.add(roots_of<T>(T(q * q + T(1)), T(T(2) * p * q), T(p * p - a * a)));
    }
  }

  // Heights at which an edge goes through the round surface.
  void pierce(const ProfilePiece& piece, const Vec3T<T>& from, const Vec3T<T>& to) {
    const Vec3T<T> d = to - from;
    const T a = d.x() * d.x() + d.y() * d.y() - T(piece.c2) * d.z() * d.z();
    const T b = T(2) * (from.x() * d.x() + from.y() * d.y()) -
                d.z() * (T(piece.c1) + T(2.0 * piece.c2) * from.z());
    const T c = from.x() * from.x() + from.y() * from.y() - T(piece.c0) -
                from.z() * (T(piece.c1) + T(piece.c2) * from.z());
    const Roots<T> along = roots_of<T>(a, b, c);
    for (std::size_t k = 0; k < along.count; ++k) {
      if (along.at[k] < T(0) || along.at[k] > T(1)) continue;
      breaks_.add(T(from.z() + along.at[k] * d.z()));
    }
  }

  const RoundSolid& solid_;
  const SeenPlanes<T>& planes_;
  std::array<T, kMostFaces> widths_;  // how far a plane's normal leans into the slice
  Breaks<T> breaks_;
};

class RoundVolume final : public VolumeQueryOf<RoundVolume> {
 public:
  RoundVolume(RoundSolid solid, FacePlanes planes, double edge_half_angle)
      : solid_(std::move(solid)), planes_(std::move(planes)), edge_(edge_half_angle) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o;
    const Mat3T<T> R_AB = a.R_WS.transpose() * b.R_WS;
    const Vec3T<T> p_AB = a.R_WS.transpose() * Vec3T<T>(b.p_WS - a.p_WS);
    const SeenPlanes<T> seen(planes_, R_AB, p_AB);
    if (!(farthest_gap(seen) > 0.0)) fill_volume(seen, a, o);
    if (planes_.is_half_space()) {
      half_space_gap(seen, a, o);
    } else if (planes_.endless_edge) {
      edge_gap(a, b, o);
    } else if (o.volume > T(0)) {
      depth_along_normal(seen, a, o);
    } else {
      distance(a, b, o);
    }
    return o;
  }
  double size() const override { return std::min(solid_.size(), planes_.size); }
  bool has_potential() const override { return planes_.is_half_space(); }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const Mat3 R_AB = a.R_WS.transpose() * b.R_WS;
    const Vec3 p_AB = a.R_WS.transpose() * (b.p_WS - a.p_WS);
    return farthest_gap(SeenPlanes<double>(planes_, R_AB, p_AB));
  }

 private:
  // The largest distance of the round solid from a plane that has all of it in front.
  template <class T>
  double farthest_gap(const SeenPlanes<T>& seen) const {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < seen.count; ++k) {
      const Vec3 n = seen.normals[k].unaryExpr([](const T& x) { return value_of(x); });
      most = std::max(most, n.dot(solid_.farthest<double>(-n)) - value_of(seen.levels[k]));
    }
    return most;
  }

  // Slices are taken in a frame C on the stretched solid; balls have C's z towards the nearest
  // face.
  template <class T>
  void fill_volume(const SeenPlanes<T>& seen, const Placement<T>& a, Overlap<T>& o) const {
    const Vec3T<T> stretch = solid_.stretch().cast<T>();
    SeenPlanes<T> sliced = seen.stretched(stretch);
    Mat3T<T> R_AC = Mat3T<T>::Identity();
    if (solid_.is_ball()) {
      R_AC = frame_with_z(Vec3T<T>(-sliced.normals[sliced.nearest()]));
      sliced.turn(R_AC);
    }
    const SliceSums<T> sums = Slicer<T>(solid_, sliced).sum();
    const T volume = sums.moments.volume;
    const bool sunken = !(sums.area.squaredNorm() > T(1e-24) * volume);  // no face inside it
    if (!(volume > T(0)) || (sunken && !planes_.is_half_space())) return;
    const Mat3T<T> map = Mat3T<T>(stretch.asDiagonal()) * R_AC;  // r_A = map r_C
    const T scale = stretch.prod();
    VolumeMoments<T> in_A;
    in_A.volume = scale * volume;
    const Vec3T<T> center = map * sums.moments.centroid();
    const Mat3T<T> central =
        sums.moments.second - sums.moments.first * sums.moments.first.transpose() / volume;
    const Mat3T<T> spread = scale * (map * central * map.transpose());
    o.volume = in_A.volume;
    o.centroid_W = a.p_WS + a.R_WS * center;
    o.inertia_W =
        a.R_WS * Mat3T<T>(spread.trace() * Mat3T<T>::Identity() - spread) * a.R_WS.transpose();
    const Vec3T<T> inverse = stretch.cwiseInverse();
    const Vec3T<T> area = inverse.cwiseProduct(Vec3T<T>(R_AC * sums.area));
    if (!sunken) o.normal_W = a.R_WS * Vec3T<T>(-area / root_of(T(area.squaredNorm())));
    o.error = value_of(scale) * sums.error;
  }

  template <class T>
  void half_space_gap(const SeenPlanes<T>& seen, const Placement<T>& a, Overlap<T>& o) const {
    const Vec3T<T>& n = seen.normals[0];
    const Vec3T<T> lowest = solid_.farthest<T>(-n);
    o.gap = n.dot(lowest) - seen.levels[0];
    o.normal_W = a.R_WS * n;
    o.nearest_W = a.p_WS + a.R_WS * lowest;
    if (!(o.volume > T(0))) return;
    const T center = n.dot(Vec3T<T>(a.R_WS.transpose() * (o.centroid_W - a.p_WS)));
    o.potential = o.volume * (seen.levels[0] - center);
  }

  // Of a ball; the normal of the volume stays as it is.
  template <class T>
  void edge_gap(const Placement<T>& a, const Placement<T>& b, Overlap<T>& o) const {
    const auto near =
        edge_distance<T>(edge_, Vec3T<T>(b.R_WS.transpose() * Vec3T<T>(a.p_WS - b.p_WS)));
    const Vec3T<T> n = b.R_WS * near.normal;
    o.gap = near.distance - T(solid_.reach());
    o.nearest_W = a.p_WS - T(solid_.reach()) * n;
    if (!(o.volume > T(0))) o.normal_W = n;
  }

  template <class T>
  void depth_along_normal(const SeenPlanes<T>& seen, const Placement<T>& a, Overlap<T>& o) const {
    const Vec3T<T> n = a.R_WS.transpose() * o.normal_W, lowest = solid_.farthest<T>(-n);
    o.nearest_W = a.p_WS + a.R_WS * lowest;
    o.gap = n.dot(lowest) - seen.farthest_along(n);
  }

  // Apart: the derivative of the distance is that of n . (a - b) between the nearest points as
  // they are fixed in their bodies.
  template <class T>
  void distance(const Placement<T>& a, const Placement<T>& b, Overlap<T>& o) const {
    const auto value = [](const T& x) { return value_of(x); };
    const Mat3 R_a = a.R_WS.unaryExpr(value), R_b = b.R_WS.unaryExpr(value);
    const Vec3 p_a = a.p_WS.unaryExpr(value), p_b = b.p_WS.unaryExpr(value);
    const Vec3 between = p_a - p_b - R_b * planes_.center;
    const auto far_a = [&](const Vec3& d) -> Vec3 {
      return between + R_a * solid_.farthest<double>((R_a.transpose() * d).normalized());
    };
    const auto far_b = [&](const Vec3& d) -> Vec3 {
      return R_b * (planes_.farthest(R_b.transpose() * d) - planes_.center);
    };
    const ConvexClosest near = closest_points(far_a, far_b, between, solid_.reach());
    if (!near.apart) return;  // touching to rounding: gap 0
    const Vec3 p_A = R_a.transpose() * (near.a - between);
    const Vec3 p_B = R_b.transpose() * near.b + planes_.center;
    o.nearest_W = a.p_WS + a.R_WS * p_A.cast<T>();
    o.normal_W = near.normal.cast<T>();
    o.gap = o.normal_W.dot(Vec3T<T>(o.nearest_W - b.p_WS - b.R_WS * p_B.cast<T>()));
  }

  template <class T>
  static Mat3T<T> frame_with_z(const Vec3T<T>& z) {
    const int least = std::abs(value_of(z.x())) < 0.6 ? 0 : 1;
    Vec3T<T> x = Vec3T<T>::Zero();
    x[least] = T(1);
    x -= z.dot(x) * z;
    x /= root_of(T(x.squaredNorm()));
    Mat3T<T> R;
    R.col(0) = x;
    R.col(1) = z.cross(x);
    R.col(2) = z;
    return R;
  }

  RoundSolid solid_;
  FacePlanes planes_;
  double edge_;  // half its angle, if the planes are those of an edge
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_round_volume(const Shape& a, const Shape& b) {
  RoundSolid solid(a);
  std::optional<FacePlanes> planes = face_planes(b);
  if (!solid.known() || !planes) return nullptr;
  if (!solid.hole().empty() && !planes->is_half_space()) return nullptr;
  const auto* edge = std::get_if<Edge>(&b);
  if (edge != nullptr && !std::holds_alternative<Sphere>(a)) return nullptr;
  return std::make_shared<RoundVolume>(std::move(solid), std::move(*planes),
                                       edge != nullptr ? edge->half_angle : 0.0);
}

}  // namespace grapple::geometry
