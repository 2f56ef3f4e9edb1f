// Measures: one number drawn from a channel while it is recorded, without keeping it. Between two
// recorded rows the channel is taken as linear, so a crossing of a level v* between rows (t0, v0)
// and (t1, v1) is at t0 + (t1 - t0) (v* - v0) / (v1 - v0): crossing times and durations are as
// exact as the recording is dense, while maximum and minimum are those of the recorded rows. Two
// rows at one time are a jump. A row that is NaN is skipped; it and its two neighbours span no
// line.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "grapple/record/channel_info.h"

namespace grapple::record {

enum class MeasureKind {
  kMax,            ///< value and first time of the largest row
  kMin,            ///< value and first time of the smallest row
  kFinal,          ///< value and time of the last row
  kAtTime,         ///< value at MeasureSpec::time; at a jump, the value before it
  kFirstAbove,     ///< value = time = when the channel first exceeds the level
  kFirstBelow,     ///< value = time = when the channel first falls below the level
  kDurationAbove,  ///< value = seconds above the level; time = time of the last row
  kDurationBelow,  ///< value = seconds below the level; time = time of the last row
};

struct MeasureSpec {
  std::string name;
  std::string channel;
  MeasureKind kind = MeasureKind::kFinal;
  double level = 0.0;  ///< of the first-above/below and duration kinds, in the channel's unit
  double time = 0.0;   ///< of kAtTime, s
};

struct MeasureResult {
  double value = 0.0;  ///< in the channel's unit, or s for times and durations
  double time = 0.0;   ///< s
  bool found = false;  ///< false: no row, level never passed, or time outside the run
};

/// One measure of one channel, fed row by row in time order.
class Measure {
 public:
  Measure(MeasureKind kind, double level, double time);

  void add(double time, double value);
  MeasureResult result() const { return result_; }

  /// The whole state, for a checkpoint; continuing from it gives the same bits.
  std::vector<double> save() const;
  static constexpr std::size_t kStateSize = 6;
  void restore(std::span<const double> state);

 private:
  void add_extreme(double time, double value);
  void add_at_time(double time, double value);
  void add_first(double time, double excess);
  void add_duration(double time, double excess);

  MeasureKind kind_;
  double level_;
  double wanted_time_;
  MeasureResult result_;
  bool has_previous_ = false;
  double previous_time_ = 0.0;
  double previous_value_ = 0.0;
};

/// All measures of a run over its rows.
class Measures {
 public:
  /// Throws GR-506 for every measure of a channel that does not exist.
  Measures(std::vector<MeasureSpec> specs, const std::vector<ChannelInfo>& channels);

  /// row: one value per channel. Allocates nothing.
  void add_row(double time, std::span<const double> row);
  const std::vector<MeasureSpec>& specs() const { return specs_; }
  /// Unit of each result: the channel's, or "s".
  const std::string& unit(std::size_t measure) const { return units_[measure]; }
  MeasureResult result(std::size_t measure) const { return measures_[measure].result(); }

  std::vector<double> save() const;
  /// GR-516 if the state is of another set of measures.
  void restore(std::span<const double> state);

 private:
  std::vector<MeasureSpec> specs_;
  std::vector<std::string> units_;
  std::vector<std::size_t> channels_;
  std::vector<Measure> measures_;
};

}  // namespace grapple::record
