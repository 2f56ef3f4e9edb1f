// Predictive control of a robot with more drives than freedoms, and of a serial arm.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Vector4 = Eigen::Vector4d;

const std::string kBelda =
    std::string(GRAPPLE_SOURCE_DIR) + "/examples/nato/belda-parallel-robot.yaml";

Vector4 drive_efforts(Simulation& sim) {
  Vector4 efforts;
  for (int k = 0; k < 4; ++k) {
    efforts[k] = sim.get("controller/gpc/drive" + std::to_string(k + 1) + "/effort");
  }
  return efforts;
}

// By hand from the geometry of the example: rates of the drives per rate of (x, y, rz), transposed.
// The rod keeps its length: d . v_platform = d . v_elbow.
Eigen::Matrix<double, 3, 4> drive_map(Simulation& sim) {
  Eigen::Matrix<double, 3, 4> map;
  const Vector2d centre(sim.get("frame/platform/tool/position_x"),
                        sim.get("frame/platform/tool/position_y"));
  const Vector2d corners[] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
  for (int k = 0; k < 4; ++k) {
    const double angle = sim.get("joint/drive" + std::to_string(k + 1) + "/position");
    const Vector2d arm(std::cos(angle), std::sin(angle)), across(-arm.y(), arm.x());
    const Vector2d p = 0.08 * corners[k];  // the turn of the platform stays below 1e-3 rad
    const Vector2d d = centre + p - 0.5 * corners[k] - 0.4 * arm;
    map.col(k) = Vector3d(d.x(), d.y(), p.x() * d.y() - p.y() * d.x()) / (0.4 * d.dot(across));
  }
  return map;
}

struct Followed {
  double worst_error = 0.0;     // m
  double against_others = 0.0;  // share of the efforts that moves nothing
  double largest_effort = 0.0;  // N m
  double roughness = 0.0;       // largest change of a drive from sample to sample, N m
  std::vector<Vector4> efforts;
};

Followed follow(const std::vector<std::string>& settings) {
  Simulation sim(kBelda, settings);
  Followed result;
  for (int k = 1; k <= 400; ++k) {
    sim.advance_to(0.004 * k + 1e-6);
    const double x = sim.get("block/gpc/x/error"), y = sim.get("block/gpc/y/error");
    result.worst_error = std::max(result.worst_error, std::hypot(x, y));
    const Vector4 u = drive_efforts(sim);
    const auto map = drive_map(sim);
    const Vector4 internal = u - map.completeOrthogonalDecomposition().solve(map * u);
    result.against_others = std::max(result.against_others, internal.norm() / (1.0 + u.norm()));
    result.largest_effort = std::max(result.largest_effort, u.cwiseAbs().maxCoeff());
    if (!result.efforts.empty()) {
      result.roughness =
          std::max(result.roughness, (u - result.efforts.back()).cwiseAbs().maxCoeff());
    }
    result.efforts.push_back(u);
  }
  EXPECT_EQ(sim.ending(), "");
  return result;
}

TEST(Predictive, TheRedundantRobotFollowsItsPathAndItsDrivesShareTheLoad) {
  const Followed root = follow({});
  EXPECT_LT(root.worst_error, 1e-3);     // a circle of 120 mm
  EXPECT_LT(root.against_others, 1e-3);  // the turn left out of drive_map()
  const Followed classical = follow({"controllers.gpc.form=classical"});
  for (std::size_t k = 0; k < root.efforts.size(); ++k) {
    EXPECT_LT((root.efforts[k] - classical.efforts[k]).norm(), 1e-8 * root.largest_effort) << k;
  }
  const Followed smooth = follow({"controllers.gpc.penalised=change"});
  EXPECT_LT(smooth.worst_error, 0.2 * root.worst_error);
  EXPECT_LT(smooth.against_others, 1e-3);
}

// Tightened drives keep their sense all the way, and the platform does not feel it.
TEST(Predictive, APreloadKeepsTheDrivesFromChangingTheirSense) {
  const Followed loose = follow({}),
                 tight = follow({"controllers.gpc.preload=[24, -24, 24, -24] N*m"});
  const auto changes = [](const Followed& run) {
    int count = 0;
    for (std::size_t k = 1; k < run.efforts.size(); ++k) {
      count +=
          static_cast<int>((run.efforts[k].array() * run.efforts[k - 1].array() < 0.0).count());
    }
    return count;
  };
  EXPECT_GT(changes(loose), 4);
  EXPECT_EQ(changes(tight), 0);
  // Held over a period, the preload acts at a posture that moves on.
  EXPECT_NEAR(tight.worst_error, loose.worst_error, 0.05 * loose.worst_error);
}

// One sample ahead without penalty the law is dead-beat: the platform is where it is wanted one
// period later, but for the change of the frozen model within a period. The offset of the start
// is taken away in one sample; its remainder falls with the period.
TEST(Predictive, OneSampleAheadItIsDeadBeat) {
  const auto left = [](double period_ms) {
    Simulation sim(kBelda,
                   {"controllers.gpc.horizon=1", "controllers.gpc.penalty=0",
                    "controllers.gpc.period=" + std::to_string(period_ms) + " ms",
                    "trajectories.round.start=10 s", "trajectories.round.begin=[0.1201, 0, 0] m"});
    sim.advance_to(1e-3 * period_ms + 1e-7);
    return std::abs(sim.get("block/gpc/x/error"));
  };
  const double coarse = left(8.0), fine = left(4.0);
  EXPECT_LT(coarse, 1e-3 * 1e-4);  // of 0.1 mm
  EXPECT_LT(fine, 1e-3 * 1e-4);
}

const char* kSerialArm = R"yaml(grapple: 1
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: upper, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 2 kg}}
  - {name: fore, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}
joints:
  - {name: shoulder, type: revolute, axis: y, parent: world, child: upper, angle: 0.3 rad}
  - {name: elbow, type: revolute, axis: y, parent: "upper at [1, 0, 0] m", child: fore, angle: 0.5 rad}
controllers:
  - {name: gpc, type: predictive, joints: [shoulder, elbow], set_points: [0.3, 0.5], horizon: 20, period: 5 ms,
     weights: 100, penalty: "0.01 1/(N*m)" EXTRA
}
simulate: {duration: 2 s, tolerance: 1e-9}
)yaml";

std::string serial_arm(const std::string& extra) {
  std::string text = kSerialArm;
  return text.replace(text.find("EXTRA"), 5, extra);
}

// A penalty on the forces leaves an offset under a standing load; one on their changes does not.
TEST(Predictive, AStandingLoadLeavesAnOffsetOnlyWhereTheForceItselfIsPenalised) {
  const auto offset = [](const std::string& extra) {
    const std::string file = testing::TempDir() + "grapple-predictive-arm.yaml";
    std::ofstream(file) << serial_arm(extra);
    Simulation sim(file);
    std::filesystem::remove(file);
    sim.advance_to(2.0);
    return std::abs(sim.get("joint/shoulder/position") - 0.3) +
           std::abs(sim.get("joint/elbow/position") - 0.5);
  };
  EXPECT_GT(offset(""), 1e-4);
  EXPECT_LT(offset(", penalised: change"), 1e-9);
}

TEST(Predictive, WhatDoesNotFitIsRefused) {
  using scenario::ids_of_build;
  EXPECT_EQ(ids_of_build(serial_arm("")), "");
  EXPECT_EQ(ids_of_build(serial_arm(", control_horizon: 21")), "GR-936");
  EXPECT_EQ(ids_of_build(serial_arm(", control_horizon: 2.5")), "GR-936");
  const auto with = [](const std::string& old, const std::string& text) {
    std::string changed = serial_arm("");
    return changed.replace(changed.find(old), old.size(), text);
  };
  EXPECT_EQ(ids_of_build(with("horizon: 20", "horizon: 300")), "GR-936");
  EXPECT_EQ(ids_of_build(with("set_points: [0.3, 0.5]", "set_points: [0.3]")), "GR-985");
  EXPECT_EQ(ids_of_build(with("set_points: [0.3, 0.5]", "frame: fore")), "GR-985");
  EXPECT_EQ(
      ids_of_build(with("[shoulder, elbow], set_points: [0.3, 0.5]", "[elbow], set_points: [0.5]")),
      "GR-935");
  EXPECT_EQ(ids_of_build(with("weights: 100", "weights: [1, 2, 3]")), "GR-986");
}

}  // namespace
}  // namespace grapple
