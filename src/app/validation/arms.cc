// The arms that the controllers of King (1988) and Kim (2000) lead: frequencies of their links with
// one assumed mode, and torques that hold them. The values are from independent calculations with
// the data of the sources (the printed frequencies of King's arm do not follow from its data).
#include <chrono>
#include <numbers>

#include "grapple/app/validation/suite.h"

namespace grapple::app {

namespace {

using Settings = std::vector<std::string>;

constexpr const char* kLocked = "=[{at: 0 s, state: locked}]";
constexpr const char* kKingArm = "king/three-link-arm.yaml";

std::string locked(const std::string& joint) { return "joints." + joint + ".lock" + kLocked; }

std::string rigid(const std::string& body, const std::string& radius) {
  return "bodies." + body +
         ".beam={length: 1.22 m, method: rigid, mass_per_length: \"${density*pi*" + radius +
         "^2} kg/m\"}";
}

std::string one_mode(const std::string& body, const std::string& radius) {
  return "bodies." + body +
         ".beam={length: 1.22 m, stiffening: off, modes: {bending_z: 1}, motions: " +
         "[bending_z], mass_per_length: \"${density*pi*" + radius +
         "^2} kg/m\", EI: \"${young*pi/4*" + radius + "^4} N*m^2\"}";
}

// Table 4.1 with E = 69 GPa: one link bends, all beyond it is rigid, joints are held. The table
// rounds the masses of the links, which here follow from density and radius, by up to 1 %.
CaseReport king_frequencies() {
  const auto start = std::chrono::steady_clock::now();
  const Settings held{locked("waist"), locked("shoulder"), locked("elbow")};
  const auto with = [&held](Settings more) {
    more.insert(more.end(), held.begin(), held.end());
    return more;
  };
  CaseReport report;
  const struct {
    const char* elbow;
    double hz;
  } postures[] = {{"0 deg", 2.41}, {"45 deg", 2.58}, {"90 deg", 3.21}};
  for (const auto& [elbow, hz] : postures) {
    const Settings settings = with({one_mode("upper", "radius2"), rigid("fore", "radius3"),
                                    std::string("parameters.q3=") + elbow});
    report.comparisons.push_back({std::string("link 2, elbow at ") + elbow + " [Hz]", hz,
                                  frequencies_hz(kKingArm, settings).front(), 0.01 * hz});
  }
  const Settings outer = with({rigid("upper", "radius2"), one_mode("fore", "radius3")});
  report.comparisons.push_back(
      {"link 3 [Hz]", 4.50, frequencies_hz(kKingArm, outer).front(), 0.01 * 4.50});
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// Outstretched horizontally, all joints held.
CaseReport king_static_torques() {
  const Settings held{locked("waist"), locked("shoulder"), locked("elbow"),
                      "simulate.duration=1 ms"};
  CaseReport report;
  const struct {
    const char* what;
    const char* radius2;
    const char* radius3;
    double shoulder, elbow;
  } arms[] = {{"light arm", "0.010", "0.008", 26.0, 7.7},
              {"rigid arm", "0.05", "0.05", 645.0, 163.0}};
  for (const auto& arm : arms) {
    Settings settings{std::string("parameters.radius2=") + arm.radius2,
                      std::string("parameters.radius3=") + arm.radius3, rigid("upper", "radius2"),
                      rigid("fore", "radius3")};
    settings.insert(settings.end(), held.begin(), held.end());
    const ExampleRun run = run_example(kKingArm, settings);
    report.comparisons.push_back({std::string(arm.what) + ", shoulder [N*m]", arm.shoulder,
                                  run.largest("joint/shoulder/effort"), 0.01 * arm.shoulder});
    report.comparisons.push_back({std::string(arm.what) + ", elbow [N*m]", arm.elbow,
                                  run.largest("joint/elbow/effort"), 0.01 * arm.elbow});
    report.seconds += run.summary.timing.wall_seconds;
  }
  return report;
}

// Joints free, the spacecraft turns about its centre, one mode per link: impact pose, and final
// pose of the control experiment. The payload is away. Of the second frequencies (21.6 and 20.6
// rad/s) see docs/validation.md.
CaseReport kim_frequencies() {
  const auto start = std::chrono::steady_clock::now();
  const struct {
    const char* what;
    const char *shoulder, *elbow;
    double first;
  } poses[] = {{"impact", "67.3 deg", "45.4 deg", 15.87}, {"control", "29 deg", "116 deg", 15.7}};
  CaseReport report;
  for (const auto& pose : poses) {
    const std::vector<double> found = frequencies_hz(
        "kim/composite-control.yaml", {std::string("joints.shoulder.angle=") + pose.shoulder,
                                       std::string("joints.elbow.angle=") + pose.elbow,
                                       "joints.drift.parent=world at [1, 60, 0] m"});
    report.comparisons.push_back({std::string(pose.what) + " pose, lowest [rad/s]", pose.first,
                                  2.0 * std::numbers::pi * found.front(), 0.005 * pose.first});
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

std::vector<ValidationCase> arm_cases() {
  return {
      {"king-arm-frequencies", "King 1988, Table 4.1, calculated independently", king_frequencies},
      {"king-static-torques", "King 1988, Table 4.1, calculated independently",
       king_static_torques},
      {"kim-arm-frequencies", "Kim 2000, 6.3 and 6.5, calculated independently", kim_frequencies}};
}

}  // namespace grapple::app
