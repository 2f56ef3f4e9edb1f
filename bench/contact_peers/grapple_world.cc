// Grapple through a scenario, as a user would write it: Hertz's contact for balls, volumetric
// contact for boxes and spinning balls, the default integrator; its default tolerance where digits
// are asked for.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "contact_peers/world.h"
#include "grapple/integrate/simulate.h"
#include "grapple/integrate/stepper.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/scenario/build/build.h"

namespace grapple::bench {
namespace {

std::string vector_text(const Eigen::Vector3d& v) {
  return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z());
}

std::string friction(const WorldSpec& spec) {
  return spec.friction == 0.0 ? "none" : fmt::format("{{kinetic: {}}}", spec.friction);
}

const char* tolerance(const WorldSpec& spec) {
  return spec.aim == WorldSpec::Aim::kSpeed ? "1e-4" : "1e-8";
}

std::string scenario_text(const WorldSpec& spec) {
  const BodyAbove& b = spec.bodies.at(0);
  const bool ball = b.shape == BodyAbove::Shape::kBall;
  const bool volumetric = spec.patch == WorldSpec::Patch::kArea;
  const std::string shape = ball ? fmt::format("sphere: {}", b.half_edges.x())
                                 : "box: " + vector_text(2.0 * b.half_edges);
  const Eigen::Vector3d spin_B = b.orientation.conjugate() * b.angular_velocity;
  const std::string stiffness = volumetric         ? ", model: volumetric, foundation: 1e9 N/m^3"
                                : spec.young > 0.0 ? ""
                                                   : ", stiffness: 1e7";
  // A ball that rests on its contact starts at the depth its weight needs.
  Eigen::Vector3d position = b.position;
  if (ball && !volumetric && spec.young == 0.0) {
    position.z() -= std::pow(b.mass * std::abs(spec.gravity.z()) / 1e7, 2.0 / 3.0);
  }
  return fmt::format(
      R"(grapple: 1
environment: {{gravity: {}}}
materials: [{{name: stuff, young: {}, poisson: {}}}]
bodies:
  - name: body
    solid: {{{}, mass: {}}}
    position: {}
    rotation: {{quaternion: [{}, {}, {}, {}]}}
    velocity: {}
    angular_velocity: {}
    shapes: [{{name: skin, {}, material: stuff}}]
shapes: [{{name: floor, half_space: z, material: stuff}}]
contacts:
  - {{name: touch, between: [body/skin, floor]{}, restitution: {}, slow_impact: 1 cm/s, friction: {}}}
simulate: {{duration: 1 s, tolerance: {}}}
)",
      vector_text(spec.gravity), spec.young > 0.0 ? spec.young : 1e9, spec.poisson, shape, b.mass,
      vector_text(position), b.orientation.w(), b.orientation.x(), b.orientation.y(),
      b.orientation.z(), vector_text(b.velocity), vector_text(spin_B), shape, stiffness,
      spec.restitution, friction(spec), tolerance(spec));
}

class GrappleWorld final : public ContactWorld, integrate::Observer {
 public:
  explicit GrappleWorld(const WorldSpec& spec)
      : simulation_(scenario::build(
            scenario::load_scenario_text(scenario_text(spec), "comparison.yaml", {}))),
        problem_(*simulation_.system, {}),
        stepper_(integrate::make_stepper(problem_, simulation_.plan.integrator)),
        is_watched_(spec.young > 0.0) {
    const spatial::VecX x = simulation_.system->initial_state();
    x_.assign(x.begin(), x.end());
  }

  void advance(double until) override {
    const integrate::Result result = integrate::simulate(
        problem_, *stepper_, x_, {.t_start = time_, .t_end = until}, problem_.crossings(), *this);
    if (result.status != integrate::Status::kCompleted) {
      throw std::runtime_error("Grapple: " + result.failure.cause);
    }
    steps_ += static_cast<long>(result.statistics.steps);
    x_ = result.x;
    time_ = until;
  }
  double time() const override { return time_; }
  long steps() const override { return steps_; }
  double largest_acceleration() const override { return largest_; }
  Eigen::Vector3d position(std::size_t /*k*/) const override {
    return Eigen::Map<const Eigen::Vector3d>(x_.data());
  }
  Eigen::Vector3d velocity(std::size_t /*k*/) const override {
    return Eigen::Map<const Eigen::Vector3d>(x_.data() + 7);
  }
  Eigen::Vector3d angular_velocity(std::size_t /*k*/) const override {
    const double* q = x_.data() + 3;
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]) *
           Eigen::Map<const Eigen::Vector3d>(x_.data() + 10);
  }

 private:
  // Only where Hertz's force is asked for: the cost of other runs is not to be that of watching.
  integrate::Action step_accepted(double t, double /*step*/, std::span<double> x) override {
    if (is_watched_) {
      largest_ = std::max(largest_, problem_.evaluate(t, x).workspace.vdot.head<3>().norm());
    }
    return integrate::Action::kContinue;
  }

  scenario::Simulation simulation_;
  integrate::SystemProblem problem_;
  std::unique_ptr<integrate::Stepper> stepper_;
  std::vector<double> x_;
  bool is_watched_;
  double time_ = 0.0, largest_ = 0.0;
  long steps_ = 0;
};

}  // namespace

std::unique_ptr<ContactWorld> make_grapple_world(const WorldSpec& spec) {
  return std::make_unique<GrappleWorld>(spec);
}

}  // namespace grapple::bench
