#include "grapple/record/internal/checkpoint_modes.h"

#include "grapple/base/saved_numbers.h"

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
  SavedNumbers saved(numbers, "dependences");
  std::vector<Dependence> dependences;
  while (!saved.is_empty()) {
    Dependence one;
    one.row = saved.small_count();
    for (int left = saved.small_count(); left > 0; --left) {
      const int row = saved.small_count();
      one.on.push_back({row, saved.number()});
    }
    dependences.push_back(std::move(one));
  }
  return dependences;
}

// Values of few bits, as they were saved.
std::vector<std::uint8_t> bytes_of(const Checkpoint& file, const char* name) {
  std::vector<std::uint8_t> bytes;
  for (const std::int64_t value : file.integer(name)) {
    if (value < 0 || value > 255) refuse_saved("modes");
    bytes.push_back(static_cast<std::uint8_t>(value));
  }
  return bytes;
}

}  // namespace

void put_modes(const system::Modes& modes, Checkpoint& file) {
  file.integers["locked"] = {modes.locked.begin(), modes.locked.end()};
  file.integers["enabled"] = {modes.enabled.begin(), modes.enabled.end()};
  file.reals["memory"] = modes.memory;
  file.reals["signals"] = modes.signals;
  file.reals["blocks"] = modes.blocks;
  file.integers["latched"] = {modes.latched.begin(), modes.latched.end()};
  file.integers["loop_rank"] = {modes.constraint_rank};
  file.integers["held_rows"] = {modes.held_rows.begin(), modes.held_rows.end()};
  file.reals["held_pivot"] = {modes.held_pivot};
  file.reals["closures"] = modes.closures;
  file.reals["dependences"] = numbers_of(modes.dependences);
}

system::Modes modes_of(const Checkpoint& file, const system::System& system) {
  system::Modes modes;
  modes.locked = bytes_of(file, "locked");
  modes.enabled = bytes_of(file, "enabled");
  modes.memory = file.real("memory");
  modes.signals = file.real("signals");
  modes.blocks = file.real("blocks");
  modes.latched = bytes_of(file, "latched");
  const std::int64_t rank = file.integers_of("loop_rank", 1)[0];
  modes.constraint_rank = rank == static_cast<int>(rank) ? static_cast<int>(rank) : -1;
  modes.held_rows = bytes_of(file, "held_rows");
  modes.held_pivot = file.reals_of("held_pivot", 1)[0];
  modes.closures = file.real("closures");
  modes.dependences = dependences_of(file.real("dependences"));
  if (!system.could_have(modes)) refuse_saved("modes");
  return modes;
}

}  // namespace grapple::record
