// The examples of docs/guide/your-own-controller.md: what stands there runs. The formulas of the
// page and the block in C++ give the same bits. (The plug-in: plugin_test.cc.)
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "control/plumbing_support.h"
#include "grapple/force/joint_elements.h"
#include "grapple/scenario/build/build.h"

class Hold final : public grapple::element::SampledBlock {
 public:
  Hold() : SampledBlock("hold", {0.005, 0.0, 0.0}) {}  // period, offset, delay
  std::vector<std::string> reads() const override {
    return {"joint/axle/position", "joint/axle/rate"};
  }
  std::vector<std::string> writes() const override { return {"torque"}; }
  std::vector<grapple::element::Output> memory() const override { return {{"w_f", "rad/s"}}; }
  void update(grapple::element::Sample& sample) const override {
    sample.out[0] = 30.0 * (0.5 - sample.in[0]) - 2.0 * sample.memory[0];
    sample.memory[0] = 0.8 * sample.memory[0] + 0.2 * sample.in[1];
  }
};

namespace grapple::control {
namespace {

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(GRAPPLE_SOURCE_DIR "/") + path).rdbuf();
  return text.str();
}

std::string first_fence(const std::string& page, const std::string& language) {
  const std::string open = "```" + language + "\n";
  const std::size_t from = page.find(open) + open.size();
  return page.substr(from, page.find("```", from) - from);
}

void replace_all(std::string& text, const std::string& old, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += with.size()) {
    text.replace(at, old.size(), with);
  }
}

const std::string kPage = "docs/guide/your-own-controller.md";

TEST(YourOwnController, TheClassOfThePageIsTheOneOfThisTest) {
  std::string shown = first_fence(text_of_file(kPage), "cpp");
  shown = shown.substr(shown.find("class Hold"));
  replace_all(shown, "element::", "grapple::element::");
  const std::string here = text_of_file("tests/control/your_own_controller_test.cc");
  EXPECT_NE(here.find(shown), std::string::npos) << shown;
}

// The system of the page's scenario, built by hand.
system::SystemParts parts_of_the_page() {
  model::ModelBuilder builder;
  builder.add_body("arm", {2.0, spatial::Vec3::Zero(), 0.1 * spatial::Mat3::Identity()});
  model::JointSpec axle;
  axle.name = "axle";
  axle.child = "arm";
  builder.add_joint(axle);
  system::SystemParts parts{builder.build(), {}, {}, {}, {}, {}};
  parts.signals.push_back({"torque", "N*m", 0.0, -50.0, 50.0});
  const int link = parts.model.joints()[0].link;
  parts.elements.push_back(
      force::make_joint_motor(parts.model, link, {element::Input::held(0)}, {1.0}));
  parts.blocks.push_back(std::make_unique<Hold>());
  return parts;
}

TEST(YourOwnController, FormulasAndCppGiveTheSameBits) {
  const std::string scenario = first_fence(text_of_file(kPage), "yaml");
  Simulation formulas = simulation_of(scenario);
  const scenario::Simulation built =
      scenario::build(scenario::load_scenario_text(scenario, "page.yaml", {}));
  system::System system(parts_of_the_page());
  run::Session own(system, built.plan);
  own.start();
  for (const double t : {0.1, 0.5, 2.0, 5.0}) {
    formulas.advance_to(t);
    own.advance_to(t);
    for (const char* channel :
         {"joint/axle/position", "joint/axle/rate", "torque", "block/hold/w_f"}) {
      EXPECT_EQ(formulas.get(channel), own.get(channel)) << channel << " at " << t;
    }
  }
  EXPECT_NEAR(own.get("joint/axle/position"), 0.5, 1e-6);
}

TEST(YourOwnController, ExamplesDoWhatTheySay) {
  Simulation notch(std::filesystem::path(GRAPPLE_SOURCE_DIR "/examples/control/notch.yaml"));
  notch.advance_to(6.0);
  EXPECT_NEAR(notch.get("joint/elbow/position"), 0.5, 1e-3);
  Simulation noisy(
      std::filesystem::path(GRAPPLE_SOURCE_DIR "/examples/control/noisy-encoder.yaml"));
  noisy.advance_to(5.0);
  EXPECT_NEAR(noisy.get("joint/axle/position"), M_PI / 6, 0.2 * M_PI / 180);
}

}  // namespace
}  // namespace grapple::control
