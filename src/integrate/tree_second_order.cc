#include "grapple/integrate/tree_second_order.h"

#include "grapple/dynamics/manifold.h"

namespace grapple::integrate {

namespace {

using model::Link;
using spatial::Dual;
using spatial::VecX;
using spatial::VecXT;
using MapX = Eigen::Map<const VecX>;

MapX map(std::span<const double> v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }

SecondOrderSizes sizes_of(const system::System& system) {
  SecondOrderSizes n;
  n.positions = system.model().nq();
  n.rates = system.model().nv();
  n.states = system.z_count();
  n.quadratures = element::kSupplyCount;
  n.rows = constraint::row_count(system.constraints());
  return n;
}

BlockUnknowns all_of(const SecondOrderSizes& n) { return {.rates = n.rates, .states = n.states}; }

}  // namespace

TreeSecondOrder::TreeSecondOrder(const system::System& system)
    : DenseBlock(all_of(sizes_of(system))),
      system_(system),
      n_(sizes_of(system)),
      start_(system),
      snapshot_(system,
                system.constraints().empty() ? system.method() : dynamics::Method::kComposite),
      moving_(system),
      x_(static_cast<std::size_t>(system.size())),
      delta_moving_(VecXT<Dual>::Zero(n_.rates)),
      q_moving_(VecXT<Dual>::Zero(n_.positions)),
      vdot_(VecX::Zero(n_.rates)),
      q_(VecX::Zero(n_.positions)),
      delta_(VecX::Zero(n_.rates)),
      driven_(static_cast<std::size_t>(n_.rates), 0),
      derivatives_(system.model()) {}

// Read anew at every evaluation: locks change between steps, and a resumed run has no start.
void TreeSecondOrder::find_driven(const model::State& state) {
  std::fill(driven_.begin(), driven_.end(), static_cast<unsigned char>(0));
  const model::Model& model = system_.model();
  for (int i = 1; i < model.link_count(); ++i) {
    if (state.driven[static_cast<std::size_t>(i)] == 0) continue;
    const Link& link = model.link(i);
    for (int k = link.v_actuated(); k < link.v_actuated() + link.nv; ++k) {
      driven_[static_cast<std::size_t>(k)] = 1;
    }
  }
}

bool TreeSecondOrder::start(double t, std::span<const double> x, std::span<double> u_rate,
                            std::span<double> lambda) {
  poll();
  if (!system_.accelerate<double>(t, x, start_)) return false;
  std::copy_n(start_.workspace.vdot.data(), n_.rates, u_rate.begin());
  std::copy_n(start_.z_rate.data(), n_.states, u_rate.begin() + n_.rates);
  std::copy_n(start_.constraints.lambda.data(), n_.rows, lambda.begin());
  return map(u_rate).allFinite();
}

bool TreeSecondOrder::residual(const MotionPoint& point, SecondOrderResidual& out) {
  poll();
  vdot_ = map(point.u_rate).head(n_.rates);
  system_.inverse<double>(point.t, point.x, vdot_, snapshot_);
  find_driven(snapshot_.state);
  out.r.head(n_.rates) = snapshot_.workspace.tau - snapshot_.tau;
  if (n_.rows > 0) {
    out.r.head(n_.rates).noalias() -= snapshot_.constraints.A.transpose() * map(point.lambda);
    out.rows = snapshot_.constraints.value;
    out.row_rates = snapshot_.constraints.rate;
  }
  out.r.tail(n_.states) = map(point.u_rate).tail(n_.states) - snapshot_.z_rate;
  for (int k = 0; k < n_.rates; ++k) {
    if (driven_[static_cast<std::size_t>(k)] != 0) out.r[k] = 0.0;
  }
  return out.r.allFinite() && !snapshot_.refused;
}

// Directions first ... first+count-1 of u.
void TreeSecondOrder::seed(const MotionPoint& point, const TangentWeights& weights, int first,
                           int count) {
  const int nq = n_.positions, nv = n_.rates;
  for (int k = 0; k < nq; ++k) q_moving_[k] = point.x[static_cast<std::size_t>(k)];
  for (int k = 0; k < nv + n_.states; ++k) {
    x_[static_cast<std::size_t>(nq + k)] = point.x[static_cast<std::size_t>(nq + k)];
  }
  for (int k = 0; k < nv; ++k) delta_moving_[k] = 0.0;
  for (int d = 0; d < count; ++d) {
    const int direction = first + d;
    const auto lane = static_cast<std::size_t>(d);
    x_[static_cast<std::size_t>(nq + direction)].d[lane] = weights.rate;
    if (direction < nv) delta_moving_[direction].d[lane] = weights.position;
  }
  dynamics::move_positions(system_.model(), delta_moving_, q_moving_);
  std::copy_n(q_moving_.data(), nq, x_.begin());
}

void TreeSecondOrder::assemble(const MotionPoint& point, const TangentWeights& weights,
                               RowTangent& rows) {
  const int n = n_.unknowns();
  J.setZero();
  inertial_tangent(point, weights);
  const bool bare = system_.elements().empty() && system_.constraints().empty();
  for (int first = 0; first < n && !bare; first += Dual::kWidth) {
    poll();
    const int count = std::min(Dual::kWidth, n - first);
    seed(point, weights, first, count);
    system_.efforts<Dual>(point.t, x_, moving_);
    collect(point, weights, first, count, rows);
  }
  for (int k = 0; k < n_.rows; ++k) {
    for (int column = 0; column < n_.rates; ++column) {
      rows.A(k, column) = moving_.constraints.A(k, column).value;
    }
  }
  hold_driven(rows);
}

void TreeSecondOrder::inertial_tangent(const MotionPoint& point, const TangentWeights& weights) {
  vdot_ = map(point.u_rate).head(n_.rates);
  system_.inverse<double>(point.t, point.x, vdot_, snapshot_);
  find_driven(snapshot_.state);
  dynamics::rnea_derivatives(system_.model(), snapshot_.state, vdot_, snapshot_.workspace,
                             derivatives_);
  J.topLeftCorner(n_.rates, n_.rates) = weights.acceleration * derivatives_.by_acceleration +
                                        weights.rate * derivatives_.by_rate +
                                        weights.position * derivatives_.by_position;
}

// Adds the columns of one chunk of directions.
void TreeSecondOrder::collect(const MotionPoint& point, const TangentWeights& weights, int first,
                              int count, RowTangent& rows) {
  const int nv = n_.rates;
  for (int row = 0; row < nv; ++row) {  // the elements' efforts and the loops', A' lambda
    Dual& effort = moving_.workspace.tau[row];
    for (int k = 0; k < n_.rows; ++k) {
      const double lambda = point.lambda[static_cast<std::size_t>(k)];
      const Dual& entry = moving_.constraints.A(k, row);
      for (std::size_t lane = 0; lane < Dual::kWidth; ++lane) {
        effort.d[lane] += lambda * entry.d[lane];
      }
    }
  }
  for (int d = 0; d < count; ++d) {
    const auto lane = static_cast<std::size_t>(d);
    const int column = first + d;
    for (int row = 0; row < nv; ++row) {
      J(row, column) -= moving_.workspace.tau[row].d[lane];
    }
    for (int row = 0; row < n_.states; ++row) {
      J(nv + row, column) = -moving_.z_rate[row].d[lane];
    }
    if (column >= nv) J(column, column) += weights.acceleration;
    for (int k = 0; k < n_.rows; ++k) rows.rates(k, column) = moving_.constraints.rate[k].d[lane];
  }
}

void TreeSecondOrder::hold_driven(RowTangent& rows) {
  for (int k = 0; k < n_.rates; ++k) {
    if (driven_[static_cast<std::size_t>(k)] == 0) continue;
    J.row(k).setZero();
    J.col(k).setZero();
    J(k, k) = 1.0;
    rows.A.col(k).setZero();
    rows.rates.col(k).setZero();
  }
}

void TreeSecondOrder::impose(Impose what, double t, std::span<double> x, std::span<double> u_rate) {
  system_.impose(t, x, snapshot_);
  find_driven(snapshot_.state);
  for (int k = 0; k < n_.rates; ++k) {
    if (driven_[static_cast<std::size_t>(k)] == 0) continue;
    u_rate[static_cast<std::size_t>(k)] = snapshot_.state.driven_vdot[k];
  }
  if (what == Impose::kAccelerations) return;
  std::copy_n(snapshot_.state.q.data(), n_.positions, x.begin());
  std::copy_n(snapshot_.state.v.data(), n_.rates, x.begin() + n_.positions);
}

void TreeSecondOrder::move(std::span<const double> delta, std::span<double> q) const {
  q_ = map(q);
  delta_ = map(delta);
  dynamics::move_positions(system_.model(), delta_, q_);
  std::copy_n(q_.data(), n_.positions, q.begin());
}

void TreeSecondOrder::difference(std::span<const double> q0, std::span<const double> q1,
                                 std::span<double> delta) const {
  dynamics::position_difference(system_.model(), q0, q1, delta);
}

void TreeSecondOrder::rates_along(std::span<const double> delta, std::span<const double> delta_rate,
                                  std::span<const double> delta_acceleration, std::span<double> v,
                                  std::span<double> v_rate) const {
  dynamics::rates_along(system_.model(), delta, delta_rate, delta_acceleration, v, v_rate);
}

void TreeSecondOrder::delta_rate(std::span<const double> delta, std::span<const double> v,
                                 std::span<double> rate) const {
  dynamics::displacement_rates(system_.model(), delta, v, rate);
}

double TreeSecondOrder::largest_turn(std::span<const double> delta) const {
  return dynamics::largest_turn(system_.model(), delta);
}

void TreeSecondOrder::position_scales(std::span<const double> x, std::span<double> scales) const {
  dynamics::position_scales(system_.model(), x, scales);
}

void TreeSecondOrder::quadrature_rates(const MotionPoint& point, std::span<double> rates) {
  poll();
  vdot_ = map(point.u_rate).head(n_.rates);
  system_.inverse<double>(point.t, point.x, vdot_, snapshot_);
  find_driven(snapshot_.state);
  double numerical = 0.0, driven = 0.0;
  for (int k = 0; k < n_.rates; ++k) {
    const double needed = snapshot_.workspace.tau[k] - snapshot_.tau[k];
    if (driven_[static_cast<std::size_t>(k)] == 0) {
      numerical += needed * snapshot_.state.v[k];
      continue;
    }
    double from_constraints = 0.0;
    for (int row = 0; row < n_.rows; ++row) {
      from_constraints +=
          snapshot_.constraints.A(row, k) * point.lambda[static_cast<std::size_t>(row)];
    }
    driven += (needed - from_constraints) * snapshot_.state.v[k];
    numerical += from_constraints * snapshot_.state.v[k];
  }
  // Rows that move by themselves put in what they do against their multipliers.
  double given = 0.0;
  for (int row = 0; row < n_.rows; ++row) {
    given -= snapshot_.constraints.drift[row] * point.lambda[static_cast<std::size_t>(row)];
  }
  snapshot_.energies.add_power(element::Supply::kActuators, driven + given);
  snapshot_.energies.add_power(element::Supply::kNumerical, numerical - given);
  std::copy(snapshot_.energies.supply.begin(), snapshot_.energies.supply.end(), rates.begin());
}

}  // namespace grapple::integrate
