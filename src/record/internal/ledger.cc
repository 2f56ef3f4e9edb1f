#include "grapple/record/internal/ledger.h"

#include <algorithm>
#include <cmath>

#include "grapple/base/saved_numbers.h"
#include "grapple/dynamics/energy.h"

namespace grapple::record {

namespace {

using element::kStoredCount;
using element::kSupplyCount;

constexpr std::size_t kNumerical =
    kStoredCount + static_cast<std::size_t>(element::Supply::kNumerical);
constexpr std::size_t kContact = static_cast<std::size_t>(element::Stored::kContact);
constexpr double kSteady = 1e-3;          // of the kinetic energy
constexpr double kEnergyRoundOff = 1e-9;  // of all energies present: 1e-3 of it is 5000 eps
constexpr std::size_t kPerBody = 7;       // three axes of travel, three of rotation, bending
constexpr std::size_t kCommon = 4;        // three axes of the centre of mass, rotors
constexpr int kStepsBetweenStates = 8;    // a state costs about a sixth of a step

double square_over(double momentum, double mass) {
  return mass > 0.0 ? 0.5 * momentum * momentum / mass : 0.0;
}

bool ends_with_force(const std::string& name) {
  return name.ends_with("/normal_force") || name.ends_with("/largest_force");
}

std::string account_name(std::size_t account) {
  return account < kStoredCount
             ? std::string(element::kStoredNames[account])
             : "work of " + std::string(element::kSupplyNames[account - kStoredCount]);
}

}  // namespace

EnergyAccounting::EnergyAccounting(const system::System& system, double t_end)
    : system_(system),
      t_end_(t_end),
      parts_(kCommon + kPerBody * static_cast<std::size_t>(system.model().link_count())),
      first_parts_(parts_),
      history_(kBins),
      known_(kBins, 0) {
  for (const system::Channel& channel : system.channels()) {
    if (channel.kind == system::Channel::Kind::kElement && ends_with_force(channel.name)) {
      contact_forces_.push_back(channel);
    }
  }
}

void EnergyAccounting::find_parts(const system::Snapshot<double>& s) {
  const model::Model& model = system_.model();
  const dynamics::MassMoments<double> all =
      dynamics::mass_moments(model, s.state, s.workspace, spatial::Vec3::Zero());
  const spatial::Vec3 v_common =
      all.mass > 0.0 ? spatial::Vec3(all.linear / all.mass) : spatial::Vec3::Zero();
  double bodies = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    parts_[k] = square_over(all.linear[static_cast<int>(k)], all.mass);
  }
  for (int i = 1; i < model.link_count(); ++i) {
    const double total = dynamics::body_kinetic_energy(model, i, s.state, s.workspace);
    const dynamics::BodyMomentum own = dynamics::body_momentum(model, i, s.state, s.workspace);
    const model::LinkMotion<double>& motion = s.workspace.motion[static_cast<std::size_t>(i)];
    const spatial::Vec3 relative = own.linear - own.mass * v_common;
    const spatial::Vec3 omega_L = motion.R_WL.transpose() * motion.omega;
    const spatial::Vec3 angular_L = motion.R_WL.transpose() * own.angular;
    double* part = parts_.data() + kCommon + kPerBody * static_cast<std::size_t>(i);
    double rest = total - (own.mass > 0.0 ? 0.5 * own.linear.squaredNorm() / own.mass : 0.0);
    for (int k = 0; k < 3; ++k) {
      part[k] = square_over(relative[k], own.mass);
      part[3 + k] = 0.5 * omega_L[k] * angular_L[k];
      rest -= part[3 + k];
    }
    part[6] = rest;
    bodies += total;
  }
  parts_[3] = s.energies.stored[static_cast<std::size_t>(element::Stored::kKinetic)] - bodies;
}

double EnergyAccounting::moved() const {
  double come = 0.0, gone = 0.0;
  const auto count = [&](double gained) { (gained > 0.0 ? come : gone) += std::abs(gained); };
  for (std::size_t k = 0; k < parts_.size(); ++k) count(parts_[k] - first_parts_[k]);
  for (std::size_t k = 1; k < kAccounts; ++k) {
    count(k < kStoredCount ? last_.account[k] - first_.account[k] : -last_.account[k]);
  }
  return std::max(come, gone);
}

void EnergyAccounting::add(const system::Snapshot<double>& snapshot) {
  steps_unseen_ = 0;
  Moment now;
  now.t = snapshot.t;
  std::copy_n(snapshot.energies.stored.begin(), kStoredCount, now.account.begin());
  std::copy_n(snapshot.work.begin(), kSupplyCount, now.account.begin() + kStoredCount);
  find_parts(snapshot);
  if (!started_) {
    started_ = true;
    first_ = last_ = now;
    first_parts_ = parts_;
  }
  double present = 0.0;
  for (std::size_t k = 0; k < kAccounts; ++k) {
    now.residual += k < kStoredCount ? now.account[k] - first_.account[k] : -now.account[k];
    present += std::abs(now.account[k]);
  }
  // A method's own damping may take energy, which is booked; what it gives is an error.
  now.unexplained = now.residual + std::max(0.0, now.account[kNumerical]);
  // Contacts that are no gradient book what they took and gave back; they cannot give more.
  now.unexplained -= std::min(0.0, now.account[kContact]);
  note(now, snapshot);
  last_ = now;
  scale_ = std::max(scale_, moved());
  present_ = std::max(present_, present);
  kinetic_ = std::max(kinetic_, now.account[static_cast<std::size_t>(element::Stored::kKinetic)]);
}

// A state that is not finite stays the worst.
void EnergyAccounting::note(const Moment& now, const system::Snapshot<double>& snapshot) {
  const double off = std::abs(now.unexplained);
  if (!std::isnan(worst_) && !(off <= worst_)) worst_ = off;
  const double jump = std::abs(now.unexplained - last_.unexplained);
  if (jump > largest_jump_) {
    largest_jump_ = jump;
    contact_ = hardest_contact(snapshot);
  }
  const double bin = t_end_ > 0.0 ? std::floor(static_cast<double>(kBins) * now.t / t_end_) : 0.0;
  const auto at = static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(kBins - 1)));
  history_[at] = now;
  known_[at] = 1;
}

int EnergyAccounting::hardest_contact(const system::Snapshot<double>& snapshot) const {
  int hardest = -1;
  double most = 0.0;
  for (std::size_t k = 0; k < contact_forces_.size(); ++k) {
    const double force = std::abs(system::channel_value(system_, contact_forces_[k], snapshot));
    if (!(force > most)) continue;
    most = force;
    hardest = static_cast<int>(k);
  }
  return hardest;
}

bool EnergyAccounting::is_due() { return ++steps_unseen_ >= kStepsBetweenStates; }

// The shortest time in which the residual changed by half of its worst, and what else did.
EnergyLedger::Origin EnergyAccounting::origin() const {
  std::vector<const Moment*> moments{&first_};
  for (std::size_t k = 0; k < kBins; ++k) {
    if (known_[k] != 0) moments.push_back(&history_[k]);
  }
  const Moment *from = &first_, *to = &last_;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    for (std::size_t j = i + 1; j < moments.size(); ++j) {
      const double change = std::abs(moments[j]->unexplained - moments[i]->unexplained);
      if (change < 0.5 * worst_ || moments[j]->t - moments[i]->t >= to->t - from->t) continue;
      from = moments[i];
      to = moments[j];
    }
  }
  std::size_t most = 0;
  const auto change = [&](std::size_t k) { return std::abs(to->account[k] - from->account[k]); };
  for (std::size_t k = 1; k < kAccounts; ++k) {
    if (change(k) > change(most)) most = k;
  }
  EnergyLedger::Origin found{from->t, to->t, account_name(most), ""};
  if (contact_ >= 0) {
    const std::string& name = contact_forces_[static_cast<std::size_t>(contact_)].name;
    found.contact = name.substr(0, name.rfind('/'));
  }
  return found;
}

EnergyLedger EnergyAccounting::ledger() const {
  EnergyLedger ledger;
  for (std::size_t k = 0; k < kAccounts; ++k) {
    const double change = last_.account[k] - (k < kStoredCount ? first_.account[k] : 0.0);
    ledger.entries.push_back(
        {k < kStoredCount ? "stored " + account_name(k) : account_name(k), change});
  }
  ledger.residual_joule = last_.residual;
  ledger.moved_joule = std::max({scale_, kSteady * kinetic_, kEnergyRoundOff * present_});
  const auto share = [&](double joule) {
    return joule == 0.0 ? 0.0 : std::abs(joule) / ledger.moved_joule;
  };
  ledger.relative_residual = share(last_.residual);
  ledger.largest_relative_residual = share(worst_);
  ledger.origin = origin();
  return ledger;
}

std::vector<double> EnergyAccounting::save() const {
  std::vector<double> state{scale_,
                            kinetic_,
                            present_,
                            worst_,
                            largest_jump_,
                            static_cast<double>(contact_),
                            static_cast<double>(steps_unseen_)};
  state.insert(state.end(), first_parts_.begin(), first_parts_.end());
  const auto put = [&](const Moment& moment) {
    state.push_back(moment.t);
    state.push_back(moment.residual);
    state.push_back(moment.unexplained);
    state.insert(state.end(), moment.account.begin(), moment.account.end());
  };
  put(first_);
  put(last_);
  for (const Moment& moment : history_) put(moment);
  state.insert(state.end(), known_.begin(), known_.end());
  return state;
}

void EnergyAccounting::restore(std::span<const double> state) {
  SavedNumbers saved(state, "energies");
  for (double* value : {&scale_, &kinetic_, &present_, &worst_, &largest_jump_}) {
    *value = saved.number();
  }
  contact_ = static_cast<int>(saved.whole(-1, std::ssize(contact_forces_) - 1));
  steps_unseen_ = saved.small_count();
  saved.copy_to(first_parts_);
  const auto get = [&](Moment& moment) {
    moment.t = saved.number();
    moment.residual = saved.number();
    moment.unexplained = saved.number();
    saved.copy_to(moment.account);
  };
  get(first_);
  get(last_);
  for (Moment& moment : history_) get(moment);
  for (std::uint8_t& known : known_) known = saved.flag() ? 1 : 0;
  saved.expect_end();
  started_ = true;
}

}  // namespace grapple::record
