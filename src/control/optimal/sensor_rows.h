// What sensors show of a plant about its posture: rows of y = value + C x, with the age at which a
// controller reads them.
#pragma once

#include <string>
#include <vector>

#include "grapple/control/optimal/estimator_design.h"
#include "grapple/control/sensor.h"

namespace grapple::control {

struct SensorRows {
  std::vector<Measurement> rows;
  std::vector<std::string> signals;  ///< of these, in their order
};

/// The plant stands at the posture. noise: standard deviations, one per sensor; empty: the sensors'
/// own. Throws Error GR-933 if a sensor cannot serve: no noise, efforts in what it shows, samples
/// that the controller's do not keep step with.
SensorRows sensor_rows(Plant& plant, const PostureModel& model,
                       const std::vector<const Sensor*>& sensors, const std::vector<double>& noise,
                       const element::SampledBlock::Schedule& controller);

/// How old, in s, the sample of a sensor is that a controller reads. Throws Error GR-933 if it is
/// not the same at each of the controller's samples, or more than its period.
double age_of(const Sensor& sensor, const element::SampledBlock::Schedule& controller);

}  // namespace grapple::control
