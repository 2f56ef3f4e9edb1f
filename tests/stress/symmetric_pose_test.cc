// Random symmetric and degenerate poses of every two convex shapes: gap, normal and point of the
// contact query against the definition of the gap, with the bodies exchanged, moved together and
// shifted a little. The query refuses nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "geometry/symmetric_poses.h"
#include "geometry/symmetric_volumes.h"
#include "stress.h"

namespace grapple::stress {
namespace {

TEST(SymmetricPoseStress, GapNormalAndPointFulfilTheirDefinition) {
  Tally tally("symmetric contact poses");
  const int count = cases(1000, 60000);
  for (int k = 0; k < count; ++k) {
    const unsigned seed = 1000u + static_cast<unsigned>(k);
    std::mt19937 engine(seed);
    const geometry::SymmetricPose pose = geometry::random_symmetric_pose(engine);
    const std::string fault = geometry::fault_of_point_query(pose, engine);
    if (fault.empty()) {
      tally.right();
    } else {
      tally.wrong(fmt::format("seed {}: {} on {}: {}", seed, geometry::shape_name(pose.a.shape),
                              geometry::shape_name(pose.b.shape), fault));
    }
  }
}

TEST(SymmetricPoseStress, SharedVolumesAreContinuousAndKnowNeitherOrderNorPlace) {
  Tally tally("symmetric overlaps");
  const int count = cases(200, 12000);
  for (int k = 0; k < count; ++k) {
    const unsigned seed = 1000u + static_cast<unsigned>(k);
    std::mt19937 engine(seed);
    const geometry::SymmetricPose pose = geometry::random_symmetric_solids(engine);
    const std::string fault = geometry::fault_of_volume_query(pose, engine);
    if (fault.empty()) {
      tally.right();
    } else if (fault == geometry::kPushedToNoSide) {
      tally.refused(fault);
    } else {
      tally.wrong(fmt::format("seed {}: {} on {}: {}", seed, geometry::shape_name(pose.a.shape),
                              geometry::shape_name(pose.b.shape), fault));
    }
  }
}

}  // namespace
}  // namespace grapple::stress
