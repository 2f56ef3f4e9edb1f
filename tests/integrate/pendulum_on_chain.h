// A pendulum of the tree whose tip moves the end of a chain of masses and springs to and fro: two
// blocks, one dense and one sparse, joined by rows. In one plane, with
//   g = u_n - L sin(angle) = 0,    u_1 ... u_n: displacements of the chain's masses along x
// and u_0 = wall, the displacement of the wall that the first spring is fixed to.
#pragma once

#include <Eigen/SparseCholesky>
#include <array>
#include <cmath>
#include <vector>

#include "grapple/integrate/problem.h"
#include "grapple/integrate/tree_second_order.h"
#include "grapple/spatial/rotation.h"

namespace grapple::integrate::testing {

struct ChainParameters {
  int masses = 5;
  double mass = 0.1;         ///< of each, kg
  double stiffness = 100.0;  ///< of each spring, N/m
  double wall = 0.0;         ///< m
};

struct PendulumParameters {
  double mass = 1.0;      ///< in its tip, kg
  double length = 2.0;    ///< m
  double gravity = 9.81;  ///< m/s^2
};

inline system::System pendulum(const PendulumParameters& p) {
  model::ModelBuilder builder;
  builder.set_gravity({0.0, 0.0, -p.gravity});
  builder.add_body("bob", {p.mass, {0.0, 0.0, -p.length}, spatial::Mat3::Zero()});
  model::JointSpec joint;
  joint.name = "hinge";
  joint.child = "bob";
  const spatial::Mat3 axes = spatial::frame_with_z(-spatial::Vec3::UnitY());
  joint.X_PF = {axes, spatial::Vec3::Zero()};
  joint.X_BM = {axes, spatial::Vec3::Zero()};
  builder.add_joint(joint);
  return system::System({builder.build(), {}, {}, {}, {}, {}});
}

/// The masses and springs: rates 1 ... n of the whole problem, tridiagonal tangent.
class ChainBlock final : public TangentBlock {
 public:
  explicit ChainBlock(const ChainParameters& chain)
      : chain_(chain), J_(chain.masses, chain.masses) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < chain.masses; ++i) {
      for (int k = std::max(i - 1, 0); k <= std::min(i + 1, chain.masses - 1); ++k) {
        entries.emplace_back(i, k, 0.0);
      }
    }
    J_.setFromTriplets(entries.begin(), entries.end());
    ldlt_.analyzePattern(J_);
  }

  BlockUnknowns unknowns() const override { return {.first_rate = 1, .rates = chain_.masses}; }
  void assemble(const MotionPoint& /*point*/, const TangentWeights& weights,
                RowTangent& rows) override {
    const int n = chain_.masses;
    for (int i = 0; i < n; ++i) {
      const double springs = i + 1 < n ? 2.0 : 1.0;
      J_.coeffRef(i, i) =
          weights.acceleration * chain_.mass + weights.position * springs * chain_.stiffness;
      if (i > 0) J_.coeffRef(i, i - 1) = -weights.position * chain_.stiffness;
      if (i + 1 < n) J_.coeffRef(i, i + 1) = -weights.position * chain_.stiffness;
    }
    for (Eigen::Index k = 0; k < rows.A.rows(); ++k) {
      const double share = k == 0 ? 1.0 : 2.0;
      rows.A(k, n) = share;
      rows.rates(k, n) = share * weights.rate;
    }
  }
  bool factor() override {
    if (is_broken) return false;
    ldlt_.factorize(J_);
    return ldlt_.info() == Eigen::Success;
  }
  void solve(const Eigen::Ref<const spatial::MatX>& B, Eigen::Ref<spatial::MatX> X) const override {
    X = ldlt_.solve(B);
  }
  std::span<const double> saved() const override {
    return {J_.valuePtr(), static_cast<std::size_t>(J_.nonZeros())};
  }
  std::span<double> saved() override {
    return {J_.valuePtr(), static_cast<std::size_t>(J_.nonZeros())};
  }

  const Eigen::SparseMatrix<double>& J() const { return J_; }
  Eigen::Index factor_nonzeros() const { return ldlt_.matrixL().nestedExpression().nonZeros(); }

  bool is_broken = false;  ///< as if J were singular

 private:
  ChainParameters chain_;
  Eigen::SparseMatrix<double> J_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt_;
};

/// How the unknowns are handed over.
enum class Blocks { kTreeAndChain, kOneDense };

class PendulumOnChain final : public Problem, public SecondOrderProblem {
 public:
  /// `rows`: 1, or 2 with a second one that says the same twice.
  PendulumOnChain(const PendulumParameters& bob, const ChainParameters& chain, Blocks blocks,
                  int rows = 1)
      : bob_(bob),
        links_(chain),
        system_(pendulum(bob)),
        tree_(system_),
        n_{.positions = 1 + chain.masses, .rates = 1 + chain.masses, .rows = rows},
        pendulum_(*this),
        chain_(chain),
        whole_(*this) {
    if (blocks == Blocks::kOneDense) {
      blocks_ = {&whole_};
    } else {
      blocks_ = {&pendulum_, &chain_};
    }
    tree_x_ = spatial::VecX::Zero(system_.size());
    tree_rate_ = spatial::VecX::Zero(1);
    tree_residual_.r = spatial::VecX::Zero(1);
  }
  PendulumOnChain(const PendulumOnChain&) = delete;
  PendulumOnChain& operator=(const PendulumOnChain&) = delete;

  ChainBlock& chain() { return chain_; }

  /// At rest or moving with this angle and rate; the chain stretched evenly, its masses moving with
  /// it.
  std::vector<double> state(double angle, double rate) const {
    const int n = links_.masses;
    std::vector<double> x(static_cast<std::size_t>(2 * n_.rates));
    const double end = bob_.length * std::sin(angle);
    const double end_rate = bob_.length * std::cos(angle) * rate;
    x[0] = angle;
    x[static_cast<std::size_t>(n_.rates)] = rate;
    for (int i = 1; i <= n; ++i) {
      const double part = static_cast<double>(i) / n;
      x[static_cast<std::size_t>(i)] = links_.wall + part * (end - links_.wall);
      x[static_cast<std::size_t>(n_.rates + i)] = part * end_rate;
    }
    return x;
  }

  double energy(std::span<const double> x) const {
    const auto rates = x.subspan(static_cast<std::size_t>(n_.rates));
    const double L = bob_.length;
    double sum = 0.5 * bob_.mass * L * L * rates[0] * rates[0] +
                 bob_.mass * bob_.gravity * L * (1.0 - std::cos(x[0]));
    for (int i = 1; i <= links_.masses; ++i) {
      const double stretch = displacement(x, i) - displacement(x, i - 1);
      const double rate = rates[static_cast<std::size_t>(i)];
      sum += 0.5 * links_.stiffness * stretch * stretch + 0.5 * links_.mass * rate * rate;
    }
    return sum;
  }

  // Problem
  int size() const override { return 2 * n_.rates; }
  bool derivative(double, std::span<const double>, std::span<double>) override { return false; }
  bool semi_implicit_step(double, double, std::span<double>) override { return false; }
  SecondOrderProblem* second_order() override { return this; }

  // SecondOrderProblem
  SecondOrderSizes sizes() const override { return n_; }
  std::span<TangentBlock* const> blocks() override { return blocks_; }

  /// Free accelerations, then the force of the row that keeps its second derivative zero.
  bool start(double t, std::span<const double> x, std::span<double> u_rate,
             std::span<double> lambda) override {
    const int n = links_.masses;
    const double angle = x[0], rate = x[static_cast<std::size_t>(n_.rates)], L = bob_.length;
    if (!tree_.start(t, tree_state(x), view(tree_rate_), {})) return false;
    u_rate[0] = tree_rate_[0];
    for (int i = 1; i <= n; ++i) {
      u_rate[static_cast<std::size_t>(i)] = spring_force(x, i) / links_.mass;
    }
    const double row_angle = -L * std::cos(angle), inertia = bob_.mass * L * L;
    const auto end = static_cast<std::size_t>(n);
    const double left = u_rate[end] + row_angle * u_rate[0] + L * std::sin(angle) * rate * rate;
    std::fill(lambda.begin(), lambda.end(), 0.0);
    lambda[0] = -left / (1.0 / links_.mass + row_angle * row_angle / inertia);
    u_rate[0] += row_angle * lambda[0] / inertia;
    u_rate[end] += lambda[0] / links_.mass;
    return true;
  }

  bool residual(const MotionPoint& at, SecondOrderResidual& out) override {
    const int n = links_.masses;
    const double angle = at.x[0], L = bob_.length, force = force_of(at.lambda);
    if (!tree_.residual(tree_point(at), tree_residual_)) return false;
    out.r[0] = tree_residual_.r[0] + L * std::cos(angle) * force;
    for (int i = 1; i <= n; ++i) {
      out.r[i] = links_.mass * at.u_rate[static_cast<std::size_t>(i)] - spring_force(at.x, i);
    }
    out.r[n] -= force;
    const auto v = at.x.subspan(static_cast<std::size_t>(n_.rates));
    for (int k = 0; k < n_.rows; ++k) {
      const double share = k == 0 ? 1.0 : 2.0;
      out.rows[k] = share * (at.x[static_cast<std::size_t>(n)] - L * std::sin(angle));
      out.row_rates[k] = share * (v[static_cast<std::size_t>(n)] - L * std::cos(angle) * v[0]);
    }
    return out.r.allFinite();
  }

  /// On the end of the chain, N.
  static double force_of(std::span<const double> lambda) {
    return lambda[0] + (lambda.size() > 1 ? 2.0 * lambda[1] : 0.0);
  }

 private:
  // The tree's block with what the rows add to it.
  class PendulumBlock final : public TangentBlock {
   public:
    explicit PendulumBlock(PendulumOnChain& all) : all_(all) {}
    BlockUnknowns unknowns() const override { return {.rates = 1}; }
    void assemble(const MotionPoint& at, const TangentWeights& weights, RowTangent& rows) override {
      const double L = all_.bob_.length, angle = at.x[0];
      const double rate = at.x[static_cast<std::size_t>(all_.n_.rates)];
      all_.tree_.assemble(all_.tree_point(at), weights, no_rows_);
      all_.tree_.J(0, 0) -= force_of(at.lambda) * L * std::sin(angle) * weights.position;
      for (Eigen::Index k = 0; k < rows.A.rows(); ++k) {
        const double share = k == 0 ? 1.0 : 2.0;
        rows.A(k, 0) = -share * L * std::cos(angle);
        rows.rates(k, 0) =
            share * L *
            (weights.position * std::sin(angle) * rate - weights.rate * std::cos(angle));
      }
    }
    bool factor() override { return all_.tree_.factor(); }
    void solve(const Eigen::Ref<const spatial::MatX>& B,
               Eigen::Ref<spatial::MatX> X) const override {
      std::as_const(all_.tree_).solve(B, X);
    }
    std::span<const double> saved() const override { return std::as_const(all_.tree_).saved(); }
    std::span<double> saved() override { return all_.tree_.saved(); }

   private:
    PendulumOnChain& all_;
    RowTangent no_rows_{SecondOrderSizes{.rates = 1}};
  };

  // The same numbers as one dense matrix.
  class WholeBlock final : public DenseBlock {
   public:
    explicit WholeBlock(PendulumOnChain& all) : DenseBlock({.rates = all.n_.rates}), all_(all) {}
    void assemble(const MotionPoint& at, const TangentWeights& weights, RowTangent& rows) override {
      all_.pendulum_.assemble(at, weights, rows);
      all_.chain_.assemble(at, weights, rows);
      J.setZero();
      J(0, 0) = all_.tree_.J(0, 0);
      J.bottomRightCorner(all_.links_.masses, all_.links_.masses) = spatial::MatX(all_.chain_.J());
    }

   private:
    PendulumOnChain& all_;
  };

  double displacement(std::span<const double> x, int i) const {
    return i == 0 ? links_.wall : x[static_cast<std::size_t>(i)];
  }
  double spring_force(std::span<const double> x, int i) const {
    const double inner = displacement(x, i) - displacement(x, i - 1);
    const double outer = i < links_.masses ? displacement(x, i + 1) - displacement(x, i) : 0.0;
    return links_.stiffness * (outer - inner);
  }
  std::span<const double> tree_state(std::span<const double> x) {
    tree_x_[0] = x[0];
    tree_x_[1] = x[static_cast<std::size_t>(n_.rates)];
    return view(std::as_const(tree_x_));
  }
  MotionPoint tree_point(const MotionPoint& at) {
    tree_rate_[0] = at.u_rate[0];
    return {at.t, tree_state(at.x), view(std::as_const(tree_rate_)), {}};
  }

  PendulumParameters bob_;
  ChainParameters links_;
  system::System system_;
  TreeSecondOrder tree_;
  SecondOrderSizes n_;
  PendulumBlock pendulum_;
  ChainBlock chain_;
  WholeBlock whole_;
  std::vector<TangentBlock*> blocks_;
  spatial::VecX tree_x_, tree_rate_;
  SecondOrderResidual tree_residual_;
};

}  // namespace grapple::integrate::testing
