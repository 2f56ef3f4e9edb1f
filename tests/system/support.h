// What the tests of this module share: small models by hand, evaluations as values, derivatives of
// high order.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grapple/dynamics/energy.h"
#include "grapple/spatial/rotation.h"
#include "grapple/system/system.h"
#include "support/random_tree.h"

namespace grapple::system::testing {

using model::JointSpec;
using model::JointType;
using model::Model;
using model::ModelBuilder;
using spatial::Dual;
using spatial::MassProperties;
using spatial::Mat3;
using spatial::MatX;
using spatial::Pose;
using spatial::Vec3;
using spatial::VecX;

inline std::span<const double> view(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
inline std::span<double> view(VecX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

inline Snapshot<double> evaluated(const System& system, double t, const VecX& x) {
  Snapshot<double> snapshot(system);
  system.evaluate<double>(t, view(x), snapshot);
  return snapshot;
}

inline VecX rate_of(const System& system, const Snapshot<double>& snapshot) {
  VecX rate(system.size());
  system.state_rate<double>(snapshot, view(rate));
  return rate;
}

/// The evaluation with x as a function of time: d[0] of everything in it is its derivative along
/// the motion.
inline Snapshot<Dual> evaluated_along(const System& system, double t, const VecX& x,
                                      const VecX& rate) {
  std::vector<Dual> moving(static_cast<std::size_t>(system.size()));
  for (std::size_t k = 0; k < moving.size(); ++k) {
    moving[k] = x[static_cast<Eigen::Index>(k)];
    moving[k].d[0] = rate[static_cast<Eigen::Index>(k)];
  }
  Snapshot<Dual> along(system);
  system.evaluate<Dual>(t, moving, along);
  return along;
}

inline double value(const System& system, const Snapshot<double>& snapshot,
                    const std::string& channel) {
  const int index = system.find_channel(channel);
  if (index < 0) throw std::runtime_error("no channel " + channel);
  return channel_value(system, system.channels()[static_cast<std::size_t>(index)], snapshot);
}

inline double supply(const Snapshot<double>& s, element::Supply account) {
  return s.energies.supply[static_cast<std::size_t>(account)];
}
inline double stored(const Snapshot<double>& s, element::Stored account) {
  return s.energies.stored[static_cast<std::size_t>(account)];
}

inline Vec3 vector_of(const System& system, const Snapshot<double>& s, const std::string& stem) {
  return {value(system, s, stem + "_x"), value(system, s, stem + "_y"),
          value(system, s, stem + "_z")};
}

inline const model::Frame kWorld{"", 0, {}};
inline const model::Frame& frame(const Model& m, const char* name) {
  return m.frames()[static_cast<std::size_t>(m.find_frame(name))];
}

/// Momenta about the world's origin and kinetic energy at x.
struct Totals {
  Vec3 linear, angular;
  double kinetic;
  Totals(const System& system, const VecX& x) {
    const Snapshot<double> s = evaluated(system, 0.0, x);
    const auto p = dynamics::mass_moments(system.model(), s.state, s.workspace, Vec3::Zero());
    linear = p.linear;
    angular = p.angular;
    kinetic = stored(s, element::Stored::kKinetic);
  }
};

/// x of a system with given q and v.
inline VecX state_with(const System& system, const VecX& q, const VecX& v) {
  VecX x = system.initial_state();
  x.head(q.size()) = q;
  x.segment(q.size(), v.size()) = v;
  return x;
}

template <class... Part>
std::vector<std::unique_ptr<element::Element>> elements(Part... part) {
  std::vector<std::unique_ptr<element::Element>> all;
  (all.push_back(std::move(part)), ...);
  return all;
}

inline System system_of(Model model, std::vector<std::unique_ptr<element::Element>> parts,
                        std::vector<JointMotion> motions = {}) {
  SystemParts all;
  all.model = std::move(model);
  all.elements = std::move(parts);
  all.motions = std::move(motions);
  return System(std::move(all));
}

/// A joint between named bodies, its frame the same on both at q = 0.
inline JointSpec joint(const std::string& name, JointType type, const std::string& parent,
                       const std::string& child, const Mat3& axes = Mat3::Identity(),
                       const Vec3& p_P = Vec3::Zero(), const Vec3& p_B = Vec3::Zero()) {
  JointSpec spec;
  spec.name = name;
  spec.type = type;
  spec.parent = parent;
  spec.child = child;
  spec.X_PF = {axes, p_P};
  spec.X_BM = {axes, p_B};
  return spec;
}

inline MassProperties lump(double mass, const Vec3& com, const Vec3& moments) {
  return {mass, com, Mat3(moments.asDiagonal())};
}

/// Pendulum about z, hanging along -y at q = 0.
inline Model pendulum(double mass, double length, double inertia_com, double g) {
  ModelBuilder builder;
  builder.set_gravity({0.0, -g, 0.0});
  builder.add_body("bob", lump(mass, {0.0, -length, 0.0}, Vec3::Constant(inertia_com)));
  builder.add_joint(joint("pivot", JointType::kRevolute, "world", "bob"));
  return builder.build();
}

/// One body on a slide along x.
inline Model slider(double mass, double g = 0.0) {
  ModelBuilder builder;
  builder.set_gravity({g, 0.0, 0.0});
  builder.add_body("block", lump(mass, Vec3::Zero(), Vec3::Ones()));
  builder.add_joint(joint("slide", JointType::kPrismatic, "world", "block",
                          spatial::frame_with_z(Vec3::UnitX())));
  return builder.build();
}

/// A floating base, a joint of the wanted type and two more bodies behind it; the tested joint is
/// link 2.
inline Model tree_with(JointType type, test::RandomTree& random) {
  ModelBuilder builder;
  builder.set_gravity(random.vector(10.0));
  const std::vector<JointType> types = {JointType::kFree, type, JointType::kUniversal,
                                        JointType::kSpherical};
  for (std::size_t b = 0; b < types.size(); ++b) {
    const std::string name = "b" + std::to_string(b);
    builder.add_body(name, random.mass_properties());
    JointSpec spec;
    spec.name = "j" + std::to_string(b);
    spec.type = types[b];
    spec.child = name;
    if (b > 0) spec.parent = b == 3 ? "b0" : "b" + std::to_string(b - 1);
    spec.X_PF = random.pose();
    spec.X_BM = random.pose();
    spec.pitch = 0.2;
    builder.add_joint(spec);
  }
  builder.add_frame("tip", "b2", random.pose());
  builder.add_frame("side", "b3", random.pose());
  builder.add_frame("wall", "world", random.pose());
  return builder.build();
}

inline VecX random_state(const System& system, test::RandomTree& random) {
  model::State state(system.model());
  random.fill(system.model(), state);
  return state_with(system, state.q, state.v);
}

inline std::vector<double> random_values(test::RandomTree& random, int n, double low, double high) {
  std::vector<double> values;
  for (int k = 0; k < n; ++k) values.push_back(random.uniform(low, high));
  return values;
}

/// f'(0) by the central formula of order 8: truncation h^8 f9 / 630, rounding about 3 eps f / h.
template <class F>
auto derivative(const F& f, double h) {
  using R = decltype(f(0.0));
  const R d1 = f(h) - f(-h), d2 = f(2 * h) - f(-2 * h), d3 = f(3 * h) - f(-3 * h),
          d4 = f(4 * h) - f(-4 * h);
  return R((4.0 / 5.0 * d1 - 1.0 / 5.0 * d2 + 4.0 / 105.0 * d3 - 1.0 / 280.0 * d4) / h);
}

}  // namespace grapple::system::testing
