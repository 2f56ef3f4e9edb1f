#include "grapple/scenario/replay.h"

namespace grapple::scenario {

namespace {

class Replay final : public Pace {
 public:
  Replay(const std::vector<record::Command>& commands, SteeredRun& run)
      : commands_(commands), run_(run) {}

  Verdict after_step() override { return is_due() ? Verdict::kHold : Verdict::kGoOn; }
  double hold(double from, double to) override {
    if (next_ == commands_.size()) return to;
    const double time = commands_[next_].time;
    return time > from && time < to ? time : to;
  }

  void obey_all_due() {
    for (; is_due(); ++next_) obey(commands_[next_]);
  }

 private:
  bool is_due() const { return next_ < commands_.size() && commands_[next_].time <= run_.time(); }
  void obey(const record::Command& command) {
    constexpr std::string_view kParameter = record::kParameterPrefix;
    if (command.name.empty()) return;  // the step has ended there, which is all
    if (command.name.starts_with(kParameter)) {
      run_.tune(command.name.substr(kParameter.size()), command.value);
    } else {
      run_.set(command.name, command.value);
    }
  }

  const std::vector<record::Command>& commands_;
  SteeredRun& run_;
  std::size_t next_ = 0;
};

}  // namespace

void replay(const std::vector<record::Command>& commands, SteeredRun& run) {
  Replay pace(commands, run);
  while (!run.ended()) {
    try {
      pace.obey_all_due();
    } catch (const std::exception& fault) {
      run.fail(fault);
      throw;
    }
    run.advance(pace);
  }
}

}  // namespace grapple::scenario
