// Every channel has a name of its own, a unit, and the value a direct formula gives.
#include <gtest/gtest.h>

#include <set>

#include "grapple/base/error.h"
#include "grapple/dynamics/energy.h"
#include "grapple/dynamics/jacobian.h"
#include "grapple/dynamics/kinematics.h"
#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "support.h"

namespace grapple::system::testing {
namespace {

using test::RandomTree;

TEST(Channels, NamesAreUniqueAndUnitsPresentOnEveryJointType) {
  for (const JointType type : model::kAllJointTypes) {
    RandomTree random(3);
    Model model = tree_with(type, random);
    const int nv = model.link(2).nv;
    const auto some = [&] { return random_values(random, nv, 1.0, 2.0); };
    auto parts =
        elements(force::make_joint_spring(model, 2, some(), some()),
                 force::make_joint_damper(model, 2, some()),
                 force::make_joint_friction(model, 2, {some(), some(), some()}),
                 force::make_joint_stop(model, 2, {some(), some(), some(), some()}),
                 force::make_joint_motor(
                     model, 2, std::vector<element::Input>(static_cast<std::size_t>(nv)), some()),
                 force::make_bushing("bushing/b", model.frames()[1], model.frames()[2], {}),
                 force::make_spring_damper("spring/s", model.frames()[1], model.frames()[2], {}),
                 force::make_point_force("force/f", model.frames()[1], {}, force::Axes::kWorld),
                 force::make_torque("torque/t", model.frames()[1], {}, force::Axes::kWorld));
    const System system = system_of(std::move(model), std::move(parts));
    std::set<std::string> names;
    const Snapshot<double> s = evaluated(system, 0.0, random_state(system, random));
    for (std::size_t k = 0; k < system.channels().size(); ++k) {
      const Channel& c = system.channels()[k];
      EXPECT_TRUE(names.insert(c.name).second) << c.name;
      EXPECT_FALSE(c.unit.empty()) << c.name;
      EXPECT_EQ(system.find_channel(c.name), static_cast<int>(k));
      EXPECT_TRUE(std::isfinite(channel_value(system, c, s))) << c.name;
    }
    EXPECT_EQ(system.find_channel("no/such"), -1);
  }
}

// Blocks, events and measures evaluate no further: what is left over from another state must not
// show in any number.
TEST(Channels, AreTheSameBitsWithNoMoreThanTheDepthTheyNeed) {
  std::set<Depth> met;
  for (const JointType type : model::kAllJointTypes) {
    RandomTree random(7);
    Model model = tree_with(type, random);
    const auto some = [&] { return random_values(random, model.link(2).nv, 1.0, 2.0); };
    auto parts =
        elements(force::make_joint_spring(model, 2, some(), some()),
                 force::make_spring_damper("spring/s", model.frames()[1], model.frames()[2], {}));
    const System system = system_of(std::move(model), std::move(parts));
    const spatial::VecX x = random_state(system, random), other = random_state(system, random);
    const Snapshot<double> whole = evaluated(system, 0.0, x);
    for (const Channel& channel : system.channels()) {
      const Depth depth = depth_of(system, channel);
      met.insert(depth);
      Snapshot<double> part = evaluated(system, 0.0, other);
      system.evaluate_to(depth, 0.0, {x.data(), static_cast<std::size_t>(x.size())}, part);
      EXPECT_EQ(channel_value(system, channel, part), channel_value(system, channel, whole))
          << channel.name;
    }
  }
  EXPECT_EQ(met.size(), 3);
}

TEST(Channels, TwoElementsOfOneNameAreAFault) {
  Model model = slider(1.0);
  auto parts = elements(force::make_joint_spring(model, 1, {1.0}, {0.0}),
                        force::make_joint_spring(model, 1, {2.0}, {0.0}));
  try {
    system_of(std::move(model), std::move(parts));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-308");
  }
}

// Counts how often it is asked; its outputs are the time and twice the time.
class Counter final : public element::ElementOf<Counter> {
 public:
  explicit Counter(int& asked) : ElementOf("force/counter"), asked_(asked) {}
  template <class T>
  void act(element::Evaluation<T>& /*e*/) const {}
  std::vector<element::Output> outputs() const override {
    return {{"force/counter/one", "1"}, {"force/counter/two", "1"}};
  }
  template <class T>
  void report_as(const element::Evaluation<T>& e, std::span<T> values) const {
    ++asked_;
    values[0] = T(e.t);
    values[1] = T(2.0 * e.t);
  }

 private:
  int& asked_;
};

TEST(Channels, OfAnElementAreAskedForOnceInAnEvaluation) {
  Model model = slider(1.0);
  int asked = 0;
  auto parts =
      elements(force::make_joint_spring(model, 1, {1.0}, {0.0}), std::make_unique<Counter>(asked));
  System system = system_of(std::move(model), std::move(parts));
  const VecX x = system.initial_state();
  Snapshot<double> s(system);
  const auto both = [&] {
    return value(system, s, "force/counter/one") + value(system, s, "force/counter/two") +
           0.0 * value(system, s, "joint/slide/spring_effort") +
           value(system, s, "force/counter/one");
  };
  system.evaluate<double>(1.0, view(x), s);
  asked = 0;
  EXPECT_EQ(both(), 4.0);
  EXPECT_EQ(asked, 1);
  system.evaluate<double>(2.0, view(x), s);
  EXPECT_EQ(both(), 8.0);
  EXPECT_EQ(asked, 2);
  system.kinematics(3.0, view(x), s);
  EXPECT_EQ(both(), 12.0);
  EXPECT_EQ(asked, 3);
}

TEST(Channels, OfFramesEqualKinematics) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomTree random(seed);
    const System system = system_of(tree_with(JointType::kHelical, random), {});
    const VecX x = random_state(system, random);
    Snapshot<double> s = evaluated(system, 0.0, x);
    for (const char* name : {"frame/tip", "body/b3", "frame/wall"}) {
      SCOPED_TRACE(name);
      const std::string stem(name), frame_name = stem.substr(stem.find('/') + 1);
      const model::Frame& frame =
          system.model().frames()[static_cast<std::size_t>(system.model().find_frame(frame_name))];
      const auto motion = dynamics::frame_motion(frame, s.workspace);
      EXPECT_EQ(vector_of(system, s, stem + "/position"), motion.p_WF);
      EXPECT_EQ(vector_of(system, s, stem + "/velocity"), motion.v);
      EXPECT_EQ(vector_of(system, s, stem + "/angular_velocity"), motion.omega);
      spatial::Quat q;
      q << value(system, s, stem + "/orientation_w"), vector_of(system, s, stem + "/orientation");
      EXPECT_LT((spatial::rotation_matrix<double>(q) - motion.R_WF).norm(), 1e-13);

      // Acceleration: the velocity channels differentiated along the true motion.
      const Snapshot<Dual> along = evaluated_along(system, 0.0, x, rate_of(system, s));
      const auto moving_frame = dynamics::frame_motion(frame, along.workspace);
      const Vec3 a = vector_of(system, s, stem + "/acceleration");
      const Vec3 alpha = vector_of(system, s, stem + "/angular_acceleration");
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(moving_frame.v[k].d[0], a[k], 1e-10 * (1.0 + a.norm()));
        EXPECT_NEAR(moving_frame.omega[k].d[0], alpha[k], 1e-10 * (1.0 + alpha.norm()));
        EXPECT_NEAR(moving_frame.p_WF[k].d[0], motion.v[k], 1e-12 * (1.0 + motion.v.norm()));
      }
    }
  }
}

TEST(Channels, OfJointsAreTheStateAndItsRates) {
  RandomTree random(5);
  const System system = system_of(tree_with(JointType::kCylindrical, random), {});
  const Snapshot<double> s = evaluated(system, 0.0, random_state(system, random));
  const model::Link& link = system.model().link(2);
  EXPECT_EQ(value(system, s, "joint/j1/position_angle"), s.state.q[link.q_index]);
  EXPECT_EQ(value(system, s, "joint/j1/position_slide"), s.state.q[link.q_index + 1]);
  EXPECT_EQ(value(system, s, "joint/j1/rate_slide"), s.state.v[link.v_index + 1]);
  EXPECT_EQ(value(system, s, "joint/j1/acceleration_angle"), s.workspace.vdot[link.v_index]);
  EXPECT_EQ(value(system, s, "joint/j0/position_qw"), s.state.q[3]);
  const auto unit = [&](const char* name) {
    return system.channels()[static_cast<std::size_t>(system.find_channel(name))].unit;
  };
  EXPECT_EQ(unit("joint/j1/position_angle"), "rad");
  EXPECT_EQ(unit("joint/j1/position_slide"), "m");
  EXPECT_EQ(unit("joint/j1/rate_angle"), "rad/s");
  EXPECT_EQ(unit("joint/j1/effort_slide"), "N");
  EXPECT_EQ(unit("joint/j0/position_qw"), "1");
  EXPECT_EQ(unit("joint/j0/acceleration_wx"), "rad/s^2");
  EXPECT_EQ(unit("energy/total"), "J");
}

TEST(Channels, MomentaAndCentreOfMassOfAFloatingSystem) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomTree random(seed);
    const System system = system_of(tree_with(JointType::kSpherical, random), {});
    const VecX x = random_state(system, random);
    const Snapshot<double> s = evaluated(system, 0.0, x);
    const auto p = dynamics::mass_moments(system.model(), s.state, s.workspace, Vec3::Zero());
    EXPECT_LT((vector_of(system, s, "momentum/linear") - p.linear).norm(), 1e-12 * p.linear.norm());
    EXPECT_LT((vector_of(system, s, "momentum/angular") - p.angular).norm(),
              1e-12 * p.angular.norm());
    const Vec3 com = p.first_moment / p.mass;
    EXPECT_LT((vector_of(system, s, "center_of_mass/position") - com).norm(), 1e-13);

    // Along the motion: p' = m g, L' = r x m g.
    const Snapshot<Dual> along = evaluated_along(system, 0.0, x, rate_of(system, s));
    const Vec3 weight = system.model().total_mass() * system.model().gravity();
    const Vec3 moment = com.cross(weight);
    for (int k = 0; k < 3; ++k) {
      const std::string axis = std::string("_") + "xyz"[k];
      const auto rate_of_channel = [&](const std::string& name) {
        const int index = system.find_channel(name + axis);
        return channel_value(system, system.channels()[static_cast<std::size_t>(index)], along)
            .d[0];
      };
      EXPECT_NEAR(rate_of_channel("momentum/linear"), weight[k], 1e-10 * weight.norm());
      EXPECT_NEAR(rate_of_channel("momentum/angular"), moment[k],
                  1e-10 * (weight.norm() + moment.norm()));
      EXPECT_NEAR(rate_of_channel("center_of_mass/position") * system.model().total_mass(),
                  p.linear[k], 1e-11 * (1.0 + p.linear.norm()));
    }
  }
}

TEST(Channels, EnergiesWorkAndResidual) {
  const double m = 2.0, l = 0.7, I = 0.3, g = 9.81;
  Model model = pendulum(m, l, I, g);
  auto spring = force::make_joint_spring(model, 1, {5.0}, {0.0});
  SystemParts parts{std::move(model),
                    VecX::Constant(1, 0.4),
                    VecX::Constant(1, 0.5),
                    elements(std::move(spring)),
                    {},
                    {}};
  const System system(std::move(parts));
  VecX x = system.initial_state();
  EXPECT_EQ(value(system, evaluated(system, 0.0, x), "energy/residual"), 0.0);
  x[0] = 0.9;
  x[1] = -1.5;
  for (int k = 0; k < element::kSupplyCount; ++k) x[system.dynamic_size() + k] = 10.0 + k;
  const Snapshot<double> s = evaluated(system, 0.0, x);
  const auto energy = [&](double q, double v) {
    return 0.5 * (I + m * l * l) * v * v - m * g * l * std::cos(q) + 2.5 * q * q;
  };
  EXPECT_NEAR(value(system, s, "energy/kinetic"), 0.5 * (I + m * l * l) * 2.25, 1e-13);
  EXPECT_NEAR(value(system, s, "energy/gravity"), -m * g * l * std::cos(0.9), 1e-13);
  EXPECT_NEAR(value(system, s, "energy/elastic"), 2.5 * 0.81, 1e-13);
  EXPECT_EQ(value(system, s, "energy/stops"), 0.0);
  EXPECT_NEAR(value(system, s, "energy/total"), energy(0.9, -1.5), 1e-13);
  EXPECT_EQ(value(system, s, "work/damping"), 10.0);
  EXPECT_EQ(value(system, s, "work/locking"), 14.0);
  EXPECT_EQ(value(system, s, "work/numerical"), 15.0);
  EXPECT_NEAR(system.initial_energy(), energy(0.4, 0.5), 1e-13);
  EXPECT_NEAR(value(system, s, "energy/residual"), energy(0.9, -1.5) - energy(0.4, 0.5) - 75.0,
              1e-12);
}

TEST(System, SingularMassMatrixIsTheUsersFault) {
  // Two turns about the same axis with nothing between them.
  ModelBuilder builder;
  builder.add_body("ghost", {});
  builder.add_body("rod", spatial::slender_rod(1.0, 1.0));
  builder.add_joint(joint("a", JointType::kRevolute, "world", "ghost"));
  builder.add_joint(joint("b", JointType::kRevolute, "ghost", "rod"));
  try {
    system_of(builder.build(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "GR-307");
  }
}

}  // namespace
}  // namespace grapple::system::testing
