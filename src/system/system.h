// The tree and its elements as one set of ordinary differential equations x' = f(t, x),
//   x = [ q | v | z of the elements | integrals of the supplies ],
// with discrete modes (joints locked, elements enabled) that change only between steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "grapple/constraint/constraint_solver.h"
#include "grapple/constraint/cross_check.h"
#include "grapple/constraint/dependence.h"
#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/element/account.h"
#include "grapple/element/element.h"
#include "grapple/element/sampled_block.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "grapple/system/channel.h"
#include "grapple/system/derived_channel.h"
#include "grapple/system/motion.h"

namespace grapple::system {

/// Everything one evaluation leaves behind.
template <class T>
struct Snapshot {
  explicit Snapshot(const System& system);
  /// By another way to the accelerations than the system's own; for constraints, composite gives
  /// the rows as a matrix.
  Snapshot(const System& system, dynamics::Method method);

  double t = 0.0;
  model::StateT<T> state;
  model::WorkspaceT<T> workspace;
  dynamics::ForwardScratch<T> forward;
  constraint::ConstraintScratch<T> constraints;
  spatial::VecXT<T> tau;           ///< efforts of the elements, size nv
  spatial::VecXT<T> extra_effort;  ///< added to tau: the inputs of a linearisation; zero in a run
  spatial::VecXT<T> drive;         ///< efforts that locks and prescribed motions need, size nv
  spatial::VecXT<T> z, z_rate;
  element::Energies<T> energies;
  std::array<T, element::kSupplyCount> work{};  ///< integrals of the supplies so far, J
  /// Per link, what its joint puts on it; found when a channel first asks (reaction.h).
  mutable std::vector<spatial::SpatialT<T>> reactions, wrenches;
  mutable bool reactions_known = false;
  /// Outputs of the elements, each found when a channel first asks; per element whether they are.
  mutable std::vector<T> reported;
  mutable std::vector<std::uint8_t> reported_known;
  bool refused = false;  ///< an element could not be evaluated here
  /// The positions and rates of the workspace's kinematics, where they have not been used since for
  /// anything that changes them: asked for again, they are there.
  spatial::VecXT<T> moved_q, moved_v;
  bool moved = false;
};

class AnalyticJacobian;
class Sampling;
struct DenseRows;

/// What System::jacobian works in, so that it allocates nothing.
struct JacobianScratch {
  explicit JacobianScratch(const System& system);

  std::shared_ptr<AnalyticJacobian> analytic;  ///< null: the system needs dual numbers throughout
  Snapshot<spatial::Dual> snapshot;
  std::vector<spatial::Dual> x, rate;
};

/// Which joints are locked, which elements act, what the elements remember, and which constraints
/// hold, where.
struct Modes {
  std::vector<std::uint8_t> locked;   ///< per link
  std::vector<std::uint8_t> enabled;  ///< per element
  std::vector<double> memory;         ///< of all elements, one after the other
  std::vector<double> signals;        ///< as they are held
  std::vector<double> blocks;         ///< what the sampled blocks keep (sampling.h)
  /// Per constraint: bit 0 holds, bit 1 where a latch found it.
  std::vector<std::uint8_t> latched;
  /// Per constraint constraint::kClosureSize numbers: what a latch may change.
  std::vector<double> closures;
  int constraint_rank = 0;                          ///< independent rows of the latched constraints
  std::vector<constraint::Dependence> dependences;  ///< the other rows, and what they follow from
  /// Per row, whether it is among the independent ones chosen last (constraint_solver.h); empty:
  /// none depends on others, or they are too many to tell.
  std::vector<std::uint8_t> held_rows;
  double held_pivot = 0.0;  ///< smallest pivot at first with the rows held; 0: not known yet
};

/// Whether the constraints are closed before the start, or left as they are (for assemble.h).
enum class ConstraintStart { kClosed, kOpen };

/// What a System is made from.
struct SystemParts {
  model::Model model;
  spatial::VecX q, v;  ///< initial; empty = zero / identity
  std::vector<std::unique_ptr<element::Element>> elements;
  std::vector<JointMotion> motions;
  std::vector<int> locked;                                   ///< links locked from the start
  dynamics::Method method = dynamics::Method::kArticulated;  ///< of forward dynamics
  std::vector<constraint::Constraint> constraints =
      {};  ///< closed at the start if they are nearly so
  /// Another way through the constraints' equations; null: the default.
  std::shared_ptr<const constraint::CrossCheck> cross_check = {};
  ConstraintStart constraint_start = ConstraintStart::kClosed;
  std::vector<int> reactions = {};  ///< links whose joints have reaction channels
  std::vector<int> disabled = {};   ///< elements that do not act from the start
  std::vector<element::Signal> signals = {};
  std::vector<std::unique_ptr<element::SampledBlock>> blocks = {};
  std::vector<RelativeFrame> relative_frames = {};
  std::vector<FormulaChannel> formula_channels = {};
};

struct LatchResult {
  /// Missed: the ends were beyond the constraint's capture limits. Held open: within them, but what
  /// else holds (other constraints, locks) leaves no way to close.
  enum class Kind { kTaken, kMissed, kHeldOpen, kWasClosed } kind = Kind::kTaken;
  constraint::CaptureLimits seen{};  ///< how far off the ends were; zeros if it was closed
};

struct EnableResult {
  enum class Kind { kEnabled, kRefused, kWasEnabled } kind = Kind::kEnabled;
  std::string obstacle;  ///< why it was refused, in words
};

class System {
 public:
  /// Throws Error GR-307 if the mass matrix at the initial position is singular, GR-308 if two
  /// elements share a name, GR-950 if a block names no channel or signal, GR-956
  /// if a formula does, GR-901 if constraints cannot be
  /// closed from the initial position, GR-909 if they contradict each other, GR-910 if a given
  /// motion fights others, GR-911 if a formula has no derivatives there.
  explicit System(SystemParts parts);
  ~System();
  System(System&&) noexcept;

  const model::Model& model() const { return parts_.model; }
  dynamics::Method method() const { return parts_.method; }
  /// Of the constraints, where method() is articulated.
  constraint::RowSolution row_solution() const { return row_solution_; }
  const std::vector<std::unique_ptr<element::Element>>& elements() const { return parts_.elements; }
  const std::vector<JointMotion>& motions() const { return parts_.motions; }
  const std::vector<constraint::Constraint>& constraints() const { return parts_.constraints; }
  /// Independent rows of the constraints when they last changed. An evaluation where there are
  /// fewer is refused: at such a singular position branches of the motion meet, and a solver must
  /// not choose unasked.
  int constraint_rank() const { return modes_.constraint_rank; }
  /// How far from dependent the independent rows are at the start
  /// (ConstraintScratch::smallest_pivot).
  double initial_pivot() const { return initial_pivot_; }
  /// False where there are so many rows that the independent ones are not told apart;
  /// constraint_rank() is then 1.
  bool rows_counted() const;
  /// How far each row was open before the start was closed, m or rad.
  const spatial::VecX& initial_opening() const { return initial_opening_; }
  /// Whether a joint, once locked, would fight a given motion at the start: that motion's
  /// constraint, or -1.
  int motion_against_lock(int link);
  /// The rows that follow from others, as the constraints now hold.
  const std::vector<constraint::Dependence>& dependences() const { return modes_.dependences; }
  const std::vector<int>& reactions() const { return parts_.reactions; }
  const std::vector<Channel>& channels() const { return channels_; }
  int find_channel(std::string_view name) const;  ///< -1: none
  const std::vector<RelativeFrame>& relative_frames() const { return parts_.relative_frames; }
  const std::vector<FormulaChannel>& formula_channels() const { return parts_.formula_channels; }
  int find_element(std::string_view name) const;
  const std::vector<element::Signal>& signals() const { return parts_.signals; }
  int find_signal(std::string_view name) const;  ///< -1: none

  int size() const { return size_; }
  /// q, v and z: the components an integrator must control.
  int dynamic_size() const { return size_ - element::kSupplyCount; }
  int z_count() const { return z_count_; }
  /// Where an element's states begin in z; its successor's are the end.
  int z_start(int element) const { return z_starts_[static_cast<std::size_t>(element)]; }
  /// Where an element's memory begins in Modes::memory; its successor's is the end.
  int memory_start(int element) const { return memory_starts_[static_cast<std::size_t>(element)]; }
  /// Where an element's outputs begin in Snapshot::reported; its successor's are the end.
  int output_start(int element) const { return output_starts_[static_cast<std::size_t>(element)]; }
  spatial::VecX initial_state() const;

  const Modes& modes() const { return modes_; }
  void set_modes(Modes modes);
  /// Whether modes from a checkpoint can be this system's: sizes, and every index in them.
  bool could_have(const Modes& modes) const;

  /// Kinematics, elements, accelerations at (t, x); everything stays in `out`. False if a result is
  /// not finite or an element refuses.
  template <class T>
  bool evaluate(double t, std::span<const T> x, Snapshot<T>& out) const;
  /// The same without the energies of motion and weight: all that state_rate() needs.
  template <class T>
  bool accelerate(double t, std::span<const T> x, Snapshot<T>& out) const;
  /// Kinematics, elements and the inverse dynamics of accelerations `vdot` (size nv) at (t, x): in
  /// out.workspace.tau the efforts they need, in out.tau those of the elements, in out.constraints
  /// the rows of the constraints. No drive, stored kinetic energy or constraint force is worked
  /// out.
  template <class T>
  void inverse(double t, std::span<const T> x, const spatial::VecXT<T>& vdot,
               Snapshot<T>& out) const;
  /// The part of `inverse` without inertia: in out.workspace.tau the efforts of the elements, their
  /// wrenches included; in out.constraints the rows. Kinematics only if an element or a constraint
  /// needs them.
  template <class T>
  void efforts(double t, std::span<const T> x, Snapshot<T>& out) const;
  /// Loads x into out.state and puts in place what is prescribed or locked at time t: positions,
  /// rates and driven_vdot.
  void impose(double t, std::span<const double> x, Snapshot<double>& out) const;
  /// Positions and velocities alone at (t, x): what kinks depend on.
  void kinematics(double t, std::span<const double> x, Snapshot<double>& out) const;
  /// As much of evaluate() as numbers of this depth need.
  void evaluate_to(Depth depth, double t, std::span<const double> x, Snapshot<double>& out) const;
  /// x' from an evaluation.
  template <class T>
  void state_rate(const Snapshot<T>& snapshot, std::span<T> x_rate) const;

  /// Unit quaternions, prescribed coordinates and locked rates put in place, constraints closed.
  void project(double t, std::span<double> x) const;
  /// Takes from a small difference of states what opens the constraints at the evaluation `at`.
  void keep_tangent(Snapshot<double>& at, std::span<double> difference) const;
  /// Moves the positions in x by h times the rates in x (turning quaternions).
  void drift(double h, std::span<double> x) const;

  /// Locks a joint (the motor side of a flexible one) in place at (t, x). If it moves, the impulse
  /// that stops it changes all rates, consistently with the momentum of the rest, and the energy it
  /// takes is booked under `locking`.
  void lock(int link, double t, std::span<double> x);
  void unlock(int link, double t, std::span<const double> x);
  /// Lets a constraint hold from (t, x) on. The impulse that makes the rates agree with it is
  /// inelastic; the energy it takes (and what closing the last of the way changes) is booked under
  /// `locking`. Nothing changes if the ends are then further off what the constraint was built as,
  /// or faster, than its capture limits (capture.h), whether it closes in place or as given.
  LatchResult latch(int constraint, double t, std::span<double> x);
  void release(int constraint, double t, std::span<const double> x);
  void enable(int element, std::uint8_t on) {
    modes_.enabled[static_cast<std::size_t>(element)] = on;
  }
  /// Lets an element act from (t, x) on, or no longer. One with a memory begins anew; what the
  /// change adds to the stored energy is booked under `external`. Refused, with nothing changed,
  /// where the element says that it must not begin here.
  EnableResult enable(int element, double t, std::span<double> x);
  void disable(int element, double t, std::span<double> x);

  /// What setting a signal changed.
  enum class SignalChange { kNone, kRate, kState };  ///< nothing; x' alone; x too
  /// Gives a signal another value at (t, x). What that adds to the stored energy (a spring whose
  /// rest moves) is booked under `external`. A joint that follows a rate is brought to the new one
  /// by an impulse, as by lock(); its energy is booked under `locking`.
  SignalChange set_signal(int signal, double value, double t, std::span<double> x);

  const std::vector<std::unique_ptr<element::SampledBlock>>& blocks() const {
    return parts_.blocks;
  }
  /// Where a block's memory begins in Modes::blocks.
  std::size_t block_memory_start(std::size_t block) const;
  /// The next time at which sample() must be called; infinite: never.
  double next_sample() const;
  /// Lets delayed outputs act and runs the blocks that are due at the accepted state (t, x); all of
  /// them see the model as it is before any of them has acted. What they ask for beside signals is
  /// added to `requests`. Throws Error GR-951 if a block writes a value that is not finite, GR-953
  /// if it is beyond the limits of its signal.
  SignalChange sample(double t, std::span<double> x, std::vector<element::Request>& requests);

  /// Chooses the held rows of the constraints anew at the accepted state x if they have come closer
  /// to each other, or to too few, since they were chosen. `weakest`: the smallest pivot of the
  /// evaluations since the last call; infinite: there were none.
  void renew_rows(double t, std::span<const double> x, double weakest);
  /// Where the constraints were found to have more independent rows than when they last changed:
  /// the time, or NaN. They were in a singular position then, and what branch the motion took was
  /// not asked.
  double left_singular_at() const { return left_singular_at_; }

  /// What elements remember of the run that the user should know, in words.
  std::vector<std::string> cautions() const;
  /// Lets elements with a memory latch at the accepted state x, which they may change. True: memory
  /// or x changed.
  bool commit(double t, std::span<double> x);

  /// Why an element refuses to be evaluated where the snapshot was made; empty: none does.
  std::string refusal(const Snapshot<double>& snapshot) const;

  /// Element kinks, from a snapshot with kinematics.
  int kink_count() const { return kink_count_; }
  void kink_values(const Snapshot<double>& snapshot, std::span<double> values) const {
    kink_values(snapshot, {}, values);
  }
  /// The same without the elements all of whose kinks `skip` marks (one entry per kink, or none);
  /// their values stay.
  void kink_values(const Snapshot<double>& snapshot, std::span<const std::uint8_t> skip,
                   std::span<double> values) const;
  /// Which element a kink belongs to.
  int element_of_kink(int kink) const { return kink_elements_[static_cast<std::size_t>(kink)]; }
  /// Bounds on the rates of the kinks that are distances (Element::passage), infinite for others.
  void kink_speeds(const Snapshot<double>& snapshot, std::span<double> speeds) const;
  /// Element::longest_step of all that act, and whose it is (-1: there is none).
  struct StepBound {
    double seconds = std::numeric_limits<double>::infinity();
    int element = -1;
  };
  StepBound longest_step() const;
  /// Lets functions of time keep the branch they have between two breakpoints: times up to `begin`
  /// or from `end` on are read as just inside. Without a call, time is read as it is.
  void read_times_inside(double begin, double end);
  /// Times from 0 to `t_end` where a function of time has a kink or a jump, sorted, without
  /// doubles.
  std::vector<double> breakpoints(double t_end) const;

  /// df/dx, column-major: by dual numbers, or analytic where that serves (analytic_jacobian.h).
  void jacobian(double t, std::span<const double> x, std::span<double> J,
                JacobianScratch& scratch) const;

  /// Energy at the start, for the ledger.
  double initial_energy() const { return initial_energy_; }
  /// When this system takes the place of another in the middle of a run: the ledger goes on from
  /// the other's start. What the exchange adds to the energy is the caller's to book.
  void continue_ledger_from(double initial_energy) { initial_energy_ = initial_energy; }

 private:
  friend struct Snapshot<double>;
  void check_mass_matrix() const;
  double inside(double t) const { return std::clamp(t, first_time_, last_time_); }
  template <class T>
  void load(double t, std::span<const T> x, Snapshot<T>& out) const;
  /// load(), and the kinematics.
  template <class T>
  void move(double t, std::span<const T> x, Snapshot<T>& out) const;
  template <class T>
  void apply_modes(double t, model::StateT<T>& state) const;
  template <class T>
  void run_elements(Snapshot<T>& out) const;
  bool needs_kinematics() const;
  void check_names() const;
  void find_inputs_of_formulas();
  void close_initial_constraints();
  double note_dependences();  ///< the smallest pivot of the independent rows
  const constraint::ConstraintScratch<double>& count_rows();
  void hold_rows(const constraint::ConstraintScratch<double>& counted);
  void refuse_open_constraints() const;
  void refuse_undefined_formulas() const;
  void refuse_contradictions(const char* what, const spatial::VecX& asked) const;
  void find_rank(double t, std::span<const double> x);
  void keep_closures();
  double stored_energy(double t, std::span<const double> x);
  void book(element::Supply account, double joule, std::span<double> x) const;
  double bring_to_rate(int link, const spatial::VecX& rate, double t, std::span<double> x);
  bool commit_element(int element, std::span<double> x, Snapshot<double>& kinematics);
  void begin_anew(int element, std::span<double> x);

  SystemParts parts_;
  std::vector<constraint::Constraint>
      constraints_as_built_;  ///< what capture limits are measured from
  std::vector<Channel> channels_;
  std::vector<int> z_starts_, memory_starts_, output_starts_;
  std::vector<int> kink_elements_;
  double first_time_ = -std::numeric_limits<double>::infinity();
  double last_time_ = std::numeric_limits<double>::infinity();
  int z_count_ = 0, kink_count_ = 0, size_ = 0;
  bool stores_by_signals_ = false;  ///< whether an element does
  Modes modes_;
  double initial_energy_ = 0.0, initial_pivot_ = 1.0;
  double left_singular_at_ = std::numeric_limits<double>::quiet_NaN();
  constraint::RowSolution row_solution_ = constraint::RowSolution::kMassMatrix;
  mutable bool held_too_few_ = false;      ///< a projection found other rows open
  std::shared_ptr<DenseRows> dense_rows_;  ///< of constraints solved along the tree; its own
  spatial::VecX initial_opening_;
  std::unique_ptr<Snapshot<double>> scratch_;
  std::unique_ptr<Sampling> sampling_;
};

/// The evaluation an element sees, made from a snapshot.
template <class T>
element::Evaluation<T> evaluation_of(const System& system, Snapshot<T>& snapshot, int element);

}  // namespace grapple::system
