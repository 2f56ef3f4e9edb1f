// Closed meshes, convex and not: against polyhedra, the boxes they are made of, and each other.
#include "grapple/geometry/overlap/internal/mesh_volume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "geometry/continuity.h"
#include "geometry/placed.h"
#include "grapple/spatial/rotation.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;

Mesh mesh_of(const Polyhedron& solid) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->corners = solid.corners;
  for (const auto& face : solid.faces) {
    for (std::size_t k = 2; k < face.size(); ++k) {
      mesh->triangles.push_back({face[0], face[k - 1], face[k]});
    }
  }
  check_closed(*mesh, "");
  return {mesh};
}

// An angle of two arms: the profile is cut at its inner corner into two convex quadrilaterals.
Mesh angle() {
  const std::vector<Eigen::Vector2d> profile = {{0, 0},     {0.4, 0},   {0.4, 0.1},
                                                {0.1, 0.1}, {0.1, 0.4}, {0, 0.4}};
  auto mesh = std::make_shared<TriangleMesh>();
  for (const double z : {-0.1, 0.1}) {
    for (const auto& c : profile) mesh->corners.emplace_back(c.x(), c.y(), z);
  }
  const auto quad = [&](int a, int b, int c, int d) {
    mesh->triangles.push_back({a, b, c});
    mesh->triangles.push_back({a, c, d});
  };
  for (int k = 0; k < 6; ++k) quad(k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6);
  quad(6, 7, 8, 9), quad(6, 9, 10, 11);  // upper end
  quad(3, 2, 1, 0), quad(5, 4, 3, 0);    // lower end
  check_closed(*mesh, "");
  return {mesh};
}

// The same of two boxes.
Shape boxes() {
  auto parts = std::make_shared<std::vector<Cell>>();
  parts->push_back({Box{{0.2, 0.05, 0.1}, 0.0}, {Mat3::Identity(), {0.2, 0.05, 0.0}}});
  parts->push_back({Box{{0.05, 0.15, 0.1}, 0.0}, {Mat3::Identity(), {0.05, 0.25, 0.0}}});
  return Cells{parts};
}

TEST(MeshVolume, OfAConvexMeshIsThatOfThePolyhedron) {
  std::mt19937 engine(1);  // seed
  const Box box{{0.3, 0.2, 0.25}, 0.0}, other{{0.4, 0.3, 0.2}, 0.0};
  const auto query = make_mesh_volume(mesh_of(box_polyhedron(box.half_edges)), other);
  const auto exact = overlap_pair(box, other).query;
  int overlapping = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const At a = random_place(engine, 0.45), b = random_place(engine, 0.1);
    const Overlap<double> o = (*query)(a.placement(), b.placement());
    const Overlap<double> e = (*exact)(a.placement(), b.placement());
    EXPECT_NEAR(o.volume, e.volume, 1e-14) << trial;
    if (!(e.volume > 1e-6)) {
      if (e.gap > 0.0) {
        EXPECT_GT(o.gap, e.gap - 1e-12) << trial;  // the other is a bound
      }
      continue;
    }
    ++overlapping;
    EXPECT_LT((o.centroid_W - e.centroid_W).norm(), 1e-10);
    EXPECT_LT((o.inertia_W - e.inertia_W).norm(), 1e-13);
    EXPECT_LT((o.normal_W - e.normal_W).norm(), 1e-9);
  }
  EXPECT_GT(overlapping, 80);
}

TEST(MeshVolume, OfAnAngleIsThatOfItsArms) {
  std::mt19937 engine(2);  // seed
  const Mesh mesh = angle();
  EXPECT_NEAR(volume_of(*mesh.surface), 0.014, 1e-15);
  for (const Shape& other : {Shape(Box{{0.15, 0.1, 0.2}, 0.0}), Shape(HalfSpace{})}) {
    const auto query = overlap_pair(mesh, other).query;
    for (int trial = 0; trial < 100; ++trial) {
      const At a = random_place(engine, 0.3), b = random_place(engine, 0.2);
      double volume = 0.0;
      Vec3 first = Vec3::Zero();
      for (const auto& patch : overlap_patches(boxes(), other, NormalRule::kArea)) {
        const Overlap<double> part = (*patch)(a.placement(), b.placement());
        volume += part.volume;
        if (part.volume > 0.0) first += part.volume * part.centroid_W;
      }
      const Overlap<double> o = (*query)(a.placement(), b.placement());
      EXPECT_NEAR(o.volume, volume, 1e-14) << trial;
      if (volume > 1e-6) {
        EXPECT_LT((o.volume * o.centroid_W - first).norm(), 1e-14);
      }
    }
  }
}

TEST(MeshVolume, ShrinksAlongItsNormal) {
  const auto query = make_mesh_volume(angle(), Box{{0.15, 0.1, 0.2}, 0.0});
  const At a{spatial::rotation_about(Vec3(1, 2, 3).normalized(), 0.4), {-0.1, -0.1, 0.1}};
  const Overlap<double> o = (*query)(a.placement(), At{}.placement());
  ASSERT_GT(o.volume, 1e-4);
  EXPECT_LT((volume_slope(*query, a).normalized() + o.normal_W).norm(), 1e-10);
}

TEST(MeshVolume, ApartTheGapIsTheDistanceIntoTheAngle) {
  // A small box in the corner of the angle, 0.02 from one arm and 0.05 from the other.
  const auto query = make_mesh_volume(angle(), Box{{0.02, 0.02, 0.02}, 0.0});
  const At a, b{Mat3::Identity(), {0.1 + 0.02 + 0.02, 0.1 + 0.02 + 0.05, 0.0}};
  const Overlap<double> o = (*query)(a.placement(), b.placement());
  EXPECT_EQ(o.volume, 0.0);
  EXPECT_NEAR(o.gap, 0.02, 1e-12);
  EXPECT_LT((o.normal_W + Vec3::UnitX()).norm(), 1e-9);  // from the box towards the arm
}

// Nothing is shared in the hollow, wherever the small box is, turned or aligned.
TEST(MeshVolume, InTheHollowOfAnAngleThereIsNothing) {
  std::mt19937 engine(8);  // seed
  const auto query = make_mesh_volume(angle(), Box{{0.02, 0.02, 0.02}, 0.0});
  std::uniform_real_distribution<double> place(0.14, 0.35);
  for (int trial = 0; trial < 300; ++trial) {
    At b = random_place(engine, 0.05);
    if (trial % 2 == 0) b.R.setIdentity();
    b.p.x() = place(engine), b.p.y() = place(engine);
    const At turn = random_place(engine, 1.0);
    const At a{turn.R, turn.p}, moved{turn.R * b.R, turn.p + turn.R * b.p};
    const Overlap<double> o = (*query)(a.placement(), moved.placement());
    EXPECT_EQ(o.volume, 0.0) << trial;
    EXPECT_GT(o.gap, 0.0) << trial;
  }
}

TEST(MeshVolume, OfTwoConvexMeshesIsThatOfThePolyhedra) {
  std::mt19937 engine(3);  // seed
  const Box box{{0.3, 0.2, 0.25}, 0.0}, other{{0.4, 0.3, 0.2}, 0.0};
  const auto query = overlap_pair(mesh_of(box_polyhedron(box.half_edges)),
                                  mesh_of(box_polyhedron(other.half_edges)))
                         .query;
  const auto exact = overlap_pair(box, other).query;
  int overlapping = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const At a = random_place(engine, 0.45), b = random_place(engine, 0.1);
    const Overlap<double> o = (*query)(a.placement(), b.placement());
    const Overlap<double> e = (*exact)(a.placement(), b.placement());
    EXPECT_NEAR(o.volume, e.volume, 1e-14) << trial;
    if (!(e.volume > 1e-6)) continue;
    ++overlapping;
    EXPECT_LT((o.centroid_W - e.centroid_W).norm(), 1e-10);
    EXPECT_LT((o.inertia_W - e.inertia_W).norm(), 1e-13);
    EXPECT_LT((o.normal_W - e.normal_W).norm(), 1e-9);
  }
  EXPECT_GT(overlapping, 80);
}

// Two angles against the four pairs of their arms.
TEST(MeshVolume, OfTwoAnglesIsThatOfTheirArms_WhicheverComesFirst) {
  std::mt19937 engine(4);  // seed
  const auto query = overlap_pair(angle(), angle()).query;
  const auto arms = overlap_patches(boxes(), boxes(), NormalRule::kArea);
  ASSERT_EQ(arms.size(), 4);
  int overlapping = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const At a = random_place(engine, 0.2), b = random_place(engine, 0.1);
    double volume = 0.0;
    Vec3 first = Vec3::Zero();
    bool crossed = false;  // right through each other: such a pair is pushed to no side
    for (const auto& patch : arms) {
      const Overlap<double> part = (*patch)(a.placement(), b.placement());
      volume += part.volume;
      if (part.volume > 0.0) first += part.volume * part.centroid_W;
      crossed |= part.volume == 0.0 && part.gap < 0.0;
    }
    if (crossed) continue;
    const Overlap<double> o = (*query)(a.placement(), b.placement());
    const Overlap<double> back = (*query)(b.placement(), a.placement());
    EXPECT_NEAR(o.volume, volume, 1e-14) << trial;
    EXPECT_NEAR(o.volume, back.volume, 1e-15) << trial;
    if (!(volume > 1e-6)) continue;
    ++overlapping;
    EXPECT_LT((o.volume * o.centroid_W - first).norm(), 1e-14) << trial;
    EXPECT_LT((o.normal_W + back.normal_W).norm(), 1e-9) << trial;
    EXPECT_LT((o.inertia_W - back.inertia_W).norm(), 1e-15) << trial;
  }
  EXPECT_GT(overlapping, 100);
}

// A round body against an angle, and against the boxes it is made of.
TEST(MeshVolume, OfARoundBodyWithAnAngleIsThatWithItsArms) {
  std::mt19937 engine(7);  // seed
  for (const Shape& round :
       {Shape(Sphere{0.1}), Shape(Cylinder{0.08, 0.15}), Shape(Capsule{0.06, 0.1}),
        Shape(Cone{0.1, 0.2}), Shape(Ellipsoid{{0.15, 0.1, 0.07}})}) {
    const auto patches = overlap_patches(round, angle(), NormalRule::kArea);
    ASSERT_EQ(patches.size(), 1) << shape_name(round);
    int overlapping = 0, apart = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const At a = random_place(engine, 0.3), b = random_place(engine, 0.1);
      double volume = 0.0, bound = 0.0, least = 1e300;
      Vec3 first = Vec3::Zero();
      for (const auto& arm : overlap_patches(round, boxes(), NormalRule::kArea)) {
        const Overlap<double> part = (*arm)(a.placement(), b.placement());
        volume += part.volume;
        bound += part.error;
        least = std::min(least, part.gap);
        if (part.volume > 0.0) first += part.volume * part.centroid_W;
      }
      const Overlap<double> o = (*patches[0])(a.placement(), b.placement());
      EXPECT_LE(std::abs(o.volume - volume), o.error + bound + 1e-15) << shape_name(round) << trial;
      if (least > 0.0) {
        EXPECT_NEAR(o.gap, least, 1e-8) << shape_name(round) << trial;  // of smooth bodies
        ++apart;
      }
      if (!(volume > 1e-6)) continue;
      ++overlapping;
      EXPECT_NEAR(o.volume, volume, 1e-8 * volume) << shape_name(round) << trial;
      EXPECT_LT((o.volume * o.centroid_W - first).norm(), 1e-8 * volume);
      if (trial % 4 > 0) continue;
      // It shrinks along its normal.
      const Vec3 slope = volume_slope(*patches[0], a, b);
      if (slope.norm() > 1e-3) {
        EXPECT_LT((slope.normalized() + o.normal_W).norm(), 1e-4) << shape_name(round) << trial;
      }
    }
    EXPECT_GT(overlapping, 10) << shape_name(round);
    EXPECT_GT(apart, 10) << shape_name(round);
  }
}

// Faces that coincide: equal boxes pushed into each other along z, their sides flush. The
// triangles' diagonals go through the middle, and so do the planes between their tetrahedra.
TEST(MeshVolume, FlushFacesCountOnce) {
  const Vec3 half(0.3, 0.2, 0.25);
  const Mesh box = mesh_of(box_polyhedron(half));
  for (const Shape& other : {Shape(box), Shape(Box{half, 0.0})}) {
    const auto query = make_mesh_volume(box, other);
    const Overlap<double> o =
        (*query)(At{Mat3::Identity(), {0, 0, 0.49}}.placement(), At{}.placement());
    EXPECT_NEAR(o.volume, 0.6 * 0.4 * 0.01, 1e-15);
    EXPECT_LT((o.normal_W - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_LT((o.centroid_W - Vec3(0, 0, 0.245)).norm(), 1e-12);
    EXPECT_NEAR(o.gap, -0.01, 1e-13);
    const Overlap<double> touching =
        (*query)(At{Mat3::Identity(), {0, 0, 0.5}}.placement(), At{}.placement());
    EXPECT_NEAR(touching.volume, 0.0, 1e-16);
    EXPECT_NEAR(touching.gap, 0.0, 1e-15);
  }
}

TEST(MeshVolume, TheForceOfTwoAnglesIsContinuousAlongPaths) {
  std::mt19937 engine(5);  // seed
  const auto query = overlap_pair(angle(), angle()).query;
  int touching = 0;
  for (int path = 0; path < 20; ++path) {
    const At from = random_place(engine, 0.35), to = random_place(engine, 0.1);
    const Vec3 axis = random_place(engine, 1.0).p.normalized();
    double most = 0.0;
    const auto force = [&](double s) -> Vec3 {
      const At a{spatial::rotation_about(axis, s) * from.R, (1.0 - s) * from.p + s * to.p};
      const Overlap<double> o = (*query)(a.placement(), At{}.placement());
      most = std::max(most, o.volume);
      return o.volume > 0.0 ? Vec3(o.volume * o.normal_W) : Vec3(Vec3::Zero());
    };
    const double jump = largest_jump(force, 200);
    if (!(most > 1e-6)) continue;
    ++touching;
    EXPECT_LT(jump, 1e-9) << path;  // what 40 halvings leave of a steep place
  }
  EXPECT_GT(touching, 10);
}

// From apart to the touch the distance falls to zero and is the gap of the nearest corners.
TEST(MeshVolume, ApartTheDistanceOfTwoAnglesIsThatOfTheirArms) {
  std::mt19937 engine(6);  // seed
  const auto query = overlap_pair(angle(), angle()).query;
  const auto arms = overlap_patches(boxes(), boxes(), NormalRule::kArea);
  int apart = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const At a = random_place(engine, 0.6), b = random_place(engine, 0.1);
    const Overlap<double> o = (*query)(a.placement(), b.placement());
    if (!(o.gap > 0.0)) continue;
    ++apart;
    // Their gaps are those of separating axes: bounds from below.
    double bound = 1e300;
    for (const auto& patch : arms) {
      bound = std::min(bound, (*patch)(a.placement(), b.placement()).gap);
    }
    EXPECT_GT(o.gap, bound - 1e-12) << trial;
    EXPECT_LT(query->gap_at_least(a.placement(), b.placement()), o.gap) << trial;
    // Moved along the normal by its gap, A touches.
    const At near{a.R, a.p - (o.gap + 1e-6) * o.normal_W};
    EXPECT_GT((*query)(near.placement(), b.placement()).volume, 0.0) << trial;
    const At nearly{a.R, a.p - (o.gap - 1e-9) * o.normal_W};
    EXPECT_EQ((*query)(nearly.placement(), b.placement()).volume, 0.0) << trial;
  }
  EXPECT_GT(apart, 50);
}

}  // namespace
}  // namespace grapple::geometry
