// Measures: one number drawn from a channel along the solution, whatever rows are recorded. A
// measure follows the channel piece by piece: its value at the beginning (where the run starts or a
// jump leaves it), in the middle and at the end of a piece of an accepted step. Between these it
// asks the channel itself, by the dense output of the step:
//   extremes   where a parabola through the three values has its vertex in the piece, by Brent's
//              method (bracketed_maximum.h), if they could beat the best so far
//   crossings  by root finding (bracketed_root.h), also where only the vertex passes the level
//   at         by one evaluation at that time
// A channel that turns more than twice between the values of one piece is not seen to do so. A jump
// has two values at one time. A value that is NaN breaks the line; what lies beside it counts
// alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "grapple/integrate/bracketed_maximum.h"
#include "grapple/record/channel_info.h"

namespace grapple::record {

enum class MeasureKind {
  kMax,            ///< value and first time of the largest value
  kMin,            ///< value and first time of the smallest value
  kFinal,          ///< value and time of the last row
  kAtTime,         ///< value at MeasureSpec::time; at a jump, the value before it
  kFirstAbove,     ///< value = time = when the channel first exceeds the level
  kFirstBelow,     ///< value = time = when the channel first falls below the level
  kDurationAbove,  ///< value = seconds above the level; time = where the solution ends
  kDurationBelow,  ///< value = seconds below the level; time = where the solution ends
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
  bool found = false;  ///< false: no value, level never passed, or time outside the run
};

/// A channel inside the piece under way; NaN where it cannot be evaluated.
class Curve {
 public:
  virtual ~Curve() = default;
  virtual double at(double t) = 0;
};

/// One measure of one channel, fed piece by piece in time order.
class Measure {
 public:
  using Point = integrate::CurvePoint;

  Measure(MeasureKind kind, double level, double time);

  /// Whether it needs the values of every piece from now on.
  bool follows() const;
  /// Whether it asks for the value at one time of the piece (from, to].
  bool asks(double from, double to) const;

  /// The channel starts with, or has jumped to, this value.
  void begin(const Point& start);
  /// It went on through `middle` to `end`.
  void follow(const Point& middle, const Point& end, Curve& curve);
  /// It went straight to `end`, as far as is known.
  void follow_chord(const Point& end, Curve& curve);
  /// asks() was true: the value there.
  void answer(Curve& curve);
  void row(double time, double value);
  MeasureResult result() const { return result_; }

  /// The whole state, for a checkpoint; continuing from it gives the same bits.
  std::vector<double> save() const;
  static constexpr std::size_t kStateSize = 6;
  void restore(std::span<const double> state);

 private:
  /// In the sense of the kind: what is looked for is the largest, or above zero.
  double height(double value) const;
  Point height(const Point& p) const { return {p.t, height(p.y)}; }
  void take(const Point& p);
  void follow_heights(const Point& middle, const Point& end, Curve& curve);
  void follow_extreme(const Point& middle, const Point& end, Curve& curve);
  void follow_first(const Point& middle, const Point& end, Curve& curve);
  void follow_duration(const Point& middle, const Point& end, Curve& curve);

  MeasureKind kind_;
  double level_;
  double wanted_time_;
  MeasureResult result_;
  bool has_last_ = false;
  Point last_;  ///< height at the end of the last piece
};

/// All measures of a run over the channels they name.
class Measures {
 public:
  /// Throws GR-506 for every measure of a channel that does not exist.
  Measures(std::vector<MeasureSpec> specs, const std::vector<ChannelInfo>& channels);

  std::size_t size() const { return specs_.size(); }
  Measure& operator[](std::size_t k) { return measures_[k]; }
  const Measure& operator[](std::size_t k) const { return measures_[k]; }
  /// Index of its channel among those given.
  std::size_t channel(std::size_t measure) const { return channels_[measure]; }
  /// A recorded row, one value per channel: what `final` takes.
  void row(double time, std::span<const double> values);

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

/// A measure by name, with what came of it.
struct MeasureReport {
  std::string name;
  std::string channel;
  std::string unit;
  MeasureResult result;
};
std::vector<MeasureReport> report(const Measures& measures);

}  // namespace grapple::record
