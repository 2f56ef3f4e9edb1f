// One evaluation of a system at (t, x): modes put in place, kinematics, elements, accelerations or
// inverse dynamics, and the rate of the state.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/dynamics/wrench_efforts.h"
#include "grapple/spatial/dual.h"
#include "grapple/system/internal/any_active.h"
#include "grapple/system/system.h"

namespace grapple::system {

using model::Link;
using spatial::VecX;
using spatial::VecXT;

template <class T>
void System::apply_modes(double t, model::StateT<T>& state) const {
  std::fill(state.driven.begin(), state.driven.end(), std::uint8_t{0});
  for (const JointMotion& motion : parts_.motions) {
    if (modes_.locked[static_cast<std::size_t>(motion.link)] == 0)
      motion.apply(model(), {t, modes_.signals}, state);
  }
  for (int i = 1; i < model().link_count(); ++i) {
    if (modes_.locked[static_cast<std::size_t>(i)] == 0) continue;
    const Link& link = model().link(i);
    state.driven[static_cast<std::size_t>(i)] = 1;
    for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
      state.v[k] = T(0);
      state.driven_vdot[k] = T(0);
    }
  }
}

template <class T>
void System::load(double t, std::span<const T> x, Snapshot<T>& out) const {
  const int nq = model().nq(), nv = model().nv();
  out.t = inside(t);
  out.state.q = Eigen::Map<const VecXT<T>>(x.data(), nq);
  out.state.v = Eigen::Map<const VecXT<T>>(x.data() + nq, nv);
  out.z = Eigen::Map<const VecXT<T>>(x.data() + nq + nv, z_count_);
  for (std::size_t k = 0; k < element::kSupplyCount; ++k) {
    out.work[k] = x[static_cast<std::size_t>(dynamic_size()) + k];
  }
  apply_modes(out.t, out.state);
  out.moved = false;
  out.reactions_known = false;
  std::fill(out.reported_known.begin(), out.reported_known.end(), std::uint8_t{0});
  out.constraints.held = {};
  if (out.constraints.choice == constraint::RowChoice::kHeld)
    out.constraints.held = modes_.held_rows;
}

template <class T>
void System::move(double t, std::span<const T> x, Snapshot<T>& out) const {
  const bool was_moved = out.moved;
  load(t, x, out);
  if constexpr (std::is_same_v<T, double>) {
    if (was_moved && out.state.q == out.moved_q && out.state.v == out.moved_v) return;
  }
  dynamics::forward_kinematics(model(), out.state, out.workspace);
  out.moved_q = out.state.q;
  out.moved_v = out.state.v;
}

template <class T>
element::Evaluation<T> evaluation_of(const System& system, Snapshot<T>& snapshot, int element) {
  const int start = system.z_start(element);
  const auto count = static_cast<std::size_t>(system.z_start(element + 1) - start);
  const int memory = system.memory_start(element);
  return {system.model(),
          snapshot.t,
          snapshot.state,
          snapshot.workspace,
          snapshot.tau,
          snapshot.energies,
          {snapshot.z.data() + start, count},
          {snapshot.z_rate.data() + start, count},
          {system.modes().memory.data() + memory,
           static_cast<std::size_t>(system.memory_start(element + 1) - memory)},
          snapshot.refused,
          system.modes().signals};
}

template <class T>
void System::run_elements(Snapshot<T>& out) const {
  out.workspace.clear_wrenches();
  out.tau = out.extra_effort;
  out.energies.clear();
  out.z_rate.setZero();
  out.refused = false;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    if (modes_.enabled[i] == 0) continue;
    element::Evaluation<T> e = evaluation_of(*this, out, static_cast<int>(i));
    elements()[i]->evaluate(e);
  }
}

template <class T>
bool System::accelerate(double t, std::span<const T> x, Snapshot<T>& out) const {
  move(t, x, out);
  run_elements(out);
  const bool holds = any_active(constraints());
  // Closed loops need the mass matrix (composite); while none holds, nothing asks for its factors.
  const bool along_tree =
      method() == dynamics::Method::kComposite || method() == dynamics::Method::kArticulated;
  if (holds || constraints().empty() || !along_tree) {
    dynamics::forward_dynamics_after_kinematics(model(), out.state, out.tau, out.forward,
                                                out.workspace);
  } else {
    dynamics::aba_after_kinematics(model(), out.state, out.tau, out.workspace);
  }
  if (!holds && !constraints().empty()) {
    out.constraints.t = out.t;
    constraint::evaluate_rows<T>({model(), out.t, out.state, out.workspace}, constraints(),
                                 constraint::Rows::kAll, out.constraints);
    out.constraints.lambda.setZero();
    out.constraints.rank = 0;
    out.constraints.is_shared = true;
  }
  if (holds) {
    out.constraints.t = out.t;
    const constraint::CrossCheck* const other = parts_.cross_check.get();
    if constexpr (std::is_same_v<T, double>) {
      if (other != nullptr) {
        constraint::add_constraint_forces(*other, model(), constraints(), out.state,
                                          out.constraints, out.workspace);
      }
    }
    if (other == nullptr || !std::is_same_v<T, double>) {
      constraint::add_constraint_forces(model(), constraints(), out.state, out.forward,
                                        out.constraints, out.workspace);
    }
    if (out.constraints.rank < constraint_rank()) return false;
    // What a given motion puts in: its rows move by themselves against their multipliers.
    out.energies.add_power(element::Supply::kActuators,
                           -out.constraints.lambda.dot(out.constraints.drift));
  }
  for (int i = 1; i < model().link_count(); ++i) {
    const Link& link = model().link(i);
    const bool driven = out.state.driven[static_cast<std::size_t>(i)] != 0;
    for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
      out.drive[k] = driven ? out.workspace.tau[k] - out.tau[k] : T(0);
      if (driven)
        out.energies.add_power(element::Supply::kActuators, out.drive[k] * out.state.v[k]);
    }
  }
  for (int k = 0; k < model().nv(); ++k) {
    if (!std::isfinite(spatial::value_of(out.workspace.vdot[k]))) return false;
  }
  return !out.refused;
}

template <class T>
bool System::evaluate(double t, std::span<const T> x, Snapshot<T>& out) const {
  const bool possible = accelerate(t, x, out);
  out.energies.store(element::Stored::kKinetic,
                     dynamics::kinetic_energy(model(), out.state, out.workspace));
  out.energies.store(element::Stored::kGravity,
                     dynamics::gravity_energy(model(), out.state, out.workspace));
  return possible;
}

void System::impose(double t, std::span<const double> x, Snapshot<double>& out) const {
  load<double>(t, x, out);
}

template <class T>
void System::inverse(double t, std::span<const T> x, const VecXT<T>& vdot, Snapshot<T>& out) const {
  move(t, x, out);
  run_elements(out);
  dynamics::rnea_after_kinematics(model(), out.state, vdot, out.workspace);
  if (!constraints().empty()) {
    constraint::evaluate_rows<T>({model(), out.t, out.state, out.workspace}, constraints(),
                                 constraint::Rows::kAll, out.constraints);
  }
}

bool System::needs_kinematics() const {
  if (!constraints().empty()) return true;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    if (modes_.enabled[i] != 0 && elements()[i]->reach() == element::Element::Reach::kKinematics)
      return true;
  }
  return false;
}

template <class T>
void System::efforts(double t, std::span<const T> x, Snapshot<T>& out) const {
  load(t, x, out);
  if (!needs_kinematics()) {
    run_elements(out);
    out.workspace.tau = out.tau;
    return;
  }
  dynamics::forward_kinematics(model(), out.state, out.workspace);
  run_elements(out);
  dynamics::wrench_efforts(model(), out.workspace);
  out.workspace.tau += out.tau;
  if (!constraints().empty()) {
    constraint::evaluate_rows<T>({model(), out.t, out.state, out.workspace}, constraints(),
                                 constraint::Rows::kAll, out.constraints);
  }
}

void System::kinematics(double t, std::span<const double> x, Snapshot<double>& out) const {
  move(t, x, out);
  out.moved = true;
}

void System::evaluate_to(Depth depth, double t, std::span<const double> x,
                         Snapshot<double>& out) const {
  switch (depth) {
    case Depth::kState:
      return load(t, x, out);
    case Depth::kKinematics:
      return kinematics(t, x, out);
    case Depth::kForces:
      break;
  }
  evaluate(t, x, out);
}

template <class T>
void System::state_rate(const Snapshot<T>& snapshot, std::span<T> x_rate) const {
  const int nq = model().nq(), nv = model().nv();
  dynamics::position_rates(model(), snapshot.state, x_rate.data());
  Eigen::Map<VecXT<T>>(x_rate.data() + nq, nv) = snapshot.workspace.vdot;
  Eigen::Map<VecXT<T>>(x_rate.data() + nq + nv, z_count_) = snapshot.z_rate;
  for (std::size_t k = 0; k < element::kSupplyCount; ++k) {
    x_rate[static_cast<std::size_t>(dynamic_size()) + k] = snapshot.energies.supply[k];
  }
}

template void System::load(double, std::span<const double>, Snapshot<double>&) const;
template void System::apply_modes(double, model::State&) const;
template bool System::accelerate(double, std::span<const double>, Snapshot<double>&) const;
template bool System::accelerate(double, std::span<const spatial::Dual>,
                                 Snapshot<spatial::Dual>&) const;
template bool System::evaluate(double, std::span<const double>, Snapshot<double>&) const;
template bool System::evaluate(double, std::span<const spatial::Dual>,
                               Snapshot<spatial::Dual>&) const;
template void System::inverse(double, std::span<const double>, const VecX&,
                              Snapshot<double>&) const;
template void System::inverse(double, std::span<const spatial::Dual>, const VecXT<spatial::Dual>&,
                              Snapshot<spatial::Dual>&) const;
template void System::efforts(double, std::span<const double>, Snapshot<double>&) const;
template void System::efforts(double, std::span<const spatial::Dual>,
                              Snapshot<spatial::Dual>&) const;
template void System::state_rate(const Snapshot<double>&, std::span<double>) const;
template void System::state_rate(const Snapshot<spatial::Dual>&, std::span<spatial::Dual>) const;
template element::Evaluation<double> evaluation_of(const System&, Snapshot<double>&, int);
template element::Evaluation<spatial::Dual> evaluation_of(const System&, Snapshot<spatial::Dual>&,
                                                          int);

}  // namespace grapple::system
