#include "grapple/record/checkpoint_modes.h"

#include "grapple/base/assert.h"

namespace grapple::record {

namespace {

using constraint::Dependence;

// Row, number of shares, and row and coefficient of each.
std::vector<double> numbers_of(const std::vector<Dependence>& dependences) {
  std::vector<double> numbers;
  for (const Dependence& one : dependences) {
    numbers.push_back(one.row);
    numbers.push_back(static_cast<double>(one.on.size()));
    for (const Dependence::Share& share : one.on) {
      numbers.push_back(share.row);
      numbers.push_back(share.coefficient);
    }
  }
  return numbers;
}

std::vector<Dependence> dependences_of(const std::vector<double>& numbers) {
  std::vector<Dependence> dependences;
  auto at = numbers.begin();
  const auto next = [&] {
    GRAPPLE_ASSERT(at != numbers.end());
    return *at++;
  };
  while (at != numbers.end()) {
    Dependence one;
    one.row = static_cast<int>(next());
    one.on.resize(static_cast<std::size_t>(next()));
    for (Dependence::Share& share : one.on) {
      share.row = static_cast<int>(next());
      share.coefficient = next();
    }
    dependences.push_back(std::move(one));
  }
  return dependences;
}

}  // namespace

void put_modes(const system::Modes& modes, Checkpoint& file) {
  file.integers["locked"] = {modes.locked.begin(), modes.locked.end()};
  file.integers["enabled"] = {modes.enabled.begin(), modes.enabled.end()};
  file.reals["memory"] = modes.memory;
  file.integers["latched"] = {modes.latched.begin(), modes.latched.end()};
  file.integers["loop_rank"] = {modes.loop_rank};
  file.integers["held_rows"] = {modes.held_rows.begin(), modes.held_rows.end()};
  file.reals["held_pivot"] = {modes.held_pivot};
  file.reals["closures"] = modes.closures;
  file.reals["dependences"] = numbers_of(modes.dependences);
}

system::Modes modes_of(const Checkpoint& file) {
  system::Modes modes;
  const auto& locked = file.integer("locked");
  const auto& enabled = file.integer("enabled");
  const auto& latched = file.integer("latched");
  modes.locked.assign(locked.begin(), locked.end());
  modes.enabled.assign(enabled.begin(), enabled.end());
  modes.memory = file.real("memory");
  modes.latched.assign(latched.begin(), latched.end());
  modes.loop_rank = static_cast<int>(file.integer("loop_rank").at(0));
  const auto& held = file.integer("held_rows");
  modes.held_rows.assign(held.begin(), held.end());
  modes.held_pivot = file.real("held_pivot").at(0);
  modes.closures = file.real("closures");
  modes.dependences = dependences_of(file.real("dependences"));
  return modes;
}

}  // namespace grapple::record
