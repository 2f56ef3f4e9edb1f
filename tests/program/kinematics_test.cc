// ik, inverse, plan, jacobian and dynamics through the program.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "program/support.h"

namespace grapple::program {
namespace {

// Two links of 1 m and 0.8 m in the plane.
const char* kPlanarArm = R"(grapple: 1
name: planar
bodies:
  - {name: upper, mass: 4 kg, com: [0.5, 0, 0] m, inertia: [0.1, 0.4, 0.4] kg*m^2}
  - {name: fore, mass: 2 kg, com: [0.4, 0, 0] m, inertia: [0.1, 0.2, 0.2] kg*m^2, frames: [{name: tip, position: [0.8, 0, 0] m}]}
joints:
  - {name: shoulder, type: revolute, axis: z, parent: world, child: upper, angle: 10 deg}
  - {name: elbow, type: revolute, axis: z, parent: "upper at [1, 0, 0] m", child: fore, angle: 30 deg, spring: {stiffness: 50 N*m/rad}}
trajectories:
  - {name: slew, type: joints, joints: [shoulder, elbow], points: ["[10, 30] deg", "[60, 0] deg"], times: "[0, 2] s", profile: quintic}
simulate: {duration: 2 s}
)";

std::vector<std::vector<double>> table_of(const fs::path& file, std::vector<std::string>& names) {
  std::istringstream text(text_of(file));
  std::string line, cell;
  std::getline(text, line);
  std::istringstream head(line);
  names.clear();
  while (std::getline(head, cell, ',')) names.push_back(cell);
  std::vector<std::vector<double>> rows;
  while (std::getline(text, line)) {
    std::istringstream row(line);
    rows.emplace_back();
    while (std::getline(row, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

TEST(Ik, FindsTheAnglesOfAPlanarArm) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", kPlanarArm);
  const Outcome outcome =
      grapple({"ik", file, "--frame", "fore/tip", "--position", "[0.9, 0.7, 0] m", "--json",
               (scratch / "ik.json").string(), "--write", (scratch / "there.yaml").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto result = json_of(scratch / "ik.json");
  const double a = result.at("joints").at("shoulder"), b = result.at("joints").at("elbow");
  EXPECT_NEAR(std::cos(a) + 0.8 * std::cos(a + b), 0.9, 1e-11);
  EXPECT_NEAR(std::sin(a) + 0.8 * std::sin(a + b), 0.7, 1e-11);
  // Law of cosines: |p|^2 = 1 + 0.64 + 1.6 cos(elbow).
  EXPECT_NEAR(std::abs(b), std::acos((0.81 + 0.49 - 1.64) / 1.6), 1e-11);
  const Outcome again =
      grapple({"jacobian", (scratch / "there.yaml").string(), "--frame", "fore/tip", "--joints",
               "shoulder, elbow", "--json", (scratch / "j.json").string()});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto jacobian = json_of(scratch / "j.json");
  EXPECT_NEAR(jacobian.at("position")[0].get<double>(), 0.9, 1e-9);
  EXPECT_EQ(jacobian.at("joint_jacobian")[0].size(), 2u);
}

// Kostadinov, Boiadjiev (2002): a turning and two sliding joints in a plane. With unit deviations
// the squares of the semi-axes are 1 + q2^2 + H^2 and 1, the eigenvalues of A^T A with
// A = [H, 1, 0; -q2, 0, 1], besides zero.
TEST(Jacobian, ErrorEllipsoidsOfAPlanarRobotAreThoseOfTheSource) {
  const Scratch scratch;
  const std::string file = scratch.file("rtt.yaml", R"(grapple: 1
bodies:
  - {name: a, mass: 1 kg, inertia: [1, 1, 1]}
  - {name: b, mass: 1 kg, inertia: [1, 1, 1]}
  - {name: c, mass: 1 kg, inertia: [1, 1, 1]}
joints:
  - {name: q1, type: revolute, axis: z, parent: world, child: a, angle: 30 deg}
  - {name: q2, type: prismatic, axis: x, parent: a, child: b, displacement: 0.4 m}
  - {name: q3, type: prismatic, axis: y, parent: b, child: c, displacement: 0.7 m}
simulate: {duration: 1 s}
)");
  const auto errors = [&](const std::string& text) {
    const Outcome outcome = grapple({"jacobian", file, "--frame", "c", "--joints", "q1,q2,q3",
                                     "--errors", text, "--json", (scratch / "j.json").string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json_of(scratch / "j.json");
  };
  const auto unit = errors("1 rad, 1 m, 1 m");
  const auto& axes = unit.at("error_ellipsoids").at("position");
  EXPECT_NEAR(std::pow(axes[0].at("semi_axis").get<double>(), 2), 1.0 + 0.16 + 0.49, 1e-12);
  EXPECT_NEAR(std::pow(axes[1].at("semi_axis").get<double>(), 2), 1.0, 1e-12);
  EXPECT_NEAR(axes[2].at("semi_axis").get<double>(), 0.0, 1e-12);
  // The place alone errs by the deviation of q1 times its distance from the axis.
  const auto turned = errors("0.1 deg, 0 m, 0 m");
  const double deviation = 0.1 * std::numbers::pi / 180.0;
  EXPECT_NEAR(turned.at("error_ellipsoids").at("position")[0].at("semi_axis").get<double>(),
              deviation * std::hypot(0.4, 0.7), 1e-12);
  EXPECT_NEAR(turned.at("error_ellipsoids").at("orientation")[0].at("semi_axis").get<double>(),
              deviation, 1e-14);
  for (const char* wrong : {"1 mm, 1 mm, 1 mm", "0.1 deg, 1 mm", "-1 rad, 1 m, 1 m"}) {
    const Outcome outcome =
        grapple({"jacobian", file, "--frame", "c", "--joints", "q1,q2,q3", "--errors", wrong});
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_NE(outcome.err.find("GR-619"), std::string::npos) << outcome.err;
  }
}

TEST(Ik, SaysHowNearItGets) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", kPlanarArm);
  const Outcome outcome = grapple({"ik", file, "--frame", "fore/tip", "--position", "[3, 0, 0] m"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("GR-620"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("is 1.2 m"), std::string::npos) << outcome.err;  // 3 - 1.8
}

TEST(Ik, RefusesWhatItCannotMove) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", kPlanarArm);
  const auto fails = [&](const std::vector<std::string>& options, const std::string& words) {
    std::vector<std::string> arguments{"ik", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = grapple(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << words;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  fails({"--frame", "fore/tip", "--position", "[1, 0, 0] m", "--joints", "elbw"}, "elbow");
  fails({"--frame", "fore/tp", "--position", "[1, 0, 0] m"}, "GR-613");
  fails({"--frame", "fore/tip", "--position", "[1, 0] m"}, "--position");
  fails({"--frame", "fore/tip", "--position", "[1, 0, 0] kg"}, "GR-204");
  fails({"--frame", "fore/tip", "--position", "[1, 0, 0] m", "--rotation", "{axis: z}"}, "GR-209");
  fails({"--frame", "fore/tip", "--position", "[1, 0, 0] m", "--set", "joints.shoulder.locked=true",
         "--joints", "shoulder"},
        "locked");
}

// All joints of this example are led: the drives of a run are the efforts of the motion.
TEST(Inverse, AgreesWithTheDrivesOfARun) {
  const Scratch scratch;
  const std::string example = (source_directory() / "examples/chen/ground-arm.yaml").string();
  ASSERT_EQ(
      grapple({"run", example, "--out", (scratch / "run").string(), "--csv", "--quiet"}).exit_code,
      0);
  const Outcome outcome =
      grapple({"inverse", example, "--out", (scratch / "efforts.csv").string(), "--step", "0.01"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::string> run_names, names;
  const auto run = table_of(scratch / "run/channels.csv", run_names);
  const auto rows = table_of(scratch / "efforts.csv", names);
  ASSERT_EQ(rows.size(), 701u);
  ASSERT_EQ(run.size(), rows.size());
  ASSERT_EQ(names.size(), 5u);
  for (std::size_t c = 1; c < names.size(); ++c) {
    const auto found = std::find(run_names.begin(), run_names.end(), names[c]);
    ASSERT_NE(found, run_names.end()) << names[c];
    const auto at = static_cast<std::size_t>(found - run_names.begin());
    double largest = 0.0, difference = 0.0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      ASSERT_NEAR(rows[k][0], run[k][0], 1e-12);
      // At a switch of a profile the acceleration has two values; here all are continuous.
      largest = std::max(largest, std::abs(run[k][at]));
      difference = std::max(difference, std::abs(rows[k][c] - run[k][at]));
    }
    EXPECT_GT(largest, 1e-3) << names[c];
    EXPECT_LT(difference, 1e-10 * largest) << names[c];  // the same numbers but for rounding
  }
}

// The same motion by prescribed positions and by a trajectory.
TEST(Inverse, OfATrajectoryIsThatOfThePrescribedMotion) {
  const Scratch scratch;
  const std::string free = scratch.file("free.yaml", kPlanarArm);
  std::string text = kPlanarArm;
  const auto put = [&](const std::string& old, const std::string& replacement) {
    const std::size_t at = text.find(old);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, old.size(), replacement);
  };
  put("angle: 10 deg}",
      "motion: {position: {profile: quintic, from: 10 deg, to: 60 deg, duration: 2 s}}}");
  put("angle: 30 deg,",
      "motion: {position: {profile: quintic, from: 30 deg, to: 0 deg, duration: 2 s}},");
  const std::string led = scratch.file("led.yaml", text);
  ASSERT_EQ(
      grapple({"inverse", free, "--trajectory", "slew", "--out", (scratch / "a.csv").string()})
          .exit_code,
      0);
  const Outcome outcome = grapple({"inverse", led, "--out", (scratch / "b.csv").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::string> names;
  const auto a = table_of(scratch / "a.csv", names), b = table_of(scratch / "b.csv", names);
  ASSERT_EQ(a.size(), 1001u);
  ASSERT_EQ(b.size(), a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k][1], b[k][1], 1e-11);
    EXPECT_NEAR(a[k][2], b[k][2], 1e-11);
  }
  EXPECT_GT(std::abs(a[200][1]), 0.1);
}

TEST(Inverse, RefusesAMotionThatIsNotKnown) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", kPlanarArm), out = (scratch / "a.csv").string();
  const Outcome unknown = grapple({"inverse", file, "--out", out});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("GR-621"), std::string::npos) << unknown.err;
  const Outcome misspelt = grapple({"inverse", file, "--trajectory", "slow", "--out", out});
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_NE(misspelt.err.find("slew"), std::string::npos) << misspelt.err;
  EXPECT_FALSE(fs::exists(out));
}

TEST(Dynamics, ShowsStiffnessAndWhatCoordinatesBelongTo) {
  const Scratch scratch;
  const std::string file = scratch.file("arm.yaml", kPlanarArm);
  ASSERT_EQ(grapple({"dynamics", file, "--json", (scratch / "d.json").string(), "--set",
                     "joints.elbow.spring.rest=30 deg"})
                .exit_code,
            0);
  const auto result = json_of(scratch / "d.json");
  EXPECT_EQ(result.at("kinds")[0], "joint");
  // No weight, at rest: the spring of the elbow alone.
  EXPECT_NEAR(result.at("stiffness_matrix")[1][1].get<double>(), 50.0, 1e-9);
  EXPECT_NEAR(result.at("stiffness_matrix")[0][1].get<double>(), 0.0, 1e-9);
}

// A parallelogram: the coupler moves without turning, its velocity is that of the crank's end.
TEST(Jacobian, OfAClosedLoopIsReducedToIndependentCoordinates) {
  const Scratch scratch;
  const std::string file = scratch.file("loop.yaml", R"(grapple: 1
bodies:
  - {name: crank, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: coupler, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
  - {name: rocker, mass: 1 kg, inertia: [1, 1, 1] kg*m^2}
joints:
  - {name: a, type: revolute, axis: z, parent: world, child: crank, angle: 60 deg}
  - {name: b, type: revolute, axis: z, parent: "crank at [0.5, 0, 0] m", child: coupler, angle: -60 deg}
  - {name: c, type: revolute, axis: z, parent: "world at [1, 0, 0] m", child: rocker, angle: 60 deg}
loops:
  - {name: close, type: revolute, axis: z, between: ["coupler at [1, 0, 0] m", "rocker at [0.5, 0, 0] m"]}
simulate: {duration: 1 s}
)");
  const Outcome outcome =
      grapple({"jacobian", file, "--frame", "coupler", "--json", (scratch / "j.json").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto result = json_of(scratch / "j.json");
  ASSERT_EQ(result.at("independent").size(), 1u);
  const auto& J = result.at("reduced_jacobian");
  EXPECT_NEAR(J[2][0].get<double>(), 0.0, 1e-9);  // it does not turn
  const double speed = std::hypot(J[3][0].get<double>(), J[4][0].get<double>());
  EXPECT_NEAR(speed, 0.5, 1e-9);
}

// Chen (1999), 6.2, by trends: a heavier weight on the moment makes it smaller and the force
// larger, and retracts module 2 further; the smaller module 2, the less the weights matter. The
// digest's own transcription of case 1 has moments from -24 to 30 N m (1:1) and -28 to 28 N m
// (10:1).
struct Planned {
  double cost = 0.0, moment = 0.0, force = 0.0, retraction = 0.0;
};

Planned planned(const std::string& example, const std::string& weight) {
  const Scratch scratch;
  const Outcome outcome =
      grapple({"plan", (source_directory() / "examples/chen" / example).string(), "--set",
               "plan.moment_weight=" + weight, "--set", "plan.segments=10", "--out",
               (scratch / "plan.csv").string(), "--json", (scratch / "plan.json").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto result = json_of(scratch / "plan.json");
  EXPECT_LT(result.at("miss").get<double>(), 1e-8);
  std::vector<std::string> names;
  const auto rows = table_of(scratch / "plan.csv", names);
  Planned found;
  found.cost = result.at("cost");
  // Mean squares of the table by the trapezoidal rule: what the integral weighs.
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    for (const std::size_t i : {k, k + 1}) {
      const double half = 0.5 * (rows[k + 1][0] - rows[k][0]);
      found.moment += half * rows[i][6] * rows[i][6];
      found.force += half * (rows[i][7] * rows[i][7] + rows[i][8] * rows[i][8]);
    }
  }
  const auto& extension = result.at("joints").at("extension");
  found.retraction = extension.at("largest").get<double>() - extension.at("least").get<double>();
  return found;
}

TEST(Plan, FollowsTheTrendsOfChen) {
  const Planned even = planned("plan-1.yaml", "1"), moment = planned("plan-1.yaml", "10");
  EXPECT_NEAR(even.cost, even.moment + even.force, 1e-3 * even.cost);
  EXPECT_LT(moment.moment, even.moment);
  EXPECT_GT(moment.force, even.force);
  EXPECT_GT(moment.retraction, even.retraction + 0.05);  // m: 3.64 and 3.73 of 3.75
  const Planned small = planned("plan-0.2.yaml", "1"), small10 = planned("plan-0.2.yaml", "10");
  EXPECT_LT(small.retraction, even.retraction);
  const double change = (even.moment - moment.moment) / even.moment;
  const double small_change = (small.moment - small10.moment) / small.moment;
  EXPECT_GT(change, 0.2);         // 31 %
  EXPECT_LT(small_change, 0.01);  // 0.2 %
}

TEST(Plan, SaysWhatIsMissing) {
  const Scratch scratch;
  const std::string out = (scratch / "plan.csv").string();
  const Outcome none = grapple({"plan", scratch.file("arm.yaml", kPlanarArm), "--out", out});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("GR-622"), std::string::npos) << none.err;
  const Outcome far = grapple({"plan", (source_directory() / "examples/chen/plan-1.yaml").string(),
                               "--set", "plan.to=[30, 0, 0] m", "--out", out});
  EXPECT_EQ(far.exit_code, 3);
  EXPECT_NE(far.err.find("GR-623"), std::string::npos) << far.err;
}

}  // namespace
}  // namespace grapple::program
