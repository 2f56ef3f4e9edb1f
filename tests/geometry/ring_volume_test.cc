// Volumes of any two solids: closed forms, other queries, parts, sums over points, gradients,
// paths.
#include "grapple/geometry/overlap/internal/ring_volume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "geometry/continuity.h"
#include "geometry/solid_pairs.h"
#include "grapple/geometry/overlap/internal/ball_round_volume.h"
#include "grapple/geometry/overlap/internal/ball_volume.h"
#include "grapple/geometry/overlap/internal/mesh_volume.h"
#include "grapple/geometry/overlap/internal/ring_overlap.h"
#include "grapple/geometry/overlap/internal/round_volume.h"
#include "grapple/geometry/solid/convex_hull.h"

namespace grapple::geometry {
namespace {

using spatial::Dual;
using spatial::Mat3;
using spatial::Mat3T;
using spatial::Vec3;
using spatial::Vec3T;
using std::numbers::pi;

std::shared_ptr<const VolumeQuery> ring_query(const Shape& a, const Shape& b) {
  auto query = make_ring_volume(a, b);
  EXPECT_NE(query, nullptr) << shape_name(a) << " on " << shape_name(b);
  return query;
}

Overlap<double> overlap(const Shape& a, const At& at_a, const Shape& b, const At& at_b = {}) {
  return (*ring_query(a, b))(at_a.placement(), at_b.placement());
}

// Whichever of the two orders is known; in bores the whole body, not its halves.
std::shared_ptr<const VolumeQuery> query_of(const SolidPair& pair) {
  if (std::holds_alternative<Bore>(pair.b)) return ring_query(pair.a, pair.b);
  return overlap_patches(pair.a, pair.b, NormalRule::kArea)[0];
}
Overlap<double> overlap_of(const SolidPair& pair) {
  return (*query_of(pair))(pair.at_a.placement(), pair.at_b.placement());
}

// Two queries within the bounds of both; moments follow the volume.
void expect_same(const Overlap<double>& o, const Overlap<double>& e, const std::string& where) {
  EXPECT_LE(std::abs(o.volume - e.volume), o.error + e.error + 1e-15) << where;
  if (!(e.volume > 1e-6)) return;
  // A corner that hides between rings is found if it is more than 1e-6 of the volume
  // (ring_overlap.cc). Where hulls are sunk deep little of the vector area is left for the normal.
  EXPECT_LT(o.error, 1e-5 * o.volume) << where;
  EXPECT_NEAR(o.volume, e.volume, 1e-6 * e.volume) << where;
  EXPECT_LT((o.centroid_W - e.centroid_W).norm(), 1e-7) << where;
  EXPECT_LT((o.inertia_W - e.inertia_W).norm(), 1e-6 * e.inertia_W.norm()) << where;
  EXPECT_LT((o.normal_W - e.normal_W).norm(), 1e-5) << where;
}

TEST(RingVolume, CrossedCylindersShareSteinmetzSolid) {
  const double r = 0.1;
  const auto a = RingSolid::of(Cylinder{r, 0.5}), b = RingSolid::of(Cylinder{r, 0.6});
  const auto found = ring_overlap<double>(*a, *b, spatial::rotation_about(Vec3::UnitX(), pi / 2),
                                          Vec3(Vec3::Zero()));
  EXPECT_NEAR(found.moments.volume, 16.0 / 3.0 * r * r * r, 1e-11 * r * r * r);
  // At an angle g: 16 r^3 / (3 sin g).
  for (const double g : {0.5, 1.0, 1.3}) {
    const auto skew =
        ring_overlap<double>(*a, *b, spatial::rotation_about(Vec3::UnitX(), g), Vec3(Vec3::Zero()));
    const double exact = 16.0 / 3.0 * r * r * r / std::sin(g);
    EXPECT_NEAR(skew.moments.volume, exact, 1e-10 * exact) << g;
    EXPECT_LE(std::abs(skew.moments.volume - exact), skew.error) << g;
  }
}

TEST(RingVolume, CoaxialBodiesByHand) {
  // A cylinder sunk in the end of another; with the same radius their sides coincide.
  for (const double R : {0.15, 0.1}) {
    const Overlap<double> o =
        overlap(Cylinder{0.1, 0.3}, {Mat3::Identity(), {0, 0, 0.69}}, Cylinder{R, 0.4});
    EXPECT_NEAR(o.volume, pi * 1e-4, 1e-15) << R;
    EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-12) << R;
    EXPECT_LT((o.centroid_W - Vec3(0, 0, 0.395)).norm(), 1e-12) << R;
    EXPECT_NEAR(o.gap, -0.01, 1e-14) << R;
    EXPECT_NEAR(o.inertia_W(2, 2), 0.5 * o.volume * 0.01, 1e-14) << R;
  }
  // Equal cylinders that stand on each other share nothing.
  const Overlap<double> stack =
      overlap(Cylinder{0.1, 0.3}, {Mat3::Identity(), {0, 0, 0.7}}, Cylinder{0.1, 0.4});
  EXPECT_NEAR(stack.volume, 0.0, 1e-16);
  EXPECT_NEAR(stack.gap, 0.0, 1e-14);
  // The nose of a capsule in the end of a cylinder: a cap.
  const double d = 0.02, r = 0.1;
  const Overlap<double> nose =
      overlap(Capsule{r, 0.2}, {Mat3::Identity(), {0, 0, 0.4 + 0.3 - d}}, Cylinder{0.15, 0.4});
  const double cap = pi / 3.0 * d * d * (3.0 * r - d);
  EXPECT_NEAR(nose.volume, cap, 1e-10 * cap);
  EXPECT_NEAR(nose.gap, -d, 1e-14);
}

// A cylinder on the axis of a funnel: its lower rim is sunk by a ring; by slices.
TEST(RingVolume, APegSeatedInAFunnelSharesARing) {
  const double half = 0.5, k = std::tan(half), r = 0.1, low = 0.17;
  const Overlap<double> o =
      overlap(Cylinder{r, 0.3}, {Mat3::Identity(), {0, 0, 0.3 + low}}, Funnel{half});
  const double top = r / k;  // where the hole is as wide as the peg
  const double exact =
      pi * r * r * (top - low) - pi * k * k / 3.0 * (top * top * top - low * low * low);
  EXPECT_NEAR(o.volume, exact, 1e-10 * exact);
  EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-9);
  EXPECT_LT(o.centroid_W.head<2>().norm(), 1e-12);
}

// Ellipsoids with common axes and proportions are balls, stretched.
TEST(RingVolume, OfSimilarEllipsoidsIsThatOfBallsStretched) {
  std::mt19937 engine(1);  // seed
  const Vec3 axes(0.3, 0.2, 0.12);
  const auto balls = make_ball_on_ball({1.0}, {0.7});
  int overlapping = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Vec3 p = 1.3 * random_vector(engine);
    const Overlap<double> e = (*balls)(At{Mat3::Identity(), p}.placement(), At{}.placement());
    if (!(e.volume > 1e-3)) continue;
    ++overlapping;
    const At turn = random_place(engine, 0.5);
    const Overlap<double> o =
        overlap(Ellipsoid{axes}, turn.then({Mat3::Identity(), axes.cwiseProduct(p)}),
                Ellipsoid{0.7 * axes}, turn);
    const double exact = axes.prod() * e.volume;
    EXPECT_LE(std::abs(o.volume - exact), o.error) << trial;
    EXPECT_NEAR(o.volume, exact, 1e-9 * exact) << trial;
    const Vec3 center = turn.R * axes.cwiseProduct(e.centroid_W) + turn.p;
    EXPECT_LT((o.centroid_W - center).norm(), 1e-9) << trial;
  }
  EXPECT_GT(overlapping, 10);
}

TEST(RingVolume, AgreesWithTheOtherQueriesWhereTheyKnowThePair) {
  std::mt19937 engine(2);  // seed
  std::normal_distribution<double> normal;
  int overlapping = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Shape round = finite_shapes()[static_cast<std::size_t>(trial % 5)];
    const Shape ball = Sphere{0.15};
    const At a = random_place(engine, 0.3), b = random_place(engine, 0.05);
    if (!std::holds_alternative<Torus>(round)) {
      std::vector<Vec3> corners;
      for (int k = 0; k < 10; ++k) {
        corners.push_back(0.3 * Vec3(normal(engine), normal(engine), normal(engine)).normalized());
      }
      const Shape hull = Convex{std::make_shared<const Polyhedron>(hull_of(corners, ""))};
      const Overlap<double> e = (*make_round_volume(round, hull))(a.placement(), b.placement());
      expect_same(overlap(round, a, hull, b), e, "hull " + std::to_string(trial));
      overlapping += e.volume > 1e-6;
    }
    const std::size_t other = static_cast<std::size_t>(trial % 4);
    for (const Shape& shape : {round, endless_shapes()[other == 1 ? 0 : other]}) {
      const auto exact = make_ball_round_volume(Sphere{0.15}, shape);
      if (exact == nullptr) continue;
      const Overlap<double> e = (*exact)(a.placement(), b.placement());
      if (!(e.volume < 0.999 * 4.0 / 3.0 * pi * 0.003375)) continue;  // sunk: no normal
      expect_same(overlap(ball, a, shape, b), e, std::string(shape_name(shape)));
      overlapping += e.volume > 1e-6;
    }
  }
  EXPECT_GT(overlapping, 300);
}

// What lies in a body is what lies in its parts: each within its own bound. Parts of a cylinder are
// shorter cylinders; what a bore or funnel leaves of a body is what a long cylinder or cone takes.
TEST(RingVolume, IsTheSumOverTheParts_WithinTheBounds_OnAThousandPairs) {
  std::mt19937 engine(3);  // seed
  std::uniform_real_distribution<double> share(-0.8, 0.8);
  const auto volume = [](const Shape& a, const At& at_a, const Shape& b, const At& at_b,
                         double& bound) {
    const auto one = RingSolid::of(a), two = RingSolid::of(b);
    const Mat3 R = at_b.R.transpose() * at_a.R;
    const auto found =
        ring_overlap<double>(*one, *two, R, Vec3(at_b.R.transpose() * (at_a.p - at_b.p)));
    bound += found.error;
    return found.moments.volume;
  };
  int overlapping = 0;
  double worst = 0.0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Shape a = finite_shapes()[static_cast<std::size_t>(trial % 6)];
    const At at_a = random_place(engine, 0.28), at_b = random_place(engine, 0.05);
    double bound = 0.0, whole = 0.0, parts = 0.0;
    if (trial % 3 < 2) {
      const double h = 0.25, cut = h * share(engine);
      whole = volume(a, at_a, Cylinder{0.2, h}, at_b, bound);
      const double lower = 0.5 * (h + cut), upper = 0.5 * (h - cut);
      parts = volume(a, at_a, Cylinder{0.2, lower},
                     at_b.then({Mat3::Identity(), {0, 0, lower - h}}), bound) +
              volume(a, at_a, Cylinder{0.2, upper},
                     at_b.then({Mat3::Identity(), {0, 0, h - upper}}), bound);
    } else {
      const Shape hole = trial % 2 == 0 ? Shape(Bore{0.2}) : Shape(Funnel{0.6});
      const Mat3 down = spatial::rotation_about(Vec3::UnitX(), pi);
      const Shape plug =
          trial % 2 == 0 ? Shape(Cylinder{0.2, 3.0}) : Shape(Cone{3.0 * std::tan(0.6), 3.0});
      const At seat = trial % 2 == 0 ? at_b : at_b.then({down, {0, 0, 3.0}});
      whole = volume(a, at_a, Cylinder{5.0, 6.0}, {}, bound);
      parts = volume(a, at_a, hole, at_b, bound) + volume(a, at_a, plug, seat, bound);
    }
    EXPECT_LE(std::abs(whole - parts), bound + 1e-15) << trial << " " << shape_name(a);
    if (!(whole > 1e-5)) continue;
    ++overlapping;
    worst = std::max(worst, std::abs(whole - parts) / whole);
  }
  EXPECT_GT(overlapping, 700);
  // What the surface of one volume may lack before a finer grid is tried (ring_overlap.cc).
  EXPECT_LT(worst, 1e-6);
}

TEST(RingVolume, IsTheSumOverPoints) {
  std::mt19937 engine(4);  // seed
  std::uniform_real_distribution<double> one(-1.0, 1.0);
  int overlapping = 0;
  for (int trial = 0; trial < 240; ++trial) {
    const SolidPair pair = random_pair(engine, trial);
    const Overlap<double> o = overlap_of(pair);
    const double edge = half_cube(pair.a);
    constexpr int kPoints = 20000;
    int inside = 0;
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < kPoints; ++k) {
      const Vec3 u(one(engine), one(engine), one(engine)),
          x = pair.at_a.p + pair.at_a.R * (edge * u);
      if (!is_inside(pair.a, edge * u) || !is_inside(pair.b, pair.at_b.local(x))) continue;
      ++inside;
      sum += x;
    }
    const double cell = 8.0 * edge * edge * edge / kPoints;
    const std::string where = std::string(shape_name(pair.a)) + " " +
                              std::string(shape_name(pair.b)) + " " + std::to_string(trial);
    // Wholly inside: known, but not pushed.
    if (o.volume == 0.0 && !(o.gap > 0.0)) continue;
    // Five standard deviations of counting, and one point.
    EXPECT_NEAR(o.volume, inside * cell, (5.0 * std::sqrt(inside) + 1.0) * cell) << where;
    if (inside < 300) continue;
    ++overlapping;
    EXPECT_LT((o.centroid_W - sum / inside).norm(), 5.0 * edge / std::sqrt(inside)) << where;
    EXPECT_LT(o.error, 1e-5 * o.volume) << where;
    EXPECT_LT((o.inertia_W - o.inertia_W.transpose()).norm(), 1e-14) << where;
    const Vec3 v = random_vector(engine);
    EXPECT_GT(v.dot(o.inertia_W * v), 0.0) << where;
  }
  EXPECT_GT(overlapping, 100);
}

// A body of revolution as a mesh: its profile (radius, height) from one end to the other, `steps`
// parts of each of its pieces and as many of the turn.
Mesh turned_mesh(const std::vector<std::function<Eigen::Vector2d(double)>>& pieces, int steps) {
  auto mesh = std::make_shared<TriangleMesh>();
  std::vector<Eigen::Vector2d> profile;
  for (const auto& piece : pieces) {
    for (int k = profile.empty() ? 0 : 1; k <= steps; ++k) {
      profile.push_back(piece(static_cast<double>(k) / steps));
    }
  }
  std::vector<std::vector<int>> rings;
  for (const Eigen::Vector2d& c : profile) {
    const bool pole = c.x() < 1e-12;
    rings.emplace_back();
    for (int j = 0; j < steps; ++j) {
      const double angle = 2.0 * pi * j / steps;
      if (!pole || j == 0) {
        mesh->corners.emplace_back(c.x() * std::cos(angle), c.x() * std::sin(angle), c.y());
      }
      rings.back().push_back(static_cast<int>(mesh->corners.size()) - 1);
    }
  }
  for (std::size_t i = 0; i + 1 < rings.size(); ++i) {
    for (std::size_t j = 0; j < rings[i].size(); ++j) {
      const std::size_t next = (j + 1) % rings[i].size();
      const int a = rings[i][j], b = rings[i][next], c = rings[i + 1][next], d = rings[i + 1][j];
      if (a != b) mesh->triangles.push_back({a, b, c});
      if (c != d) mesh->triangles.push_back({a, c, d});
    }
  }
  check_closed(*mesh, "");
  return {mesh};
}

Mesh mesh_of(const Shape& shape, int steps) {
  using P = Eigen::Vector2d;
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    const double r = s->radius, h = s->half_length;
    return turned_mesh(
        {[=](double u) { return P(r * u, -h); }, [=](double u) { return P(r, -h + 2 * h * u); },
         [=](double u) { return P(r * (1 - u), h); }},
        steps);
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    const double r = s->radius, h = s->half_length;
    return turned_mesh(
        {[=](double u) { return P(r * std::sin(pi / 2 * u), -h - r * std::cos(pi / 2 * u)); },
         [=](double u) { return P(r, -h + 2 * h * u); },
         [=](double u) {
           return u < 1 ? P(r * std::cos(pi / 2 * u), h + r * std::sin(pi / 2 * u)) : P(0, h + r);
         }},
        steps);
  }
  const auto* cone = std::get_if<Cone>(&shape);
  const double r = cone->radius, length = cone->length;
  return turned_mesh({[=](double u) { return P(r * u, 0.0); },
                      [=](double u) { return P(r * (1 - u), length * u); }},
                     steps);
}

// The exact volumes of inscribed meshes come from below, four times nearer with half the steps.
TEST(RingVolume, IsTheLimitOfMeshes) {
  const std::pair<Shape, Shape> pairs[] = {{Cylinder{0.15, 0.2}, Capsule{0.1, 0.15}},
                                           {Cone{0.2, 0.35}, Cylinder{0.15, 0.2}},
                                           {Capsule{0.1, 0.15}, Cone{0.2, 0.35}}};
  const At a{spatial::rotation_about(Vec3(1, 2, 3).normalized(), 1.1), {0.11, 0.06, 0.12}};
  for (const auto& [one, two] : pairs) {
    const auto of_meshes = [&](int steps) {
      return (*make_mesh_volume(mesh_of(one, steps), mesh_of(two, steps)))(a.placement(),
                                                                           At{}.placement());
    };
    const Overlap<double> o = overlap(one, a, two), coarse = of_meshes(16), fine = of_meshes(32);
    ASSERT_GT(o.volume, 1e-4) << shape_name(one);
    const double miss = o.volume - coarse.volume, rest = o.volume - fine.volume;
    EXPECT_GT(rest, 0.0) << shape_name(one);
    EXPECT_GT(miss / rest, 3.0) << shape_name(one);
    EXPECT_LT(miss / rest, 5.5) << shape_name(one);
    // Extrapolated: the terms of second order are gone.
    const double limit = (4.0 * fine.volume - coarse.volume) / 3.0;
    EXPECT_NEAR(limit, o.volume, 2e-3 * o.volume) << shape_name(one);
    EXPECT_LT((fine.normal_W - o.normal_W).norm(), 0.02) << shape_name(one);
    EXPECT_LT((fine.centroid_W - o.centroid_W).norm(), 1e-3) << shape_name(one);
  }
}

// dV/dp points against the normal; by dual numbers and by differences. Between breaks the integrals
// are smooth and both agree to rounding; a break that hides between rings spoils the slope of the
// integral by the root of what it spoils the volume (1e-6).
TEST(RingVolume, ShrinksAlongItsNormal) {
  std::mt19937 engine(5);  // seed
  std::vector<double> off;
  for (int trial = 0; trial < 90; ++trial) {
    const SolidPair pair = random_pair(engine, trial);
    const auto query = query_of(pair);
    const Overlap<double> o = overlap_of(pair);
    if (!(o.volume > 1e-5) || !(o.error < 1e-5 * o.volume)) continue;
    const Vec3 exact = volume_slope(*query, pair.at_a, pair.at_b);
    Vec3 rough;
    for (int k = 0; k < 3; ++k) {
      SolidPair up = pair, low = pair;
      up.at_a.p[k] += 1e-5;
      low.at_a.p[k] -= 1e-5;
      rough[k] = (overlap_of(up).volume - overlap_of(low).volume) / 2e-5;
    }
    const std::string where = std::string(shape_name(pair.a)) + " " +
                              std::string(shape_name(pair.b)) + " " + std::to_string(trial);
    EXPECT_LT((exact - rough).norm(), 1e-3 * rough.norm() + 1e-8) << where;
    EXPECT_LT((exact.normalized() + o.normal_W).norm(), 1e-3) << where;
    off.push_back((exact.normalized() + o.normal_W).norm());
  }
  ASSERT_GT(off.size(), 40);
  std::sort(off.begin(), off.end());
  EXPECT_LT(off[off.size() / 2], 1e-7);
  EXPECT_LT(off[off.size() * 9 / 10], 1e-5);
}

// On the axis the arcs of rings vanish all at once: their derivatives are in the breaks.
TEST(RingVolume, DerivativesHoldOnTheAxis) {
  const auto query = ring_query(Cylinder{0.1, 0.3}, Cylinder{0.15, 0.4});
  Mat3T<Dual> R = Mat3::Identity().cast<Dual>(), R_b = R;
  Vec3T<Dual> p(0.0, 0.0, 0.69), p_b = Vec3T<Dual>::Zero();
  p.z().d[0] = 1.0;
  const Overlap<Dual> o = (*query)(Placement<Dual>{R, p}, {R_b, p_b});
  EXPECT_NEAR(o.volume.d[0], -pi * 0.01, 1e-10);
  EXPECT_NEAR(o.centroid_W.z().d[0], 0.5, 1e-9);
  EXPECT_NEAR(o.inertia_W(2, 2).d[0], -0.5 * pi * 1e-4, 1e-10);
  // A peg in a funnel, straight down: dV = -(area of the end that is left) dz.
  const double half = 0.5, low = 0.17, hole = low * std::tan(half);
  p = {0.0, 0.0, 0.3 + low};
  p.z().d[0] = 1.0;
  const Overlap<Dual> peg =
      (*ring_query(Cylinder{0.1, 0.3}, Funnel{half}))(Placement<Dual>{R, p}, {R_b, p_b});
  EXPECT_NEAR(peg.volume.d[0], -pi * (0.01 - hole * hole), 1e-8);
}

TEST(RingVolume, IsTheSameWhicheverComesFirstAndWhereverItIsSeen) {
  std::mt19937 engine(6);  // seed
  int overlapping = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const SolidPair pair = random_pair(engine, trial);
    const Overlap<double> o = overlap_of(pair);
    if (std::holds_alternative<Bore>(pair.b)) continue;
    const Overlap<double> back = overlap_of({pair.b, pair.a, pair.at_b, pair.at_a});
    const At turn = random_place(engine, 2.0);
    const Overlap<double> there =
        overlap_of({pair.a, pair.b, turn.then(pair.at_a), turn.then(pair.at_b)});
    const std::string where = std::string(shape_name(pair.a)) + " " +
                              std::string(shape_name(pair.b)) + " " + std::to_string(trial);
    EXPECT_LE(std::abs(o.volume - back.volume), o.error + back.error + 1e-15) << where;
    EXPECT_LE(std::abs(o.volume - there.volume), o.error + there.error + 1e-15) << where;
    EXPECT_NEAR(o.gap, back.gap, 1e-6) << where;
    EXPECT_NEAR(o.gap, there.gap, 1e-7) << where;
    if (!(o.volume > 1e-5)) continue;
    ++overlapping;
    EXPECT_LT((o.normal_W + back.normal_W).norm(), 1e-6) << where;
    EXPECT_LT((turn.R * o.normal_W - there.normal_W).norm(), 1e-6) << where;
    EXPECT_LT((o.centroid_W - back.centroid_W).norm(), 1e-7) << where;
    EXPECT_LT((turn.p + turn.R * o.centroid_W - there.centroid_W).norm(), 1e-7) << where;
  }
  EXPECT_GT(overlapping, 60);
}

TEST(RingVolume, TheForceIsContinuousAlongPaths) {
  std::mt19937 engine(7);  // seed
  int touching = 0;
  for (int path = 0; path < 40; ++path) {
    const SolidPair pair = random_pair(engine, path);
    const auto query = query_of(pair);
    const Vec3 axis = random_vector(engine).normalized(), way = 0.15 * random_vector(engine);
    double most = 0.0, deepest = 0.0;
    const auto force = [&](double s) -> Vec3 {
      const At a{spatial::rotation_about(axis, s) * pair.at_a.R, pair.at_a.p + s * way};
      const Overlap<double> o = (*query)(a.placement(), pair.at_b.placement());
      most = std::max(most, o.volume);
      deepest = std::max(deepest, -o.gap);
      return o.volume > 0.0 ? Vec3(o.volume * o.normal_W) : Vec3(Vec3::Zero());
    };
    const double jump = largest_jump(force, 40);
    // A body that goes under, or is pierced, is pushed to no side: deeper than the thinner one is
    // thick is no path for this test.
    if (!(most > 1e-6) || deepest > 2.0 * query->size()) continue;
    ++touching;
    EXPECT_LT(jump, 1e-6) << shape_name(pair.a) << " " << shape_name(pair.b) << path;
  }
  EXPECT_GT(touching, 15);
}

// Tilted in a bore a peg is wedged: its ends are pushed to opposite sides, which turns it back.
TEST(RingVolume, ATiltedPegInABoreIsPushedAtBothEnds) {
  for (const Shape& peg : {Shape(Cylinder{0.1, 0.3}), Shape(Capsule{0.1, 0.3})}) {
    const auto halves = overlap_patches(peg, Bore{0.102}, NormalRule::kArea);
    ASSERT_EQ(halves.size(), 2);
    const double tilt = 0.012;
    const At at{spatial::rotation_about(Vec3::UnitX(), tilt), {0.0, 0.0, 0.0}};  // top towards -y
    const auto whole =
        ring_overlap<double>(*RingSolid::of(peg), *RingSolid::of(Bore{0.102}), at.R, at.p);
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double volume = 0.0;
    for (const auto& half : halves) {
      const Overlap<double> o = (*half)(at.placement(), At{}.placement());
      EXPECT_GT(o.volume, 1e-7);
      EXPECT_GT(std::abs(o.normal_W.y()), 0.999);  // the face between the halves does not press
      EXPECT_LT(o.normal_W.y() * o.centroid_W.y(), 0.0);
      volume += o.volume;
      force += o.volume * o.normal_W;
      torque += o.centroid_W.cross(o.volume * o.normal_W);
    }
    EXPECT_NEAR(volume, whole.moments.volume, 1e-6 * volume) << shape_name(peg);
    EXPECT_LT(force.norm(), 1e-6 * volume) << shape_name(peg);
    EXPECT_LT(torque.x(), -0.2 * volume) << shape_name(peg);  // lever of some 0.25 m
    // Exchanged, the same.
    const auto back = overlap_patches(Bore{0.102}, peg, NormalRule::kArea);
    ASSERT_EQ(back.size(), 2);
    const Overlap<double> one = (*halves[0])(at.placement(), At{}.placement());
    const Overlap<double> two = (*back[0])(At{}.placement(), at.placement());
    EXPECT_NEAR(one.volume, two.volume, 1e-15);
    EXPECT_LT((one.normal_W + two.normal_W).norm(), 1e-12);
  }
}

TEST(RingVolume, ApartTheGapIsTheDistance) {
  // A peg in a bore, aside and tilted: its rim is nearest to the wall.
  const double tilt = 0.02;
  const At tilted{spatial::rotation_about(Vec3::UnitX(), tilt), {0.0, 0.001, 0.0}};
  const double rim = 0.001 + 0.2 * std::sin(tilt) + 0.1 * std::cos(tilt);
  const Overlap<double> peg = overlap(Cylinder{0.1, 0.2}, tilted, Bore{0.11});
  EXPECT_NEAR(peg.gap, 0.11 - rim, 1e-12);
  // The ends lean to opposite sides: at the lower end, towards -y, so the upper one counts.
  EXPECT_LT(std::abs(std::abs(peg.normal_W.y()) - 1.0), 1e-9);
  EXPECT_EQ(peg.volume, 0.0);
  // A ring over the corner of a box and round a post.
  const Overlap<double> post =
      overlap(Box{{0.05, 0.05, 0.3}, 0.0}, {}, Torus{0.2, 0.07}, {Mat3::Identity(), {0, 0, 0.1}});
  EXPECT_NEAR(post.gap, 0.2 - 0.07 - 0.05 * std::sqrt(2.0), 1e-9);
  // Two capsules, crossed.
  const Overlap<double> crossed =
      overlap(Capsule{0.1, 0.3}, {spatial::rotation_about(Vec3::UnitX(), pi / 2), {0.25, 0, 0}},
              Capsule{0.1, 0.3});
  EXPECT_NEAR(crossed.gap, 0.05, 1e-12);
  EXPECT_LT((crossed.normal_W - Vec3::UnitX()).norm(), 1e-9);
}

// Moved by the gap along the normal they touch, not before; bounds hold.
TEST(RingVolume, ByItsGapABodyIsFromTouching) {
  std::mt19937 engine(8);  // seed
  int apart = 0;
  for (int trial = 0; trial < 120; ++trial) {
    SolidPair pair = random_pair(engine, trial);
    const auto query = query_of(pair);
    const Overlap<double> o = overlap_of(pair);
    const double bound = query->gap_at_least(pair.at_a.placement(), pair.at_b.placement());
    if (bound > 0.0) {
      EXPECT_LE(bound, o.gap + 1e-12) << trial;
    }
    // The gap alone has the same sign, and is the same apart.
    const double alone = query->gap(pair.at_a.placement(), pair.at_b.placement());
    if (o.volume > 0.0) {
      EXPECT_LT(alone, 0.0) << trial;
    }
    if (o.gap > 0.0) {
      EXPECT_EQ(alone, o.gap) << trial;
    }
    if (!(o.gap > 0.0)) continue;
    ++apart;
    const std::string where = std::string(shape_name(pair.a)) + " " +
                              std::string(shape_name(pair.b)) + " " + std::to_string(trial);
    const Vec3 start = pair.at_a.p;
    pair.at_a.p = start - (o.gap - 1e-7) * o.normal_W;
    EXPECT_EQ(overlap_of(pair).volume, 0.0) << where;
    pair.at_a.p = start - (o.gap + 1e-4) * o.normal_W;
    EXPECT_GT(overlap_of(pair).volume, 0.0) << where;
  }
  EXPECT_GT(apart, 15);
}

}  // namespace
}  // namespace grapple::geometry
