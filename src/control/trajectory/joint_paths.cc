#include "grapple/control/trajectory/joint_paths.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::control {

namespace {

// Limits that a reference touches are kept: what rounding adds is none of the user's.
constexpr double kWithinRounding = 1.0 + 1e-9;

void keep_between(double begin, double end, std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::erase_if(times, [&](double t) { return t < begin || t > end; });
}

class FunctionReference final : public JointReference {
 public:
  explicit FunctionReference(std::vector<Function> functions) : functions_(std::move(functions)) {}

  int size() const override { return static_cast<int>(functions_.size()); }
  void at(double t, std::span<Jet> wanted) const override {
    for (std::size_t j = 0; j < functions_.size(); ++j) wanted[j] = functions_[j].jet(t);
  }
  std::vector<double> breakpoints(double begin, double end) const override {
    std::vector<double> times;
    for (const Function& function : functions_) {
      const std::vector<double> own = function.breakpoints(begin, end);
      times.insert(times.end(), own.begin(), own.end());
    }
    keep_between(begin, end, times);
    return times;
  }

 private:
  std::vector<Function> functions_;
};

class SplineReference final : public JointReference {
 public:
  explicit SplineReference(std::vector<PolynomialPath> paths) : paths_(std::move(paths)) {}

  int size() const override { return static_cast<int>(paths_.size()); }
  void at(double t, std::span<Jet> wanted) const override {
    for (std::size_t j = 0; j < paths_.size(); ++j) wanted[j] = paths_[j].at(t);
  }
  std::vector<double> breakpoints(double begin, double end) const override {
    std::vector<double> times = paths_.front().knots();
    keep_between(begin, end, times);
    return times;
  }

 private:
  std::vector<PolynomialPath> paths_;
};

// From one point to the next.
struct Stage {
  double start = 0.0, duration = 0.0;
  std::vector<double> from, difference;
  std::vector<TimeLaw> laws;  ///< per joint, all of the stage's duration
};

class StageReference final : public JointReference {
 public:
  explicit StageReference(std::vector<Stage> stages) : stages_(std::move(stages)) {}

  int size() const override { return static_cast<int>(stages_.front().from.size()); }
  void at(double t, std::span<Jet> wanted) const override {
    const auto next = std::upper_bound(stages_.begin(), stages_.end(), t,
                                       [](double x, const Stage& s) { return x < s.start; });
    const Stage& stage = next == stages_.begin() ? stages_.front() : *(next - 1);
    for (std::size_t j = 0; j < stage.from.size(); ++j) {
      const Jet s = stage.laws[j].at(t - stage.start);
      const double way = stage.difference[j];
      wanted[j] = {stage.from[j] + way * s.value, way * s.rate, way * s.acceleration};
    }
  }
  std::vector<double> breakpoints(double begin, double end) const override {
    std::vector<double> times;
    for (const Stage& stage : stages_) {
      for (const TimeLaw& law : stage.laws) {
        for (const double t : law.switches()) times.push_back(stage.start + t);
      }
    }
    keep_between(begin, end, times);
    return times;
  }

 private:
  std::vector<Stage> stages_;
};

// Of one joint at all points.
std::vector<double> column(const ViaPoints& via, std::size_t joint) {
  std::vector<double> values;
  for (const auto& point : via.points) values.push_back(point[joint]);
  return values;
}

PolynomialPath spline_of(std::span<const double> times, std::span<const double> values,
                         SplineDegree degree, SplineEnds ends) {
  return degree == SplineDegree::kCubic ? PolynomialPath::cubic(times, values, ends)
                                        : PolynomialPath::quintic(times, values, ends);
}

// Distances in time between the points in the ratio of what each needs at least.
std::vector<double> spaced_times(const ViaPoints& via) {
  std::vector<double> times{0.0};
  for (std::size_t k = 0; k + 1 < via.points.size(); ++k) {
    double needed = 0.0;
    for (std::size_t j = 0; j < via.limits.size(); ++j) {
      const double way = std::abs(via.points[k + 1][j] - via.points[k][j]);
      const Limits& limits = via.limits[j];
      needed = std::max({needed, way / limits.rate, std::sqrt(way / limits.acceleration),
                         std::cbrt(way / limits.jerk)});
    }
    times.push_back(times.back() + needed);
  }
  // Equal points in a row need no time, but a spline needs some: a hundredth of all.
  const double least = times.back() > 0.0 ? 0.01 * times.back() : 1.0;
  std::vector<double> spaced{0.0};
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    spaced.push_back(spaced.back() + std::max(least, times[k + 1] - times[k]));
  }
  return spaced;
}

double stretch_within(const Limits& peaks, const Limits& limits) {
  return std::max({peaks.rate / limits.rate, std::sqrt(peaks.acceleration / limits.acceleration),
                   std::cbrt(peaks.jerk / limits.jerk)});
}

void note_faults(const Limits& peaks, const Limits& limits, std::size_t joint,
                 std::vector<LimitFault>& faults) {
  using Kind = LimitFault::Kind;
  const auto note = [&](Kind kind, double found, double allowed) {
    if (found > allowed * kWithinRounding) faults.push_back({kind, joint, 0, found, allowed});
  };
  note(Kind::kRate, peaks.rate, limits.rate);
  note(Kind::kAcceleration, peaks.acceleration, limits.acceleration);
  note(Kind::kJerk, peaks.jerk, limits.jerk);
}

// The limits of a law along the straight line between two points.
Limits along_path(const std::vector<double>& difference, const std::vector<Limits>& limits) {
  Limits unit;
  for (std::size_t j = 0; j < difference.size(); ++j) {
    const double way = std::abs(difference[j]);
    if (!(way > 0.0)) continue;
    unit.rate = std::min(unit.rate, limits[j].rate / way);
    unit.acceleration = std::min(unit.acceleration, limits[j].acceleration / way);
    unit.jerk = std::min(unit.jerk, limits[j].jerk / way);
  }
  return unit;
}

// The laws of a stage, of the given duration or the shortest.
void choose_laws(LawKind kind, Synchronisation synchronisation, const std::vector<Limits>& limits,
                 double given, Stage& stage) {
  const std::size_t joints = stage.from.size();
  double way = 1.0;
  const Limits unit = along_path(stage.difference, limits);
  stage.duration = 0.0;
  if (synchronisation == Synchronisation::kPath) {
    const bool moves = std::any_of(stage.difference.begin(), stage.difference.end(),
                                   [](double d) { return d != 0.0; });
    way = moves ? 1.0 : 0.0;
    stage.duration = shortest_law(kind, way, unit).duration;
  } else {
    for (std::size_t j = 0; j < joints; ++j) {
      const double own = std::abs(stage.difference[j]);
      stage.duration = std::max(stage.duration, shortest_law(kind, own, limits[j]).duration);
    }
  }
  const double needed = stage.duration;
  if (given > 0.0) stage.duration = given;
  for (std::size_t j = 0; j < joints; ++j) {
    const bool own = synchronisation == Synchronisation::kTime;
    stage.laws.push_back(
        own ? law_of_duration(kind, std::abs(stage.difference[j]), limits[j], stage.duration)
            : law_of_duration(kind, way, unit, stage.duration));
  }
  if (given > 0.0) stage.duration = needed;  // for the caller to compare
}

}  // namespace

std::shared_ptr<const JointReference> make_function_reference(std::vector<Function> functions) {
  GRAPPLE_ASSERT(!functions.empty());
  return std::make_shared<FunctionReference>(std::move(functions));
}

BuiltReference make_spline_reference(const ViaPoints& via, SplineDegree degree, SplineEnds ends) {
  const std::size_t joints = via.limits.size();
  std::vector<double> times = via.times.empty() ? spaced_times(via) : via.times;
  double stretch = 0.0;
  for (std::size_t j = 0; via.times.empty() && j < joints; ++j) {
    const Limits peaks = spline_of(times, column(via, j), degree, ends).peaks();
    stretch = std::max(stretch, stretch_within(peaks, via.limits[j]));
  }
  if (via.times.empty()) {
    if (!(stretch > 0.0)) stretch = 1.0;  // all points are equal
    for (double& t : times) t = via.start + stretch * t;
  }
  BuiltReference built;
  std::vector<PolynomialPath> paths;
  for (std::size_t j = 0; j < joints; ++j) {
    paths.push_back(spline_of(times, column(via, j), degree, ends));
    note_faults(paths.back().peaks(), via.limits[j], j, built.faults);
  }
  built.end = times.back();
  built.reference = std::make_shared<SplineReference>(std::move(paths));
  return built;
}

BuiltReference make_stage_reference(const ViaPoints& via, LawKind kind,
                                    Synchronisation synchronisation) {
  BuiltReference built;
  std::vector<Stage> stages;
  double now = via.times.empty() ? via.start : via.times.front();
  for (std::size_t k = 0; k + 1 < via.points.size(); ++k) {
    Stage stage;
    stage.start = now;
    stage.from = via.points[k];
    for (std::size_t j = 0; j < stage.from.size(); ++j) {
      stage.difference.push_back(via.points[k + 1][j] - via.points[k][j]);
    }
    const double given = via.times.empty() ? 0.0 : via.times[k + 1] - via.times[k];
    choose_laws(kind, synchronisation, via.limits, given, stage);
    if (given > 0.0 && stage.duration > given * kWithinRounding) {
      built.faults.push_back({LimitFault::Kind::kDuration, 0, k, stage.duration, given});
    }
    if (given > 0.0) stage.duration = given;
    now = given > 0.0 ? via.times[k + 1] : now + stage.duration;
    const bool takes_time = stage.duration > 0.0;
    // A motion between equal points takes no time; one stage remains so that it has a place.
    if (takes_time || (k + 2 == via.points.size() && stages.empty())) {
      stages.push_back(std::move(stage));
    }
  }
  built.end = now;
  built.reference = std::make_shared<StageReference>(std::move(stages));
  return built;
}

}  // namespace grapple::control
