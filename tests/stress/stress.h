// Families of random scenarios, each case run through the whole program and judged by physics:
// right, honestly refused (an error, `failed`, `suspect` or a warning that names the cause), or
// silently wrong. A family counts all three; only the last is a failure.
// `make test` runs the gist, `make stress` (GRAPPLE_STRESS=full) all of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grapple/record/summary.h"

namespace grapple::stress {

/// How many cases a family has in `make test` and in `make stress`.
int cases(int gist, int full);

/// How one run ended.
struct Ending {
  /// Completed, or stopped by its own event, without warnings; the numbers below are claims.
  bool claims_to_be_right = false;
  std::string reason;  ///< if not: the error, the cause or the warnings
  record::RunStatus status = record::RunStatus::kFailed;
  double relative_residual = 0.0;          ///< of the energy balance
  std::map<std::string, double> measures;  ///< by name; a measure that was not found is missing
  std::vector<std::string> warnings;
  double steps = 0.0;
};

/// Checks, builds and runs a scenario given as text. `settings` as in --set. Never throws for what
/// a user can write.
Ending run_scenario(const std::string& yaml, const std::vector<std::string>& settings = {});

/// Counts the cases of one family and prints the count when it ends.
class Tally {
 public:
  explicit Tally(std::string family) : family_(std::move(family)) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally();

  void right() { ++right_; }
  void refused(const std::string& reason);
  /// A silent failure; `what` says how to repeat the case (seed, settings) and what is wrong. Fails
  /// the running test.
  void wrong(const std::string& what);

  int refusals() const { return refused_; }
  int count() const { return right_ + refused_ + wrong_; }

 private:
  std::string family_;
  int right_ = 0, refused_ = 0, wrong_ = 0;
  std::map<std::string, int> reasons_;
};

}  // namespace grapple::stress
