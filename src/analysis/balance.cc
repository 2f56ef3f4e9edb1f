#include "grapple/analysis/balance.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/analysis/internal/free_states.h"
#include "grapple/analysis/internal/independent.h"
#include "grapple/dynamics/crba.h"
#include "grapple/dynamics/rnea.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;
using spatial::VecX;

constexpr double kBalanced = 1e-3;

// tau^T M^-1 tau along the columns of `along`.
class EnergyNorm {
 public:
  EnergyNorm(const MatX& M, MatX along)
      : along_(std::move(along)), factor_(along_.transpose() * M * along_) {}
  double squared(const VecX& tau) const {
    const VecX r = along_.transpose() * tau;
    return r.dot(factor_.solve(r));
  }

 private:
  MatX along_;
  Eigen::LDLT<MatX> factor_;
};

// The efforts that hold the state against gravity, the inertial forces of its rates, and the
// wrenches in the workspace.
VecX holding_efforts(const system::System& system, system::Snapshot<double>& at) {
  const VecX none = VecX::Zero(system.model().nv());
  dynamics::rnea_after_kinematics(system.model(), at.state, none, at.workspace);
  return at.workspace.tau;
}

// Sum of m g^2 over what can move: the weight, whichever way the joints let it fall.
double weight_squared(const system::System& system, const std::vector<int>& free) {
  const model::Model& model = system.model();
  std::vector<std::uint8_t> moves(static_cast<std::size_t>(model.link_count()), 0);
  for (const int k : free) {
    const model::CoordinateBlock& block = model.coordinates().of_rate(k);
    // A motor's spin lifts nothing.
    if (block.kind != model::CoordinateKind::kMotor)
      moves[static_cast<std::size_t>(block.link)] = 1;
  }
  double sum = 0.0;
  for (int i = 1; i < model.link_count(); ++i) {
    const model::Link& link = model.link(i);
    const auto at = static_cast<std::size_t>(i);
    if (moves[static_cast<std::size_t>(link.parent)] != 0) moves[at] = 1;
    if (moves[at] != 0) sum += link.mass * model.gravity().squaredNorm();
  }
  return sum;
}

// How much of the accelerations' change the rates bring about, as part of the most that rates of
// their size could: zero for a wheel that turns, one for a pendulum on its way.
double drift_of(const LinearModel& linear, const VecX& v, const FreeStates& states,
                const MatX& slope) {
  VecX moving(static_cast<Eigen::Index>(states.positions.size()));
  for (std::size_t k = 0; k < states.positions.size(); ++k) {
    moving[static_cast<Eigen::Index>(k)] =
        v[linear.coordinates[static_cast<std::size_t>(states.positions[k])]];
  }
  const double most = slope.cwiseAbs().maxCoeff() * moving.cwiseAbs().maxCoeff();
  return most > 0.0 ? (slope * moving).cwiseAbs().maxCoeff() / most : 0.0;
}

}  // namespace

Balance balance_at(const system::System& system, double t, std::span<const double> x,
                   const LinearModel& linear) {
  Balance balance;
  const int nv = system.model().nv();
  system::Snapshot<double> at(system);
  system.evaluate<double>(t, x, at);
  const std::vector<int> free = free_coordinates(system, at.state);
  const FreeStates states(linear, free);
  if (states.positions.empty() || states.rates.empty()) return balance;
  // Driven coordinates carry any load, so their accelerations are no imbalance.
  VecX vdot = VecX::Zero(nv);
  for (const int k : free) vdot[k] = at.workspace.vdot[k];
  const VecX held = holding_efforts(system, at);
  at.workspace.clear_wrenches();
  const VecX inertial = holding_efforts(system, at);
  MatX M(nv, nv);
  dynamics::crba(system.model(), at.state, at.workspace, M);

  const EnergyNorm norm(M, linear.expand(Eigen::seqN(0, nv), states.positions));
  const double loads = weight_squared(system, free) + norm.squared(at.tau) +
                       norm.squared(inertial) + norm.squared(held - inertial);
  // What rounding leaves where large forces of stiff parts cancel.
  const MatX slope = linear.A(states.rates, states.positions);
  const double size = std::max(1.0, at.state.q.lpNorm<Eigen::Infinity>());
  const double rounding =
      16.0 * std::numeric_limits<double>::epsilon() * slope.cwiseAbs().maxCoeff() * size;
  if (loads > 0.0 && vdot.lpNorm<Eigen::Infinity>() > rounding) {
    const VecX shares = vdot.cwiseProduct(M * vdot);
    shares.maxCoeff(&balance.coordinate);
    balance.acceleration = vdot[balance.coordinate];
    balance.imbalance = std::sqrt(std::max(0.0, shares.sum()) / loads);
  }
  balance.drift = drift_of(linear, at.state.v, states, slope);
  return balance;
}

std::vector<std::string> balance_warnings(const system::System& system, const Balance& balance) {
  std::vector<std::string> warnings;
  if (balance.imbalance > kBalanced) {
    const std::string name =
        tangent_state_names(system)[static_cast<std::size_t>(balance.coordinate)];
    warnings.push_back(fmt::format(
        "this state is not in equilibrium: {} accelerates at {:.3g} (SI), and {:.3g} % of the "
        "loads are not balanced; what is found here belongs to a passing state, not to "
        "oscillations about it. `--equilibrium` works about the equilibrium near the start, "
        "`grapple equilibrium` shows it",
        name, balance.acceleration, std::min(100.0, 100.0 * balance.imbalance)));
  }
  if (balance.drift > kBalanced) {
    warnings.push_back(
        "this state moves to others with other accelerations: it is no steady motion, and what is "
        "found here holds for this instant only. Start at rest, or use `--equilibrium`; in orbit, "
        "where nothing rests, `orbit.field=none` and `orbit.carries=[]` leave the structure alone");
  }
  return warnings;
}

}  // namespace grapple::analysis
