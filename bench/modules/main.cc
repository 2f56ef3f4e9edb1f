// What one evaluation costs as a snake of slewing and deployable modules grows (Chen 1999, section 4.3):
// a platform that bends, a base on a rail, and modules of a rotor, a joint spring and a beam whose
// length is a coordinate.
#include <fmt/core.h>

#include <string>

#include "grapple/dynamics/aba.h"
#include "grapple/flexible/beam_modes.h"
#include "grapple/flexible/deployed_line.h"
#include "grapple/flexible/rail.h"
#include "timing/growth.h"
#include "timing/turns.h"

namespace grapple::bench {
namespace {

using model::JointType;
using spatial::Vec3;

flexible::FlexibleBody platform() {
  flexible::ModalBeamSpec spec;
  spec.name = "platform";
  flexible::BeamSection section;
  section.mass_per_length = 1000.0;
  section.bending_stiffness_y = section.bending_stiffness_z = 5.5e8;
  section.rotary_inertia_x = 6000.0;
  spec.beam = flexible::uniform_beam(120.0, section);
  spec.bending_y = 1;
  spec.boundary = flexible::Boundary::kFreeFree;
  std::vector<std::string> names;
  for (const double x : flexible::chebyshev_points(0.0, 120.0, flexible::rail_points(2))) {
    names.push_back("rail" + std::to_string(names.size()));
    spec.frames.push_back({names.back(), x, spatial::Mat3::Identity()});
  }
  return flexible::with_rail(flexible::make_modal_beam(spec), names,
                             {"base", "base", 90.0, 0.0, 120.0});
}

model::Model snake(int modules) {
  model::ModelBuilder builder;
  builder.add_flexible_body("platform", platform());
  builder.add_body("carriage", {20.0, Vec3::Zero(), 10.0 * spatial::Mat3::Identity()});
  builder.add_joint({.name = "seat",
                     .type = JointType::kFixed,
                     .parent = "platform",
                     .parent_frame = "base",
                     .child = "carriage"});
  std::string parent = "carriage", frame;
  for (int k = 0; k < modules; ++k) {
    const std::string n = std::to_string(k);
    builder.add_body("rotor" + n, {5.0, Vec3::Zero(), 2.5 * spatial::Mat3::Identity()});
    builder.add_joint({.name = "slew" + n,
                       .type = JointType::kRevolute,
                       .parent = parent,
                       .parent_frame = frame,
                       .child = "rotor" + n});
    flexible::DeployableBeamSpec spec;
    spec.name = "module" + n;
    spec.start = 3.0;
    spec.shortest = 2.5;
    spec.longest = 5.0;
    spec.mass = 100.0;
    spec.rotary_x = 1.0;
    spec.bending_stiffness_y = 1e4;
    spec.bending_y = 1;
    builder.add_flexible_body("module" + n, flexible::make_deployable_beam(spec));
    builder.add_joint({.name = "twist" + n,
                       .type = JointType::kRevolute,
                       .parent = "rotor" + n,
                       .child = "module" + n});
    parent = "module" + n;
    frame = "tip";
  }
  return builder.build();
}

double nanoseconds_of(int modules) {
  const model::Model model = snake(modules);
  model::State state(model);
  model::Workspace workspace(model);
  for (int k = 0; k < model.nv(); ++k) state.v[k] = 0.01 * (k % 7 - 3);
  const spatial::VecX tau = spatial::VecX::Ones(model.nv());
  const Work work = [&](int) { dynamics::aba(model, state, tau, workspace); };
  return best_nanoseconds({work}, {.rounds = 40}).front();
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;
  const std::vector<int> sizes = {1, 2, 5, 10, 20, 40};
  std::vector<double> costs;
  for (const int modules : sizes) {
    costs.push_back(nanoseconds_of(modules));
    fmt::print("{:3} modules: {:8.2f} us per aba, {:6.2f} us per module\n", modules,
               costs.back() / 1e3, costs.back() / 1e3 / modules);
  }
  fmt::print("growth: modules^{:.3f}\n", growth_exponent(sizes, costs));
  return 0;
}
