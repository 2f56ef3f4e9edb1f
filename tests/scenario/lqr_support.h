// What the tests of `lqr` controllers share: scenarios, and the loops they close.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "grapple/analysis/loop_response.h"
#include "grapple/analysis/steady/steady_loop.h"
#include "grapple/scenario/simulation.h"
#include "scenario/build_support.h"

namespace grapple {

using analysis::HybridModel;
using spatial::MatX;
using spatial::VecX;
using Complex = std::complex<double>;
using scenario::refusal;

inline std::string example(const std::string& name) {
  return std::string(GRAPPLE_SOURCE_DIR) + "/examples/control/" + name + ".yaml";
}

inline std::string text_of(const std::string& file, const std::string& from = "",
                           const std::string& to = "") {
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (from.empty()) return text;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class Lqr : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = std::filesystem::temp_directory_path() /
            ("grapple-lqr-" + std::string(test->name()) + ".yaml");
    std::ofstream(file_) << text;
    return file_;
  }
  ~Lqr() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_;
};

// The model with its controllers about what they hold at the start.
inline HybridModel held_model(const std::string& text) {
  const scenario::Simulation built = scenario::built(text);
  const VecX x = built.system->initial_state();
  const std::span<const double> at{x.data(), static_cast<std::size_t>(x.size())};
  EXPECT_TRUE(analysis::hold_signals(*built.system, 0.0, at));
  return analysis::linearize_with_blocks(*built.system, 0.0, at, {}, {});
}

inline const analysis::LinearBlock& block_of(const HybridModel& model, const std::string& name) {
  return *std::ranges::find(model.blocks, name, &analysis::LinearBlock::name);
}

inline std::vector<Complex> poles_of(const HybridModel& model) {
  std::vector<Complex> all;
  for (const auto& pole : analysis::loop_poles(analysis::closed_loop(model)).poles) {
    all.push_back(pole.z);
  }
  return all;
}

// Takes the nearest of `from` for each of `some` out of it; the largest distance.
inline double take_out(const std::vector<Complex>& some, std::vector<Complex>& from) {
  double worst = 0.0;
  for (const Complex z : some) {
    const auto nearest =
        std::ranges::min_element(from, {}, [&](Complex other) { return std::abs(other - z); });
    if (nearest == from.end()) return 1e9;
    worst = std::max(worst, std::abs(*nearest - z));
    from.erase(nearest);
  }
  return worst;
}

// A rigid joint with the inertia 0.5 kg m^2.
inline std::string rigid_joint(const std::string& controller, const std::string& sensors = "") {
  return R"(grapple: 1
bodies:
  - {name: arm, mass: 2 kg, inertia: [0.5, 0.5, 0.5] kg*m^2}
joints:
  - {name: axle, type: revolute, axis: z, parent: world, child: arm}
)" + sensors +
         "controllers:\n  - {name: law, type: lqr, joints: [axle], " + controller + "}\n";
}

}  // namespace grapple
