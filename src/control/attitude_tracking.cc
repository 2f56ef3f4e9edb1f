#include "grapple/control/attitude_tracking.h"

#include "grapple/base/error.h"
#include "grapple/spatial/rotation.h"

namespace grapple::control {

using spatial::Mat3;
using spatial::Vec3;

AttitudeTracking::AttitudeTracking(const ControlledAttitude& attitude,
                                   const ParameterValues& values)
    : rate_(attitude.rate),
      angle_(values.input("attitude_angle").function),
      proportional_(values.number("attitude_proportional")),
      derivative_(values.number("attitude_derivative")) {
  const std::vector<double>& axis = values.numbers("attitude_axis");
  if (axis.size() == 3) axis_ = Vec3(axis[0], axis[1], axis[2]);
  if (axis.size() != 3 || !(axis_.norm() > 0.0)) {
    throw Error("GR-986", "", "'attitude_axis' needs three numbers that are not all zero");
  }
  axis_.normalize();
  if (!values.input("attitude_angle").signal.empty()) {
    throw Error("GR-986", "", "'attitude_angle' must be a function of time, not a signal");
  }
}

std::vector<Parameter> AttitudeTracking::parameters() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kPerSecond2{.time = -2};
  return {{"attitude_angle",
           Kind::kInput,
           {},
           {},
           Range::kAny,
           "0",
           "Of `attitude`: the wanted turn from the world's axes about `attitude_axis`.",
           "{expression: \"0.00113*t\"}",
           {},
           false},
          {"attitude_axis",
           Kind::kNumbers,
           {},
           {},
           Range::kAny,
           "[0, 0, 1]",
           "Of `attitude`: the axis of the wanted turn, in world axes.",
           "[0, 0, 1]",
           {},
           false},
          {"attitude_proportional", Kind::kNumber, kPerSecond2, kPerSecond2, Range::kNonNegative,
           "0", "Of `attitude`: angular acceleration per error.", "0.15 1/s^2"},
          {"attitude_derivative", Kind::kNumber, dimension::kAngularRate, dimension::kAngularRate,
           Range::kNonNegative, "0", "Of `attitude`: angular acceleration per error of the rate.",
           "4 1/s"}};
}

Mat3 AttitudeTracking::orientation(Plant& plant) const {
  const model::CoordinateBlock& block = plant.model().coordinates().of_rate(rate_);
  return spatial::rotation_matrix(spatial::Quat(plant.state().q.segment<4>(block.q)));
}

Vec3 AttitudeTracking::error(double t, Plant& plant) const {
  const Mat3 R_WD = spatial::rotation_about(axis_, angle_.jet(t).value);
  return spatial::rotation_vector(
      spatial::quaternion_of(Mat3(orientation(plant).transpose() * R_WD)));
}

Vec3 AttitudeTracking::acceleration(double t, Plant& plant) const {
  const Jet angle = angle_.jet(t);
  const model::State& state = plant.state();
  const Mat3 R_WB = orientation(plant);
  const Vec3 axis_B = R_WB.transpose() * axis_;
  const Vec3 omega = state.v.segment<3>(rate_);
  // omega_d in body axes turns with the body where the two differ.
  return angle.acceleration * axis_B - omega.cross(angle.rate * axis_B) +
         derivative_ * (angle.rate * axis_B - omega) + proportional_ * error(t, plant);
}

}  // namespace grapple::control
