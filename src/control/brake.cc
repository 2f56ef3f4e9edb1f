#include "grapple/control/brake.h"

namespace grapple::control {

namespace {

class Brake final : public element::SampledBlock {
 public:
  Brake(std::string joint, std::string signal, const Schedule& schedule, BrakeStart start)
      : SampledBlock("brake/" + joint, schedule),
        joint_(std::move(joint)),
        signal_(std::move(signal)),
        start_(start) {}

  std::vector<std::string> reads() const override { return {signal_}; }
  std::vector<std::string> writes() const override { return {}; }
  std::vector<element::Output> memory() const override { return {{"engaged", "1"}}; }
  void start(std::span<double> memory) const override {
    memory[0] = start_ == BrakeStart::kEngaged ? 1.0 : 0.0;
  }
  void update(element::Sample& sample) const override {
    constexpr double kThreshold = 0.5;
    const bool asked = sample.in[0] >= kThreshold;
    if (asked == (sample.memory[0] != 0.0)) return;
    using Kind = element::Request::Kind;
    sample.requests.push_back({asked ? Kind::kLock : Kind::kUnlock, joint_});
    sample.memory[0] = asked ? 1.0 : 0.0;
  }

 private:
  std::string joint_, signal_;
  BrakeStart start_;
};

}  // namespace

std::unique_ptr<element::SampledBlock> make_brake(std::string joint, std::string signal,
                                                  const element::SampledBlock::Schedule& schedule,
                                                  BrakeStart start) {
  return std::make_unique<Brake>(std::move(joint), std::move(signal), schedule, start);
}

}  // namespace grapple::control
