// Sensors by themselves: their errors against theory, their geometry against closed forms.
#include "grapple/control/sensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "grapple/control/noise.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {
namespace {

using spatial::Pose;
using spatial::Vec3;

constexpr double kSensorPeriod = 0.01;

// A sensor run by hand, sample by sample.
class Bench {
 public:
  explicit Bench(std::unique_ptr<Sensor> sensor)
      : sensor_(std::move(sensor)),
        memory_(sensor_->memory().size(), 0.0),
        out_(sensor_->outputs().size(), 0.0) {}

  const std::vector<double>& sample(std::int64_t k, const std::vector<double>& in) {
    std::vector<element::Request> requests;
    element::Sample sample{sensor_->time_of(k), in, out_, memory_, requests};
    sensor_->update(sample);
    EXPECT_TRUE(requests.empty());
    return out_;
  }
  Sensor& sensor() { return *sensor_; }

 private:
  std::unique_ptr<Sensor> sensor_;
  std::vector<double> memory_, out_;
};

SensorSpec spec_of(const std::string& name, std::uint64_t seed, std::vector<SensorErrors> errors) {
  return {name, {kSensorPeriod, 0.0, 0.0}, seed, std::move(errors)};
}

Bench thermometer(const std::string& name, std::uint64_t seed, const SensorErrors& errors) {
  return Bench(make_summing_sensor(spec_of(name, seed, {errors}), {{"value", "1", {{"x", 1.0}}}}));
}

std::vector<double> series(const std::string& name, std::uint64_t seed, const SensorErrors& errors,
                           std::int64_t count, double x = 0.0) {
  Bench bench = thermometer(name, seed, errors);
  std::vector<double> shown;
  for (std::int64_t k = 0; k < count; ++k) shown.push_back(bench.sample(k, {x})[0]);
  return shown;
}

double mean_of(const std::vector<double>& y) {
  double sum = 0.0;
  for (const double one : y) sum += one;
  return sum / static_cast<double>(y.size());
}

// 3.89 standard deviations: 1 of 10000 fair generators would fail each of these; the numbers are
// the same in every run.
constexpr double kBound = 3.89;
constexpr std::int64_t kMany = 200000;

TEST(SensorNoise, HasTheMomentsOfANormalDistribution) {
  const double n = kMany, sigma = 2.0, bias = 0.7;
  const std::vector<double> y = series("probe", 1, {.noise = sigma, .bias = bias}, kMany, 3.0);
  const double mean = mean_of(y);
  EXPECT_NEAR(mean, 3.0 + bias, kBound * sigma / std::sqrt(n));
  double second = 0.0, third = 0.0, fourth = 0.0;
  for (const double one : y) {
    const double d = (one - mean) / sigma;
    second += d * d / n;
    third += d * d * d / n;
    fourth += d * d * d * d / n;
  }
  EXPECT_NEAR(second, 1.0, kBound * std::sqrt(2.0 / n));
  EXPECT_NEAR(third, 0.0, kBound * std::sqrt(15.0 / n));
  EXPECT_NEAR(fourth, 3.0, kBound * std::sqrt(96.0 / n));
}

TEST(SensorNoise, IsWhite) {
  const std::vector<double> y = series("probe", 2, {.noise = 1.0}, kMany);
  const double n = kMany;
  for (std::size_t lag = 1; lag <= 20; ++lag) {
    double sum = 0.0;
    for (std::size_t k = lag; k < y.size(); ++k) sum += y[k] * y[k - lag];
    EXPECT_LT(std::abs(sum / n), kBound / std::sqrt(n)) << lag;
  }
}

TEST(SensorNoise, OfOtherSeedsNamesAndComponentsIsIndependent) {
  const double n = kMany;
  const std::vector<double> first = series("probe", 1, {.noise = 1.0}, kMany);
  for (const auto& [name, seed] : {std::pair("probe", 2), std::pair("probf", 1)}) {
    const std::vector<double> other =
        series(name, static_cast<std::uint64_t>(seed), {.noise = 1.0}, kMany);
    double sum = 0.0;
    for (std::size_t k = 0; k < first.size(); ++k) sum += first[k] * other[k];
    EXPECT_LT(std::abs(sum / n), kBound / std::sqrt(n)) << name << seed;
  }
  const std::uint64_t key = noise::key_of(1, "probe");
  for (const auto& [component, stream] : {std::pair(1, 0), std::pair(0, 1)}) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < kMany; ++k) {
      sum +=
          noise::normal(key, k, 0, 0) * noise::normal(key, k, static_cast<std::uint64_t>(component),
                                                      static_cast<std::uint64_t>(stream));
    }
    EXPECT_LT(std::abs(sum / n), kBound / std::sqrt(n)) << component << stream;
  }
}

TEST(SensorNoise, DependsOnTheSampleAlone) {
  const std::vector<double> whole = series("probe", 5, {.noise = 1.0}, 1000);
  EXPECT_EQ(series("probe", 5, {.noise = 1.0}, 1000), whole);
  Bench late = thermometer("probe", 5, {.noise = 1.0});
  for (const std::int64_t k : {999, 3, 500}) {
    EXPECT_EQ(late.sample(k, {0.0})[0], whole[static_cast<std::size_t>(k)]) << k;
  }
  EXPECT_EQ(std::set<double>(whole.begin(), whole.end()).size(), whole.size());
}

// Over many sensors the variance after a time t is drift^2 t; the increments are white.
TEST(SensorNoise, DriftIsARandomWalk) {
  constexpr std::int64_t kSamples = 100;
  constexpr int kSensors = 4000;
  const double drift = 0.3, n = kSensors;
  double square = 0.0, mean = 0.0, product = 0.0;
  for (int s = 0; s < kSensors; ++s) {
    const std::vector<double> y =
        series("walk", static_cast<std::uint64_t>(s), {.drift = drift}, kSamples + 1);
    EXPECT_EQ(y[0], 0.0);
    mean += y.back() / n;
    square += y.back() * y.back() / n;
    product += (y[100] - y[99]) * (y[99] - y[98]) / n;
  }
  const double variance = drift * drift * kSensorPeriod * kSamples;
  EXPECT_NEAR(mean, 0.0, kBound * std::sqrt(variance / n));
  EXPECT_NEAR(square, variance, kBound * variance * std::sqrt(2.0 / n));
  EXPECT_LT(std::abs(product), kBound * drift * drift * kSensorPeriod / std::sqrt(n));
}

TEST(Sensor, ScalesRoundsAndCuts) {
  Bench bench = thermometer(
      "probe", 0, {.bias = 0.1, .scale_error = 0.01, .quantum = 0.25, .lower = -1.0, .upper = 2.0});
  EXPECT_EQ(bench.sample(0, {1.0}), (std::vector{1.0, 0.0}));   // 1.11
  EXPECT_EQ(bench.sample(1, {1.1}), (std::vector{1.25, 0.0}));  // 1.211
  EXPECT_EQ(bench.sample(2, {7.0}), (std::vector{2.0, 1.0}));
  EXPECT_EQ(bench.sample(3, {-7.0}), (std::vector{-1.0, 1.0}));
  EXPECT_EQ(bench.sensor().writes(),
            (std::vector<std::string>{"sensor/probe/value", "sensor/probe/saturated"}));
}

// A resolver sees multiples of its quantum; its rate is the difference of counts, so one count per
// period or none, right on average.
TEST(Sensor, EncoderCounts) {
  const double quantum = 1e-3, rate = 0.03;  // 0.3 counts per period
  Bench bench(make_encoder(spec_of("enc", 0, {{.quantum = quantum}}), "q", "v", "rad"));
  EXPECT_EQ(bench.sample(0, {0.0, rate})[1], 0.0);
  double sum = 0.0;
  for (std::int64_t k = 1; k <= 1000; ++k) {
    const std::vector<double>& out =
        bench.sample(k, {rate * kSensorPeriod * static_cast<double>(k), rate});
    const double counts = out[0] / quantum, step = out[1] * kSensorPeriod / quantum;
    EXPECT_NEAR(counts, std::round(counts), 1e-9);
    EXPECT_TRUE(std::abs(step) < 1e-9 || std::abs(step - 1.0) < 1e-9) << step;
    sum += out[1];
  }
  EXPECT_NEAR(sum / 1000, rate, 1e-12);
}

// The channels of a body turned by `angle` about z at p, turning with omega (world axes).
std::vector<double> channels_of(const Vec3& p, double angle, const Vec3& omega) {
  return {p.x(),     p.y(),     p.z(),    std::cos(angle / 2), 0.0, 0.0, std::sin(angle / 2),
          omega.x(), omega.y(), omega.z()};
}
std::vector<double> pose_channels(const Vec3& p, double angle) {
  std::vector<double> all = channels_of(p, angle, Vec3::Zero());
  all.resize(7);
  return all;
}
std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
void expect_vector(std::span<const double> found, const Vec3& wanted) {
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(found[static_cast<std::size_t>(k)], wanted[k], 1e-14) << k;
}

TEST(Sensor, GyroSpeaksInTheAxesOfItsFrame) {
  const double quarter = std::numbers::pi / 2;
  Bench gyro(make_gyro(spec_of("gyro", 0, std::vector<SensorErrors>(3)), {"body/b/", {}}));
  expect_vector(gyro.sample(0, channels_of({5, 6, 7}, quarter, {1, 2, 3})), {2, -1, 3});
  const Pose tilted{spatial::rotation_about(Vec3::UnitX(), quarter), {0, 0, 1}};
  Bench mounted(make_gyro(spec_of("gyro", 0, std::vector<SensorErrors>(3)), {"body/b/", tilted}));
  expect_vector(mounted.sample(0, channels_of({5, 6, 7}, quarter, {1, 2, 3})), {2, 3, 1});
}

TEST(Sensor, PositionIsThatInTheOtherFrame) {
  Bench position(make_position_sensor(spec_of("p", 0, std::vector<SensorErrors>(3)),
                                      {"body/a/", {spatial::Mat3::Identity(), {1, 0, 0}}},
                                      {"body/b/", {}}));
  const double quarter = std::numbers::pi / 2;
  const auto in = joined(pose_channels({2, 3, 4}, quarter), pose_channels({1, 1, 1}, -quarter));
  // a's place is at (2, 4, 4); from b (1, 3, 3), and b's axes are turned by -90 deg.
  expect_vector(position.sample(0, in), {-3, 1, 3});
}

TEST(Sensor, ForceAndTorqueInTheAxesAndAboutTheOriginOfTheFrame) {
  ForceTorque what;
  what.joint = "joint/j/";
  what.axes = {"body/parent/", {}};
  what.application = {"body/child/", {}};
  what.frame = {"body/child/", {spatial::Mat3::Identity(), {0.5, 0, 0}}};
  Bench sensor(make_force_torque_sensor(spec_of("ft", 0, std::vector<SensorErrors>(6)), what));
  const double quarter = std::numbers::pi / 2;
  std::vector<double> in{0, 10, 2, 1, 0, 0};
  in = joined(in, pose_channels({0, 0, 0}, 0.0));
  in = joined(in, pose_channels({1, 0, 0}, quarter));
  in = joined(in, pose_channels({1, 0, 0}, quarter));
  const std::vector<double>& out = sensor.sample(0, in);
  expect_vector(std::span(out).first(3), {10, 0, 2});
  // In the child's axes the arm from the frame to the joint is (-0.5, 0, 0), the torque (0, -1, 0).
  expect_vector(std::span(out).last(3), {0, 0, 0});
}

TEST(Sensor, StarTrackerTurnsBySmallAnglesAndKeepsItsSign) {
  const double sigma = 1e-4;
  Bench tracker(make_star_tracker(spec_of("st", 3, std::vector<SensorErrors>(3, {.noise = sigma})),
                                  {"body/b/", {}}));
  double square = 0.0;
  constexpr int kTurns = 4000;
  spatial::Quat last = spatial::Quat::Zero();
  for (int k = 0; k < kTurns; ++k) {
    // Two whole turns: the quaternion of the channel jumps in sign, that of the sensor does not.
    const double angle = 4.0 * std::numbers::pi * k / kTurns;
    spatial::Quat q(std::cos(angle / 2), 0, 0, std::sin(angle / 2));
    if (q[0] < 0.0) q = -q;
    const std::vector<double>& out = tracker.sample(k, {1, 2, 3, q[0], q[1], q[2], q[3]});
    const spatial::Quat seen(out[0], out[1], out[2], out[3]);
    EXPECT_NEAR(seen.norm(), 1.0, 1e-15);
    if (k > 0) {
      EXPECT_GT(seen.dot(last), 0.99);
    }
    last = seen;
    const spatial::Quat back(q[0], -q[1], -q[2], -q[3]);
    const Vec3 error = spatial::rotation_vector<double>(spatial::product<double>(back, seen));
    square += error.squaredNorm() / (3.0 * kTurns);
  }
  EXPECT_NEAR(square, sigma * sigma, kBound * sigma * sigma * std::sqrt(2.0 / (3.0 * kTurns)));
}

TEST(Sensor, CameraHoldsWhatItNoLongerSees) {
  Camera camera;
  camera.frame = {"body/c/", {}};
  camera.target = {"body/t/", {}};
  camera.axis = Vec3::UnitX();
  camera.range = 10.0;
  camera.half_angle = 0.35;
  Bench bench(make_camera(spec_of("cam", 0, std::vector<SensorErrors>(6)), camera));
  const auto see = [&](std::int64_t k, const Vec3& target, double angle) {
    return bench.sample(k, joined(pose_channels({1, 0, 0}, 0.0), pose_channels(target, angle)));
  };
  const std::vector<double> nothing = see(0, {1, 5, 0}, 0.1);
  EXPECT_EQ(nothing, std::vector<double>(7, 0.0));  // beside it, never seen yet
  const std::vector<double> seen = see(1, {6, 1, 0}, 0.1);
  expect_vector(std::span(seen).first(3), {5, 1, 0});
  expect_vector(std::span(seen).subspan(3, 3), {0, 0, 0.1});
  EXPECT_EQ(seen[6], 1.0);
  for (const Vec3& beyond : {Vec3(12, 0, 0), Vec3(-4, 0, 0), Vec3(6, 2, 0)}) {
    std::vector<double> held = see(2, beyond, 0.4);
    EXPECT_EQ(held[6], 0.0);
    held[6] = 1.0;
    EXPECT_EQ(held, seen);
  }
  EXPECT_EQ(see(3, {6, 1.8, 0}, 0.4)[6], 1.0);  // 19.8 deg of 20.05
}

}  // namespace
}  // namespace grapple::control
