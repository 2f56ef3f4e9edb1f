// A linear field on rigid and flexible bodies: its efforts are minus the derivatives of the
// potential energy of point masses that stand for the bodies.
#include "grapple/dynamics/field_efforts.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <map>

#include "grapple/dynamics/kinematics.h"
#include "grapple/dynamics/manifold.h"
#include "grapple/dynamics/wrench_efforts.h"
#include "grapple/spatial/dual.h"
#include "support/random_tree.h"

namespace grapple::dynamics {
namespace {

using model::Link;
using model::Model;
using spatial::Dual;
using spatial::Mat3;
using spatial::Sym3;
using spatial::Vec3;
using spatial::VecX;
using test::RandomTree;

struct Field {
  Vec3 g0;
  Mat3 G;
  Vec3 at(const Vec3& p) const { return g0 + G * p; }
  double potential(const Vec3& p) const { return -g0.dot(p) - 0.5 * p.dot(G * p); }
};

Field random_field(RandomTree& random) {
  const Mat3 A = random.vector(1.0) * random.vector(1.0).transpose();
  return {random.vector(5.0), A + A.transpose() + Mat3(random.vector(2.0).asDiagonal())};
}

// Six points on the principal axes have the mass and the second moment of a rigid body.
double rigid_potential(const Link& link, const model::LinkMotion<double>& m, const Field& field) {
  if (!(link.mass > 0.0)) return 0.0;
  const Vec3 c = link.first_moment_L / link.mass;
  const Mat3 J = link.inertia_L.matrix();
  const Mat3 S = 0.5 * J.trace() * Mat3::Identity() - J - link.mass * c * c.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(S);
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    const Vec3 arm = std::sqrt(std::max(3.0 * axes.eigenvalues()[k] / link.mass, 0.0)) *
                     axes.eigenvectors().col(k);
    for (const double side : {-1.0, 1.0}) {
      sum += link.mass / 6.0 * field.potential(m.p_WL + m.R_WL * (c + side * arm));
    }
  }
  return sum;
}

double flexible_potential(const flexible::FlexibleBody& body, const spatial::Pose& X_LB,
                          const double* eta, const model::LinkMotion<double>& m,
                          const Field& field) {
  const Eigen::Map<const VecX> e(eta, body.modes);
  double sum = 0.0;
  for (const flexible::Station& s : body.stations) {
    Vec3 r = s.position + s.phi * e;
    for (int c = 0; c < 3 && flexible::present(s.H); ++c) {
      const auto& H = s.H[static_cast<std::size_t>(c)];
      if (H.size() > 0) r[c] += 0.5 * e.dot(H * e);
    }
    sum += s.mass * field.potential(m.p_WL + m.R_WL * (X_LB.p + X_LB.R * r));
  }
  return sum;
}

// A model, and its flexible bodies by name: the model drops stations once it has packed them.
struct Tree {
  Model model;
  std::map<std::string, flexible::FlexibleBody> bodies;
};

double potential(const Tree& tree, const model::State& state, const Field& field) {
  const Model& model = tree.model;
  model::Workspace workspace(model);
  forward_kinematics(model, state, workspace);
  double sum = 0.0;
  for (int i = 1; i < model.link_count(); ++i) {
    const Link& link = model.link(i);
    const auto& m = workspace.motion[static_cast<std::size_t>(i)];
    if (link.kind == Link::Kind::kRigid) sum += rigid_potential(link, m, field);
    if (link.kind == Link::Kind::kFlexible) {
      const model::Body& body = model.body_of_link(i);
      sum += flexible_potential(tree.bodies.at(body.name), body.X_LB, state.q.data() + link.q_modal,
                                m, field);
    }
  }
  return sum;
}

template <class T>
spatial::VecXT<T> efforts(const Model& model, const model::StateT<T>& state, const Field& field) {
  model::WorkspaceT<T> workspace(model);
  spatial::VecXT<T> tau = spatial::VecXT<T>::Zero(model.nv());
  forward_kinematics(model, state, workspace);
  workspace.clear_wrenches();
  for (int i = 1; i < model.link_count(); ++i) {
    const BodyMoments<T> body = body_moments(model, i, state, workspace);
    const LinearField<T> at{field.g0.cast<T>() + field.G.cast<T>() * body.p_WC,
                            spatial::Sym3T<T>::cast(Sym3::from(field.G))};
    field_efforts(model, i, body, at, workspace, tau);
  }
  wrench_efforts(model, workspace);
  return workspace.tau + tau;
}

// Rigid bodies and bodies of point masses, with and without second-order shapes, on elastic frames.
Tree mixed(RandomTree& random, int bodies, double second_order) {
  model::ModelBuilder builder;
  std::vector<bool> bends;
  std::map<std::string, flexible::FlexibleBody> flexible_bodies;
  for (int b = 0; b < bodies; ++b) {
    const std::string name = "b" + std::to_string(b);
    bends.push_back(random.integer(0, 2) > 0);
    if (bends.back()) {
      flexible::FlexibleBody body = random.flexible_body(random.integer(1, 4), second_order);
      body.inertia = random.integer(0, 1) == 0 ? flexible::DeflectedInertia::kCompressed
                                               : flexible::DeflectedInertia::kEveryStation;
      if (body.stations.empty()) {
        const std::vector<flexible::Station> pieces = random.stations(9, 2, second_order);
        body = flexible::integrate_stations(pieces, 2);
        body.stations = pieces;
        body.stiffness = 50.0 * spatial::MatX::Identity(2, 2);
        bends.back() = false;  // without frames
      }
      flexible_bodies[name] = body;
      builder.add_flexible_body(name, std::move(body));
    } else {
      builder.add_body(name, random.mass_properties());
    }
    model::JointSpec joint;
    joint.name = "j" + std::to_string(b);
    joint.type = random.joint_type();
    joint.pitch = 0.2;
    const int parent = random.integer(-1, b - 1);
    if (parent >= 0) {
      joint.parent = "b" + std::to_string(parent);
      if (bends[static_cast<std::size_t>(parent)]) joint.parent_frame = "a";
    }
    joint.child = name;
    joint.X_PF = random.pose();
    joint.X_BM = random.pose();
    if (rate_count(joint.type) == 1) {
      joint.transmission = model::JointSpec::Transmission::kFlexible;
      joint.reflected_inertia = {0.7};
    }
    builder.add_joint(joint);
  }
  return {builder.build(), std::move(flexible_bodies)};
}

void expect_gradient(unsigned seed, double second_order) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomTree random(seed);
  const Tree tree = mixed(random, random.integer(1, 5), second_order);
  const Model& model = tree.model;
  const Field field = random_field(random);
  model::State state(model);
  random.fill(model, state);
  const VecX tau = efforts<double>(model, state, field);
  const double scale = 1.0 + tau.norm();
  for (int k = 0; k < model.nv(); ++k) {
    const auto moved = [&](double h) {
      model::State other = state;
      VecX delta = VecX::Zero(model.nv());
      delta[k] = h;
      move_positions(model, delta, other.q);
      return potential(tree, other, field);
    };
    // Order 4: the truncation h^4 is below 1e-11 of the efforts, rounding eps U/h alike.
    const double h = 1e-3;
    const double slope =
        (8.0 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12.0 * h);
    EXPECT_NEAR(tau[k], -slope, 2e-9 * scale) << "rate " << k;
  }
}

TEST(FieldEfforts, AreMinusTheGradientOfThePotentialOfPointMasses) {
  for (unsigned seed = 1; seed <= 40; ++seed) expect_gradient(seed, 0.0);
}

TEST(FieldEfforts, AreTheGradientForSecondOrderShapesToo) {
  for (unsigned seed = 101; seed <= 140; ++seed) expect_gradient(seed, 0.1);
}

TEST(FieldEfforts, LeaveMotorsAlone) {
  RandomTree random(7);
  const Model model = mixed(random, 5, 0.1).model;
  model::State state(model);
  random.fill(model, state);
  const VecX tau = efforts<double>(model, state, random_field(random));
  for (const model::Drive& drive : model.drives()) EXPECT_EQ(tau[drive.v_index], 0.0);
}

TEST(FieldEfforts, AreTheSameOnDualNumbers) {
  RandomTree random(8);
  const Model model = mixed(random, 5, 0.1).model;
  const Field field = random_field(random);
  model::State state(model);
  random.fill(model, state);
  model::StateT<Dual> dual(model);
  dual.q = state.q.cast<Dual>();
  dual.v = state.v.cast<Dual>();
  const VecX tau = efforts<double>(model, state, field);
  const spatial::VecXT<Dual> other = efforts<Dual>(model, dual, field);
  // Sums in another order: rounding.
  for (int k = 0; k < model.nv(); ++k) EXPECT_NEAR(other[k].value, tau[k], 1e-11);
}

TEST(BodyMoments, VelocityIsTheRateOfTheCentreOfMass) {
  RandomTree random(9);
  const Model model = mixed(random, 4, 0.1).model;
  model::State state(model);
  random.fill(model, state);
  model::Workspace workspace(model);
  const auto centre = [&](double h, int i) {
    model::State other = state;
    move_positions<double>(model, h * state.v, other.q);
    forward_kinematics(model, other, workspace);
    return Vec3(body_moments(model, i, other, workspace).p_WC);
  };
  for (int i = 1; i < model.link_count(); ++i) {
    const double h = 1e-5;  // truncation and rounding about 1e-10
    const Vec3 slope = (centre(h, i) - centre(-h, i)) / (2.0 * h);
    forward_kinematics(model, state, workspace);
    const Vec3 v = body_moments(model, i, state, workspace).v_WC;
    EXPECT_LT((v - slope).norm(), 1e-7) << "link " << i;
  }
}

}  // namespace
}  // namespace grapple::dynamics
