// Which method of forward dynamics is fastest for how many degrees of freedom: articulated,
// composite, direct and decoupled on rigid and flexible chains and on the trees of the other
// benchmarks; and how the time grows with the number of flexible modules.
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "grapple/dynamics/forward_dynamics.h"
#include "grapple/dynamics/kinematics.h"
#include "kernels/subject.h"
#include "trees/flexible_trees.h"

namespace grapple::bench {
namespace {

using dynamics::ForwardScratch;
using dynamics::Method;

Work forward_of(Subject& s, ForwardScratch<double>& scratch) {
  return [&s, &scratch](int k) {
    const std::size_t turn = static_cast<std::size_t>(k) % s.states.size();
    dynamics::forward_kinematics(s.model, s.states[turn], s.workspace);
    dynamics::forward_dynamics_after_kinematics(s.model, s.states[turn], s.efforts[turn], scratch,
                                                s.workspace);
  };
}

// Nanoseconds by each method, in the order of kAllMethods.
std::vector<double> times_of(Subject& subject) {
  std::vector<ForwardScratch<double>> scratch;
  for (const Method method : dynamics::kAllMethods) scratch.emplace_back(subject.model, method);
  std::vector<Work> work;
  for (ForwardScratch<double>& one : scratch) work.push_back(forward_of(subject, one));
  return best_nanoseconds(work);
}

void print_methods(Subject subject) {
  const std::vector<double> best = times_of(subject);
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} |\n",
             subject.name, subject.model.nv(), best[0], best[1], best[2], best[3],
             best[1] / best[0], best[2] / best[0], best[3] / best[0]);
}

// As Chen (1999), Fig. 4-16: modules of one mode, time against their number, and the slope of its
// logarithm since the row before.
void print_growth() {
  fmt::print("\n| modules | DOF | articulated, us | slope | composite | slope | direct | slope | ");
  fmt::print("decoupled | slope |\n|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<double> before;
  int fewer = 0;
  for (const int n : {1, 2, 5, 10, 20, 40}) {
    Subject subject("", flexible_chain(n, 1));
    const std::vector<double> now = times_of(subject);
    fmt::print("| {} | {} |", n, subject.model.nv());
    for (std::size_t k = 0; k < now.size(); ++k) {
      fmt::print(" {:.2f} |", 1e-3 * now[k]);
      if (before.empty()) {
        fmt::print(" |");
      } else {
        fmt::print(" {:.2f} |", std::log(now[k] / before[k]) / std::log(double(n) / fewer));
      }
    }
    fmt::print("\n");
    before = now;
    fewer = n;
  }
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;
  fmt::print("| tree | DOF | articulated, ns | composite | direct | decoupled | composite / ");
  fmt::print("articulated | direct / articulated | decoupled / articulated |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 64}) {
    print_methods(Subject(serial_chain(n)));
  }
  print_methods(Subject(floating_tree()));
  for (const int modes : {0, 2, 4, 10}) {
    const std::string name = fmt::format("arm, 2 links of {} modes", modes);
    print_methods(Subject(name, seven_joint_arm(modes)));
  }
  for (const int modes : {1, 2, 4, 8, 16, 32, 60}) {
    for (const int n : modes > 8 ? std::vector<int>{1, 2} : std::vector<int>{1, 2, 3, 4, 8}) {
      const std::string name = fmt::format("{} beams of {} modes", n, modes);
      print_methods(Subject(name, flexible_chain(n, modes)));
    }
  }
  print_growth();
  return 0;
}
