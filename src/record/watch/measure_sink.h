// The measures of a session that is watched but not recorded, so that its score can be shown while
// it runs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "grapple/record/run.h"
#include "grapple/run/session.h"

namespace grapple::record {

class MeasureSink final : public run::Sink {
 public:
  /// Becomes the sink of a session that has not started. Session and plan must outlive it.
  MeasureSink(run::Session& session, const RunPlan& plan);
  /// Goes on with what another one has measured, when a system of the same structure takes the
  /// place of the one before.
  MeasureSink(run::Session& session, const RunPlan& plan, const MeasureSink& before);
  ~MeasureSink() override;

  void begins(double t, std::span<const double> x) override;
  void path(double from, double to, integrate::Path& path) override;
  void output(double t, std::span<const double> x) override;
  void before_switch(double t, std::span<const double> x) override;
  void after_switch(const run::Fired& fired, std::span<const double> x, bool changed) override;

  std::vector<MeasureReport> measures() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace grapple::record
