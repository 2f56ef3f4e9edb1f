// What closed loops cost as there are more of them: a row of four-bars (a tree of many short
// branches) and a long flexible chain in which a rod ties every third link to the one two before
// (one deep branch, where the mass matrix is full). Accelerations with loop forces, once through
// the mass matrix and once along the tree.
#include <fmt/core.h>

#include <string>

#include "grapple/constraint/constraint_solver.h"
#include "grapple/dynamics/kinematics.h"
#include "timing/growth.h"
#include "timing/turns.h"
#include "trees/flexible_trees.h"

namespace grapple::bench {
namespace {

using constraint::Constraint;
using constraint::LoopType;
using spatial::Vec3;

struct Mechanism {
  model::Model model;
  std::vector<Constraint> constraints;
  model::State state;
};

// Bars of 1 m and 1 kg, all posts at the same angle and rate.
Mechanism four_bars(int cells) {
  model::ModelBuilder builder;
  builder.set_gravity({0.0, -9.81, 0.0});
  const auto add = [&builder](const std::string& name, const Vec3& along, const std::string& parent,
                              const Vec3& at) {
    const Vec3 c = 0.5 * along;
    const spatial::Mat3 J = (spatial::Mat3::Identity() - along * along.transpose()) / 12.0 +
                            1e-4 * spatial::Mat3::Identity();
    builder.add_body(name, {1.0, c, J});
    model::JointSpec joint;
    joint.name = "j-" + name;
    joint.type = model::JointType::kRevolute;
    joint.child = name;
    if (!parent.empty()) joint.parent = parent;
    joint.X_PF.p = at;
    builder.add_joint(joint);
  };
  add("post0", Vec3::UnitY(), "", Vec3::Zero());
  for (int k = 1; k <= cells; ++k) {
    add("beam" + std::to_string(k), Vec3::UnitX(), "post" + std::to_string(k - 1), Vec3::UnitY());
    add("post" + std::to_string(k), Vec3::UnitY(), "", Vec3(k, 0.0, 0.0));
  }
  model::Model model = builder.build();
  Mechanism made{std::move(model), {}, model::State(model::Model())};
  made.state = model::State(made.model);
  for (int i = 1; i < made.model.link_count(); ++i) {
    const bool beam = made.model.body_of_link(i).name.starts_with("beam");
    made.state.q[made.model.link(i).q_index] = beam ? 0.4 : -0.4;
    made.state.v[made.model.link(i).v_index] = beam ? 1.0 : -1.0;
  }
  const auto link_of = [&](const std::string& name) {
    for (int i = 1; i < made.model.link_count(); ++i) {
      if (made.model.body_of_link(i).name == name) return i;
    }
    return 0;
  };
  for (int k = 1; k <= cells; ++k) {
    const std::string n = std::to_string(k);
    made.constraints.push_back(
        {"cell" + n, constraint::LoopClosure{
                         {{"", link_of("beam" + n), {spatial::Mat3::Identity(), Vec3::UnitX()}},
                          {"", link_of("post" + n), {spatial::Mat3::Identity(), Vec3::UnitY()}}},
                         LoopType::kRevolute}});
  }
  return made;
}

// Three beams with two modes each per loop.
Mechanism tied_chain(int count) {
  model::Model model = flexible_chain(3 * count, 2);
  Mechanism made{std::move(model), {}, model::State(model::Model())};
  made.state = random_samples(made.model, 1).front().state;
  std::vector<int> bodies;
  for (int i = 1; i < made.model.link_count(); ++i) {
    if (made.model.link(i).kind == model::Link::Kind::kFlexible) bodies.push_back(i);
  }
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(3 * k);
    made.constraints.push_back(
        {"rod" + std::to_string(k),
         constraint::Distance{{{"", bodies[at], {}}, {"", bodies[at + 2], {}}}, 1.0}});
  }
  return made;
}

Work accelerations_of(Mechanism& m, dynamics::Method method) {
  struct Scratch {
    model::Workspace w;
    dynamics::ForwardScratch<double> forward;
    constraint::ConstraintScratch<double> constraints;
    spatial::VecX tau;
  };
  auto s = std::make_shared<Scratch>(
      Scratch{model::Workspace(m.model), dynamics::ForwardScratch<double>(m.model, method),
              constraint::ConstraintScratch<double>(m.model, m.constraints, method),
              spatial::VecX::Zero(m.model.nv())});
  return [s, &m](int) {
    dynamics::forward_kinematics(m.model, m.state, s->w);
    dynamics::forward_dynamics_after_kinematics<double>(m.model, m.state, s->tau, s->forward, s->w);
    constraint::add_constraint_forces(m.model, m.constraints, m.state, s->forward, s->constraints,
                                      s->w);
  };
}

void table(const char* title, Mechanism (*make)(int)) {
  fmt::print("\n{}\n{:>6} {:>14} {:>14} {:>8}   best microseconds\n", title, "loops", "mass matrix",
             "along tree", "ratio");
  std::vector<int> sizes;
  std::vector<double> costs;
  const TurnOptions turns{.rounds = 40, .turn_nanoseconds = 1.5e6};
  for (const int count : {1, 2, 5, 10, 20, 40, 80, 160, 320}) {
    Mechanism m = make(count);
    const double tree =
        best_nanoseconds({accelerations_of(m, dynamics::Method::kArticulated)}, turns)[0];
    if (count >= 10) {
      sizes.push_back(count);
      costs.push_back(tree);
    }
    if (count > 40) {  // takes the cube of the size
      fmt::print("{:>6} {:>14} {:>14.2f}\n", count, "", 1e-3 * tree);
      continue;
    }
    const double dense =
        best_nanoseconds({accelerations_of(m, dynamics::Method::kComposite)}, turns)[0];
    fmt::print("{:>6} {:>14.2f} {:>14.2f} {:>8.1f}\n", count, 1e-3 * dense, 1e-3 * tree,
               dense / tree);
  }
  fmt::print("along the tree, 10 to 320 loops: grows as loops^{:.3f}\n",
             growth_exponent(sizes, costs));
}

}  // namespace
}  // namespace grapple::bench

int main() {
  grapple::bench::table("row of four-bars", grapple::bench::four_bars);
  grapple::bench::table("flexible chain, three beams a loop", grapple::bench::tied_chain);
}
