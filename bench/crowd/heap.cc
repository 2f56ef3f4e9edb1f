#include "crowd/heap.h"

#include <fmt/format.h>

#include <stdexcept>

#include "grapple/scenario/build/build.h"

namespace grapple::bench {

Heap::Heap(int side) {
  const std::string file = std::string(GRAPPLE_SOURCE_DIR) + "/examples/nato/granular.yaml";
  const double half = 0.006 * side, start = -half + 0.006;
  const auto count = fmt::format("bodies.grain.copies.grid=[{0}, {0}, {0}]", side);
  const auto corner = fmt::format("bodies.grain.position=[{0}, {0}, 0.007] m", start);
  std::vector<std::string> settings{count, corner};
  for (const char* wall : {"west", "east"}) {
    settings.push_back(
        fmt::format("shapes.{}.on=world at [{}, 0, 0] m", wall, wall[0] == 'w' ? -half : half));
  }
  for (const char* wall : {"south", "north"}) {
    settings.push_back(
        fmt::format("shapes.{}.on=world at [0, {}, 0] m", wall, wall[0] == 's' ? -half : half));
  }
  scenario::Simulation simulation = scenario::build(scenario::load_scenario(file, settings));
  system_ = std::move(simulation.system);
  problem_ = std::make_unique<integrate::SystemProblem>(*system_,
                                                        std::vector<integrate::ChannelCrossing>{});
  stepper_ = integrate::make_stepper(
      *problem_, {.method = integrate::Method::kSemiImplicitEuler, .step = kHeapStep});
  const spatial::VecX x = system_->initial_state();
  x_.assign(x.begin(), x.end());
  problem_->commit(0.0, x_);
  stepper_->start(0.0, x_);
}

void Heap::advance(int steps) {
  for (int k = 0; k < steps; ++k) {
    if (!stepper_->step(1e9)) throw std::runtime_error(stepper_->failure().cause);
    std::copy(stepper_->x().begin(), stepper_->x().end(), x_.begin());
    if (problem_->commit(stepper_->t(), x_)) stepper_->restart(stepper_->t(), x_);
  }
}

double Heap::value(const char* channel) const {
  const auto at = static_cast<std::size_t>(system_->find_channel(channel));
  return system::channel_value(*system_, system_->channels()[at],
                               problem_->evaluate(stepper_->t(), stepper_->x()));
}

}  // namespace grapple::bench
