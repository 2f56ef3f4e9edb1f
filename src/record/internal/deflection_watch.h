// Watches how far flexible bodies bend. Their shapes hold for moderate rotation; beyond a body's
// limit the run goes on and its summary says so. A body from a file without stations has truncated
// inertia integrals; what they leave out is estimated at every recorded state from the mean
// second-order displacement: the modal mass lacks at least
//   D = (C2 eta)'(C2 eta) / mass        (the mean of a square is no less than the square of the
//   mean)
// which is compared with the modal mass of the body when it is free to move.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grapple/system/system.h"

namespace grapple::record {

class DeflectionWatch {
 public:
  explicit DeflectionWatch(const model::Model& model);

  /// An accepted step that ends at x (positions first).
  void step(std::span<const double> x);
  /// A recorded state.
  void observe(const system::Snapshot<double>& snapshot);

  /// One per body that went too far, with what to do.
  std::vector<std::string> warnings() const;

  std::vector<double> save() const;
  void restore(const std::vector<double>& saved);

 private:
  const model::Model& model_;
  // Per flexible body.
  std::vector<int> links_;
  std::vector<double> rotation_;  // largest seen, rad
  std::vector<double> dropped_;   // largest part of the free modal mass left out
};

}  // namespace grapple::record
