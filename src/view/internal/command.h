// The commands of a live run, as JSON objects:
//   {"command": "start" | "pause" | "reset"}
//   {"command": "start", "until": 12.5, "operate": {"stick": 1}}    pauses at that time; until then
//                                              nothing it is told runs out. Both may be left out
//   {"command": "speed", "value": 2}          locked to twice real time; null: as fast as possible
//   {"command": "tune", "name": "stiffness", "value": 120}          SI
//   {"command": "operate", "name": "stick", "value": 0.5}           holds for half a second
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace grapple::view {

enum class CommandKind { kStart, kPause, kReset, kSpeed, kTune, kOperate };

struct Command {
  CommandKind kind = CommandKind::kPause;
  std::string name;             ///< of the parameter or operator
  std::optional<double> value;  ///< finite; none: as fast as possible, or the kind has no value
  std::vector<std::pair<std::string, double>> operate = {};  ///< commands given with a start
};

/// Throws GR-840: no command. Whether the name exists, and the range of its value, the run knows.
Command parse_command(std::string_view json);

}  // namespace grapple::view
