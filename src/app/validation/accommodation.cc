// A box put into its worksite by an arm that yields to the force at its wrist.
#include <cmath>

#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

constexpr char kInsertion[] = "canadarm/insert-battery-box.yaml";
constexpr double kForceLimit = 190.0;  // N, that of the scenario, where the reason stands

double measure_of(const ExampleRun& run, const std::string& name) {
  for (const record::MeasureReport& measure : run.summary.measures) {
    if (measure.name == name && measure.result.found) return measure.result.value;
  }
  return std::nan("");
}

// The box is in its seat, the contact force stays below the limit, and is larger without yielding.
CaseReport inserted_box() {
  const ExampleRun yielding = run_example(kInsertion);
  const ExampleRun stiff = run_example(kInsertion, {"parameters.yielding=0"});
  const double peak = measure_of(yielding, "peak-force");
  CaseReport report;
  report.comparisons.push_back(
      balance(at_least("below the limit of 190 N by [N]", 0.0, kForceLimit - peak)));
  report.comparisons.push_back(
      balance({"box from its seat [mm]", 0.0, 1e3 * measure_of(yielding, "depth"), 2.0}));
  report.comparisons.push_back(self(
      at_least("peak force, stiff over yielding", 1.0, measure_of(stiff, "peak-force") / peak)));
  report.comparisons.push_back(energy_balance(yielding, 1e-3));
  report.seconds = yielding.summary.timing.wall_seconds + stiff.summary.timing.wall_seconds;
  return report;
}

}  // namespace

std::vector<ValidationCase> accommodation_cases() {
  return {{"canadarm-insertion", "limits of the task", inserted_box, CaseLength::kLong}};
}

}  // namespace grapple::app
