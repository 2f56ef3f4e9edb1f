#include "grapple/record/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "grapple/base/error.h"
#include "grapple/base/whole_file.h"
#include "grapple/record/atomic_file.h"
#include "grapple/record/run_directory.h"

namespace grapple::record {

namespace {

constexpr std::string_view kHeader = "time [s],value,unit,work [J],name";
constexpr std::size_t kLargestFile = std::size_t{1} << 30;

std::string line_of(const Command& command) {
  return fmt::format("{},{},{},{},{}\n", command.time, command.value, command.unit, command.joule,
                     command.name);
}

std::optional<double> number_in(std::string_view text) {
  double value = 0.0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// The next cell of a line, which is taken away with its comma; none: there is no comma.
std::optional<std::string_view> take_cell(std::string_view& line) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view cell = line.substr(0, comma);
  line.remove_prefix(comma + 1);
  return cell;
}

std::optional<Command> command_in(std::string_view line) {
  std::array<std::string_view, 4> cells;
  for (std::string_view& cell : cells) {
    const std::optional<std::string_view> found = take_cell(line);
    if (!found) return std::nullopt;
    cell = *found;
  }
  const std::optional<double> time = number_in(cells[0]), value = number_in(cells[1]),
                              joule = number_in(cells[3]);
  if (!time || *time < 0.0 || !value || !joule) return std::nullopt;
  return Command{*time, std::string(line), *value, std::string(cells[2]), *joule};
}

}  // namespace

CommandLog::CommandLog(const std::filesystem::path& directory, const std::vector<Command>& already)
    : file_(directory / kCommandsFile), stream_(fdopen(create_plain_file(file_), "wb")) {
  if (stream_ == nullptr) fail();
  std::string text = std::string(kHeader) + "\n";
  for (const Command& command : already) text += line_of(command);
  write(text);
}

CommandLog::~CommandLog() { std::fclose(stream_); }

void CommandLog::append(const Command& command) { write(line_of(command)); }

void CommandLog::write(const std::string& line) {
  if (std::fwrite(line.data(), 1, line.size(), stream_) != line.size()) fail();
  if (std::fflush(stream_) != 0) fail();
}

void CommandLog::fail() const {
  throw Error(
      "GR-511", file_.string(),
      fmt::format("the file could not be written: {}", std::generic_category().message(errno)));
}

std::vector<Command> read_commands(const std::filesystem::path& directory_or_file) {
  std::error_code is_no_name;
  const std::filesystem::path file = std::filesystem::is_directory(directory_or_file, is_no_name)
                                         ? directory_or_file / kCommandsFile
                                         : directory_or_file;
  const auto refuse = [&](const std::string& why) { throw Error("GR-522", file.string(), why); };
  const WholeFile whole = read_whole_file(file, kLargestFile);
  std::string_view rest = whole.bytes;
  if (rest.empty()) refuse("there are no commands of a live run here");
  std::vector<Command> commands;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // cut short by a kill
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (number == 1) {
      if (line != kHeader) refuse(fmt::format("it does not begin with '{}'", kHeader));
      continue;
    }
    const std::optional<Command> command = command_in(line);
    if (!command) refuse(fmt::format("line {} is no command", number));
    if (!commands.empty() && command->time < commands.back().time) {
      refuse(fmt::format("line {} is earlier than the one before", number));
    }
    commands.push_back(*command);
  }
  return commands;
}

}  // namespace grapple::record
