// Finds the sign changes of a problem's event functions inside the last step of a stepper.
//
// The event functions are sampled at the end of the step and at four points inside it (of a method
// whose output is a straight line between the ends, only at the end). Of every function the sign on
// this side of the last sample is remembered; a function that has just fired (or is zero at the
// start) gets its sign from a sample right after, so that it cannot fire on its own round-off.
// Between two samples of one sign:
// - a distance g with a bound s on its rate (Problem::event_passage, event_speeds) cannot have been
//   zero where  g(a) + g(b) > s (b - a)  (conservative advancement; Mirtich 1996, Piyavskii 1972).
//   Where it can, the interval is halved until it cannot or a sample lies below zero; over a motion
//   shorter than the distance's grain its one minimum is searched. A distance that cannot be zero
//   anywhere in the step is not read at all; what is kept of it is a lower bound.
// - of any other function a minimum of its size between the samples, as a parabola through three of
//   them shows it, is searched.
// What stays unseen: two zeros of another function between samples whose parabola shows none.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "grapple/integrate/problem.h"
#include "grapple/integrate/stepper.h"

namespace grapple::integrate {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  /// Makes the first wanted sign change in (from, stepper.t()] the end of the last step (see
  /// Stepper::truncate), with the time corrected to the redone step, and returns it; nothing fires
  /// yet. For methods that cannot redo a step the time is that on its dense output. None: the step
  /// has none; where the redone step had to be shorter than that, it ends before.
  std::optional<double> step_onto_first_after(double from);
  /// All functions that changed sign at the event with state x, in order of index; at least the one
  /// that was found.
  std::span<const Fired> fire(double time, std::span<const double> x);
  std::span<const Fired> fired() const { return fired_; }
  void clear_fired() { fired_.clear(); }

  /// The longest step from the last state read in which no touching pair moves further than its
  /// depth, so that the stages of a step see its forces, and no other further than its distance can
  /// be followed.
  Problem::StepBound longest_step() const;

  void save(std::vector<double>& memory) const;
  void restore(std::span<const double> memory);
  std::size_t memory_size() const { return 4 * signs_.size() + 2; }

 private:
  static constexpr std::size_t kMostNodes = 7;  ///< start, early, five samples

  std::optional<double> first_after(double from);
  std::optional<double> refine(double from, double time);
  void read(double time);
  void read_speeds(double time, std::vector<double>& speeds);
  void choose(double from, double to);
  void read_bounded(double from);
  bool cannot_touch(std::size_t index, double span) const;
  void pass_unread(double span);
  double value(std::size_t index, double time);
  bool wanted(std::size_t index, int sign) const;
  std::optional<double> scan(std::size_t node);
  std::optional<double> search(std::size_t index, std::size_t node);
  std::optional<double> unseen(std::size_t index, std::size_t node);
  std::optional<double> halve(std::size_t index, double a, double fa, double b, double fb);
  std::optional<double> beyond_zero(std::size_t index, double a, double fa, double b, double fb);
  bool bends_to_zero(std::size_t index, std::size_t node) const;
  double locate(std::size_t index, double a, double fa, double b, double fb, double before);
  void settle(std::size_t node);
  int sign_just_after(std::size_t index, double slope, double time) const;

  Problem& problem_;
  Stepper& stepper_;
  std::vector<Crossing> crossings_;
  std::vector<Problem::Passage> passages_;
  bool has_distances_ = false;
  std::vector<int> signs_;  ///< before the next sample: -1, +1, or 0 if not known yet
  std::vector<double> x_, values_;
  std::vector<std::uint8_t> bounded_;  ///< values_ is a lower bound of the distance
  std::vector<double> speeds_;         ///< at known_at_
  bool known_ = false;                 ///< values_ are those at known_at_, not to be read again
  double known_at_ = 0.0;

  // Of the step that is looked at.
  std::vector<std::uint8_t> skip_;  ///< not read: it cannot be zero
  std::vector<std::uint8_t> only_;  ///< all but one
  std::vector<double> fastest_, speeds_there_, scratch_;
  std::array<double, kMostNodes> times_{};
  std::array<std::vector<double>, kMostNodes> samples_;
  std::size_t nodes_ = 0;
  std::span<const double> parts_;  ///< where in a step the functions are read, as parts of it
  std::vector<int> signs_before_;
  std::vector<double> values_before_;
  std::vector<std::uint8_t> bounded_before_;

  std::vector<Fired> fired_;
  std::size_t first_ = 0;           ///< the function first_after found
  int reads_ = 0;                   ///< of one distance between two samples
  int first_sign_ = 0;              ///< its sign before
  bool needs_early_sample_ = true;  ///< a sign is unknown or fresh from an event
};

/// Resolution of event times [s]: a few units in the last place of t.
double event_resolution(double t);

}  // namespace grapple::integrate
