#include "grapple/geometry/overlap/internal/ball_volume.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/geometry/overlap/internal/circle_segment.h"
#include "grapple/geometry/overlap/internal/gauss_kronrod.h"
#include "grapple/geometry/solid/internal/round_solid.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3T;
using std::numbers::pi;

// A cap of depth d of a ball of radius R: moments along its axis over its lowest point, and about
// it.
template <class T>
struct Cap {
  T volume, first, second, round;
  Cap(const T& R, const T& d) {
    const T d2 = d * d, d3 = d2 * d;
    volume = T(pi) * d2 * (R - d / T(3));
    first = T(pi) * d3 * (R * T(2.0 / 3.0) - d / T(4));
    second = T(pi) * d2 * d2 * (R / T(2) - d / T(5));
    round = T(pi / 30.0) * d3 * (T(20) * R * R - T(15) * R * d + T(3) * d2);
  }
};

// Moments of a body round an axis n through the point `base`.
template <class T>
void fill_round(const Vec3T<T>& base, const Vec3T<T>& n, const T& first, const T& second,
                const T& round, Overlap<T>& o) {
  const T height = first / o.volume, across = T(0.5) * round + second - first * height;
  o.centroid_W = base + height * n;
  o.inertia_W = across * Mat3T<T>::Identity() + (round - across) * (n * n.transpose());
}

class BallOnBallVolume final : public VolumeQueryOf<BallOnBallVolume> {
 public:
  BallOnBallVolume(double a, double b) : a_(a), b_(b) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o;
    const Vec3T<T> between = a.p_WS - b.p_WS;
    const T D = root_of(T(between.squaredNorm())), Ra(a_), Rb(b_);
    const Vec3T<T> n = D > T(0) ? Vec3T<T>(between / D) : Vec3T<T>(b.R_WS.col(2));
    o.normal_W = n;
    o.gap = D - Ra - Rb;
    o.nearest_W = a.p_WS - Ra * n;
    // One ball wholly in the other has no side to be pushed to.
    if (!(o.gap < T(0)) || !(D > T(std::abs(a_ - b_)))) return o;
    // The plane of the rim lies x above the centre of B: depths of the caps without cancellation.
    const T deep_a = -o.gap * (Rb - Ra + D) / (T(2) * D), deep_b = -o.gap - deep_a;
    const Cap<T> cap_a(Ra, deep_a), cap_b(Rb, deep_b);
    o.volume = cap_a.volume + cap_b.volume;
    // Heights over the lowest point of A; B's cap hangs from its highest, deep_a + deep_b above.
    const T top = deep_a + deep_b;
    const T first = cap_a.first + top * cap_b.volume - cap_b.first;
    const T second =
        cap_a.second + top * top * cap_b.volume - T(2) * top * cap_b.first + cap_b.second;
    fill_round<T>(o.nearest_W, n, first, second, T(cap_a.round + cap_b.round), o);
    return o;
  }
  double size() const override { return std::min(a_, b_); }
  bool has_potential() const override { return false; }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    return (a.p_WS - b.p_WS).norm() - a_ - b_;
  }

 private:
  double a_, b_;
};

class BallInBoreVolume final : public VolumeQueryOf<BallInBoreVolume> {
 public:
  BallInBoreVolume(double ball, double bore) : ball_(ball), bore_(bore) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    Overlap<T> o;
    const Vec3T<T> axis = b.R_WS.col(2), d = a.p_WS - b.p_WS;
    const T along = axis.dot(d);
    const Vec3T<T> across = d - along * axis;
    const T off = root_of(T(across.squaredNorm()));
    const Vec3T<T> out = off > T(0) ? Vec3T<T>(across / off) : Vec3T<T>(b.R_WS.col(0));
    o.normal_W = -out;
    o.gap = T(bore_ - ball_) - off;
    o.nearest_W = a.p_WS + T(ball_) * out;
    if (!(o.gap < T(0)) || !(off < T(bore_))) return o;
    const T reach = root_of(T(-o.gap * (T(ball_ + bore_) - off)));  // of the patch along the axis
    SumsOf<T> s;
    const double rough = value_of(reach) * value_of(lune(off, T(0)).area);
    o.error = 2.0 * integrate<T>(
                        T(0), reach, 1e-7 * rough, s,
                        [&](const T& z) { return SumsOf<T>(lune(off, z), z); },
                        [](const SumsOf<T>& sum) { return value_of(sum.area); });
    if (!(s.area > T(0))) return o;
    fill<T>(s, Vec3T<T>(b.p_WS + along * axis), axis, out, o);
    return o;
  }
  double size() const override { return ball_; }
  bool has_potential() const override { return false; }

 private:
  template <class T>
  struct SumsOf {
    T area{0}, x{0}, xx{0}, yy{0}, zz{0};
    SumsOf() = default;
    SumsOf(const Flat<T>& flat, const T& z)
        : area(flat.area), x(flat.x), xx(flat.xx), yy(flat.yy), zz(z * z * flat.area) {}
    void add(const SumsOf& other, const T& w) {
      area += w * other.area;
      x += w * other.x;
      xx += w * other.xx;
      yy += w * other.yy;
      zz += w * other.zz;
    }
  };

  // Of the ball's slice at height z over its centre, what lies beyond the bore; x from the axis of
  // the bore.
  template <class T>
  Flat<T> lune(const T& off, const T& z) const {
    using std::atan2;
    const T r = root_of(T(T(ball_ * ball_) - z * z)), R(bore_);
    const T chord = (R * R - r * r + off * off) / (T(2) * off);  // distance of the common chord
    const T half = root_of(T(R * R - chord * chord));
    if (!(half > T(0))) return {};
    const Flat<T> ball = segment<T>(r, atan2(half, T(chord - off)));
    const Flat<T> bore = segment<T>(R, atan2(half, chord));
    return {ball.area - bore.area, ball.x + off * ball.area - bore.x,
            ball.xx + T(2) * off * ball.x + off * off * ball.area - bore.xx, ball.yy - bore.yy};
  }

  // Both halves along the axis.
  template <class T>
  static void fill(const SumsOf<T>& s, const Vec3T<T>& base, const Vec3T<T>& axis,
                   const Vec3T<T>& out, Overlap<T>& o) {
    const T mean = s.x / s.area, xx = T(2) * (s.xx - s.x * mean), yy = T(2) * s.yy,
            zz = T(2) * s.zz;
    const Vec3T<T> side = axis.cross(out);
    o.volume = T(2) * s.area;
    o.centroid_W = base + mean * out;
    o.inertia_W = (yy + zz) * (out * out.transpose()) + (xx + zz) * (side * side.transpose()) +
                  (xx + yy) * (axis * axis.transpose());
  }

  double ball_, bore_;
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_ball_on_ball(const Sphere& a, const Sphere& b) {
  return std::make_shared<BallOnBallVolume>(a.radius, b.radius);
}

std::shared_ptr<const VolumeQuery> make_ball_in_bore(const Sphere& a, const Bore& b) {
  if (!(a.radius < b.radius)) return nullptr;
  return std::make_shared<BallInBoreVolume>(a.radius, b.radius);
}

}  // namespace grapple::geometry
