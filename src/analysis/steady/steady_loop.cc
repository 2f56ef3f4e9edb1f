#include "grapple/analysis/steady/steady_loop.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "grapple/analysis/closed_loop.h"
#include "grapple/base/assert.h"
#include "grapple/dynamics/manifold.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;
using spatial::VecX;
using system::System;

constexpr double kSettled = 1e-10;
constexpr int kMostSteps = 60;

// What a block writes and remembers next, with its place.
struct Written {
  std::vector<int> signals;
  std::size_t memory_start = 0;
  std::vector<double> out, memory;
};

Written written_by(const System& system, std::size_t b, double t,
                   const system::Snapshot<double>& at) {
  const element::SampledBlock& block = *system.blocks()[b];
  const system::Modes& modes = system.modes();
  Written next;
  std::vector<double> in;
  for (const std::string& name : block.reads()) {
    const auto channel = static_cast<std::size_t>(system.find_channel(name));
    in.push_back(system::channel_value<double>(system, system.channels()[channel], at));
  }
  for (const std::string& name : block.writes()) {
    next.signals.push_back(system.find_signal(name));
    next.out.push_back(modes.signals[static_cast<std::size_t>(next.signals.back())]);
  }
  next.memory_start = system.block_memory_start(b);
  const auto first = modes.blocks.begin() + static_cast<std::ptrdiff_t>(next.memory_start);
  next.memory.assign(first, first + static_cast<std::ptrdiff_t>(block.memory().size()));
  std::vector<element::Request> requests;
  element::Sample sample{t, in, next.out, next.memory, requests};
  block.update(sample);
  return next;
}

// Numbers of one side of the steady equations: rates of the states, then what each block would
// change.
class SteadyEquations {
 public:
  SteadyEquations(System& system, double t, std::span<const double> x)
      : system_(system),
        t_(t),
        model_(linearize_with_blocks(system, t, x, {}, {})),
        names_(tangent_state_names(system)) {
    for (const LinearBlock& block : model_.blocks) {
      for (const int signal : block.writes) {
        if (std::ranges::find(written_, signal) == written_.end()) written_.push_back(signal);
      }
    }
    n_ = model_.A.rows();
    m_ = static_cast<Eigen::Index>(model_.memories.size());
    w_ = static_cast<Eigen::Index>(written_.size());
  }

  VecX residual(std::span<const double> x, double& acceleration) {
    system::Snapshot<double> at(system_);
    system_.evaluate<double>(t_, x, at);
    std::vector<double> rate(x.size());
    system_.state_rate<double>(at, rate);
    VecX all = VecX::Zero(n_ + m_ + w_);
    const int nq = system_.model().nq(), nv = system_.model().nv();
    acceleration = 0.0;
    for (Eigen::Index k = 0; k < n_; ++k) {
      const auto place = place_of(k);
      all[k] = place < nv ? at.state.v[place] : rate[static_cast<std::size_t>(nq + place - nv)];
      if (place >= nv && place < 2 * nv) acceleration = std::max(acceleration, std::abs(all[k]));
    }
    for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
      const Written next = written_by(system_, b, t_, at);
      for (std::size_t k = 0; k < next.out.size(); ++k) {
        all[n_ + m_ + row_of(next.signals[k])] =
            next.out[k] - system_.modes().signals[static_cast<std::size_t>(next.signals[k])];
      }
      for (std::size_t k = 0; k < next.memory.size(); ++k) {
        all[n_ + model_.blocks[b].memory_start + static_cast<Eigen::Index>(k)] =
            next.memory[k] - system_.modes().blocks[next.memory_start + k];
      }
    }
    return all;
  }

  MatX slopes() const {
    MatX J = MatX::Zero(n_ + m_ + w_, n_ + m_ + w_);
    MatX B(n_, w_), D(model_.C.rows(), w_);
    for (Eigen::Index k = 0; k < w_; ++k) {
      B.col(k) = model_.B.col(written_[static_cast<std::size_t>(k)]);
      D.col(k) = model_.D.col(written_[static_cast<std::size_t>(k)]);
    }
    J.topLeftCorner(n_, n_) = model_.A;
    J.topRightCorner(n_, w_) = B;
    MatX y(model_.C.rows(), n_ + m_ + w_);  // channels by all unknowns
    y << model_.C, model_.E, D;
    for (const LinearBlock& block : model_.blocks) {
      const MatX in = y(block.reads, Eigen::all);
      const Eigen::Index count = block.memory_memory.rows();
      MatX memory = block.memory_in * in, out = block.out_in * in;
      memory.middleCols(n_ + block.memory_start, count) += block.memory_memory;
      out.middleCols(n_ + block.memory_start, count) += block.out_memory;
      for (std::size_t k = 0; k < block.writes.size(); ++k) {
        const Eigen::Index column = n_ + m_ + row_of(block.writes[k]);
        memory.col(column) += block.memory_previous.col(static_cast<Eigen::Index>(k));
        out.col(column) += block.out_previous.col(static_cast<Eigen::Index>(k));
      }
      J.middleRows(n_ + block.memory_start, count) = memory;
      for (std::size_t k = 0; k < block.writes.size(); ++k) {
        J.row(n_ + m_ + row_of(block.writes[k])) = out.row(static_cast<Eigen::Index>(k));
      }
    }
    J.bottomRightCorner(m_ + w_, m_ + w_).diagonal().array() -= 1.0;
    // A number that nothing changes, such as an integral part without gain, stays as it starts.
    for (Eigen::Index k = n_; k < n_ + m_; ++k) {
      if (J.row(k).cwiseAbs().maxCoeff() < 1e-9) J(k, k) = 1.0;
    }
    return J;
  }

  // Moves positions and element states, memories and signals.
  void step(const VecX& by, VecX& x) {
    const model::Model& tree = system_.model();
    const int nq = tree.nq(), nv = tree.nv();
    VecX turn = VecX::Zero(nv), q = x.head(nq);
    for (Eigen::Index k = 0; k < n_; ++k) {
      const auto place = place_of(k);
      if (place < nv) {
        turn[place] = by[k];
      } else if (place >= 2 * nv) {
        x[nq + place - nv] += by[k];
      }
    }
    dynamics::move_positions(tree, turn, q);
    x.head(nq) = q;
    system::Modes modes = system_.modes();
    Eigen::Index at = n_;
    for (std::size_t b = 0; b < system_.blocks().size(); ++b) {
      const std::size_t start = system_.block_memory_start(b);
      for (std::size_t k = 0; k < system_.blocks()[b]->memory().size(); ++k) {
        modes.blocks[start + k] += by[at++];
      }
    }
    for (const int signal : written_) modes.signals[static_cast<std::size_t>(signal)] += by[at++];
    system_.set_modes(std::move(modes));
  }

 private:
  // Among [tangent | v | z].
  int place_of(Eigen::Index state) const {
    const auto found = std::ranges::find(names_, model_.states[static_cast<std::size_t>(state)]);
    GRAPPLE_ASSERT(found != names_.end());
    return static_cast<int>(found - names_.begin());
  }
  Eigen::Index row_of(int signal) const {
    return std::ranges::find(written_, signal) - written_.begin();
  }

  System& system_;
  double t_;
  HybridModel model_;
  std::vector<std::string> names_;
  std::vector<int> written_;
  Eigen::Index n_ = 0, m_ = 0, w_ = 0;
};

}  // namespace

bool hold_signals(System& system, double t, std::span<const double> x) {
  system::Snapshot<double> at(system);
  const std::size_t turns = 3 * system.blocks().size() + 2;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    bool changed = false;
    for (std::size_t b = 0; b < system.blocks().size(); ++b) {
      system.evaluate<double>(t, x, at);
      const Written next = written_by(system, b, t, at);
      system::Modes modes = system.modes();
      for (std::size_t k = 0; k < next.out.size(); ++k) {
        double& held = modes.signals[static_cast<std::size_t>(next.signals[k])];
        if (!std::isfinite(next.out[k])) continue;
        changed = changed || std::abs(next.out[k] - held) > kSettled * (1.0 + std::abs(held));
        held = next.out[k];
      }
      system.set_modes(std::move(modes));
    }
    if (!changed) return true;
  }
  return false;
}

SteadyLoop steady_loop(System& system, double t, std::span<const double> x) {
  SteadyLoop found;
  found.x = Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
  found.x.segment(system.model().nq(), system.model().nv()).setZero();
  if (!system.constraints().empty()) return found;
  hold_signals(system, t, {found.x.data(), x.size()});
  double first = -1.0;
  for (; found.iterations < kMostSteps; ++found.iterations) {
    SteadyEquations equations(system, t, {found.x.data(), x.size()});
    const VecX rest = equations.residual({found.x.data(), x.size()}, found.residual);
    if (!rest.allFinite()) return found;
    if (first < 0.0) first = std::max(found.residual, 1.0);
    const double left = rest.cwiseAbs().maxCoeff();
    if (found.residual <= kSettled * first && left <= 1e3 * kSettled * first) {
      found.converged = true;
      return found;
    }
    const VecX step = -equations.slopes().completeOrthogonalDecomposition().solve(rest);
    if (!step.allFinite()) return found;
    equations.step(step, found.x);
  }
  return found;
}

}  // namespace grapple::analysis
