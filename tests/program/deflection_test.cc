// Flexible bodies that bend: right on a free hinge, where clamped shapes leave little inertia of
// their own, and a word in the summary where their shapes or their data end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "grapple/record/results_file.h"
#include "program/support.h"

namespace grapple::program {
namespace {

// Clamped modes on a hinge that turns freely; `amplitude` of the first, whose tip value is 2.
std::string hinged_beam(int modes, double amplitude, double duration) {
  std::string amplitudes = fmt::format("{:g}", amplitude);
  for (int k = 1; k < modes; ++k) amplitudes += ", 0";
  return fmt::format(R"(grapple: 1
name: hinge
bodies:
  - name: boom
    beam: {{length: 2 m, mass_per_length: 1 kg/m, EI: 100 N*m^2, modes: {{bending_y: {}}}}}
    modal_amplitudes: [{}]
joints:
  - {{name: pin, type: revolute, axis: z, parent: world, child: boom}}
simulate: {{duration: {:g} s, tolerance: 1e-8, record: {{every: 5 ms}}}}
)",
                     modes, amplitudes, duration);
}

// Largest difference of the hinge's angle from that of the small motion, enlarged.
double nonlinearity(const Scratch& scratch, int modes, double amplitude) {
  constexpr double kSmall = 1e-4;
  const auto angle = [&](double a) {
    return results_of(scratch, hinged_beam(modes, a, 1.0)).channel("joint/pin/position");
  };
  const std::vector<double> large = angle(amplitude), small = angle(kSmall);
  EXPECT_EQ(large.size(), small.size());
  double off = 0.0, size = 0.0;
  for (std::size_t i = 0; i < small.size(); ++i) {
    off = std::max(off, std::abs(large[i] / amplitude - small[i] / kSmall));
    size = std::max(size, std::abs(small[i] / kSmall));
  }
  return off / size;
}

// The frequency of the small motion is that of the pinned-free beam (6.13 Hz). At a tip slope s of
// 0.07 what is not linear shifts it by s^2/4 or so, 0.1 %, which six periods turn into some
// hundredths of the motion, and four times less at half the slope. Inertia truncated at second
// order gave 6.54 Hz, and an angle after six periods that had nothing to do with the linear one.
TEST(HingedBeam, LeavesTheLinearMotionWithTheSquareOfItsSlope) {
  const Scratch scratch;
  for (const int modes : {3, 4}) {
    const double whole = nonlinearity(scratch, modes, 0.05);
    EXPECT_LT(whole, 0.08) << modes;
    EXPECT_NEAR(whole / nonlinearity(scratch, modes, 0.025), 4.0, 0.4) << modes;
  }
}

// Truncated inertia refused these starts: 12, 6.6 and 3.8 cm were the largest for 4, 6 and 8 modes.
TEST(HingedBeam, StartsBentFurtherThanBefore) {
  const Scratch scratch;
  for (const int modes : {4, 6, 8}) {
    const std::string file = scratch.file("hinge.yaml", hinged_beam(modes, 0.1, 0.01));
    const Outcome outcome = grapple({"run", file, "--out", (scratch / "out").string()});
    EXPECT_EQ(outcome.exit_code, 0) << modes << ": " << outcome.err;
  }
}

nlohmann::ordered_json warnings_of(const Scratch& scratch, const std::string& text) {
  const std::string file = scratch.file("run.yaml", text);
  const Outcome outcome = grapple({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json_of(scratch / "out/summary.json").at("warnings");
}

TEST(Deflection, BeyondModerateRotationIsInTheSummary) {
  const Scratch scratch;
  EXPECT_TRUE(warnings_of(scratch, hinged_beam(2, 0.1, 0.02)).empty());
  const auto warnings = warnings_of(scratch, hinged_beam(2, 0.3, 0.02));  // tip slope 0.41
  ASSERT_EQ(warnings.size(), 1u);
  const std::string text = warnings[0];
  for (const char* part : {"'boom'", "0.41 rad", "0.3 rad", "chain"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

// A mass of 3 kg on a leaf of 1 m that shortens by 0.6 y^2, and 2 kg at its root: with stations the
// inertia is exact; from integrals, what they leave out matters at large amplitude and is told.
std::string leaf(const std::string& file, double amplitude) {
  return fmt::format(R"(grapple: 1
name: leaf
bodies: [{{name: leaf, flexible_file: {}, modal_amplitudes: [{:g}]}}]
simulate: {{duration: 0.1 s}}
)",
                     file, amplitude);
}

TEST(Deflection, TruncatedIntegralsOfAFileAreTold) {
  const Scratch scratch;
  scratch.file("stations.json",
               R"({"grapple_flexible_body": 1, "modes": 1, "modal_stiffness": [120],
    "stations": [{"mass": 3, "position": [1, 0, 0], "phi": [[0], [1], [0]],
                  "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
                  "second_order": {"x": [[-1.2]]}},
                 {"mass": 2, "position": [0, 0, 0], "phi": [[0], [0], [0]]}]})");
  scratch.file("integrals.json",
               R"({"grapple_flexible_body": 1, "modes": 1, "modal_stiffness": [120],
    "mass": 5, "first_moment": [3, 0, 0], "inertia": [[0.1, 0, 0], [0, 3.1, 0], [0, 0, 3.1]],
    "modal_mass": [3], "translation_coupling": [[0], [3], [0]], "rotation_coupling": [[0], [0], [3]],
    "inertia_first_order": [[[0, -3, 0], [-3, 0, 0], [0, 0, 0]]],
    "inertia_second_order": [[[6, 0, 0], [0, -7.2, 0], [0, 0, -1.2]]],
    "first_moment_second_order": {"x": [[-3.6]]}})");
  EXPECT_TRUE(warnings_of(scratch, leaf("stations.json", 0.2)).empty());
  EXPECT_TRUE(warnings_of(scratch, leaf("integrals.json", 1e-3)).empty());
  const auto warnings = warnings_of(scratch, leaf("integrals.json", 0.2));
  ASSERT_EQ(warnings.size(), 1u);
  const std::string text = warnings[0];
  for (const char* part : {"'leaf'", "leave out", "stations"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace grapple::program
