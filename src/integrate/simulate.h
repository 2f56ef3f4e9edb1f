// The driver: steps from t_start to t_end, reports outputs, breakpoints and events to an Observer.
//
//   auto stepper = make_stepper(problem, options);
//   Result result = simulate(problem, *stepper, x0, {.t_end = 10.0}, {}, observer);
//
// Events: distances between shapes are followed along the dense output by conservative advancement,
// so that no step passes a touch (event_finder.h); while a pair touches, no adaptive step moves it
// further than the shapes are thick, so that its forces are seen. The promise rests on the speeds
// at the ends and the middle of a step, with a margin of one half, and on the dense output. Limits:
// of other functions (channels, stops), two crossings between samples (a fifth of a step) are seen
// if a parabola through three samples comes near zero; a rebound lower than the tolerance or
// shorter than 1e-5 of a step is not resolved; an observer that lets things bounce must let them
// come to rest.
// Breakpoints: inside a step that ends on one, times are read as just before it.
//
// A solver failure is a result (status, time, cause), never an exception; what was reported until
// then stands.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grapple/integrate/options.h"
#include "grapple/integrate/problem.h"
#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

enum class Action {
  kContinue,  ///< nothing was changed
  kKink,      ///< the right-hand side has changed (a held input), the state has not
  kRestart,   ///< x or the problem's mode was changed: go on from x, read the event signs anew
  kStop,      ///< end the run here, with x as it is
};

/// Everything a resumed run needs; the problem's own discrete memory is the caller's.
struct Checkpoint {
  double t = 0.0;
  std::vector<double> stepper;  ///< Stepper::save
  std::vector<double> driver;   ///< next output, event signs
};

/// The solution between two times of an accepted step, by the method's dense output.
class Path {
 public:
  virtual ~Path() = default;
  virtual void state(double t, std::span<double> x) = 0;
  /// Whether the states inside are only the chord between the ends.
  virtual bool is_chord() const { return false; }
};

/// Sees the run. Order within a step: hold, its path, outputs inside the step, then step_accepted
/// at its end, then the events there (a step is cut at an event), then the breakpoint there, then
/// the checkpoint.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The solution begins at (t, x): the start, what a restart made of the state or of the mode, or
  /// the other side of a jump of the right-hand side.
  virtual void begins(double /*t*/, std::span<const double> /*x*/) {}
  /// It goes on from the end of the last path, or from where it began, to the end of a step or to
  /// an event in it; the mode is that of the step.
  virtual void path(double /*from*/, double /*to*/, Path& /*path*/) {}
  /// A step of variable size has led to `to`, or an event in it. Who shows the run in real time
  /// waits here; a time returned between `from` and `to` ends the step there, or little before, and
  /// the method starts anew from there. Anything else: the step counts as it is.
  virtual double hold(double /*from*/, double to, Path& /*path*/) { return to; }
  /// At t_start, every output interval, and t_end.
  virtual void output(double /*t*/, std::span<const double> /*x*/) {}
  virtual Action step_accepted(double /*t*/, double /*step*/, std::span<double> /*x*/) {
    return Action::kContinue;
  }
  /// Event function `index` crossed zero; direction +1 rising, -1 falling.
  virtual Action event(int /*index*/, double /*t*/, int /*direction*/, std::span<double> /*x*/) {
    return Action::kContinue;
  }
  virtual Action breakpoint(double /*t*/, std::span<double> /*x*/) { return Action::kContinue; }
  /// The next time at which a step must end and update() follows: samples of blocks. Asked before
  /// every step; a time that is past or within round-off of now is due at the end of this step.
  virtual double next_update() const { return std::numeric_limits<double>::infinity(); }
  /// After the events and the breakpoint at t.
  virtual Action update(double /*t*/, std::span<double> /*x*/) { return Action::kContinue; }
  /// A fixed step that ended at t was longer than a touching pair (Problem::Passage::source) may go
  /// unwatched: its forces may have been missed.
  virtual void step_too_long(int /*source*/, double /*t*/, double /*step*/, double /*longest*/) {}

  /// True: output() also just before and, if it restarted the run, just after each event and
  /// breakpoint.
  virtual bool wants_output_at_jumps() const { return false; }
  /// Asked after every step when all of it has been reported; true: checkpoint() follows at once.
  virtual bool wants_checkpoint(double /*t*/) { return false; }
  virtual void checkpoint(const Checkpoint& /*checkpoint*/) {}
  /// Likewise, and before the first step: true: standby() follows with what to go on from should
  /// the run be given up inside a later step. Unlike a checkpoint it leaves no trace in the run.
  virtual bool wants_standby() { return false; }
  virtual void standby(const Checkpoint& /*checkpoint*/) {}
};

struct SimulationSpan {
  double t_start = 0.0;  ///< [s]
  double t_end = 0.0;    ///< [s], not before t_start
  /// Outputs at output_origin + k * output_interval [s], at t_start and at t_end. <= 0: at every
  /// accepted step.
  double output_interval = 0.0;
  /// Times where the right-hand side has a kink; a step ends exactly there and the derivative is
  /// read anew. Those outside (t_start, t_end) are ignored.
  std::vector<double> breakpoints{};
  /// Of the outputs; none: t_start. A run that is taken up in its middle keeps its grid.
  std::optional<double> output_origin{};
};

enum class Status { kCompleted, kStopped, kInterrupted, kFailed };

struct Result {
  Status status = Status::kCompleted;
  double t = 0.0;                 ///< last valid time
  std::vector<double> x;          ///< state there
  Failure failure;                ///< if kFailed
  int failed_event = -1;          ///< the event function that chatters, if that was the failure
  double step_at_collapse = 0.0;  ///< s, the mean of the last steps if they have become too short
  Statistics statistics;
  /// The end as a checkpoint, to go on from after a stop or an interrupt. One-step methods then
  /// give the bits of the uninterrupted run.
  Checkpoint end;
  /// The run was given up inside a step (poll_request.h): there is no `end`, only the last
  /// standby().
  bool given_up = false;
};

/// A run that goes on when asked to. Problem, stepper, observer and interrupt must outlive it.
class Driver {
 public:
  /// `crossings` has one entry per event function of the problem; empty means both directions for
  /// all. `interrupt`, if given, ends the run after the step under way; a pulse of the problem
  /// (poll_request.h) can end it inside one. Throws Error GR-703 if the span is not a span of time.
  Driver(Problem& problem, Stepper& stepper, SimulationSpan span, std::vector<Crossing> crossings,
         Observer& observer, const std::atomic<bool>* interrupt = nullptr);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Begins at (span.t_start, x), or goes on from a checkpoint of a run with the same problem,
  /// options and span: same bits, same outputs as the rest of that run.
  void start(std::span<const double> x);
  void restore(const Checkpoint& checkpoint);

  /// Steps to `until`, onto which a step ends, or to the end of the span if that is earlier. None:
  /// the run goes on from here; else how it has ended.
  std::optional<Result> advance_to(double until);
  /// One accepted step, not beyond `until`.
  std::optional<Result> step(double until);
  /// Between two calls: x or the problem's mode was changed by the caller (kRestart), or its
  /// right-hand side alone (kKink).
  void note_change(Action action, std::span<const double> x);

  double t() const;
  std::span<const double> x() const;
  /// To go on from here. CVODE starts anew at such a moment (Stepper::save).
  Checkpoint save();
  Statistics statistics() const;  ///< so far

 private:
  class Run;
  std::unique_ptr<Run> run_;
  bool given_up_ = false;  ///< an interrupt came before the first step
};

/// A whole run of a Driver, from (span.t_start, x_start).
Result simulate(Problem& problem, Stepper& stepper, std::span<const double> x_start,
                const SimulationSpan& span, std::vector<Crossing> crossings, Observer& observer,
                const std::atomic<bool>* interrupt = nullptr);

/// The rest of a run from a checkpoint.
Result resume(Problem& problem, Stepper& stepper, const Checkpoint& checkpoint,
              const SimulationSpan& span, std::vector<Crossing> crossings, Observer& observer,
              const std::atomic<bool>* interrupt = nullptr);

}  // namespace grapple::integrate
