// A part that acts on the tree: it reads kinematics, adds wrenches and joint efforts, and books its
// energy. It may own continuous states z and functions whose sign change is a kink (the integrator
// steps onto them). States are integrated with error control, recorded under their names, saved in
// checkpoints and linearised like q and v.
//
// To write one, derive from ElementOf<YourElement> and give it
//   template <class T> void act(Evaluation<T>& e) const;
// which is then run on doubles in a simulation and on dual numbers for exact linearisation; with
// states it reads e.z and sets e.z_rate.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "grapple/dynamics/jacobian.h"
#include "grapple/element/account.h"
#include "grapple/element/signal.h"
#include "grapple/spatial/dual.h"

namespace grapple::element {

/// What an element sees and adds to.
template <class T>
struct Evaluation {
  const model::Model& model;
  double t;
  const model::StateT<T>& state;
  model::WorkspaceT<T>& workspace;
  spatial::VecXT<T>& tau;  ///< efforts, size nv
  Energies<T>& energies;
  std::span<const T> z;  ///< the element's own states
  std::span<T> z_rate;
  std::span<const double> memory;  ///< what the element remembers, constant within a step
  bool& refused;  ///< set where an element cannot say its forces: the step must become smaller
  std::span<const double> signals = {};  ///< as they are held (signal.h)

  /// What inputs are read at.
  Moment moment() const { return {t, signals}; }

  dynamics::FrameMotion<T> motion(const model::Frame& frame) const {
    return dynamics::frame_motion(frame, workspace);
  }
  /// Adds a force at world point p_W and a torque, both in world axes, to a link.
  void add_wrench(int link, const spatial::Vec3T<T>& p_W, const spatial::Vec3T<T>& force,
                  const spatial::Vec3T<T>& torque) {
    const auto at = static_cast<std::size_t>(link);
    workspace.wrench[at].lin += force;
    workspace.wrench[at].ang += torque + (p_W - workspace.motion[at].p_WL).cross(force);
  }
};

/// Name and unit of one recorded quantity.
struct Output {
  std::string name;
  std::string unit;
};

class Element {
 public:
  explicit Element(std::string name) : name_(std::move(name)) {}
  virtual ~Element() = default;
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  /// "force/thruster", "joint/shoulder/spring": the stem of its channels.
  const std::string& name() const { return name_; }

  virtual void evaluate(Evaluation<double>& e) const = 0;
  virtual void evaluate(Evaluation<spatial::Dual>& e) const = 0;

  /// What its forces depend on. kCoordinates promises that it reads state and time alone, not the
  /// kinematics, and adds efforts, not wrenches: derivatives then cost no sweep over the tree.
  enum class Reach { kCoordinates, kKinematics };
  virtual Reach reach() const { return Reach::kKinematics; }

  /// Whether the energy it stores depends on a signal (a spring whose rest moves): what setting
  /// the signal adds to it is then booked (System::set_signal), at the price of two evaluations.
  virtual bool stores_by_signals() const { return false; }

  /// Its continuous states, in the order of z; empty: none.
  virtual std::vector<Output> states() const { return {}; }
  /// How many; more than states() names if the others are too many to record.
  virtual int state_count() const { return static_cast<int>(states().size()); }
  virtual void initial_state(std::span<double> /*z*/) const {}
  /// Its states when it is switched off or on: as at the start, unless they are a stock that stays.
  virtual void begin_anew(std::span<double> z) const {
    std::fill(z.begin(), z.end(), 0.0);
    initial_state(z);
  }

  /// Numbers it remembers from step to step (an impact speed), zero at the start; saved in
  /// checkpoints, seen by evaluate() as e.memory.
  virtual int memory_count() const { return 0; }
  /// Whether memory_count() numbers from a checkpoint can be its memory: where they are indices.
  virtual bool could_remember(std::span<const double> /*memory*/) const { return true; }
  /// Asked at the start and after every accepted step of elements with a memory, and only then: may
  /// rewrite memory and z. e has kinematics but no forces. True: something changed, the integrator
  /// starts anew from here.
  virtual bool commit(const Evaluation<double>& /*e*/, std::span<double> /*z*/,
                      std::span<double> /*memory*/) const {
    return false;
  }

  /// Why it must not be switched on at e, in words (a contact whose shapes are deep in each other);
  /// empty: it may. e has kinematics but no forces.
  virtual std::string obstacle(const Evaluation<double>& /*e*/) const { return ""; }

  /// Why it refuses to be evaluated at e, in words; empty: it does not.
  virtual std::string refusal(const Evaluation<double>& /*e*/) const { return ""; }

  /// What its memory shows at the end of a run that the user should know, in words; empty: nothing.
  virtual std::string caution(std::span<const double> /*memory*/) const { return ""; }

  virtual std::vector<Output> outputs() const { return {}; }
  /// The values of outputs(), from kinematics, states, memory and signals alone: e may have no
  /// forces and no accelerations.
  virtual void report(const Evaluation<double>& /*e*/, std::span<double> /*values*/) const {}
  virtual void report(const Evaluation<spatial::Dual>& /*e*/,
                      std::span<spatial::Dual> /*values*/) const {}

  /// Functions whose sign change is a kink of the force, from kinematics and states alone.
  virtual int kink_count() const { return 0; }
  virtual void kink_values(const Evaluation<double>& /*e*/, std::span<double> /*values*/) const {}
  /// Whether its kinks are distances (m) between shapes that pass through each other where one is
  /// not seen in time: then what keeps the integrator from that.
  struct Passage {
    double depth = 0.0;  ///< m that a step may move a touching pair; 0: its kinks are no distances
    double grain = 0.0;  ///< m of motion over which a distance has at most one minimum
  };
  virtual Passage passage() const { return {}; }
  /// Bound on the rate of all its kinks at e, m/s, from kinematics alone; where passage() has a
  /// depth.
  virtual double kink_speed(const Evaluation<double>& /*e*/) const {
    return std::numeric_limits<double>::infinity();
  }
  /// The longest step, s, from the state of the last commit() in which nothing is passed unseen,
  /// for elements that do not offer their distances as kinks. Asked at the start of each step.
  virtual double longest_step(std::span<const double> /*memory*/) const {
    return std::numeric_limits<double>::infinity();
  }

  /// Times from 0 to `t_end` at which a given function of time has a kink or a jump.
  virtual std::vector<double> breakpoints(double /*t_end*/) const { return {}; }

 private:
  std::string name_;
};

/// Routes the virtual calls to one template per job: act<T>, and report_as<T> where outputs() is
/// not empty.
template <class Derived>
class ElementOf : public Element {
 public:
  using Element::Element;
  void evaluate(Evaluation<double>& e) const final { self().act(e); }
  void evaluate(Evaluation<spatial::Dual>& e) const final { self().act(e); }
  void report(const Evaluation<double>& e, std::span<double> values) const final {
    self().report_as(e, values);
  }
  void report(const Evaluation<spatial::Dual>& e, std::span<spatial::Dual> values) const final {
    self().report_as(e, values);
  }
  template <class T>
  void report_as(const Evaluation<T>& /*e*/, std::span<T> /*values*/) const {}

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace grapple::element
