#include "grapple/geometry/touch/internal/convex_touch.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/geometry/touch/internal/convex_core.h"
#include "grapple/geometry/touch/internal/ellipsoid_gap.h"
#include "grapple/geometry/touch/internal/expanding_polytope.h"
#include "grapple/spatial/root.h"

namespace grapple::geometry {

namespace {

using spatial::Mat3;
using spatial::Mat3T;
using spatial::value_of;
using spatial::Vec3;
using spatial::Vec3T;

// The two features that meet, in their own frames, with the normal in that of B.
struct Features {
  Vec3 normal;
  std::array<Vec3, 4> a, b;       // corners, or points of a round core
  std::array<double, 4> share{};  // their weights
  std::size_t count = 0;
  double distance = 0.0;       // of the nearest points, if those are what was found
  bool only_normal = false;    // the points are farthest ones, not nearest
  std::array<Vec3, 8> others;  // normals that may be better
  std::size_t other_count = 0;
};

class ConvexTouch final : public TouchQueryOf<ConvexTouch> {
 public:
  ConvexTouch(ConvexCore a, ConvexCore b, std::unique_ptr<const GapShape> shape)
      : a_(std::move(a)), b_(std::move(b)), shape_(std::move(shape)) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Seen<T> seen = seen_from(b, a);
    const auto value = [](const T& x) { return value_of(x); };
    const Seen<double> still{seen.R.unaryExpr(value), seen.p.unaryExpr(value)};
    const Features features = search(still);
    const Contact<T> c = features.only_normal ? along_normal(seen, still, features)
                         : both_cornered()    ? by_corners(seen, still, features)
                                              : by_normal(seen, still, features);
    const T gap = c.gap - T(a_.rounding + b_.rounding);
    const Vec3T<T> on_A = c.on_A - (T(a_.rounding) + T(0.5) * gap) * c.normal;
    return {gap, b.R_WS * c.normal, b.p_WS + b.R_WS * on_A};
  }
  // The curvier direction of one body across that of the other.
  GapCurvature curvature() const override {
    const double one = a_.curvature.larger + b_.curvature.smaller;
    const double two = a_.curvature.smaller + b_.curvature.larger;
    return {std::max(one, two), std::min(one, two)};
  }
  const GapShape* shape() const override { return shape_.get(); }
  double size() const override { return std::min(a_.size, b_.size); }

 private:
  // Of the cores, in B's frame; on_A - gap normal is the point on B's core.
  template <class T>
  struct Contact {
    T gap;
    Vec3T<T> normal, on_A;
  };

  struct Pair {
    const ConvexCore &a, &b;
    const Seen<double>& seen;
    Vec3 far_a(const Vec3& d) const { return seen.p + seen.R * a.farthest(seen.R.transpose() * d); }
    Vec3 far_b(const Vec3& d) const { return b.farthest(d); }
  };

  Features search(const Seen<double>& seen) const {
    const Pair pair{a_, b_, seen};
    const double size = std::max({a_.reach, b_.reach, a_.rounding + b_.rounding});
    const Vec3 between = seen.p + seen.R * a_.center - b_.center;
    const ConvexClosest near =
        closest_points([&](const Vec3& d) { return pair.far_a(d); },
                       [&](const Vec3& d) { return pair.far_b(d); }, between, size);
    const double enough = 1e-12 * size;
    if (near.apart && near.distance - near.at_least < enough) return features_of(near, seen);
    const DeepestFace face = deepest_face(
        [&pair](const Vec3& d) {
          SimplexCorner corner{pair.far_a(d), pair.far_b(-d), {}};
          corner.w = corner.a - corner.b;
          return corner;
        },
        near, size);
    // Bodies apart by less than rounding tells may yet meet at a face.
    if (near.apart && (!face.found || near.at_least > -face.depth)) {
      return features_of(near, seen);
    }
    if (face.found && face.converged) {
      return features_of(face, seen);
    }
    return way_out(face, pair, seen);
  }

  // Where the polytope gave a direction but no face of A - B: that direction, or the face of a body
  // along whose normal they part sooner.
  Features way_out(const DeepestFace& face, const Pair& pair, const Seen<double>& seen) const {
    Vec3 best = face.normal;
    double most = face.found ? -face.depth : -std::numeric_limits<double>::infinity();
    const auto consider = [&](const Vec3& n) {
      const double gap = n.dot(pair.far_a(-n) - pair.far_b(n));
      if (!(gap > most)) return;
      most = gap;
      best = n;
    };
    for (const Vec3& flat : a_.flats) consider(-(seen.R * flat));
    for (const Vec3& flat : b_.flats) consider(flat);
    if (!std::isfinite(most)) consider(Vec3::UnitZ());
    Features f = along(best, pair, seen);
    f.others = face.others;
    f.other_count = face.other_count;
    return f;
  }

  // The farthest points along a normal that is all there is to go by.
  Features along(const Vec3& n, const Pair& pair, const Seen<double>& seen) const {
    Features f;
    f.normal = n;
    f.share = {1.0, 0.0, 0.0, 0.0};
    const std::size_t of_a = pair.a.farthest_corners(-(seen.R.transpose() * n), f.a);
    const std::size_t of_b = pair.b.farthest_corners(n, f.b);
    f.count = std::max(of_a, of_b);
    for (std::size_t k = of_a; k < f.count; ++k) f.a[k] = f.a[0];
    for (std::size_t k = of_b; k < f.count; ++k) f.b[k] = f.b[0];
    f.only_normal = both_cornered();
    return f;
  }

  bool both_cornered() const {
    return a_.kind == ConvexCore::Kind::kCorners && b_.kind == ConvexCore::Kind::kCorners;
  }

  template <class Found>
  static Features features_of(const Found& found, const Seen<double>& seen) {
    Features f;
    f.normal = found.normal;
    f.share = found.share;
    f.count = found.count;
    if constexpr (std::is_same_v<Found, ConvexClosest>) f.distance = found.distance;
    for (std::size_t k = 0; k < f.count; ++k) {
      f.a[k] = seen.R.transpose() * (found.corners[k].a - seen.p);
      f.b[k] = found.corners[k].b;
    }
    return f;
  }

  template <class T>
  Contact<T> along_normal(const Seen<T>& seen, const Seen<double>& still, const Features& f) const {
    const Vec3T<T> n = f.normal.template cast<T>();
    const Vec3T<T> on_A = seen.p + seen.R * f.a[0].template cast<T>();
    const T gap = n.dot(Vec3T<T>(on_A - f.b[0].template cast<T>()));
    return {gap, n, common_point(seen, still, n, gap, on_A)};
  }

  // Corner, edge or face against the same: the nearest point of the flat they span.
  template <class T>
  Contact<T> by_corners(const Seen<T>& seen, const Seen<double>& still, const Features& f) const {
    using std::sqrt;
    std::array<Vec3T<T>, 3> at_A, w;
    for (std::size_t k = 0; k < f.count; ++k) {
      at_A[k] = seen.p + seen.R * f.a[k].template cast<T>();
      w[k] = at_A[k] - f.b[k].template cast<T>();
    }
    Vec3T<T> n0 = f.normal.template cast<T>();
    if (f.count == 3) {
      const Vec3T<T> one = w[1] - w[0], two = w[2] - w[0];
      const T aa = one.dot(one), ab = one.dot(two), bb = two.dot(two);
      const T ra = -one.dot(w[0]), rb = -two.dot(w[0]), scale = aa * bb - ab * ab;
      const T s = (ra * bb - rb * ab) / scale, t = (rb * aa - ra * ab) / scale;
      const Vec3T<T> on_A = at_A[0] + s * (at_A[1] - at_A[0]) + t * (at_A[2] - at_A[0]);
      const Vec3T<T> v = w[0] + s * one + t * two;
      const T distance = spatial::length_of<T>(v);
      // Corners nearly in a line do not tell the normal; the way between bodies well apart does, or
      // that of the search, which is proved.
      if (scale < T(1e-6) * aa * bb) {
        const double reach = a_.reach + b_.reach, error = std::abs(value_of(distance) - f.distance);
        if (f.distance > 1e-6 * reach && error < 1e-12 * reach) {
          return {distance, v / distance, on_A};
        }
        const T gap = n0.dot(w[0]);
        return {gap, n0, common_point(seen, still, n0, gap, at_A[0])};
      }
      Vec3T<T> n = one.cross(two);
      n /= sqrt(n.squaredNorm());
      if (n.dot(n0) < T(0)) n = -n;
      const T gap = n.dot(w[0]);
      // The face may be one of several in a plane, and the bodies meet in another.
      const bool within = *std::min_element(f.share.begin(), f.share.begin() + 3) > -1e-9;
      return {gap, n, within ? on_A : common_point(seen, still, n, gap, at_A[0])};
    }
    Vec3T<T> v = w[0], on_A = at_A[0];
    if (f.count == 2) {
      const Vec3T<T> along = w[1] - w[0];
      const T square = along.squaredNorm(), s = -along.dot(w[0]) / square;
      v += s * along;
      on_A += s * (at_A[1] - at_A[0]);
      n0 -= along.dot(n0) / square * along;
      n0 /= sqrt(n0.squaredNorm());
    }
    const T distance = spatial::length_of<T>(v);
    // Lines or points that meet have no direction between them: the one across both.
    if (!(distance > T(1e-13 * (a_.reach + b_.reach)))) return {n0.dot(v), n0, on_A};
    return {distance, v / distance, on_A};
  }

  // Of what is farthest along the normal in both bodies, a point of A seen behind one of B.
  template <class T>
  Vec3T<T> common_point(const Seen<T>& seen, const Seen<double>& still, const Vec3T<T>& n,
                        const T& gap, const Vec3T<T>& on_A) const {
    const Vec3 normal = n.unaryExpr([](const T& x) { return value_of(x); });
    const Vec3 out_A = -(still.R.transpose() * normal), to_B = -value_of(gap) * normal;
    const auto of_a = [&](const Vec3& d) -> Vec3 {
      return still.p + to_B + still.R * a_.farthest_of_farthest(out_A, still.R.transpose() * d);
    };
    const auto of_b = [&](const Vec3& d) { return b_.farthest_of_farthest(normal, d); };
    const Vec3 any = normal.unitOrthogonal();
    const ConvexClosest near =
        closest_points(of_a, of_b, of_a(any) - of_b(any), a_.reach + b_.reach);
    Vec3 mean = Vec3::Zero();
    for (std::size_t k = 0; k < near.count; ++k) mean += near.share[k] * near.corners[k].a;
    const Vec3 fixed = still.R.transpose() * (mean - to_B - still.p);
    const Vec3T<T> at = seen.p + seen.R * fixed.cast<T>();
    return at - n.dot(Vec3T<T>(at - on_A)) * n;
  }

  // A direction in a feature, and how far the normal leans over it: of a cone's side, its axis.
  template <class T>
  struct Flat {
    Vec3T<T> along;
    double tilt = 0.0;
  };

  // A feature of each body, as one guess of what meets.
  struct Choice {
    CoreFeature a, b;
  };

  template <class T>
  Vec3T<T> point_of_A(const Seen<T>& seen, const Choice& c, const Vec3T<T>& n) const {
    return seen.p + seen.R * a_.farthest_of<T>(c.a, Vec3T<T>(-(seen.R.transpose() * n)));
  }
  template <class T>
  Vec3T<T> point_of_B(const Choice& c, const Vec3T<T>& n) const {
    return b_.farthest_of<T>(c.b, n);
  }

  // What a search from one normal ends at.
  struct Settled {
    Choice choice;
    Vec3 normal;
    double gap = -std::numeric_limits<double>::infinity();
  };

  template <class T>
  Contact<T> by_normal(const Seen<T>& seen, const Seen<double>& still, const Features& f) const {
    const Pair pair{a_, b_, still};
    const double slack = 1e-11 * (a_.reach + b_.reach);
    const auto along_gap = [&](const Vec3& n) { return n.dot(pair.far_a(-n) - pair.far_b(n)); };
    Settled best = settled_from(f, pair, still, slack);
    for (std::size_t k = 0; k < f.other_count; ++k) {
      const Features other = along(f.others[k], pair, still);
      const Settled end = settled_from(other, pair, still, slack);
      if (!(end.gap > best.gap + slack)) continue;
      best = end;
    }
    if (best.gap < along_gap(f.normal) - slack) {
      return along_normal(seen, still, along(f.normal, pair, still));
    }
    return at_features(seen, still, best.choice, best.normal);
  }

  // Where a body is round: of all guesses the one with the largest gap, which is the true one.
  Settled settled_from(const Features& f, const Pair& pair, const Seen<double>& still,
                       double slack) const {
    const ConvexCore::Features in_a = a_.features_at(f.a, f.count);
    const ConvexCore::Features in_b = b_.features_at(f.b, f.count);
    Settled best;
    const auto gap_along = [&](const Vec3& n) { return n.dot(pair.far_a(-n) - pair.far_b(n)); };
    // In a deep overlap Newton steps may go astray, or stop where the gap is not concave; steps
    // that only climb may leave the part of the body the feature stands for. So all of them.
    const bool deep = gap_along(f.normal) < -0.01 * size();
    const auto consider = [&](const Choice& choice, const Vec3& n) {
      const double gap = gap_along(n);
      const double of_features =
          n.dot(point_of_A(still, choice, n) - point_of_B<double>(choice, n));
      if (std::abs(gap - of_features) > slack || !(gap > best.gap + slack)) return;
      if (lies_across(choice, still, n)) best = {choice, n, gap};
    };
    for (std::size_t i = 0; i < in_a.count; ++i) {
      for (std::size_t j = 0; j < in_b.count; ++j) {
        const Choice choice{in_a.at[i], in_b.at[j]};
        const Vec3 end = settled(still, choice, f.normal);
        consider(choice, end);
        if (!deep) continue;
        consider(choice, climbed(still, choice, f.normal));
      }
    }
    return best;
  }

  // Whether n stands on the flat directions of both features as it must.
  static bool lies_across(const Choice& choice, const Seen<double>& still, const Vec3& n) {
    bool across = true;
    for (int k = 0; k < choice.a.flat_count; ++k) {
      const double up = n.dot(still.R * choice.a.flats[static_cast<std::size_t>(k)]);
      across &= std::abs(up + choice.a.tilt) < 1e-9;
    }
    for (int k = 0; k < choice.b.flat_count; ++k) {
      const double up = n.dot(choice.b.flats[static_cast<std::size_t>(k)]);
      across &= std::abs(up - choice.b.tilt) < 1e-9;
    }
    return across;
  }

  // Newton steps, as far as the gap of the features is concave.
  Vec3 settled(const Seen<double>& still, const Choice& choice, Vec3 n) const {
    for (int step = 0; step < 20; ++step) {
      const Vec3 next = improved<double>(still, still, choice, n);
      const double change = (next - n).norm();
      n = next;
      if (change < 1e-15) break;
    }
    return n;
  }

  // Newton steps that never lead down by more than rounding.
  Vec3 climbed(const Seen<double>& still, const Choice& choice, Vec3 n) const {
    const auto gap_along = [&](const Vec3& d) {
      return d.dot(point_of_A(still, choice, d) - point_of_B<double>(choice, d));
    };
    const auto step_from = [&](const Vec3& d) {
      return improved<double>(still, still, choice, d, Slope::kUphill);
    };
    n = step_from(n);  // onto the directions the features allow
    const double rounding = 1e-15 * (a_.reach + b_.reach);
    for (int step = 0; step < 40; ++step) {
      const double least = gap_along(n) - rounding;
      Vec3 next = step_from(n);
      for (int halving = 0; halving < 10 && gap_along(next) < least; ++halving) {
        next = (n + next).normalized();
      }
      const double change = (next - n).norm();
      n = next;
      if (change < 1e-15) break;
    }
    return n;
  }

  template <class T>
  Contact<T> at_features(const Seen<T>& seen, const Seen<double>& still, const Choice& choice,
                         const Vec3& n) const {
    // The step gives n its derivatives. Where it moves n, in a deep overlap along whose ridge the
    // gap hardly changes, the next normal may be worse: n stays, and the gap's slope is right yet.
    Vec3T<T> normal = improved<T>(seen, still, choice, n);
    const Vec3 moved = normal.unaryExpr([](const T& x) { return value_of(x); }) - n;
    if (!(moved.norm() < 1e-9)) normal = n.cast<T>();
    const Vec3T<T> on_A = point_of_A(seen, choice, normal), on_B = point_of_B<T>(choice, normal);
    const T gap = normal.dot(Vec3T<T>(on_A - on_B));
    using Farthest = ConvexCore::Farthest;
    const Farthest of_a = a_.farthest_kind(-(still.R.transpose() * n)), of_b = b_.farthest_kind(n);
    if (of_a == Farthest::kPoint && choice.a.flat_count == 0) return {gap, normal, on_A};
    if (of_b == Farthest::kPoint && choice.b.flat_count == 0) {
      return {gap, normal, on_B + gap * normal};
    }
    if (choice.a.flat_count == 1 && choice.b.flat_count == 1 && of_a != Farthest::kFace &&
        of_b != Farthest::kFace) {
      const Vec3T<T> along_A =
          seen.R * ConvexCore::line_of<T>(choice.a, Vec3T<T>(seen.R.transpose() * -normal));
      const Vec3T<T> across_B = normal.cross(ConvexCore::line_of<T>(choice.b, normal));
      const T slope = across_B.dot(along_A);
      // Newton steps leave the normal of parallel lines uncertain by the root of rounding.
      if (slope * slope > T(1e-10)) {
        return {gap, normal, on_A + across_B.dot(Vec3T<T>(on_B - on_A)) / slope * along_A};
      }
    }
    return {gap, normal, common_point(seen, still, normal, gap, on_A)};
  }

  // What a Newton step does where the gap is not concave: nothing, or it goes up.
  enum class Slope { kConcave, kUphill };

  // One Newton step on n for  (a - b) across n = 0; bends of both bodies make the matrix.
  template <class T>
  Vec3T<T> improved(const Seen<T>& seen, const Seen<double>& still, const Choice& choice,
                    const Vec3& n, Slope slope = Slope::kConcave) const {
    using std::sqrt;
    std::array<Flat<T>, 2> flats;
    std::size_t flat_count = 0;
    for (int k = 0; k < choice.b.flat_count; ++k) {
      const Vec3& flat = choice.b.flats[static_cast<std::size_t>(k)];
      add_flat<T>({flat.template cast<T>(), choice.b.tilt}, flats, flat_count);
    }
    for (int k = 0; k < choice.a.flat_count; ++k) {
      const Vec3& flat = choice.a.flats[static_cast<std::size_t>(k)];
      add_flat<T>({seen.R * flat.template cast<T>(), -choice.a.tilt}, flats, flat_count);
    }
    if (flat_count >= 2) return standing_on(flats, n);
    const Mat3 bend =
        still.R * a_.bend_of(choice.a, -(still.R.transpose() * n)) * still.R.transpose() +
        b_.bend_of(choice.b, n);
    return flat_count == 1
               ? along_circle(seen, choice, Vec3T<T>(n.cast<T>()), flats[0], bend, slope)
               : on_sphere(seen, choice, Vec3T<T>(n.cast<T>()), bend, slope);
  }

  // The second one only if it points elsewhere.
  template <class T>
  static void add_flat(const Flat<T>& flat, std::array<Flat<T>, 2>& flats, std::size_t& count) {
    if (count >= 2) return;
    if (count == 1 && flats[0].along.cross(flat.along).squaredNorm() < T(1e-16)) return;
    flats[count++] = flat;
  }

  // Of the two directions that stand on both as they must, the one nearer to n.
  template <class T>
  static Vec3T<T> standing_on(const std::array<Flat<T>, 2>& flats, const Vec3& n) {
    using std::sqrt;
    const Vec3T<T> across = flats[0].along.cross(flats[1].along);
    const T square = across.squaredNorm();
    const Vec3T<T> foot = (T(flats[0].tilt) * flats[1].along.cross(across) +
                           T(flats[1].tilt) * across.cross(flats[0].along)) /
                          square;
    const T rest = T(1) - foot.squaredNorm();
    if (!(rest > T(0))) return n.cast<T>();  // there is none: not what meets
    const T up =
        sqrt(rest / square) * T(value_of(across.dot(Vec3T<T>(n.cast<T>()))) < 0.0 ? -1 : 1);
    return foot + up * across;
  }

  // On the circle of directions that stand on a flat as they must.
  template <class T>
  Vec3T<T> along_circle(const Seen<T>& seen, const Choice& c, const Vec3T<T>& n0,
                        const Flat<T>& flat, const Mat3& bend, Slope kind) const {
    using std::sqrt;
    const double across = std::sqrt(1.0 - flat.tilt * flat.tilt);
    Vec3T<T> out = n0 - flat.along.dot(n0) * flat.along;
    out /= sqrt(out.squaredNorm());
    const auto normal = [&](const Vec3T<T>& o) -> Vec3T<T> {
      return T(flat.tilt) * flat.along + T(across) * o;
    };
    const Vec3T<T> n = normal(out), u = flat.along.cross(out);
    const Vec3T<T> w = point_of_A(seen, c, n) - point_of_B<T>(c, n);
    const Vec3 side = u.unaryExpr([](const T& x) { return value_of(x); });
    double slope = across * side.dot(bend * side) + value_of(out.dot(w));
    if (kind == Slope::kUphill) slope = uphill(slope);
    if (!(slope > 0.0)) return n;
    return normal(turned<T>(out, Vec3T<T>(u.dot(w) / T(slope) * u)));
  }

  template <class T>
  Vec3T<T> on_sphere(const Seen<T>& seen, const Choice& c, const Vec3T<T>& n, const Mat3& bend,
                     Slope kind) const {
    const Vec3T<T> w = point_of_A(seen, c, n) - point_of_B<T>(c, n);
    const Vec3 axis = n.unaryExpr([](const T& x) { return value_of(x); });
    const Vec3 u = axis.unitOrthogonal(), v = axis.cross(u);
    Eigen::Matrix2d slope;
    slope << u.dot(bend * u), u.dot(bend * v), v.dot(bend * u), v.dot(bend * v);
    slope += value_of(n.dot(w)) * Eigen::Matrix2d::Identity();
    if (kind == Slope::kUphill) slope = uphill(slope);
    if (!(slope.determinant() > 0.0) || !(slope.trace() > 0.0)) return n;
    const Eigen::Matrix2d inverse = slope.inverse();
    const T fu = u.template cast<T>().dot(w), fv = v.template cast<T>().dot(w);
    const T su = T(inverse(0, 0)) * fu + T(inverse(0, 1)) * fv;
    const T sv = T(inverse(1, 0)) * fu + T(inverse(1, 1)) * fv;
    return turned<T>(n, Vec3T<T>(su * u.template cast<T>() + sv * v.template cast<T>()));
  }

  // Where the gap is not concave, a Newton step leads to where it is least in a direction: with the
  // sign of such a slope changed, and none of it zero, the step leads up.
  double uphill(double slope) const {
    return std::max(std::abs(slope), 1e-9 * (a_.reach + b_.reach));
  }
  Eigen::Matrix2d uphill(const Eigen::Matrix2d& slope) const {
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> modes;
    modes.computeDirect(slope);
    const Eigen::Vector2d raised(uphill(modes.eigenvalues()[0]), uphill(modes.eigenvalues()[1]));
    return modes.eigenvectors() * raised.asDiagonal() * modes.eigenvectors().transpose();
  }

  // n moved by a step across it, not more than a fifth of a radian at once.
  template <class T>
  static Vec3T<T> turned(const Vec3T<T>& n, Vec3T<T> step) {
    using std::sqrt;
    const T square = step.squaredNorm();
    if (square > T(0.04)) step *= T(0.2) / sqrt(square);
    const Vec3T<T> moved = n + step;
    return moved / sqrt(moved.squaredNorm());
  }

  ConvexCore a_, b_;
  std::unique_ptr<const GapShape> shape_;
};

// Of a body that is round all over; none for others.
std::optional<Vec3> half_axes_of(const Shape& shape) {
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) return ellipsoid->half_axes;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return Vec3::Constant(sphere->radius);
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const TouchQuery> make_convex_touch(const Shape& a, const Shape& b) {
  auto core_a = convex_core(a), core_b = convex_core(b);
  if (!core_a || !core_b) return nullptr;
  const std::optional<Vec3> axes_a = half_axes_of(a), axes_b = half_axes_of(b);
  std::unique_ptr<const GapShape> shape;
  if (axes_a && axes_b) shape = std::make_unique<EllipsoidsGap>(*axes_a, *axes_b);
  return std::make_shared<ConvexTouch>(std::move(*core_a), std::move(*core_b), std::move(shape));
}

}  // namespace grapple::geometry
