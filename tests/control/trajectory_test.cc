// References of joints and poses: closed forms, limits, and derivatives against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "grapple/control/trajectory/joint_paths.h"
#include "grapple/control/trajectory/pose_paths.h"
#include "grapple/control/trajectory/rotation_spline.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {
namespace {

using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

constexpr LawKind kAllLaws[] = {LawKind::kSineOnRamp, LawKind::kBangBang, LawKind::kTrapezoid,
                                LawKind::kCubic,      LawKind::kQuintic,  LawKind::kSCurve};
// Step of central differences: their error is h^2/6 f''' + 2e-16 |f| / h, some 1e-8 here.
constexpr double kStep = 1e-4;
constexpr double kDifference = 2e-6;

// Away from times where the acceleration jumps.
bool is_near(const std::vector<double>& times, double t) {
  return std::any_of(times.begin(), times.end(),
                     [t](double x) { return std::abs(x - t) < 2.0 * kStep; });
}

void expect_derivatives(const std::function<Jet(double)>& jet, double from, double to,
                        const std::vector<double>& jumps, double scale) {
  for (int k = 0; k <= 200; ++k) {
    const double t = from + (to - from) * k / 200.0;
    if (is_near(jumps, t)) continue;
    const Jet before = jet(t - kStep), at = jet(t), after = jet(t + kStep);
    EXPECT_NEAR(at.rate, (after.value - before.value) / (2.0 * kStep), kDifference * scale) << t;
    EXPECT_NEAR(at.acceleration, (after.rate - before.rate) / (2.0 * kStep), kDifference * scale)
        << t;
  }
}

std::vector<Jet> jets(const JointReference& reference, double t) {
  std::vector<Jet> all(static_cast<std::size_t>(reference.size()));
  reference.at(t, all);
  return all;
}

void expect_derivatives(const JointReference& reference, double from, double to, double scale) {
  const std::vector<double> jumps = reference.breakpoints(from - 1.0, to + 1.0);
  for (std::size_t j = 0; j < static_cast<std::size_t>(reference.size()); ++j) {
    SCOPED_TRACE(j);
    expect_derivatives([&](double t) { return jets(reference, t)[j]; }, from, to, jumps, scale);
  }
}

TEST(TimeLaw, GoesFromRestToRestWithExactDerivatives) {
  for (const LawKind kind : kAllLaws) {
    SCOPED_TRACE(static_cast<int>(kind));
    TimeLaw law{kind, 2.5};
    if (kind == LawKind::kSCurve) law.rise = 0.3, law.corner = 0.1;
    EXPECT_EQ(law.at(-1.0).value, 0.0);
    EXPECT_EQ(law.at(2.5).value, 1.0);
    EXPECT_EQ(law.at(9.0).rate, 0.0);
    EXPECT_NEAR(law.at(1.25).value, 0.5, 1e-15);
    expect_derivatives([&](double t) { return law.at(t); }, 0.0, 2.5, law.switches(), 1.0);
  }
}

TEST(TimeLaw, PeaksAreThoseOfTheCurve) {
  for (const LawKind kind : kAllLaws) {
    SCOPED_TRACE(static_cast<int>(kind));
    TimeLaw law{kind, 2.0};
    if (kind == LawKind::kSCurve) law.corner = 0.0625;
    Limits seen{0.0, 0.0, 0.0};
    constexpr int kFineSteps = 100000;
    for (int k = 0; k < kFineSteps; ++k) {
      const Jet s = law.at(2.0 * k / kFineSteps);
      seen.rate = std::max(seen.rate, std::abs(s.rate));
      seen.acceleration = std::max(seen.acceleration, std::abs(s.acceleration));
    }
    // Sampled peaks fall short by at most curvature times half a spacing squared, or, where the
    // acceleration has a corner, by its slope times the spacing: 60/8 * 2e-5.
    EXPECT_NEAR(seen.rate, law.peaks().rate, 1e-7);
    EXPECT_NEAR(seen.acceleration, law.peaks().acceleration, 2e-4);
  }
}

// Trapezoid: v/a + D/v where the rate is reached, else 2 sqrt(D/a).
TEST(TimeLaw, TrapezoidTakesTheClosedFormDuration) {
  EXPECT_NEAR(shortest_law(LawKind::kTrapezoid, 3.0, {0.5, 0.25}).duration, 0.5 / 0.25 + 3.0 / 0.5,
              1e-14);
  EXPECT_NEAR(shortest_law(LawKind::kTrapezoid, 0.5, {0.5, 0.25}).duration,
              2.0 * std::sqrt(0.5 / 0.25), 1e-14);
  const Limits no_rate{std::numeric_limits<double>::infinity(), 2.0};
  EXPECT_NEAR(shortest_law(LawKind::kTrapezoid, 8.0, no_rate).duration, 4.0, 1e-14);
  EXPECT_EQ(shortest_law(LawKind::kTrapezoid, 0.0, {0.5, 0.25}).duration, 0.0);
}

// Biagiotti and Melchiorri, example 3.9: D = 10, v = 5, a = 10, j = 30 lasts
// D/v + v/a + a/j = 2 + 0.5 + 0.3333 s.
TEST(TimeLaw, SCurveTakesTheClosedFormDurations) {
  EXPECT_NEAR(shortest_law(LawKind::kSCurve, 10.0, {5.0, 10.0, 30.0}).duration,
              10.0 / 5.0 + 5.0 / 10.0 + 10.0 / 30.0, 1e-14);
  // Neither rate nor acceleration reached: 4 cbrt(D / (2 j)).
  EXPECT_NEAR(shortest_law(LawKind::kSCurve, 0.01, {5.0, 10.0, 30.0}).duration,
              4.0 * std::cbrt(0.01 / 60.0), 1e-14);
  // Acceleration reached, rate not: a/j + sqrt((a/j)^2 + 4 D/a).
  EXPECT_NEAR(shortest_law(LawKind::kSCurve, 3.0, {100.0, 10.0, 30.0}).duration,
              1.0 / 3.0 + std::sqrt(1.0 / 9.0 + 1.2), 1e-14);
  // Rate reached, acceleration not: D/v + 2 sqrt(v/j).
  EXPECT_NEAR(shortest_law(LawKind::kSCurve, 10.0, {1.0, 10.0, 30.0}).duration,
              10.0 + 2.0 * std::sqrt(1.0 / 30.0), 1e-14);
}

TEST(TimeLaw, ShortestLawsTouchALimitAndBreakNone) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-1.0, 1.0);
  for (int k = 0; k < 600; ++k) {
    SCOPED_TRACE(k);
    const LawKind kind = kAllLaws[k % 6];
    const double way = std::pow(10.0, exponent(random));
    Limits limits{std::pow(10.0, exponent(random)), std::pow(10.0, exponent(random)),
                  std::pow(10.0, exponent(random))};
    const TimeLaw law = shortest_law(kind, way, limits);
    const Limits peaks = law.peaks();
    if (!has_continuous_acceleration(kind)) limits.jerk = std::numeric_limits<double>::infinity();
    const double rate = way * peaks.rate / limits.rate;
    const double acceleration = way * peaks.acceleration / limits.acceleration;
    const double jerk = std::isfinite(limits.jerk) ? way * peaks.jerk / limits.jerk : 0.0;
    EXPECT_LE(rate, 1.0 + 1e-12);
    EXPECT_LE(acceleration, 1.0 + 1e-12);
    EXPECT_LE(jerk, 1.0 + 1e-12);
    EXPECT_GE(std::max({rate, acceleration, jerk}), 1.0 - 1e-12);
  }
}

ViaPoints two_joints() {
  ViaPoints via;
  via.points = {{0.0, 0.1}, {0.4, 0.5}, {0.3, -0.2}, {1.0, 0.0}};
  via.times = {0.0, 1.0, 1.5, 3.0};
  via.limits.assign(2, {});
  return via;
}

TEST(JointSpline, PassesItsPointsWithExactDerivatives) {
  const ViaPoints via = two_joints();
  for (const SplineDegree degree : {SplineDegree::kCubic, SplineDegree::kQuintic}) {
    for (const SplineEnds ends : {SplineEnds::kClamped, SplineEnds::kNatural}) {
      const auto built = make_spline_reference(via, degree, ends);
      for (std::size_t k = 0; k < via.times.size(); ++k) {
        const std::vector<Jet> at = jets(*built.reference, via.times[k]);
        for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(at[j].value, via.points[k][j], 1e-14);
      }
      // Third derivatives reach some 200 here: h^2/6 of that is 3e-7.
      expect_derivatives(*built.reference, 0.0, 3.0, 10.0);
    }
  }
}

TEST(JointSpline, IsContinuousAtItsKnotsToItsDegree) {
  const ViaPoints via = two_joints();
  for (const SplineDegree degree : {SplineDegree::kCubic, SplineDegree::kQuintic}) {
    const auto built = make_spline_reference(via, degree, SplineEnds::kClamped);
    const auto third = [&](double t) {  // one-sided differences of the acceleration
      return (jets(*built.reference, t + 1e-6)[0].acceleration -
              jets(*built.reference, t)[0].acceleration) /
             1e-6;
    };
    for (const double knot : {1.0, 1.5}) {
      const Jet before = jets(*built.reference, knot - 1e-9)[0];
      const Jet after = jets(*built.reference, knot + 1e-9)[0];
      EXPECT_NEAR(before.rate, after.rate, 1e-7);
      EXPECT_NEAR(before.acceleration, after.acceleration, 1e-6);  // 2e-9 times the jerk
      if (degree == SplineDegree::kQuintic) {
        EXPECT_NEAR(third(knot - 1.1e-6), third(knot), 1e-2);  // 1e-6 times the snap
      }
    }
    const Jet first = jets(*built.reference, 0.0)[0], last = jets(*built.reference, 3.0)[0];
    EXPECT_NEAR(first.rate, 0.0, 1e-14);
    EXPECT_NEAR(last.rate, 0.0, 1e-13);
    if (degree == SplineDegree::kQuintic) {
      EXPECT_NEAR(first.acceleration, 0.0, 1e-14);
      EXPECT_NEAR(last.acceleration, 0.0, 1e-12);
    }
  }
}

// The quintic spline of two points at rest is the quintic profile, the clamped cubic the cubic.
TEST(JointSpline, OfTwoPointsIsTheProfile) {
  ViaPoints via;
  via.points = {{0.2}, {1.2}};
  via.times = {1.0, 3.0};
  via.limits.assign(1, {});
  const auto quintic = make_spline_reference(via, SplineDegree::kQuintic, SplineEnds::kClamped);
  const auto cubic = make_spline_reference(via, SplineDegree::kCubic, SplineEnds::kClamped);
  const TimeLaw fifth{LawKind::kQuintic, 2.0}, third{LawKind::kCubic, 2.0};
  for (const double t : {1.1, 1.7, 2.4, 2.9}) {
    EXPECT_NEAR(jets(*quintic.reference, t)[0].value, 0.2 + fifth.at(t - 1.0).value, 1e-14);
    EXPECT_NEAR(jets(*cubic.reference, t)[0].acceleration, third.at(t - 1.0).acceleration, 1e-13);
  }
}

TEST(JointSpline, WithoutTimesJustKeepsTheLimits) {
  ViaPoints via = two_joints();
  via.times.clear();
  via.limits = {{0.3, 0.4}, {0.2, 1.0, 3.0}};
  via.start = 2.0;
  const auto built = make_spline_reference(via, SplineDegree::kCubic, SplineEnds::kClamped);
  EXPECT_TRUE(built.faults.empty());
  double closest = 0.0;
  constexpr int kFineSteps = 20000;
  for (int k = 0; k <= kFineSteps; ++k) {
    const auto at = jets(*built.reference, 2.0 + (built.end - 2.0) * k / kFineSteps);
    for (std::size_t j = 0; j < 2; ++j) {
      closest = std::max({closest, std::abs(at[j].rate) / via.limits[j].rate,
                          std::abs(at[j].acceleration) / via.limits[j].acceleration});
    }
  }
  EXPECT_LE(closest, 1.0 + 1e-12);
  EXPECT_GE(closest, 0.999);
}

TEST(JointSpline, SaysWhichLimitBreaks) {
  ViaPoints via = two_joints();
  via.limits[1].rate = 0.1;
  const auto built = make_spline_reference(via, SplineDegree::kCubic, SplineEnds::kClamped);
  ASSERT_EQ(built.faults.size(), 1u);
  EXPECT_EQ(built.faults[0].joint, 1u);
  EXPECT_EQ(built.faults[0].kind, LimitFault::Kind::kRate);
  EXPECT_GT(built.faults[0].found, 1.0);  // it falls by 0.7 in half a second
}

// The slower joint decides; the faster one is slowed down and ends with it.
TEST(JointStages, EndTogetherInTheShortestTime) {
  ViaPoints via;
  via.points = {{0.0, 0.0}, {1.0, -0.2}};
  via.limits = {{0.5, 1.0}, {1.0, 1.0}};
  const auto built = make_stage_reference(via, LawKind::kTrapezoid, Synchronisation::kTime);
  EXPECT_NEAR(built.end, 0.5 / 1.0 + 1.0 / 0.5, 1e-14);
  const auto before = jets(*built.reference, built.end - 1e-3);
  EXPECT_LT(before[0].value, 1.0);
  EXPECT_GT(before[1].value, -0.2);
  EXPECT_EQ(jets(*built.reference, built.end)[1].value, -0.2);
  expect_derivatives(*built.reference, 0.0, built.end, 10.0);
}

TEST(JointStages, AlongThePathKeepTheRatioOfTheJoints) {
  ViaPoints via;
  via.points = {{0.0, 0.0}, {1.0, -0.2}, {1.0, 0.4}};
  via.limits = {{0.5, 1.0}, {1.0, 0.1}};
  const auto built = make_stage_reference(via, LawKind::kTrapezoid, Synchronisation::kPath);
  // First stage: s' at most 0.5, s'' at most min(1, 0.1/0.2) = 0.5: 0.5/0.5 + 1/0.5 = 3 s; second:
  // s' at most 1/0.6, s'' at most 0.1/0.6: 2 sqrt(0.6/0.1).
  EXPECT_NEAR(built.end, 3.0 + 2.0 * std::sqrt(6.0), 1e-13);
  for (const double t : {0.4, 1.3, 2.9}) {
    const auto at = jets(*built.reference, t);
    EXPECT_NEAR(at[1].value, -0.2 * at[0].value, 1e-15);
  }
  expect_derivatives(*built.reference, 0.0, built.end, 10.0);
}

TEST(JointStages, RefuseTimesThatAreTooShort) {
  ViaPoints via;
  via.points = {{0.0}, {1.0}, {0.0}};
  via.times = {0.0, 3.0, 4.0};
  via.limits = {{0.5, 1.0}};
  const auto built = make_stage_reference(via, LawKind::kTrapezoid, Synchronisation::kTime);
  ASSERT_EQ(built.faults.size(), 1u);
  EXPECT_EQ(built.faults[0].stage, 1u);
  EXPECT_NEAR(built.faults[0].found, 2.5, 1e-14);
  EXPECT_NEAR(built.faults[0].allowed, 1.0, 1e-14);
}

TEST(JointStages, BetweenEqualPointsTakeNoTime) {
  ViaPoints via;
  via.points = {{0.3}, {0.3}};
  via.limits = {{0.5, 1.0}};
  const auto built = make_stage_reference(via, LawKind::kTrapezoid, Synchronisation::kTime);
  EXPECT_EQ(built.end, 0.0);
  for (const double t : {-1.0, 0.0, 2.0}) EXPECT_EQ(jets(*built.reference, t)[0].value, 0.3);
}

// --- poses

Mat3 turn(double x, double y, double z) {
  const Vec3 phi(x, y, z);
  return spatial::rotation_matrix(spatial::quaternion_exp(phi));
}

std::vector<Pose> some_poses() {
  return {{turn(0.1, 0.2, 0.3), {0.0, 0.0, 1.0}},
          {turn(1.0, -0.4, 0.2), {0.5, 0.3, 1.2}},
          {turn(1.5, 0.8, -0.9), {1.0, -0.2, 0.8}},
          {turn(0.2, 1.4, -1.2), {1.2, 0.4, 0.1}}};
}

// Velocities and accelerations of a moving pose against differences of poses and velocities.
void expect_motion(const std::function<PoseMotion(double)>& motion, double from, double to,
                   const std::vector<double>& jumps, double scale) {
  for (int k = 0; k <= 100; ++k) {
    const double t = from + (to - from) * (k + 0.37) / 101.0;
    if (is_near(jumps, t)) continue;
    const PoseMotion before = motion(t - kStep), at = motion(t), after = motion(t + kStep);
    const Vec3 v = (after.p_WF - before.p_WF) / (2.0 * kStep);
    const Mat3 step = after.R_WF * before.R_WF.transpose();
    const Vec3 omega = spatial::rotation_vector(spatial::quaternion_of(step)) / (2.0 * kStep);
    const Vec3 a = (after.V_WF.lin - before.V_WF.lin) / (2.0 * kStep);
    const Vec3 alpha = (after.V_WF.ang - before.V_WF.ang) / (2.0 * kStep);
    EXPECT_LT((at.V_WF.lin - v).norm(), kDifference * scale) << t;
    EXPECT_LT((at.V_WF.ang - omega).norm(), kDifference * scale) << t;
    EXPECT_LT((at.A_WF.lin - a).norm(), kDifference * scale) << t;
    EXPECT_LT((at.A_WF.ang - alpha).norm(), kDifference * scale) << t;
    EXPECT_LT((at.R_WF.transpose() * at.R_WF - Mat3::Identity()).norm(), 1e-14);
  }
}

TEST(RotationSpline, PassesItsOrientationsWithContinuousAngularAcceleration) {
  const std::vector<double> knots{0.0, 1.0, 1.6, 3.0};
  std::vector<Mat3> rotations;
  for (const Pose& pose : some_poses()) rotations.push_back(pose.R);
  for (const SplineEnds ends : {SplineEnds::kClamped, SplineEnds::kNatural}) {
    const RotationSpline spline(knots, rotations, ends);
    ASSERT_TRUE(spline.converged());
    for (std::size_t k = 0; k < knots.size(); ++k) {
      EXPECT_LT((spline.at(knots[k]).R - rotations[k]).norm(), 1e-14) << k;
    }
    for (const double knot : {1.0, 1.6}) {
      const Turning before = spline.at(knot - 1e-12), after = spline.at(knot);
      EXPECT_LT((before.omega - after.omega).norm(), 1e-10) << knot;
      EXPECT_LT((before.alpha - after.alpha).norm(), 1e-10) << knot;
    }
    const Turning first = spline.at(0.0), last = spline.at(3.0);
    if (ends == SplineEnds::kClamped) {
      EXPECT_LT(first.omega.norm() + last.omega.norm(), 1e-13);
    } else {
      EXPECT_LT(first.alpha.norm() + last.alpha.norm(), 1e-12);
    }
  }
}

// About a fixed axis it is the ordinary cubic spline of the angle.
TEST(RotationSpline, AboutOneAxisIsTheSplineOfTheAngle) {
  const std::vector<double> knots{0.0, 1.0, 1.6, 3.0}, angles{0.2, 1.0, 0.4, 2.1};
  const Vec3 axis = Vec3(1.0, -2.0, 0.5).normalized();
  std::vector<Mat3> rotations;
  for (const double angle : angles) rotations.push_back(spatial::rotation_about(axis, angle));
  const RotationSpline spline(knots, rotations, SplineEnds::kNatural);
  const PolynomialPath path = PolynomialPath::cubic(knots, angles, SplineEnds::kNatural);
  for (const double x : {0.3, 1.2, 1.9, 2.8}) {
    const Jet expected = path.at(x);
    const Turning found = spline.at(x);
    EXPECT_LT((found.R - spatial::rotation_about(axis, expected.value)).norm(), 1e-13);
    EXPECT_LT((found.omega - expected.rate * axis).norm(), 1e-13);
    EXPECT_LT((found.alpha - expected.acceleration * axis).norm(), 1e-12);
  }
}

// Turning the world turns the spline with it.
TEST(RotationSpline, DoesNotDependOnTheAxes) {
  const std::vector<double> knots{0.0, 1.0, 1.6, 3.0};
  const Mat3 Q = turn(0.7, -1.9, 0.4);
  std::vector<Mat3> rotations, turned;
  for (const Pose& pose : some_poses()) {
    rotations.push_back(pose.R);
    turned.push_back(Q * pose.R);
  }
  const RotationSpline one(knots, rotations, SplineEnds::kClamped);
  const RotationSpline other(knots, turned, SplineEnds::kClamped);
  for (const double x : {0.3, 1.2, 1.9, 2.8}) {
    EXPECT_LT((Q * one.at(x).R - other.at(x).R).norm(), 1e-13);
    EXPECT_LT((Q * one.at(x).alpha - other.at(x).alpha).norm(), 1e-12);
  }
}

TEST(PosePath, DerivativesAreThoseOfTheMotion) {
  const std::vector<Pose> poses = some_poses();
  const TimeLaw law{LawKind::kQuintic, 3.0};
  Circle circle{{1.0, 0.0, 0.0},
                Vec3::UnitZ(),
                {turn(0.1, 0.2, 0.3), {1.5, 0.0, 0.0}},
                5.0,
                Circle::Orientation::kTurning};
  std::vector<std::unique_ptr<PosePath>> paths;
  paths.push_back(make_line_path(
      poses, {TimeLaw{LawKind::kSineOnRamp, 1.0}, TimeLaw{LawKind::kTrapezoid, 1.2}, law}, 0.5));
  paths.push_back(make_circle_path(circle, law, 0.0));
  paths.push_back(make_timed_spline_path(poses, {0.0, 1.0, 1.6, 3.0}, SplineEnds::kClamped));
  paths.push_back(make_spline_path(poses, law, 0.2));
  for (const auto& path : paths) {
    SCOPED_TRACE(&path - paths.data());
    // Jerks reach some 300 here: h^2/6 of that is 5e-7.
    expect_motion([&](double t) { return path->at(t); }, -0.5, 6.0, path->switches(), 30.0);
  }
}

TEST(PosePath, LineIsStraightAndTurnsAboutOneAxis) {
  const std::vector<Pose> poses{{turn(0.1, 0.2, 0.3), {0.0, 0.0, 1.0}},
                                {turn(1.0, -0.4, 0.2), {0.5, 0.3, 1.2}}};
  const auto path = make_line_path(poses, {TimeLaw{LawKind::kSineOnRamp, 2.0}}, 1.0);
  const Vec3 way = poses[1].p - poses[0].p;
  Vec3 axis = Vec3::Zero();
  for (const double t : {1.2, 1.9, 2.7}) {
    const PoseMotion at = path->at(t);
    // Kim (1999), 6.8: t_a - b sin(t_a/b), b = T / (2 pi).
    const double b = 2.0 / (2.0 * std::numbers::pi), ta = t - 1.0;
    EXPECT_LT((at.p_WF - poses[0].p - way * (ta - b * std::sin(ta / b)) / 2.0).norm(), 1e-14);
    if (!axis.isZero()) {
      EXPECT_LT((at.V_WF.ang.normalized() - axis).norm(), 1e-13);
    }
    axis = at.V_WF.ang.normalized();
  }
  EXPECT_LT((path->at(3.0).R_WF - poses[1].R).norm(), 1e-14);
}

TEST(PosePath, CircleKeepsItsRadiusAndPlane) {
  const Vec3 axis = Vec3(1.0, 2.0, -0.5).normalized(), centre(0.3, -0.1, 2.0);
  const Vec3 arm = 0.7 * axis.cross(Vec3::UnitX()).normalized();
  const Circle circle{centre,
                      axis,
                      {Mat3::Identity(), centre + arm},
                      2.0 * std::numbers::pi,
                      Circle::Orientation::kTurning};
  const auto path = make_circle_path(circle, TimeLaw{LawKind::kTrapezoid, 4.0}, 0.0);
  for (int k = 0; k <= 40; ++k) {
    const PoseMotion at = path->at(0.1 * k);
    const Vec3 r = at.p_WF - centre;
    EXPECT_NEAR(r.norm(), 0.7, 1e-14);
    EXPECT_NEAR(r.dot(axis), 0.0, 1e-14);
    EXPECT_NEAR(at.V_WF.lin.dot(r), 0.0, 1e-14);
    EXPECT_LT((at.R_WF * arm - r).norm(), 1e-14);  // it turns with the circle
    // Across the path: v^2 / r.
    EXPECT_NEAR(-at.A_WF.lin.dot(r) / 0.7, at.V_WF.lin.squaredNorm() / 0.7, 1e-13);
  }
  EXPECT_LT((path->at(4.0).p_WF - path->at(0.0).p_WF).norm(), 1e-14);  // a full turn
}

// A target that itself flies along a spline: the composed motion against differences.
TEST(PoseReference, RelativeToAMovingFrameMovesWithIt) {
  const auto target =
      make_timed_spline_path(some_poses(), {0.0, 1.0, 1.6, 3.0}, SplineEnds::kNatural);
  const Circle circle{{0.1, 0.0, 0.0},
                      Vec3::UnitZ(),
                      {turn(0.3, 0.0, 0.1), {0.5, 0.0, 0.0}},
                      4.0,
                      Circle::Orientation::kTurning};
  const auto reference = make_pose_reference(
      make_circle_path(circle, TimeLaw{LawKind::kSineOnRamp, 3.0}, 0.0), "frame/target/port/");
  ASSERT_EQ(reference->reads(PoseOrder::kAccelerations).size(), 19u);
  EXPECT_EQ(reference->reads(PoseOrder::kAccelerations)[3], "frame/target/port/orientation_w");
  EXPECT_EQ(reference->reads(PoseOrder::kAccelerations)[18], "frame/target/port/acceleration_z");
  const auto at = [&](double t) {
    const PoseMotion X = target->at(t);
    std::vector<double> in;
    const auto put = [&](const auto& v) { in.insert(in.end(), v.data(), v.data() + v.size()); };
    put(X.p_WF);
    put(spatial::quaternion_of(X.R_WF));
    for (const Vec3& v : {X.V_WF.ang, X.V_WF.lin, X.A_WF.ang, X.A_WF.lin}) put(v);
    return reference->at(t, in);
  };
  expect_motion(at, 0.05, 2.95, {1.0, 1.6}, 100.0);
}

}  // namespace
}  // namespace grapple::control
