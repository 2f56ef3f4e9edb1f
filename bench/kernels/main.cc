// Cost of Grapple's own kernels on rigid and flexible trees, and how forward dynamics grows with
// the number of bodies.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/subject.h"
#include "timing/growth.h"
#include "trees/flexible_trees.h"

namespace grapple::bench {
namespace {

void print_header() {
  fmt::print("{:<34} {:>10} {:>10} {:>10} {:>10} {:>8}\n", "best nanoseconds", "kinematics", "aba",
             "rnea", "crba", "aba/DOF");
}

double print_costs(Subject subject) {
  const std::vector<double> best = best_nanoseconds(
      {kinematics_of(subject), aba_of(subject), rnea_of(subject), crba_of(subject)});
  fmt::print("{:<34} {:>10.0f} {:>10.0f} {:>10.0f} {:>10.0f} {:>8.1f}\n", subject.name, best[0],
             best[1], best[2], best[3], best[1] / subject.model.nv());
  return best[1];
}

void print_growth(const std::string& title, const std::vector<int>& sizes,
                  const std::vector<std::unique_ptr<Subject>>& subjects) {
  fmt::print("aba, {} of {} to {} bodies: time grows as bodies^{:.3f}\n", title, sizes.front(),
             sizes.back(), growth_exponent(sizes, aba_costs(subjects)));
}

void rigid_trees() {
  for (const int num_bodies : {6, 10, 50, 100}) print_costs(Subject(serial_chain(num_bodies)));
  print_costs(Subject(floating_tree()));
  const std::vector<int> sizes{16, 32, 64, 128, 256};
  std::vector<std::unique_ptr<Subject>> subjects;
  for (const int size : sizes) subjects.push_back(std::make_unique<Subject>(serial_chain(size)));
  print_growth("rigid chains", sizes, subjects);
}

void flexible_trees() {
  const double rigid = print_costs(Subject("arm, 7 joints, rigid", seven_joint_arm(0)));
  for (const int modes : {4, 10}) {
    const double cost = print_costs(
        Subject(fmt::format("arm, 2 links of {} modes", modes), seven_joint_arm(modes)));
    fmt::print("  {:.2f} times the rigid arm\n", cost / rigid);
  }
  const std::vector<int> sizes{8, 16, 32, 64, 128};
  std::vector<std::unique_ptr<Subject>> subjects;
  for (const int size : sizes) {
    const std::string name = fmt::format("chain of {} beams of 2 modes", size);
    print_costs(Subject(name, flexible_chain(size, 2)));
    subjects.push_back(std::make_unique<Subject>(name, flexible_chain(size, 2)));
  }
  print_growth("flexible chains", sizes, subjects);
}

}  // namespace
}  // namespace grapple::bench

int main() {
  grapple::bench::print_header();
  grapple::bench::rigid_trees();
  grapple::bench::flexible_trees();
  return 0;
}
