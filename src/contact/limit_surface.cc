#include "grapple/contact/limit_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "grapple/contact/internal/magnitude.h"

namespace grapple::contact {

namespace {

using spatial::Dual;
using spatial::value_of;
using spatial::Vec3T;
using std::numbers::pi;

// The load on one side of a line at x >= 0 standard deviations from the centroid.
template <class T>
struct Side {
  T balance;  // 2 P - 1
  T moment;   // M, in standard deviations
};

// f(x) with a known slope.
double with_slope(double /*x*/, double f, double /*slope*/) { return f; }
Dual with_slope(const Dual& x, double f, double slope) { return x.chain(f, slope); }

// Pressures (1 - rho^2)^nu on an ellipse of half axes sqrt(2 nu + 4) sigma: along any direction
// they sum to p(t) = c (1 - t^2)^(nu + 1/2).
enum class Profile { kUniform, kHertz, kParabolic };

template <class T>
Side<T> side_of(Profile profile, const T& x) {
  const double half = profile == Profile::kUniform ? 2.0
                      : profile == Profile::kHertz ? std::sqrt(5.0)
                                                   : std::sqrt(6.0);
  const double t = value_of(x) / half, inside = 1.0 - t * t;
  if (!(inside > 0.0)) return {T(1), T(0)};
  const double root = std::sqrt(inside);
  double density = 0.0, balance = 0.0, moment = 0.0;
  switch (profile) {
    case Profile::kUniform:
      density = 2.0 / pi * root;
      balance = 2.0 / pi * (t * root + std::asin(t));
      moment = 2.0 / (3.0 * pi) * inside * root;
      break;
    case Profile::kHertz:
      density = 0.75 * inside;
      balance = 1.5 * t - 0.5 * t * t * t;
      moment = 3.0 / 16.0 * inside * inside;
      break;
    case Profile::kParabolic:
      density = 8.0 / (3.0 * pi) * inside * root;
      balance = 2.0 / (3.0 * pi) * (t * (5.0 - 2.0 * t * t) * root + 3.0 * std::asin(t));
      moment = 8.0 / (15.0 * pi) * inside * inside * root;
      break;
  }
  return {with_slope(x, balance, 2.0 * density / half), with_slope(x, half * moment, -t * density)};
}

// M(0) in standard deviations.
double moment_at_middle(Profile profile) { return side_of<double>(profile, 0.0).moment; }

// A rectangle of half sides a, b under uniform pressure, across a direction that sees them as
// alpha, beta: p is a trapezoid. Lengths in metres.
template <class T>
Side<T> side_of_rectangle(const T& alpha, const T& beta, const T& x) {
  const T& large = alpha > beta ? alpha : beta;
  const T& small = alpha > beta ? beta : alpha;
  const T inner = large - small, outer = large + small;
  if (x >= outer) return {T(1), T(0)};
  if (!(x > inner)) {
    // int_x^inner t/(2 large) dt, and the slope of the trapezoid beyond.
    return {x / large, (inner * inner - x * x) / (T(4) * large) +
                           small * (outer + T(2) * inner) / (T(6) * large)};
  }
  const T left = outer - x;
  const T area = T(4) * large * small;
  return {T(1) - left * left / area, left * left * (outer + T(2) * x) / (T(6) * area)};
}

template <class T>
T smooth_step(const T& x) {
  if (!(x > T(0))) return T(0);
  if (!(x < T(1))) return T(1);
  return x * x * (T(3) - T(2) * x);
}

// Shares of the profiles, by fullness: one of them where the patch is one of them.
template <class T>
struct Mixture {
  std::array<T, 3> share;  // uniform, Hertz's, parabolic
  T rectangle;

  explicit Mixture(const PatchSpread<T>& patch) : rectangle(patch.rectangle) {
    const T beyond_uniform = smooth_step(T((T(1) - patch.fullness) * T(6)));
    const T beyond_hertz = smooth_step(T((T(5.0 / 6.0) - patch.fullness) * T(12)));
    const T rest = T(1) - rectangle;
    share = {rest * (T(1) - beyond_uniform), rest * (beyond_uniform - beyond_hertz),
             rest * beyond_hertz};
  }
};

// The patch in two axes of its plane.
template <class T>
struct PlanePatch {
  Vec3T<T> t1, t2;
  T c11, c12, c22;               // of the moments
  T v1, v2, speed_squared;       // of the sliding velocity
  T side1, side2, half1, half2;  // of the rectangle: direction and half lengths

  PlanePatch(const PatchSpread<T>& patch, const Vec3T<T>& n, const Vec3T<T>& v) {
    using std::abs;
    // Across the world axis farthest from the normal.
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
      if (abs(value_of(n[k])) < abs(value_of(n[axis]))) axis = k;
    }
    t1 = Vec3T<T>::Zero();
    t1[axis] = T(1);
    t1 -= n[axis] * n;
    t1 /= spatial::length_of<T>(t1);
    t2 = n.cross(t1);
    const Vec3T<T> m1 = patch.moments * t1, m2 = patch.moments * t2;
    c11 = t1.dot(m1);
    c12 = t1.dot(m2);
    c22 = t2.dot(m2);
    v1 = t1.dot(v);
    v2 = t2.dot(v);
    speed_squared = v1 * v1 + v2 * v2;
    side1 = t1.dot(patch.side);
    side2 = t2.dot(patch.side);
    if (patch.rectangle > T(0)) {  // sigma^2 = half^2/3
      half1 = spatial::root_of(T(T(3) * along(side1, side2)));
      half2 = spatial::root_of(T(T(3) * along(T(-side2), side1)));
      // A line has next to no width; none at all would divide by zero.
      if (!(half2 > T(1e-9) * half1)) half2 = T(1e-9) * half1;
      if (!(half1 > T(1e-9) * half2)) half1 = T(1e-9) * half2;
    }
  }
  // g.C g of a direction in the plane.
  T along(const T& g1, const T& g2) const {
    return g1 * g1 * c11 + T(2) * g1 * g2 * c12 + g2 * g2 * c22;
  }
};

// |torque| of spinning alone.
template <class T>
T spin_lever_of(const PlanePatch<T>& p, const Mixture<T>& mixture) {
  using std::log;
  using std::sqrt;
  T lever(0);
  T middle(0);
  constexpr Profile kProfiles[] = {Profile::kUniform, Profile::kHertz, Profile::kParabolic};
  for (std::size_t k = 0; k < 3; ++k)
    middle += mixture.share[k] * T(moment_at_middle(kProfiles[k]));
  if (middle > T(0)) {
    // int_0^pi of the standard deviation: half the circumference of the ellipse of the moments.
    const T mean = T(0.5) * (p.c11 + p.c22), tilt = T(0.5) * (p.c11 - p.c22);
    const T apart = spatial::root_of(T(tilt * tilt + p.c12 * p.c12));
    const T larger = mean + apart;
    if (!(larger > T(0))) return T(0);
    T y = (mean - apart) / larger;
    if (!(y > T(1e-20))) y = T(1e-20);
    const PatchIntegrals<T> at(y);
    lever += middle * T(2) * sqrt(larger) * at.K * (T(1) - (T(1) - y) * at.s);
  }
  if (mixture.rectangle > T(0) &&
      p.half1 > T(0)) {  // the mean distance from the middle of a rectangle
    const T &a = p.half1, &b = p.half2, diagonal = sqrt(T(a * a + b * b));
    lever +=
        mixture.rectangle *
        (diagonal / T(3) +
         (a * a / b * log(T((b + diagonal) / a)) + b * b / a * log(T((a + diagonal) / b))) / T(6));
  }
  return lever;
}

// The part of the angles where lines at x cut the patch, as an ellipse around it sees it:
// (v.e)^2 < w^2 kAround g.C g. Across a long patch the integrand changes fast, within b/a of the
// angle, so that the rule steps along psi with  tan(phi - shortest) = sqrt(b/a) tan psi.
struct Arc {
  double beyond;      // middle of the directions beyond the patch
  double half;        // half length of those across it, about beyond + pi/2
  double c0, s0;      // direction of e across the shortest side
  double stretch;     // sqrt(b/a)
  double begin, end;  // in psi

  struct Node {
    double e1, e2, weight;
  };

  template <class T>
  Arc(const PlanePatch<T>& p, const T& w) {
    constexpr double kAround = 6.0;  // half axes of sqrt 6 sigma hold all profiles and rectangles
    const double v1 = value_of(p.v1), v2 = value_of(p.v2), w2 = kAround * value_of(T(w * w));
    const double c11 = value_of(p.c11), c12 = value_of(p.c12), c22 = value_of(p.c22);
    // v v' - w^2 kAround C turned by a right angle: positive beyond the patch.
    const double q11 = v1 * v1 - w2 * c22, q22 = v2 * v2 - w2 * c11, q12 = v1 * v2 + w2 * c12;
    const double mean = 0.5 * (q11 + q22), tilt = 0.5 * (q11 - q22), apart = std::hypot(tilt, q12);
    const double open = apart > 0.0 ? std::clamp(-mean / apart, -1.0, 1.0) : 1.0;
    beyond = 0.5 * std::atan2(q12, tilt);
    half = 0.5 * (pi - std::acos(open));
    const double spread = 0.5 * (c11 + c22), uneven = std::hypot(0.5 * (c11 - c22), c12);
    const double shortest = 0.5 * std::atan2(c12, 0.5 * (c11 - c22));
    const double ratio = std::max(spread - uneven, 1e-12 * spread) / (spread + uneven);
    stretch = std::sqrt(std::sqrt(ratio));
    c0 = std::cos(shortest);
    s0 = std::sin(shortest);
    begin = psi(beyond + 0.5 * pi - half - shortest);
    end = psi(beyond + 0.5 * pi + half - shortest);
  }
  Node at(double y) const {
    const double angle = 0.5 * (begin + end) + 0.5 * (end - begin) * y;
    const double c = std::cos(angle), s = stretch * std::sin(angle), square = c * c + s * s;
    const double length = std::sqrt(square);
    return {(c0 * c - s0 * s) / length, (s0 * c + c0 * s) / length,
            0.5 * (end - begin) * stretch / square};
  }

 private:
  // Monotonous, psi = phi at all multiples of pi/2.
  double psi(double phi) const {
    const double turns = std::round(phi / pi) * pi, rest = phi - turns;
    return turns + std::atan2(std::sin(rest), stretch * std::cos(rest));
  }
};

// Gauss's rule of 24 points on [-1, 1]: the positive half of the nodes, with weights.
constexpr int kHalfPoints = 12;
constexpr double kNodes[kHalfPoints][2] = {
    {0.0640568928626056, 0.1279381953467522}, {0.1911188674736163, 0.1258374563468283},
    {0.3150426796961634, 0.1216704729278034}, {0.4337935076260451, 0.1155056680537256},
    {0.5454214713888396, 0.1074442701159656}, {0.6480936519369755, 0.0976186521041139},
    {0.7401241915785544, 0.0861901615319533}, {0.8200019859739029, 0.0733464814110803},
    {0.8864155270044011, 0.0592985849154368}, {0.9382745520027328, 0.0442774388174198},
    {0.9747285559713095, 0.0285313886289337}, {0.9951872199970213, 0.0123412297999872}};

template <class T>
Side<T> side_at(const PlanePatch<T>& p, const Mixture<T>& mixture, const T& e1, const T& e2,
                const T& x) {
  using std::sqrt;
  constexpr Profile kProfiles[] = {Profile::kUniform, Profile::kHertz, Profile::kParabolic};
  const T g1 = e2, g2 = -e1;  // e x n
  Side<T> sum{T(0), T(0)};
  const T square = p.along(g1, g2);
  if (!(square > T(0))) return {T(1), T(0)};
  const T sigma = sqrt(square), scaled = x / sigma;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(mixture.share[k] > T(0))) continue;
    const Side<T> side = side_of(kProfiles[k], scaled);
    sum.balance += mixture.share[k] * side.balance;
    sum.moment += mixture.share[k] * sigma * side.moment;
  }
  if (!(mixture.rectangle > T(0))) return sum;
  const T alpha = p.half1 * magnitude(T(g1 * p.side1 + g2 * p.side2));
  const T beta = p.half2 * magnitude(T(g2 * p.side1 - g1 * p.side2));
  const Side<T> side = side_of_rectangle(alpha, beta, x);
  sum.balance += mixture.rectangle * side.balance;
  sum.moment += mixture.rectangle * side.moment;
  return sum;
}

// Spin so slow that the next terms are below 1e-5 of these: the patch turns about a point 100 times
// as far away as it is wide.
template <class T>
PatchLimit<T> almost_sliding(const PlanePatch<T>& p, const Vec3T<T>& v, const T& w) {
  const T along = p.along(p.v1, p.v2) / p.speed_squared;  // sigma^2 along v
  const T rate = w / spatial::root_of(p.speed_squared);
  const Vec3T<T> direction = v / spatial::root_of(p.speed_squared);
  // <u/|u|> to second order: 1 - <x^2> w^2/(2 v^2) along v, <x y> w^2/v^2 across.
  const T cross = (p.v1 * (-p.v2 * p.c11 + p.v1 * p.c12) + p.v2 * (-p.v2 * p.c12 + p.v1 * p.c22)) /
                  p.speed_squared;
  const Vec3T<T> across = (p.v1 * p.t2 - p.v2 * p.t1) / spatial::root_of(p.speed_squared);
  const T square = rate * rate;
  return {direction * (T(1) - T(0.5) * along * square) + across * (cross * square), along * rate,
          T(0)};
}

}  // namespace

template <class T>
PatchLimit<T> limit_surface(const PatchSpread<T>& patch, const Vec3T<T>& n, const Vec3T<T>& v,
                            const T& w) {
  const PlanePatch<T> p(patch, n, v);
  const Mixture<T> mixture(patch);
  const T lever = spin_lever_of(p, mixture);
  const T spin_squared = w * w * (p.c11 + p.c22);
  constexpr double kSlow = 1e-5;  // (w sigma/v)^2
  if (!(spin_squared > T(kSlow) * p.speed_squared)) {
    if (!(p.speed_squared > T(0))) return {Vec3T<T>::Zero(), T(0), lever};
    PatchLimit<T> limit = almost_sliding(p, v, w);
    limit.spin_lever = lever;
    return limit;
  }
  const Arc arc(p, w);
  const T rate = magnitude(w);
  T f1(0), f2(0), torque(0);
  for (const auto& [y, share] : kNodes) {
    for (const double place : {-y, y}) {
      const Arc::Node node = arc.at(place);
      const T e1(node.e1), e2(node.e2), weight(share * node.weight);
      const T x = (p.v1 * e1 + p.v2 * e2) / rate;
      const Side<T> side = side_at(p, mixture, e1, e2, magnitude(x));
      const T balance = weight * (x < T(0) ? T(-side.balance) : side.balance);
      f1 += e1 * balance;
      f2 += e2 * balance;
      torque += weight * side.moment;
    }
  }
  // Beyond the patch the balance is 1.
  double c = std::cos(arc.beyond), s = std::sin(arc.beyond);
  if (c * value_of(p.v1) + s * value_of(p.v2) < 0.0) c = -c, s = -s;
  const double closed = std::cos(arc.half);
  f1 = T(0.5) * f1 + T(closed * c);
  f2 = T(0.5) * f2 + T(closed * s);
  return {f1 * p.t1 + f2 * p.t2, w < T(0) ? T(-torque) : torque, lever};
}

template PatchLimit<double> limit_surface(const PatchSpread<double>&, const spatial::Vec3&,
                                          const spatial::Vec3&, const double&);
template PatchLimit<Dual> limit_surface(const PatchSpread<Dual>&, const Vec3T<Dual>&,
                                        const Vec3T<Dual>&, const Dual&);

}  // namespace grapple::contact
