// Locks, latches and releases, elements switched on and off, signals set: modes that change between
// steps, and the impulses and energies of such changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"
#include "grapple/constraint/capture.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/system/internal/sampling.h"
#include "grapple/system/system.h"

namespace grapple::system {

using constraint::Constraint;
using model::Link;
using spatial::VecX;

namespace {

constexpr std::uint8_t kHolds = 1, kInPlace = 2;

// To the bit the same where only rates have changed.
double potential_of(const Snapshot<double>& s) {
  double sum = 0.0;
  for (std::size_t k = 0; k < element::kStoredCount; ++k) {
    if (k != static_cast<std::size_t>(element::Stored::kKinetic)) sum += s.energies.stored[k];
  }
  return sum;
}

}  // namespace

void System::keep_closures() {
  modes_.closures.clear();
  for (const Constraint& constraint : constraints()) {
    const auto closure = constraint::closure_of(constraint);
    modes_.closures.insert(modes_.closures.end(), closure.begin(), closure.end());
  }
}

bool System::could_have(const Modes& modes) const {
  const auto rows = static_cast<std::size_t>(constraint::row_count(constraints()));
  const bool sizes = modes.locked.size() == modes_.locked.size() &&
                     modes.enabled.size() == modes_.enabled.size() &&
                     modes.memory.size() == modes_.memory.size() &&
                     modes.signals.size() == modes_.signals.size() &&
                     modes.latched.size() == modes_.latched.size() &&
                     modes.closures.size() == modes_.closures.size() &&
                     (modes.held_rows.empty() || modes.held_rows.size() == rows);
  if (!sizes || !sampling_->could_be(modes.blocks)) return false;
  const auto is_row = [&](int row) { return row >= 0 && static_cast<std::size_t>(row) < rows; };
  const bool indices =
      modes.constraint_rank >= 0 && static_cast<std::size_t>(modes.constraint_rank) <= rows &&
      std::ranges::all_of(modes.dependences, [&](const constraint::Dependence& one) {
        return is_row(one.row) &&
               std::ranges::all_of(one.on, is_row, &constraint::Dependence::Share::row);
      });
  if (!indices) return false;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    const auto first = static_cast<std::size_t>(memory_starts_[i]);
    const auto count = static_cast<std::size_t>(elements()[i]->memory_count());
    if (!elements()[i]->could_remember(std::span(modes.memory).subspan(first, count))) return false;
  }
  return true;
}

void System::set_modes(Modes modes) {
  GRAPPLE_ASSERT(modes.latched.size() == constraints().size());
  GRAPPLE_ASSERT(modes.closures.size() == constraint::kClosureSize * constraints().size());
  modes_ = std::move(modes);
  for (std::size_t l = 0; l < constraints().size(); ++l) {
    Constraint& constraint = parts_.constraints[l];
    constraint.active = (modes_.latched[l] & kHolds) != 0;
    constraint.kind = constraints_as_built_[l].kind;
    if ((modes_.latched[l] & kInPlace) == 0) continue;
    const auto first = std::span(modes_.closures).subspan(l * constraint::kClosureSize);
    constraint::set_closure(first.first<constraint::kClosureSize>(), constraint);
  }
}

void System::find_rank(double t, std::span<const double> x) {
  if (constraints().empty()) return;
  Snapshot<double>& s = *scratch_;
  load<double>(t, x, s);
  s.constraints.t = t;
  note_dependences();
}

double System::stored_energy(double t, std::span<const double> x) {
  evaluate<double>(t, x, *scratch_);
  double sum = 0.0;
  for (const double stored : scratch_->energies.stored) sum += stored;
  return sum;
}

void System::book(element::Supply account, double joule, std::span<double> x) const {
  x[static_cast<std::size_t>(dynamic_size() + static_cast<int>(account))] += joule;
}

// The impulse that gives a driven joint another rate; the kinetic energy it adds. The joint must be
// locked, or led at a given rate or acceleration.
double System::bring_to_rate(int link, const VecX& rate, double t, std::span<double> x) {
  Snapshot<double>& s = *scratch_;
  load<double>(t, x, s);
  s.state.v = Eigen::Map<const VecX>(x.data() + model().nq(), model().nv());
  const VecX v_before = s.state.v;
  dynamics::forward_kinematics(model(), s.state, s.workspace);
  const double energy_before = dynamics::kinetic_energy(model(), s.state, s.workspace);

  // The impulse acts at standstill: rates' jumps are accelerations, and what gravity adds cancels
  // in the difference of two solutions with and without the demanded jump.
  const Link& joint = model().link(link);
  const VecX no_effort = VecX::Zero(model().nv());
  s.state.driven[static_cast<std::size_t>(link)] = 1;
  s.state.v.setZero();
  s.state.driven_vdot.setZero();
  s.workspace.clear_wrenches();
  dynamics::aba(model(), s.state, no_effort, s.workspace);
  const VecX without = s.workspace.vdot;
  const int held = joint.v_actuated();
  s.state.driven_vdot.segment(held, joint.nv) = rate - v_before.segment(held, joint.nv);
  dynamics::aba(model(), s.state, no_effort, s.workspace);
  s.state.v = v_before + (s.workspace.vdot - without);
  s.state.v.segment(held, joint.nv) = rate;
  // First onto the motions with the joint at its rate, then onto those among them that keep the
  // loops closed: two projections in the metric of the mass matrix, the second into the first, are
  // one.
  if (!constraints().empty()) {
    s.constraints.t = t;
    s.constraints.held = {};
    constraint::project_rates(model(), constraints(), s.state, s.forward, s.constraints,
                              s.workspace);
    note_dependences();
  }

  dynamics::forward_kinematics(model(), s.state, s.workspace);
  const double energy_after = dynamics::kinetic_energy(model(), s.state, s.workspace);
  Eigen::Map<VecX>(x.data() + model().nq(), model().nv()) = s.state.v;
  return energy_after - energy_before;
}

void System::lock(int link, double t, std::span<double> x) {
  // A joint that follows a motion has its rate from there until now.
  load<double>(t, x, *scratch_);
  Eigen::Map<VecX>(x.data() + model().nq(), model().nv()) = scratch_->state.v;
  modes_.locked[static_cast<std::size_t>(link)] = 1;
  book(element::Supply::kLocking, bring_to_rate(link, VecX::Zero(model().link(link).nv), t, x), x);
}

int System::find_signal(std::string_view name) const {
  for (std::size_t k = 0; k < signals().size(); ++k) {
    if (signals()[k].name == name) return static_cast<int>(k);
  }
  return -1;
}

System::SignalChange System::set_signal(int signal, double value, double t, std::span<double> x) {
  double& held = modes_.signals[static_cast<std::size_t>(signal)];
  if (held == value) return SignalChange::kNone;
  if (stores_by_signals_) evaluate<double>(t, x, *scratch_);
  const double energy_before = stores_by_signals_ ? potential_of(*scratch_) : 0.0;
  held = value;
  SignalChange change = SignalChange::kRate;
  double by_impulse = 0.0;
  for (const JointMotion& motion : parts_.motions) {
    const bool led = motion.level == MotionLevel::kRate &&
                     modes_.locked[static_cast<std::size_t>(motion.link)] == 0 &&
                     std::ranges::any_of(motion.functions, [&](const element::Input& input) {
                       return input.signal() == signal;
                     });
    if (!led) continue;
    VecX rate(model().link(motion.link).nv);
    for (Eigen::Index k = 0; k < rate.size(); ++k) {
      rate[k] = motion.functions[static_cast<std::size_t>(k)]({t, modes_.signals});
    }
    by_impulse += bring_to_rate(motion.link, rate, t, x);
    change = SignalChange::kState;
  }
  book(element::Supply::kLocking, by_impulse, x);
  if (!stores_by_signals_) return change;
  evaluate<double>(t, x, *scratch_);
  const double added = potential_of(*scratch_) - energy_before;
  if (added != 0.0) change = SignalChange::kState;
  book(element::Supply::kExternal, added, x);
  return change;
}

void System::unlock(int link, double t, std::span<const double> x) {
  modes_.locked[static_cast<std::size_t>(link)] = 0;
  find_rank(t, x);
}

int System::motion_against_lock(int link) {
  const auto is_led = [](const Constraint& constraint) {
    return std::holds_alternative<constraint::PrescribedMotion>(constraint.kind);
  };
  const auto led = [&](int row) {
    return is_led(constraints()[constraint::place_of_row(constraints(), row).constraint]);
  };
  const bool any = std::ranges::any_of(constraints(), is_led);
  if (!any) return -1;
  const VecX x = initial_state();
  const std::span<const double> at(x.data(), static_cast<std::size_t>(x.size()));
  const std::size_t before = modes_.dependences.size();
  modes_.locked[static_cast<std::size_t>(link)] = 1;
  find_rank(0.0, at);
  int found = -1;
  for (const constraint::Dependence& one : modes_.dependences) {
    if (modes_.dependences.size() > before && led(one.row)) {
      found = static_cast<int>(constraint::place_of_row(constraints(), one.row).constraint);
    }
  }
  modes_.locked[static_cast<std::size_t>(link)] = 0;
  find_rank(0.0, at);
  return found;
}

LatchResult System::latch(int index, double t, std::span<double> x) {
  const auto at = static_cast<std::size_t>(index);
  Constraint& constraint = parts_.constraints[at];
  if (constraint.active) return {LatchResult::Kind::kWasClosed, {}};
  const double energy_before = stored_energy(t, x);
  Snapshot<double>& s = *scratch_;
  const constraint::TreeMotion<double> tree{model(), t, s.state, s.workspace};
  const Constraint as_given = constraint;
  constraint.active = true;
  s.constraints.held = {};
  if (constraint.latching == constraint::Latching::kInPlace)
    constraint::close_in_place(tree, constraint);
  const constraint::Misalignment off = constraint::misalignment(tree, constraints_as_built_[at]);
  const constraint::Mismatch rates = constraint::mismatch(tree, constraint);
  const constraint::CaptureLimits seen{off.distance, off.angle, rates.speed, rates.angular_speed};
  const bool near = constraint::within(seen, constraint.capture);
  if (!near || !constraint::close_constraints(model(), constraints(), s.state, s.forward,
                                              s.constraints, s.workspace)
                    .closed) {
    constraint = as_given;
    return {near ? LatchResult::Kind::kHeldOpen : LatchResult::Kind::kMissed, seen};
  }
  modes_.latched[at] = kHolds;
  if (constraint.latching == constraint::Latching::kInPlace) modes_.latched[at] |= kInPlace;
  keep_closures();
  Eigen::Map<VecX>(x.data(), model().nq()) = s.state.q;
  Eigen::Map<VecX>(x.data() + model().nq(), model().nv()) = s.state.v;
  find_rank(t, x);
  book(element::Supply::kLocking, stored_energy(t, x) - energy_before, x);
  return {LatchResult::Kind::kTaken, seen};
}

std::size_t System::block_memory_start(std::size_t block) const {
  return sampling_->memory_start(block);
}

double System::next_sample() const { return sampling_->next(blocks(), modes_.blocks); }

System::SignalChange System::sample(double t, std::span<double> x,
                                    std::vector<element::Request>& requests) {
  SignalChange change = SignalChange::kNone;
  const auto set = [&](int signal, double value) {
    const element::Signal& own = signals()[static_cast<std::size_t>(signal)];
    if (!(value >= own.lower && value <= own.upper)) {
      throw Error("GR-953", fmt::format("signal '{}'", own.name),
                  fmt::format("a block wrote {:g} at {:.6g} s; {:g} to {:g} are allowed", value, t,
                              own.lower, own.upper));
    }
    change = std::max(change, set_signal(signal, value, t, x));
  };
  sampling_->apply_due(blocks(), t, modes_.blocks, set);
  const std::optional<Depth> depth = sampling_->depth_of_due(blocks(), t, modes_.blocks);
  if (!depth) return change;
  evaluate_to(*depth, t, x, *scratch_);
  const auto value = [&](int channel) {
    return channel_value(*this, channels_[static_cast<std::size_t>(channel)], *scratch_);
  };
  sampling_->take_due(blocks(), t, modes_.blocks, value, requests);
  sampling_->apply_due(blocks(), t, modes_.blocks, set);
  return change;
}

// What an element remembers, and the states that go with it, as at the start of a run.
void System::begin_anew(int element, std::span<double> x) {
  const int first = memory_start(element), last = memory_start(element + 1);
  if (first == last) return;
  std::fill(modes_.memory.begin() + first, modes_.memory.begin() + last, 0.0);
  const int z_first = model().nq() + model().nv() + z_start(element);
  const std::span<double> z =
      x.subspan(static_cast<std::size_t>(z_first),
                static_cast<std::size_t>(z_start(element + 1) - z_start(element)));
  elements()[static_cast<std::size_t>(element)]->begin_anew(z);
}

EnableResult System::enable(int element, double t, std::span<double> x) {
  const auto at = static_cast<std::size_t>(element);
  if (modes_.enabled[at] != 0) return {EnableResult::Kind::kWasEnabled, ""};
  const double energy_before = stored_energy(t, x);
  Snapshot<double>& s = *scratch_;
  kinematics(t, x, s);
  std::string obstacle = elements()[at]->obstacle(evaluation_of(*this, s, element));
  if (!obstacle.empty()) return {EnableResult::Kind::kRefused, std::move(obstacle)};
  modes_.enabled[at] = 1;
  begin_anew(element, x);
  commit_element(element, x, s);
  book(element::Supply::kExternal, stored_energy(t, x) - energy_before, x);
  return {EnableResult::Kind::kEnabled, ""};
}

void System::disable(int element, double t, std::span<double> x) {
  const double energy_before = stored_energy(t, x);
  modes_.enabled[static_cast<std::size_t>(element)] = 0;
  begin_anew(element, x);
  book(element::Supply::kExternal, stored_energy(t, x) - energy_before, x);
}

void System::release(int index, double t, std::span<const double> x) {
  const auto at = static_cast<std::size_t>(index);
  parts_.constraints[at].active = false;
  modes_.latched[at] = static_cast<std::uint8_t>(modes_.latched[at] & ~kHolds);
  find_rank(t, x);
}

}  // namespace grapple::system
