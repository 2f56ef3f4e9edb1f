#include "grapple/geometry/overlap/internal/round_share.h"

#include <cmath>

#include "grapple/geometry/overlap/internal/disc_polygon.h"
#include "grapple/geometry/overlap/internal/gauss_kronrod.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3T;
using spatial::value_of;
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

template <class T>
Mat3T<T> frame_with_z(const Vec3T<T>& z) {
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

}  // namespace

// Slices are taken in a frame C on the stretched solid; balls have C's z towards the nearest face.
template <class T>
RoundShare<T> round_share(const RoundSolid& solid, const SeenPlanes<T>& planes) {
  const Vec3T<T> stretch = solid.stretch().cast<T>();
  SeenPlanes<T> sliced = planes.stretched(stretch);
  Mat3T<T> R_AC = Mat3T<T>::Identity();
  if (solid.is_ball()) {
    R_AC = frame_with_z(Vec3T<T>(-sliced.normals[sliced.nearest()]));
    sliced.turn(R_AC);
  }
  const SliceSums<T> sums = Slicer<T>(solid, sliced).sum();
  const T volume = sums.moments.volume;
  RoundShare<T> share;
  share.has_area = sums.area.squaredNorm() > T(1e-24) * volume;
  if (!(volume > T(0))) return share;
  const Mat3T<T> map = Mat3T<T>(stretch.asDiagonal()) * R_AC;  // r_A = map r_C
  const T scale = stretch.prod();
  share.moments.volume = scale * volume;
  share.moments.first = scale * (map * sums.moments.first);
  share.moments.second = scale * (map * sums.moments.second * map.transpose());
  share.area = scale * stretch.cwiseInverse().cwiseProduct(Vec3T<T>(R_AC * sums.area));
  share.error = value_of(scale) * sums.error;
  return share;
}

template RoundShare<double> round_share(const RoundSolid&, const SeenPlanes<double>&);
template RoundShare<spatial::Dual> round_share(const RoundSolid&, const SeenPlanes<spatial::Dual>&);

}  // namespace grapple::geometry
