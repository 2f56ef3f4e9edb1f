#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "grapple/integrate/simulate.h"
#include "grapple/integrate/system_problem.h"
#include "grapple/scenario/build/build.h"
#include "grapple/scenario/scenario.h"
#include "mechanism_peers/mechanisms.h"

namespace grapple::bench {
namespace {

struct Question {
  const char* file;
  double end;    // s
  double asked;  // s, when the channels are read
  std::vector<const char*> channels;
};

Question question(Problem problem) {
  switch (problem) {
    case Problem::kPendulum:
      return {"iftomm/A01-pendulum.yaml", 10.0, 10.0, {"energy/residual"}};
    case Problem::kSqueezer:
      return {"iftomm/A03-squeezer.yaml",
              0.05,
              0.05,
              {"frame/bar-EF/E/position_x", "frame/bar-EF/E/position_y"}};
    case Problem::kBricard:
      break;
  }
  return {"iftomm/A04-bricard.yaml",
          10.0,
          1.0,
          {"frame/rod3/end/position_x", "frame/rod3/end/position_y", "frame/rod3/end/position_z"}};
}

// Keeps the state at the time asked for.
class Reader final : public integrate::Observer {
 public:
  explicit Reader(double asked) : asked_(asked) {}
  void output(double t, std::span<const double> x) override {
    if (std::abs(t - asked_) < 1e-9) x_.assign(x.begin(), x.end());
  }
  const std::vector<double>& x() const { return x_; }

 private:
  double asked_;
  std::vector<double> x_;
};

}  // namespace

Solution solve_in_grapple(Problem problem, const std::string& tolerance) {
  const Question asked = question(problem);
  Solution best;
  best.seconds = HUGE_VAL;
  for (int repetition = 0; repetition < 3; ++repetition) {
    scenario::Simulation simulation = scenario::build(
        scenario::load_scenario(std::string(GRAPPLE_BENCH_EXAMPLES) + "/" + asked.file,
                                {"simulate.tolerance=" + tolerance}));
    system::System& system = *simulation.system;
    integrate::SystemProblem equations(system, {});
    const auto stepper = integrate::make_stepper(equations, simulation.plan.integrator);
    const spatial::VecX x = system.initial_state();
    Reader reader(asked.asked);
    const auto start = std::chrono::steady_clock::now();
    integrate::simulate(equations, *stepper, {x.data(), static_cast<std::size_t>(x.size())},
                        {.t_end = asked.end, .output_interval = asked.asked}, {}, reader);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best.seconds = std::min(best.seconds, taken.count());
    const auto& there = equations.evaluate(asked.asked, reader.x());
    for (std::size_t k = 0; k < asked.channels.size(); ++k) {
      const auto channel = static_cast<std::size_t>(system.find_channel(asked.channels[k]));
      best.result[k] = system::channel_value(system, system.channels()[channel], there);
    }
  }
  return best;
}

}  // namespace grapple::bench
