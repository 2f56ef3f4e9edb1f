// commands.csv: what came into a run from outside, in the order in which it acted:
//   time [s],value,unit,work [J],name
//   1.2333,0.5,1,0,operator/stick/command
//   4.5,7.5,N*m*s/rad,-0.12,parameters.damping
// A name is that of a signal, or "parameters." and a tunable parameter. Values are SI, times and
// values the shortest decimals that read back to the same bits: a run that is given the same
// commands at the same times repeats the same steps. A line without a name marks a step of variable
// size that was ended there for a command that was refused, or by the end of the run. `work` is
// what the change put into the energy ledger.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace grapple::record {

struct Command {
  double time = 0.0;   ///< s
  std::string name;    ///< may be empty, see above
  double value = 0.0;  ///< SI
  std::string unit;
  double joule = 0.0;
  bool operator==(const Command&) const = default;
};

/// The name of a parameter in a command.
inline constexpr std::string_view kParameterPrefix = "parameters.";

/// Writes DIR/commands.csv line by line; each is in the file when append() returns.
class CommandLog {
 public:
  /// Begins with `already`. Throws GR-511.
  CommandLog(const std::filesystem::path& directory, const std::vector<Command>& already);
  ~CommandLog();
  CommandLog(const CommandLog&) = delete;
  CommandLog& operator=(const CommandLog&) = delete;

  void append(const Command& command);

 private:
  [[noreturn]] void fail() const;
  void write(const std::string& line);

  std::filesystem::path file_;
  std::FILE* stream_ = nullptr;
};

/// Reads DIR/commands.csv, or the file itself. Throws GR-522: there is none, or it is no such file;
/// its times must be finite, not negative and in order.
std::vector<Command> read_commands(const std::filesystem::path& directory_or_file);

}  // namespace grapple::record
