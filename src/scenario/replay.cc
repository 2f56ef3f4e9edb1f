#include "grapple/scenario/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "grapple/base/error.h"

namespace grapple::scenario {

namespace {

bool is_parameter(const record::Command& command) {
  return command.name.starts_with(record::kParameterPrefix);
}

std::string parameter_of(const record::Command& command) {
  return command.name.substr(record::kParameterPrefix.size());
}

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
    if (command.name.empty()) return;  // the step has ended there, which is all
    if (is_parameter(command)) {
      run_.tune(parameter_of(command), command.value);
    } else {
      run_.set(command.name, command.value);
    }
  }

  const std::vector<record::Command>& commands_;
  SteeredRun& run_;
  std::size_t next_ = 0;
};

}  // namespace

void prepare_replay(const std::vector<record::Command>& commands, SteeredRun& run) {
  for (const record::Command& command : commands) {
    const auto has_its_name = [&](const Tunable& tunable) {
      return tunable.parameter == parameter_of(command);
    };
    if (is_parameter(command) &&
        std::none_of(run.tunables().begin(), run.tunables().end(), has_its_name)) {
      throw Error("GR-841", command.name,
                  fmt::format("a command at {:g} s tunes it, and the scenario marks no such "
                              "parameter as tunable",
                              command.time));
    }
    if (!is_parameter(command) && !command.name.empty() &&
        run.system().find_signal(command.name) < 0) {
      throw Error("GR-952", command.name,
                  fmt::format("a command at {:g} s sets it, and the scenario has no such signal",
                              command.time));
    }
  }
  for (const record::Command& command : commands) {
    if (command.time == 0.0 && is_parameter(command)) {
      run.tune(parameter_of(command), command.value);
    }
  }
}

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
