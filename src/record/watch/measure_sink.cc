#include "grapple/record/watch/measure_sink.h"

#include "grapple/record/internal/step_measures.h"

namespace grapple::record {

namespace {

std::vector<ChannelInfo> channel_infos(const system::System& system) {
  std::vector<ChannelInfo> infos;
  for (const system::Channel& channel : system.channels()) {
    infos.push_back({channel.name, channel.unit, "", ""});
  }
  return infos;
}

}  // namespace

class MeasureSink::Implementation {
 public:
  Implementation(run::Session& session, const RunPlan& plan)
      : system_(session.system()),
        problem_(session.problem()),
        infos_(channel_infos(system_)),
        row_(infos_.size()) {
    for (const MeasureSpec& measure : plan.measures) {
      measured_.push_back(find_channel(infos_, measure.channel));
    }
    std::vector<std::size_t> all(infos_.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
    steps_ = std::make_unique<StepMeasures>(system_, problem_, plan.measures, all, infos_,
                                            plan.record_every);
  }

  // Only measured channels are evaluated.
  void row(double t, std::span<const double> x) {
    const system::Snapshot<double>& snapshot = problem_.evaluate(t, x);
    for (const std::size_t k : measured_) {
      row_[k] = system::channel_value(system_, system_.channels()[k], snapshot);
    }
    steps_->measures().row(t, row_);
  }

  StepMeasures& steps() { return *steps_; }
  const Measures& measures() const { return steps_->measures(); }

 private:
  const system::System& system_;
  integrate::SystemProblem& problem_;
  std::vector<ChannelInfo> infos_;
  std::vector<double> row_;
  std::vector<std::size_t> measured_;
  std::unique_ptr<StepMeasures> steps_;
};

MeasureSink::MeasureSink(run::Session& session, const RunPlan& plan)
    : implementation_(std::make_unique<Implementation>(session, plan)) {
  session.set_sink(*this);
}
MeasureSink::MeasureSink(run::Session& session, const RunPlan& plan, const MeasureSink& before)
    : MeasureSink(session, plan) {
  implementation_->steps().measures().restore(before.implementation_->measures().save());
}
MeasureSink::~MeasureSink() = default;

void MeasureSink::begins(double t, std::span<const double> x) {
  implementation_->steps().begin(t, x);
}
void MeasureSink::path(double from, double to, integrate::Path& path) {
  implementation_->steps().follow(from, to, path);
}
void MeasureSink::output(double t, std::span<const double> x) { implementation_->row(t, x); }
void MeasureSink::before_switch(double t, std::span<const double> x) { output(t, x); }
void MeasureSink::after_switch(const run::Fired& fired, std::span<const double> x, bool changed) {
  if (changed) output(fired.time, x);
}

std::vector<MeasureReport> MeasureSink::measures() const {
  return report(implementation_->measures());
}

}  // namespace grapple::record
