// Controllers of the sources: King (1988), experiments E and F; Kim (2000), 6.5; Chen (1999),
// Fig. 5-5.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

// Decoupled joints follow q0 + 10 deg (1 - (1 + 10 t) exp(-10 t)): a double pole at -10 1/s. What
// is left is the hold of the efforts, of second order in the period.
CaseReport decoupled_joints() {
  const ExampleRun run = run_example("king/E-decoupling.yaml", {"simulate.duration=1 s"});
  const std::vector<double> times = run.results.time();
  const struct {
    const char* joint;
    double start_deg;
  } joints[] = {{"waist", 0.0}, {"shoulder", -20.0}, {"elbow", 40.0}};
  CaseReport report;
  for (const auto& [joint, start_deg] : joints) {
    const std::vector<double> angle =
        run.results.channel(std::string("joint/") + joint + "/position");
    double worst = 0.0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double ideal =
          start_deg + 10.0 * (1.0 - (1.0 + 10.0 * times[k]) * std::exp(-10.0 * times[k]));
      worst = std::max(worst, std::abs(angle[k] * 180.0 / std::numbers::pi - ideal));
    }
    report.comparisons.push_back(
        {std::string(joint) + ", largest distance from the ideal [deg]", 0.0, worst, 0.2});
  }
  report.comparisons.push_back(energy_balance(run, 1e-7));
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

// "At least five times smaller": of the torques of the slew of experiment F.
CaseReport pseudolink_torques() {
  const ExampleRun light = run_example("king/F-pseudolink.yaml"),
                   rigid = run_example("king/F-rigid-arm.yaml");
  CaseReport report;
  for (const char* joint : {"shoulder", "elbow"}) {
    const std::string channel = std::string("controller/tip/") + joint + "/effort";
    report.comparisons.push_back(at_least(std::string(joint) + ", rigid arm over flexible", 5.0,
                                          rigid.largest(channel) / light.largest(channel)));
  }
  double worst = 0.0;
  for (const char* joint : {"waist", "shoulder", "elbow"}) {
    worst = std::max(worst, light.largest(std::string("block/tip/") + joint + "/error"));
  }
  report.comparisons.push_back(
      {"pseudolinks, largest error [deg]", 0.0, worst * 180.0 / std::numbers::pi, 0.5});
  report.seconds = light.summary.timing.wall_seconds + rigid.summary.timing.wall_seconds;
  return report;
}

// Force after the correction, sense of the payload's turn, and which link keeps more deflection.
CaseReport pressed_payload() {
  const ExampleRun run = run_example("kim/composite-control.yaml");
  const double bend1 = std::abs(run.final_value("frame/link1/tip/deflection_y")),
               bend2 = std::abs(run.final_value("frame/link2/tip/deflection_y"));
  CaseReport report;
  report.comparisons.push_back(
      {"force at the end [N]", 15.0, run.final_value("contact/touch/normal_force"), 0.15});
  report.comparisons.push_back(at_least("payload turns counter-clockwise [rad]", 0.0,
                                        run.final_value("joint/drift/position_angle")));
  report.comparisons.push_back(at_least("deflection of link 2 over link 1", 1.0, bend2 / bend1));
  report.comparisons.push_back(energy_balance(run, 1e-7));
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

CaseReport held_platform() {
  const ExampleRun run = run_example("chen/hold-horizontal.yaml");
  CaseReport report;
  report.comparisons.push_back({"platform torque, peak [N*m]", 1.28,
                                run.largest("controller/hold/platform/torque_z"), 0.03 * 1.28});
  report.comparisons.push_back({"joint torque, peak [N*m]", 0.157,
                                run.largest("controller/hold/slew/effort"), 0.03 * 0.157});
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

// The mission ends with the satellite held and the hand within 1 mm of its last place 40 s later.
CaseReport captured_satellite() {
  const ExampleRun run = run_example("canadarm/capture.yaml");
  const double snared = run.event_time("snared");
  const std::vector<double> times = run.results.time();
  double away = 0.0;
  std::vector<double> square(times.size(), 0.0);
  for (const char* axis : {"x", "y", "z"}) {
    const std::vector<double> place = run.results.channel(std::string("reach/position_") + axis);
    for (std::size_t k = 0; k < times.size(); ++k) {
      square[k] += (place[k] - place.back()) * (place[k] - place.back());
      if (times[k] > snared + 40.0) away = std::max(away, std::sqrt(square[k]));
    }
  }
  CaseReport report;
  report.comparisons.push_back({"satellite held", 1.0, run.final_value("loop/hold/latched"), 0.0});
  report.comparisons.push_back(
      balance({"hand from its last place, 40 s after [mm]", 0.0, 1e3 * away, 1.0}));
  report.comparisons.push_back(energy_balance(run, 1e-4));
  report.seconds = run.summary.timing.wall_seconds;
  return report;
}

}  // namespace

std::vector<ValidationCase> control_cases() {
  return {{"king-decoupled-joints", "King 1988, 4.4: double pole at -10 1/s", decoupled_joints},
          {"king-pseudolink-torques", "King 1988, 4.8", pseudolink_torques},
          {"kim-pressed-payload", "Kim 2000, 6.5", pressed_payload},
          {"chen-held-platform", "Chen 1999, Fig. 5-5, independent prototype", held_platform},
          {"canadarm-capture", "limits of the mission", captured_satellite, CaseLength::kLong}};
}

}  // namespace grapple::app
