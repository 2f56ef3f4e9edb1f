#include "grapple/analysis/closed_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "grapple/analysis/internal/free_states.h"
#include "grapple/analysis/internal/independent.h"
#include "grapple/base/error.h"

namespace grapple::analysis {

namespace {

using spatial::MatX;
using spatial::VecX;
using system::System;

// Steps relative to the size of what is changed: a coarse one that is extrapolated, and smaller
// ones that must agree with it where a law is smooth on the coarse scale.
constexpr double kStep = 1e-3, kSmallStep = 1e-5, kSmallestStep = 1e-9, kShrink = 1e-2;
constexpr double kSmooth = 1e-4;  // relative agreement

struct Slope {
  VecX value;
  bool smooth = true;
};

// d f / d p at p, and whether the step sizes agree. f: double -> VecX.
template <class Function>
Slope slope(const Function& f, double p) {
  const double size = std::max(std::abs(p), 1.0);
  const double largest = f(p).cwiseAbs().maxCoeff();
  const auto central = [&](double h) -> VecX {
    const double up = p + h, down = p - h;  // the difference that the numbers really have
    return (f(up) - f(down)) / (up - down);
  };
  const auto agree = [&](const VecX& a, const VecX& b, double step) {
    const double rounding = 1e-14 * largest / (step * size);
    const double slopes = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
    return (a - b).cwiseAbs().maxCoeff() <= kSmooth * slopes + rounding;
  };
  const VecX coarse = central(kStep * size), half = central(0.5 * kStep * size);
  const VecX extrapolated = (4.0 * half - coarse) / 3.0;
  VecX local = central(kSmallStep * size);
  if (agree(extrapolated, local, kSmallStep)) return {extrapolated, true};
  for (double step = kSmallStep * kShrink; step > 0.5 * kSmallestStep; step *= kShrink) {
    const VecX smaller = central(step * size);
    if (agree(local, smaller, step)) return {local, false};
    local = smaller;
  }
  return {local, false};
}

// Puts the modes back when the analysis ends, however it ends.
class ModesKept {
 public:
  explicit ModesKept(System& system) : system_(system), modes_(system.modes()) {}
  ~ModesKept() { system_.set_modes(modes_); }
  ModesKept(const ModesKept&) = delete;
  ModesKept& operator=(const ModesKept&) = delete;
  const system::Modes& modes() const { return modes_; }

 private:
  System& system_;
  system::Modes modes_;
};

// Which states of the linear model are states of the loop: what follows forces, and the positions
// (and rates) of joints whose rate (acceleration) a signal gives. Others are where they are told
// to.
std::vector<int> loop_states(const System& system, const LinearModel& linear,
                             const system::Snapshot<double>& at) {
  std::vector<int> positions = free_coordinates(system, at.state), rates = positions;
  for (const system::JointMotion& motion : system.motions()) {
    const model::Link& link = system.model().link(motion.link);
    for (std::size_t k = 0; k < motion.functions.size(); ++k) {
      if (!motion.functions[k].is_held()) continue;
      const int coordinate = link.v_actuated() + static_cast<int>(k);
      positions.push_back(coordinate);
      if (motion.level == system::MotionLevel::kAcceleration) rates.push_back(coordinate);
    }
  }
  std::vector<int> kept;
  for (std::size_t k = 0; k < linear.states.size(); ++k) {
    const auto state = static_cast<int>(k);
    const bool internal = k >= linear.coordinates.size();  // z
    const auto& list = state < linear.positions ? positions : rates;
    if (internal || std::ranges::find(list, linear.coordinates[k]) != list.end()) {
      kept.push_back(state);
    }
  }
  return kept;
}

// Everything at the state as a function of signals and memories.
class Probe {
 public:
  Probe(System& system, double t, std::span<const double> x, const LinearModel& linear,
        std::vector<int> kept, std::vector<int> channels)
      : system_(system),
        t_(t),
        x_(x.begin(), x.end()),
        linear_(linear),
        kept_(std::move(kept)),
        channels_(std::move(channels)),
        kept_modes_(system),
        snapshot_(system),
        rate_(x.size()) {}

  const system::Modes& modes() const { return kept_modes_.modes(); }

  // [rates of the kept states | channels | rates of the loop rows] with one signal changed.
  VecX with_signal(std::size_t signal, double value) {
    system::Modes changed = modes();
    changed.signals[signal] = value;
    system_.set_modes(std::move(changed));
    return evaluated();
  }
  VecX with_memory(std::size_t place, double value) {
    system::Modes changed = modes();
    changed.blocks[place] = value;
    system_.set_modes(std::move(changed));
    return evaluated();
  }
  // The kept states just after a signal has changed to `value`.
  VecX after_change(std::size_t signal, double value) {
    system_.set_modes(modes());
    std::vector<double> x = x_;
    system_.set_signal(static_cast<int>(signal), value, t_, x);
    VecX out = VecX::Zero(static_cast<Eigen::Index>(kept_.size()));
    const model::Model& model = system_.model();
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      const int state = kept_[k];
      const auto known = static_cast<int>(linear_.coordinates.size());
      if (state < linear_.positions || state >= known) continue;  // impulses change rates alone
      const int coordinate = linear_.coordinates[static_cast<std::size_t>(state)];
      out[static_cast<Eigen::Index>(k)] = x[static_cast<std::size_t>(model.nq() + coordinate)];
    }
    return out;
  }
  VecX evaluated() {
    system_.evaluate<double>(t_, x_, snapshot_);
    system_.state_rate<double>(snapshot_, rate_);
    const auto n = static_cast<Eigen::Index>(kept_.size());
    const auto p = static_cast<Eigen::Index>(channels_.size());
    VecX out(n + p + snapshot_.constraints.rate.size());
    for (Eigen::Index k = 0; k < n; ++k) out[k] = rate_of(kept_[static_cast<std::size_t>(k)]);
    for (Eigen::Index k = 0; k < p; ++k) out[n + k] = channel(static_cast<std::size_t>(k));
    out.tail(snapshot_.constraints.rate.size()) = snapshot_.constraints.rate;
    return out;
  }
  double channel(std::size_t row) const {
    return system::channel_value<double>(
        system_, system_.channels()[static_cast<std::size_t>(channels_[row])], snapshot_);
  }

 private:
  double rate_of(int state) const {
    const model::Model& model = system_.model();
    const auto known = static_cast<int>(linear_.coordinates.size());
    const auto at = static_cast<std::size_t>(state);
    if (state < linear_.positions) return snapshot_.state.v[linear_.coordinates[at]];
    const int place = state < known ? linear_.coordinates[at] : model.nv() + state - known;
    return rate_[static_cast<std::size_t>(model.nq() + place)];
  }

  System& system_;
  double t_;
  std::vector<double> x_;
  const LinearModel& linear_;
  std::vector<int> kept_, channels_;
  ModesKept kept_modes_;
  system::Snapshot<double> snapshot_;
  std::vector<double> rate_;
};

void require_regular(const element::SampledBlock& block) {
  const auto& [period, offset, delay] = block.schedule();
  for (const std::int64_t k : {0, 1, 2, 3, 10, 100, 1000}) {
    const double time = offset + static_cast<double>(k) * period;
    if (std::abs(block.time_of(k) - time) <= 1e-9 * period) continue;
    throw Error("GR-617", fmt::format("block '{}'", block.name()),
                fmt::format("it does not sample with its period of {:g} s (sample {} is at {:g} "
                            "s): the loop is not periodic",
                            period, k, block.time_of(k)));
  }
}

// One block about its point.
class BlockProbe {
 public:
  BlockProbe(const element::SampledBlock& block, double t, VecX in, VecX memory, VecX out)
      : block_(block),
        t_(t),
        in_(std::move(in)),
        memory_(std::move(memory)),
        out_(std::move(out)) {}

  // d [out; memory]+ / d each of one of the three.
  MatX slopes(VecX BlockProbe::*varied, const char* what, std::vector<std::string>& warnings) {
    const Eigen::Index count = (this->*varied).size();
    MatX all(out_.size() + memory_.size(), count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const VecX before = this->*varied;
      const Slope found = slope(
          [&](double p) {
            (this->*varied)[k] = p;
            return updated();
          },
          before[k]);
      this->*varied = before;
      all.col(k) = found.value;
      if (!found.smooth) {
        warnings.push_back(fmt::format(
            "block '{}' has a corner, a limit or steps near this state ({} {}): it counts as it is "
            "there",
            block_.name(), what, k + 1));
      }
    }
    return all;
  }
  MatX by_input(std::vector<std::string>& w) { return slopes(&BlockProbe::in_, "input", w); }
  MatX by_memory(std::vector<std::string>& w) { return slopes(&BlockProbe::memory_, "memory", w); }
  MatX by_output(std::vector<std::string>& w) {
    return slopes(&BlockProbe::out_, "previous output", w);
  }

 private:
  VecX updated() const {
    VecX out = out_, memory = memory_;
    std::vector<element::Request> requests;
    const auto span = [](VecX& v) {
      return std::span<double>(v.data(), static_cast<std::size_t>(v.size()));
    };
    element::Sample sample{
        t_, {in_.data(), static_cast<std::size_t>(in_.size())}, span(out), span(memory), requests};
    block_.update(sample);
    VecX all(out.size() + memory.size());
    all << out, memory;
    return all;
  }

  const element::SampledBlock& block_;
  double t_;
  VecX in_, memory_, out_;
};

VecX picked(const std::vector<double>& numbers, std::size_t first, std::size_t count) {
  VecX out(static_cast<Eigen::Index>(count));
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), count, out.begin());
  return out;
}

// The channels asked for, then those that blocks read and that are not among them.
std::vector<int> all_channels(const System& system, const std::vector<int>& wanted) {
  std::vector<int> all = wanted;
  for (const auto& block : system.blocks()) {
    for (const std::string& name : block->reads()) {
      const int channel = system.find_channel(name);
      if (std::ranges::find(all, channel) == all.end()) all.push_back(channel);
    }
  }
  return all;
}

LinearBlock linear_block(const System& system, std::size_t b, double t, const system::Modes& modes,
                         const std::vector<int>& rows, const Probe& probe,
                         std::vector<std::string>& warnings) {
  const element::SampledBlock& block = *system.blocks()[b];
  require_regular(block);
  LinearBlock linear;
  linear.name = block.name();
  linear.schedule = block.schedule();
  std::vector<double> in, held;
  for (const std::string& name : block.reads()) {
    const auto row = std::ranges::find(rows, system.find_channel(name)) - rows.begin();
    linear.reads.push_back(static_cast<int>(row));
    in.push_back(probe.channel(static_cast<std::size_t>(row)));
  }
  for (const std::string& name : block.writes()) {
    linear.writes.push_back(system.find_signal(name));
    held.push_back(modes.signals[static_cast<std::size_t>(linear.writes.back())]);
  }
  const std::size_t memories = block.memory().size();
  BlockProbe at(block, t, picked(in, 0, in.size()),
                picked(modes.blocks, system.block_memory_start(b), memories),
                picked(held, 0, held.size()));
  const auto outs = static_cast<Eigen::Index>(held.size());
  const auto split = [&](const MatX& all, MatX& out, MatX& memory) {
    out = all.topRows(outs);
    memory = all.bottomRows(all.rows() - outs);
  };
  split(at.by_input(warnings), linear.out_in, linear.memory_in);
  split(at.by_memory(warnings), linear.out_memory, linear.memory_memory);
  split(at.by_output(warnings), linear.out_previous, linear.memory_previous);
  const bool reacts = !linear.out_in.isZero(0.0) || !linear.out_memory.isZero(0.0) ||
                      !linear.out_previous.isZero(0.0);
  if (!reacts && !linear.reads.empty() && outs > 0) {
    warnings.push_back(fmt::format(
        "block '{}' does not react to what it reads at this state: its output may be at its limit",
        block.name()));
  }
  return linear;
}

}  // namespace

HybridModel linearize_with_blocks(System& system, double t, std::span<const double> x,
                                  const std::vector<int>& channels,
                                  const std::vector<int>& efforts) {
  const std::vector<int> rows = all_channels(system, channels);
  const LinearModel linear = linearize(system, t, x, efforts, rows);
  system::Snapshot<double> at(system);
  system.evaluate<double>(t, x, at);
  const std::vector<int> kept = loop_states(system, linear, at);
  const auto n = static_cast<Eigen::Index>(kept.size());
  const auto p = static_cast<Eigen::Index>(rows.size());
  const auto signals = static_cast<Eigen::Index>(system.signals().size());
  const auto inputs = signals + static_cast<Eigen::Index>(efforts.size());
  HybridModel model;
  model.A = linear.A(kept, kept);
  model.C = linear.C(Eigen::all, kept);
  model.B = MatX::Zero(n, inputs);
  model.D = MatX::Zero(p, inputs);
  model.J = MatX::Zero(n, inputs);
  model.B.rightCols(inputs - signals) = linear.B(kept, Eigen::all);
  model.D.rightCols(inputs - signals) = linear.D;
  for (const int k : kept) model.states.push_back(linear.states[static_cast<std::size_t>(k)]);
  for (const element::Signal& signal : system.signals()) model.inputs.push_back(signal.name);
  model.inputs.insert(model.inputs.end(), linear.inputs.begin(), linear.inputs.end());
  model.channels = linear.outputs;

  Probe probe(system, t, x, linear, kept, rows);
  const auto note_corner = [&](const std::string& name) {
    model.warnings.push_back(
        fmt::format("what '{}' does has a corner near this state: it counts as it is there", name));
  };
  for (Eigen::Index k = 0; k < signals; ++k) {
    const auto signal = static_cast<std::size_t>(k);
    const double value = probe.modes().signals[signal];
    const Slope all = slope([&](double w) { return probe.with_signal(signal, w); }, value);
    const Slope jump = slope([&](double w) { return probe.after_change(signal, w); }, value);
    model.B.col(k) = all.value.head(n);
    model.D.col(k) = all.value.segment(n, p);
    model.J.col(k) = jump.value;
    if (!all.smooth || !jump.smooth) note_corner(system.signals()[signal].name);
    if (all.value.tail(all.value.size() - n - p).norm() > 0.0) {
      throw Error("GR-617", fmt::format("signal '{}'", system.signals()[signal].name),
                  "it leads a motion within a closed loop; such a loop is not linearised with its "
                  "controllers");
    }
  }
  std::vector<std::size_t> places;
  for (std::size_t b = 0; b < system.blocks().size(); ++b) {
    const std::vector<element::Output> names = system.blocks()[b]->memory();
    for (std::size_t k = 0; k < names.size(); ++k) {
      places.push_back(system.block_memory_start(b) + k);
      model.memories.push_back("block/" + system.blocks()[b]->name() + "/" + names[k].name);
    }
  }
  model.E = MatX::Zero(p, static_cast<Eigen::Index>(places.size()));
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Slope all = slope([&](double m) { return probe.with_memory(places[k], m); },
                            probe.modes().blocks[places[k]]);
    model.E.col(static_cast<Eigen::Index>(k)) = all.value.segment(n, p);
    if (!all.smooth) note_corner(model.memories[k]);
  }
  system.set_modes(probe.modes());
  probe.evaluated();
  int memory_start = 0;
  for (std::size_t b = 0; b < system.blocks().size(); ++b) {
    model.blocks.push_back(linear_block(system, b, t, probe.modes(), rows, probe, model.warnings));
    model.blocks.back().memory_start = memory_start;
    memory_start += static_cast<int>(system.blocks()[b]->memory().size());
  }
  return model;
}

}  // namespace grapple::analysis
