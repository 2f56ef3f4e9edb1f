// A block that runs now and then, as a program on a computer does: it samples channels, thinks, and
// sets signals, which hold until it sets them again (zero-order hold). It runs in the driver,
// between two accepted steps, never inside the right-hand side: a step ends at each of its samples.
// Its samples are numbered from 0; sample k is taken at time_of(k), and what it writes acts from
// time_of(k) + delay on. What it remembers is kept with the modes: recorded, saved and restored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grapple/element/element.h"

namespace grapple::element {

/// A change of mode that a block asks for; done after all blocks of this moment have run.
struct Request {
  enum class Kind { kLock, kUnlock, kEnable, kDisable, kLatch, kRelease };
  Kind kind = Kind::kLock;
  std::string target;  ///< joint, element or loop
};

/// One sample of a block.
struct Sample {
  double t = 0.0;
  std::span<const double> in;  ///< the channels of reads(), as the last accepted step left them
  std::span<double> out;       ///< for the signals of writes(); begins as what was written last
  std::span<double> memory;
  std::vector<Request>& requests;
};

class SampledBlock {
 public:
  struct Schedule {
    double period = 0.0;  ///< s, > 0
    double offset = 0.0;  ///< s, of sample 0
    double delay = 0.0;   ///< s, from a sample to what it does
  };

  SampledBlock(std::string name, const Schedule& schedule)
      : name_(std::move(name)), schedule_(schedule) {}
  virtual ~SampledBlock() = default;
  SampledBlock(const SampledBlock&) = delete;
  SampledBlock& operator=(const SampledBlock&) = delete;

  const std::string& name() const { return name_; }
  const Schedule& schedule() const { return schedule_; }
  /// Grows with k by at least the period.
  virtual double time_of(std::int64_t k) const {
    return schedule_.offset + static_cast<double>(k) * schedule_.period;
  }

  virtual std::vector<std::string> reads() const = 0;   ///< channels
  virtual std::vector<std::string> writes() const = 0;  ///< signals
  /// Numbers it keeps from sample to sample; their names are channels "block/NAME/...".
  virtual std::vector<Output> memory() const { return {}; }
  virtual void start(std::span<double> /*memory*/) const {}
  /// Must not depend on anything but the sample, so that a restored run repeats it to the bit.
  virtual void update(Sample& sample) const = 0;

 private:
  std::string name_;
  Schedule schedule_;
};

}  // namespace grapple::element
