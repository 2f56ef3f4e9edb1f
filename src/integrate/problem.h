// What an integrator sees: x' = f(t, x) with events, and nothing of the physics behind it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace grapple::integrate {

class SecondOrderProblem;

/// The system of ordinary differential equations. One call may leave scratch behind, so a Problem
/// belongs to one thread. A right-hand side that cannot be evaluated (NaN, singular mass matrix)
/// returns false.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual int size() const = 0;
  /// x' = f(t, x). False: not evaluable here (the integrator tries a smaller step, then fails with
  /// status).
  virtual bool derivative(double t, std::span<const double> x, std::span<double> xdot) = 0;

  /// J = df/dx, column-major size x size. False if the problem has none (integrators then use
  /// differences).
  virtual bool jacobian(double /*t*/, std::span<const double> /*x*/, std::span<double> /*J*/) {
    return false;
  }

  /// Puts x back on its manifold (unit quaternions, prescribed coordinates); called after every
  /// accepted step and on interpolated states.
  virtual void project(double /*t*/, std::span<double> /*x*/) {}

  /// The last step's estimated error (controlled_size), right after derivative() at its end: the
  /// problem may take out what project() takes from the state and what says nothing about the step.
  virtual void judge_error(std::span<double> /*error*/) {}

  /// Whether x lies on a manifold that f leaves by its errors (closed loops), so that a multistep
  /// method must project its own history too.
  virtual bool is_constrained() const { return false; }

  /// Lets the problem latch what changes only between steps (an impact speed, a contact's states);
  /// called at the start and after every accepted step and its events. True: x or the right-hand
  /// side has changed, the integrator starts anew from here.
  virtual bool commit(double /*t*/, std::span<double> /*x*/) { return false; }

  /// One semi-implicit (symplectic) Euler step of length h in place: rates first, then positions
  /// with the new rates.
  virtual bool semi_implicit_step(double t, double h, std::span<double> x) = 0;

  /// One step of the velocity Verlet method in place: positions with the rates of the middle of the
  /// step, all else by the mean of both ends' derivatives.
  /// False also where the problem has no such step.
  virtual bool verlet_step(double /*t*/, double /*h*/, std::span<double> /*x*/) { return false; }

  /// The same equations as a system of second order (second_order.h), for methods that need it;
  /// null: there are none.
  virtual SecondOrderProblem* second_order() { return nullptr; }

  /// Number of leading components under error control; the rest are quadratures, whose values may
  /// not enter derivative() of the leading ones. One-step methods let them ride along; multistep
  /// methods hold them to the tolerance of the largest.
  virtual int controlled_size() const { return size(); }

  /// The right-hand side is smooth in time inside (begin, end): from now on the problem reads times
  /// at or beyond the ends as just inside, so that a step onto a jump does not see what lies
  /// behind.
  virtual void enter_segment(double /*begin*/, double /*end*/) {}

  /// Event functions, continuous along a solution; a sign change inside a step is located. They are
  /// also read on interpolated states.
  virtual int event_count() const { return 0; }
  virtual void event_values(double /*t*/, std::span<const double> /*x*/,
                            std::span<double> /*values*/) {}
  /// The same; those that `skip` marks (one entry per function) need not be read and may keep what
  /// `values` holds.
  virtual void event_values_except(std::span<const std::uint8_t> /*skip*/, double t,
                                   std::span<const double> x, std::span<double> values) {
    event_values(t, x, values);
  }

  /// Event functions that are distances: what is known to pass none unseen (event_finder.h).
  struct Passage {
    double depth = 0.0;  ///< m that a step may move a touching pair; 0: not a distance
    double grain = 0.0;  ///< m of motion over which the distance has at most one minimum
    int source = -1;     ///< whose distance it is, for messages
  };
  virtual Passage event_passage(int /*index*/) const { return {}; }
  /// Bounds on the rates of the event functions that are distances, m/s; others: infinite.
  virtual void event_speeds(double /*t*/, std::span<const double> /*x*/,
                            std::span<double> /*speeds*/) {}

  /// The longest step from the state last committed in which nothing is passed unseen that the
  /// event functions do not show.
  struct StepBound {
    double seconds = std::numeric_limits<double>::infinity();
    int source = -1;
  };
  virtual StepBound longest_step() const { return {}; }
};

/// Direction of the sign change an event waits for.
enum class Crossing { kBoth, kRising, kFalling };

}  // namespace grapple::integrate
