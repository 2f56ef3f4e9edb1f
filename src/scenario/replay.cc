#include "grapple/scenario/replay.h"

#include <fmt/format.h>

#include "grapple/base/error.h"

namespace grapple::scenario {

namespace {

bool is_parameter(const record::Command& command) {
  return command.name.starts_with(record::kParameterPrefix);
}

std::string parameter_of(const record::Command& command) {
  return command.name.substr(record::kParameterPrefix.size());
}

// The unit in which the scenario takes a command.
std::string unit_taken(const record::Command& command, const SteeredRun& run) {
  if (is_parameter(command)) {
    for (const Tunable& tunable : run.tunables()) {
      if (tunable.parameter == parameter_of(command)) return tunable.unit;
    }
    throw Error("GR-841", command.name,
                fmt::format("a command at {:g} s tunes it, and the scenario marks no such "
                            "parameter as tunable",
                            command.time));
  }
  const int signal = run.system().find_signal(command.name);
  if (signal >= 0) return run.system().signals()[static_cast<std::size_t>(signal)].unit;
  throw Error("GR-952", command.name,
              fmt::format("a command at {:g} s sets it, and the scenario has no such signal",
                          command.time));
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
    if (command.name.empty()) continue;
    const std::string unit = unit_taken(command, run);
    if (command.unit == unit) continue;
    throw Error("GR-522", command.name,
                fmt::format("the command at {:g} s is in '{}'; values of commands are in SI, here "
                            "in '{}'",
                            command.time, command.unit, unit));
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
