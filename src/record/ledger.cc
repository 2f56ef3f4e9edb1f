#include "grapple/record/ledger.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/assert.h"

namespace grapple::record {

using system::kStoredCount;
using system::kSupplyCount;

void LedgerKeeper::add(const system::Snapshot<double>& snapshot) {
  stored_ = snapshot.energies.stored;
  work_ = snapshot.work;
  if (!started_) {
    initial_ = stored_;
    started_ = true;
  }
  double moved = std::abs(stored_[static_cast<std::size_t>(system::Stored::kKinetic)]);
  for (std::size_t k = 1; k < kStoredCount; ++k) moved += std::abs(stored_[k] - initial_[k]);
  for (const double work : work_) moved += std::abs(work);
  scale_ = std::max(scale_, moved);
}

EnergyLedger LedgerKeeper::ledger() const {
  EnergyLedger ledger;
  for (std::size_t k = 0; k < kStoredCount; ++k) {
    const double change = stored_[k] - initial_[k];
    ledger.entries.push_back({"stored " + std::string(system::kStoredNames[k]), change});
    ledger.residual_joule += change;
  }
  for (std::size_t k = 0; k < kSupplyCount; ++k) {
    ledger.entries.push_back({"work of " + std::string(system::kSupplyNames[k]), work_[k]});
    ledger.residual_joule -= work_[k];
  }
  ledger.relative_residual = scale_ > 0.0 ? std::abs(ledger.residual_joule) / scale_ : 0.0;
  return ledger;
}

std::vector<double> LedgerKeeper::save() const {
  std::vector<double> state(initial_.begin(), initial_.end());
  state.push_back(scale_);
  return state;
}

void LedgerKeeper::restore(std::span<const double> state) {
  GRAPPLE_ASSERT(state.size() == kStoredCount + 1);
  std::copy_n(state.begin(), kStoredCount, initial_.begin());
  scale_ = state.back();
  started_ = true;
}

}  // namespace grapple::record
