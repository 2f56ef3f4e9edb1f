#include "grapple/analysis/linearize.h"

#include <algorithm>

#include "grapple/analysis/internal/independent.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/spatial/dual.h"

namespace grapple::analysis {

namespace {

using model::CoordinateBlock;
using model::CoordinateKind;
using spatial::Dual;
using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;
using spatial::VecXT;

// "joint/base/position_x", "joint/base/position_rx": a turn where the rate is an angular velocity.
std::string tangent_name(const model::Model& model, int v) {
  const CoordinateBlock& block = model.coordinates().of_rate(v);
  if (block.kind != CoordinateKind::kQuaternion) {
    return system::coordinate_channel_name(model, v, "position");
  }
  return "joint/" + model.joint_of_link(block.link).name + "/position_r" + "xyz"[v - block.v];
}

// One chunk of directions pushed through the equations.
class Chunk {
 public:
  Chunk(const system::System& system, double t, std::span<const double> x)
      : system_(system),
        t_(t),
        x0_(x),
        snapshot_(system),
        x_(x.begin(), x.end()),
        rate_(x.size()) {}

  // Directions first ... first+count-1 of [tangent | v | z | u].
  void push(int first, int count, const std::vector<int>& inputs) {
    const model::Model& model = system_.model();
    const int nq = model.nq(), nv = model.nv(), nz = system_.z_count();
    VecXT<Dual> q(nq), delta = VecXT<Dual>::Zero(nv);
    for (int k = 0; k < nq; ++k) q[k] = x0_[static_cast<std::size_t>(k)];
    for (int k = 0; k < nv + nz; ++k) {
      x_[static_cast<std::size_t>(nq + k)] = x0_[static_cast<std::size_t>(nq + k)];
    }
    snapshot_.extra_effort.setZero();
    for (int d = 0; d < count; ++d) {
      const int direction = first + d;
      const auto lane = static_cast<std::size_t>(d);
      if (direction < nv) {
        delta[direction].d[lane] = 1.0;
      } else if (direction < 2 * nv + nz) {
        x_[static_cast<std::size_t>(nq + direction - nv)].d[lane] = 1.0;
      } else {
        const auto input = static_cast<std::size_t>(direction - 2 * nv - nz);
        snapshot_.extra_effort[inputs[input]].d[lane] = 1.0;
      }
    }
    dynamics::move_positions(model, delta, q);
    std::copy(q.data(), q.data() + nq, x_.begin());
    system_.evaluate<Dual>(t_, x_, snapshot_);
    system_.state_rate<Dual>(snapshot_, rate_);
  }

  // Derivative in lane `lane` of the tangent state's rate: size 2 nv + nz.
  VecX rate_derivative(std::size_t lane) const {
    const model::Model& model = system_.model();
    const int nq = model.nq(), nv = model.nv(), nz = system_.z_count();
    VecX out(2 * nv + nz);
    for (int k = 0; k < nv; ++k) out[k] = snapshot_.state.v[k].d[lane];
    for (const CoordinateBlock& block : model.coordinates()) {
      if (block.kind != CoordinateKind::kQuaternion) continue;
      Vec3 omega;
      for (int k = 0; k < 3; ++k) omega[k] = snapshot_.state.v[block.v + k].value;
      out.segment<3>(block.v) -= omega.cross(turn(block, lane));
    }
    for (int k = 0; k < nv + nz; ++k) {
      out[nv + k] = rate_[static_cast<std::size_t>(nq + k)].d[lane];
    }
    return out;
  }

  // The same of the rates of loop rows.
  VecX row_rate_derivative(std::size_t lane) const {
    VecX out(snapshot_.constraints.rate.size());
    for (Eigen::Index k = 0; k < out.size(); ++k) out[k] = snapshot_.constraints.rate[k].d[lane];
    return out;
  }

  double output_derivative(const system::Channel& channel, std::size_t lane) const {
    return system::channel_value<Dual>(system_, channel, snapshot_).d[lane];
  }

 private:
  // The small turn in this lane, read from the evaluated state: a prescribed orientation takes
  // none.
  Vec3 turn(const CoordinateBlock& block, std::size_t lane) const {
    spatial::Quat own, derivative;
    for (int k = 0; k < 4; ++k) {
      const Dual& q = snapshot_.state.q[block.q + k];
      own[k] = q.value;
      derivative[k] = q.d[lane];
    }
    return dynamics::turn_of(own, derivative);
  }

  const system::System& system_;
  double t_;
  std::span<const double> x0_;
  system::Snapshot<Dual> snapshot_;
  std::vector<Dual> x_, rate_;
};

}  // namespace

std::vector<std::string> tangent_state_names(const system::System& system) {
  const model::Model& model = system.model();
  std::vector<std::string> names;
  for (int v = 0; v < model.nv(); ++v) names.push_back(tangent_name(model, v));
  for (int v = 0; v < model.nv(); ++v) {
    names.push_back(system::coordinate_channel_name(model, v, "rate"));
  }
  for (const auto& element : system.elements()) {
    const std::vector<element::Output> named = element->states();
    for (const element::Output& state : named) names.push_back(state.name);
    for (int k = static_cast<int>(named.size()); k < element->state_count(); ++k) {
      names.push_back(element->name() + "/state/" + std::to_string(k + 1));
    }
  }
  return names;
}

std::vector<std::string> input_names(const system::System& system) {
  const model::Model& model = system.model();
  std::vector<std::string> names;
  for (int v = 0; v < model.nv(); ++v) {
    names.push_back(system::coordinate_channel_name(model, v, "effort"));
  }
  return names;
}

namespace {

// Columns of the full model, by directions [tangent | v | z | u].
struct FullModel {
  MatX A, B, C, D;
  MatX row_slope;  ///< of the loop rows' rates by the tangent

  FullModel(const system::System& system, double t, std::span<const double> x,
            const std::vector<int>& inputs, const std::vector<int>& outputs) {
    const int nv = system.model().nv(), n = 2 * nv + system.z_count();
    const auto n_inputs = static_cast<int>(inputs.size());
    const auto n_outputs = static_cast<int>(outputs.size());
    A.resize(n, n);
    B.resize(n, n_inputs);
    C.resize(n_outputs, n);
    D.resize(n_outputs, n_inputs);
    Chunk chunk(system, t, x);
    row_slope = MatX::Zero(chunk.row_rate_derivative(0).size(), nv);
    for (int first = 0; first < n + n_inputs; first += Dual::kWidth) {
      const int count = std::min(Dual::kWidth, n + n_inputs - first);
      chunk.push(first, count, inputs);
      for (int d = 0; d < count; ++d) {
        const auto lane = static_cast<std::size_t>(d);
        const int column = first + d;
        const bool state = column < n;
        (state ? A.col(column) : B.col(column - n)) = chunk.rate_derivative(lane);
        if (column < nv) row_slope.col(column) = chunk.row_rate_derivative(lane);
        for (int row = 0; row < n_outputs; ++row) {
          const system::Channel& channel =
              system.channels()[static_cast<std::size_t>(outputs[static_cast<std::size_t>(row)])];
          (state ? C(row, column) : D(row, column - n)) = chunk.output_derivative(channel, lane);
        }
      }
    }
  }
};

}  // namespace

LinearModel linearize(const system::System& system, double t, std::span<const double> x,
                      const std::vector<int>& inputs, const std::vector<int>& outputs) {
  const FullModel full(system, t, x, inputs, outputs);
  const int nv = system.model().nv(), nz = system.z_count();
  system::Snapshot<double> at(system);
  system.evaluate<double>(t, x, at);
  const Independent q = independent_motions(system, at, Level::kPositions),
                    v = independent_motions(system, at, Level::kRates);
  const auto nq = static_cast<int>(q.chosen.size()), nr = static_cast<int>(v.chosen.size());
  LinearModel linear;
  linear.positions = nq;
  linear.expand = MatX::Zero(2 * nv + nz, nq + nr + nz);
  linear.expand.topLeftCorner(nv, nq) = q.all;
  linear.expand.block(nv, nq, nv, nr) = v.all;
  linear.expand.bottomRightCorner(nz, nz).setIdentity();
  const MatX dependent_rates = v.from_rows * full.row_slope * q.all;
  for (std::size_t k = 0; k < v.dependent.size(); ++k) {
    linear.expand.block(nv + v.dependent[k], 0, 1, nq) =
        dependent_rates.row(static_cast<Eigen::Index>(k));
  }
  std::vector<int> kept = q.chosen;
  for (const int k : v.chosen) kept.push_back(nv + k);
  linear.coordinates = q.chosen;
  linear.coordinates.insert(linear.coordinates.end(), v.chosen.begin(), v.chosen.end());
  for (int k = 0; k < nz; ++k) kept.push_back(2 * nv + k);
  linear.A = (full.A * linear.expand)(kept, Eigen::all);
  linear.B = full.B(kept, Eigen::all);
  linear.C = full.C * linear.expand;
  linear.D = full.D;
  const std::vector<std::string> names = tangent_state_names(system), efforts = input_names(system);
  for (const int k : kept) linear.states.push_back(names[static_cast<std::size_t>(k)]);
  for (const int input : inputs) linear.inputs.push_back(efforts[static_cast<std::size_t>(input)]);
  for (const int output : outputs) {
    linear.outputs.push_back(system.channels()[static_cast<std::size_t>(output)].name);
  }
  return linear;
}

}  // namespace grapple::analysis
