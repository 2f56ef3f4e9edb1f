// Feeds the measures of a run from its accepted steps. A step is followed in pieces no longer than
// the recording interval and in which no body turns by more than half a radian: error control does
// not shorten the steps of a steady rotation, but what is measured on it goes up and down. Only
// measured channels are evaluated, and the accelerations only where one of them needs forces.
#pragma once

#include <span>
#include <vector>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/record/measures.h"

namespace grapple::record {

class StepMeasures {
 public:
  /// `channels`: of the system, as recorded; `record_every` as in RunPlan.
  StepMeasures(const system::System& system, integrate::SystemProblem& problem,
               std::vector<MeasureSpec> specs, std::span<const std::size_t> channels,
               const std::vector<ChannelInfo>& infos, double record_every);

  void begin(double t, std::span<const double> x);
  void follow(double from, double to, integrate::Path& path);
  Measures& measures() { return measures_; }
  const Measures& measures() const { return measures_; }

 private:
  class Inside;
  enum class Need { kNothing, kKinematics, kForces };
  Need need() const;
  Need need_of(std::size_t measure) const;
  double rate_of_turn();
  void evaluate(Need need, double t, std::span<const double> x);
  void sample(Need need, double t, integrate::Path& path, std::vector<double>& values);
  double value(std::size_t measure) const;

  const system::System& system_;
  integrate::SystemProblem& problem_;
  Measures measures_;
  std::vector<system::Channel> channels_;  ///< per measure
  double record_every_;
  std::vector<double> x_, middle_, end_;
  std::vector<spatial::Vec3> omega_of_joints_;  ///< per link, without bending
  bool evaluable_ = false;
};

}  // namespace grapple::record
