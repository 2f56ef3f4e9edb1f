// A scenario file as a running model, for programs:
//
//   grapple::Simulation sim("arm.yaml");
//   sim.set("shoulder/torque", 3.0);
//   sim.advance(0.01);
//   double x = sim.get("frame/tip/position_x");
//
// Numbers are SI. Nothing is written to disk; record::run (`grapple run`) does that.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/run/session.h"
#include "grapple/scenario/build/build.h"

namespace grapple {

class Simulation {
 public:
  /// Reads, checks and builds the file, and starts at t = 0. `settings`: as of --set,
  /// "parameters.length=2 m". Throws Error with every fault found.
  explicit Simulation(const std::filesystem::path& file, std::vector<std::string> settings = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Goes on by so many seconds, at most to the scenario's end. False: the run has ended, well or
  /// not (ending()). Throws Error GR-958 if that is no time ahead.
  bool advance(double seconds);
  bool advance_to(double time);
  /// One step of the integrator.
  bool step();
  double time() const;

  /// A signal from now on; a channel now. Throw Error GR-952 (no such signal), GR-953 (a value that
  /// is not allowed), GR-506 (no such channel).
  void set(std::string_view signal, double value);
  double get(std::string_view channel);
  std::vector<std::string> signals() const;
  std::vector<std::string> channels() const;

  /// What happened so far, and how it ended: empty, or in words.
  const std::vector<run::Fired>& events() const;
  std::string ending() const;

  /// All that the rest depends on: a simulation of the same file that restores it goes on with the
  /// same bits.
  run::Saved save();
  void restore(const run::Saved& saved);

  run::Session& session() { return *session_; }

 private:
  std::unique_ptr<scenario::Simulation> built_;  // at one place, whatever moves
  std::unique_ptr<run::Session> session_;
};

}  // namespace grapple
