// A, B, C, D against differences of order 8 of the full nonlinear equations, against the bare tree
// in long double, and against textbook linearisations.
#include "grapple/analysis/linearize.h"

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "grapple/dynamics/aba.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "system/support.h"

namespace grapple::analysis::testing {

using namespace system::testing;
namespace {

using spatial::VecXT;
using std::numbers::pi;
using test::RandomTree;

std::vector<int> all_of(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// x with the tangent state moved by `step` in one direction of [tangent | v | z].
VecX moved(const system::System& system, const VecX& x, int direction, double step) {
  const Model& model = system.model();
  VecX out = x;
  if (direction >= model.nv()) {
    out[model.nq() + direction - model.nv()] += step;
    return out;
  }
  VecX q = x.head(model.nq()), delta = VecX::Zero(model.nv());
  delta[direction] = step;
  dynamics::move_positions(model, delta, q);
  out.head(model.nq()) = q;
  return out;
}

// Exact rate of the finite tangent vector between the reference motion and a neighbour: for an
// orientation q = q0 exp(delta):  delta' = B(delta) (omega - R(delta)' omega0).
VecX tangent_rate(const system::System& system, const VecX& x0, const VecX& x, int direction,
                  double step) {
  const Model& model = system.model();
  const int nq = model.nq(), nv = model.nv();
  const VecX rate = rate_of(system, evaluated(system, 0.0, x));
  VecX out(2 * nv + system.z_count());
  out.head(nv) = x.segment(nq, nv);
  out.tail(nv + system.z_count()) = rate.segment(nq, nv + system.z_count());
  for (const model::Link& link : model.links()) {
    const int offset = quaternion_offset(link.type);
    if (offset < 0) continue;
    const int first = link.v_index + offset;
    Vec3 delta = Vec3::Zero();
    if (direction >= first && direction < first + 3) delta[direction - first] = step;
    const Vec3 omega = x.segment<3>(nq + first), omega0 = x0.segment<3>(nq + first);
    const Mat3 R = spatial::rotation_matrix<double>(spatial::quaternion_exp<double>(delta));
    out.segment<3>(first) =
        spatial::rotation_vector_rate<double>(delta, omega - R.transpose() * omega0);
  }
  return out;
}

VecX channel_values(const system::System& system, const VecX& x) {
  const system::Snapshot<double> s = evaluated(system, 0.0, x);
  VecX y(static_cast<Eigen::Index>(system.channels().size()));
  for (std::size_t k = 0; k < system.channels().size(); ++k) {
    y[static_cast<Eigen::Index>(k)] = system::channel_value(system, system.channels()[k], s);
  }
  return y;
}

double relative(const VecX& a, const VecX& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
}

system::System busy_system(JointType type, RandomTree& random) {
  Model model = tree_with(type, random);
  const int nv = model.link(2).nv;
  const auto frame = [&](const char* name) {
    return model.frames()[static_cast<std::size_t>(model.find_frame(name))];
  };
  auto parts = elements(
      force::make_joint_spring(model, 2, random_values(random, nv, 1, 5),
                               random_values(random, nv, 0, 1)),
      force::make_joint_damper(model, 2, random_values(random, nv, 0.1, 1)),
      force::make_joint_friction(
          model, 2,
          {random_values(random, nv, 1, 2), random_values(random, nv, 0.1, 1),
           random_values(random, nv, 3, 5)}),
      force::make_point_force("force/f", frame("tip"),
                              {Function::constant(1), Function::constant(2), Function::constant(3)},
                              force::Axes::kFrame),
      force::make_torque("torque/t", frame("side"),
                         {Function::constant(1), Function::constant(2), Function::constant(3)},
                         force::Axes::kWorld),
      force::make_spring_damper("spring/s", frame("tip"), frame("wall"),
                                {3.0, 0.5, 0.4, Function::constant(2.0)}));
  if (type == JointType::kSpherical) {
    // A bushing soft enough and seeds tame enough that half a turn stays away.
    parts.push_back(force::make_bushing("bushing/b", frame("tip"), frame("side"),
                                        {{5, 6, 7, 1, 2, 3}, {0.1, 0.2, 0.3, 0.1, 0.2, 0.3}}));
  }
  return system_of(std::move(model), std::move(parts));
}

TEST(Linearize, EqualsDifferencesOfOrder8OnEveryJointType) {
  double worst_A = 0.0, worst_C = 0.0, worst_B = 0.0, worst_D = 0.0;
  for (const JointType type : model::kAllJointTypes) {
    SCOPED_TRACE(std::string(joint_type_name(type)));
    // Seeds whose frames stay away from half a turn, where a recorded quaternion changes sign.
    for (unsigned seed = 2; seed < 6; ++seed) {
      SCOPED_TRACE(seed);
      RandomTree random(seed);
      const system::System system = busy_system(type, random);
      VecX x = random_state(system, random);
      x.segment(system.model().nq(), system.model().nv()) *= 0.5;
      const int nv = system.model().nv();
      const LinearModel linear = linearize(system, 0.0, view(x), all_of(nv),
                                           all_of(static_cast<int>(system.channels().size())));
      ASSERT_EQ(linear.A.cols(), 2 * nv);
      ASSERT_EQ(static_cast<int>(linear.states.size()), 2 * nv);
      ASSERT_EQ(static_cast<int>(linear.inputs.size()), nv);
      // Step 4e-3: truncation (4e-3)^8 is 1e-19 of the ninth derivative, rounding 3e-16 / 4e-3 =
      // 1e-13 of the values; relative to the largest entry of a column that leaves 1e-9.
      constexpr double kStep = 4e-3;
      for (int k = 0; k < 2 * nv; ++k) {
        const VecX A = derivative(
            [&](double h) { return tangent_rate(system, x, moved(system, x, k, h), k, h); }, kStep);
        const VecX C = derivative(
            [&](double h) { return channel_values(system, moved(system, x, k, h)); }, kStep);
        worst_A = std::max(worst_A, relative(linear.A.col(k), A));
        worst_C = std::max(worst_C, relative(linear.C.col(k), C));
      }
      for (int k = 0; k < nv; ++k) {
        // Accelerations are linear in the efforts: one difference is exact.
        system::Snapshot<double> with(system);
        with.extra_effort[k] = 1.0;
        system.evaluate<double>(0.0, view(x), with);
        const system::Snapshot<double> without = evaluated(system, 0.0, x);
        const VecX B = with.workspace.vdot - without.workspace.vdot;
        worst_B = std::max(worst_B, relative(linear.B.col(k).tail(nv), B));
        EXPECT_EQ(linear.B.col(k).head(nv).norm(), 0.0);
        for (std::size_t c = 0; c < system.channels().size(); ++c) {
          const double D = system::channel_value(system, system.channels()[c], with) -
                           system::channel_value(system, system.channels()[c], without);
          worst_D = std::max(
              worst_D, std::abs(linear.D(static_cast<int>(c), k) - D) / std::max(1.0, std::abs(D)));
        }
      }
    }
  }
  EXPECT_LT(worst_A, 1e-9);
  EXPECT_LT(worst_C, 1e-9);
  EXPECT_LT(worst_B, 1e-9);
  EXPECT_LT(worst_D, 1e-9);
  std::printf("worst relative error: A %.1e, B %.1e, C %.1e, D %.1e\n", worst_A, worst_B, worst_C,
              worst_D);
}

// The tree without elements, differentiated in 64-bit mantissas: three digits more than double.
TEST(Linearize, BareTreesEqualLongDoubleDifferences) {
  double worst = 0.0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree random(seed);
    const system::System system = system_of(random.model(random.integer(1, 6)), {});
    const Model& model = system.model();
    const int nv = model.nv();
    if (nv == 0) continue;
    const VecX x = random_state(system, random);
    const MatX A = linearize(system, 0.0, view(x), {}, {}).A;
    model::WorkspaceT<long double> workspace(model);
    const VecXT<long double> no_effort = VecXT<long double>::Zero(nv);
    const auto acceleration = [&](int k, double h) {
      model::StateT<long double> state(model);
      state.q = x.head(model.nq()).cast<long double>();
      state.v = x.segment(model.nq(), nv).cast<long double>();
      if (k >= nv) {
        state.v[k - nv] += h;
      } else {
        VecXT<long double> delta = VecXT<long double>::Zero(nv);
        delta[k] = h;
        dynamics::move_positions(model, delta, state.q);
      }
      dynamics::aba(model, state, no_effort, workspace);
      return VecXT<long double>(workspace.vdot);
    };
    for (int k = 0; k < 2 * nv; ++k) {
      const auto d = [&](double h) { return VecXT<long double>(acceleration(k, h)); };
      // Step 1e-3: truncation 1e-24, rounding 1e-19 / 1e-3.
      const long double h = 1e-3;
      const VecXT<long double> reference =
          ((d(1e-3) - d(-1e-3)) * (4.0L / 5) - (d(2e-3) - d(-2e-3)) / 5.0L +
           (d(3e-3) - d(-3e-3)) * (4.0L / 105) - (d(4e-3) - d(-4e-3)) / 280.0L) /
          h;
      worst = std::max(worst, relative(A.col(k).tail(nv), reference.cast<double>()));
    }
  }
  EXPECT_LT(worst, 1e-9);
  std::printf("worst relative error of A on bare trees: %.1e\n", worst);
}

MatX second_order(const MatX& M, const MatX& K) {
  const Eigen::Index n = M.rows();
  MatX A = MatX::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -M.inverse() * K;
  return A;
}

constexpr double kExact = 1e-12;

TEST(LinearizeClosedForm, PendulumWithSpringDamperAndItsChannels) {
  const double m = 2.0, l = 0.7, I = 0.3, g = 9.81, k = 5.0, c = 0.4, angle = 0.6, rate = 1.5;
  Model model = pendulum(m, l, I, g);
  auto parts = elements(force::make_joint_spring(model, 1, {k}, {0.0}),
                        force::make_joint_damper(model, 1, {c}));
  const system::System system = system_of(std::move(model), std::move(parts));
  const VecX x = state_with(system, VecX::Constant(1, angle), VecX::Constant(1, rate));
  const std::vector<std::string> names = {
      "joint/pivot/position", "joint/pivot/rate", "joint/pivot/acceleration", "joint/pivot/effort",
      "energy/total",         "energy/elastic",   "body/bob/acceleration_y"};
  std::vector<int> outputs;
  for (const std::string& name : names) outputs.push_back(system.find_channel(name));
  const LinearModel linear = linearize(system, 0.0, view(x), {0}, outputs);
  const double J = I + m * l * l;
  MatX A(2, 2);
  A << 0, 1, -(m * g * l * std::cos(angle) + k) / J, -c / J;
  EXPECT_LT((linear.A - A).norm(), kExact);
  EXPECT_LT((linear.B - Eigen::Vector2d(0, 1 / J)).norm(), kExact);
  MatX C(7, 2), D(7, 1);
  C << 1, 0, 0, 1, A(1, 0), A(1, 1), -k, -c, m * g * l * std::sin(angle) + k * angle, J * rate,
      k * angle, 0, 0, 0;
  D << 0, 0, 1 / J, 1, 0, 0, 0;
  EXPECT_LT((linear.C - C).norm(), 10 * kExact);
  EXPECT_LT((linear.D - D).norm(), kExact);
  EXPECT_EQ(linear.states, (std::vector<std::string>{"joint/pivot/position", "joint/pivot/rate"}));
  EXPECT_EQ(linear.inputs, std::vector<std::string>{"joint/pivot/effort"});
  EXPECT_EQ(linear.outputs, names);
}

TEST(LinearizeClosedForm, CartPoleHangingAndUpright) {
  const double mc = 3.0, mp = 0.5, l = 0.8, I = 0.02, g = 9.81;
  ModelBuilder builder;
  builder.set_gravity({0, -g, 0});
  builder.add_body("cart", lump(mc, Vec3::Zero(), Vec3::Ones()));
  builder.add_body("pole", lump(mp, {0, -l, 0}, Vec3::Constant(I)));
  builder.add_joint(
      joint("rail", JointType::kPrismatic, "world", "cart", spatial::frame_with_z(Vec3::UnitX())));
  builder.add_joint(joint("hinge", JointType::kRevolute, "cart", "pole"));
  const system::System system = system_of(builder.build(), {});
  for (const double angle : {0.0, pi}) {
    const VecX x = state_with(system, Eigen::Vector2d(0.4, angle), VecX::Zero(2));
    const LinearModel linear = linearize(system, 0.0, view(x), {0}, {});
    const double sign = std::cos(angle);
    MatX M(2, 2), K = MatX::Zero(2, 2);
    M << mc + mp, mp * l * sign, mp * l * sign, I + mp * l * l;
    K(1, 1) = mp * g * l * sign;
    EXPECT_LT((linear.A - second_order(M, K)).norm(), kExact * 10) << angle;
    EXPECT_LT((linear.B.bottomRows(2) - M.inverse().col(0)).norm(), kExact) << angle;
  }
}

TEST(LinearizeClosedForm, DoublePendulum) {
  const double m1 = 1.2, m2 = 0.7, c1 = 0.4, c2 = 0.3, l1 = 0.9, I1 = 0.05, I2 = 0.03, g = 9.81;
  ModelBuilder builder;
  builder.set_gravity({0, -g, 0});
  builder.add_body("upper", lump(m1, {0, -c1, 0}, Vec3::Constant(I1)));
  builder.add_body("lower", lump(m2, {0, -c2, 0}, Vec3::Constant(I2)));
  builder.add_joint(
      joint("elbow", JointType::kRevolute, "upper", "lower", Mat3::Identity(), {0, -l1, 0}));
  builder.add_joint(joint("shoulder", JointType::kRevolute, "world", "upper"));
  const system::System system = system_of(builder.build(), {});
  const MatX A = linearize(system, 0.0, view(system.initial_state()), {}, {}).A;
  MatX M(2, 2), K(2, 2);
  const double coupling = I2 + m2 * (c2 * c2 + l1 * c2);
  M << I1 + m1 * c1 * c1 + I2 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2), coupling, coupling,
      I2 + m2 * c2 * c2;
  K << m1 * c1 + m2 * (l1 + c2), m2 * c2, m2 * c2, m2 * c2;
  EXPECT_LT((A - second_order(M, g * K)).norm(), 1e-11);
}

// Body axes: J w' + w x J w = r x m R'g and delta' = dw - W x delta, spinning about the vertical.
TEST(LinearizeClosedForm, SpinningSphericalPendulum) {
  const double m = 2.0, l = 0.6, g = 9.81, spin = 4.0;
  const Vec3 com_moments(0.5, 0.5, 0.8);
  ModelBuilder builder;
  builder.set_gravity({0, 0, -g});
  builder.add_body("bob", lump(m, {0, 0, -l}, com_moments));
  builder.add_joint(joint("ball", JointType::kSpherical, "world", "bob"));
  const system::System system = system_of(builder.build(), {});
  const VecX x = state_with(system, Eigen::Vector4d(1, 0, 0, 0), Vec3(0, 0, spin));
  const MatX A = linearize(system, 0.0, view(x), {}, {}).A;
  const double across = com_moments.x() + m * l * l, along = com_moments.z();
  MatX expected = MatX::Zero(6, 6);
  expected.topRightCorner(3, 3).setIdentity();
  expected(0, 1) = spin;
  expected(1, 0) = -spin;
  expected(3, 0) = expected(4, 1) = -m * g * l / across;
  expected(3, 4) = (across - along) * spin / across;
  expected(4, 3) = (along - across) * spin / across;
  EXPECT_LT((A - expected).norm(), kExact * 10);
}

TEST(LinearizeClosedForm, FreeBodySpinningAboutAPrincipalAxis) {
  const Vec3 J(1.0, 2.0, 2.6);
  ModelBuilder builder;
  builder.add_body("tumbler", lump(3.0, Vec3::Zero(), J));
  const system::System system = system_of(builder.build(), {});
  const double spin = 3.0;
  VecX q(7), v(6);
  q << 1, 2, 3, spatial::quaternion_exp<double>({0.3, -0.5, 0.9});
  v << 0.1, 0.2, 0.3, 0, spin, 0;
  const VecX x = state_with(system, q, v);
  const MatX A = linearize(system, 0.0, view(x), {}, {}).A;
  MatX expected = MatX::Zero(12, 12);
  expected.topRightCorner(6, 6).setIdentity();
  expected(3, 5) = -spin;  // -(W x delta)_x = -spin delta_z
  expected(5, 3) = spin;
  expected(9, 11) = (J.y() - J.z()) * spin / J.x();
  expected(11, 9) = (J.x() - J.y()) * spin / J.z();
  EXPECT_LT((A - expected).norm(), kExact);
}

// A spherical joint turned at a given rate: its small extra turn is carried round, delta' = -W x
// delta; at position level it cannot exist.
TEST(Linearize, DrivenOrientations) {
  for (const system::MotionLevel level :
       {system::MotionLevel::kPosition, system::MotionLevel::kRate,
        system::MotionLevel::kAcceleration}) {
    ModelBuilder builder;
    builder.add_body("ball", lump(2.0, {0.1, 0.2, 0.3}, Vec3::Ones()));
    builder.add_joint(joint("hip", JointType::kSpherical, "world", "ball"));
    const Function none = Function::constant(0.0);
    const Function turn = level == system::MotionLevel::kPosition ? Function::expression("2*t")
                          : level == system::MotionLevel::kRate   ? Function::constant(2.0)
                                                                  : none;
    const system::System system = system_of(builder.build(), {}, {{1, level, {none, none, turn}}});
    const VecX x = state_with(system, Eigen::Vector4d(1, 0, 0, 0), Vec3(0, 0, 2.0));
    const MatX A = linearize(system, 0.0, view(x), {}, {}).A;
    MatX expected = MatX::Zero(6, 6);
    if (level != system::MotionLevel::kPosition) {
      expected(0, 1) = 2.0;
      expected(1, 0) = -2.0;
    }
    if (level == system::MotionLevel::kAcceleration) expected.topRightCorner(3, 3).setIdentity();
    EXPECT_LT((A - expected).norm(), 1e-14) << static_cast<int>(level);
  }
}

TEST(SystemJacobian, EqualsDifferences) {
  RandomTree random(11);
  const system::System system = busy_system(JointType::kFree, random);
  const VecX x = random_state(system, random);
  MatX J(system.size(), system.size());
  system::JacobianScratch scratch(system);
  system.jacobian(0.0, view(x), {J.data(), static_cast<std::size_t>(J.size())}, scratch);
  for (int k = 0; k < system.size(); ++k) {
    const VecX column = derivative(
        [&](double h) {
          VecX near = x;
          near[k] += h;
          return rate_of(system, evaluated(system, 0.0, near));
        },
        4e-3);
    EXPECT_LT(relative(J.col(k), column), 1e-9) << k;
  }
}

}  // namespace
}  // namespace grapple::analysis::testing
