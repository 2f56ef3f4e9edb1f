// Watches runs with closed loops for what a solver must not pass over in silence. Near a singular
// position, where branches of the motion meet, every accepted step has to fit the motion around it:
//   |v1 - v0 - h/2 (a0 + a1)| small against |v|       else the branch may have changed
//   energy ledger of the two ends equal               else energy was made or lost
// and at every recorded state the loops must be closed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grapple/integrate/system_problem.h"

namespace grapple::record {

class Watchdog {
 public:
  /// `tolerance`: relative, of the steps; 0 if they are fixed.
  Watchdog(const system::System& system, double tolerance);

  /// An accepted step that ends at (t, x).
  void step(double t, std::span<const double> x, integrate::SystemProblem& problem);
  /// A fixed step during which an element may not have seen what its shapes passed.
  void step_too_long(int element, double t, double step, double longest);
  /// A recorded state.
  void observe(const system::Snapshot<double>& snapshot);
  /// The state jumped for a known reason; the next step starts anew.
  void forget() { known_ = false; }

  /// Where, why and what to do; empty: nothing was found.
  const std::string& suspicion() const { return suspicion_; }
  /// For a checkpoint: the last step, without which the next one cannot be compared with it.
  std::vector<double> save() const;
  void restore(std::string suspicion, std::span<const double> last_step);

 private:
  struct Place {
    double t = 0.0, energy = 0.0, scale = 0.0, pivot = 1.0;
    int row = -1;  // nearest to being lost
    spatial::VecX v, a;
  };
  Place at(double t, std::span<const double> x);
  void compare(const Place& before, const Place& after);
  std::string constraint_of(const Place& place) const;

  const system::System& system_;
  double energy_jump_;  // share of the energy that a step may change it by
  std::optional<system::Snapshot<double>> snapshot_;
  std::vector<double> x_;  // end of the last step
  double t_ = 0.0;
  bool known_ = false;
  std::string suspicion_;
};

}  // namespace grapple::record
