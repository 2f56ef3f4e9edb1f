// Position and force controlled in directions of a task frame: each law meets what it is told, and
// neither feels the other's error.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {
namespace {

const std::string kWipe = std::string(GRAPPLE_SOURCE_DIR) + "/examples/control/wipe.yaml";

Eigen::Vector3d tip(Simulation& sim, const std::string& quantity) {
  Eigen::Vector3d value;
  for (int k = 0; k < 3; ++k) {
    value[k] = sim.get("frame/fore/tip/" + quantity + "_" + "xyz"[k]);
  }
  return value;
}

// Right after a sample the tip accelerates as both laws ask, in contact and with friction: along
// the normal by (error + integral - damping v)/inertia, across it by the position law alone.
TEST(HybridControl, TheTipAcceleratesAsBothLawsAsk) {
  const double angle = -70.0 * std::numbers::pi / 180.0;
  const Eigen::Matrix3d R = Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitY()).toRotationMatrix();
  // The path rests, the start is off it, and the position law is slow: all errors are there.
  Simulation sim(kWipe, {"trajectories.round.start=10 s", "joints.waist.angle=15 deg",
                         "controllers.wipe.stiffness=[20, 20, 0] N/m",
                         "controllers.wipe.damping=[4, 4, 443] N*s/m"});
  int in_contact = 0;
  for (int k = 100; k <= 1600; k += 75) {
    const double t = 0.001 * k;
    sim.advance_to(t);
    const Eigen::Vector3d v = R.transpose() * tip(sim, "velocity");
    in_contact += sim.get("contact/wipe/normal_force") > 5.0 ? 1 : 0;
    sim.advance_to(t + 1e-8);
    const Eigen::Vector3d a = R.transpose() * tip(sim, "acceleration");
    const Eigen::Vector3d asked((20.0 * sim.get("block/wipe/error_x") - 4.0 * v.x()) / 5.0,
                                (20.0 * sim.get("block/wipe/error_y") - 4.0 * v.y()) / 5.0,
                                (sim.get("block/wipe/force_error_z") +
                                 sim.get("block/wipe/force_integral_z") - 443.0 * v.z()) /
                                    5.0);
    EXPECT_LT((a - asked).norm(), 1e-5 * (1.0 + asked.norm())) << t;
  }
  EXPECT_GT(in_contact, 5);
}

struct Wiped {
  double worst_x = 0.0, worst_y = 0.0;  // m, once it moves
  double low = 1e9, high = 0.0;         // N
  std::vector<double> x, y, force;
};

Wiped wipe(const std::vector<std::string>& settings) {
  Simulation sim(kWipe, settings);
  Wiped result;
  for (int k = 130; k <= 400; ++k) {
    sim.advance_to(0.01 * k + 1e-6);
    result.x.push_back(sim.get("block/wipe/error_x"));
    result.y.push_back(sim.get("block/wipe/error_y"));
    result.force.push_back(sim.get("contact/wipe/normal_force"));
    result.worst_x = std::max(result.worst_x, std::abs(result.x.back()));
    result.worst_y = std::max(result.worst_y, std::abs(result.y.back()));
    result.low = std::min(result.low, result.force.back());
    result.high = std::max(result.high, result.force.back());
  }
  EXPECT_EQ(sim.ending(), "completed");
  return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

TEST(HybridControl, ForceAndPathAreMetAndDoNotDisturbEachOther) {
  const Wiped wiped = wipe({});
  EXPECT_NEAR(wiped.low, 20.0, 0.4);
  EXPECT_NEAR(wiped.high, 20.0, 0.4);
  EXPECT_LT(std::max(wiped.worst_x, wiped.worst_y), 1e-3);
  // Twice the force, and with it twice the friction: the path does not feel it.
  const Wiped harder = wipe({"controllers.wipe.wanted_force=[0, 0, -40] N"});
  EXPECT_NEAR(harder.force.back(), 40.0, 0.4);
  EXPECT_LT(largest_difference(wiped.x, harder.x), 2e-4);
  EXPECT_LT(largest_difference(wiped.y, harder.y), 2e-4);
  // A softer position law errs more; the force does not feel it.
  const Wiped softer = wipe({"controllers.wipe.stiffness=[125, 125, 0] N/m",
                             "controllers.wipe.damping=[50, 50, 443] N*s/m"});
  EXPECT_LT(largest_difference(wiped.force, softer.force), 0.2);
}

TEST(HybridControl, WhatDoesNotFitIsRefused) {
  const auto refused = [](const std::vector<std::string>& settings) {
    try {
      Simulation sim(kWipe, settings);
    } catch (const Error& error) {
      return error.id();  // the measures of its channels are faults, too
    }
    return std::string();
  };
  EXPECT_EQ(refused({"controllers.wipe.task_frame=pain"}), "GR-988");
  EXPECT_EQ(refused({"controllers.wipe.force_axes=[rz]"}), "GR-986");
  EXPECT_EQ(refused({"controllers.wipe.force=[contact/wipe/force_x]"}), "GR-986");
}

}  // namespace
}  // namespace grapple
