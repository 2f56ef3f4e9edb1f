// The energy ledger of a run: how much each account changed, what is left over, how that compares
// with the energy that was moved, and when it arose.
//
// Energy moved, at a time t, against the start: what has come to the parts T_k of the kinetic
// energy, to the other stored energies E_a and, by works W_s, to the outside, or what has gone from
// them, the larger of the two:
//   d = { T_k(t) - T_k(0), E_a(t) - E_a(0), -W_s(t) },   M(t) = max( sum of d > 0, - sum of d < 0 )
// The parts are those of the common centre of mass along three axes, of each body's centre of mass
// relative to it along three axes, of each body's rotation about its own three axes, of its
// bending, and of the rotors: a top that spins, a station that drifts or a load that hangs high has
// not moved that energy, a body that tumbles has. A residual is judged against the largest M, but
// not less than 1e-3 of the kinetic energy (a steady motion whose speeds are right to 5e-7 is
// right) and 1e-9 of all energies present (below that, differences are round-off). What the
// integrator's own damping takes is booked and explained; what it gives is not.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "grapple/record/summary.h"
#include "grapple/system/system.h"

namespace grapple::record {

class EnergyAccounting {
 public:
  EnergyAccounting(const system::System& system, double t_end);

  /// Books the energies of one state, evaluated with its forces; the first one is the start.
  void add(const system::Snapshot<double>& snapshot);
  /// Whether a state at the end of a step is due: some steps have passed without add().
  bool is_due();

  EnergyLedger ledger() const;

  std::vector<double> save() const;
  void restore(std::span<const double> state);

 private:
  static constexpr std::size_t kAccounts = element::kStoredCount + element::kSupplyCount;
  static constexpr std::size_t kBins = 64;  ///< of the run's time
  /// The last state seen in a bin of time.
  struct Moment {
    double t = 0.0, residual = 0.0, unexplained = 0.0;
    std::array<double, kAccounts> account{};
  };

  void find_parts(const system::Snapshot<double>& snapshot);
  double moved() const;
  void note(const Moment& now, const system::Snapshot<double>& snapshot);
  int hardest_contact(const system::Snapshot<double>& snapshot) const;
  EnergyLedger::Origin origin() const;

  const system::System& system_;
  double t_end_;
  std::vector<system::Channel> contact_forces_;
  bool started_ = false;
  int steps_unseen_ = 0;
  Moment first_, last_;
  std::vector<double> parts_, first_parts_;  ///< of the kinetic energy
  double scale_ = 0.0;                       ///< largest M
  double kinetic_ = 0.0;                     ///< the largest
  double present_ = 0.0;                     ///< largest sum of all energies
  double worst_ = 0.0;                       ///< largest that is unexplained, NaN if one was
  double largest_jump_ = 0.0;                ///< of it between two states
  int contact_ = -1;                         ///< that pressed hardest then; index of its channel
  std::vector<Moment> history_;
  std::vector<std::uint8_t> known_;  ///< per bin
};

}  // namespace grapple::record
