// What cannot hold together is refused in the same words, however many loops stand beside it: few
// rows are solved by dense matrices, many along the tree.
#include <gtest/gtest.h>

#include "grapple/base/error.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using constraint::LoopType;

// A block on a slide, and free bodies beside it, each held in place by six rows of its own.
struct Bench {
  Model model;
  std::vector<constraint::Constraint> loops;

  explicit Bench(int bystanders) {
    ModelBuilder builder;
    builder.add_body("block", lump(1.0, Vec3::Zero(), {1, 1, 1}));
    builder.add_joint(joint("slide", JointType::kPrismatic, "world", "block"));
    for (int k = 0; k < bystanders; ++k) {
      const std::string name = "beside" + std::to_string(k);
      builder.add_body(name, lump(1.0, Vec3::Zero(), {1, 1, 1}));
      builder.add_joint(joint(name + "_free", JointType::kFree, "world", name));
    }
    model = builder.build();
    for (int k = 0; k < bystanders; ++k) {
      const std::string name = "beside" + std::to_string(k);
      loops.push_back(
          {"hold" + std::to_string(k),
           constraint::LoopClosure{{kWorld, place_on(name, Vec3::Zero())}, LoopType::kFixed}});
    }
  }

  model::Frame place_on(const std::string& body, const Vec3& p) const {
    const model::Body& b = model.bodies()[static_cast<std::size_t>(model.find_body(body))];
    return {"", b.link, b.X_LB * Pose{Mat3::Identity(), p}};
  }

  // Leads a place on the block along the slide.
  void lead(const std::string& name, double place, const std::string& height) {
    loops.push_back({name, constraint::PrescribedMotion{
                               {kWorld, place_on("block", {0, 0, place})},
                               {{Function(), Function(), Function::expression(height)}},
                               {}}});
  }

  void rod(const std::string& name, const Vec3& anchor, const Vec3& place, double length) {
    loops.push_back(
        {name, constraint::Distance{{{"", 0, {Mat3::Identity(), anchor}}, place_on("block", place)},
                                    length}});
  }

  // As the user reads it.
  std::string refusal() && {
    SystemParts parts;
    parts.model = std::move(model);
    parts.constraints = std::move(loops);
    try {
      const System system(std::move(parts));
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
};

constexpr int kMany = 5;  // 30 rows of bystanders: more than are solved by dense matrices

TEST(ContradictoryLoops, MotionsOfDifferentRates) {
  for (const int bystanders : {0, kMany}) {
    SCOPED_TRACE(bystanders);
    Bench bench(bystanders);
    bench.lead("led", 0.0, "t");
    bench.lead("pulled", 1.0, "1 + 3*t");
    EXPECT_EQ(std::move(bench).refusal(),
              "GR-910 loop 'pulled': 'position z' of loop 'pulled' asks for a rate not allowed by "
              "'position z' of loop 'led', joint 'slide': 2 (SI) apart at the start; give the "
              "motion once, and free what it moves from locks and other motions");
  }
}

TEST(ContradictoryLoops, MotionsOfDifferentAccelerations) {
  for (const int bystanders : {0, kMany}) {
    SCOPED_TRACE(bystanders);
    Bench bench(bystanders);
    bench.lead("led", 0.0, "t");
    bench.lead("pulled", 1.0, "1 + t + 3*t^2");
    EXPECT_EQ(std::move(bench).refusal(),
              "GR-910 loop 'pulled': 'position z' of loop 'pulled' asks for an acceleration not "
              "allowed by 'position z' of loop 'led', joint 'slide': 6 (SI) apart at the start; "
              "give the motion once, and free what it moves from locks and other motions");
  }
}

// Those that closed are not named beside the one that did not.
TEST(ContradictoryLoops, ARodOutOfReach) {
  for (const int bystanders : {0, kMany}) {
    SCOPED_TRACE(bystanders);
    Bench bench(bystanders);
    bench.rod("short", {3, 0, 0}, {0, 0, 0}, 2.0);
    const std::string text = std::move(bench).refusal();
    EXPECT_EQ(text.substr(0, 60), "GR-901 loop 'short': cannot be closed from the initial posit");
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(ContradictoryLoops, RodsOfDifferentReach) {
  for (const int bystanders : {0, kMany}) {
    SCOPED_TRACE(bystanders);
    Bench bench(bystanders);
    bench.rod("near", {0, 0, -1}, {0, 0, 0}, 1.0);
    bench.rod("far", {0, 0, -1}, {0, 0, 0.2}, 1.5);
    // Rows of rods are 1/2 (|r|^2 / L - L): 1/2 (1.2^2 / 1.5 - 1.5) = -0.27.
    EXPECT_EQ(std::move(bench).refusal(),
              "GR-909 loop 'far': 'distance' of loop 'far' cannot hold together with 'distance' of "
              "loop 'near', joint 'slide': 0.27 (m, or rad) stay open; change or remove one of "
              "them");
  }
}

// The bystanders do decide how the rows are solved, or the tests above would prove nothing.
TEST(ContradictoryLoops, StandBesideRowsSolvedAlongTheTree) {
  for (const int bystanders : {1, kMany}) {
    Bench bench(bystanders);
    SystemParts parts;
    parts.model = std::move(bench.model);
    parts.constraints = std::move(bench.loops);
    const System system(std::move(parts));
    EXPECT_EQ(system.method(),
              bystanders == kMany ? dynamics::Method::kArticulated : dynamics::Method::kComposite);
  }
}

}  // namespace
}  // namespace grapple::system::testing
