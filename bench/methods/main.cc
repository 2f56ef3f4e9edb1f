// Which method of forward dynamics is fastest for how many degrees of freedom: articulated,
// composite and direct on rigid and flexible chains and on the trees of the other benchmarks.
#include <fmt/core.h>

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

void print_methods(Subject subject) {
  ForwardScratch<double> articulated(subject.model, Method::kArticulated);
  ForwardScratch<double> composite(subject.model, Method::kComposite);
  ForwardScratch<double> direct(subject.model, Method::kDirect);
  const std::vector<double> best =
      best_nanoseconds({forward_of(subject, articulated), forward_of(subject, composite),
                        forward_of(subject, direct)});
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.0f} | {:.2f} | {:.2f} |\n", subject.name,
             subject.model.nv(), best[0], best[1], best[2], best[1] / best[0], best[2] / best[0]);
}

}  // namespace
}  // namespace grapple::bench

int main() {
  using namespace grapple::bench;
  fmt::print("| tree | DOF | articulated, ns | composite | direct | composite / articulated | ");
  fmt::print("direct / articulated |\n|---|---|---|---|---|---|---|\n");
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
  return 0;
}
