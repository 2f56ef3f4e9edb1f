#include "grapple/control/pid.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::control {

namespace {

class PidBlock final : public element::SampledBlock {
 public:
  explicit PidBlock(Pid law) : SampledBlock(law.name, law.schedule), law_(std::move(law)) {
    GRAPPLE_ASSERT(law_.schedule.period > 0.0 && law_.limit > 0.0);
  }

  std::vector<std::string> reads() const override {
    std::vector<std::string> channels{law_.position, law_.rate};
    if (has_signal()) channels.push_back(law_.set_point_signal);  // recorded as a channel
    return channels;
  }
  std::vector<std::string> writes() const override { return {law_.output}; }
  std::vector<element::Output> memory() const override {
    return {{"set_point", law_.position_unit},
            {"error", law_.position_unit},
            {"integral", law_.effort_unit}};
  }

  void update(element::Sample& sample) const override {
    const Jet wanted = has_signal() ? Jet{sample.in[2], 0.0, 0.0} : law_.set_point.jet(sample.t);
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
  bool has_signal() const { return !law_.set_point_signal.empty(); }

  enum Memory : std::size_t { kSetPoint, kError, kIntegral };
  Pid law_;
};

}  // namespace

std::unique_ptr<element::SampledBlock> make_pid(Pid law) {
  return std::make_unique<PidBlock>(std::move(law));
}

}  // namespace grapple::control
