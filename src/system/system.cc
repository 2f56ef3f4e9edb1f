#include "grapple/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>

#include "grapple/base/error.h"
#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/rnea.h"
#include "grapple/dynamics/wrench_efforts.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/symmetric_eigen.h"
#include "grapple/system/analytic_jacobian.h"

namespace grapple::system {

using model::Link;
using spatial::Dual;
using spatial::MatX;
using spatial::VecX;
using spatial::VecXT;

template <class T>
Snapshot<T>::Snapshot(const System& system)
    : state(system.model()),
      workspace(system.model()),
      forward(system.model(), system.method()),
      loops(system.loops(), system.model().nv()),
      tau(VecXT<T>::Zero(system.model().nv())),
      extra_effort(VecXT<T>::Zero(system.model().nv())),
      drive(VecXT<T>::Zero(system.model().nv())),
      z(VecXT<T>::Zero(system.z_count())),
      z_rate(VecXT<T>::Zero(system.z_count())) {
  std::size_t most = 0;
  for (const auto& element : system.elements()) most = std::max(most, element->outputs().size());
  reported.resize(most);
}

System::System(SystemParts parts) : parts_(std::move(parts)) {
  const model::Model& tree = parts_.model;
  const model::State rest(tree);
  if (parts_.q.size() == 0) parts_.q = rest.q;
  if (parts_.v.size() == 0) parts_.v = rest.v;
  for (const auto& element : parts_.elements) {
    z_starts_.push_back(z_count_);
    memory_starts_.push_back(static_cast<int>(modes_.memory.size()));
    modes_.memory.resize(modes_.memory.size() + static_cast<std::size_t>(element->memory_count()));
    z_count_ += static_cast<int>(element->states().size());
    kink_count_ += element->kink_count();
  }
  z_starts_.push_back(z_count_);
  memory_starts_.push_back(static_cast<int>(modes_.memory.size()));
  size_ = tree.nq() + tree.nv() + z_count_ + kSupplyCount;
  modes_.locked.assign(static_cast<std::size_t>(tree.link_count()), 0);
  modes_.enabled.assign(parts_.elements.size(), 1);
  for (const int link : parts_.locked) modes_.locked[static_cast<std::size_t>(link)] = 1;
  // Loops need the mass matrix, which the dense methods make anyway.
  if (!parts_.loops.empty()) parts_.method = dynamics::Method::kComposite;
  channels_ = list_channels(*this);
  check_names();

  scratch_ = std::make_unique<Snapshot<double>>(*this);
  close_initial_loops();
  const VecX x = initial_state();
  load<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, *scratch_);
  check_mass_matrix();
  if (evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, *scratch_)) {
    for (const double stored : scratch_->energies.stored) initial_energy_ += stored;
  }
}

void System::close_initial_loops() {
  if (loops().empty()) return;
  Snapshot<double>& s = *scratch_;
  s.state.q = parts_.q;
  s.state.v = parts_.v;
  dynamics::normalize_quaternions(model(), s.state.q.data());
  apply_modes(0.0, s.state);
  dynamics::forward_kinematics(model(), s.state, s.workspace);
  VecX open(s.loops.value.size());
  constraint::loop_values(model(), loops(), s.workspace, open);
  const constraint::ClosureResult result =
      constraint::close_loops(model(), loops(), s.state, s.forward, s.loops, s.workspace);
  if (result.closed) {
    loop_rank_ = s.loops.rank;
    count_dependent_rows();
    parts_.q = s.state.q;
    parts_.v = s.state.v;
    return;
  }
  Diagnostics faults;
  Eigen::Index row = 0;
  for (const constraint::Loop& loop : loops()) {
    const auto count = static_cast<Eigen::Index>(loop.rows.size());
    faults.add("GR-901", fmt::format("loop '{}'", loop.name),
               fmt::format("cannot be closed from the initial position: it is off by {:.3g} (m, or "
                           "rad) there; start closer to an assembled position",
                           open.segment(row, count).lpNorm<Eigen::Infinity>()));
    row += count;
  }
  faults.throw_if_any();
}

void System::count_dependent_rows() {
  std::vector<int> loop_of_row;
  for (std::size_t l = 0; l < loops().size(); ++l) {
    loop_of_row.insert(loop_of_row.end(), loops()[l].rows.size(), static_cast<int>(l));
  }
  dependent_rows_.assign(loops().size(), 0);
  for (std::size_t k = static_cast<std::size_t>(loop_rank_); k < loop_of_row.size(); ++k) {
    const auto row = static_cast<std::size_t>(scratch_->loops.order[k]);
    ++dependent_rows_[static_cast<std::size_t>(loop_of_row[row])];
  }
}

void refuse_loops(const System& system, const char* analysis) {
  if (system.loops().empty()) return;
  throw Error(
      "GR-902", fmt::format("loop '{}'", system.loops().front().name),
      fmt::format("{} of systems with closed loops is not there yet; simulate them, or open "
                  "the loop",
                  analysis));
}

void System::check_names() const {
  std::set<std::string_view> names;
  Diagnostics faults;
  for (const auto& element : elements()) {
    if (!names.insert(element->name()).second) {
      faults.add("GR-308", fmt::format("element '{}'", element->name()),
                 "this name is given to two elements; names must differ");
    }
  }
  faults.throw_if_any();
}

// The dense check costs the cube of the coordinates and tells nothing about long chains, whose mass
// matrices are ill-conditioned by nature; beyond this size the run itself reports a motion without
// inertia as not finite.
void System::check_mass_matrix() const {
  constexpr int kLargest = 200;
  const model::Model& tree = model();
  if (tree.nv() == 0 || tree.nv() > kLargest) return;
  MatX M(tree.nv(), tree.nv());
  dynamics::crba(tree, scratch_->state, scratch_->workspace, M);
  const VecX scale = M.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const MatX scaled = scale.asDiagonal() * M * scale.asDiagonal();
  const spatial::SymmetricEigen eigen = spatial::symmetric_eigen(scaled);
  if (eigen.values[0] > 1e-13) return;
  Eigen::Index worst = 0;
  eigen.vectors.col(0).cwiseAbs().maxCoeff(&worst);
  std::string name;
  for (int i = 1; i < tree.link_count(); ++i) {
    const Link& link = tree.link(i);
    if (worst >= link.v_index && worst < link.v_index + link.nv) name = tree.joint_of_link(i).name;
  }
  throw Error("GR-307", fmt::format("joint '{}'", name),
              "a motion of this joint together with others meets no inertia at the initial "
              "position; give the bodies it moves more mass or inertia");
}

System::~System() = default;
System::System(System&&) noexcept = default;

int System::find_channel(std::string_view name) const {
  const auto it = std::find_if(channels_.begin(), channels_.end(),
                               [&](const Channel& c) { return c.name == name; });
  return it == channels_.end() ? -1 : static_cast<int>(it - channels_.begin());
}

int System::find_element(std::string_view name) const {
  const auto it = std::find_if(elements().begin(), elements().end(),
                               [&](const auto& e) { return e->name() == name; });
  return it == elements().end() ? -1 : static_cast<int>(it - elements().begin());
}

VecX System::initial_state() const {
  VecX x = VecX::Zero(size_);
  const int nq = model().nq(), nv = model().nv();
  x.head(nq) = parts_.q;
  x.segment(nq, nv) = parts_.v;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    elements()[i]->initial_state({x.data() + nq + nv + z_starts_[i],
                                  static_cast<std::size_t>(z_starts_[i + 1] - z_starts_[i])});
  }
  project(0.0, {x.data(), static_cast<std::size_t>(size_)});
  return x;
}

template <class T>
void System::apply_modes(double t, model::StateT<T>& state) const {
  std::fill(state.driven.begin(), state.driven.end(), std::uint8_t{0});
  for (const JointMotion& motion : parts_.motions) {
    if (modes_.locked[static_cast<std::size_t>(motion.link)] == 0) motion.apply(model(), t, state);
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
  out.t = t;
  out.state.q = Eigen::Map<const VecXT<T>>(x.data(), nq);
  out.state.v = Eigen::Map<const VecXT<T>>(x.data() + nq, nv);
  out.z = Eigen::Map<const VecXT<T>>(x.data() + nq + nv, z_count_);
  for (std::size_t k = 0; k < kSupplyCount; ++k) {
    out.work[k] = x[static_cast<std::size_t>(dynamic_size()) + k];
  }
  apply_modes(t, out.state);
}

template <class T>
Evaluation<T> evaluation_of(const System& system, Snapshot<T>& snapshot, int element) {
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
           static_cast<std::size_t>(system.memory_start(element + 1) - memory)}};
}

template <class T>
void System::run_elements(Snapshot<T>& out) const {
  out.workspace.clear_wrenches();
  out.tau = out.extra_effort;
  out.energies.clear();
  out.z_rate.setZero();
  for (std::size_t i = 0; i < elements().size(); ++i) {
    if (modes_.enabled[i] == 0) continue;
    Evaluation<T> e = evaluation_of(*this, out, static_cast<int>(i));
    elements()[i]->evaluate(e);
  }
}

template <class T>
bool System::evaluate(double t, std::span<const T> x, Snapshot<T>& out) const {
  load(t, x, out);
  dynamics::forward_kinematics(model(), out.state, out.workspace);
  run_elements(out);
  dynamics::forward_dynamics_after_kinematics(model(), out.state, out.tau, out.forward,
                                              out.workspace);
  if (!loops().empty()) {
    const constraint::CrossCheck* const other = parts_.cross_check.get();
    if constexpr (std::is_same_v<T, double>) {
      if (other != nullptr) {
        constraint::add_loop_forces(*other, model(), loops(), out.state, out.loops, out.workspace);
      }
    }
    if (other == nullptr || !std::is_same_v<T, double>) {
      constraint::add_loop_forces(model(), loops(), out.state, out.forward, out.loops,
                                  out.workspace);
    }
    if (out.loops.rank < loop_rank_) return false;
  }
  for (int i = 1; i < model().link_count(); ++i) {
    const Link& link = model().link(i);
    const bool driven = out.state.driven[static_cast<std::size_t>(i)] != 0;
    for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
      out.drive[k] = driven ? out.workspace.tau[k] - out.tau[k] : T(0);
      if (driven) out.energies.add_power(Supply::kActuators, out.drive[k] * out.state.v[k]);
    }
  }
  out.energies.store(Stored::kKinetic, dynamics::kinetic_energy(model(), out.state, out.workspace));
  out.energies.store(Stored::kGravity, dynamics::gravity_energy(model(), out.state, out.workspace));
  for (int k = 0; k < model().nv(); ++k) {
    if (!std::isfinite(spatial::value_of(out.workspace.vdot[k]))) return false;
  }
  return true;
}

void System::impose(double t, std::span<const double> x, Snapshot<double>& out) const {
  load<double>(t, x, out);
}

template <class T>
void System::inverse(double t, std::span<const T> x, const VecXT<T>& vdot, Snapshot<T>& out) const {
  load(t, x, out);
  dynamics::forward_kinematics(model(), out.state, out.workspace);
  run_elements(out);
  dynamics::rnea_after_kinematics(model(), out.state, vdot, out.workspace);
  if (!loops().empty()) constraint::evaluate_rows(model(), loops(), out.workspace, out.loops);
}

bool System::needs_kinematics() const {
  if (!loops().empty()) return true;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    if (modes_.enabled[i] != 0 && elements()[i]->reach() == Element::Reach::kKinematics)
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
  if (!loops().empty()) constraint::evaluate_rows(model(), loops(), out.workspace, out.loops);
}

template <class T>
void System::state_rate(const Snapshot<T>& snapshot, std::span<T> x_rate) const {
  const int nq = model().nq(), nv = model().nv();
  dynamics::position_rates(model(), snapshot.state, x_rate.data());
  Eigen::Map<VecXT<T>>(x_rate.data() + nq, nv) = snapshot.workspace.vdot;
  Eigen::Map<VecXT<T>>(x_rate.data() + nq + nv, z_count_) = snapshot.z_rate;
  for (std::size_t k = 0; k < kSupplyCount; ++k) {
    x_rate[static_cast<std::size_t>(dynamic_size()) + k] = snapshot.energies.supply[k];
  }
}

void System::project(double t, std::span<double> x) const {
  const int nq = model().nq(), nv = model().nv();
  if (scratch_ == nullptr) {  // still under construction: no scratch to borrow
    dynamics::normalize_quaternions(model(), x.data());
    model::State state(model());
    state.q = Eigen::Map<const VecX>(x.data(), nq);
    state.v = Eigen::Map<const VecX>(x.data() + nq, nv);
    apply_modes(t, state);
    Eigen::Map<VecX>(x.data(), nq) = state.q;
    Eigen::Map<VecX>(x.data() + nq, nv) = state.v;
    return;
  }
  dynamics::normalize_quaternions(model(), x.data());
  model::State& state = scratch_->state;
  state.q = Eigen::Map<const VecX>(x.data(), nq);
  state.v = Eigen::Map<const VecX>(x.data() + nq, nv);
  apply_modes(t, state);
  if (!loops().empty() && parts_.cross_check != nullptr) {
    constraint::close_loops(*parts_.cross_check, model(), loops(), state, scratch_->loops,
                            scratch_->workspace);
  } else if (!loops().empty()) {
    constraint::close_loops(model(), loops(), state, scratch_->forward, scratch_->loops,
                            scratch_->workspace);
  }
  Eigen::Map<VecX>(x.data(), nq) = state.q;
  Eigen::Map<VecX>(x.data() + nq, nv) = state.v;
}

void System::drift(double h, std::span<double> x) const {
  VecX& q = scratch_->state.q;
  VecX& delta = scratch_->state.v;
  q = Eigen::Map<const VecX>(x.data(), model().nq());
  delta = h * Eigen::Map<const VecX>(x.data() + model().nq(), model().nv());
  dynamics::move_positions(model(), delta, q);
  Eigen::Map<VecX>(x.data(), model().nq()) = q;
}

void System::lock(int link, double t, std::span<double> x) {
  Snapshot<double>& s = *scratch_;
  load<double>(t, x, s);
  const VecX v_before = s.state.v;
  dynamics::forward_kinematics(model(), s.state, s.workspace);
  const double energy_before = dynamics::kinetic_energy(model(), s.state, s.workspace);

  // The impulse acts at standstill: rates' jumps are accelerations, and what gravity adds cancels
  // in the difference of two solutions with and without the demanded jump.
  modes_.locked[static_cast<std::size_t>(link)] = 1;
  const Link& joint = model().link(link);
  const VecX no_effort = VecX::Zero(model().nv());
  s.state.driven[static_cast<std::size_t>(link)] = 1;
  s.state.v.setZero();
  s.state.driven_vdot.setZero();
  s.workspace.clear_wrenches();
  dynamics::aba(model(), s.state, no_effort, s.workspace);
  const VecX without = s.workspace.vdot;
  const int held = joint.v_actuated();
  s.state.driven_vdot.segment(held, joint.nv) = -v_before.segment(held, joint.nv);
  dynamics::aba(model(), s.state, no_effort, s.workspace);
  s.state.v = v_before + (s.workspace.vdot - without);
  s.state.v.segment(held, joint.nv).setZero();

  dynamics::forward_kinematics(model(), s.state, s.workspace);
  const double energy_after = dynamics::kinetic_energy(model(), s.state, s.workspace);
  Eigen::Map<VecX>(x.data() + model().nq(), model().nv()) = s.state.v;
  x[static_cast<std::size_t>(dynamic_size() + static_cast<int>(Supply::kLocking))] +=
      energy_after - energy_before;
}

void System::unlock(int link) { modes_.locked[static_cast<std::size_t>(link)] = 0; }

bool System::commit(double t, std::span<double> x) {
  if (modes_.memory.empty()) return false;
  Snapshot<double>& s = *scratch_;
  load<double>(t, x, s);
  dynamics::forward_kinematics(model(), s.state, s.workspace);
  bool changed = false;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    const int own = static_cast<int>(i), first = memory_start(own);
    if (memory_start(own + 1) == first || modes_.enabled[i] == 0) continue;
    const std::size_t z_first =
        static_cast<std::size_t>(model().nq() + model().nv() + z_start(own));
    changed |= elements()[i]->commit(
        evaluation_of(*this, s, own),
        x.subspan(z_first, static_cast<std::size_t>(z_start(own + 1) - z_start(own))),
        std::span(modes_.memory)
            .subspan(static_cast<std::size_t>(first),
                     static_cast<std::size_t>(memory_start(own + 1) - first)));
  }
  return changed;
}

void System::kink_values(const Snapshot<double>& snapshot, std::span<double> values) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    const auto count = static_cast<std::size_t>(elements()[i]->kink_count());
    if (count == 0) continue;
    // An element only reads here; the cast lends it the evaluation it knows.
    auto& lent = const_cast<Snapshot<double>&>(snapshot);
    elements()[i]->kink_values(evaluation_of(*this, lent, static_cast<int>(i)),
                               values.subspan(at, count));
    at += count;
  }
}

std::vector<double> System::breakpoints() const {
  std::vector<double> times;
  for (const auto& element : elements()) {
    const std::vector<double> own = element->breakpoints();
    times.insert(times.end(), own.begin(), own.end());
  }
  for (const JointMotion& motion : parts_.motions) {
    for (const Function& f : motion.functions) {
      times.insert(times.end(), f.breakpoints().begin(), f.breakpoints().end());
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

JacobianScratch::JacobianScratch(const System& system)
    : analytic(system.loops().empty() ? std::make_shared<AnalyticJacobian>(system) : nullptr),
      snapshot(system),
      x(static_cast<std::size_t>(system.size())),
      rate(static_cast<std::size_t>(system.size())) {}

void System::jacobian(double t, std::span<const double> x, std::span<double> J,
                      JacobianScratch& scratch) const {
  const auto n = static_cast<std::size_t>(size_);
  if (scratch.analytic != nullptr && scratch.analytic->compute(*this, t, x, scratch.snapshot, J)) {
    return;
  }
  std::copy(x.begin(), x.end(), scratch.x.begin());
  for (std::size_t first = 0; first < n; first += Dual::kWidth) {
    const std::size_t count = std::min<std::size_t>(Dual::kWidth, n - first);
    for (std::size_t k = 0; k < count; ++k) scratch.x[first + k].d[k] = 1.0;
    evaluate<Dual>(t, scratch.x, scratch.snapshot);
    state_rate<Dual>(scratch.snapshot, scratch.rate);
    for (std::size_t k = 0; k < count; ++k) {
      scratch.x[first + k].d[k] = 0.0;
      for (std::size_t row = 0; row < n; ++row) J[(first + k) * n + row] = scratch.rate[row].d[k];
    }
  }
}

template struct Snapshot<double>;
template struct Snapshot<Dual>;
template bool System::evaluate(double, std::span<const double>, Snapshot<double>&) const;
template bool System::evaluate(double, std::span<const Dual>, Snapshot<Dual>&) const;
template void System::inverse(double, std::span<const double>, const VecX&,
                              Snapshot<double>&) const;
template void System::inverse(double, std::span<const Dual>, const VecXT<Dual>&,
                              Snapshot<Dual>&) const;
template void System::efforts(double, std::span<const double>, Snapshot<double>&) const;
template void System::efforts(double, std::span<const Dual>, Snapshot<Dual>&) const;
template void System::state_rate(const Snapshot<double>&, std::span<double>) const;
template void System::state_rate(const Snapshot<Dual>&, std::span<Dual>) const;
template Evaluation<double> evaluation_of(const System&, Snapshot<double>&, int);
template Evaluation<Dual> evaluation_of(const System&, Snapshot<Dual>&, int);

}  // namespace grapple::system
