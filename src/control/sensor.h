// Sensors: sampled blocks that read channels and set the signals "sensor/NAME/...". What one shows
// of a true value x at its sample k is
//   y = (1 + scale_error) x + bias + d_k + noise n_k,   d_k = d_(k-1) + drift sqrt(period / 1 s)
//   m_k,
// n, m normal numbers (noise.h), d_0 = 0; then y is rounded to a multiple of `quantum` and cut to
// the limits. d is kept in memory, everything else depends on the sample alone.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/element/sampled_block.h"
#include "grapple/spatial/types.h"

namespace grapple::control {

/// Of one component, in its unit.
struct SensorErrors {
  double noise = 0.0;  ///< standard deviation per sample
  double bias = 0.0;
  double scale_error = 0.0;
  double drift = 0.0;    ///< standard deviation of the random walk after one second
  double quantum = 0.0;  ///< resolution; 0: none
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// What all sensors have.
struct SensorSpec {
  std::string name;
  element::SampledBlock::Schedule schedule;
  std::uint64_t seed = 0;
  std::vector<SensorErrors> errors;  ///< one per component that is measured
};

class Sensor : public element::SampledBlock {
 public:
  /// The most components a sensor measures, and the most signals it sets.
  static constexpr std::size_t kMostComponents = 6, kMostOutputs = 8;

  explicit Sensor(SensorSpec spec);

  /// Its signals, "sensor/NAME/..." in front. With limits, "saturated" (1: a value was cut) is the
  /// last.
  const std::vector<element::Output>& outputs() const { return outputs_; }
  std::vector<std::string> reads() const final { return channels_; }
  std::vector<std::string> writes() const final;
  std::vector<element::Output> memory() const final;
  /// What it would show without errors, for the signals before its first sample.
  virtual void ideal(std::span<const double> in, std::span<double> out) const = 0;

  /// Outputs that are plain numbers with the errors of the component of the same number.
  virtual std::vector<int> measurements() const;
  /// Standard deviation of what such an output shows: noise, and rounding as equally spread.
  double noise_of(int output) const;

  /// The signal that shows this output.
  std::string signal(std::string_view output) const;

 protected:
  void add_output(const char* output, const char* unit) { outputs_.push_back({output, unit}); }
  void add_channel(std::string channel) { channels_.push_back(std::move(channel)); }
  void add_memory(const char* number, const char* unit) { own_memory_.push_back({number, unit}); }
  /// Behind all other outputs.
  void end_outputs();

  std::int64_t number_of(double t) const;
  /// Lets the random walks go on by one sample.
  void walk(const element::Sample& sample) const;
  /// A component with its errors; `cut`: set where it is beyond its limits.
  double disturbed(std::size_t component, double value, const element::Sample& sample,
                   bool& cut) const;
  /// Its own numbers, behind those of the drifts.
  std::span<double> own(const element::Sample& sample) const {
    return sample.memory.subspan(drifting_);
  }
  /// Sets "saturated" if there is one.
  void show_cut(bool cut, std::span<double> out) const;
  const SensorErrors& errors(std::size_t component) const { return spec_.errors[component]; }

 private:
  SensorSpec spec_;
  std::uint64_t key_;
  std::size_t drifting_ = 0;       ///< numbers in memory
  std::vector<int> drift_places_;  ///< per component; -1: no drift
  bool has_limits_ = false;
  std::vector<std::string> channels_;
  std::vector<element::Output> outputs_, own_memory_;
};

/// Where a pose comes from: the channels of a body or frame, and the place on it.
struct PoseSource {
  std::string stem;      ///< "body/hand/", "frame/hand/palm/"; empty: the world
  spatial::Pose X_SF{};  ///< the place, in the axes of that frame
};

/// Sums of channels times factors, one output each: a channel, a joint's torque, a strain.
struct SummedOutput {
  std::string name, unit;
  std::vector<std::pair<std::string, double>> terms;
};
std::unique_ptr<Sensor> make_summing_sensor(SensorSpec spec,
                                            const std::vector<SummedOutput>& outputs);

/// position: with the errors; rate: difference of the positions shown, by the period. The first
/// sample has no difference: 0. `unit`: rad or m.
std::unique_ptr<Sensor> make_encoder(SensorSpec spec, std::string position, std::string rate,
                                     const char* unit);

/// x, y, z of the angular velocity in the axes of the frame.
std::unique_ptr<Sensor> make_gyro(SensorSpec spec, const PoseSource& frame);

/// x, y, z of a frame's origin in another frame.
std::unique_ptr<Sensor> make_position_sensor(SensorSpec spec, const PoseSource& frame,
                                             const PoseSource& in);

/// force_x ... torque_z: what a joint puts on the body it carries, in the axes of a frame, torques
/// about its origin.
struct ForceTorque {
  std::string joint;       ///< "joint/wrist/": stem of its reaction channels
  PoseSource axes;         ///< the joint's frame on its parent: axes of these channels
  PoseSource application;  ///< its origin: the point they are about
  PoseSource frame;
};
std::unique_ptr<Sensor> make_force_torque_sensor(SensorSpec spec, const ForceTorque& what);

/// w, x, y, z of the orientation of a frame in the world, turned by small angles (three components
/// of errors, in the axes of the frame). The sign goes on from sample to sample.
std::unique_ptr<Sensor> make_star_tracker(SensorSpec spec, const PoseSource& frame);

/// position_x ... rotation_z: a target as seen from a camera, and `valid`. Beyond the range or the
/// field of view the values hold and valid is 0.
struct Camera {
  PoseSource frame, target;
  spatial::Vec3 axis = spatial::Vec3::UnitZ();             ///< it looks along, in its frame
  double range = std::numeric_limits<double>::infinity();  ///< m
  double half_angle = 4.0;  ///< rad, of the cone it sees; above pi: all around
};
std::unique_ptr<Sensor> make_camera(SensorSpec spec, const Camera& camera);

/// The outputs of a type of sensor, for references to their signals; "saturated" not among them.
std::vector<std::string> sensor_outputs(std::string_view type);

}  // namespace grapple::control
