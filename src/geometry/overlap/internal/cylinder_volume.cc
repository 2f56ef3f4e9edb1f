#include "grapple/geometry/overlap/internal/cylinder_volume.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace grapple::geometry {

namespace {

using spatial::Mat3T;
using spatial::Vec3T;
using std::numbers::pi;

// Gauss-Legendre, 16 points, positive half.
constexpr std::array<double, 8> kNodes = {
    0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438,
    0.755404408355003,   0.8656312023878318, 0.9445750230732326,  0.9894009349916499};
constexpr std::array<double, 8> kWeights = {
    0.18945061045506847, 0.1826034150449236, 0.16915651939500256,  0.14959598881657682,
    0.12462897125553395, 0.0951585116824929, 0.062253523938647776, 0.027152459411754058};

// Moments in the axes of a Lean, about a point on the lower end.
template <class T>
struct LocalMoments {
  T volume{0};
  Vec3T<T> first = Vec3T<T>::Zero();
  Mat3T<T> second = Mat3T<T>::Zero();
};

// Local axes: z along the axis, away from the lower end; the plane rises with x. The height of a
// point over the plane is  -depth + rise_x xi + rise_z zeta,  xi from the lowest generator along x,
// zeta from the lower end.
template <class T>
struct Lean {
  Vec3T<T> x_W, y_W, z_W;
  T rise_x{0}, rise_z{0};  // >= 0
  T depth{0};              // of the lowest point
};

class CylinderInHalfSpace final : public VolumeQueryOf<CylinderInHalfSpace> {
 public:
  explicit CylinderInHalfSpace(const Cylinder& cylinder)
      : radius_(cylinder.radius), length_(2.0 * cylinder.half_length) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o;
    o.normal_W = b.R_WS.col(2);
    Lean<T> pose = posed(a, o.normal_W);
    const Vec3T<T> end_center = a.p_WS - T(0.5 * length_) * pose.z_W;
    o.nearest_W = end_center - T(radius_) * pose.x_W;
    o.gap = o.normal_W.dot(Vec3T<T>(end_center - b.p_WS)) - T(radius_) * pose.rise_x;
    if (!(o.gap < T(0))) return o;
    pose.depth = -o.gap;
    const bool cuts_every_generator =
        pose.depth >= T(2.0 * radius_) * pose.rise_x && pose.depth <= T(length_) * pose.rise_z;
    if (cuts_every_generator) {
      const Vec3T<T> slope = (o.normal_W - pose.rise_z * pose.z_W) / pose.rise_z;
      fill(through_generators(pose, slope), pose, end_center, o);
    } else {
      fill(by_chords(pose), pose, o.nearest_W, o);
    }
    return o;
  }
  double size() const override { return std::min(radius_, 0.5 * length_); }

 private:
  template <class T>
  Lean<T> posed(const Placement<T>& a, const Vec3T<T>& normal) const {
    using std::sqrt;
    Lean<T> pose;
    pose.z_W = a.R_WS.col(2);
    pose.rise_z = normal.dot(pose.z_W);
    if (pose.rise_z < T(0)) {
      pose.z_W = -pose.z_W;
      pose.rise_z = -pose.rise_z;
    }
    const Vec3T<T> across = normal - pose.rise_z * pose.z_W;
    const T square = across.squaredNorm();
    // Upright every x is as good; through_generators does without it.
    if (square > T(1e-24)) {
      pose.rise_x = sqrt(square);
      pose.x_W = across / pose.rise_x;
    } else {
      pose.x_W = a.R_WS.col(0);
    }
    pose.y_W = pose.z_W.cross(pose.x_W);
    return pose;
  }

  // Polynomials in the slope g of the plane, smooth through upright: about the centre of the end
  // the plane is at zeta = l - g.(x, y).
  template <class T>
  LocalMoments<T> through_generators(const Lean<T>& pose, const Vec3T<T>& slope_W) const {
    const T area(pi * radius_ * radius_), quadric(0.25 * pi * std::pow(radius_, 4));
    const T gx = slope_W.dot(pose.x_W), gy = slope_W.dot(pose.y_W), g2 = gx * gx + gy * gy;
    const T l = (pose.depth - T(radius_) * pose.rise_x) / pose.rise_z;
    LocalMoments<T> m;
    m.volume = area * l;
    m.first = Vec3T<T>(-gx * quadric, -gy * quadric, T(0.5) * (area * l * l + quadric * g2));
    m.second(0, 0) = m.second(1, 1) = quadric * l;
    m.second(0, 2) = m.second(2, 0) = -l * gx * quadric;
    m.second(1, 2) = m.second(2, 1) = -l * gy * quadric;
    m.second(2, 2) = (area * l * l * l + T(3) * l * quadric * g2) / T(3);
    return m;
  }

  // Chords across x, wet up to min(length, (depth - rise_x xi)/rise_z), by Gauss's rule in the
  // angle psi of xi = r (1 - cos psi): on either side of the chord where the wet length begins to
  // fall, the integrand is a trigonometric polynomial.
  template <class T>
  LocalMoments<T> by_chords(const Lean<T>& pose) const {
    LocalMoments<T> m;
    const T dry = pose.depth - T(length_) * pose.rise_z;
    const T angle_full = angle_where(pose, dry), angle_end = angle_where(pose, pose.depth);
    add_chords(pose, T(0), angle_full, m);
    add_chords(pose, angle_full, angle_end, m);
    return m;
  }

  // psi of the chord where rise_x xi = rise.
  template <class T>
  T angle_where(const Lean<T>& pose, const T& rise) const {
    using std::atan2;
    using std::sqrt;
    if (!(rise > T(0))) return T(0);
    const T whole = T(2.0 * radius_) * pose.rise_x;
    if (!(rise < whole)) return T(pi);
    const T s = rise / whole;
    return T(2) * atan2(sqrt(s), sqrt(T(T(1) - s)));
  }

  template <class T>
  void add_chords(const Lean<T>& pose, const T& from, const T& to, LocalMoments<T>& m) const {
    if (!(to > from)) return;
    for (std::size_t k = 0; k < 2 * kNodes.size(); ++k) {
      const double node = k % 2 == 0 ? kNodes[k / 2] : -kNodes[k / 2];
      const T psi = T(0.5) * (from + to) + T(0.5 * node) * (to - from);
      add_chord(pose, psi, T(0.5 * kWeights[k / 2]) * (to - from), m);
    }
  }

  template <class T>
  void add_chord(const Lean<T>& pose, const T& psi, const T& weight, LocalMoments<T>& m) const {
    using std::sin;
    const T sine_half = sin(T(T(0.5) * psi));
    const T xi = T(2.0 * radius_) * sine_half * sine_half, half_chord = T(radius_) * sin(psi);
    const T rest = pose.depth - pose.rise_x * xi;
    if (!(rest > T(0))) return;
    const T wet = rest >= T(length_) * pose.rise_z ? T(length_) : T(rest / pose.rise_z);
    const T v = T(2) * half_chord * half_chord * weight * wet;
    m.volume += v;
    m.first.x() += xi * v;
    m.first.z() += T(0.5) * wet * v;
    m.second(0, 0) += xi * xi * v;
    m.second(1, 1) += half_chord * half_chord * v / T(3);
    m.second(2, 2) += wet * wet * v / T(3);
    const T mixed = T(0.5) * xi * wet * v;
    m.second(0, 2) += mixed;
    m.second(2, 0) += mixed;
  }

  template <class T>
  static void fill(const LocalMoments<T>& m, const Lean<T>& pose, const Vec3T<T>& origin_W,
                   Overlap<T>& o) {
    if (!(m.volume > T(0))) return;
    Mat3T<T> axes;
    axes << pose.x_W, pose.y_W, pose.z_W;
    const Vec3T<T> center = m.first / m.volume;
    const Mat3T<T> central = m.second - m.first * center.transpose();
    o.volume = m.volume;
    o.centroid_W = origin_W + axes * center;
    o.inertia_W = axes * (central.trace() * Mat3T<T>::Identity() - central) * axes.transpose();
    o.potential = m.volume * (-o.gap - o.normal_W.dot(Vec3T<T>(o.centroid_W - o.nearest_W)));
  }

  double radius_, length_;
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_cylinder_in_half_space(const Cylinder& cylinder) {
  return std::make_shared<CylinderInHalfSpace>(cylinder);
}

}  // namespace grapple::geometry
