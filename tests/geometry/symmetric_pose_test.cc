// Exactly symmetric and degenerate poses of convex bodies, in which simplices are flat, faces
// coplanar and farthest points not unique: closed forms, and the definition of the gap.
#include <gtest/gtest.h>

#include "geometry/symmetric_poses.h"
#include "geometry/symmetric_volumes.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;

// Half-turned about x, as a scenario writes it: not to the bit.
const Mat3 kUpsideDown = spatial::rotation_about(Vec3::UnitX(), std::numbers::pi);

// The tip of a cone, a corner of a ball's mesh or of an octahedron, over the middle of a cube.
TEST(SymmetricPose, ATipOverTheMiddleOfAFaceIsAsDeepAsItReaches) {
  const Box cube{{0.5, 0.5, 0.5}, 0.0};
  const auto octahedron = symmetric::shapes()[19];
  ASSERT_EQ(shape_name(octahedron), "polyhedron");
  const struct {
    Shape shape;
    double reach;
  } tips[] = {{Cone{0.05, 0.1}, 0.1},
              {Cone{0.25, 0.5}, 0.5},
              {symmetric::ball_mesh(0.1, 10, 10), 0.1},
              {symmetric::ball_mesh(0.25, 6, 8), 0.25},
              {octahedron, 0.5}};
  for (const auto& [shape, reach] : tips) {
    for (const Mat3& R : {kUpsideDown, Mat3(Vec3(1.0, -1.0, -1.0).asDiagonal())}) {
      for (const double depth : {-0.01, 0.0, 1e-9, 1e-6, 1e-4, 0.01}) {
        const At above{R, Vec3(0.0, 0.0, 0.5 + reach - depth)};
        const Witness<double> w = symmetric::first_of(touch_sites(shape, cube), above, At{});
        EXPECT_NEAR(w.gap, -depth, 1e-12) << shape_name(shape) << " " << depth;  // rounding
        EXPECT_LT((w.normal_W - Vec3::UnitZ()).norm(), 1e-6) << shape_name(shape) << " " << depth;
        EXPECT_LT((w.point_W - Vec3(0.0, 0.0, 0.5 - 0.5 * depth)).norm(), 1e-9)
            << shape_name(shape) << " " << depth;
      }
    }
  }
}

// Half a body deep, where normals far apart part the bodies nearly as well: a last Newton step left
// the ridge (17540, 42149), or all of them stopped beside it (34554).
TEST(SymmetricPose, TheGapOfDeepOverlapsDoesNotJump) {
  for (const unsigned seed : {17540u, 34554u, 42149u}) {
    std::mt19937 engine(seed);
    const SymmetricPose pose = random_symmetric_pose(engine);
    EXPECT_EQ(fault_of_point_query(pose, engine), "") << seed;
  }
}

// A plate of a thousandth of its width flat on another, its point inside the common face.
TEST(SymmetricPose, PlatesMeetInTheirCommonFace) {
  const Box plate{{0.5, 0.5, 0.0005}, 0.0};
  for (const Vec3& shift : {Vec3(0.0, 0.0, 0.0), Vec3(0.9, 0.0, 0.0), Vec3(0.5, 0.75, 0.0)}) {
    for (const double depth : {1e-6, 1e-4}) {
      const At above{Mat3::Identity(), shift + Vec3(0.0, 0.0, 0.001 - depth)};
      const Witness<double> w = symmetric::first_of(touch_sites(plate, plate), above, At{});
      EXPECT_NEAR(w.gap, -depth, 1e-15);
      EXPECT_TRUE(w.normal_W.isApprox(Vec3::UnitZ(), 1e-12));
      for (int k = 0; k < 2; ++k) {
        EXPECT_LE(std::abs(w.point_W[k]), 0.5 + 1e-9);
        EXPECT_LE(std::abs(w.point_W[k] - shift[k]), 0.5 + 1e-9);
      }
    }
  }
}

TEST(SymmetricPose, GapNormalAndPointFulfilTheirDefinition) {
  for (unsigned seed = 1; seed <= 600; ++seed) {
    std::mt19937 engine(seed);
    const SymmetricPose pose = random_symmetric_pose(engine);
    EXPECT_EQ(fault_of_point_query(pose, engine), "")
        << "seed " << seed << ": " << shape_name(pose.a.shape) << " on "
        << shape_name(pose.b.shape);
  }
}

// Two boxes with four flush sides, 1 mm deep; rounding of a common motion moves them past each
// other.
TEST(SymmetricPose, FlushFacesKeepTheVolumeWhereverTheBodiesAre) {
  const Shape box = Box{{0.25, 0.25, 0.5}, 0.0}, mesh = symmetric::box_mesh({0.25, 0.25, 0.5});
  const At above{Mat3::Identity(), Vec3(0.0, 0.0, 0.999)};
  std::mt19937 engine(1);  // seed
  for (const Shape& a : {box, mesh}) {
    for (const Shape& b : {box, mesh}) {
      const OverlapPair pair = overlap_pair(a, b);
      for (int trial = 0; trial < 100; ++trial) {
        const At motion = random_place(engine, 1.0);
        const Overlap<double> o = symmetric::overlap_of(pair, motion.then(above), motion);
        EXPECT_NEAR(o.volume, 0.5 * 0.5 * 0.001, 1e-12);  // rounding, times the area of the sides
        EXPECT_LT((o.normal_W - motion.R.col(2)).norm(), 1e-9);
      }
    }
  }
}

TEST(SymmetricPose, SharedVolumesAreContinuousAndKnowNeitherOrderNorPlace) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937 engine(seed);
    const SymmetricPose pose = random_symmetric_solids(engine);
    const std::string fault = fault_of_volume_query(pose, engine);
    EXPECT_TRUE(fault.empty() || fault == kPushedToNoSide)
        << "seed " << seed << ": " << shape_name(pose.a.shape) << " on " << shape_name(pose.b.shape)
        << ": " << fault;
  }
}

}  // namespace
}  // namespace grapple::geometry
