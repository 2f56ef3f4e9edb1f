// Finds the sign changes of a problem's event functions inside the last step of a stepper.
//
// The event functions are sampled at the end of the step and at four points inside it, so that a
// function that crosses zero twice in one step is seen if a sample falls between (of a method whose
// output is a straight line between the ends, only at the end). Of every function
// the sign on this side of the last sample is remembered; a function that has just fired (or is
// zero at the start) gets its sign from a sample right after, so that it cannot fire on its own
// round-off.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "grapple/integrate/problem.h"
#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

class EventFinder {
 public:
  struct Fired {
    int index;
    int direction;  ///< +1 rising, -1 falling
  };

  /// One Crossing per event function of the problem.
  EventFinder(Problem& problem, Stepper& stepper, std::vector<Crossing> crossings);

  bool empty() const { return crossings_.empty(); }
  /// Reads all signs anew at (t, x); the functions of fired() count as unknown.
  void reread(double t, std::span<const double> x);
  /// Time of the first wanted sign change in (from, stepper.t()]; nothing fires yet.
  std::optional<double> first_after(double from);
  /// Makes that event the end of the last step (see Stepper::truncate), with the time corrected to
  /// the redone step, and returns it. For methods that cannot redo a step the time stays.
  double refine(double from, double time);
  /// All functions that changed sign at the event with state x, in order of index; at least the one
  /// first_after found.
  std::span<const Fired> fire(double time, std::span<const double> x);
  std::span<const Fired> fired() const { return fired_; }
  void clear_fired() { fired_.clear(); }

  void save(std::vector<double>& memory) const;
  void restore(std::span<const double> memory);
  std::size_t memory_size() const { return signs_.size() + values_.size() + 2; }

 private:
  void sample(double time);
  double value(std::size_t index, double time);
  bool wanted(std::size_t index, int sign) const;
  std::optional<double> scan(double a, double b);
  double locate(std::size_t index, double a, double b);
  void settle();
  int sign_just_after(std::size_t index, double slope, double time) const;

  Problem& problem_;
  Stepper& stepper_;
  std::vector<Crossing> crossings_;
  std::vector<int> signs_;  ///< before the next sample: -1, +1, or 0 if not known yet
  std::vector<double> x_, values_, values_a_, values_b_;
  std::span<const double> samples_;  ///< where in a step the functions are read, as parts of it
  bool known_ = false;               ///< values_ are those at known_at_, not to be read again
  double known_at_ = 0.0;
  std::vector<Fired> fired_;
  std::size_t first_ = 0;           ///< the function first_after found
  bool needs_early_sample_ = true;  ///< a sign is unknown or fresh from an event
};

/// Resolution of event times [s]: a few units in the last place of t.
double event_resolution(double t);

}  // namespace grapple::integrate
