#include "grapple/record/summary.h"

#include <cmath>
#include <limits>

#include "scratch_directory.h"

namespace grapple::record {
namespace {

RunSummary sample_summary() {
  RunSummary summary;
  summary.status = RunStatus::kStoppedByEvent;
  summary.cause = "payload caught";
  summary.scenario_name = "swing";
  summary.version = "0.1.0";
  summary.simulated_seconds = 12.5;
  summary.counts = {{"steps", 1000}, {"rejected", 3}};
  summary.energy = EnergyLedger{{{"kinetic", 1.5}, {"friction", -0.25}}, 1e-9, 10, 1e-10, 1e-8};
  summary.measures = {{"tip", "body/tip/x", "m", {0.125, 3.5, true}},
                      {"late", "body/tip/x", "s", {0.0, 0.0, false}}};
  summary.events = {{3.5, "contact begins", 1, 7}};
  summary.warnings = {"stiff"};
  summary.timing = {0.75, 0.5, 0.125, 16.5};
  return summary;
}

TEST(Summary, ReadsAsWritten) {
  EXPECT_EQ(summary_json(sample_summary()), R"({
  "status": "stopped by event",
  "cause": "payload caught",
  "scenario": "swing",
  "version": "0.1.0",
  "simulated_seconds": 12.5,
  "counts": {
    "steps": 1000,
    "rejected": 3
  },
  "energy": {
    "ledger": [
      {
        "name": "kinetic",
        "joule": 1.5
      },
      {
        "name": "friction",
        "joule": -0.25
      }
    ],
    "residual_joule": 1e-09,
    "moved_joule": 10,
    "relative_residual": 1e-10,
    "largest_relative_residual": 1e-08
  },
  "measures": [
    {
      "name": "tip",
      "channel": "body/tip/x",
      "unit": "m",
      "found": true,
      "value": 0.125,
      "time": 3.5
    },
    {
      "name": "late",
      "channel": "body/tip/x",
      "unit": "s",
      "found": false,
      "value": null,
      "time": null
    }
  ],
  "events": [
    {
      "time": 3.5,
      "name": "contact begins",
      "direction": 1
    }
  ],
  "warnings": [
    "stiff"
  ],
  "timing": {
    "wall_seconds": 0.75,
    "solver_seconds": 0.5,
    "recording_seconds": 0.125,
    "real_time_factor": 16.5
  }
}
)");
}

TEST(Summary, NumbersThatAreNotFiniteBecomeNullAndAWarning) {
  RunSummary summary = sample_summary();
  summary.energy->relative_residual = std::nan("");
  summary.counts[1].second = std::numeric_limits<double>::infinity();
  const std::string text = summary_json(summary);
  EXPECT_NE(text.find("\"relative_residual\": null"), std::string::npos);
  EXPECT_NE(text.find("\"rejected\": null"), std::string::npos);
  EXPECT_NE(text.find("\"rejected is not finite (inf)\""), std::string::npos);
  EXPECT_NE(text.find("\"relative energy residual is not finite (nan)\""), std::string::npos);
  EXPECT_NE(text.find("\"stiff\""), std::string::npos);
}

TEST(Summary, OnlyTimingDependsOnTheClock) {
  RunSummary slow = sample_summary();
  slow.timing = {1e9, 1e9, 1e9, std::numeric_limits<double>::infinity()};
  const std::string a = summary_json(sample_summary()), b = summary_json(slow);
  EXPECT_NE(a, b);
  EXPECT_EQ(a.substr(0, a.find("\"timing\"")), b.substr(0, b.find("\"timing\"")));
  EXPECT_NE(b.find("\"real_time_factor\": null"), std::string::npos);
}

TEST(Summary, InvalidTextAndAMissingLedgerAreStillJson) {
  RunSummary summary = sample_summary();
  summary.cause = "bad \xff byte";
  summary.energy.reset();
  const std::string text = summary_json(summary);
  EXPECT_NE(text.find("\"bad \xef\xbf\xbd byte\""), std::string::npos);
  EXPECT_NE(text.find("\"energy\": null"), std::string::npos);
}

TEST(Summary, IsWrittenWholeOrNotAtAll) {
  const ScratchDirectory scratch;
  write_summary(scratch.path(), sample_summary());
  EXPECT_EQ(bytes_of(scratch / "summary.json"), summary_json(sample_summary()));
  EXPECT_FALSE(std::filesystem::exists(scratch / "summary.json.tmp"));
  EXPECT_EQ(error_id([&] { write_summary(scratch / "missing", sample_summary()); }), "GR-511");
}

}  // namespace
}  // namespace grapple::record
