// N = side^3 equal balls of 1 cm that fall from a loose grid into a box with an open top, the
// example examples/nato/granular.yaml at any size, stepped by semi-implicit Euler.
#pragma once

#include <memory>

#include "grapple/integrate/stepper.h"
#include "grapple/integrate/system_problem.h"

namespace grapple::bench {

inline constexpr double kHeapStep = 5e-5;  ///< s

class Heap {
 public:
  explicit Heap(int side);
  /// Takes steps, with the contact group's look around after each.
  void advance(int steps);
  double contacts() const { return value("group/grains/contacts"); }
  double near() const { return value("group/grains/near"); }
  double kinetic_energy() const { return value("energy/kinetic"); }

 private:
  double value(const char* channel) const;

  std::unique_ptr<system::System> system_;
  std::unique_ptr<integrate::SystemProblem> problem_;
  std::unique_ptr<integrate::Stepper> stepper_;
  std::vector<double> x_;
};

}  // namespace grapple::bench
