#include "grapple/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>

#include "grapple/base/error.h"
#include "grapple/base/nearest_name.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/spatial/dual.h"
#include "grapple/spatial/symmetric_eigen.h"
#include "grapple/system/internal/analytic_jacobian.h"
#include "grapple/system/internal/any_active.h"
#include "grapple/system/internal/sampling.h"

namespace grapple::system {

using model::Link;
using spatial::Dual;
using spatial::MatX;
using spatial::VecX;
using spatial::VecXT;

namespace {

// Many rows between links are eliminated along the tree; few are solved for one by one, with the
// mass matrix where the model is small. Bodies with guided coordinates need it too.
constraint::RowSolution row_solution_for(const model::Model& model,
                                         const std::vector<constraint::Constraint>& constraints) {
  using constraint::RowSolution;
  constexpr int kMostDenseRows = 24;   // elimination along the tree is faster from there on
  constexpr int kMostDenseRates = 16;  // solutions along the tree are (bench_loops)
  const auto is_guided = [](const Link& link) { return link.guided > 0; };
  if (std::any_of(model.links().begin(), model.links().end(), is_guided)) {
    return RowSolution::kMassMatrix;
  }
  if (constraint::row_count(constraints) > kMostDenseRows &&
      std::all_of(constraints.begin(), constraints.end(), constraint::between_frames)) {
    return RowSolution::kAlongTree;
  }
  return model.nv() > kMostDenseRates ? RowSolution::kMassSolves : RowSolution::kMassMatrix;
}

// Loops are solved along the tree only for doubles; derivatives of them use the mass matrix.
template <class T>
dynamics::Method method_for(const System& system) {
  const bool along_tree = std::is_same_v<T, double> || system.constraints().empty();
  return along_tree ? system.method() : dynamics::Method::kComposite;
}

constraint::RowSolution row_solution_for(const System& system, dynamics::Method method) {
  return method == dynamics::Method::kArticulated ? system.row_solution()
                                                  : constraint::RowSolution::kMassMatrix;
}

}  // namespace

template <class T>
Snapshot<T>::Snapshot(const System& system) : Snapshot(system, method_for<T>(system)) {}

template <class T>
Snapshot<T>::Snapshot(const System& system, dynamics::Method method)
    : state(system.model()),
      workspace(system.model()),
      forward(system.model(), method),
      constraints(system.model(), system.constraints(), row_solution_for(system, method)),
      tau(VecXT<T>::Zero(system.model().nv())),
      extra_effort(VecXT<T>::Zero(system.model().nv())),
      drive(VecXT<T>::Zero(system.model().nv())),
      z(VecXT<T>::Zero(system.z_count())),
      z_rate(VecXT<T>::Zero(system.z_count())),
      moved_q(state.q),
      moved_v(state.v) {
  if (!system.reactions().empty()) {
    reactions.resize(static_cast<std::size_t>(system.model().link_count()));
    wrenches.resize(reactions.size());
  }
  reported_known.resize(system.elements().size());
  reported.resize(
      static_cast<std::size_t>(system.output_start(static_cast<int>(reported_known.size()))));
}

namespace {

// The link of a joint that cannot be led at this time: its function has no finite value or
// derivative there (sqrt(t) at 0); -1: none.
int undefined_motion(const SystemParts& parts, double t) {
  for (const JointMotion& motion : parts.motions) {
    for (const element::Input& function : motion.functions) {
      if (function.is_held()) continue;
      const Jet jet = function.jet({t, {}});
      double sum = jet.value;
      if (motion.level != MotionLevel::kAcceleration) sum += jet.rate;
      if (motion.level == MotionLevel::kPosition) sum += jet.acceleration;
      if (!std::isfinite(sum)) return motion.link;
    }
  }
  return -1;
}

// GR-959: two blocks that write one signal; whose value would count is a matter of their order.
void check_writers(const std::vector<std::unique_ptr<element::SampledBlock>>& blocks) {
  std::map<std::string, std::string> writers;
  Diagnostics faults;
  for (const auto& block : blocks) {
    for (const std::string& signal : block->writes()) {
      const auto [found, is_new] = writers.emplace(signal, block->name());
      if (is_new) continue;
      faults.add("GR-959", fmt::format("block '{}'", block->name()),
                 fmt::format("it writes the signal '{}', which '{}' writes already; a signal has "
                             "one writer",
                             signal, found->second));
    }
  }
  faults.throw_if_any();
}

constexpr const char* kUndefinedMotion =
    "the motion of joint '{}' has no finite value, rate or acceleration at t = {:.6g} s";

}  // namespace

System::System(SystemParts parts) : parts_(std::move(parts)) {
  constraints_as_built_ = parts_.constraints;
  const model::Model& tree = parts_.model;
  const model::State rest(tree);
  if (parts_.q.size() == 0) parts_.q = rest.q;
  if (parts_.v.size() == 0) parts_.v = rest.v;
  int outputs = 0;
  for (const auto& element : parts_.elements) {
    z_starts_.push_back(z_count_);
    memory_starts_.push_back(static_cast<int>(modes_.memory.size()));
    output_starts_.push_back(outputs);
    outputs += static_cast<int>(element->outputs().size());
    modes_.memory.resize(modes_.memory.size() + static_cast<std::size_t>(element->memory_count()));
    z_count_ += element->state_count();
    kink_elements_.insert(kink_elements_.end(), static_cast<std::size_t>(element->kink_count()),
                          static_cast<int>(z_starts_.size()) - 1);
    kink_count_ += element->kink_count();
    stores_by_signals_ |= element->stores_by_signals();
  }
  z_starts_.push_back(z_count_);
  memory_starts_.push_back(static_cast<int>(modes_.memory.size()));
  output_starts_.push_back(outputs);
  size_ = tree.nq() + tree.nv() + z_count_ + element::kSupplyCount;
  modes_.locked.assign(static_cast<std::size_t>(tree.link_count()), 0);
  modes_.enabled.assign(parts_.elements.size(), 1);
  for (const int element : parts_.disabled) modes_.enabled[static_cast<std::size_t>(element)] = 0;
  for (const int link : parts_.locked) modes_.locked[static_cast<std::size_t>(link)] = 1;
  for (const constraint::Constraint& constraint : parts_.constraints)
    modes_.latched.push_back(constraint.active ? 1 : 0);
  for (const element::Signal& signal : parts_.signals) modes_.signals.push_back(signal.initial);
  keep_closures();
  if (parts_.cross_check != nullptr) {
    parts_.method = dynamics::Method::kComposite;
  } else if (!parts_.constraints.empty()) {
    row_solution_ = row_solution_for(tree, parts_.constraints);
    parts_.method = row_solution_ == constraint::RowSolution::kMassMatrix
                        ? dynamics::Method::kComposite
                        : dynamics::Method::kArticulated;
  }
  sampling_ = std::make_unique<Sampling>(parts_.blocks);
  channels_ = list_channels(*this);
  check_names();
  find_inputs_of_formulas();
  sampling_->connect(
      parts_.blocks, [this](const std::string& name) { return find_channel(name); },
      [this](int channel) { return depth_of(*this, channels_[static_cast<std::size_t>(channel)]); },
      [this](const std::string& name) { return find_signal(name); });
  check_writers(parts_.blocks);
  modes_.blocks = sampling_->initial(parts_.blocks, modes_.signals);
  if (const int link = undefined_motion(parts_, 0.0); link >= 0) {
    const std::string& name = tree.joint_of_link(link).name;
    throw Error(
        "GR-912", fmt::format("joint '{}'", name),
        fmt::format(fmt::runtime(kUndefinedMotion), name, 0.0) + "; begin it smoothly, or later");
  }

  scratch_ = std::make_unique<Snapshot<double>>(*this);
  close_initial_constraints();
  const VecX x = initial_state();
  load<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, *scratch_);
  check_mass_matrix();
  scratch_->constraints.choice =
      constraint::RowChoice::kAnew;  // what all rows are asked is looked at
  if (evaluate<double>(0.0, {x.data(), static_cast<std::size_t>(x.size())}, *scratch_)) {
    for (const double stored : scratch_->energies.stored) initial_energy_ += stored;
  }
  refuse_contradictions("an acceleration", scratch_->constraints.acceleration);
  scratch_->constraints.choice = constraint::RowChoice::kHeld;
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
  std::set<std::string_view> channels;
  for (const Channel& channel : channels_) {
    if (channels.insert(channel.name).second) continue;
    if (find_signal(channel.name) >= 0) {
      faults.add("GR-308", fmt::format("signal '{}'", channel.name),
                 "a channel has this name already; names must differ");
    } else if (channel.kind == Channel::Kind::kFormula) {
      faults.add("GR-308", fmt::format("channel '{}'", channel.name),
                 "another channel has this name; names must differ");
    }
  }
  faults.throw_if_any();
}

// A formula reads channels that stand before it, so that none reads itself.
void System::find_inputs_of_formulas() {
  Diagnostics faults;
  for (FormulaChannel& channel : parts_.formula_channels) {
    const int own = find_channel(channel.name);
    for (const std::string& name : channel.inputs) {
      const int place = find_channel(name);
      channel.places.push_back(place);
      if (place >= 0 && place < own) continue;
      std::vector<std::string> names;
      for (int k = 0; k < own; ++k) names.push_back(channels_[static_cast<std::size_t>(k)].name);
      faults.add("GR-956", fmt::format("channel '{}'", channel.name),
                 fmt::format("its formula reads '{}', which is no channel before it{}", name,
                             suggestion(name, names)));
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
  const int link = tree.coordinates().of_rate(static_cast<int>(worst)).link;
  throw Error("GR-307", fmt::format("joint '{}'", tree.joint_of_link(link).name),
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

void System::project(double t, std::span<double> x) const {
  const int nq = model().nq(), nv = model().nv();
  dynamics::normalize_quaternions(model(), x.data());
  scratch_->moved = false;
  model::State& state = scratch_->state;
  state.q = Eigen::Map<const VecX>(x.data(), nq);
  state.v = Eigen::Map<const VecX>(x.data() + nq, nv);
  apply_modes(inside(t), state);
  scratch_->constraints.t = inside(t);
  scratch_->constraints.held = modes_.held_rows;
  const bool closed =
      any_active(constraints()) && parts_.constraint_start == ConstraintStart::kClosed;
  if (closed && parts_.cross_check != nullptr) {
    constraint::close_constraints(*parts_.cross_check, model(), constraints(), state,
                                  scratch_->constraints, scratch_->workspace);
  } else if (closed) {
    held_too_few_ |= constraint::close_constraints(model(), constraints(), state, scratch_->forward,
                                                   scratch_->constraints, scratch_->workspace)
                         .held_too_few;
  }
  Eigen::Map<VecX>(x.data(), nq) = state.q;
  Eigen::Map<VecX>(x.data() + nq, nv) = state.v;
}

void System::keep_tangent(Snapshot<double>& at, std::span<double> difference) const {
  if (!any_active(constraints())) return;
  const int nq = model().nq(), nv = model().nv();
  VecX& direction = scratch_->tau;
  dynamics::tangent_of(model(), at.state.q, difference.data(), direction);
  constraint::keep_tangent(at.forward, at.constraints, direction);
  dynamics::position_rates<double>(model(), at.state.q, direction, difference.data());
  direction = Eigen::Map<const VecX>(difference.data() + nq, nv);
  constraint::keep_tangent(at.forward, at.constraints, direction);
  Eigen::Map<VecX>(difference.data() + nq, nv) = direction;
}

void System::drift(double h, std::span<double> x) const {
  VecX& q = scratch_->state.q;
  VecX& delta = scratch_->state.v;
  q = Eigen::Map<const VecX>(x.data(), model().nq());
  delta = h * Eigen::Map<const VecX>(x.data() + model().nq(), model().nv());
  dynamics::move_positions(model(), delta, q);
  Eigen::Map<VecX>(x.data(), model().nq()) = q;
}

bool System::commit(double t, std::span<double> x) {
  if (modes_.memory.empty()) return false;
  Snapshot<double>& s = *scratch_;
  kinematics(t, x, s);
  bool changed = false;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    changed |= commit_element(static_cast<int>(i), x, s);
  }
  return changed;
}

bool System::commit_element(int element, std::span<double> x, Snapshot<double>& kinematics) {
  const auto at = static_cast<std::size_t>(element);
  const int first = memory_start(element), last = memory_start(element + 1);
  if (last == first || modes_.enabled[at] == 0) return false;
  const int z_first = model().nq() + model().nv() + z_start(element);
  const int z_size = z_start(element + 1) - z_start(element);
  return elements()[at]->commit(
      evaluation_of(*this, kinematics, element),
      x.subspan(static_cast<std::size_t>(z_first), static_cast<std::size_t>(z_size)),
      std::span(modes_.memory)
          .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
}

std::vector<std::string> System::cautions() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    const auto first = static_cast<std::size_t>(memory_starts_[i]);
    const auto last = static_cast<std::size_t>(memory_starts_[i + 1]);
    if (first == last) continue;
    std::string text =
        elements()[i]->caution(std::span(modes_.memory).subspan(first, last - first));
    if (!text.empty()) all.push_back(std::move(text));
  }
  return all;
}

std::string System::refusal(const Snapshot<double>& snapshot) const {
  for (std::size_t i = 0; i < elements().size(); ++i) {
    if (modes_.enabled[i] == 0) continue;
    auto& lent = const_cast<Snapshot<double>&>(snapshot);  // only read
    std::string why = elements()[i]->refusal(evaluation_of(*this, lent, static_cast<int>(i)));
    if (!why.empty()) return why;
  }
  if (const int link = undefined_motion(parts_, snapshot.t); link >= 0) {
    return fmt::format(fmt::runtime(kUndefinedMotion), model().joint_of_link(link).name,
                       snapshot.t);
  }
  return constraint::first_undefined({model(), snapshot.t, snapshot.state, snapshot.workspace},
                                     constraints());
}

void System::kink_values(const Snapshot<double>& snapshot, std::span<const std::uint8_t> skip,
                         std::span<double> values) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    const auto count = static_cast<std::size_t>(elements()[i]->kink_count());
    const std::size_t first = at;
    at += count;
    if (count == 0) continue;
    if (!skip.empty()) {
      const auto own = skip.subspan(first, count);
      if (std::all_of(own.begin(), own.end(), [](std::uint8_t s) { return s != 0; })) continue;
    }
    if (modes_.enabled[i] == 0) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, 1.0);
      continue;
    }
    // An element only reads here; the cast lends it the evaluation it knows.
    auto& lent = const_cast<Snapshot<double>&>(snapshot);
    elements()[i]->kink_values(evaluation_of(*this, lent, static_cast<int>(i)),
                               values.subspan(first, count));
  }
}

void System::kink_speeds(const Snapshot<double>& snapshot, std::span<double> speeds) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    const auto count = static_cast<std::size_t>(elements()[i]->kink_count());
    if (count == 0) continue;
    double speed = std::numeric_limits<double>::infinity();
    if (elements()[i]->passage().depth > 0.0) {
      auto& lent = const_cast<Snapshot<double>&>(snapshot);  // only read
      speed = modes_.enabled[i] == 0
                  ? 0.0
                  : elements()[i]->kink_speed(evaluation_of(*this, lent, static_cast<int>(i)));
    }
    std::fill_n(speeds.begin() + static_cast<std::ptrdiff_t>(at), count, speed);
    at += count;
  }
}

System::StepBound System::longest_step() const {
  StepBound bound;
  for (std::size_t i = 0; i < elements().size(); ++i) {
    if (modes_.enabled[i] == 0) continue;
    const auto first = static_cast<std::size_t>(memory_starts_[i]);
    const auto last = static_cast<std::size_t>(memory_starts_[i + 1]);
    const double own =
        elements()[i]->longest_step(std::span(modes_.memory).subspan(first, last - first));
    if (own < bound.seconds) bound = {own, static_cast<int>(i)};
  }
  return bound;
}

void System::read_times_inside(double begin, double end) {
  // More than a formula of time rounds the place of its switch by.
  const auto margin = [](double t) {
    return std::isfinite(t) ? 3e-15 * std::max(std::abs(t), 1e-3) : 0.0;
  };
  first_time_ = begin + margin(begin);
  last_time_ = std::max(first_time_, end - margin(end));
}

std::vector<double> System::breakpoints(double t_end) const {
  std::vector<double> times;
  const auto add = [&](const std::string& where, const auto& function) {
    try {
      const std::vector<double> own = function();
      times.insert(times.end(), own.begin(), own.end());
    } catch (const Error& error) {  // a formula does not know where it stands
      throw Error(error.id(), where, error.diagnostics().front().message);
    }
  };
  for (const auto& element : elements()) {
    add(element->name(), [&] { return element->breakpoints(t_end); });
  }
  for (const JointMotion& motion : parts_.motions) {
    for (const element::Input& f : motion.functions) {
      add("motion of joint '" + model().joint_of_link(motion.link).name + "'",
          [&] { return f.breakpoints(0.0, t_end); });
    }
  }
  for (const constraint::Constraint& constraint : constraints()) {
    for (const Function& f : constraint::functions_of(constraint)) {
      add("loop '" + constraint.name + "'", [&] { return f.breakpoints(0.0, t_end); });
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

JacobianScratch::JacobianScratch(const System& system)
    : analytic(system.constraints().empty() ? std::make_shared<AnalyticJacobian>(system) : nullptr),
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
    accelerate<Dual>(t, scratch.x, scratch.snapshot);
    state_rate<Dual>(scratch.snapshot, scratch.rate);
    for (std::size_t k = 0; k < count; ++k) {
      scratch.x[first + k].d[k] = 0.0;
      for (std::size_t row = 0; row < n; ++row) J[(first + k) * n + row] = scratch.rate[row].d[k];
    }
  }
}

template struct Snapshot<double>;
template struct Snapshot<Dual>;

}  // namespace grapple::system
