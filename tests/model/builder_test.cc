// The builder sorts any order into a tree, floats what hangs on nothing, and reports every fault of
// a pass at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "grapple/base/error.h"
#include "grapple/model/model.h"
#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::model {
namespace {

using spatial::MassProperties;
using spatial::Mat3;
using spatial::Pose;
using spatial::Vec3;

MassProperties block() { return spatial::solid_box(2.0, {0.2, 0.3, 0.4}); }

JointSpec joint(const std::string& name, const std::string& parent, const std::string& child,
                JointType type = JointType::kRevolute) {
  JointSpec spec;
  spec.name = name;
  spec.type = type;
  spec.parent = parent;
  spec.child = child;
  return spec;
}

std::multimap<std::string, std::string> faults(const ModelBuilder& builder) {
  std::multimap<std::string, std::string> found;
  try {
    builder.build();
  } catch (const Error& error) {
    for (const Diagnostic& d : error.diagnostics()) found.emplace(d.id, d.where + ": " + d.message);
  }
  return found;
}

TEST(Builder, SortsParentsBeforeChildrenInAnyOrder) {
  std::vector<int> order = {0, 1, 2, 3, 4};
  do {
    ModelBuilder builder;
    const std::string parents[] = {"world", "b0", "b1", "b1", "b3"};
    for (const int k : order) builder.add_body("b" + std::to_string(k), block());
    for (const int k : order) {
      builder.add_joint(joint("j" + std::to_string(k), parents[k], "b" + std::to_string(k)));
    }
    const Model model = builder.build();
    ASSERT_EQ(model.link_count(), 6);
    for (int i = 1; i < 6; ++i) {
      EXPECT_LT(model.link(i).parent, i);
      const std::string& name = model.body_of_link(i).name;
      const std::string& parent = parents[name[1] - '0'];
      const int parent_link =
          parent == "world"
              ? 0
              : model.bodies()[static_cast<std::size_t>(model.find_body(parent))].link;
      EXPECT_EQ(model.link(i).parent, parent_link);
      EXPECT_EQ(model.joint_of_link(i).name, "j" + name.substr(1));
      EXPECT_EQ(model.link(i).v_index, i - 1);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Builder, IndicesAndStatesOfEveryJointType) {
  ModelBuilder builder;
  int nq = 0, nv = 0;
  for (const JointType type : kAllJointTypes) {
    const std::string name(joint_type_name(type));
    builder.add_body(name, block());
    builder.add_joint(joint("j_" + name, "world", name, type));
    nq += position_count(type);
    nv += rate_count(type);
    EXPECT_EQ(static_cast<int>(position_suffixes(type).size()), position_count(type));
    EXPECT_EQ(static_cast<int>(rate_suffixes(type).size()), rate_count(type));
  }
  const Model model = builder.build();
  EXPECT_EQ(model.nq(), nq);
  EXPECT_EQ(model.nv(), nv);
  EXPECT_EQ(nq, 0 + 1 + 1 + 1 + 2 + 2 + 4 + 3 + 7);
  EXPECT_EQ(nv, 0 + 1 + 1 + 1 + 2 + 2 + 3 + 3 + 6);
  EXPECT_EQ(model.total_mass(), 2.0 * 9);
  const State state(model);
  EXPECT_EQ(state.q.sum(), 2.0) << "identity quaternions of the spherical and the free joint";
}

TEST(Builder, BodyWithoutAJointFloats) {
  ModelBuilder builder;
  builder.add_body("satellite", block());
  builder.add_body("arm", block());
  builder.add_joint(joint("shoulder", "satellite", "arm"));
  const Model model = builder.build();
  EXPECT_EQ(model.link(1).type, JointType::kFree);
  EXPECT_EQ(model.joint_of_link(1).name, "satellite");
  EXPECT_EQ(model.nv(), 7);
  EXPECT_GE(model.find_joint("satellite"), 0);
  EXPECT_EQ(model.find_joint("nobody"), -1);
}

TEST(Builder, LinkFrameCarriesTheBodyFrameAndItsMass) {
  ModelBuilder builder;
  const Pose X_PF{spatial::rotation_about({1, 0, 0}, 0.5), {1, 2, 3}};
  const Pose X_BM{spatial::rotation_about({0, 1, 1}, -0.8), {0.1, 0.2, 0.3}};
  MassProperties mass = block();
  mass.com_B = {0.3, -0.1, 0.2};
  builder.add_body("b", mass);
  JointSpec spec = joint("j", "world", "b");
  spec.X_PF = X_PF;
  spec.X_BM = X_BM;
  builder.add_joint(spec);
  const Pose X_BF{spatial::rotation_about({0, 0, 1}, 0.3), {0, 0, 1}};
  builder.add_frame("tip", "b", X_BF);
  builder.add_frame("pad", "world", X_BF);
  const Model model = builder.build();
  const MassProperties in_L = mass.expressed_in(X_BM.inverse());
  EXPECT_LT((model.link(1).first_moment_L - 2.0 * in_L.com_B).norm(), 1e-15);
  EXPECT_LT((model.link(1).inertia_L.matrix() - in_L.inertia_origin_B()).norm(), 1e-15);
  EXPECT_EQ(model.link(1).R_PF, X_PF.R);
  EXPECT_EQ(model.link(1).p_PF, X_PF.p);
  const Pose tip = model.frames()[static_cast<std::size_t>(model.find_frame("tip"))].X_LF;
  const Pose expected = X_BM.inverse() * X_BF;
  EXPECT_LT((tip.R - expected.R).norm() + (tip.p - expected.p).norm(), 1e-15);
  EXPECT_EQ(model.frames()[static_cast<std::size_t>(model.find_frame("pad"))].link, 0);
  EXPECT_EQ(model.find_frame("world"), 0);
  EXPECT_GE(model.find_frame("b"), 1);
}

TEST(Faults, NamesAndReferencesAreAllReportedAtOnce) {
  ModelBuilder builder;
  builder.add_body("arm", block());
  builder.add_body("arm", block());                                 // GR-301
  builder.add_body("world", block());                               // GR-301
  builder.add_body("bad", {-1.0, Vec3::Zero(), Mat3::Identity()});  // GR-305
  builder.add_joint(joint("j", "world", "arm"));
  builder.add_joint(joint("j", "amr", "bad"));    // GR-301 and GR-302
  builder.add_joint(joint("k", "world", "arm"));  // GR-303
  builder.add_joint(joint("m", "arm", "world"));  // GR-302
  builder.add_frame("tip", "nowhere", {});        // GR-302
  const auto found = faults(builder);
  EXPECT_EQ(found.count("GR-301"), 3u);
  EXPECT_EQ(found.count("GR-302"), 3u);
  EXPECT_EQ(found.count("GR-303"), 1u);
  EXPECT_EQ(found.count("GR-305"), 1u);
  EXPECT_EQ(found.size(), 8u);
  bool suggests = false;
  for (const auto& [id, text] : found)
    suggests = suggests || text.find("'arm'?") != std::string::npos;
  EXPECT_TRUE(suggests) << "the nearest valid name is offered";
}

TEST(Faults, ClosedLoop) {
  ModelBuilder builder;
  for (const char* name : {"a", "b", "c", "fine"}) builder.add_body(name, block());
  builder.add_joint(joint("ja", "c", "a"));
  builder.add_joint(joint("jb", "a", "b"));
  builder.add_joint(joint("jc", "b", "c"));
  builder.add_joint(joint("jf", "world", "fine"));
  const auto found = faults(builder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.begin()->first, "GR-304");
  for (const char* name : {"'a'", "'b'", "'c'"}) {
    EXPECT_NE(found.begin()->second.find(name), std::string::npos);
  }
  EXPECT_EQ(found.begin()->second.find("'fine'"), std::string::npos);
}

TEST(Faults, BodyHangingOnItself) {
  ModelBuilder builder;
  builder.add_body("a", block());
  builder.add_joint(joint("ja", "a", "a"));
  const auto found = faults(builder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.begin()->first, "GR-304");
}

TEST(Faults, FrameNamesAreUniqueAmongBodiesAndFrames) {
  ModelBuilder builder;
  builder.add_body("a", block());
  builder.add_frame("tip", "a", {});
  builder.add_frame("tip", "a", {});
  builder.add_frame("a", "a", {});
  builder.add_frame("world", "a", {});
  EXPECT_EQ(faults(builder).count("GR-301"), 3u);
}

TEST(Faults, FloatingBodyWithTheNameOfAJoint) {
  ModelBuilder builder;
  builder.add_body("a", block());
  builder.add_body("b", block());
  builder.add_joint(joint("a", "world", "b"));  // the free joint of a would be named a, too
  EXPECT_EQ(faults(builder).count("GR-301"), 1u);
}

TEST(Faults, MotionsWithoutInertia) {
  const MassProperties point{1.0, Vec3::Zero(), Mat3::Zero()};
  ModelBuilder builder;
  builder.add_body("ghost", {});
  builder.add_body("bead", point);
  builder.add_body("floating_point", point);
  builder.add_body("cardan", spatial::slender_rod(1.0, 1.0));
  builder.add_joint(joint("slide", "world", "ghost", JointType::kPrismatic));    // no mass
  builder.add_joint(joint("spin", "world", "bead"));                             // on the axis
  builder.add_joint(joint("swivel", "world", "cardan", JointType::kSpherical));  // about itself
  const auto found = faults(builder);
  EXPECT_EQ(found.count("GR-306"), 4u) << "slide, spin, swivel and the floating point";
  EXPECT_EQ(found.size(), 4u);
}

TEST(Builder, MassComesFromFurtherOutOrFromTheDrive) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81});
  builder.add_body("carriage", {});  // no mass of its own, but the load hangs on it
  builder.add_body("load", block());
  builder.add_body("rotor", {});
  builder.add_body("bob", {1.0, {0.5, 0, 0}, Mat3::Zero()});  // a point away from the axis
  builder.add_body("base", {});
  builder.add_joint(joint("rail", "world", "carriage", JointType::kPrismatic));
  builder.add_joint(joint("weld", "carriage", "load", JointType::kFixed));
  JointSpec drive = joint("drive", "world", "rotor");
  drive.reflected_inertia = {0.3};
  builder.add_joint(drive);
  builder.add_joint(joint("pin", "world", "bob"));
  builder.add_joint(joint("floor", "world", "base", JointType::kFixed));
  const Model model = builder.build();
  EXPECT_EQ(model.nv(), 3);
  const int rotor = model.bodies()[static_cast<std::size_t>(model.find_body("rotor"))].link;
  EXPECT_EQ(model.reflected_inertia()[model.link(rotor).v_index], 0.3);
}

// Two crossed massless gimbals: at q = 0 every motion meets the rotor.
TEST(Builder, MasslessGimbalsAreAllowed) {
  ModelBuilder builder;
  builder.add_body("outer", {});
  builder.add_body("inner", {});
  builder.add_body("rotor", spatial::solid_cylinder(2.0, 0.2, 0.1));
  const auto about = [](const Vec3& axis) {
    return Pose{spatial::frame_with_z(axis), Vec3::Zero()};
  };
  JointSpec a = joint("a", "world", "outer"), b = joint("b", "outer", "inner"),
            c = joint("c", "inner", "rotor");
  a.X_PF = a.X_BM = about(Vec3::UnitX());
  b.X_PF = b.X_BM = about(Vec3::UnitY());
  builder.add_joint(a);
  builder.add_joint(b);
  builder.add_joint(c);
  EXPECT_EQ(builder.build().nv(), 3);
}

}  // namespace
}  // namespace grapple::model
