#include "grapple/geometry/overlap/internal/ball_round_volume.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/base/bracketed_root.h"
#include "grapple/geometry/overlap/internal/circle_segment.h"
#include "grapple/geometry/overlap/internal/gauss_kronrod.h"
#include "grapple/geometry/solid/internal/round_solid.h"
#include "grapple/geometry/touch/internal/surface_distance.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3T;
using std::numbers::pi;

// Sums over slices: x from the axis of the round body towards the ball, z along it.
template <class T>
struct RoundSums {
  T volume{0}, x{0}, z{0}, xx{0}, yy{0}, zz{0}, xz{0};
  T area_x{0}, area_z{0};  // vector area of the ball's surface inside

  void add(const RoundSums& o, const T& w) {
    volume += w * o.volume;
    x += w * o.x, z += w * o.z;
    xx += w * o.xx, yy += w * o.yy, zz += w * o.zz, xz += w * o.xz;
    area_x += w * o.area_x, area_z += w * o.area_z;
  }
};

// What a disc of radius r at distance `off` from the axis has inside the disc of radius R about it:
// integrals with x from the axis, and the half angle of its own circle inside, seen from its centre
// towards the axis.
template <class T>
struct Common {
  Flat<T> flat;
  T half_angle{0};
};

template <class T>
Common<T> common_of(const T& r, const T& R, const T& off) {
  using std::atan2;
  if (!(r > T(0)) || !(R > T(0)) || !(off < r + R)) return {};
  if (!(off > R - r)) {  // all of the ball's
    const T area = T(pi) * r * r, own = area * r * r / T(4);
    return {{area, off * area, own + off * off * area, own}, T(pi)};
  }
  if (!(off > r - R)) {  // all of the other
    const T area = T(pi) * R * R, own = area * R * R / T(4);
    return {{area, T(0), own, own}, T(0)};
  }
  const T chord = (R * R - r * r + off * off) / (T(2) * off);  // from the axis
  const T half = root_of(T(R * R - chord * chord));
  const T own = atan2(half, T(off - chord)), other = atan2(half, chord);
  const Flat<T> a = segment<T>(r, own), b = segment<T>(R, other);
  return {{a.area + b.area, off * a.area - a.x + b.x,
           off * off * a.area - T(2) * off * a.x + a.xx + b.xx, a.yy + b.yy},
          own};
}

struct RoundBody {
  std::vector<ProfilePiece> pieces, hole;  // heights; what is endless ends far away
  bool is_void = false;                    // the solid is outside
};

constexpr double kFar = 1e6;  // m

RoundBody body_of(const Shape& shape) {
  using Kind = ProfilePiece::Kind;
  const auto cone = [](double low, double high, double half_angle) {
    const double slope = std::tan(half_angle);
    return ProfilePiece{Kind::kQuadratic, low, high, 0.0, 0.0, slope * slope, 0.0, 0.0};
  };
  if (const auto* bar = std::get_if<Bar>(&shape)) {
    return {{{Kind::kQuadratic, -kFar, kFar, bar->radius * bar->radius, 0, 0, 0, 0}}, {}, false};
  }
  if (const auto* spike = std::get_if<Spike>(&shape)) {
    return {{cone(-kFar, 0.0, spike->half_angle)}, {}, false};
  }
  if (const auto* funnel = std::get_if<Funnel>(&shape)) {
    return {{{Kind::kQuadratic, -kFar, 0.0, 0, 0, 0, 0, 0}, cone(0.0, kFar, funnel->half_angle)},
            {},
            true};
  }
  const RoundSolid solid(shape);
  const bool any = solid.known() && solid.stretch() == spatial::Vec3::Ones();
  return any ? RoundBody{solid.pieces(), solid.hole(), false} : RoundBody{};
}

class BallRoundVolume final : public VolumeQueryOf<BallRoundVolume> {
 public:
  BallRoundVolume(double radius, Shape shape)
      : radius_(radius), shape_(std::move(shape)), body_(body_of(shape_)) {}

  template <class T>
  Overlap<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> p = b.R_WS.transpose() * Vec3T<T>(a.p_WS - b.p_WS);
    const SurfaceDistance<T> near = round_distance<T>(shape_, p);
    Overlap<T> o;
    o.gap = near.distance - T(radius_);
    o.normal_W = b.R_WS * near.normal;
    o.nearest_W = a.p_WS - T(radius_) * o.normal_W;
    if (!(o.gap < T(0))) return o;
    const AxialPoint<T> center(p);
    RoundSums<T> sums;
    for (const ProfilePiece& piece : body_.pieces) o.error += add(piece, center, T(1), sums);
    for (const ProfilePiece& piece : body_.hole) o.error += add(piece, center, T(-1), sums);
    fill(sums, center, b, o);
    return o;
  }
  double size() const override { return radius_; }
  bool has_potential() const override { return false; }
  double gap_at_least(const Placement<double>& a, const Placement<double>& b) const override {
    const spatial::Vec3 p = b.R_WS.transpose() * (a.p_WS - b.p_WS);
    return round_distance<double>(shape_, p).distance - radius_;
  }

 private:
  static constexpr double kEnough = 1e-8;  // of the volume of a shallow cap of the ball

  template <class T>
  T ball_radius_at(const AxialPoint<T>& center, const T& t) const {
    return root_of(T(T(radius_ * radius_) - (t - center.z) * (t - center.z)));
  }

  template <class T>
  RoundSums<T> slice(const ProfilePiece& piece, const AxialPoint<T>& center, const T& t) const {
    const T r = ball_radius_at(center, t);
    Common<T> c = common_of<T>(r, piece.radius(t), center.r);
    T cosines = T(-2) * sine(c.half_angle), angle = T(2) * c.half_angle;
    if (body_.is_void) {
      const T area = T(pi) * r * r, own = area * r * r / T(4);
      c.flat = {area - c.flat.area, center.r * area - c.flat.x,
                own + center.r * center.r * area - c.flat.xx, own - c.flat.yy};
      cosines = -cosines;
      angle = T(2.0 * pi) - angle;
    }
    RoundSums<T> s;
    s.volume = c.flat.area;
    s.x = c.flat.x, s.z = t * c.flat.area;
    s.xx = c.flat.xx, s.yy = c.flat.yy, s.zz = t * t * c.flat.area, s.xz = t * c.flat.x;
    s.area_x = r * cosines;
    s.area_z = (t - center.z) * angle;
    return s;
  }
  template <class T>
  static T sine(const T& angle) {
    using std::sin;
    return sin(angle);
  }

  template <class T>
  double add(const ProfilePiece& piece, const AxialPoint<T>& center, const T& sign,
             RoundSums<T>& sums) const {
    const T low = higher<T>(T(piece.low), T(center.z - T(radius_)));
    const T high = -higher<T>(T(-piece.high), T(-center.z - T(radius_)));
    if (!(low < high)) return 0.0;
    Breaks<T> breaks;
    breaks.clear(low, high);
    add_touches(piece, center, breaks);
    breaks.sort();
    double rough = 0.0, error = 0.0;
    for (std::size_t k = 0; k + 1 < breaks.count(); ++k) {
      rough += seen_between(piece, center, breaks, k) * value_of(T(breaks[k + 1] - breaks[k]));
    }
    for (std::size_t k = 0; k + 1 < breaks.count(); ++k) {
      if (!(seen_between(piece, center, breaks, k) > 0.0)) continue;
      RoundSums<T> part;
      error += integrate<T>(
          breaks[k], breaks[k + 1], kEnough * rough, part,
          [&](const T& t) { return slice(piece, center, t); },
          [](const RoundSums<T>& s) { return value_of(s.volume); });
      sums.add(part, sign);
    }
    return error;
  }
  template <class T>
  static T higher(const T& a, const T& b) {
    return a > b ? a : b;
  }
  // The largest of three slices between two breaks: one alone may be where circles only touch.
  template <class T>
  double seen_between(const ProfilePiece& piece, const AxialPoint<T>& center,
                      const Breaks<T>& breaks, std::size_t k) const {
    double largest = 0.0;
    for (const double share : {0.5, 0.27, 0.79}) {
      const T t = breaks[k] + T(share) * (breaks[k + 1] - breaks[k]);
      largest = std::max(largest, value_of(slice(piece, center, t).volume));
    }
    return largest;
  }

  // Which of the three ways of touching: from outside, the ball's circle inside, the other's
  // inside.
  template <class T>
  T touching(int which, const ProfilePiece& piece, const AxialPoint<T>& center, const T& t) const {
    const T r = ball_radius_at(center, t), R = piece.radius(t);
    return which == 0   ? T(r + R - center.r)
           : which == 1 ? T(R - r - center.r)
                        : T(r - R - center.r);
  }

  // Heights at which circles touch: sign changes on a grid, narrowed; one Newton step gives the
  // derivatives.
  template <class T>
  void add_touches(const ProfilePiece& piece, const AxialPoint<T>& center,
                   Breaks<T>& breaks) const {
    constexpr int kGrid = 32;
    const double low = value_of(breaks[0]), high = value_of(breaks[1]);
    AxialPoint<double> still(spatial::Vec3(value_of(center.r), 0.0, value_of(center.z)));
    for (int which = 0; which < 3; ++which) {
      const auto f = [&](double t) { return touching<double>(which, piece, still, t); };
      double last = low, value = f(low);
      for (int k = 1; k <= kGrid; ++k) {
        // Denser at the ends, where circles shrink like roots.
        const double next = 0.5 * (low + high) - 0.5 * (high - low) * std::cos(pi * k / kGrid);
        const double ahead = f(next);
        if ((value < 0.0) != (ahead < 0.0)) {
          const double width = std::ldexp(next - last, -52);
          const double side = value < 0.0 ? 1.0 : -1.0;
          const double height = bracket_root(f, last, value, next, ahead, side, width).middle();
          breaks.add(exact<T>(which, piece, center, height));
        }
        last = next, value = ahead;
      }
    }
  }
  template <class T>
  T exact(int which, const ProfilePiece& piece, const AxialPoint<T>& center, double t) const {
    AxialPoint<double> still(spatial::Vec3(value_of(center.r), 0.0, value_of(center.z)));
    const double h = 1e-7 * radius_;
    const double slope = (touching<double>(which, piece, still, t + h) -
                          touching<double>(which, piece, still, t - h)) /
                         (2.0 * h);
    if (!(std::abs(slope) > 1e-9)) return T(t);
    T miss = touching<T>(which, piece, center, T(t));
    miss -= T(value_of(miss));  // the height is right; only its derivatives are missing
    return T(t) - miss / T(slope);
  }

  template <class T>
  void fill(const RoundSums<T>& s, const AxialPoint<T>& center, const Placement<T>& b,
            Overlap<T>& o) const {
    const T square = s.area_x * s.area_x + s.area_z * s.area_z;
    if (!(s.volume > T(0)) || !(square > T(0))) return;
    const Vec3T<T> x = center.out, z(T(0), T(0), T(1)), y = z.cross(x);
    const T mx = s.x / s.volume, mz = s.z / s.volume;
    const T xx = s.xx - s.x * mx, zz = s.zz - s.z * mz, xz = s.xz - s.x * mz;
    const Mat3T<T> spread = xx * (x * x.transpose()) + s.yy * (y * y.transpose()) +
                            zz * (z * z.transpose()) + xz * (x * z.transpose() + z * x.transpose());
    const Mat3T<T> inertia = spread.trace() * Mat3T<T>::Identity() - spread;
    o.volume = s.volume;
    o.centroid_W = b.p_WS + b.R_WS * Vec3T<T>(mx * x + mz * z);
    o.inertia_W = b.R_WS * inertia * b.R_WS.transpose();
    o.normal_W = b.R_WS * Vec3T<T>(-(s.area_x * x + s.area_z * z) / root_of(square));
  }

  double radius_;
  Shape shape_;
  RoundBody body_;
};

}  // namespace

std::shared_ptr<const VolumeQuery> make_ball_round_volume(const Sphere& ball, const Shape& round) {
  if (body_of(round).pieces.empty() || std::holds_alternative<Sphere>(round)) return nullptr;
  return std::make_shared<BallRoundVolume>(ball.radius, round);
}

}  // namespace grapple::geometry
