// Active isolation of what a leg carries from the motion of its base, with a limited stroke
// (Rybak 2002). With the model of leg_model.h and delta the length from its set point, the command
// of the speed is
//   invariant  u = -(a32 (1 - leak) theta + phi*) / b3,   phi* = 3 phi - 3 phi_-1 + phi_-2,
// which makes the platform's acceleration at the end of the period zero, but for the leak, which
// makes the law stable; and, from |delta| > outer on until |delta| < inner,
//   restoring  u = k1 delta + k2 theta + k3 phi.
// The sign of 3 phi_-1 is that of the extrapolation of second order (the source prints +).
#include <cmath>
#include <limits>

#include "grapple/base/error.h"
#include "grapple/control/controller_type.h"
#include "grapple/control/isolation/leg_model.h"

namespace grapple::control {

namespace {

struct IsolationLaw {
  ControlledJoint joint;
  std::string base_acceleration;  ///< channel
  double set_point = 0.0;
  double bandwidth = 0.0;  ///< rad/s
  double effort_per_speed = 0.0;
  double leak = 0.0;
  double position_gain = 0.0, rate_gain = 0.0, acceleration_gain = 0.0;
  double outer = 0.0, inner = 0.0;
};

class IsolationBlock final : public element::SampledBlock {
 public:
  explicit IsolationBlock(IsolationLaw law)
      : SampledBlock(law.joint.name, law.joint.schedule),
        law_(std::move(law)),
        leg_(leg_model(law_.bandwidth, schedule().period)) {}

  std::vector<std::string> reads() const override {
    return {law_.joint.position, law_.joint.rate, law_.base_acceleration};
  }
  std::vector<std::string> writes() const override { return {law_.joint.output}; }
  std::vector<element::Output> memory() const override {
    const std::string unit = law_.joint.position_unit;
    return {{"restoring", ""},
            {"command", unit + "/s"},
            {"before_1", unit + "/s^2"},
            {"before_2", unit + "/s^2"},
            {"samples", ""}};
  }

  void update(element::Sample& sample) const override {
    const double delta = sample.in[0] - law_.set_point, theta = sample.in[1], phi = sample.in[2];
    if (sample.memory[kSamples] == 0.0) sample.memory[kBefore1] = sample.memory[kBefore2] = phi;
    double& restoring = sample.memory[kRestoring];
    if (std::abs(delta) > law_.outer) restoring = 1.0;
    if (std::abs(delta) < law_.inner) restoring = 0.0;
    const double ahead = 3.0 * phi - 3.0 * sample.memory[kBefore1] + sample.memory[kBefore2];
    const double command =
        restoring != 0.0
            ? law_.position_gain * delta + law_.rate_gain * theta + law_.acceleration_gain * phi
            : -(leg_.a32 * (1.0 - law_.leak) * theta + ahead) / leg_.b3;
    sample.memory[kCommand] = command;
    sample.memory[kBefore2] = sample.memory[kBefore1];
    sample.memory[kBefore1] = phi;
    sample.memory[kSamples] = 1.0;
    sample.out[0] = law_.effort_per_speed * command;
  }

 private:
  enum Memory : std::size_t { kRestoring, kCommand, kBefore1, kBefore2, kSamples };
  IsolationLaw law_;
  LegModel leg_;
};

std::unique_ptr<element::SampledBlock> make_isolation(const ControlledJoint& joint,
                                                      const ParameterValues& values) {
  if (values.names("base_acceleration").empty()) {
    throw Error("GR-986", "", "it needs 'base_acceleration', a channel");
  }
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double outer = values.number("outer", kNever);
  const IsolationLaw law{joint,
                         values.name("base_acceleration"),
                         values.number("set_point"),
                         values.number("bandwidth"),
                         values.number("effort_per_speed"),
                         values.number("leak"),
                         values.number("position_gain"),
                         values.number("rate_gain"),
                         values.number("acceleration_gain"),
                         outer,
                         values.number("inner", outer)};
  if (law.inner > law.outer) {
    throw Error("GR-938", "",
                "'inner' must not be above 'outer': it would switch to and fro at every sample");
  }
  return std::make_unique<IsolationBlock>(law);
}

}  // namespace

ControllerType isolation_type() {
  using Kind = Parameter::Kind;
  using Range = Parameter::Range;
  constexpr Dimension kDamping{.mass = 1, .time = -1};
  constexpr Dimension kTurningDamping{.length = 2, .mass = 1, .time = -1};
  return {
      "isolation",
      "effort = effort_per_speed u, with u the speed of a leg that keeps what it carries from "
      "accelerating with the base, or brings the leg back once it is beyond `outer`",
      {{"set_point", Kind::kNumber, dimension::kNone, dimension::kLength, Range::kAny, "0",
        "Position the stroke counts from.", "1.2 m"},
       {"base_acceleration",
        Kind::kName,
        {},
        {},
        Range::kAny,
        "",
        "Channel of the base's acceleration along the leg, positive where it pushes the platform.",
        "foot1/along"},
       {"bandwidth", Kind::kNumber, dimension::kAngularRate, dimension::kAngularRate,
        Range::kPositive, "10", "The leg's speed follows its command with the lag 1/bandwidth.",
        "13.8 rad/s"},
       {"effort_per_speed", Kind::kNumber, kTurningDamping, kDamping, Range::kPositive, "1",
        "Effort per commanded speed: the damping of the drive.", "1e5 N*s/m"},
       {"leak",
        Kind::kNumber,
        {},
        {},
        Range::kNonNegative,
        "0.02",
        "How much of the present speed is let go at a sample; 0: the stroke drifts.",
        "0.02"},
       {"position_gain", Kind::kNumber, dimension::kAngularRate, dimension::kAngularRate,
        Range::kAny, "0", "k1 of the restoring law: speed per stroke.", "-0.3 1/s"},
       {"rate_gain",
        Kind::kNumber,
        {},
        {},
        Range::kAny,
        "0",
        "k2 of the restoring law: speed per speed.",
        "0.98"},
       {"acceleration_gain", Kind::kNumber, dimension::kTime, dimension::kTime, Range::kAny, "0",
        "k3 of the restoring law: speed per acceleration of the base.", "-0.08 s"},
       {"outer", Kind::kNumber, dimension::kNone, dimension::kLength, Range::kPositive, "",
        "Stroke beyond which the restoring law takes over; left out: never.", "10 cm"},
       {"inner", Kind::kNumber, dimension::kNone, dimension::kLength, Range::kNonNegative, "",
        "Stroke below which the invariant law takes over again; left out: `outer`.", "1 cm"}},
      make_isolation};
}

}  // namespace grapple::control
