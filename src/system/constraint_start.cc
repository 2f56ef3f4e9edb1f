// How a system with loops starts: closed, its dependent rows found, contradictions refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "grapple/base/error.h"
#include "grapple/constraint/row_parts.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/system/system.h"

namespace grapple::system {

using spatial::VecX;

// The rows once more by dense matrices, beside a system that solves them along the tree.
struct DenseRows {
  explicit DenseRows(const System& system)
      : constraints(system.model(), system.constraints(), dynamics::Method::kComposite),
        forward(system.model(), dynamics::Method::kComposite),
        state(system.model()) {}

  constraint::ConstraintScratch<double> constraints;
  dynamics::ForwardScratch<double> forward;
  model::State state;
};

namespace {
// Beyond this many rows the dense solution, which alone tells dependent rows apart, takes too long.
constexpr Eigen::Index kMostCountedRows = 600;
constexpr double kStaysOpen = 1e-9;  // m or rad: ten times what counts as closed
// Smallest pivots, against those when the rows were chosen, at which they are chosen anew: well
// before another set would serve much better, and seldom.
constexpr double kWorse = 0.25, kBetter = 16.0;

void mark_first(const std::vector<int>& order, int count, std::vector<std::uint8_t>& marks) {
  marks.assign(order.size(), 0);
  for (int k = 0; k < count; ++k) {
    marks[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = 1;
  }
}

std::size_t active_row_count(const std::vector<constraint::Constraint>& constraints) {
  std::size_t sum = 0;
  for (const constraint::Constraint& constraint : constraints)
    sum += constraint.active ? constraint::rows_of(constraint).size() : 0;
  return sum;
}
// Of more rows than that, part by part; empty, all are met or none, if a part is too large too.
std::vector<std::uint8_t> choose_by_parts(const System& system, Snapshot<double>& s) {
  dynamics::forward_kinematics(system.model(), s.state, s.workspace);
  return constraint::choose_rows_by_parts({system.model(), s.constraints.t, s.state, s.workspace},
                                          system.constraints(),
                                          static_cast<std::size_t>(kMostCountedRows));
}
}  // namespace

void System::close_initial_constraints() {
  if (constraints().empty() || parts_.constraint_start == ConstraintStart::kOpen) return;
  Snapshot<double>& s = *scratch_;
  s.moved = false;
  s.state.q = parts_.q;
  s.state.v = parts_.v;
  s.constraints.t = 0.0;
  dynamics::normalize_quaternions(model(), s.state.q.data());
  apply_modes(0.0, s.state);
  dynamics::forward_kinematics(model(), s.state, s.workspace);
  constraint::constraint_values(model(), constraints(), s.state, s.workspace, s.constraints);
  initial_opening_ = s.constraints.value;
  refuse_undefined_formulas();
  const constraint::ClosureResult result = constraint::close_constraints(
      model(), constraints(), s.state, s.forward, s.constraints, s.workspace);
  if (!result.closed || !s.constraints.rate.allFinite()) {
    refuse_undefined_formulas();
    refuse_open_constraints();
  }
  parts_.q = s.state.q;
  parts_.v = s.state.v;
  initial_pivot_ = note_dependences();
  refuse_contradictions("a rate", s.constraints.rate);
}

bool System::rows_counted() const {
  return !scratch_->constraints.articulated ||
         scratch_->constraints.value.size() <= kMostCountedRows;
}

// The rows that are active now, factored with pivots at the state in the scratch, which is on the
// manifold. A solution along the tree does not tell rows apart; the dense one is asked.
const constraint::ConstraintScratch<double>& System::count_rows() {
  Snapshot<double>& s = *scratch_;
  if (s.constraints.articulated && dense_rows_ == nullptr) {
    dense_rows_ = std::make_shared<DenseRows>(*this);
  }
  DenseRows* const dense = dense_rows_.get();
  constraint::ConstraintScratch<double>& rows =
      dense != nullptr ? dense->constraints : s.constraints;
  rows.t = s.constraints.t;
  rows.held = {};
  if (dense != nullptr) dense->state = s.state;
  constraint::project_rates(model(), constraints(), dense != nullptr ? dense->state : s.state,
                            dense != nullptr ? dense->forward : s.forward, rows, s.workspace);
  return rows;
}

void System::hold_rows(const constraint::ConstraintScratch<double>& counted) {
  modes_.constraint_rank = counted.rank;
  modes_.held_pivot = 0.0;
  mark_first(counted.order, counted.rank, modes_.held_rows);
  if (static_cast<std::size_t>(counted.rank) == active_row_count(constraints())) {
    modes_.held_rows.clear();
  }
  held_too_few_ = false;
}

double System::note_dependences() {
  modes_.dependences.clear();
  if (!rows_counted()) {
    modes_.constraint_rank = 1;  // all are met, or none
    modes_.held_pivot = 0.0;
    modes_.held_rows = choose_by_parts(*this, *scratch_);
    held_too_few_ = false;
    return 1.0;
  }
  const constraint::ConstraintScratch<double>& counted = count_rows();
  hold_rows(counted);
  modes_.dependences = constraint::find_dependences(constraints(), counted);
  return counted.smallest_pivot;
}

void System::renew_rows(double t, std::span<const double> x, double weakest) {
  if (modes_.held_rows.empty()) return;
  if (modes_.held_pivot == 0.0 && std::isfinite(weakest)) modes_.held_pivot = weakest;
  const bool worn = std::isfinite(weakest) &&
                    (weakest < kWorse * modes_.held_pivot || weakest > kBetter * modes_.held_pivot);
  const bool blind = parts_.cross_check != nullptr;  // such a method tells no pivots
  if (!worn && !blind && !held_too_few_) return;
  Snapshot<double>& s = *scratch_;
  load<double>(t, x, s);
  s.constraints.t = t;
  if (!rows_counted()) {
    const auto before = std::count(modes_.held_rows.begin(), modes_.held_rows.end(), 1);
    std::vector<std::uint8_t> chosen = choose_by_parts(*this, s);
    const auto now = std::count(chosen.begin(), chosen.end(), 1);
    if (now > before) left_singular_at_ = t;
    if (now >= before) modes_.held_rows = std::move(chosen);
    modes_.held_pivot = 0.0;
    held_too_few_ = false;
    return;
  }
  const constraint::ConstraintScratch<double>& counted = count_rows();
  held_too_few_ = false;
  if (counted.rank < constraint_rank()) return;
  if (blind) {  // Baumgarte's method leaves loops open, so that rows beyond the rank mean nothing
    mark_first(counted.order, constraint_rank(), modes_.held_rows);
    return;
  }
  if (counted.rank > constraint_rank()) left_singular_at_ = t;
  hold_rows(counted);
}

void System::refuse_undefined_formulas() const {
  const Snapshot<double>& s = *scratch_;
  for (const constraint::Constraint& constraint : constraints()) {
    const std::string why = constraint::first_undefined(
        {model(), s.constraints.t, s.state, s.workspace}, std::span(&constraint, 1));
    if (why.empty()) continue;
    throw Error("GR-911", fmt::format("loop '{}'", constraint.name),
                why +
                    "; start elsewhere, or write the condition without roots, quotients and arcs "
                    "at the ends of their range");
  }
}

// Where Newton's method stopped, rows that could be closed are closed. What is left open in a row
// that follows from other loops contradicts them; left open by the tree's joints, it is out of
// reach. A solution along the tree stops halfway between rows that contradict each other; the dense
// one starts anew and leaves open what follows from others.
void System::refuse_open_constraints() const {
  const constraint::ConstraintScratch<double>& searched = scratch_->constraints;
  std::optional<DenseRows> dense;
  if (searched.articulated && rows_counted()) {
    dense.emplace(*this);
    dense->state.q = parts_.q;
    dense->state.v = parts_.v;
    dynamics::normalize_quaternions(model(), dense->state.q.data());
    apply_modes(0.0, dense->state);
    constraint::close_constraints(model(), constraints(), dense->state, dense->forward,
                                  dense->constraints, scratch_->workspace);
  }
  const constraint::ConstraintScratch<double>& at = dense ? dense->constraints : searched;
  Diagnostics faults;
  for (const constraint::Dependence& one : constraint::find_dependences(constraints(), at)) {
    const double left = std::abs(constraint::disagreement(one, at.value));
    if (one.on.empty() || !(left > 1e-6)) continue;
    const bool settled = std::all_of(one.on.begin(), one.on.end(), [&](const auto& share) {
      return std::abs(at.value[share.row]) < 1e-3 * left;
    });
    if (!settled) continue;
    const std::size_t constraint = constraint::place_of_row(constraints(), one.row).constraint;
    faults.add("GR-909", fmt::format("loop '{}'", constraints()[constraint].name),
               fmt::format("{} cannot hold together with {}: {:.3g} (m, or rad) stay open; change "
                           "or remove one of them",
                           constraint::row_text(constraints(), one.row),
                           constraint::sources_text(model(), constraints(), one), left));
  }
  faults.throw_if_any();
  // Those that closed are not to blame, unless all did and their rates are no numbers.
  const bool none_open = !(searched.value.lpNorm<Eigen::Infinity>() > kStaysOpen);
  Eigen::Index row = 0;
  for (const constraint::Constraint& constraint : constraints()) {
    const auto count = static_cast<Eigen::Index>(constraint::rows_of(constraint).size());
    const double left = searched.value.segment(row, count).lpNorm<Eigen::Infinity>();
    if (constraint.active && (none_open || !(left <= kStaysOpen))) {
      faults.add(
          "GR-901", fmt::format("loop '{}'", constraint.name),
          fmt::format("cannot be closed from the initial position: it is off by {:.3g} (m, or rad) "
                      "there, and by {:.3g} where the search ended; start closer to an assembled "
                      "position, or look for one with `grapple assemble`",
                      initial_opening_.segment(row, count).lpNorm<Eigen::Infinity>(), left));
    }
    row += count;
  }
  faults.throw_if_any();
}

// A row that follows from others must also move as they do: a given motion may ask for more. What
// the last solution left of `asked` in such a row is what the others do not allow.
void System::refuse_contradictions(const char* what, const VecX& asked) const {
  if (modes_.dependences.empty()) return;
  VecX left(asked.size());
  constraint::apply_rows(scratch_->constraints, scratch_->constraints.delta, left);
  left += asked;
  Diagnostics faults;
  for (const constraint::Dependence& one : modes_.dependences) {
    const double off = std::abs(constraint::disagreement(one, left));
    const double size = 1.0 + scratch_->constraints.rate.lpNorm<Eigen::Infinity>() +
                        scratch_->constraints.acceleration.lpNorm<Eigen::Infinity>();
    if (!(off > 1e-7 * size)) continue;
    const std::size_t constraint = constraint::place_of_row(constraints(), one.row).constraint;
    faults.add("GR-910", fmt::format("loop '{}'", constraints()[constraint].name),
               fmt::format("{} asks for {} not allowed by {}: {:.3g} (SI) apart at the start; give "
                           "the motion once, and free what it moves from locks and other motions",
                           constraint::row_text(constraints(), one.row), what,
                           constraint::sources_text(model(), constraints(), one), off));
  }
  faults.throw_if_any();
}

}  // namespace grapple::system
