// A torus on a box: one face alone as a half-space, and the hand-over to the general query.
#include "grapple/geometry/overlap/internal/torus_on_polyhedron.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "geometry/solid_pairs.h"
#include "grapple/geometry/overlap/internal/ring_volume.h"

namespace grapple::geometry {
namespace {

using spatial::Mat3;
using spatial::Vec3;

const Box kPlate{Vec3(0.5, 0.5, 0.1), 0.0};
const Torus kRing{0.1, 0.05};

Overlap<double> found(const VolumeQuery& query, const Vec3& p, const Vec3& turn) {
  const At plate{Mat3::Identity(), Vec3(0.0, 0.0, -0.1)},
      ring{Eigen::AngleAxisd(turn.norm(), turn.stableNormalized()).toRotationMatrix(), p};
  return query(plate.placement(), ring.placement());
}

// The centroid moves with the tilt, in proportion, from rounding on: by theta J / V with the second
// moment J of the patch about its axis. At depth d the patch is a ring of mean radius R and half
// width w: J = 2 pi R w (R^2 + w^2), V = 2 pi R (4/3) w d, next to d / tube and w / R.
TEST(TorusOnPolyhedron, LyingFlatTheCentroidMovesWithTheTilt) {
  const auto query = make_torus_on_polyhedron(kPlate, kRing);
  const double depth = 1e-4, half_width = std::sqrt(2.0 * 0.05 * depth - depth * depth);
  const double expected = (0.1 * 0.1 + half_width * half_width) / (4.0 / 3.0 * depth);
  for (const double tilt : {1e-11, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5}) {
    const Overlap<double> o = found(*query, Vec3(0.0, 0.0, 0.05 - depth), Vec3(tilt, 0.0, 0.0));
    EXPECT_NEAR(std::abs(o.centroid_W.y()) / tilt, expected, 5e-3 * expected) << tilt;
  }
}

TEST(TorusOnPolyhedron, IsTheGeneralVolume) {
  const auto query = make_torus_on_polyhedron(kPlate, kRing),
             general = make_ring_volume(kPlate, kRing);
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int k = 0; k < 60; ++k) {
    const Vec3 p(0.6 * uniform(engine), 0.6 * uniform(engine), 0.05 + 0.06 * uniform(engine));
    const Vec3 turn(1.5 * uniform(engine), 1.5 * uniform(engine), 0.0);
    const Overlap<double> o = found(*query, p, turn), e = found(*general, p, turn);
    EXPECT_NEAR(o.volume, e.volume, 1e-6 * e.volume + o.error + e.error + 1e-15);
    if (e.volume < 1e-9) continue;
    EXPECT_LT((o.centroid_W - e.centroid_W).norm(), 1e-6) << k;
    EXPECT_LT((o.normal_W - e.normal_W).norm(), 1e-5) << k;
  }
}

// Where the rim of the torus passes the edge of the plate the other query takes over.
TEST(TorusOnPolyhedron, HandsOverWithoutAStep) {
  const auto query = make_torus_on_polyhedron(kPlate, kRing);
  const Vec3 turn(0.02, 0.03, 0.0);
  const double edge = 0.5 - 0.15;
  Overlap<double> last = found(*query, Vec3(edge - 1e-3, 0.0, 0.05), turn);
  for (double x = edge - 1e-3; x < edge + 1e-3; x += 1e-5) {
    const Overlap<double> o = found(*query, Vec3(x, 0.0, 0.05), turn);
    EXPECT_NEAR(o.volume, last.volume, 1e-6 * o.volume) << x;
    EXPECT_LT((o.centroid_W - last.centroid_W).norm(), 1.1e-5) << x;
    last = o;
  }
}

TEST(TorusOnPolyhedron, ApartTheGapIsTheDistance) {
  const auto query = make_torus_on_polyhedron(kPlate, kRing);
  EXPECT_NEAR(found(*query, Vec3(0.1, 0.0, 0.08), Vec3::Zero()).gap, 0.03, 1e-14);
  EXPECT_NEAR(found(*query, Vec3(0.1, 0.0, 0.18), Vec3(0.5 * 3.141592653589793, 0, 0)).gap, 0.03,
              1e-12);
}

}  // namespace
}  // namespace grapple::geometry
