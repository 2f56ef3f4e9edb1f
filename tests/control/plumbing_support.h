// Scenarios from text, run by hand, for tests of sensors, blocks and actuators.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "grapple/base/error.h"
#include "grapple/scenario/simulation.h"

namespace grapple::control {

/// The text in a file of its own, gone with it.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text) {
    static int count = 0;
    path_ =
        std::filesystem::temp_directory_path() /
        ("grapple-control-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".yaml");
    std::ofstream(path_) << text;
  }
  ~ScenarioFile() { std::filesystem::remove(path_); }
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Simulation simulation_of(const std::string& text) {
  return Simulation(ScenarioFile(text).path());
}

/// The ids a scenario is refused with; "": none.
inline std::string refused_with(const std::string& text) {
  try {
    simulation_of(text);
  } catch (const Error& error) {
    std::string ids;
    for (const Diagnostic& found : error.diagnostics()) ids += (ids.empty() ? "" : " ") + found.id;
    return ids;
  }
  return "";
}

/// A wheel of 0.5 kg m^2 on an axle of the world; `axle`: more keys of the joint, `rest` of the
/// scenario.
inline std::string wheel(const std::string& axle, const std::string& rest) {
  return "grapple: 1\n"
         "bodies: [{name: wheel, mass: 1 kg, inertia: [0.5, 0.5, 0.5] kg*m^2}]\n"
         "joints: [{name: axle, type: revolute, parent: world, child: wheel, axis: z" +
         axle + "}]\n" + rest + "\nsimulate: {duration: 4000 s, tolerance: 1e-10}\n";
}

}  // namespace grapple::control
