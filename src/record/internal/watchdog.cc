#include "grapple/record/internal/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grapple/base/saved_numbers.h"
#include "grapple/constraint/dependence.h"

namespace grapple::record {

namespace {

// Squared sine between rows below which branches are near: a tenth of a radian.
constexpr double kNear = 1e-2;
// A smooth motion resolved to a percent over a step keeps the first; the second is what a step of
// fixed length, or of a tolerance of 1e-4, may do; the third, what one of a coarser tolerance may
// do, in tolerances.
constexpr double kRateJump = 0.02, kEnergyJump = 1e-3, kEnergyTolerances = 10.0;
constexpr double kCurvedShare = 0.1;
constexpr double kOpen = 1e-6;  // m or rad

}  // namespace

Watchdog::Watchdog(const system::System& system, double tolerance)
    : system_(system), energy_jump_(std::max(kEnergyJump, kEnergyTolerances * tolerance)) {
  if (!system.constraints().empty()) snapshot_.emplace(system);
}

Watchdog::Place Watchdog::at(double t, std::span<const double> x) {
  system::Snapshot<double>& s = *snapshot_;
  system_.evaluate<double>(t, x, s);
  Place place;
  place.t = t;
  place.v = s.state.v;
  place.a = s.workspace.vdot;
  place.pivot = s.constraints.smallest_pivot;
  if (!s.constraints.articulated && s.constraints.rank > 0) {
    place.row = s.constraints.order[static_cast<std::size_t>(s.constraints.rank - 1)];
  }
  const auto& stored = s.energies.stored;
  place.energy = std::accumulate(stored.begin(), stored.end(), 0.0) -
                 std::accumulate(s.work.begin(), s.work.end(), 0.0);
  place.scale = stored[static_cast<std::size_t>(element::Stored::kKinetic)];
  for (const double work : s.work) place.scale += std::abs(work);
  return place;
}

void Watchdog::step(double t, std::span<const double> x, integrate::SystemProblem& problem) {
  if (!snapshot_) return;
  const double nearest = problem.take_nearest_singular();
  if (known_ && nearest < kNear && suspicion_.empty() && t > t_) {
    const Place before = at(t_, x_);
    compare(before, at(t, x));
  }
  x_.assign(x.begin(), x.end());
  t_ = t;
  known_ = true;
}

std::vector<double> Watchdog::save() const {
  if (!known_) return {};
  std::vector<double> last_step{t_};
  last_step.insert(last_step.end(), x_.begin(), x_.end());
  return last_step;
}

void Watchdog::restore(std::string suspicion, std::span<const double> last_step) {
  suspicion_ = std::move(suspicion);
  known_ = !last_step.empty();
  if (!known_) return;
  SavedNumbers saved(last_step, "last steps");
  t_ = saved.number();
  x_.resize(static_cast<std::size_t>(system_.size()));
  saved.copy_to(x_);
  saved.expect_end();
}

void Watchdog::step_too_long(int element, double t, double step, double longest) {
  if (!suspicion_.empty()) return;
  suspicion_ = fmt::format(
      "before {:.9g} s the shapes of '{}' moved further in one step of {:.3g} s than they are "
      "thick "
      "and may have passed through each other; take steps below {:.2g} s, or an integrator with "
      "error control",
      t, system_.elements()[static_cast<std::size_t>(element)]->name(), step, longest);
}

std::string Watchdog::constraint_of(const Place& place) const {
  if (place.row < 0) return "";
  const auto& constraints = system_.constraints();
  return fmt::format(" of loop '{}'",
                     constraints[constraint::place_of_row(constraints, place.row).constraint].name);
}

void Watchdog::compare(const Place& before, const Place& after) {
  const double h = after.t - before.t;
  const double jump = (after.v - before.v - 0.5 * h * (before.a + after.a)).norm();
  const double speed = std::max(before.v.norm(), after.v.norm());
  // The trapezoidal rule is off by h^3 a'' / 12, a part of this where the motion is smooth.
  const double curved = kCurvedShare * h * (after.a - before.a).norm();
  const double gained = after.energy - before.energy, scale = std::max(before.scale, after.scale);
  const Place& nearest = before.pivot < after.pivot ? before : after;
  const std::string where =
      fmt::format("between {:.9g} s and {:.9g} s, passing a singular position{}", before.t, after.t,
                  constraint_of(nearest));
  const char* advice =
      "take a smaller step, or an integrator with error control, and compare the two motions; "
      "where "
      "they differ, start a little beside the position, let a spring, a stop or a driven joint "
      "choose the branch, or stop the run before it by an event";
  // Not finite counts as a jump.
  if (!(std::abs(gained) <= energy_jump_ * scale)) {
    suspicion_ = fmt::format("{}, the energy jumped by {:.3g} J; {}", where, gained, advice);
  } else if (!(jump <= kRateJump * speed + curved)) {
    suspicion_ = fmt::format(
        "{}, the rates changed by {:.0f} % more than the accelerations explain: the motion may "
        "have "
        "changed its branch; {}",
        where, 100.0 * jump / speed, advice);
  }
}

void Watchdog::observe(const system::Snapshot<double>& s) {
  if (!snapshot_ || !suspicion_.empty()) return;
  if (const double left = system_.left_singular_at(); !std::isnan(left)) {
    suspicion_ = fmt::format(
        "at {:.9g} s the loops hold more than where they were closed last: that was a singular "
        "position, where branches of the motion meet, and the one taken was not asked for; start "
        "(or latch) beside it",
        left);
    return;
  }
  Eigen::Index row = 0;
  const double open = s.constraints.value.cwiseAbs().maxCoeff(&row);
  if (open <= kOpen) return;
  const auto& constraints = system_.constraints();
  suspicion_ = fmt::format(
      "at {:.9g} s loop '{}' is open by {:.3g} (m, or rad) and cannot be closed; take a smaller "
      "step, "
      "or an integrator with error control",
      s.t,
      constraints[constraint::place_of_row(constraints, static_cast<int>(row)).constraint].name,
      open);
}

}  // namespace grapple::record
