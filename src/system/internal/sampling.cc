#include "grapple/system/internal/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "grapple/base/error.h"

namespace grapple::system {

Sampling::Plan Sampling::plan_of(const element::SampledBlock& block) const {
  Plan plan;
  if (!plans_.empty()) plan.start = plans_.back().start + plans_.back().size();
  plan.memory = block.memory().size();
  plan.width = block.writes().size();
  // Outputs on their way at once, the one just written included.
  plan.slots = 2 + static_cast<std::size_t>(block.schedule().delay / block.schedule().period);
  return plan;
}

int Sampling::found(const element::SampledBlock& block, const char* what, const std::string& name,
                    int place) {
  if (place >= 0) return place;
  throw Error("GR-950", fmt::format("block '{}'", block.name()),
              fmt::format("there is no {} '{}'", what, name));
}

std::vector<double> Sampling::initial(const Blocks& blocks, std::span<const double> held) const {
  std::vector<double> numbers;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Plan& plan = plans_[b];
    numbers.resize(plan.start + plan.size(), 0.0);
    blocks[b]->start(std::span(numbers).subspan(plan.start + kCounters, plan.memory));
    // A block's first sample sees what its signals hold.
    double* out = numbers.data() + plan.start + plan.size() - plan.writes.size();
    for (const int signal : plan.writes) *out++ = held[static_cast<std::size_t>(signal)];
  }
  return numbers;
}

bool Sampling::could_be(std::span<const double> numbers) const {
  const std::size_t size = plans_.empty() ? 0 : plans_.back().start + plans_.back().size();
  if (numbers.size() != size) return false;
  return std::ranges::all_of(plans_, [&](const Plan& plan) {
    constexpr double kMost = 1e15;  // whole numbers beyond are not all doubles
    const double taken = numbers[plan.start + kTaken], applied = numbers[plan.start + kApplied];
    return taken >= 0.0 && taken <= kMost && taken == std::floor(taken) && applied >= 0.0 &&
           applied == std::floor(applied) && applied <= taken &&
           taken - applied <= static_cast<double>(plan.slots);
  });
}

double Sampling::time_of_sample(const element::SampledBlock& block, double sample) {
  return block.time_of(static_cast<std::int64_t>(sample));
}
double Sampling::time_of_output(const element::SampledBlock& block, double sample) {
  return time_of_sample(block, sample) + block.schedule().delay;
}

double Sampling::next(const Blocks& blocks, std::span<const double> numbers) const {
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const double* const at = numbers.data() + plans_[b].start;
    next = std::min(next, time_of_sample(*blocks[b], at[kTaken]));
    if (at[kApplied] < at[kTaken]) next = std::min(next, time_of_output(*blocks[b], at[kApplied]));
  }
  return next;
}

void Sampling::take(const element::SampledBlock& block, const Plan& plan, double t,
                    std::span<double> numbers, std::vector<element::Request>& requests) {
  double* const at = numbers.data() + plan.start;
  const double sample = at[kTaken];
  const std::span<double> out(at + plan.slot(sample), plan.writes.size());
  const double last = sample > 0.0 ? sample - 1.0 : static_cast<double>(plan.slots - 1);
  std::copy_n(at + plan.slot(last), out.size(), out.begin());
  element::Sample seen{t, in_, out, {at + kCounters, plan.memory}, requests};
  block.update(seen);
  for (const double value : out) {
    if (std::isfinite(value)) continue;
    throw Error("GR-951", fmt::format("block '{}'", block.name()),
                fmt::format("it wrote a value that is not finite at {:.6g} s", t));
  }
  at[kTaken] = sample + 1.0;
}

}  // namespace grapple::system
