#include "grapple/control/optimal/regulator_design.h"

#include <fmt/format.h>

#include <cmath>

#include "grapple/base/error.h"
#include "grapple/control/linear/discretize.h"
#include "grapple/control/linear/lqr.h"
#include "grapple/control/linear/place.h"

namespace grapple::control {

using spatial::MatX;
using spatial::VecX;

namespace {

double cost_of(double size) { return std::isfinite(size) ? 1.0 / (size * size) : 0.0; }

MatX state_cost(const Plant& plant, const PostureModel& model, const RegulatorSizes& sizes) {
  const auto s = static_cast<Eigen::Index>(model.coordinates.size());
  MatX Q = MatX::Zero(2 * s, 2 * s);
  std::vector<Eigen::Index> modal;
  for (Eigen::Index k = 0; k < s; ++k) {
    const int rate = model.coordinates[static_cast<std::size_t>(k)];
    double position = cost_of(sizes.passive), of_rate = cost_of(sizes.passive_rate);
    if (k < model.joints) {
      position = cost_of(sizes.position[k]);
      of_rate = cost_of(sizes.rate[k]);
    } else if (plant.model().coordinates().of_rate(rate).kind == model::CoordinateKind::kModal) {
      position = cost_of(sizes.mode);
      of_rate = cost_of(sizes.mode_rate);
      modal.push_back(k);
    }
    Q(k, k) = position;
    Q(s + k, s + k) = of_rate;
  }
  if (!std::isfinite(sizes.energy)) return Q;
  for (const Eigen::Index i : modal) {
    for (const Eigen::Index j : modal) {
      Q(i, j) += 0.25 * (model.K(i, j) + model.K(j, i)) / sizes.energy;
      Q(s + i, s + j) += 0.5 * model.M(i, j) / sizes.energy;
    }
  }
  return Q;
}

bool has_integral(const RegulatorSizes& sizes) {
  return sizes.integral.size() > 0 && sizes.integral.array().isFinite().any();
}

// I+ = I + T (q - r), behind the states.
DiscreteModel with_integrals(const DiscreteModel& model, int joints, double period) {
  const Eigen::Index n = model.A.rows();
  DiscreteModel grown{MatX::Zero(n + joints, n + joints), MatX::Zero(n + joints, model.B.cols())};
  grown.A.topLeftCorner(n, n) = model.A;
  grown.A.block(n, 0, joints, joints).diagonal().setConstant(period);
  grown.A.bottomRightCorner(joints, joints).setIdentity();
  grown.B.topRows(n) = model.B;
  return grown;
}

MatX grown_to(const MatX& small, Eigen::Index rows, Eigen::Index cols) {
  MatX all = MatX::Zero(rows, cols);
  all.topLeftCorner(small.rows(), small.cols()) = small;
  return all;
}

Regulator by_weights(const Plant& plant, const PostureModel& model, const RegulatorSpec& spec) {
  const RegulatorSizes& sizes = spec.sizes;
  const MatX Q = state_cost(plant, model, sizes);
  const MatX R = sizes.effort.cwiseAbs2().cwiseInverse().asDiagonal();
  const bool integrates = has_integral(sizes);
  MatX seen = Q;
  if (integrates) {  // an integral sees the position it is of
    for (Eigen::Index k = 0; k < model.joints; ++k) seen(k, k) += cost_of(sizes.integral[k]);
  }
  require_seen(model, seen,
               "does not decay and costs nothing; give 'weights' that see it, such as 'position', "
               "or 'energy' for modes");
  Regulator found;
  SampledCost sampled;
  if (spec.delay == 0.0) {
    sampled = sampled_cost(model.A, model.B, {Q, R}, spec.period);
  } else {
    const DelayedModel delayed = zero_order_hold(model.A, model.B, spec.period, spec.delay);
    found.samples_late = delayed.samples;
    sampled.model = with_inputs_on_their_way(delayed);
    const Eigen::Index all = sampled.model.A.rows();
    sampled.weights = {grown_to(spec.period * Q, all, all), spec.period * R, {}};
  }
  if (integrates) {
    // Behind the states and efforts; moved before the efforts below.
    const Eigen::Index n = sampled.model.A.rows(), m = model.joints;
    sampled.model = with_integrals(sampled.model, model.joints, spec.period);
    sampled.weights.Q = grown_to(sampled.weights.Q, n + m, n + m);
    for (Eigen::Index k = 0; k < m; ++k) {
      sampled.weights.Q(n + k, n + k) = spec.period * cost_of(sizes.integral[k]);
    }
    if (sampled.weights.N.size() > 0) sampled.weights.N = grown_to(sampled.weights.N, n + m, m);
    found.integrals = model.joints;
  }
  const RiccatiSolution solution = dlqr(sampled.model.A, sampled.model.B, sampled.weights);
  found.poles = solution.poles;
  found.residual = solution.residual;
  found.K = solution.K;
  if (integrates && found.samples_late > 0) {
    const Eigen::Index n = model.A.rows(), late = found.samples_late * model.joints;
    found.K.middleCols(n, model.joints) = solution.K.rightCols(model.joints);
    found.K.rightCols(late) = solution.K.middleCols(n, late);
  }
  return found;
}

Regulator by_poles(const PostureModel& model, const RegulatorSpec& spec) {
  if (spec.delay > 0.0) {
    throw Error("GR-931", "", "'poles' are placed without delay; with 'delay' give 'weights'");
  }
  if (static_cast<Eigen::Index>(spec.poles.size()) != model.A.rows()) {
    throw Error("GR-931", "",
                fmt::format("{} poles for {} states ({}); give one for each", spec.poles.size(),
                            model.A.rows(), fmt::join(model.states, ", ")));
  }
  const DiscreteModel sampled = zero_order_hold(model.A, model.B, spec.period);
  std::vector<std::complex<double>> wanted;
  for (const std::complex<double> s : spec.poles) wanted.push_back(std::exp(s * spec.period));
  const Placement placed = place(sampled.A, sampled.B, wanted);
  return {placed.K, 0, 0, placed.poles, 0.0};
}

Regulator by_gains(const PostureModel& model, const RegulatorSpec& spec) {
  const Eigen::Index n = model.A.rows(), m = model.joints;
  const bool fits =
      spec.gains.rows() == m && (spec.gains.cols() == n || spec.gains.cols() == n + m);
  if (!fits) {
    throw Error(
        "GR-931", "",
        fmt::format("'gains' is {} x {}; it needs {} rows, one per joint, and {} columns: "
                    "{} (and {} more for the sums of the joints' errors, if wanted)",
                    spec.gains.rows(), spec.gains.cols(), m, n, fmt::join(model.states, ", "), m));
  }
  return {spec.gains, spec.gains.cols() > n ? model.joints : 0, 0, {}, 0.0};
}

}  // namespace

Regulator design_regulator(const Plant& plant, const PostureModel& model,
                           const RegulatorSpec& spec) {
  if (spec.by == RegulatorSpec::By::kGains) return by_gains(model, spec);
  require_reached(model, model.B,
                  "does not decay, and the efforts of the controller's joints do not move it; give "
                  "it damping, drive another joint, or leave a mode out by 'modes'");
  return spec.by == RegulatorSpec::By::kPoles ? by_poles(model, spec)
                                              : by_weights(plant, model, spec);
}

}  // namespace grapple::control
