#include "grapple/record/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"
#include "grapple/base/error.h"

namespace grapple::record {

namespace {

bool looks_below(MeasureKind kind) {
  return kind == MeasureKind::kFirstBelow || kind == MeasureKind::kDurationBelow;
}

bool gives_seconds(MeasureKind kind) {
  return kind == MeasureKind::kFirstAbove || kind == MeasureKind::kFirstBelow ||
         kind == MeasureKind::kDurationAbove || kind == MeasureKind::kDurationBelow;
}

/// Part of the way from a to b where the line between them is zero; they have opposite signs.
double zero_fraction(double a, double b) { return a / (a - b); }

}  // namespace

Measure::Measure(MeasureKind kind, double level, double time)
    : kind_(kind), level_(level), wanted_time_(time) {}

void Measure::add(double time, double value) {
  if (std::isnan(value)) {
    has_previous_ = false;
    return;
  }
  // "Below" is "above" of the mirrored channel.
  const double excess = looks_below(kind_) ? level_ - value : value - level_;
  double kept = value;
  switch (kind_) {
    case MeasureKind::kMax:
    case MeasureKind::kMin:
      add_extreme(time, value);
      break;
    case MeasureKind::kFinal:
      result_ = {value, time, true};
      break;
    case MeasureKind::kAtTime:
      add_at_time(time, value);
      break;
    case MeasureKind::kFirstAbove:
    case MeasureKind::kFirstBelow:
      add_first(time, excess);
      kept = excess;
      break;
    case MeasureKind::kDurationAbove:
    case MeasureKind::kDurationBelow:
      add_duration(time, excess);
      kept = excess;
      break;
  }
  has_previous_ = true;
  previous_time_ = time;
  previous_value_ = kept;
}

void Measure::add_extreme(double time, double value) {
  const bool better = kind_ == MeasureKind::kMax ? value > result_.value : value < result_.value;
  if (!result_.found || better) result_ = {value, time, true};
}

void Measure::add_at_time(double time, double value) {
  if (result_.found) return;
  if (time == wanted_time_) {
    result_ = {value, time, true};
  } else if (has_previous_ && previous_time_ < wanted_time_ && wanted_time_ < time) {
    const double fraction = (wanted_time_ - previous_time_) / (time - previous_time_);
    result_ = {std::lerp(previous_value_, value, fraction), wanted_time_, true};
  }
}

void Measure::add_first(double time, double excess) {
  if (result_.found || !(excess > 0.0)) return;
  double crossing = time;
  if (has_previous_ && std::isfinite(previous_value_) && std::isfinite(excess)) {
    // The previous row was not above, or it would have been the first.
    crossing = std::lerp(previous_time_, time, zero_fraction(previous_value_, excess));
  }
  result_ = {crossing, crossing, true};
}

void Measure::add_duration(double time, double excess) {
  double gained = 0.0;
  if (has_previous_) {
    const double step = time - previous_time_;
    if (previous_value_ > 0.0 && excess > 0.0) {
      gained = step;
    } else if (previous_value_ > 0.0) {
      gained = step * zero_fraction(previous_value_, excess);
    } else if (excess > 0.0) {
      gained = step * zero_fraction(excess, previous_value_);
    }
  }
  // An infinite row has no line to its neighbour; its step counts for nothing.
  if (!std::isfinite(gained)) gained = 0.0;
  result_ = {result_.value + gained, time, true};
}

std::vector<double> Measure::save() const {
  return {result_.value,  result_.time,   result_.found ? 1.0 : 0.0, has_previous_ ? 1.0 : 0.0,
          previous_time_, previous_value_};
}

void Measure::restore(std::span<const double> state) {
  GRAPPLE_ASSERT(state.size() == kStateSize);
  result_ = {state[0], state[1], state[2] != 0.0};
  has_previous_ = state[3] != 0.0;
  previous_time_ = state[4];
  previous_value_ = state[5];
}

Measures::Measures(std::vector<MeasureSpec> specs, const std::vector<ChannelInfo>& channels)
    : specs_(std::move(specs)) {
  Diagnostics found;
  for (const MeasureSpec& spec : specs_) {
    try {
      const std::size_t channel = find_channel(channels, spec.channel);
      channels_.push_back(channel);
      units_.push_back(gives_seconds(spec.kind) ? "s" : channels[channel].unit);
      measures_.emplace_back(spec.kind, spec.level, spec.time);
    } catch (const Error& error) {
      found.add(error.id(), fmt::format("measure '{}'", spec.name),
                error.diagnostics().front().message);
    }
  }
  found.throw_if_any();
}

void Measures::add_row(double time, std::span<const double> row) {
  for (std::size_t i = 0; i < measures_.size(); ++i) measures_[i].add(time, row[channels_[i]]);
}

std::vector<double> Measures::save() const {
  std::vector<double> state;
  for (const Measure& measure : measures_) {
    const std::vector<double> part = measure.save();
    state.insert(state.end(), part.begin(), part.end());
  }
  return state;
}

void Measures::restore(std::span<const double> state) {
  if (state.size() != measures_.size() * Measure::kStateSize) {
    throw Error("GR-516", "checkpoint", "the saved measures are not those of this run");
  }
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    measures_[i].restore(state.subspan(i * Measure::kStateSize, Measure::kStateSize));
  }
}

}  // namespace grapple::record
