#include "grapple/control/pid.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::control {

namespace {

class PidBlock final : public element::SampledBlock {
 public:
  explicit PidBlock(Pid law)
      : SampledBlock(law.joint.name, law.joint.schedule), law_(std::move(law)) {
    GRAPPLE_ASSERT(schedule().period > 0.0 && law_.limit > 0.0);
  }

  std::vector<std::string> reads() const override {
    std::vector<std::string> channels{law_.joint.position, law_.joint.rate};
    if (!law_.set_point.signal.empty()) channels.push_back(law_.set_point.signal);
    return channels;
  }
  std::vector<std::string> writes() const override { return {law_.joint.output}; }
  std::vector<element::Output> memory() const override {
    return {{"set_point", law_.joint.position_unit},
            {"error", law_.joint.position_unit},
            {"integral", law_.joint.effort_unit}};
  }

  void update(element::Sample& sample) const override {
    const Jet wanted = law_.set_point.signal.empty() ? law_.set_point.function.jet(sample.t)
                                                     : Jet{sample.in[2], 0.0, 0.0};
    const double error = wanted.value - sample.in[0], error_rate = wanted.rate - sample.in[1];
    double& integral = sample.memory[kIntegral];
    const double growth = law_.integral * error * schedule().period;
    const double direct = law_.proportional * error + law_.derivative * error_rate;
    const double grown = direct + integral + growth;
    const bool winds_up = std::abs(grown) > law_.limit && grown * growth > 0.0;
    if (!winds_up) integral += growth;
    sample.memory[kSetPoint] = wanted.value;
    sample.memory[kError] = error;
    sample.out[0] = std::clamp(direct + integral, -law_.limit, law_.limit);
  }

 private:
  enum Memory : std::size_t { kSetPoint, kError, kIntegral };
  Pid law_;
};

}  // namespace

std::unique_ptr<element::SampledBlock> make_pid(Pid law) {
  return std::make_unique<PidBlock>(std::move(law));
}

ControllerType pid_type() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kStiffness{.mass = 1, .time = -2}, kDamping{.mass = 1, .time = -1};
  constexpr Dimension kTurningDamping{.length = 2, .mass = 1, .time = -1};
  constexpr Dimension kTurningIntegral{.length = 2, .mass = 1, .time = -3};
  constexpr Dimension kSlidingIntegral{.mass = 1, .time = -3};
  return {"pid",
          "effort = proportional e + integral of (integral e) + derivative e', e the set point "
          "minus the "
          "position",
          {{"set_point", Kind::kInput, dimension::kNone, dimension::kLength, Range::kAny, "0",
            "Position to hold; its rate is used too. Of a signal the rate counts as zero.",
            "{expression: \"30*smooth(t, 0, 2)\", unit: deg}"},
           {"proportional", Kind::kNumber, dimension::kTorque, kStiffness, Range::kAny, "0",
            "Effort per position.", "200 N*m/rad"},
           {"integral", Kind::kNumber, kTurningIntegral, kSlidingIntegral, Range::kAny, "0",
            "Effort per position and second.", "50 N*m/rad/s"},
           {"derivative", Kind::kNumber, kTurningDamping, kDamping, Range::kAny, "0",
            "Effort per rate.", "30 N*m*s/rad"},
           {"limit", Kind::kNumber, dimension::kTorque, dimension::kForce, Range::kPositive, "",
            "Largest effort. While it is reached, the integral does not grow.", "20 N*m"}},
          [](const ControlledJoint& joint, const ParameterValues& values) {
            return make_pid({joint, values.input("set_point"), values.number("proportional"),
                             values.number("integral"), values.number("derivative"),
                             values.number("limit", std::numeric_limits<double>::infinity())});
          }};
}

}  // namespace grapple::control
