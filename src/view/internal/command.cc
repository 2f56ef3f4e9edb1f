#include "grapple/view/internal/command.h"

#include <cmath>

#include "grapple/base/error.h"
#include "grapple/view/guard.h"
#include "grapple/view/internal/bounded_json.h"

namespace grapple::view {

namespace {

using nlohmann::ordered_json;

constexpr double kFastestSpeed = 1e6;

[[noreturn]] void refuse(const std::string& message) { throw Error("GR-840", "command", message); }

double number_in(const ordered_json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number() || !std::isfinite(it->get<double>())) {
    refuse(std::string("needs a number '") + key + "'");
  }
  return it->get<double>();
}

std::string text_in(const ordered_json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) refuse(std::string("needs a text '") + key + "'");
  return it->get<std::string>();
}

std::optional<double> speed_in(const ordered_json& object) {
  const auto it = object.find("value");
  if (it != object.end() && it->is_null()) return std::nullopt;
  const double speed = number_in(object, "value");
  if (!(speed > 0.0 && speed <= kFastestSpeed)) refuse("a speed is positive, at most 1e6");
  return speed;
}

Command start_in(const ordered_json& object) {
  Command command{CommandKind::kStart, {}, {}};
  if (object.contains("until")) command.value = number_in(object, "until");
  const auto operate = object.find("operate");
  if (operate == object.end()) return command;
  if (!operate->is_object()) refuse("'operate' gives operators their commands: an object");
  for (const auto& [name, value] : operate->items()) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      refuse("'operate' needs a number for each operator");
    }
    command.operate.emplace_back(name, value.get<double>());
  }
  return command;
}

}  // namespace

Command parse_command(std::string_view text) {
  if (text.size() > kMostBodyBytes) refuse("a command is longer than 16 KiB");
  const std::optional<ordered_json> parsed = parse_bounded_json(text);
  if (!parsed || !parsed->is_object()) refuse("a command is a JSON object");
  const ordered_json& object = *parsed;
  const std::string name = text_in(object, "command");
  if (name == "start") return start_in(object);
  if (name == "pause") return {CommandKind::kPause, {}, {}};
  if (name == "reset") return {CommandKind::kReset, {}, {}};
  if (name == "speed") return {CommandKind::kSpeed, {}, speed_in(object)};
  if (name == "tune" || name == "operate") {
    return {name == "tune" ? CommandKind::kTune : CommandKind::kOperate, text_in(object, "name"),
            number_in(object, "value")};
  }
  refuse("there is no command '" + name + "'");
}

}  // namespace grapple::view
