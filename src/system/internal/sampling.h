// The sampled blocks of a system: when they are due, and what they do. Their memory, the outputs on
// their way and the counters of samples are numbers in Modes::blocks.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grapple/base/time_resolution.h"
#include "grapple/element/sampled_block.h"
#include "grapple/system/channel.h"

namespace grapple::system {

class Sampling {
 public:
  using Blocks = std::vector<std::unique_ptr<element::SampledBlock>>;

  explicit Sampling(const Blocks& blocks) {
    for (const auto& block : blocks) plans_.push_back(plan_of(*block));
  }
  /// `channel` and `signal` give the place of a name, -1 if there is none: GR-950 then; `depth`
  /// what the number of a channel needs.
  template <class FindChannel, class DepthOf, class FindSignal>
  void connect(const Blocks& blocks, const FindChannel& channel, const DepthOf& depth,
               const FindSignal& signal) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (const std::string& name : blocks[b]->reads()) {
        plans_[b].reads.push_back(found(*blocks[b], "channel", name, channel(name)));
        plans_[b].depth = std::max(plans_[b].depth, depth(plans_[b].reads.back()));
      }
      for (const std::string& name : blocks[b]->writes()) {
        plans_[b].writes.push_back(found(*blocks[b], "signal", name, signal(name)));
      }
    }
  }

  /// Modes::blocks at the start of a run. `held`: the signals there.
  std::vector<double> initial(const Blocks& blocks, std::span<const double> held) const;
  /// Whether numbers from a checkpoint can be Modes::blocks.
  bool could_be(std::span<const double> numbers) const;
  /// Where a block's memory begins in Modes::blocks.
  std::size_t memory_start(std::size_t block) const { return plans_[block].start + kCounters; }

  /// The next sample, or the next moment at which a delayed output acts; infinite: none.
  double next(const Blocks& blocks, std::span<const double> numbers) const;

  /// Outputs that are due at t, or within round-off of it: calls set(signal, value).
  template <class Set>
  void apply_due(const Blocks& blocks, double t, std::span<double> numbers, const Set& set) const {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Plan& plan = plans_[b];
      double* const at = numbers.data() + plan.start;
      while (at[kApplied] < at[kTaken] && is_due(time_of_output(*blocks[b], at[kApplied]), t)) {
        const double* out = at + plan.slot(at[kApplied]);
        for (const int signal : plan.writes) set(signal, *out++);
        at[kApplied] += 1.0;
      }
    }
  }

  /// What the channels need that the blocks read whose samples are due at t; none is due: nothing.
  std::optional<Depth> depth_of_due(const Blocks& blocks, double t,
                                    std::span<const double> numbers) const {
    std::optional<Depth> deepest;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!is_due(time_of_sample(*blocks[b], numbers[plans_[b].start + kTaken]), t)) continue;
      deepest = std::max(deepest.value_or(Depth::kState), plans_[b].depth);
    }
    return deepest;
  }

  /// Runs the blocks whose samples are due; value(channel) reads the model.
  template <class Value>
  void take_due(const Blocks& blocks, double t, std::span<double> numbers, const Value& value,
                std::vector<element::Request>& requests) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!is_due(time_of_sample(*blocks[b], numbers[plans_[b].start + kTaken]), t)) continue;
      in_.clear();
      for (const int channel : plans_[b].reads) in_.push_back(value(channel));
      take(*blocks[b], plans_[b], t, numbers, requests);
    }
  }

 private:
  /// At the start of a block's numbers.
  enum Counter : std::size_t { kTaken, kApplied, kCounters };

  struct Plan {
    std::size_t start = 0, memory = 0, slots = 1, width = 0;
    std::vector<int> reads, writes;
    Depth depth = Depth::kState;  ///< of what it reads
    /// Where the outputs of a sample are kept.
    std::size_t slot(double sample) const {
      const auto turn = static_cast<std::size_t>(sample) % slots;
      return kCounters + memory + turn * width;
    }
    std::size_t size() const { return kCounters + memory + slots * width; }
  };

  Plan plan_of(const element::SampledBlock& block) const;
  static int found(const element::SampledBlock& block, const char* what, const std::string& name,
                   int place);
  static double time_of_sample(const element::SampledBlock& block, double sample);
  static double time_of_output(const element::SampledBlock& block, double sample);
  void take(const element::SampledBlock& block, const Plan& plan, double t,
            std::span<double> numbers, std::vector<element::Request>& requests);

  std::vector<Plan> plans_;
  std::vector<double> in_;
};

}  // namespace grapple::system
