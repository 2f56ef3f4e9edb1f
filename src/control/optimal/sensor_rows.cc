#include "grapple/control/optimal/sensor_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/error.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

namespace {

// Derivatives of a sensor's outputs by its channels, by central differences.
MatX output_slopes(const Sensor& sensor, const VecX& in) {
  const std::size_t outputs = sensor.outputs().size();
  std::vector<double> at(in.begin(), in.end());
  MatX slopes(static_cast<Eigen::Index>(outputs), in.size());
  for (Eigen::Index k = 0; k < in.size(); ++k) {
    const double step = 1e-5 * std::max(1.0, std::abs(in[k]));
    std::vector<double> up(outputs, 0.0), down(outputs, 0.0);
    at[static_cast<std::size_t>(k)] = in[k] + step;
    sensor.ideal(at, up);
    at[static_cast<std::size_t>(k)] = in[k] - step;
    sensor.ideal(at, down);
    at[static_cast<std::size_t>(k)] = in[k];
    for (std::size_t o = 0; o < outputs; ++o) {
      slopes(static_cast<Eigen::Index>(o), k) = (up[o] - down[o]) / (2.0 * step);
    }
  }
  return slopes;
}

// Coordinates that the design leaves out because nothing depends on them.
std::vector<int> cyclic_of(const Plant& plant, const PostureModel& model) {
  std::vector<int> cyclic;
  for (const int rate : plant.free_rates()) {
    const bool known = std::ranges::find(model.coordinates, rate) != model.coordinates.end() ||
                       std::ranges::find(model.passive, rate) != model.passive.end();
    if (!known) cyclic.push_back(rate);
  }
  return cyclic;
}

}  // namespace

double age_of(const Sensor& sensor, const element::SampledBlock::Schedule& controller) {
  const auto& [period, offset, delay] = sensor.schedule();
  constexpr double kSame = 1e-9;
  const auto age_at = [&](double t) {
    // Without delay an output acts behind the samples of its moment, with delay before them.
    const double latest = (t - offset - delay) / period;
    const double shift = delay > 0.0 ? kSame : -kSame;
    return t - (offset + std::floor(latest + shift) * period);
  };
  constexpr int kLater = 1000;  // all have begun
  const double first = controller.offset + kLater * controller.period;
  const double age = age_at(first);
  for (int k = 1; k <= 12; ++k) {
    if (std::abs(age_at(first + k * controller.period) - age) <= kSame * kLater * period) continue;
    throw Error(
        "GR-933", "",
        fmt::format("sensor '{}' samples every {:g} s, the controller every {:g} s: what it "
                    "reads is not equally old each time; let the sensor's period divide the "
                    "controller's",
                    sensor.name(), period, controller.period));
  }
  if (age <= controller.period * (1.0 + kSame)) return std::min(age, controller.period);
  throw Error(
      "GR-933", "",
      fmt::format("what sensor '{}' shows is {:g} s old when it is read; the estimator counts "
                  "with at most one period of the controller, {:g} s",
                  sensor.name(), age, controller.period));
}

SensorRows sensor_rows(Plant& plant, const PostureModel& model,
                       const std::vector<const Sensor*>& sensors, const std::vector<double>& noise,
                       const element::SampledBlock::Schedule& controller) {
  if (sensors.empty()) {
    throw Error("GR-933", "", "an estimator needs 'sensors' to read; it has none");
  }
  if (!noise.empty() && noise.size() != 1 && noise.size() != sensors.size()) {
    throw Error("GR-933", "",
                fmt::format("'measurement' has {} numbers for {} sensors; give one for all, or one "
                            "each",
                            noise.size(), sensors.size()));
  }
  const std::vector<int> cyclic = cyclic_of(plant, model);
  const auto s = static_cast<Eigen::Index>(model.coordinates.size());
  SensorRows found;
  for (std::size_t n = 0; n < sensors.size(); ++n) {
    const Sensor& sensor = *sensors[n];
    const ChannelSlopes channels = plant.channel_slopes(sensor.reads());
    const MatX slopes = output_slopes(sensor, channels.value);
    const MatX by_position = slopes * channels.by_position, by_rate = slopes * channels.by_rate;
    std::vector<double> shown(sensor.outputs().size(), 0.0);
    sensor.ideal({channels.value.data(), static_cast<std::size_t>(channels.value.size())}, shown);
    const std::vector<int> outputs = sensor.measurements();
    const auto refuse = [&](const std::string& why) {
      throw Error("GR-933", "", fmt::format("sensor '{}' {}", sensor.name(), why));
    };
    if (outputs.empty()) refuse("shows no plain numbers; an estimator cannot read it");
    for (const int output : outputs) {
      const double tiny = 1e-12 * std::max(1.0, slopes.row(output).cwiseAbs().maxCoeff());
      if ((slopes.row(output) * channels.by_effort).cwiseAbs().maxCoeff() > tiny) {
        refuse("measures forces or accelerations; the estimator reads positions and rates");
      }
      for (const int rate : cyclic) {
        if (std::abs(by_position(output, rate)) + std::abs(by_rate(output, rate)) <= tiny) continue;
        refuse(fmt::format("depends on '{}', which the design leaves out: nothing depends on it",
                           plant.channel_of(rate, "position")));
      }
      Measurement row;
      row.name = sensor.signal(sensor.outputs()[static_cast<std::size_t>(output)].name);
      row.row.resize(2 * s);
      for (Eigen::Index k = 0; k < s; ++k) {
        const int rate = model.coordinates[static_cast<std::size_t>(k)];
        row.row[k] = by_position(output, rate);
        row.row[s + k] = by_rate(output, rate);
      }
      row.value = shown[static_cast<std::size_t>(output)];
      row.age = age_of(sensor, controller);
      row.noise = noise.empty() ? sensor.noise_of(output) : noise[noise.size() == 1 ? 0 : n];
      if (!(row.noise > 0.0)) {
        refuse("has neither 'noise' nor 'quantum'; say by 'measurement' how far to trust it");
      }
      if (row.row.isZero(0.0)) continue;  // an axis along which nothing moves
      found.signals.push_back(row.name);
      found.rows.push_back(std::move(row));
    }
  }
  return found;
}

}  // namespace grapple::control
