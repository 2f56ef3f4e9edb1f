// A two-link arm falls for five seconds: where its tip ends, and how much energy was lost on the
// way.
#include <cstdio>

#include "grapple/grapple.h"

using namespace grapple;

int main() {
  model::ModelBuilder builder;
  builder.set_gravity({0.0, -9.81, 0.0});
  builder.add_body("upper", spatial::slender_rod(2.0, 1.0));  // kg, m; along x from its end
  builder.add_body("lower", spatial::slender_rod(1.0, 0.8));
  builder.add_joint({.name = "shoulder", .child = "upper"});  // revolute about z, on the world
  builder.add_joint(
      {.name = "elbow", .parent = "upper", .X_PF = {.p = {1.0, 0.0, 0.0}}, .child = "lower"});
  builder.add_frame("tip", "lower", {.p = {0.8, 0.0, 0.0}});

  system::System arm({.model = builder.build()});
  integrate::SystemProblem problem(arm, {});
  const auto stepper = integrate::make_stepper(problem, {.relative_tolerance = 1e-10});
  integrate::Observer silent;
  const spatial::VecX x0 = arm.initial_state();
  const integrate::Result result = integrate::simulate(
      problem, *stepper, {x0.data(), x0.data() + x0.size()}, {.t_end = 5.0}, {}, silent);

  const system::Snapshot<double>& end = problem.evaluate(result.t, result.x);
  for (const char* name : {"frame/tip/position_x", "frame/tip/position_y", "energy/residual"}) {
    const system::Channel& channel = arm.channels()[arm.find_channel(name)];
    const double value = system::channel_value(arm, channel, end);
    std::printf("%-22s %+.9e %s\n", name, value, channel.unit.c_str());
  }
  return result.status == integrate::Status::kCompleted ? 0 : 1;
}
