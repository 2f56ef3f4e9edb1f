#include "grapple/geometry/touch/touch_sites.h"

#include <cmath>
#include <limits>
#include <utility>

#include "grapple/geometry/touch/internal/ball_on_surface.h"
#include "grapple/geometry/touch/internal/convex_touch.h"
#include "grapple/spatial/root.h"

namespace grapple::geometry {

namespace {

using spatial::Vec3;
using spatial::Vec3T;

// A ball fixed to A: the sphere itself, a rounded corner, the end of a capsule.
struct Ball {
  Vec3 center_S = Vec3::Zero();
  double radius = 0.0;

  template <class T>
  Vec3T<T> center_W(const Placement<T>& a) const {
    return a.p_WS + a.R_WS * center_S.cast<T>();
  }
  double curvature() const {
    return radius > 0.0 ? 1.0 / radius : std::numeric_limits<double>::infinity();
  }
};

// The force acts at the ball's deepest point, so that a rolling ball has its full radius as lever.
class BallOnHalfSpace final : public TouchQueryOf<BallOnHalfSpace> {
 public:
  BallOnHalfSpace(const Ball& ball, double size) : ball_(ball), size_(size) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> n = b.R_WS.col(2), center = ball_.center_W(a), up = center - b.p_WS;
    return {n.dot(up) - T(ball_.radius), n, center - T(ball_.radius) * n};
  }
  GapCurvature curvature() const override { return {ball_.curvature(), ball_.curvature()}; }
  double size() const override { return size_; }

 private:
  Ball ball_;
  double size_;
};

// The force acts in the middle of the overlap. Coinciding centres have no direction: any will part
// them.
class BallOnBall final : public TouchQueryOf<BallOnBall> {
 public:
  BallOnBall(const Ball& a, const Ball& b) : a_(a), b_(b) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> from = b_.center_W(b), d = a_.center_W(a) - from;
    const T distance = spatial::length_of<T>(d), reach(a_.radius + b_.radius);
    const Vec3T<T> n = distance > T(0) ? Vec3T<T>(d / distance) : Vec3T<T>(b.R_WS.col(2));
    const T gap = distance - reach;
    return {gap, n, from + (T(b_.radius) + T(0.5) * gap) * n};
  }
  GapCurvature curvature() const override {
    const double sum = a_.curvature() + b_.curvature();
    return {sum, sum};
  }
  double size() const override { return std::min(a_.radius, b_.radius); }

 private:
  Ball a_, b_;
};

// A ball against the segment of a capsule. The nearest point of the segment moves along it; since
// the normal is perpendicular to that motion, d gap / dt has no term from it.
class BallOnCapsule final : public TouchQueryOf<BallOnCapsule> {
 public:
  BallOnCapsule(const Ball& ball, const Capsule& capsule) : ball_(ball), capsule_(capsule) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> axis = b.R_WS.col(2), center = ball_.center_W(a);
    T along = axis.dot(center - b.p_WS);
    const T end(capsule_.half_length);
    if (along > end) along = end;
    if (along < -end) along = -end;
    const Vec3T<T> from = b.p_WS + along * axis;
    Vec3T<T> d = center - from;
    // Across the axis but for rounding, which is all there is where the centre lies on it.
    const T inward = along < T(0) ? axis.dot(d) : T(-axis.dot(d));
    const bool beyond_end = !(along < end && along > -end);
    if (!beyond_end || inward > T(0)) d -= axis.dot(d) * axis;
    const T distance = spatial::length_of<T>(d);
    const T rounding(1e-15 * (ball_.radius + capsule_.radius + capsule_.half_length));
    const Vec3T<T> n = distance > rounding ? Vec3T<T>(d / distance) : Vec3T<T>(b.R_WS.col(0));
    const T gap = distance - T(ball_.radius + capsule_.radius);
    return {gap, n, from + (T(capsule_.radius) + T(0.5) * gap) * n};
  }
  GapCurvature curvature() const override {
    return {ball_.curvature() + 1.0 / capsule_.radius, ball_.curvature()};
  }
  double size() const override { return std::min(ball_.radius, capsule_.radius); }

 private:
  Ball ball_;
  Capsule capsule_;
};

// A ball against a box. Outside, the nearest point of the box (inset by its rounding) decides:
// face, edge or corner; a centre that has sunk into the box is pushed out through the nearest face.
// The curvature is that of a face.
class BallOnBox final : public TouchQueryOf<BallOnBox> {
 public:
  BallOnBox(const Ball& ball, const Box& box)
      : ball_(ball),
        inset_(box.half_edges - Vec3::Constant(box.corner_radius)),
        reach_(ball.radius + box.corner_radius),
        size_(std::min(ball.radius, box.half_edges.minCoeff())) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> center_W = ball_.center_W(a);
    const Vec3T<T> c = b.R_WS.transpose() * Vec3T<T>(center_W - b.p_WS);
    Vec3T<T> out = Vec3T<T>::Zero();
    for (int k = 0; k < 3; ++k) {
      const T edge(inset_[k]);
      if (c[k] > edge) out[k] = c[k] - edge;
      if (c[k] < -edge) out[k] = c[k] + edge;
    }
    T distance = spatial::length_of<T>(out);
    Vec3T<T> n_B = Vec3T<T>::Zero();
    if (distance > T(0)) {
      n_B = out / distance;
    } else {
      const int face = nearest_face(c);
      n_B[face] = c[face] < T(0) ? T(-1) : T(1);
      distance = n_B[face] * c[face] - T(inset_[face]);
    }
    const Vec3T<T> n = b.R_WS * n_B;
    return {distance - T(reach_), n, center_W - T(ball_.radius) * n};
  }
  GapCurvature curvature() const override { return {ball_.curvature(), ball_.curvature()}; }
  double size() const override { return size_; }

 private:
  template <class T>
  int nearest_face(const Vec3T<T>& c) const {
    const auto room = [&](int k) { return inset_[k] - std::abs(spatial::value_of(c[k])); };
    int face = 0;
    for (int k = 1; k < 3; ++k) {
      if (room(k) < room(face)) face = k;
    }
    return face;
  }

  Ball ball_;
  Vec3 inset_;
  double reach_, size_;
};

// Inside or outside a round surface along z of B (Gonthier A.2.3). On the axis of a bore the
// direction is undefined; the gap is then at its largest and no force asks for it.
enum class Side { kInside, kOutside };

class BallOnRound final : public TouchQueryOf<BallOnRound> {
 public:
  BallOnRound(const Ball& ball, double radius, Side side)
      : ball_(ball), radius_(radius), side_(side) {}

  template <class T>
  Witness<T> find(const Placement<T>& a, const Placement<T>& b) const {
    const Vec3T<T> axis = b.R_WS.col(2), center = ball_.center_W(a), d = center - b.p_WS;
    const Vec3T<T> across = d - axis.dot(d) * axis;
    const T distance = spatial::length_of<T>(across);
    const Vec3T<T> out = distance > T(0) ? Vec3T<T>(across / distance) : Vec3T<T>(b.R_WS.col(0));
    const Vec3T<T> n = side_ == Side::kOutside ? out : Vec3T<T>(-out);
    const T gap = side_ == Side::kOutside ? distance - T(radius_ + ball_.radius)
                                          : T(radius_ - ball_.radius) - distance;
    return {gap, n, center - T(ball_.radius) * n};
  }
  GapCurvature curvature() const override {
    const double own = ball_.curvature(), round = 1.0 / radius_;
    return side_ == Side::kOutside ? GapCurvature{own + round, own}
                                   : GapCurvature{own, own - round};
  }
  double size() const override { return ball_.radius; }

 private:
  Ball ball_;
  double radius_;
  Side side_;
};

// The balls that stand for a shape, if balls do.
std::vector<Ball> balls_of(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return {{Vec3::Zero(), sphere->radius}};
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Vec3 end(0.0, 0.0, capsule->half_length);
    return {{end, capsule->radius}, {-end, capsule->radius}};
  }
  const auto* box = std::get_if<Box>(&shape);
  if (box == nullptr) return {};
  std::vector<Ball> corners;
  const Vec3 inset = box->half_edges - Vec3::Constant(box->corner_radius);
  for (int k = 0; k < 8; ++k) {
    const Vec3 sign(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
    corners.push_back({sign.cwiseProduct(inset), box->corner_radius});
  }
  return corners;
}

double size_of(const Shape& shape, const Ball& ball) {
  const auto* box = std::get_if<Box>(&shape);
  return box != nullptr ? box->half_edges.minCoeff() : ball.radius;
}

using Queries = std::vector<std::shared_ptr<const TouchQuery>>;

Queries balls_against(const Shape& a, const Shape& b) {
  Queries queries;
  for (const Ball& ball : balls_of(a)) {
    if (std::holds_alternative<HalfSpace>(b)) {
      queries.push_back(std::make_shared<BallOnHalfSpace>(ball, size_of(a, ball)));
    } else if (const auto* bar = std::get_if<Bar>(&b)) {
      queries.push_back(std::make_shared<BallOnRound>(ball, bar->radius, Side::kOutside));
    } else if (const auto* bore = std::get_if<Bore>(&b)) {
      queries.push_back(std::make_shared<BallOnRound>(ball, bore->radius, Side::kInside));
    }
  }
  return queries;
}

// Pairs with a sphere as A.
Queries sphere_against(const Sphere& a, const Shape& b) {
  const Ball ball{Vec3::Zero(), a.radius};
  if (const auto* sphere = std::get_if<Sphere>(&b)) {
    return {std::make_shared<BallOnBall>(ball, Ball{Vec3::Zero(), sphere->radius})};
  }
  if (const auto* capsule = std::get_if<Capsule>(&b)) {
    return {std::make_shared<BallOnCapsule>(ball, *capsule)};
  }
  if (const auto* box = std::get_if<Box>(&b)) return {std::make_shared<BallOnBox>(ball, *box)};
  return {};
}

// A straight bar or a sharp-cornered box lies flat against a bar or bore only at its ends: such
// pairs would miss the contact between the ends, so only spheres are offered there.
bool is_round(const Shape& shape) {
  return std::holds_alternative<Bar>(shape) || std::holds_alternative<Bore>(shape);
}

Queries one_of(std::shared_ptr<const TouchQuery> query) {
  return query != nullptr ? Queries{std::move(query)} : Queries{};
}

Queries queries_of(const Shape& a, const Shape& b) {
  if (is_round(b) && !std::holds_alternative<Sphere>(a)) return {};
  Queries queries = balls_against(a, b);
  if (!queries.empty()) return queries;
  if (std::holds_alternative<HalfSpace>(b)) return make_lowest_points(a);
  if (const auto* sphere = std::get_if<Sphere>(&a)) {
    queries = sphere_against(*sphere, b);
    if (queries.empty()) queries = one_of(make_ball_on_surface(*sphere, b));
  }
  return queries;
}

TouchSites sites_of(const Shape& a, const Shape& b) {
  TouchSites sites{PairOrder::kAsGiven, queries_of(a, b)};
  if (!sites.queries.empty()) return sites;
  sites = {PairOrder::kSwapped, queries_of(b, a)};
  if (!sites.queries.empty()) return sites;
  return {PairOrder::kAsGiven, one_of(make_convex_touch(a, b))};
}

// Every part of one against every part of the other.
TouchSites sites_of_parts(const Shape& a, const Shape& b) {
  TouchSites all;
  for (const Cell& part_a : parts_of(a)) {
    for (const Cell& part_b : parts_of(b)) {
      const TouchSites sites = sites_of(part_a.shape, part_b.shape);
      if (sites.queries.empty()) return {};
      for (const auto& query : sites.queries) {
        all.queries.push_back(make_placed_touch(query, sites.order, part_a.X_SC, part_b.X_SC));
      }
    }
  }
  return all;
}

}  // namespace

TouchSites touch_sites(const Shape& a, const Shape& b) {
  const bool cells = std::holds_alternative<Cells>(a) || std::holds_alternative<Cells>(b);
  return cells ? sites_of_parts(a, b) : sites_of(a, b);
}

std::string known_pairs() {
  return "sphere, capsule, cylinder, cone, ellipsoid, torus, box or polyhedron on half-space; "
         "sphere on edge, spike, torus or bar; sphere in bore or funnel; any two of sphere, "
         "capsule, box, cylinder, cone, ellipsoid, polyhedron and convex mesh; cells of these";
}

}  // namespace grapple::geometry
