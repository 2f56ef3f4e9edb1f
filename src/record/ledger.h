// The energy ledger of a run: how much each account changed, and what is left over.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "grapple/record/summary.h"
#include "grapple/system/system.h"

namespace grapple::record {

class LedgerKeeper {
 public:
  /// Books the energies of one recorded state; the first one is the start.
  void add(const system::Snapshot<double>& snapshot);
  EnergyLedger ledger() const;

  std::vector<double> save() const;
  void restore(std::span<const double> state);

 private:
  bool started_ = false;
  std::array<double, system::kStoredCount> initial_{}, stored_{};
  std::array<double, system::kSupplyCount> work_{};
  /// Largest kinetic energy + changes of the other stores + works met so far: what "relative"
  /// refers to.
  double scale_ = 0.0;
};

}  // namespace grapple::record
