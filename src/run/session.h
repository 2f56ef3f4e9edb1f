// The one driver of a system: `grapple run`, the live view, tests and programs around the library
// are users of it. It steps, locates events, switches modes, runs sampled blocks, and lets signals
// be set and channels be read between steps. Recorders and viewers are sinks.
//
//   run::Session session(system, plan);
//   session.start();
//   session.set("shoulder/effort", 3.0);
//   session.advance_to(0.01);
//   double x = session.get("frame/tip/position_x");
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/run/plan.h"
#include "grapple/system/system.h"

namespace grapple::run {

/// A switch that has been thrown, or an event that was only noted.
struct Fired {
  double time = 0.0;
  std::string name;
  int direction = 0;  ///< +1 rising, -1 falling, 0: at its time, or asked for by a block
  std::string miss;   ///< why a latch or a contact did not take hold; empty: it did
};

/// Sees a session (the calls of integrate::Observer, in their order). All may be left out.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begins(double /*t*/, std::span<const double> /*x*/) {}
  virtual void path(double /*from*/, double /*to*/, integrate::Path& /*path*/) {}
  virtual void output(double /*t*/, std::span<const double> /*x*/) {}
  virtual void step_accepted(double /*t*/, double /*step*/, std::span<const double> /*x*/) {}
  virtual void step_too_long(int /*element*/, double /*t*/, double /*step*/, double /*longest*/) {}
  /// Just before a switch changes the system, and just after: `changed` tells whether it did.
  virtual void before_switch(double /*t*/, std::span<const double> /*x*/) {}
  virtual void after_switch(const Fired& /*fired*/, std::span<const double> /*x*/,
                            bool /*changed*/) {}
  /// The event that ends the run; its last output follows.
  virtual void stops(const Fired& /*fired*/) {}
  virtual bool wants_checkpoint(double /*t*/) { return false; }
  virtual void checkpoint(const integrate::Checkpoint& /*checkpoint*/) {}
  virtual bool wants_standby() { return false; }
  virtual void standby(const integrate::Checkpoint& /*checkpoint*/) {}
};

/// Paces a session that somebody watches, and lets what comes from outside act at any moment, not
/// only where steps of variable size happen to end.
class Pacer {
 public:
  virtual ~Pacer() = default;
  /// As integrate::Observer::hold. Nothing it returns but a time inside the step changes the run.
  virtual double hold(double from, double to, integrate::Path& path) = 0;
};

/// A session at one moment: everything that the rest of it depends on.
struct Saved {
  integrate::Checkpoint solver;
  system::Modes modes;
};

class Session {
 public:
  /// Both must outlive it. `t_start`: where the plan is taken up; its outputs stay where they are.
  /// Throws Error GR-506 (an event of an unknown channel), GR-701 (options of the integrator).
  Session(system::System& system, const Plan& plan, double t_start = 0.0);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Before it starts. The sink must outlive the session; the interrupt ends it after the step
  /// under way.
  void set_sink(Sink& sink);
  void set_interrupt(const std::atomic<bool>* interrupt);
  /// Likewise; null: nobody.
  void set_pacer(Pacer* pacer);

  /// From the system's initial state, from another one, or from where it was saved: then with the
  /// bits of the session that went on (CVODE: if it too was saved there).
  void start();
  void start_from(std::span<const double> x);
  void restore(const Saved& saved);
  Saved save();

  /// Steps until t, onto which a step ends, or until the run ends. Does nothing after its end.
  void advance_to(double t);
  /// One accepted step, not beyond `until`.
  void step(double until);
  void step() { step(plan_.duration); }

  double time() const;
  std::span<const double> state() const;
  /// How the run ended; none: it has not.
  const std::optional<integrate::Result>& end() const { return end_; }
  /// Of the event that ended it.
  const std::string& stopping_event() const;
  const std::vector<Fired>& events() const;
  integrate::Statistics statistics() const;  ///< so far

  /// Sets a signal from now on. Throws Error GR-952 (there is none), GR-953 (not finite, or beyond
  /// its limits).
  void set(std::string_view signal, double value);
  void set(int signal, double value);
  /// A channel now. Throws Error GR-506 (there is none).
  double get(std::string_view channel);
  double get(int channel);

  const system::System& system() const { return system_; }
  system::System& system() { return system_; }
  const Plan& plan() const { return plan_; }
  integrate::SystemProblem& problem() { return *problem_; }

 private:
  class Watcher;
  void make_driver();
  void note_fault();

  system::System& system_;
  const Plan& plan_;
  double t_start_;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::unique_ptr<integrate::SystemProblem> problem_;
  std::unique_ptr<integrate::Stepper> stepper_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<integrate::Driver> driver_;
  std::optional<integrate::Result> end_;
};

}  // namespace grapple::run
