#include "grapple/control/sensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "grapple/base/assert.h"
#include "grapple/control/noise.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {

using element::Sample;
using spatial::Mat3;
using spatial::Pose;
using spatial::Quat;
using spatial::Vec3;

namespace {

enum SensorStream : std::uint64_t { kNoiseStream, kDriftStream };

constexpr std::array<const char*, 3> kSensorAxes = {"x", "y", "z"};

bool has_limits(const SensorErrors& errors) {
  return std::isfinite(errors.lower) || std::isfinite(errors.upper);
}

}  // namespace

Sensor::Sensor(SensorSpec spec)
    : SampledBlock(spec.name, spec.schedule),
      spec_(std::move(spec)),
      key_(noise::key_of(spec_.seed, spec_.name)) {
  GRAPPLE_ASSERT(spec_.schedule.period > 0.0 && spec_.errors.size() <= kMostComponents);
  for (const SensorErrors& errors : spec_.errors) {
    drift_places_.push_back(errors.drift > 0.0 ? static_cast<int>(drifting_++) : -1);
    has_limits_ = has_limits_ || has_limits(errors);
  }
}

std::string Sensor::signal(std::string_view output) const {
  return "sensor/" + name() + "/" + std::string(output);
}

std::vector<std::string> Sensor::writes() const {
  std::vector<std::string> signals;
  for (const element::Output& output : outputs_) signals.push_back(signal(output.name));
  return signals;
}

std::vector<element::Output> Sensor::memory() const {
  std::vector<element::Output> numbers;
  for (std::size_t c = 0; c < drift_places_.size(); ++c) {
    if (drift_places_[c] >= 0) numbers.push_back({"drift_" + std::to_string(c + 1), "1"});
  }
  numbers.insert(numbers.end(), own_memory_.begin(), own_memory_.end());
  return numbers;
}

void Sensor::end_outputs() {
  if (has_limits_) outputs_.push_back({"saturated", "1"});
  GRAPPLE_ASSERT(outputs_.size() <= kMostOutputs);
}

std::vector<int> Sensor::measurements() const {
  std::vector<int> all(spec_.errors.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double Sensor::noise_of(int output) const {
  const SensorErrors& own = errors(static_cast<std::size_t>(output));
  return std::sqrt(own.noise * own.noise + own.quantum * own.quantum / 12.0);
}

std::int64_t Sensor::number_of(double t) const {
  return std::llround((t - schedule().offset) / schedule().period);
}

void Sensor::walk(const Sample& sample) const {
  const std::int64_t k = number_of(sample.t);
  if (k == 0) return;
  const double root = std::sqrt(schedule().period);
  for (std::size_t c = 0; c < drift_places_.size(); ++c) {
    if (drift_places_[c] < 0) continue;
    sample.memory[static_cast<std::size_t>(drift_places_[c])] +=
        errors(c).drift * root * noise::normal(key_, k, c, kDriftStream);
  }
}

double Sensor::disturbed(std::size_t component, double value, const Sample& sample,
                         bool& cut) const {
  const SensorErrors& own = errors(component);
  double shown = (1.0 + own.scale_error) * value + own.bias;
  if (const int place = drift_places_[component]; place >= 0) {
    shown += sample.memory[static_cast<std::size_t>(place)];
  }
  if (own.noise > 0.0) {
    shown += own.noise * noise::normal(key_, number_of(sample.t), component, kNoiseStream);
  }
  if (own.quantum > 0.0) shown = own.quantum * std::round(shown / own.quantum);
  if (shown < own.lower || shown > own.upper) cut = true;
  return std::clamp(shown, own.lower, own.upper);
}

void Sensor::show_cut(bool cut, std::span<double> out) const {
  if (has_limits_) out.back() = cut ? 1.0 : 0.0;
}

namespace {

// A sensor whose outputs are the components it measures, each with its errors.
template <class Derived>
class ComponentSensor : public Sensor {
 public:
  using Sensor::Sensor;

  void ideal(std::span<const double> in, std::span<double> out) const override {
    std::array<double, kMostComponents> values{};
    self().measure(in, values);
    std::copy_n(values.begin(), self().count(), out.begin());
  }

  void update(Sample& sample) const override {
    std::array<double, kMostComponents> values{};
    self().measure(sample.in, values);
    walk(sample);
    bool cut = false;
    for (std::size_t c = 0; c < self().count(); ++c) {
      sample.out[c] = disturbed(c, values[c], sample, cut);
    }
    show_cut(cut, sample.out);
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

class SummingSensor final : public ComponentSensor<SummingSensor> {
 public:
  SummingSensor(SensorSpec spec, const std::vector<SummedOutput>& outputs)
      : ComponentSensor(std::move(spec)) {
    for (const SummedOutput& output : outputs) {
      add_output(output.name.c_str(), output.unit.c_str());
      for (const auto& [channel, factor] : output.terms) {
        add_channel(channel);
        factors_.push_back(factor);
      }
      ends_.push_back(factors_.size());
    }
    end_outputs();
  }
  std::size_t count() const { return ends_.size(); }
  void measure(std::span<const double> in, std::span<double> values) const {
    std::size_t at = 0;
    for (std::size_t c = 0; c < ends_.size(); ++c) {
      for (; at < ends_[c]; ++at) values[c] += factors_[at] * in[at];
    }
  }

 private:
  std::vector<double> factors_;
  std::vector<std::size_t> ends_;
};

class Encoder final : public Sensor {
 public:
  Encoder(SensorSpec spec, std::string position, std::string rate, const char* unit)
      : Sensor(std::move(spec)) {
    add_channel(std::move(position));
    add_channel(std::move(rate));
    add_output("position", unit);
    add_output("rate", unit == std::string_view("m") ? "m/s" : "rad/s");
    add_memory("last", unit);
    end_outputs();
  }
  void ideal(std::span<const double> in, std::span<double> out) const override {
    out[0] = in[0];
    out[1] = in[1];
  }
  void update(Sample& sample) const override {
    walk(sample);
    bool cut = false;
    const double position = disturbed(0, sample.in[0], sample, cut);
    double& last = own(sample)[0];
    sample.out[1] = number_of(sample.t) == 0 ? 0.0 : (position - last) / schedule().period;
    sample.out[0] = last = position;
    show_cut(cut, sample.out);
  }
};

// The channels of a pose, and what they say.
class PoseChannels {
 public:
  enum class With { kPose, kAngularVelocity };

  PoseChannels(const PoseSource& source, const With with = With::kPose)
      : X_SF_(source.X_SF), q_SF_(spatial::quaternion_of<double>(source.X_SF.R)) {
    if (source.stem.empty()) return;
    for (const char* axis : kSensorAxes) names_.push_back(source.stem + "position_" + axis);
    for (const char* part : {"w", "x", "y", "z"}) {
      names_.push_back(source.stem + "orientation_" + part);
    }
    if (with == With::kPose) return;
    for (const char* axis : kSensorAxes) names_.push_back(source.stem + "angular_velocity_" + axis);
  }
  const std::vector<std::string>& names() const { return names_; }

  /// `in` begins with its channels.
  Pose pose(std::span<const double> in) const {
    if (names_.empty()) return X_SF_;
    return Pose{spatial::rotation_matrix<double>(quaternion_seen(in)), Vec3(in[0], in[1], in[2])} *
           X_SF_;
  }
  Quat orientation(std::span<const double> in) const {
    if (names_.empty()) return q_SF_;
    return spatial::product<double>(quaternion_seen(in), q_SF_);
  }
  Vec3 angular_velocity(std::span<const double> in) const {
    return names_.empty() ? Vec3(Vec3::Zero()) : Vec3(in[7], in[8], in[9]);
  }

 private:
  static Quat quaternion_seen(std::span<const double> in) {
    return Quat(in[3], in[4], in[5], in[6]);
  }
  std::vector<std::string> names_;
  Pose X_SF_;
  Quat q_SF_;
};

class Gyro final : public ComponentSensor<Gyro> {
 public:
  Gyro(SensorSpec spec, const PoseSource& frame)
      : ComponentSensor(std::move(spec)), frame_(frame, PoseChannels::With::kAngularVelocity) {
    for (const std::string& name : frame_.names()) add_channel(name);
    for (const char* axis : kSensorAxes) add_output(axis, "rad/s");
    end_outputs();
  }
  static std::size_t count() { return 3; }
  void measure(std::span<const double> in, std::span<double> values) const {
    const Vec3 omega = frame_.pose(in).R.transpose() * frame_.angular_velocity(in);
    for (std::size_t k = 0; k < 3; ++k) values[k] = omega[static_cast<Eigen::Index>(k)];
  }

 private:
  PoseChannels frame_;
};

class PositionSensor final : public ComponentSensor<PositionSensor> {
 public:
  PositionSensor(SensorSpec spec, const PoseSource& frame, const PoseSource& in)
      : ComponentSensor(std::move(spec)), frame_(frame), in_(in) {
    for (const PoseChannels* pose : {&frame_, &in_}) {
      for (const std::string& name : pose->names()) add_channel(name);
    }
    for (const char* axis : kSensorAxes) add_output(axis, "m");
    end_outputs();
  }
  static std::size_t count() { return 3; }
  void measure(std::span<const double> in, std::span<double> values) const {
    const Pose seen = in_.pose(in.subspan(frame_.names().size())).inverse() * frame_.pose(in);
    for (std::size_t k = 0; k < 3; ++k) values[k] = seen.p[static_cast<Eigen::Index>(k)];
  }

 private:
  PoseChannels frame_, in_;
};

class ForceTorqueSensor final : public ComponentSensor<ForceTorqueSensor> {
 public:
  ForceTorqueSensor(SensorSpec spec, const ForceTorque& what)
      : ComponentSensor(std::move(spec)),
        axes_(what.axes),
        application_(what.application),
        frame_(what.frame) {
    for (const char* part : {"force", "torque"}) {
      for (const char* axis : kSensorAxes) {
        add_channel(what.joint + "reaction_" + part + "_" + axis);
        add_output((std::string(part) + "_" + axis).c_str(), part[0] == 'f' ? "N" : "N*m");
      }
    }
    for (const PoseChannels* pose : {&axes_, &application_, &frame_}) {
      for (const std::string& name : pose->names()) add_channel(name);
    }
    end_outputs();
  }
  static std::size_t count() { return 6; }
  void measure(std::span<const double> in, std::span<double> values) const {
    std::span<const double> rest = in.subspan(6);
    const Mat3 R_WF = axes_.pose(rest).R;
    rest = rest.subspan(axes_.names().size());
    const Vec3 p_W = application_.pose(rest).p;
    rest = rest.subspan(application_.names().size());
    const Pose X_WS = frame_.pose(rest);
    const Vec3 force_W = R_WF * Vec3(in[0], in[1], in[2]);
    const Vec3 torque_W = R_WF * Vec3(in[3], in[4], in[5]) + (p_W - X_WS.p).cross(force_W);
    const Vec3 force = X_WS.R.transpose() * force_W, torque = X_WS.R.transpose() * torque_W;
    for (std::size_t k = 0; k < 3; ++k) {
      values[k] = force[static_cast<Eigen::Index>(k)];
      values[3 + k] = torque[static_cast<Eigen::Index>(k)];
    }
  }

 private:
  PoseChannels axes_, application_, frame_;
};

class StarTracker final : public Sensor {
 public:
  StarTracker(SensorSpec spec, const PoseSource& frame) : Sensor(std::move(spec)), frame_(frame) {
    for (const std::string& name : frame_.names()) add_channel(name);
    for (const char* part : {"w", "x", "y", "z"}) add_output(part, "1");
  }
  std::vector<int> measurements() const override { return {}; }
  void ideal(std::span<const double> in, std::span<double> out) const override {
    const Quat q = frame_.orientation(in);
    const double sign = q[0] < 0.0 ? -1.0 : 1.0;
    for (std::size_t k = 0; k < 4; ++k) out[k] = sign * q[static_cast<Eigen::Index>(k)];
  }
  void update(Sample& sample) const override {
    walk(sample);
    bool cut = false;
    Vec3 turn;
    for (std::size_t c = 0; c < 3; ++c) {
      turn[static_cast<Eigen::Index>(c)] = disturbed(c, 0.0, sample, cut);
    }
    const Quat q = spatial::product<double>(frame_.orientation(sample.in),
                                            spatial::quaternion_exp<double>(turn));
    const Quat last(sample.out[0], sample.out[1], sample.out[2], sample.out[3]);
    const double along = number_of(sample.t) == 0 ? q[0] : q.dot(last);
    const double scale = (along < 0.0 ? -1.0 : 1.0) / q.norm();
    for (std::size_t k = 0; k < 4; ++k) {
      sample.out[k] = scale * q[static_cast<Eigen::Index>(k)];
    }
  }

 private:
  PoseChannels frame_;
};

class CameraSensor final : public Sensor {
 public:
  CameraSensor(SensorSpec spec, const Camera& camera)
      : Sensor(std::move(spec)),
        frame_(camera.frame),
        target_(camera.target),
        axis_(camera.axis),
        range_(camera.range),
        half_angle_(camera.half_angle) {
    for (const PoseChannels* pose : {&frame_, &target_}) {
      for (const std::string& name : pose->names()) add_channel(name);
    }
    for (const char* part : {"position", "rotation"}) {
      for (const char* axis : kSensorAxes) {
        add_output((std::string(part) + "_" + axis).c_str(), part[0] == 'p' ? "m" : "rad");
      }
    }
    add_output("valid", "1");
    end_outputs();
  }
  std::vector<int> measurements() const override { return {}; }  // it may lose its target
  void ideal(std::span<const double> in, std::span<double> out) const override {
    const Seen seen = look(in);
    if (!seen.valid) return;
    std::copy(seen.values.begin(), seen.values.end(), out.begin());
    out[kValid] = 1.0;
  }
  void update(Sample& sample) const override {
    walk(sample);
    const Seen seen = look(sample.in);
    sample.out[kValid] = seen.valid ? 1.0 : 0.0;
    bool cut = false;
    for (std::size_t c = 0; seen.valid && c < 6; ++c) {
      sample.out[c] = disturbed(c, seen.values[c], sample, cut);
    }
    show_cut(cut, sample.out);
  }

 private:
  static constexpr std::size_t kValid = 6;
  struct Seen {
    std::array<double, 6> values{};
    bool valid = false;
  };

  Seen look(std::span<const double> in) const {
    const Pose X_CT = frame_.pose(in).inverse() * target_.pose(in.subspan(frame_.names().size()));
    const Vec3 turn = spatial::rotation_vector<double>(spatial::quaternion_of<double>(X_CT.R));
    Seen seen;
    for (std::size_t k = 0; k < 3; ++k) {
      seen.values[k] = X_CT.p[static_cast<Eigen::Index>(k)];
      seen.values[3 + k] = turn[static_cast<Eigen::Index>(k)];
    }
    const double off_axis = std::atan2(axis_.cross(X_CT.p).norm(), axis_.dot(X_CT.p));
    seen.valid = X_CT.p.norm() <= range_ && off_axis <= half_angle_;
    return seen;
  }

  PoseChannels frame_, target_;
  Vec3 axis_;
  double range_, half_angle_;
};

}  // namespace

std::unique_ptr<Sensor> make_summing_sensor(SensorSpec spec,
                                            const std::vector<SummedOutput>& outputs) {
  GRAPPLE_ASSERT(spec.errors.size() == outputs.size());
  return std::make_unique<SummingSensor>(std::move(spec), outputs);
}

std::unique_ptr<Sensor> make_encoder(SensorSpec spec, std::string position, std::string rate,
                                     const char* unit) {
  GRAPPLE_ASSERT(spec.errors.size() == 1);
  return std::make_unique<Encoder>(std::move(spec), std::move(position), std::move(rate), unit);
}

std::unique_ptr<Sensor> make_gyro(SensorSpec spec, const PoseSource& frame) {
  GRAPPLE_ASSERT(spec.errors.size() == 3);
  return std::make_unique<Gyro>(std::move(spec), frame);
}

std::unique_ptr<Sensor> make_position_sensor(SensorSpec spec, const PoseSource& frame,
                                             const PoseSource& in) {
  GRAPPLE_ASSERT(spec.errors.size() == 3);
  return std::make_unique<PositionSensor>(std::move(spec), frame, in);
}

std::unique_ptr<Sensor> make_force_torque_sensor(SensorSpec spec, const ForceTorque& what) {
  GRAPPLE_ASSERT(spec.errors.size() == 6);
  return std::make_unique<ForceTorqueSensor>(std::move(spec), what);
}

std::unique_ptr<Sensor> make_star_tracker(SensorSpec spec, const PoseSource& frame) {
  GRAPPLE_ASSERT(spec.errors.size() == 3);
  return std::make_unique<StarTracker>(std::move(spec), frame);
}

std::unique_ptr<Sensor> make_camera(SensorSpec spec, const Camera& camera) {
  GRAPPLE_ASSERT(spec.errors.size() == 6);
  return std::make_unique<CameraSensor>(std::move(spec), camera);
}

std::vector<std::string> sensor_outputs(std::string_view type) {
  if (type == "channel") return {"value"};
  if (type == "encoder") return {"position", "rate"};
  if (type == "joint-torque") return {"torque"};
  if (type == "strain") return {"strain"};
  if (type == "star-tracker") return {"w", "x", "y", "z"};
  if (type == "gyro" || type == "position") return {"x", "y", "z"};
  if (type == "force-torque") {
    return {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"};
  }
  if (type == "camera") {
    return {"position_x", "position_y", "position_z", "rotation_x",
            "rotation_y", "rotation_z", "valid"};
  }
  return {};
}

}  // namespace grapple::control
