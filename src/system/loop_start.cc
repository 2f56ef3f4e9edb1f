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
      : loops(system.model(), system.loops(), dynamics::Method::kComposite),
        forward(system.model(), dynamics::Method::kComposite),
        state(system.model()) {}

  constraint::LoopScratch<double> loops;
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

std::size_t active_row_count(const std::vector<constraint::Loop>& loops) {
  std::size_t sum = 0;
  for (const constraint::Loop& loop : loops) sum += loop.active ? loop.rows.size() : 0;
  return sum;
}
// Of more rows than that, part by part; empty, all are met or none, if a part is too large too.
std::vector<std::uint8_t> choose_by_parts(const System& system, Snapshot<double>& s) {
  dynamics::forward_kinematics(system.model(), s.state, s.workspace);
  return constraint::choose_rows_by_parts({system.model(), s.loops.t, s.state, s.workspace},
                                          system.loops(),
                                          static_cast<std::size_t>(kMostCountedRows));
}
}  // namespace

void System::close_initial_loops() {
  if (loops().empty() || parts_.loop_start == LoopStart::kOpen) return;
  Snapshot<double>& s = *scratch_;
  s.state.q = parts_.q;
  s.state.v = parts_.v;
  s.loops.t = 0.0;
  dynamics::normalize_quaternions(model(), s.state.q.data());
  apply_modes(0.0, s.state);
  dynamics::forward_kinematics(model(), s.state, s.workspace);
  constraint::loop_values(model(), loops(), s.state, s.workspace, s.loops);
  initial_opening_ = s.loops.value;
  refuse_undefined_formulas();
  const constraint::ClosureResult result =
      constraint::close_loops(model(), loops(), s.state, s.forward, s.loops, s.workspace);
  if (!result.closed || !s.loops.rate.allFinite()) {
    refuse_undefined_formulas();
    refuse_open_loops();
  }
  parts_.q = s.state.q;
  parts_.v = s.state.v;
  initial_pivot_ = note_dependences();
  refuse_contradictions("a rate", s.loops.rate);
}

bool System::loops_counted() const {
  return !scratch_->loops.articulated || scratch_->loops.value.size() <= kMostCountedRows;
}

// The rows that are active now, factored with pivots at the state in the scratch, which is on the
// manifold. A solution along the tree does not tell rows apart; the dense one is asked.
const constraint::LoopScratch<double>& System::count_rows() {
  Snapshot<double>& s = *scratch_;
  if (s.loops.articulated && dense_rows_ == nullptr) {
    dense_rows_ = std::make_shared<DenseRows>(*this);
  }
  DenseRows* const dense = dense_rows_.get();
  constraint::LoopScratch<double>& rows = dense != nullptr ? dense->loops : s.loops;
  rows.t = s.loops.t;
  rows.held = {};
  if (dense != nullptr) dense->state = s.state;
  constraint::project_rates(model(), loops(), dense != nullptr ? dense->state : s.state,
                            dense != nullptr ? dense->forward : s.forward, rows, s.workspace);
  return rows;
}

void System::hold_rows(const constraint::LoopScratch<double>& counted) {
  modes_.loop_rank = counted.rank;
  modes_.held_pivot = 0.0;
  mark_first(counted.order, counted.rank, modes_.held_rows);
  if (static_cast<std::size_t>(counted.rank) == active_row_count(loops())) {
    modes_.held_rows.clear();
  }
  held_too_few_ = false;
}

double System::note_dependences() {
  modes_.dependences.clear();
  if (!loops_counted()) {
    modes_.loop_rank = 1;  // all are met, or none
    modes_.held_pivot = 0.0;
    modes_.held_rows = choose_by_parts(*this, *scratch_);
    held_too_few_ = false;
    return 1.0;
  }
  const constraint::LoopScratch<double>& counted = count_rows();
  hold_rows(counted);
  modes_.dependences = constraint::find_dependences(loops(), counted);
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
  s.loops.t = t;
  if (!loops_counted()) {
    const auto before = std::count(modes_.held_rows.begin(), modes_.held_rows.end(), 1);
    std::vector<std::uint8_t> chosen = choose_by_parts(*this, s);
    const auto now = std::count(chosen.begin(), chosen.end(), 1);
    if (now > before) left_singular_at_ = t;
    if (now >= before) modes_.held_rows = std::move(chosen);
    modes_.held_pivot = 0.0;
    held_too_few_ = false;
    return;
  }
  const constraint::LoopScratch<double>& counted = count_rows();
  held_too_few_ = false;
  if (counted.rank < loop_rank()) return;
  if (blind) {  // Baumgarte's method leaves loops open, so that rows beyond the rank mean nothing
    mark_first(counted.order, loop_rank(), modes_.held_rows);
    return;
  }
  if (counted.rank > loop_rank()) left_singular_at_ = t;
  hold_rows(counted);
}

void System::refuse_undefined_formulas() const {
  const Snapshot<double>& s = *scratch_;
  for (const constraint::Loop& loop : loops()) {
    const std::string why = constraint::undefined_formula(
        {model(), s.loops.t, s.state, s.workspace}, std::span(&loop, 1));
    if (why.empty()) continue;
    throw Error("GR-911", fmt::format("loop '{}'", loop.name),
                why +
                    "; start elsewhere, or write the condition without roots, quotients and arcs "
                    "at the ends of their range");
  }
}

// Where Newton's method stopped, rows that could be closed are closed. What is left open in a row
// that follows from other loops contradicts them; left open by the tree's joints, it is out of
// reach. A solution along the tree stops halfway between rows that contradict each other; the dense
// one starts anew and leaves open what follows from others.
void System::refuse_open_loops() const {
  const constraint::LoopScratch<double>& searched = scratch_->loops;
  std::optional<DenseRows> dense;
  if (searched.articulated && loops_counted()) {
    dense.emplace(*this);
    dense->state.q = parts_.q;
    dense->state.v = parts_.v;
    dynamics::normalize_quaternions(model(), dense->state.q.data());
    apply_modes(0.0, dense->state);
    constraint::close_loops(model(), loops(), dense->state, dense->forward, dense->loops,
                            scratch_->workspace);
  }
  const constraint::LoopScratch<double>& at = dense ? dense->loops : searched;
  Diagnostics faults;
  for (const constraint::Dependence& one : constraint::find_dependences(loops(), at)) {
    const double left = std::abs(constraint::disagreement(one, at.value));
    if (one.on.empty() || !(left > 1e-6)) continue;
    const bool settled = std::all_of(one.on.begin(), one.on.end(), [&](const auto& share) {
      return std::abs(at.value[share.row]) < 1e-3 * left;
    });
    if (!settled) continue;
    const std::size_t loop = constraint::place_of_row(loops(), one.row).loop;
    faults.add("GR-909", fmt::format("loop '{}'", loops()[loop].name),
               fmt::format("{} cannot hold together with {}: {:.3g} (m, or rad) stay open; change "
                           "or remove one of them",
                           constraint::row_text(loops(), one.row),
                           constraint::sources_text(model(), loops(), one), left));
  }
  faults.throw_if_any();
  // Those that closed are not to blame, unless all did and their rates are no numbers.
  const bool none_open = !(searched.value.lpNorm<Eigen::Infinity>() > kStaysOpen);
  Eigen::Index row = 0;
  for (const constraint::Loop& loop : loops()) {
    const auto count = static_cast<Eigen::Index>(loop.rows.size());
    const double left = searched.value.segment(row, count).lpNorm<Eigen::Infinity>();
    if (loop.active && (none_open || !(left <= kStaysOpen))) {
      faults.add(
          "GR-901", fmt::format("loop '{}'", loop.name),
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
  constraint::apply_rows(scratch_->loops, scratch_->loops.delta, left);
  left += asked;
  Diagnostics faults;
  for (const constraint::Dependence& one : modes_.dependences) {
    const double off = std::abs(constraint::disagreement(one, left));
    const double size = 1.0 + scratch_->loops.rate.lpNorm<Eigen::Infinity>() +
                        scratch_->loops.acceleration.lpNorm<Eigen::Infinity>();
    if (!(off > 1e-7 * size)) continue;
    const std::size_t loop = constraint::place_of_row(loops(), one.row).loop;
    faults.add("GR-910", fmt::format("loop '{}'", loops()[loop].name),
               fmt::format("{} asks for {} not allowed by {}: {:.3g} (SI) apart at the start; give "
                           "the motion once, and free what it moves from locks and other motions",
                           constraint::row_text(loops(), one.row), what,
                           constraint::sources_text(model(), loops(), one), off));
  }
  faults.throw_if_any();
}

}  // namespace grapple::system
